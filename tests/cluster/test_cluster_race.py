"""Races, audits, logs and chosen learners on a cluster: as on one machine, or as stated."""

import hashlib
import json
import random

import pytest

import thresher
from cluster.here import Here, lesson
from commands import Commands
from thresher.cluster import racing, tasks
from thresher.cluster.choosing import choose_on_shard
from thresher.cluster.manifest import shards_of, whole_files
from thresher.cluster.racing import ClusterRace
from thresher.cluster.training import ClusterTraining
from thresher.data.reader import BadLines
from thresher.data.reading import ReadingOptions
from thresher.errors import ClusterError, InvalidInput
from thresher.lab.runs import logs as runs
from thresher.race import FileRace, RaceField, runners_of
from thresher.theory.audit.over_cluster import audit_cluster
from thresher.training import Plan


class Several(Here):
    workers = 3


def on_one_machine(paths, learners, metric="error", plan=None, keep_all=False):
    plan = plan or Plan()
    field = RaceField(runners_of(learners), keep_all, plan.holdout, 2, metric)
    with FileRace(field, paths, ReadingOptions(), plan, BadLines()) as race:
        for _ in race:
            pass
        race.check_learned()
    return race.standings(), hashlib.sha256(tasks.saved(race.best)).hexdigest()


def on_a_cluster(paths, learners, metric="error", plan=None, keep_all=False):
    files = whole_files([str(path) for path in paths], ReadingOptions())
    given = tasks.Lesson("", (), ReadingOptions(), plan or Plan())
    race = ClusterRace(Several(1), files, given, learners, metric=metric, keep_all=keep_all)
    race.run()
    return race.standings(), hashlib.sha256(race.best).hexdigest()


def same(one, other):
    for a, b in zip(one[0], other[0], strict=True):
        a, b = (dict(vars(row), rate=0.0) for row in (a, b))
        assert repr(a) == repr(b)
    assert one[1] == other[1]


def written(path, n, width, features, seed=0, numbers=False):
    rng = random.Random(seed)
    lines = []
    for _ in range(n):
        chosen = sorted(rng.sample(range(features), width))
        side = sum(1 if j % 2 else -1 for j in chosen) + rng.gauss(0, 1)
        label = f"{side:.3f}" if numbers else "+1" if side > 0 else "-1"
        lines.append(label + " " + " ".join(f"{j + 1}:1" for j in chosen) + "\n")
    path.write_text("".join(lines))


def test_the_standings_of_a_race_are_those_of_one_machine(tmp_path, monkeypatch):
    """Learners leave at the same examples, also where the last heat began before they left."""
    monkeypatch.setattr(racing, "FIRST_HEAT", 2048)
    monkeypatch.setattr(racing, "LONGER", 4)
    paths = [tmp_path / "a.svm", tmp_path / "b.svm"]
    written(paths[0], 6000, 170, 400)
    written(paths[1], 3000, 170, 400, seed=1)
    learners = [thresher.PassiveAggressive(C=c) for c in (1e-12, 1e-3, 0.1, 1.0)]
    learners += [thresher.AROW(r=r) for r in (0.1, 1.0, 10.0)]
    learners += [thresher.Perceptron(margin=m) for m in (0.0, 1.0, 1e9)]
    learners += [thresher.Winnow(), thresher.NaiveBayes(), thresher.BalancedWinnow(margin=1.0)]
    learners += [thresher.PassiveAggressive(C=c, prepare="idf") for c in (0.1, 1.0)]
    found = on_one_machine(paths, learners)
    assert any(row.dropped_at == 8192 for row in found[0])
    same(found, on_a_cluster(paths, learners))


def test_races_of_other_kinds(tmp_path):
    path = tmp_path / "a.svm"
    written(path, 1500, 5, 30)
    learners = [thresher.PassiveAggressive(C=0.1), thresher.AROW(), thresher.NaiveBayes()]
    for more in ({"metric": "auc"}, {"plan": Plan(holdout=7)}, {"keep_all": True},
                 {"plan": Plan(shuffle_buffer=100, seed=3)}):  # fmt: skip
        same(on_one_machine([path], learners, **more), on_a_cluster([path], learners, **more))
    written(path, 1500, 5, 30, numbers=True)
    learners = [thresher.LMS(), thresher.PassiveAggressiveRegressor(C=0.1)]
    same(on_one_machine([path], learners), on_a_cluster([path], learners))


