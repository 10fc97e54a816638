"""What people do wrong with the commands, and what they are told."""

import pytest

import thresher
from commands import run

CLICKS = "clicked,site,ad\n1,news,shoes\n0,blog,cars\n1,news,cars\n0,blog,shoes\n"


def error_of(*arguments, code=1, **options):
    done = run(*arguments, **options)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    return done.stderr


@pytest.fixture
def clicks(tmp_path):
    path = tmp_path / "clicks.csv"
    path.write_text(CLICKS)
    return path


@pytest.fixture
def model(clicks):
    path = clicks.with_name("clicks.model")
    assert run("train", clicks, "--label", "clicked", "-m", path, "-q").returncode == 0
    return path


def test_an_error_of_the_first_line_stands_alone(clicks):
    told = error_of("train", clicks, "--label", "cliked", "-m", clicks.with_name("m"))
    assert told == (
        f"error: {clicks}: there is no column 'cliked'. Did you mean 'clicked'? "
        "There are clicked, site, ad.\n"
    )


@pytest.mark.parametrize("command", ["train", "race"])
def test_a_place_for_the_model_is_looked_for_before_learning(clicks, command):
    nowhere = clicks.with_name("none") / "m"
    told = error_of(command, clicks, "--label", "clicked", "-m", nowhere)
    assert told == f"error: {nowhere}: the folder {nowhere.parent} does not exist; make it first.\n"
    told = error_of(command, clicks, "--label", "clicked", "-m", clicks.parent)
    assert "a folder; expected the name of a file for the model" in told


def test_an_option_in_small_letters(clicks):
    told = error_of(
        "train", clicks, "--label", "clicked", "-m", "m", "--learner", "pa", "--set", "c=0.1"
    )
    assert told.endswith("Did you mean 'C'?\n")


@pytest.mark.parametrize("options", [("-m", "-m", "-q"), ("-qm", "-m"), ("-q", "-m-m")])
def test_what_looks_like_an_option_may_be_a_value_or_a_file(tmp_path, options):
    (tmp_path / "-q").write_text("-q,-m\n1,2\n0,3\n")
    reading = ("--format", "csv", "--label", "-q", "--learner", "pa")
    assert run("train", *options, *reading, "--", "-q", cwd=tmp_path).returncode == 0
    assert thresher.load(tmp_path / "-m").predict_one({"-m": 2.0}) == 1


def test_data_where_a_model_should_be(clicks):
    told = error_of("predict", clicks, "-m", clicks)
    assert told.startswith(f"error: {clicks}: not a model file, or one that was cut short")


def test_no_head_without_answers_that_follow(clicks, model):
    missing = clicks.with_name("missing.csv")
    assert error_of("predict", missing, "-m", model) == (
        f"error: {missing}: No such file or directory\n"
    )
    empty = clicks.with_name("empty.csv")
    empty.write_text("")
    assert run("predict", empty, "-m", model).stdout == "prediction\n"


def test_a_race_tells_a_command_that_works(clicks):
    told = run("race", clicks, "--label", "clicked", "--cross", "site,ad", "--learners", "pa")
    assert told.returncode == 0, told.stderr
    words = told.stderr.split("\n  ")[1].split()
    assert words[0] == "thresher"
    words[words.index("MODEL")] = str(clicks.with_name("m"))
    assert run(*words[1:]).returncode == 0
    assert "site=news*ad=shoes" in run("inspect", clicks.with_name("m")).stdout


def test_recent_is_recent_in_a_run_that_goes_on(tmp_path):
    data, model = tmp_path / "rows.svm", tmp_path / "m"
    data.write_text("1 1:1\n-1 2:1\n" * 64)
    once = ("train", data, "-m", model)
    assert run(*once).stderr.split()[5:9] == ["100.00", "%", "100.00", "%"]
    _, row = run(*once, "--resume", model, "--passes", "2").stderr.splitlines()
    assert row.split()[:5] == ["0.78", "%", "0.00", "%", "256"]  # both mistakes were in the first


def test_texts_of_a_parquet_file_are_labels_and_names(clicks):
    table = clicks.with_name("clicks.parquet")
    text = CLICKS.replace("1,", "yes,").replace("0,", "no,")
    clicks.write_text(text)
    assert run("convert", clicks, table, "--label", "clicked").returncode == 0
    answers = {}
    for data, label in ((clicks, "clicked"), (table, "label")):
        model = data.with_suffix(".model")
        done = run("train", data, "--label", label, "-m", model, "-q", "--cross", "site,ad")
        assert done.returncode == 0, done.stderr
        answers[data] = run("predict", data, "--label", label, "-m", model, "--scores").stdout
    assert answers[clicks] == answers[table]
    assert answers[clicks].startswith("prediction,score\nyes,")


