"""The API, through a real server: every route, what it refuses and with which status."""

import http.client
import json
import math
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click import UsageError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import thresher
from serve.processes import Served, served
from thresher.cli import thresher as commands
from thresher.client import Client, NoAnswer, ServerError
from thresher.errors import InvalidInput, ThresherError
from thresher.serve.log import Log


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    folder = tempfile.mkdtemp()
    with served(Path(folder), "--sync", "no") as running:
        yield running
    shutil.rmtree(folder)


@pytest.fixture
def client(server: Served) -> Iterator[Client]:
    with Client(server.url, retries=0) as one:
        yield one


def ask(
    server: Served, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], Any]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, named)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    told = json.loads(content) if "json" in (answer.headers["content-type"] or "") else content
    return answer.status, dict(answer.headers), told


def test_a_model_from_its_creation_to_its_end(client: Client, tmp_path: Path) -> None:
    made = client.create("a", learner="arow", label="y", settings={"r": 0.5})
    assert (made["learner"], made["settings"], made["events"]) == ("arow", {"r": 0.5}, 0)
    assert client.create("a", learner="arow", label="y", settings={"r": 0.5})["name"] == "a"
    assert client.predict("a", {"x": 1})["prediction"] is None
    first = client.learn("a", {"x": 1, "y": "no"})
    second = client.learn("a", [{"x": -1, "y": "yes"}, {"x": -2, "y": "yes"}])
    assert (first.learned, second.learned) == (1, 2) and second.seq > first.seq
    told = client.predict("a", {"x": 3}, scores=True, explain=True)
    assert told["prediction"] == "no" and told["score"] < 0 and told["seq"] == second.seq
    assert sum(told["explanation"].values()) == pytest.approx(told["score"])
    assert client.predict_many("a", [{"x": 3}, {"x": -3}]) == ["no", "yes"]
    partly = client.learn("a", '{"x": 1, "y": "no"}\n{"x": 1}\n{"x": 2, "y": "no"}')
    assert partly.learned == 2
    assert [(r["line"], "label" in r["problem"]) for r in partly.refused] == [(2, True)]
    before = client.learn("a", [{"x": 9, "y": "no"}, {"x": -9, "y": "yes"}], predictions=True)
    assert before.predictions == ["no", "yes"]

    seq = client.snapshot("a")
    assert client.snapshots("a") == [seq]
    client.learn("a", {"x": 5, "y": "yes"})
    for at in (seq, first.seq):
        client.download("a", at, tmp_path / "one.model")
        assert thresher.load(tmp_path / "one.model").examples_ == (7 if at == seq else 1)
    client.roll_back("a", first.seq)
    assert client.model("a")["events"] == 1
    client.learn("a", {"x": -1, "y": "yes"})
    assert client.model("a")["events"] == 2
    client.delete("a")
    with pytest.raises(ServerError, match="404: no model 'a'"):
        client.model("a")


def test_a_missing_value_in_python_is_one_over_http(client: Client) -> None:
    client.create("nan", label="y")
    assert client.learn("nan", {"x": 1, "z": math.nan, "y": "a"}).learned == 1
    assert client.learn("nan", [{"x": math.nan, "y": "b"}, {"x": 2, "y": "a"}]).learned == 2
    assert client.predict("nan", {"x": 2, "z": math.nan})["prediction"] == "a"
    with pytest.raises(ValueError, match=r"'z': inf.*expected finite numbers"):
        client.learn("nan", {"z": math.inf, "y": "a"})
    with pytest.raises(ValueError, match=r"'z': inf.*expected finite numbers"):
        client.predict("nan", {"z": math.inf})
    with pytest.raises(InvalidInput, match=r"found \[1, 2\] as an event; expected a dict"):
        client.predict("nan", [1, 2])  # type: ignore[arg-type]


def test_a_committee(client: Client) -> None:
    """The default; what one learner can do and it cannot is said."""
    assert client.create("all", label="y")["learner"] == "experts"
    for i in range(20):
        client.learn("all", {"x": i % 5 - 2, "y": "up" if i % 5 > 2 else "down"})
    assert client.predict("all", {"x": 2}, scores=True)["prediction"] == "up"
    with pytest.raises(ServerError, match=r"422: experts has no weights of its own"):
        client.predict("all", {"x": 2}, explain=True)
    with pytest.raises(ServerError, match=r"422: this model has no probabilities"):
        client.predict("all", {"x": 2}, probabilities=True)
    with pytest.raises(ServerError, match=r"422: learner is 'auto'"):
        client.create("auto", learner="auto", label="y")


