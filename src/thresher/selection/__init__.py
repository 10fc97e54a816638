"""Which features to keep.

    AlphaInvesting      features come one by one, and each is taken or left (streamwise)
    keep_largest        the k largest weights of a model that has learned

While examples are learned (streaming), `thresher.TruncatedPerceptron` keeps to a budget and
`thresher.LogisticRegression` with ``l1`` leaves out what does not pay.
"""

from thresher.selection.alpha_investing import AlphaInvesting
from thresher.selection.largest import keep_largest

__all__ = ["AlphaInvesting", "keep_largest"]