def test_a_model_knows_its_label_and_weight(clicks):
    """With hashing every name has a weight: a label taken for a feature would change the scores."""
    model, bare = clicks.with_name("m"), clicks.with_name("bare.csv")
    clicks.write_text(CLICKS.replace("ad\n", "ad,sure\n").replace("s\n", "s,2\n"))
    rows = [line.split(",")[1:3] for line in clicks.read_text().splitlines()]
    bare.write_text("".join(",".join(row) + "\n" for row in rows))
    learn = ("train", clicks, "-m", model, "-q", "--hash-bits", "1")
    assert run(*learn, "--label", "clicked", "--weight", "sure").returncode == 0
    scores = run("predict", clicks, "-m", model, "--scores").stdout
    assert scores == run("predict", bare, "-m", model, "--scores").stdout
    assert run("evaluate", clicks, "-m", model).stdout.startswith(
        f"{model} on {clicks}: 4 examples, weight 8\n"
    )
    renamed = clicks.with_name("renamed.csv")
    renamed.write_text(clicks.read_text().replace("clicked", "label").replace("sure", "price"))
    assert "4 examples\n" in run("evaluate", renamed, "-m", model).stdout
    assert "which column is the label?" in error_of("evaluate", bare, "-m", model)
    assert run("train", clicks, "-m", model, "-q", "--resume", model, "--passes", "2").stderr == ""


def test_columns_without_names_stay_so(tmp_path):
    data, model = tmp_path / "words.csv", tmp_path / "m"
    data.write_text("yes,red\nno,blue\nyes,green\n")
    assert run("train", data, "--label", "1", "-m", model, "-q").returncode == 0
    assert run("predict", data, "-m", model).stdout.count("\n") == 4


@pytest.mark.parametrize(
    ("text", "options", "examples"),
    [
        ("label,0,1\n1,1,0\n0,0,1\n", {}, 2),  # columns that are numbers, as of pixels
        ("0,1,kind\n1,1,a\n0,1,b\n", {"label": "kind"}, 2),
        ("y,0,1\nn,1,0\ny,0,1\n", {"label": "1"}, 3),  # yes and no
        ("y,0,1\nn,1,0\ny,0,1\n", {}, 3),
        ("y,0.5,1\nn,1,0\nn,0,1\n", {"label": "1"}, 3),
        ("5,1,2\n6,2,1\n", {"label": "1"}, 2),
        ("kind,0,1\na,1,0\n", {"label": "kind"}, 1),
        ("kind,color\na,red\nb,blue\n", {"label": "kind"}, 2),
        ("a,red\nb,blue\na,green\n", {"label": "1"}, 3),
        ("kind,color\na,red\nb,blue\n", {}, 2),
    ],
)
def test_headers_are_recognised(tmp_path, text, options, examples):
    data = tmp_path / "rows.csv"
    data.write_text(text)
    with thresher.read(data, labels="optional", **options) as reader:
        assert sum(len(batch) for batch in reader) == examples


@pytest.mark.parametrize("shuffle", [0, 2])
def test_nothing_behind_a_bad_line_is_learned(tmp_path, shuffle):
    """Also if nothing comes before it."""
    data, model = tmp_path / "rows.svm", tmp_path / "m"
    data.write_text("1 2:x\n-1 3:1\n1 1:1\n")
    told = error_of("train", data, "-m", model, "--shuffle-buffer", shuffle)
    assert told.startswith(f"error: {data}, line 1, column 5: found 'x' as a value")
    assert "learned" not in told
    assert not model.exists()


def test_what_comes_before_a_bad_line_is_learned(tmp_path):
    data, model = tmp_path / "rows.svm", tmp_path / "m"
    data.write_text("1 2:1\n-1 3:x\n1 1:1\n")
    assert "What came before it (1 example) is learned" in error_of("train", data, "-m", model)
    assert thresher.load(model).examples_ == 1


def test_a_column_that_is_not_there_cannot_be_crossed(clicks):
    learn = ("train", clicks, "--label", "clicked", "-m", clicks.with_name("m"))
    told = error_of(*learn, "--cross", "site,add")
    assert "there is no column 'add'. Did you mean 'ad'?" in told
    assert "--cross color,size" in error_of(*learn, "--cross", "site")
    clicks.write_text("label,size^area,size^rooms,where\na,1,2,oslo\nb,2,1,rome\n")
    assert (
        run("train", clicks, "--cross", "size,where", "-m", clicks.with_name("m")).returncode == 0
    )


def test_many_numbers_as_classes_are_doubted(tmp_path):
    data, model = tmp_path / "rows.svm", tmp_path / "m"
    data.write_text("".join(f"{i} {i % 7}:1\n" for i in range(51)))
    told = run("train", data, "-m", model, "--task", "classify")
    assert told.returncode == 0 and "learned as a class of its own" in told.stderr
    data.write_text("".join(f"{i % 50} {i % 7}:1\n" for i in range(51)))
    assert "of its own" not in run("train", data, "-m", model).stderr
    data.write_text("".join(f"{i} {i % 7}:1\n" for i in range(51)))
    assert "numbers" not in run("train", data, "-m", model, "--learner", "lms").stderr


def test_a_bad_first_line_has_no_head_of_answers(clicks, model):
    clicks.write_text("site,ad\nnews\nblog,cars\nnews,cars\n")
    assert "found 1 field; expected 2" in error_of("predict", clicks, "-m", model)


def test_options_of_vowpal_wabbit(clicks):
    told = error_of("train", "-d", clicks, "-f", "m", code=2)
    assert "No such option '-d'. Instead of Vowpal Wabbit's -d: only the names" in told
    told = error_of("train", clicks, "-m", "m", "--loss_function", "hinge", code=2)
    assert "--learner logistic, pa (hinge)" in told