def test_a_race(client: Client) -> None:
    client.create("r", learner="perceptron", label="y")
    for i in range(30):
        client.learn("r", {"x": (-1) ** i * 1.0, "z": i, "y": i % 2})
    rows = client.race("r", {"lr": {"learner": "logistic"}, "pa": {"learner": "pa"}})
    assert {row["name"] for row in rows} == {None, "lr", "pa"}
    assert {row["examples"] for row in rows} == {30}
    client.learn("r", {"x": 1.0, "y": 0})
    assert {row["examples"] for row in client.standings("r")} == {31}
    with pytest.raises(ServerError, match="409"):
        client.race("r", {"lr": {"learner": "logistic"}})
    with pytest.raises(ServerError, match="404"):
        client.promote("r", "nobody")
    assert client.promote("r", "pa")["learner"] == "pa"
    with pytest.raises(ServerError, match="404"):
        client.end_race("r")
    with pytest.raises(ServerError, match=r"422: .* predicts something else"):
        client.race("r", {"lms": {"learner": "lms"}})
    client.race("r", {"lr": {"learner": "logistic"}})
    client.end_race("r")


def test_labels_that_come_later(client: Client) -> None:
    client.create("late", label="y", id="id", keep_most=2)
    client.learn("late", [{"x": 1, "y": "a"}, {"x": -1, "y": "b"}])
    assert client.predict("late", {"x": 2, "id": "one"})["prediction"] == "a"
    told = client.label("late", "one", "a")
    assert (told.learned, told.prediction) == (1, "a")
    with pytest.raises(ServerError, match=r"409: .* has its label already"):
        client.label("late", "one", "a")
    with pytest.raises(ServerError, match=r"409: .* has its label already"):
        client.predict("late", {"x": 2, "id": "one"})
    with pytest.raises(ServerError, match="404: no prediction with the id 'two'"):
        client.label("late", "two", "a")
    for name in ("p", "q", "r"):
        client.predict("late", {"x": 1}, id=name)
    with pytest.raises(ServerError, match="410"):
        client.label("late", "p", "a")
    with pytest.raises(ServerError, match="422: the id 'q' was used with another event"):
        client.predict("late", {"x": 5}, id="q")
    with pytest.raises(ServerError, match="422"):
        client.label("late", "q", {"no": "label"})
    assert (
        client.label("late", "q", "b", key="k").seq == client.label("late", "q", "b", key="k").seq
    )
    events = client.model("late")["events"]
    assert events == 4
    metrics = client._once("GET", "/metrics", b"", {})[1].decode()
    assert 'thresher_late_labels_total{model="late"} 2' in metrics
    assert 'thresher_kept_predictions{model="late"} 1' in metrics


def test_a_label_that_is_refused_may_come_again(client: Client) -> None:
    client.create("again", label="y")
    client.learn("again", [{"x": 1, "y": "a"}, {"x": -1, "y": "b"}])
    client.predict("again", {"x": 2}, id="one")
    with pytest.raises(ServerError, match="422: labels of mixed type"):
        client.label("again", "one", 3)
    assert client.model("again")["late_labels"] == 0
    assert client.label("again", "one", "a").learned == 1
    client.predict("again", {"y": None, "x": 2}, id="two")  # its label is yet to come
    assert client.label("again", "two", "a").learned == 1


