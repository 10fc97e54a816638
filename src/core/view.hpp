// What a rule sees of an example: scalars, never a vector.
#pragma once

namespace thresher {

struct View {
    double score;  // w·x (Winnow: − θ); with many classes, the lead over the strongest rival
    double y;      // −1 or +1; for a regressor, the target
    double
        sqnorm;  // ‖x‖², the bias included; with many classes ‖Φ(x,y) − Φ(x,rival)‖² = 2‖x‖²; xᵀΣx if weights have variances
    double t;    // examples seen, this one included
    double weight;       // importance of this example, > 0
    bool mistake;        // by the convention of the geometry
    double curvature;    // 2λ_max + trace of E[x xᵀ] where it is being estimated, else 0
    double scale = 0.0;  // for a regressor, the largest |y| so far, this one included

    double margin() const { return y * score; }
};

}  // namespace thresher
