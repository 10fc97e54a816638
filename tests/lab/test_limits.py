"""What the lab does with questions that take too long, and with those who connect and say little.

Real servers, real sockets, real processes.
"""

import contextlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from websockets.sync.client import connect

from labs import children, command, runs, started, stat_of
from thresher.lab.plane.points import generate
from thresher.lab.serving.connections import MOST_OPENING
from thresher.lab.serving.workers import MOST_WORKERS
from waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

RUN = {"points": [[0.5, 0.5, 1], [-0.5, 0, -1]], "panels": [{"learner": "perceptron"}]}
# Legal, and of more seconds than any test here waits.
NOISY = generate({"kind": "noisy", "size": 2000, "noise": 0.5})["points"]
LONG = {"points": NOISY, "panels": [{"learner": "mira"}] * 8, "order": "worst", "epochs": 10}


@pytest.fixture(scope="module")
def patient(tmp_path_factory):
    """A lab in which a question may take so long that only who stops it can have ended it."""
    with lab_with(tmp_path_factory.mktemp("logs"), "--budget", "600") as lab:
        yield lab


@pytest.fixture
def mortal(tmp_path):
    """The same, for a test that ends it."""
    with lab_with(tmp_path, "--budget", "600") as lab:
        yield lab


@contextlib.contextmanager
def lab_with(folder, *options):
    with started(command("--port", "0", "--logs", str(folder), *options)) as lab:
        yield lab
        quiet(lab)


@contextlib.contextmanager
def lab_by(code):
    """A lab with other limits than the usual ones, which `code` sets."""
    begin = (
        "from thresher.lab import serve\nfrom thresher.lab.serving import connections, workers\n"
    )
    begin += "ready = lambda address: print(address, flush=True)\n"
    with started([sys.executable, "-c", begin + code]) as lab:
        yield lab
        assert lab.process.poll() is None
        assert not lab.stderr(), lab.stderr()


def talk(lab):
    return connect(lab.socket, origin=lab.origin, max_size=None)


def send(ws, about, number, question="plane.run"):
    ws.send(json.dumps({"id": number, "ask": question, "with": about}))


def heard(ws):
    return json.loads(ws.recv(timeout=60))


def quick(lab):
    with talk(lab) as ws:
        send(ws, RUN, 1)
        return heard(ws)["answer"]["sequence"] == [0, 1]


def quiet(lab):
    for word in ("Traceback", "xception", "Error"):
        assert word not in lab.stderr(), lab.stderr()


# -- a budget


def test_a_question_that_takes_too_long_is_answered_in_words(tmp_path):
    with lab_with(tmp_path, "--budget", "0.5") as lab, talk(lab) as ws:
        send(ws, LONG, 7)
        send(ws, RUN, 8)
        late, next_one = heard(ws), heard(ws)
    assert (late["id"], late["late"]) == (7, True)
    for part in ("plane.run", "2,000 points", "epochs 10", "'worst'", "took longer than",
                 "and was stopped", "worst first", "of 20,000", "Take fewer points"):  # fmt: skip
        assert part in late["error"]
    assert (next_one["id"], next_one["answer"]["sequence"]) == (8, [0, 1])


def test_a_process_that_is_killed_from_outside_is_said_and_replaced(patient):
    with talk(patient) as ws:
        send(ws, LONG, 1)
        os.kill(patient.working(), signal.SIGKILL)
        answer = heard(ws)
        assert answer["fault"]
        assert "SIGKILL" in answer["error"]
        send(ws, RUN, 2)
        assert heard(ws)["answer"]


def test_a_process_that_dies_while_it_has_nothing_to_do_is_not_noticed(patient):
    with talk(patient) as ws:
        for number in range(3):
            send(ws, RUN, number)
            said = heard(ws)
            assert "answer" in said, said
            for pid in patient.workers():
                os.kill(pid, signal.SIGKILL)
                wait_until(lambda pid=pid: not runs(pid))


# -- answers that are no longer awaited


