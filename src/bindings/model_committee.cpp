#include "core/experts/committee.hpp"
#include "errors.hpp"
#include "model.hpp"
#include "names.hpp"
#include "standings.hpp"
#include "state_bytes.hpp"

namespace thresher::bindings {

nb::dict Model::committee() {
    const Hold hold(lock_, For::reading);
    const Committee& committee = required(learner_->facets().committee);
    const Standings& standings = committee.standings();
    const History& history = standings.history();
    nb::list members;
    for (std::size_t i = 0; i < committee.size(); ++i) {
        const Committee::Member& member = committee.member(i);
        nb::dict out = errors_of(history, i);
        out["weight"] = committee.weight_of(i);
        out["loss"] = member.loss;
        out["seconds"] = member.seconds;
        out["figures"] = nb::cast(member.figures.of);
        out["distance"] = standings.distance(i);
        out["left"] = static_cast<int>(member.left);
        out["left_at"] = member.left_at;
        if (member.left != Committee::Left::no) {
            out["error"] = member.error;
            out["recent"] = nb::none();
        }
        out["fault"] = nb::none();
        if (member.fault)
            out["fault"] = nb::make_tuple(
                member.fault->word(), member.fault->value, member.fault->limit,
                member.fault->weight, member.fault->what_grows,
                member.fault->feature >= 0 && member.fault->kind != Fault::Kind::bad_index
                    ? name_of(names_, static_cast<std::size_t>(member.fault->feature))
                    : nb::object(nb::none()));
        members.append(out);
    }
    const std::size_t leader = standings.leader();
    nb::dict out;
    out["members"] = members;
    for (const auto& [name, b] :
         {std::pair{"usual", Standings::usual}, std::pair{"last", Standings::last}}) {
        nb::dict row = errors_of(history, standings.row_of(b));
        row["weight"] = committee.weight_of(b);
        row["loss"] = committee.loss_of(b);
        out[name] = row;
    }
    out["voters"] = committee.voters();
    out["committee"] = errors_of(history, committee.row_of_committee());
    out["leader"] = leader;
    out["best"] = standings.best(Stretch::whole);
    out["recent_examples"] = history.recent();
    out["examples"] = history.examples();
    // Whether the answer of all is surely better than the leader's; of each baseline likewise.
    out["above_leader"] = history.excess(leader, committee.row_of_committee(), Stretch::whole);
    out["loss"] = committee.loss();
    out["charged"] = committee.charged();
    out["allowed"] = committee.allowed();
    out["heaviest"] = committee.heaviest();
    out["span"] = committee.span();
    out["first"] = committee.first_loss();
    return out;
}

nb::dict Model::member_state(std::size_t i) {
    const Hold hold(lock_, For::reading);
    Committee& committee = required(learner_->facets().committee);
    if (i >= committee.size() || !committee.member(i).learner)
        throw nb::index_error("no such member");
    State state = committee.member(i).learner->save();
    Saver saver(state, "class_weights.");
    class_weights_.describe(saver);
    return with_names(dict_of(state));
}

}  // namespace thresher::bindings