def test_a_learner_that_cannot_use_the_data_leaves_as_on_one_machine(tmp_path):
    path = tmp_path / "a.vw"
    lines = ["+1 | a:1 b:0.5\n", "-1 | c:0.25\n"] * 400
    lines[500] = "+1 | a:3\n"  # not for Winnow
    path.write_text("".join(lines))
    learners = [thresher.PassiveAggressive(), thresher.Winnow(), thresher.Winnow(alpha=1.5)]
    same(on_one_machine([path], learners), on_a_cluster([path], learners))
    with pytest.raises(InvalidInput) as alone:
        on_one_machine([path], learners[1:])
    with pytest.raises((InvalidInput, ClusterError)) as together:
        on_a_cluster([path], learners[1:])
    assert str(alone.value) in str(together.value)


# ------------------------------------------------------------------ the audit of a mixed run


def separable(folder, shards=4, n=80):
    rng = random.Random(5)
    for i in range(shards):
        lines = []
        while len(lines) < n:
            x = {f"f{j}": rng.uniform(-1, 1) for j in rng.sample(range(6), 3)}
            x |= {f"own{i}": rng.uniform(-1, 1)}
            side = sum(v * (1 if name[1] in "024" else -1) for name, v in x.items())
            if abs(side) > 0.4:
                lines.append(f"{'+1' if side > 0 else '-1'} | "
                             + " ".join(f"{k}:{v:.6f}" for k, v in x.items()) + "\n")  # fmt: skip
        (folder / f"{i}.vw").write_text("".join(lines))


@pytest.mark.parametrize("how", ["occurrence", "mean"])
def test_the_audit_of_a_mixed_run(tmp_path, how):
    separable(tmp_path)
    paths = [str(tmp_path / "*.vw")]
    shards = shards_of(paths, ReadingOptions(), None)
    given = lesson("perceptron", ("average=false",), passes=12)
    made = ClusterTraining(Here(), shards, given, how=how).run(lambda _: None)
    found = audit_cluster(made, paths, Here(2))
    (row,) = found.rows
    assert row.theorem == f"mixing by {how}" and row.applies and row.figure <= row.value
    assert row.figure == sum(p["mistakes"] for p in made.provenance_["cluster"]["history"])
    assert "bounds of one run" in found.notes[0]
    # The same as the replay on arrays says, for the same comparator.
    spread = row.bound.quantities["spread"] if how == "occurrence" else 4.0
    assert 1.0 <= spread <= 4.0
    with pytest.raises(InvalidInput, match="the bounds of one run do not apply"):
        thresher.theory.audit.audit_files(made, sorted(tmp_path.glob("*.vw")))
    (tmp_path / "0.vw").write_text("+1 | a\n")
    with pytest.raises(InvalidInput, match="not the shards of this model's run"):
        audit_cluster(made, paths, Here())


def test_an_audit_without_a_separator_says_so(tmp_path):
    separable(tmp_path)
    with open(tmp_path / "3.vw", "a") as file:
        file.write("+1 | f0:1\n-1 | f0:1\n")
    paths = [str(tmp_path / "*.vw")]
    shards = shards_of(paths, ReadingOptions(), None)
    for learner, why in (("perceptron", "y·(u·x) ≥ γ > 0"), ("arow", "AROW steps by each")):
        made = ClusterTraining(Here(), shards, lesson(learner)).run(lambda _: None)
        found = audit_cluster(made, paths, Here())
        assert not found.rows[0].applies and why in " ".join(map(str, found.failing()[0]))
    with pytest.raises(InvalidInput, match="not of a run on a cluster"):
        audit_cluster(thresher.Perceptron().fit_file(tmp_path / "0.vw"), paths, Here())


# ------------------------------------------------------------------ which learner


def test_without_a_learner_the_best_that_can_be_mixed_is_taken(tmp_path):
    written(tmp_path / "0.svm", 3000, 5, 30)
    (shard,) = shards_of([str(tmp_path / "0.svm")], ReadingOptions(), None)
    answer = choose_on_shard(lesson(""), shard, "classify", "", None)
    name, short, settings, error = answer.content
    assert answer.examples == 3000 and error < 0.3
    learner = thresher.learners.table.by_short(short).cls
    made = learner(**thresher.learners.table.parse_settings(learner, settings))
    assert thresher.race.name_of(made) == name
    assert thresher.mixing.unmixable(made) is None
    written(tmp_path / "0.svm", 500, 5, 30, numbers=True)
    (shard,) = shards_of([str(tmp_path / "0.svm")], ReadingOptions(), None)
    _, short, *_ = choose_on_shard(lesson(""), shard, "regress", "", None).content
    assert short in ("lms", "pa-regressor", "rls")
    (tmp_path / "0.svm").write_text("")
    (shard,) = shards_of([str(tmp_path / "0.svm")], ReadingOptions(), None)
    assert "0.svm" in choose_on_shard(lesson(""), shard, "classify", "", None).error