@pytest.mark.parametrize(
    ("form", "learned", "asked", "bad"),
    [
        ("vw", ["1 | a", "-1 | b"], ["| a", "1 0.5 'tag| a"],
         ["", " ", "1 2", "1 | c", "1\n1", "'1", None, [1], {}, "\ud800"]),
        ("svmlight", ["1 1:1", "-1 2:1"], ["1:1", "0 1:1 # 3:4"],
         ["", "1\n1", "1 3:1", "1 #", "3:1", None, [1], "\ud800"]),
        ("bag", ["1\tbuy now", "-1\thello"], ["buy now", "?\tbuy now"],
         ["", "1\tmore", "1\n1", None, [1], "\ud800"]),
    ],
)  # fmt: skip
def test_labels_that_come_later_for_lines_that_are_no_json(
    server: Served, client: Client, form: str, learned: list[str], asked: list[str], bad: list[Any]
) -> None:
    """A label is a label: no second event, no feature, and not nothing."""
    name = f"late-{form}"
    client.create(name, learner="pa", format=form)
    client.learn(name, "\n".join(learned))
    for i, line in enumerate(asked):
        assert ask(server, "POST", f"/v1/models/{name}/predict?id=k{i}", line.encode())[0] == 200
        for label in bad:
            with pytest.raises(ServerError, match="422"):
                client.label(name, f"k{i}", label)
        assert client.label(name, f"k{i}", -1).learned == 1
    model = client.model(name)
    assert model["events"] == model["examples"] == len(learned) + len(asked)
    assert model["features"] == (2 if form != "bag" else 3)