def test_a_page_that_vanishes_stops_its_work(patient):
    with talk(patient) as ws:
        send(ws, LONG, 1)
        working = patient.working()
        ws.socket.shutdown(socket.SHUT_RDWR)  # not even goodbye
        wait_until(lambda: not runs(working))
    idle = {pid: stat_of(pid)[3] for pid in wait_until(patient.workers)}
    assert quick(patient)
    time.sleep(1.0)
    now = sum(stat_of(pid)[3] for pid in idle)
    assert now - sum(idle.values()) < 0.9  # nothing has gone on


def test_a_page_that_takes_its_question_back_stops_its_work(patient):
    with talk(patient) as ws:
        send(ws, LONG, 1)
        send(ws, LONG, 2)
        send(ws, RUN, 3)
        working = patient.working()
        ws.send(json.dumps({"stop": 2}))  # which has not begun
        ws.send(json.dumps({"stop": 1}))
        assert heard(ws)["id"] == 3
        wait_until(lambda: not runs(working))
        ws.send(json.dumps({"stop": 3}))  # too late, and no harm
        send(ws, RUN, 4)
        assert heard(ws)["id"] == 4


def test_a_page_that_leaves_a_quick_question_leaves_a_warm_process(tmp_path):
    """What is as good as done may end: the next page would have to wait for a new process."""
    about = {"points": NOISY, "panels": [{"learner": "perceptron"}]}
    with lab_by(f"workers.GRACE = 60.0\nserve(logs={str(tmp_path)!r}, ready=ready)") as lab:
        assert quick(lab)
        (warm,) = lab.workers()
        for _ in range(3):
            with talk(lab) as ws:
                send(ws, about, 1)
        assert quick(lab)
        assert runs(warm)


@pytest.mark.parametrize("pages", [1, 2])
def test_pages_that_flood_with_long_questions_do_not_stop_another(patient, pages):
    with contextlib.ExitStack() as stack:
        for _ in range(pages):
            ws = stack.enter_context(talk(patient))
            for number in range(20):
                send(ws, LONG, number)
            os.kill(patient.working(), signal.SIGSTOP)  # now it takes for ever
        for _ in range(3):
            assert quick(patient)
        assert len(patient.workers()) <= MOST_WORKERS
    wait_until(lambda: not any(stat_of(p)[1] in "RT" for p in patient.workers()))


# -- the end of the server is the end of its workers


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("works", [False, True])
def test_no_process_is_left(mortal, end, works):
    with talk(mortal) as ws:
        if works:
            send(ws, LONG, 1)
            mortal.working()
        else:
            assert quick(mortal)
        workers = mortal.workers()
        assert workers
        mortal.process.send_signal(end)
        code = mortal.process.wait(20)
    wait_until(lambda: not any(map(runs, workers)))
    assert code == -signal.SIGKILL if end == signal.SIGKILL else code in (0, 130, -end)
    quiet(mortal)


def test_a_second_control_c_ends_it_as_well(mortal):
    with talk(mortal) as ws:
        send(ws, LONG, 1)
        workers = [mortal.working()]
        mortal.process.send_signal(signal.SIGINT)
        mortal.process.send_signal(signal.SIGINT)
        mortal.process.wait(20)
    wait_until(lambda: not any(map(runs, workers)))
    quiet(mortal)


def test_workers_have_nothing_of_the_server_but_their_line(mortal):
    assert quick(mortal)
    for pid in mortal.workers():
        assert os.getpgid(pid) == pid  # Ctrl-C in a terminal is for the server
        files = [os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir()]
        assert sum(name.startswith("socket:") for name in files) == 1
        assert len(files) == 4
    port = mortal.port
    mortal.process.kill()
    mortal.process.wait(20)
    with socket.create_server(("127.0.0.1", port)):
        pass  # the port is free at once


# -- connections


@contextlib.contextmanager
def waiting_for(folder, *seconds):
    """A lab that waits so long for requests, for readers, and for answers to pings."""
    names = ("OPENING_SECONDS", "UNREAD_SECONDS", "PING_SECONDS")
    code = [f"connections.{name} = {time}" for name, time in zip(names, seconds, strict=True)]
    with lab_by("\n".join([*code, f"serve(logs={str(folder)!r}, ready=ready)"])) as lab:
        yield lab


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    with waiting_for(tmp_path_factory.mktemp("logs"), 2.0, 60.0, 1.0) as lab:
        yield lab