# ------------------------------------------------------------------ doubts


def test_shards_with_other_labels_are_doubted(tmp_path):
    for i in range(3):
        lines = [f"{'+1' if k % 2 or i == 2 else '-1'} | f{k % 7}\n" for k in range(400)]
        (tmp_path / f"{i}.vw").write_text("".join(lines))
    run = ClusterTraining(Here(), shards_of([str(tmp_path / "*.vw")], ReadingOptions(), None),
                          lesson(passes=1))  # fmt: skip
    run.run(lambda _: None)
    few, unlike = run.last.doubts(run.shards)
    assert "3 shards with fewer than 5,000 examples" in few
    assert "is 100 % of shard 2, and 67 % of all" in unlike


# ------------------------------------------------------------------ the commands, on real workers


def test_commands_on_two_workers(tmp_path, scheduler):
    """A run whose shards are watched, its log, its audit, a race, and no learner named."""
    separable(tmp_path, shards=3)
    data, logs = sorted(tmp_path.glob("*.vw")), tmp_path / "logs"
    with Commands() as commands:
        on = ["--cluster", scheduler]
        done = commands.run("train", *data, *on, "-m", tmp_path / "m", "--learner", "perceptron",
                            "--passes", 4, "--log", logs, "-q")  # fmt: skip
        assert done.code == 0, done.err
        (log,) = logs.glob("*.jsonl")
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        assert lines[0]["kind"] == "shards" and len(lines[0]["runners"]) == 3
        assert lines[-1]["state"] == "done" and lines[-1]["examples"] == 4 * 240
        reports = [line for line in lines if line["event"] == "report"]
        assert reports and all(len(line["errors"]) == 3 for line in reports)
        (run,) = runs.listed({}, str(logs))["runs"]
        assert (run["kind"], run["state"], len(run["runners"])) == ("shards", "done", 3)
        shown = runs.read({"logs": [{"id": run["id"]}]}, str(logs))["logs"][run["id"]]
        assert len(shown["standings"]) == 3 and len(shown["points"]) > 4
        done = commands.run("audit", *data, *on, "-m", tmp_path / "m", "--json")
        assert done.code == 0, done.err
        row = json.loads(done.out)["rows"][0]
        assert row["theorem"] == "mixing by occurrence"
        race = ["race", *data, "--grid", "pa:C=0.1,1,10", "--learners", "arow", "--json", "-m"]
        alone, together = (
            commands.run(*race, tmp_path / "1"),
            commands.run(*race, tmp_path / "2", *on, "--log", logs),
        )
        assert together.code == 0, together.err
        (run,) = (one for one in runs.listed({}, str(logs))["runs"] if one["kind"] == "race")
        assert (run["state"], len(run["runners"]), run["examples"]) == ("done", 4, 240)
        shown = runs.read({"logs": [{"id": run["id"]}]}, str(logs))["logs"][run["id"]]
        assert [row["name"] for row in shown["standings"]] == [
            row["name"] for row in json.loads(alone.out)["standings"] if not row["baseline"]
        ]
        last = shown["points"][-1][shown["columns"].index("errors")]
        told = dict(zip(run["runners"], last, strict=True))
        for row in json.loads(alone.out)["standings"]:
            assert row["baseline"] or told[row["name"]] == row["error"]
        assert shown["weights"]["top"]
        first, second = (json.loads(one.out)["standings"] for one in (alone, together))
        for row in (*first, *second):
            del row["rate"]
        assert first == second
        assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
        done = commands.run("train", *data, *on, "-m", tmp_path / "auto")
        assert done.code == 0 and "of the learners that can be mixed" in done.err, done.err
    with pytest.raises(ClusterError):
        on_a_cluster([tmp_path / "bad.vw"] if (tmp_path / "bad.vw").write_text("+1 x y z | a\n")
                     else [], [thresher.Perceptron()])  # fmt: skip
