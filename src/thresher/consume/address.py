"""Where a stream is: an address, and secrets that stay out of everything that is written."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, unquote, urlsplit

from thresher.errors import InvalidInput, Where

SCHEMES = {
    "redis": "redis://HOST[:PORT][/DB]/STREAM",
    "rediss": "rediss://HOST[:PORT][/DB]/STREAM",
    "valkey": "valkey://HOST[:PORT][/DB]/STREAM",
    "valkeys": "valkeys://HOST[:PORT][/DB]/STREAM",
    "kafka": "kafka://HOST[:PORT][,HOST…]/TOPIC",
    "nats": "nats://HOST[:PORT]/STREAM[?subject=SUBJECT]",
    "tls": "tls://HOST[:PORT]/STREAM[?subject=SUBJECT]",
}
PORTS = {"redis": 6379, "valkey": 6379, "rediss": 6379, "valkeys": 6379, "kafka": 9092,
         "nats": 4222, "tls": 4222}  # fmt: skip


@dataclass(frozen=True)
class Address:
    """An address in parts. `settings` and `password` are for the broker's client alone."""

    scheme: str
    hosts: tuple[str, ...]  # each with a port
    path: tuple[str, ...]
    query: dict[str, str] = field(default_factory=dict)
    user: str | None = None
    password: str | None = None
    settings: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Without secrets."""
        query = "&".join(f"{name}={value}" for name, value in self.query.items())
        return (
            f"{self.scheme}://{','.join(self.hosts)}/{'/'.join(self.path)}{query and '?' + query}"
        )

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"


def is_address(text: str) -> bool:
    return "://" in text


def address_of(text: str) -> Address:
    """
    >>> str(address_of("redis://me:secret@localhost/clicks"))
    'redis://localhost:6379/clicks'
    """
    scheme = text.split("://", 1)[0].lower()
    if scheme not in SCHEMES:
        raise InvalidInput(
            f"{without_secrets(text)}: no such kind of stream; expected one of "
            f"{', '.join(f'{s}://' for s in SCHEMES)}, or a file or folder."
        )
    parts = urlsplit(text)
    place, _, hosts = parts.netloc.rpartition("@")
    user, _, password = place.partition(":")
    path = tuple(unquote(part) for part in parts.path.split("/") if part)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = set(query) - ({"subject"} if scheme in ("nats", "tls") else set())
    if not hosts or not 1 <= len(path) <= (2 if PORTS[scheme] == 6379 else 1) or unknown:
        raise InvalidInput(f"{without_secrets(text)}: expected {SCHEMES[scheme]}.")
    try:
        named = tuple(_with_port(host, PORTS[scheme]) for host in hosts.split(","))
    except ValueError:
        raise InvalidInput(
            f"{without_secrets(text)}: a port that is no number; expected {SCHEMES[scheme]}."
        ) from None
    return Address(
        scheme, named, path, query, unquote(user) or None, unquote(password) or None
    )  # fmt: skip


def _with_port(host: str, usual: int) -> str:
    parts = urlsplit(f"//{host}")
    if not parts.hostname:
        raise ValueError("no host")
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{name}:{parts.port or usual}"


def host_and_port(host: str) -> tuple[str, int]:
    parts = urlsplit(f"//{host}")
    return parts.hostname or "", int(parts.port or 0)


def with_settings(address: Address, path: str | None) -> Address:
    """What a file says about how to connect: ``name=value`` a line, as for Kafka's own tools."""
    if path is None:
        return address
    found: dict[str, str] = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            text = line.strip()
            if not text or text.startswith(("#", "!")):
                continue
            name, equals, value = text.partition("=")
            if not equals:
                raise InvalidInput("no =", expected="a line name=value", where=Where(path, number))
            found[name.strip()] = value.strip()
    return replace(
        address,
        user=found.pop("username", address.user),
        password=found.pop("password", address.password),
        settings=found,
    )


def without_secrets(text: str) -> str:
    """An address, or a command with one, without user and password.

    >>> without_secrets("consume redis://me:secret@localhost/clicks -m m")
    'consume redis://localhost/clicks -m m'
    """
    import re

    return re.sub(r"(\w+://)\S*@", r"\1", text)
