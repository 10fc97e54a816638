"""The server of the lab from outside, without a browser: who gets in, and what it survives."""

import contextlib
import http.client
import json
import signal
import socket
import subprocess
import sys
import time

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from labs import command, started
from thresher.lab.page.files import served
from thresher.lab.serving.server import MOST_BYTES, MOST_PAGES, POLICY
from waiting import wait_until

RUN = {"points": [[0.5, 0.5, 1], [-0.5, 0, -1]], "panels": [{"learner": "perceptron"}]}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    (folder / "secret.txt").write_text("outside of the logs")
    (folder / "logs").mkdir()
    with started(command("--port", "0", "--logs", str(folder / "logs"))) as running:
        yield running
        assert running.process.poll() is None, "the server has ended"
        assert "Traceback" not in running.stderr(), running.stderr()


def get(lab, path, method="GET", **headers):
    line = http.client.HTTPConnection("127.0.0.1", lab.port, timeout=60)
    with contextlib.closing(line):
        line.putrequest(method, path, skip_host="host" in headers)
        for name, value in headers.items():
            line.putheader(name, value)
        line.endheaders()
        answer = line.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()


def talk(lab, path=None, origin="ours", **options):
    address = f"ws://127.0.0.1:{lab.port}/{lab.token if path is None else path}/ask"
    options.setdefault("max_size", None)
    return connect(address, origin=lab.origin if origin == "ours" else origin, **options)


def ask(ws, question, about=None, number=1):
    ws.send(json.dumps({"id": number, "ask": question, "with": about}))
    return json.loads(ws.recv(timeout=60))


def alive(lab):
    with talk(lab) as ws:
        answer = ask(ws, "plane.run", RUN)["answer"]
    return [sum(panel["mistake"]) for panel in answer["panels"]] == [2]


# -- the page


def test_every_file_is_served_with_a_strict_policy(lab):
    for name in ["", *served()]:
        status, headers, body = get(lab, f"/{lab.token}/{name}")
        assert status == 200
        assert body == served()[name or "page/index.html"]
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"  # the token stays here


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere():
    assert "unsafe" not in POLICY
    assert "default-src 'none'" in POLICY
    assert "http" not in POLICY
    assert "*" not in POLICY


def test_the_address_without_its_last_slash_leads_to_the_page(lab):
    status, headers, _ = get(lab, f"/{lab.token}")
    assert status in (307, 308)
    assert headers["location"].endswith(f"/{lab.token}/")


WRONG_TOKENS = ["wrong", "%00", "%C3%A9", "%E2%82%AC" * 50, "..", "a" * 5000]


@pytest.mark.parametrize("token", WRONG_TOKENS)
@pytest.mark.parametrize("name", ["", "page/index.html", "page/lab.js"])
def test_a_wrong_token_sees_nothing(lab, token, name):
    status, _, body = get(lab, f"/{token}/{name}")
    assert status in (403, 404)
    assert b"<script" not in body
    assert b"import" not in body


def test_the_root_does_not_tell_the_token(lab):
    status, _, body = get(lab, "/")
    assert status == 403
    assert lab.token.encode() not in body


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1.evil.example:{port}",
             "localhost:1", "", "[::1", "\u00e9:{port}"],
)  # fmt: skip
def test_another_name_of_this_machine_is_refused(lab, host):
    """Else a page under a name that points here could read what is shown."""
    host = host.format(port=lab.port).encode("utf-8")
    status, _, body = get(lab, f"/{lab.token}/", host=host)
    assert status in (400, 403)
    assert b"<script" not in body


def test_localhost_is_a_name_of_this_machine(lab):
    assert get(lab, f"/{lab.token}/", host=f"localhost:{lab.port}")[0] == 200


@pytest.mark.parametrize(
    "path",
    ["../server.py", "..%2Fserver.py", "%2e%2e/server.py", "..%5Cserver.py", "lab.js",
     "page/lab.js%00.html", "/etc/passwd", "%2Fetc%2Fpasswd", "logs/../secret.txt", "secret.txt",
     "../secret.txt", "..%2Fsecret.txt", "__init__.py", "page/files.py", "page/../__init__.py",
     "plane/", "plane//view.js", "page/lab.js/", "%F0%9F%8C%BE", "a" * 4000],
)  # fmt: skip
def test_only_files_of_the_page_are_served(lab, path):
    status, _, body = get(lab, f"/{lab.token}/{path}")
    assert status in (400, 403, 404)
    for text in (b"outside of the logs", b"import", b"root:", b"class "):
        assert text not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"])
