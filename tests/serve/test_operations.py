"""What docs/howto/serve.md tells operators: a unit, a Dockerfile, a manifest, a backup."""

import configparser
import re
import subprocess
import sys
from pathlib import Path

import yaml

from serve.processes import served
from serve.serving import hash_of
from thresher.client import Client
from thresher.serve.openapi import OPENAPI
from thresher.serve.store import Store

PAGE = Path(__file__).parents[2] / "docs/howto/serve.md"
BIN = Path(sys.executable).parent


def block(kind: str, having: str = "") -> str:
    found = re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (one,) = [text for text in found if having in text]
    return one


def words_are_an_option(words: list[str]) -> None:
    """Whether `thresher serve` takes these."""
    known = subprocess.run([BIN / "thresher", "serve", "--help"], capture_output=True, text=True)
    for word in words:
        assert not word.startswith("--") or word in known.stdout, word


def test_the_dockerfile_has_no_fault(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(text := block("dockerfile"))
    done = subprocess.run([BIN / "hadolint", tmp_path / "Dockerfile"], capture_output=True)
    assert done.returncode == 0, done.stdout.decode()
    words_are_an_option(re.findall(r'"(.*?)"', text.split("ENTRYPOINT")[1]))


def test_the_unit_and_the_manifest() -> None:
    unit = configparser.ConfigParser()
    unit.read_string(block("ini"))
    words_are_an_option(unit["Service"]["ExecStart"].split()[2:])
    manifest = yaml.safe_load(block("yaml"))
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    for probe in ("readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["path"] in OPENAPI["paths"]
    assert container["env"][0]["name"] == "THRESHER_TOKEN"
    (claim,) = manifest["spec"]["volumeClaimTemplates"]
    assert claim["metadata"]["name"] == container["volumeMounts"][0]["name"]


def test_a_backup_is_restored(tmp_path: Path) -> None:
    """The commands of the page, while the server learns."""
    copy, verify, restore = block("sh", "backup").strip().split("\n")
    with served(tmp_path / "DIR", "--checkpoint-seconds", "0.05") as server:
        client = Client(server.url)
        client.create("m", learner="arow", label="y")
        for i in range(60):
            client.learn("m", {"x": i % 5, "y": i % 2})
        client.snapshot("m")
        subprocess.run(copy, shell=True, cwd=tmp_path, check=True)
        seq = client.model("m")["seq"]
        server.kill()
    words = verify.split()
    subprocess.run([BIN / words[0], *words[1:]], cwd=tmp_path, check=True, capture_output=True)
    words_are_an_option(restore.split()[3:])
    stores = [Store(tmp_path / name) for name in ("DIR", "backup")]
    for store in stores:
        store.recover(seq)
    hashes = {hash_of(store.names["m"].champion.learner, tmp_path) for store in stores}
    assert len(hashes) == 1