def test_nothing_is_learned_twice(client: Client) -> None:
    client.create("once", label="y", id="id")
    first = client.learn("once", {"x": 1, "y": 1}, key="k1")
    again = client.learn("once", {"x": 1, "y": 1}, key="k1")
    assert again.repeated and again.seq == first.seq
    with pytest.raises(ServerError, match="422: the key 'k1' was used with another body"):
        client.learn("once", {"x": 2, "y": 1}, key="k1")
    for _ in range(2):
        with pytest.raises(ServerError, match="422: labels of mixed type"):
            client.learn("once", {"x": 1, "y": "text"}, key="k2")
    events = [{"id": i, "x": i, "y": i % 2} for i in range(3)]
    assert client.learn("once", events).learned == 3
    assert client.learn("once", [*events, {"id": 9, "x": 1, "y": 0}]).learned == 1
    assert client.learn("once", events).repeated
    with pytest.raises(ServerError, match="422: line 1: a second 'id'; expected one"):
        client.learn("once", '{"id": "r", "x": 1, "id": "s", "y": 1}')
    with pytest.raises(ServerError, match="422: the id '1' was used with another event"):
        client.learn("once", {"id": 1, "x": 7, "y": 1})
    assert client.model("once")["events"] == 5
    told = client.learn("once", '{"id": "p", "x": 1, "y": 1}\n{"id": "q", "x": "no label"}')
    assert told.learned == 1
    told = client.learn("once", [{"id": "p", "x": 1, "y": 1}, {"id": "q", "x": 1, "y": 0}])
    assert told.learned == 1  # q was refused, so it may come again, and p may not
    assert client.model("once")["events"] == 7
    assert client.model("once")["features"] == 1  # an id is no feature


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "says"),
    [
        ("PUT", "/v1/models/x", b"{", 422, "not JSON"),
        ("PUT", "/v1/models/x", b"[]", 422, "expected a JSON object"),
        ("PUT", "/v1/models/x", b"{}", 422, "label is missing"),
        ("PUT", "/v1/models/x", b'{"label": "y", "learner": "arrow"}', 422, "no learner 'arrow'"),
        ("PUT", "/v1/models/x", b'{"label": "y", "lerner": "pa"}', 422, "unknown entry 'lerner'"),
        ("PUT", "/v1/models/x", b'{"label": "y", "settings": {"C": -1}}', 422, "C"),
        ("PUT", "/v1/models/x", b'{"label": "y", "settings": {"c": 1}}', 422, "no option 'c'"),
        ("PUT", "/v1/models/x", b'{"label": "y", "learner": "halving"}', 422, "settings"),
        ("PUT", "/v1/models/x", b'{"format": "csv"}', 422, "format is 'csv'"),
        ("PUT", "/v1/models/..", b'{"label": "y"}', 422, "the name"),
        ("GET", "/v1/models/x", None, 404, "no model 'x'"),
        ("POST", "/v1/models/x/learn", b"{}", 404, "no model 'x'"),
        ("POST", "/v1/models/bad/learn", b"", 422, "no event"),
        ("POST", "/v1/models/bad/learn?id=x", b"", 422, "1 ids for 0 events"),
        ("POST", "/v1/models/bad/learn?id=", b'{"x": 1, "y": 1}', 422, 'the id is ""; expected'),
        ("PUT", "/v1/models/x", b"", 422, "an empty body"),
        ("PUT", "/v1/models/x", b'{"label": "y", "label": "z"}', 422, "'label' is there twice"),
        ("POST", "/v1/models/bad/learn", b'{"x": 1}', 422, "label"),
        ("POST", "/v1/models/bad/learn", b'{"x": 1, "y": {}}', 422, "label"),
        ("POST", "/v1/models/bad/learn", b"\xff\xfe", 422, "found"),
        ("POST", "/v1/models/bad/predict", b"[1]", 422, "expected a JSON object"),
        ("POST", "/v1/models/bad/predict?min_seq=999999", b"{}", 412, "before 999,999"),
        ("POST", "/v1/models/bad/predict?min_seq=x", b"{}", 422, "min_seq"),
        ("POST", "/v1/models/bad/predict?probabilities=1", b'{"x": 1}', 422, "calibrate"),
        ("POST", "/v1/models/bad/predict?scores=maybe", b"{}", 422, "expected 0 or 1"),
        ("POST", "/v1/models/bad/label", b"{}", 422, "expected an object"),
        ("POST", "/v1/models/bad/label", b'{"id": [], "label": 1}', 422, "the id is []"),
        ("POST", "/v1/models/bad/rollback", b'{"seq": 999999}', 422, "seq is 999,999"),
        ("POST", "/v1/models/bad/rollback", b'{"seq": "1"}', 422, "expected an object"),
        ("GET", "/v1/models/bad/snapshots/0", None, 422, "seq is 0"),
        ("GET", "/v1/models/bad/snapshots/..%2f..%2flock", None, 404, "address"),
        ("DELETE", "/v1/models/bad/snapshots/1", None, 404, "no snapshot"),
        ("PUT", "/v1/models/bad/race", b'{"challengers": {}}', 422, "challengers"),
        ("PUT", "/v1/models/bad/race", b'{"challengers": {"a": {"learner": 3}}}', 422, "learner"),
        ("POST", "/v1/models/empty/snapshots", b"", 409, "nothing yet"),
        ("PATCH", "/v1/models/bad", None, 405, "PUT"),
        ("GET", "/v1/models/bad/learn", None, 405, "this address takes POST, not GET."),
        ("POST", "/v1/models/bad/learn", b'{"x": 1}', 422, "expected it under the key 'y'"),
        ("POST", "/v1/models/bad/learn", b'{"x": "\xf6"}', 422, "expected UTF-8 text."),
        ("GET", "/nowhere", None, 404, "openapi.json lists all"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_says_why(
    server: Served,
    client: Client,
    method: str,
    path: str,
    body: bytes | None,
    status: int,
    says: str,
) -> None:
    client.create("bad", label="y")
    client.create("empty", label="y")
    client.learn("bad", {"x": 1, "y": 0})
    found, _, told = ask(server, method, path, body)
    assert (found, says in told["error"]) == (status, True), (found, told)


ROUTES = ["", "/learn", "/predict", "/label", "/snapshots", "/snapshots/3", "/rollback", "/race",
          "/race/promote"]  # fmt: skip
QUERIES = ["", "id=a", "id=a&predictions=1", "min_seq=0", "scores=1&probabilities=1", "explain=1",
           "id=", "scores=%ff", "id=%00"]  # fmt: skip
TEXTS = st.one_of(
    st.binary(max_size=40),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["x", "y", "id", "seq", "label", "learner", "challengers", "name"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=8,
    ).map(lambda value: json.dumps(value).encode()),
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    method=st.sampled_from(["POST", "POST", "PUT", "GET"]),
    route=st.sampled_from(ROUTES),
    query=st.sampled_from(QUERIES),
    body=TEXTS,
    kind=st.sampled_from(["application/json", "application/x-ndjson", "text/plain"]),
    key=st.sampled_from(["", "k", "l"]),
)
def test_no_request_is_a_server_error(
    server: Served, method: str, route: str, query: str, body: bytes, kind: str, key: str
) -> None:
    """A brief form of `python tests/serve/long.py schema`."""
    Client(server.url, retries=0).create("fuzz", label="y", id="id")
    headers = {"Content_Type": kind} | ({"Idempotency_Key": key} if key else {})
    status, _, _ = ask(server, method, f"/v1/models/fuzz{route}?{query}", body, **headers)
    assert status < 500


def test_limits(server: Served, client: Client) -> None:
    client.create("limits", label="y")
    status, _, told = ask(server, "POST", "/v1/models/limits/learn", b"x" * (9 << 20))
    assert status == 413 and "at most 8,388,608 bytes" in told["error"]
    long = json.dumps({"x": "a" * (1 << 20), "y": 1}).encode()
    status, _, told = ask(server, "POST", "/v1/models/limits/learn", long)
    assert status == 413 and "event is too large" in told["error"]
    chunks = (b"y" * (1 << 20) for _ in range(10))  # without a length
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("POST", "/v1/models/limits/learn", chunks, encode_chunked=True,
                       headers={"Transfer-Encoding": "chunked"})  # fmt: skip
    assert connection.getresponse().status == 413
    connection.close()
    status, _, told = ask(server, "POST", "/v1/models/limits/learn", b"{}", Content_Encoding="gzip")
    assert status == 415
    assert client.learn("limits", {"x": 1, "y": 1}).learned == 1


def test_no_page_of_another_site_gets_in(server: Served) -> None:
    assert ask(server, "GET", "/v1/models", None, Origin="http://evil.example")[0] == 403
    assert ask(server, "GET", "/v1/models", None, Host="evil.example")[0] == 403
    assert ask(server, "GET", "/v1/models", None, Origin=server.url)[0] == 200


def test_page_health_metrics_and_description(server: Served, client: Client) -> None:
    client.create("shown", label="y")
    client.learn("shown", {"x": 1, "y": 1})
    assert ask(server, "GET", "/health/live")[0] == 200
    assert ask(server, "GET", "/health/ready")[2] == b"ready\n"
    status, headers, page = ask(server, "GET", "/")
    assert status == 200 and "default-src 'none'" in headers["content-security-policy"]
    assert b"Thresher" in page
    metrics = ask(server, "GET", "/metrics")[2].decode()
    assert 'thresher_events_learned_total{model="shown"} 1' in metrics
    assert "thresher_durable_seq" in metrics and 'y="' not in metrics
    assert set(ask(server, "GET", "/openapi.json")[2]["paths"]) >= {"/v1/models/{model}/learn"}


@pytest.mark.parametrize("sync", ["always", "no"])
def test_keys_that_are_probably_not_meant_so_are_said(tmp_path: Path, sync: str) -> None:
    """As train and consume say it, with what to create the model with."""
    events = [{"id": f"e{i}", "ts": 1_700_000_000 + 30 * i, "x": i % 7, "y": i % 2,
               "day": f"2024-05-{i % 28 + 1:02}"} for i in range(600)]  # fmt: skip
    with served(tmp_path, "--sync", sync) as server, Client(server.url) as client:
        client.create("raw", label="y", learner="pa")
        client.create("told", label="y", learner="pa", ignore=["id", "ts"], date=["day"])
        client.create("few", label="y", learner="pa")
        client.learn("few", events[:100])
        for event in events[:20]:
            client.learn("raw", event)
        for name in ("raw", "told"):
            client.learn(name, events[20:300])
            client.learn(name, events[300:])
        _, said = server.stop()
    told = [line for line in said.splitlines() if "warning" in line]
    assert all(line.startswith("warning: raw: the column '") for line in told)
    advice = sorted(line.rpartition("create the model with ")[2] for line in told)
    assert advice == ['"date": ["day"].', '"ignore": ["id"].', '"ignore": ["ts"].']


def test_nested_events_are_explained(client: Client) -> None:
    """They are predicted, and so they can be explained: to the same score."""
    client.create("deep", learner="logistic", label="meta.y", date=["user.born"], text=["words"],
                  cross=[["user.city", "hour"]])  # fmt: skip
    event = {
        "user": {"city": "Rome", "tags": ["a", "b"], "born": "1999-05-17", "age": None},
        "hour": 7, "sizes": [1, 2.5], "words": ["see you", "soon"],
    }  # fmt: skip
    for i in range(6):
        client.learn("deep", {**event, "hour": i, "meta": {"y": i % 2}})
    told = client.predict("deep", {**event, "meta": {"y": 1}}, scores=True, explain=True)
    assert sum(told["explanation"].values()) == pytest.approx(told["score"])
    names = {"user.city=Rome", "user.tags=a", "user.born.month=5", "sizes.1", "words=soon"}
    assert names < set(told["explanation"]) and not any("meta" in n for n in told["explanation"])


def test_a_kept_prediction_is_told_like_any_other(server: Served, client: Client) -> None:
    client.create("more", learner="pa", label="y", settings={"calibrate": True})
    client.learn("more", [{"x": i % 3 - 1.5, "y": i % 2} for i in range(20)])
    more = {"scores": True, "probabilities": True, "explain": True}
    for wanted in ({}, more, {"scores": True}, {"explain": True, "min_seq": 1}):
        usual, kept = (client.predict("more", {"x": 2}, id=one, **wanted) for one in (None, "a"))
        assert len(usual) == 2 + len(wanted.keys() - {"min_seq"}) and kept == usual
    client.create("plain", learner="pa", label="y", id="order")
    client.learn("plain", {"x": 1, "y": 0})
    with pytest.raises(ServerError, match="422: this model has no probabilities"):
        client.predict("plain", {"x": 1}, id="b", probabilities=True)
    with pytest.raises(ServerError, match="404"):
        client.label("plain", "b", 1)  # what was refused is not kept
    told = client.predict("plain", {"x": 1, "order": "c"}, explain=True)
    assert "order" not in told["explanation"]
    body = b'{"x": 1, "order": "d"}\n{"x": 2, "order": "e"}'
    path = "/v1/models/plain/predict?explain=1"
    assert ask(server, "POST", path, body, Content_Type="application/x-ndjson")[0] == 422


def test_a_late_label_that_is_true(server: Served, client: Client) -> None:
    """true of JSON and what files call true are the same label."""
    client.create("truth", learner="pa", label="y")
    client.learn("truth", [{"x": 1, "y": True}, {"x": -1, "y": False}])
    assert client.predict("truth", {"x": 2}, id="right")["prediction"] == "true"
    client.label("truth", "right", True)
    client.predict("truth", {"x": 2}, id="wrong")
    client.label("truth", "wrong", False)
    metrics = ask(server, "GET", "/metrics")[2].decode()
    assert 'thresher_late_loss_total{model="truth"} 1.0' in metrics


def test_events_of_which_the_model_knows_nothing(tmp_path: Path) -> None:
    """As `thresher predict` says; here once for each model, however many come."""
    for quiet in ((), ("--quiet",)):
        with served(tmp_path / f"s{len(quiet)}", "--sync", "no", *quiet) as server:
            client = Client(server.url)
            for name in ("renamed", "right", "empty"):
                client.create(name, learner="pa", label="y")
                client.learn(name, [{"amount": 1, "y": "a"}, {"amount": -1, "y": "b"}])
            client.predict("renamed", {"amount": 2})
            client.predict("renamed", {"Betrag": 2}, id="kept")
            for _ in range(3):
                client.predict_many("renamed", [{"Betrag": 2}] * 50)
            client.predict_many("right", [{"Betrag": 2}] * 99)
            client.predict_many("right", [{"Betrag": 2}, {"amount": 2}] * 99)
            client.predict_many("empty", [{}] * 200)
            metrics = ask(server, "GET", "/metrics")[2].decode()
            client.close()
            _, said = server.stop()
        assert 'thresher_events_unknown_total{model="renamed"} 151' in metrics
        assert 'thresher_events_unknown_total{model="right"} 198' in metrics
        said = "\n".join(line for line in said.splitlines() if "warning" in line)
        assert said == ("" if quiet else (
            "warning: renamed: the model knows no feature of the last 151 events that it was asked "
            "about, such as Betrag. All get the same prediction. Are these the events that it was "
            "made for?"
        ))  # fmt: skip


POST = b"POST /v1/models/http/learn HTTP/1.1\r\nHost: 127.0.0.1\r\n"
EVENT = b'Content-Length: 15\r\n\r\n{"x":1,"y":"a"}'


@pytest.mark.parametrize(
    ("sent", "statuses"),
    [
        (b"\x00" * 100, [400]),
        (b"GET / HTTP/9.9\r\n\r\n", [400]),
        (POST + b"Content-Length: -1\r\n\r\n", [400]),
        (POST + b"Content-Length: 99999999999999999999\r\n\r\n", [400]),
        (POST + b"Content-Length: 3\r\n" + EVENT, [400]),  # two lengths
        (POST + b"Transfer-Encoding: chunked\r\n" + EVENT, [400]),  # a length and none
        (POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", [400]),
        (POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", [415]),
        (POST + b"Host: localhost\r\n" + EVENT, [400]),
        (POST + b"Connection: upgrade\r\nUpgrade: h2c\r\n" + EVENT, [400]),
        (POST + b"X: " + b"x" * 70_000 + b"\r\n" + EVENT, [431]),
        (b"POST /" + b"x" * 9_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", [414]),
        (POST.replace(b"127.0.0.1", b"evil.example") + EVENT, [403]),
        (POST + b"Content-Length: 50\r\n\r\nx", []),  # the rest never comes
        (3 * (POST + EVENT), [200, 200, 200]),
        (POST + EVENT + b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n", [200, 200]),
        (POST + b"Expect: 100-continue\r\n" + EVENT, [100, 200]),
        (POST.replace(b"1.1", b"1.0") + EVENT, [200]),
        (POST.replace(b"learn", b"learn?prediction=1") + EVENT, [422]),
        (POST.replace(b"POST", b"GET") + EVENT, [405]),
    ],
)
def test_raw_http(server: Served, client: Client, sent: bytes, statuses: list[int]) -> None:
    """Whatever comes gets its status, and the server stays."""
    client.create("http", learner="arow", label="y")
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as raw:
        raw.sendall(sent)
        raw.shutdown(socket.SHUT_WR)  # and still waits for answers
        answer = b""
        while part := raw.recv(1 << 16):
            answer += part
    assert [int(found) for found in re.findall(rb"HTTP/1\.1 (\d+) ", answer)] == statuses
    assert client.is_ready()


def test_a_token(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    with served(tmp_path / "dir", "--token-file", str(tmp_path / "token")) as server:
        assert ask(server, "GET", "/health/live")[0] == 200
        for wrong in ({}, {"Authorization": "Bearer other"}):
            status, headers, _ = ask(server, "GET", "/v1/models", None, **wrong)
            assert (status, headers["www-authenticate"]) == (401, "Bearer")
        with pytest.raises(ServerError, match="401"):
            Client(server.url).models()
        assert Client(server.url, token="secret").models() == []


def test_what_the_command_refuses(tmp_path: Path, server: Served) -> None:
    def refused(*words: str) -> str:
        with pytest.raises((ThresherError, UsageError)) as caught:
            commands.main(["serve", *words], standalone_mode=False)
        return str(caught.value)

    assert "give them a token" in refused(str(tmp_path), "--host", "0.0.0.0")
    assert "cannot listen" in refused(str(tmp_path), "--port", str(server.port))
    log = Log(tmp_path / "log")
    assert "another process has this folder" in refused(str(tmp_path))
    log.close()
    (path,) = (tmp_path / "log").glob("*.log")
    path.write_bytes(b"\x00" + path.read_bytes()[1:])
    assert f"{path}: byte 0: found no header of a segment" in refused(str(tmp_path))


def test_a_polite_end(tmp_path: Path) -> None:
    """SIGTERM: exit 0, and a checkpoint of all that was learned."""
    with served(tmp_path) as server:
        Client(server.url).create("m", label="y")
        seq = Client(server.url).learn("m", {"x": 1, "y": 1}).seq
        assert server.stop()[0] == 0
    assert thresher.load(tmp_path / f"models/1/{seq:020}.0.model").examples_ == 1


def test_a_client_without_a_server() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(NoAnswer, match=r"no answer from 127\.0\.0\.1"):
        Client(f"http://127.0.0.1:{port}", retries=1).models()