def open_files(lab):
    return len(list(Path(f"/proc/{lab.process.pid}/fd").iterdir()))


def has_end_of(lab, line):
    """Whether the server still holds its end of a connection; the system may hold it for longer."""
    ours, theirs = f":{line.getsockname()[1]:04X}", f":{lab.port:04X}"
    for row in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = row.split()
        if fields[1].endswith(theirs) and fields[2].endswith(ours):
            return fields[9] != "0"  # the number of its file
    return False


def line_to(lab):
    return socket.create_connection(("127.0.0.1", lab.port), 20)


def closed(line):
    """Waits until the other side has closed it, whatever it sends before."""
    until = time.monotonic() + 30
    with contextlib.suppress(ConnectionResetError, BrokenPipeError):
        while line.recv(65536):
            assert time.monotonic() < until, "it stays open"
    return True


@pytest.fixture
def many_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4096 if hard == resource.RLIM_INFINITY else min(4096, hard)
    if wanted < 1200:
        pytest.skip("too few files can be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_thousand_half_open_connections_are_closed_and_pages_answered(impatient, many_files):
    assert quick(impatient)
    before = open_files(impatient)
    with contextlib.ExitStack() as stack, talk(impatient) as page:
        lines = [stack.enter_context(line_to(impatient)) for _ in range(1000)]
        for i, line in enumerate(lines):
            with contextlib.suppress(OSError):  # some have been closed already
                line.sendall((b"", b"GET /", b"GET / HTTP/1.1\r\nHost: a\r\nX: ")[i % 3])
        send(page, RUN, 5)
        assert heard(page)["answer"]
        assert quick(impatient)  # a new one gets in
        assert open_files(impatient) <= before + MOST_OPENING + 20
        assert all(closed(line) for line in lines)
        send(page, RUN, 6)
        assert heard(page)["id"] == 6
    wait_until(lambda: open_files(impatient) <= before + 2)


HEAD = b"GET / HTTP/1.1\r\nHost: a\r\n"
POST = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"


def test_who_sends_letter_by_letter_is_closed(impatient):
    beginnings = (b"", b"G", HEAD, HEAD + b"X: ", POST)
    with contextlib.ExitStack() as stack:
        waiting = {first: stack.enter_context(line_to(impatient)) for first in beginnings}
        for first, line in waiting.items():
            line.sendall(first)
        begun = time.monotonic()
        while waiting:
            assert time.monotonic() < begun + 30, f"open after {list(waiting)}"
            for first, line in list(waiting.items()):
                try:
                    line.sendall(b"x")
                except OSError:
                    del waiting[first]
            time.sleep(0.1)
    assert quick(impatient)


def test_each_request_has_a_connection_of_its_own(impatient):
    with line_to(impatient) as line:
        line.sendall(HEAD + b"\r\n" + HEAD + b"\r\n")
        got = b""
        while more := line.recv(65536):
            got += more
    assert got.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in got.lower()


def framed(text):
    """A message of a WebSocket, masked by zeros."""
    return b"\x81\xff" + len(text).to_bytes(8, "big") + bytes(4) + text.encode()


def handshake(lab):
    line = line_to(lab)
    line.sendall(
        f"GET /{lab.token}/ask HTTP/1.1\r\nHost: 127.0.0.1:{lab.port}\r\nOrigin: {lab.origin}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    assert b" 101 " in line.recv(2000).splitlines()[0]
    return line


def test_a_socket_that_does_not_answer_pings_is_closed(impatient):
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(handshake(impatient)) for _ in range(3)]
        for line, sent in zip(
            lines, (b"", b"\x81", b"\x81\xfe\x10\x00half a message"), strict=True
        ):
            line.sendall(sent)
        assert all(closed(line) for line in lines)


def test_a_page_that_is_only_quiet_stays(impatient):
    with talk(impatient) as ws:
        time.sleep(3.0)  # longer than it waits for a request, and than it takes to give up a ping
        send(ws, RUN, 1)
        assert heard(ws)["answer"]


def test_a_page_that_does_not_read_its_answers_is_closed(tmp_path):
    """More of them than the system keeps for it, so that it cannot be closed in the usual way."""
    about = {"kind": "xor", "size": 2000}
    with waiting_for(tmp_path, 10.0, 2.0, 5.0) as lab, handshake(lab) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        frame = framed(json.dumps({"id": 1, "ask": "plane.generate", "with": about}))
        with contextlib.suppress(OSError):
            for _ in range(300):
                line.sendall(frame)
        wait_until(lambda: not has_end_of(lab, line))
        assert quick(lab)


def test_a_page_cannot_make_the_server_hold_all_that_it_sends(patient):
    """What it sends beyond a few megabytes stays in its own buffers until there is room."""
    assert quick(patient)
    before = memory(patient)
    with handshake(patient) as line:
        line.settimeout(2.0)
        with pytest.raises(TimeoutError):
            line.sendall(framed(json.dumps({"id": 1, "ask": "plane.run", "with": LONG})))
            for _ in range(200):
                line.sendall(framed("x" * (1 << 20)))
        assert memory(patient) - before < 64
    assert quick(patient)


def memory(lab):
    """Megabytes of the server itself."""
    pages = int(Path(f"/proc/{lab.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


# -- notebooks

NOTEBOOK = """
import json, os, sys
from thresher.lab import PlaneWidget
about = json.loads(sys.stdin.readline())
widget = PlaneWidget()
widget.send = lambda answer: print(json.dumps(answer)[:2000], flush=True)
ask = lambda number, about: widget._asked(
    widget, {{"id": number, "ask": "plane.run", "with": about}}, [])
print(os.getpid(), flush=True)
{body}
"""


@contextlib.contextmanager
def notebook(body, about=LONG):
    code = NOTEBOOK.format(body=body)
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, stderr=pipe,
                               text=True)  # fmt: skip
    with process:
        process.stdin.write(json.dumps(about) + "\n")
        process.stdin.flush()
        assert int(process.stdout.readline()) == process.pid
        yield process
        process.kill()


def test_a_widget_has_a_budget_too():
    pytest.importorskip("anywidget")
    body = "import thresher.lab.serving.widget as w\nw.BUDGET = 0.5\nask(1, about)\n"
    body += f"ask(2, {RUN!r})\nwidget._asked(widget, {{'stop': 2}}, [])\nask(3, {RUN!r})"
    with notebook(body) as process:
        out, err = process.communicate(timeout=60)
    late, *others = map(json.loads, out.splitlines())
    assert "took longer than" in late["error"]
    assert [one["id"] for one in others] == [2, 3]
    assert all("answer" in one for one in others)
    assert not err


def test_interrupting_a_notebook_stops_what_its_widget_works_on():
    pytest.importorskip("anywidget")
    body = "import thresher.lab.serving.widget as w\nw.BUDGET = 600\n"  # only the interrupt ends it
    body += "try:\n    ask(1, about)\nexcept KeyboardInterrupt:\n    print('{}', flush=True)\n"
    body += f"ask(2, {RUN!r})\nsys.stdin.read()"
    with notebook(body) as process:
        (worker,) = wait_until(lambda: children(process.pid))
        wait_until(lambda: stat_of(worker)[3] > 2.0)
        process.send_signal(signal.SIGINT)
        assert json.loads(process.stdout.readline()) == {}
        assert json.loads(process.stdout.readline())["id"] == 2
        assert not runs(worker)
        (worker,) = children(process.pid)
        process.stdin.close()
        wait_until(lambda: not runs(worker))  # with the kernel


def test_a_fork_of_a_notebook_has_a_worker_of_its_own():
    pytest.importorskip("anywidget")
    body = f"ask(1, {RUN!r})\npid = os.fork()\nask(2 if pid else 3, {RUN!r})\n"
    body += "if pid:\n    os.waitpid(pid, 0)\n    ask(4, about)\n"
    with notebook(body, RUN) as process:
        out, err = process.communicate(timeout=60)
    assert sorted(json.loads(line)["id"] for line in out.splitlines()) == [1, 2, 3, 4]
    assert not err