def test_other_methods_do_nothing(lab, method):
    status, headers, _ = get(lab, f"/{lab.token}/", method)
    assert status in (400, 404, 405)
    assert "access-control-allow-origin" not in headers


# -- the socket


def test_a_page_of_ours_is_answered(lab):
    with talk(lab) as ws:
        answer = ask(ws, "plane.run", RUN, number=41)
    assert answer["id"] == 41
    assert answer["answer"]["sequence"] == [0, 1]


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1",
               "http://127.0.0.1:{port}.evil.example", "file://"],
)  # fmt: skip
def test_a_page_of_another_origin_is_refused(lab, origin):
    with pytest.raises(InvalidStatus) as refused:
        talk(lab, origin=origin and origin.format(port=lab.port))
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("token", WRONG_TOKENS)
def test_a_socket_with_a_wrong_token_is_refused(lab, token):
    with pytest.raises(InvalidStatus) as refused:
        talk(lab, token)
    assert refused.value.response.status_code in (403, 404)


def test_a_socket_by_another_name_is_refused(lab):
    """By hand: the header of the library's client is always right."""
    with socket.create_connection(("127.0.0.1", lab.port), 10) as line:
        line.sendall(
            f"GET /{lab.token}/ask HTTP/1.1\r\nHost: evil.example:{lab.port}\r\n"
            f"Origin: http://evil.example:{lab.port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        assert b" 403 " in line.recv(1000).splitlines()[0]


HOSTILE = {
    "nothing": "",
    "words": "hello",
    "half": '{"id": 1, "ask": "pla',
    "a list": "[]",
    "a number": "7",
    "null": "null",
    "NaN": '{"id": 1, "ask": "plane.generate", "with": {"kind": "xor", "gamma": NaN}}',
    "no question": '{"id": 1}',
    "an unknown question": '{"id": 1, "ask": "os.system", "with": "ls"}',
    "a question with dots": '{"id": 1, "ask": "plane.__class__", "with": {}}',
    "a question that is a list": '{"id": 1, "ask": ["plane.run"], "with": {}}',
    "too many fields": '{"id": 1, "ask": "plane.learners", "with": {}, "also": 1}',
    "a list nested deeply": "[" * 100_000 + "]" * 100_000,
    "an object nested deeply": '{"id":1,"ask":' * 50_000 + "1" + "}" * 50_000,
    "state nested deeply":
        '{"id":1,"ask":"plane.run","with":{"points":' + "[" * 900 + "]" * 900 + "}}",
    "a huge number": '{"id": 1, "ask": "plane.generate", "with": {"kind": "xor", "gamma": 1' + "0"
                     * 400 + "}}",
    "a longer number": '{"id": 1' + "0" * 5000 + "}",
    "half a letter": '{"id": 1, "ask": "\\ud800"}',
    "half a letter in a table": '{"id": 1, "ask": "plane.table", "with": {"text": "\\ud800,1,1"}}',
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_message_gets_an_error_and_the_talk_goes_on(lab, name):
    with talk(lab) as ws:
        ws.send(HOSTILE[name])
        answer = json.loads(ws.recv(timeout=60))
        assert answer["error"]
        assert "fault" not in answer
        assert len(answer["error"]) < 2000
        assert ask(ws, "plane.learners")["answer"]["learners"]


def test_bytes_are_no_question_and_harm_nobody(lab):
    with talk(lab) as ws:
        ws.send(b"\x00\xff\xfe")
        assert "not JSON" in json.loads(ws.recv(timeout=60))["error"]
        assert ask(ws, "plane.learners")["answer"]["learners"]


def test_a_message_that_is_too_large_ends_its_own_connection_alone(lab):
    with talk(lab) as other, talk(lab) as ws:
        with pytest.raises(ConnectionClosed):
            ws.send("x" * (MOST_BYTES + 1))
            ws.recv(timeout=60)
        assert ask(other, "plane.learners")["answer"]["learners"]


def test_a_page_that_asks_without_end_does_not_stop_another(lab):
    with talk(lab) as flood, talk(lab) as quiet:
        flood.close_timeout = 0.1  # it leaves most of its answers unread: no goodbye will come
        for number in range(2000):
            flood.send(json.dumps({"id": number, "ask": "plane.learners", "with": {}}))
        begun = time.monotonic()
        assert ask(quiet, "plane.run", RUN)["answer"]
        assert time.monotonic() - begun < 5
        assert [json.loads(flood.recv(timeout=60))["id"] for _ in range(100)] == list(range(100))
    assert alive(lab)


def test_many_pages_then_no_more_then_again(lab):
    with contextlib.ExitStack() as stack:
        pages = [stack.enter_context(talk(lab)) for _ in range(MOST_PAGES)]
        with pytest.raises(InvalidStatus):
            talk(lab)
        assert ask(pages[0], "plane.learners")["answer"]
        assert ask(pages[-1], "plane.learners")["answer"]
    until = time.monotonic() + 10
    while True:  # they have left when the server has seen it
        with contextlib.suppress(InvalidStatus):
            assert alive(lab)
            return
        assert time.monotonic() < until


def test_connections_that_break_off_harm_nobody(lab):
    for half in (b"", b"GET", b"GET / HTTP/1.1\r\n", b"\x16\x03\x01\x02\x00" * 50, b"\r\n" * 500):
        with socket.create_connection(("127.0.0.1", lab.port), 10) as line:
            line.sendall(half)
    for _ in range(5):
        with talk(lab) as ws:
            ws.send(json.dumps({"id": 1, "ask": "plane.run", "with": RUN}))
            ws.socket.shutdown(socket.SHUT_RDWR)  # not even goodbye
    assert alive(lab)


# -- the command


def test_it_listens_on_this_machine_alone(lab):
    """From outside comes what asks another of this machine's addresses."""
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as way:
        try:
            way.connect(("192.0.2.1", 9))  # sends nothing: only asks which address it would use
        except OSError:
            pytest.skip("this machine has no other address than its own")
        outer = way.getsockname()[0]
    if outer.startswith("127."):
        pytest.skip("this machine has no other address than its own")
    with pytest.raises(OSError):
        socket.create_connection((outer, lab.port), 2)


@pytest.mark.parametrize("pages", [0, 1])
def test_control_c_ends_it_quietly(tmp_path, pages):
    with started(command("--logs", str(tmp_path))) as running, contextlib.ExitStack() as stack:
        for _ in range(pages):
            stack.enter_context(talk(running))
        assert alive(running)
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(20) in (0, 130)
        assert "Traceback" not in running.stderr()
        assert "Error" not in running.stderr()


def refused(*arguments):
    done = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_port_that_is_taken_is_said(lab):
    said = refused("--port", str(lab.port))
    assert str(lab.port) in said
    assert "--port" in said


def test_a_host_that_is_not_of_this_machine_is_said():
    assert "192.0.2.1" in refused("--host", "192.0.2.1")
    assert "no-such-host.invalid" in refused("--host", "no-such-host.invalid")


def test_a_folder_that_is_not_there_is_said(tmp_path):
    assert "nowhere" in refused("--logs", str(tmp_path / "nowhere"))


def test_a_link_that_is_none_is_said():
    assert "expected one with a #" in refused("http://127.0.0.1:8642/")


def test_the_state_of_a_shared_link_is_kept_and_its_token_is_not(tmp_path):
    link = "http://127.0.0.1:1/stolen/#plane=abc"
    with started(command("--logs", str(tmp_path), link)) as running:
        assert running.address.endswith("/#plane=abc")
        assert "stolen" not in running.address


def test_who_opens_it_to_others_is_told_who_gets_in(tmp_path):
    with started(command("--logs", str(tmp_path), "--host", "0.0.0.0")) as running:
        assert get(running, f"/{running.token}/")[0] == 200
        assert get(running, f"/{running.token}/", host=f"my-host:{running.port}")[0] == 403
        wait_until(lambda: "--name" in running.stderr())
        assert "anyone who can reach this machine" in running.stderr()


def test_the_default_says_nothing_of_others(lab):
    assert "anyone" not in lab.stderr()


def test_without_its_packages_it_says_which_to_install():
    code = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from thresher.cli import main; sys.argv = ['thresher', 'lab', '--no-browser']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "thresher[lab]" in done.stderr
