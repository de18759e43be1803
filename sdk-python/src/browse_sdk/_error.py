"""The one error of the SDK, and how it is read from an answer."""

from __future__ import annotations

from ._wire import entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_DEADLINE, _EXHAUSTED, _UNIMPLEMENTED, _UNAVAILABLE = 4, 8, 12, 14

# What to call an answer without a reason, by its gRPC code.
_REASONS = {
    _DEADLINE: "DEADLINE_EXCEEDED",
    _EXHAUSTED: "TOO_LARGE",
    _UNIMPLEMENTED: "METHOD_UNKNOWN",
    _UNAVAILABLE: "DAEMON_UNREACHABLE",
}


class BrowseError(Exception):
    """Why a call failed.

    `reason` is one of `docs/errors.md`, such as `REF_STALE`; `hint` says what to
    do next; `metadata` holds the values that the message is made of; `page` what a
    page chose, as pairs of what it is and what it says: untrusted; `code` is the
    gRPC status code.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        hint: str = "",
        metadata: Mapping[str, str] | None = None,
        page: list[tuple[str, str]] | None = None,
        code: int = 2,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.hint = hint
        self.metadata = dict(metadata or {})
        self.page = list(page or [])
        self.code = code

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later, and did nothing so far."""
        if "retry_ms" in self.metadata:
            return True
        return self.code == _UNAVAILABLE and self.metadata.get("retryable") != "false"

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.reason}: {self.message}{hint}"


class Stranger(Exception):
    """What answers is no daemon, and why that is known."""


def unreachable(address: str, why: object) -> BrowseError:
    """What a client says when nobody answers."""
    message = f"`{address}` does not answer: {why}"
    return BrowseError("DAEMON_UNREACHABLE", message, hint="Run `browse status`", code=_UNAVAILABLE)


def late(seconds: float) -> BrowseError:
    """What a client says when the answer does not come in time."""
    message = f"no answer within {seconds:g} s"
    return BrowseError("DEADLINE_EXCEEDED", message, hint="Raise the timeout", code=_DEADLINE)


def too_large(limit: int) -> BrowseError:
    """What a client says of an answer beyond `limit` MiB."""
    message = f"a message of the answer is larger than {limit} MiB"
    metadata = {"limit": f"{limit} MiB"}
    hint = "Ask for less, such as one part of the page"
    return BrowseError("TOO_LARGE", message, hint=hint, metadata=metadata, code=_EXHAUSTED)


def error_of(trailers: Mapping[str, str]) -> BrowseError | None:
    """Reads the error of an answer; None when the status is OK."""
    try:
        code = int(trailers.get("grpc-status", "2"))
    except ValueError:
        code = 2
    if code == 0:
        return None
    reason, metadata, page = _info(trailers)
    hint = _shown(metadata.pop("hint", ""))
    name = reason or _REASONS.get(code, "BUG")
    message = _percent_decoded(trailers.get("grpc-message", ""))
    message = message or f"the daemon answered with code {code} and no word"
    hint = hint or f"See `{name}` in docs/errors.md"
    return BrowseError(name, message, hint=hint, metadata=metadata, page=page, code=code)


def gives_reason(trailers: Mapping[str, str]) -> bool:
    """Whether the error of an answer says its reason, as a daemon's always does."""
    return bool(_info(trailers)[0])


def _info(trailers: Mapping[str, str]) -> tuple[str, dict[str, str], list[tuple[str, str]]]:
    """The reason of an answer, its values and what a page chose; none where they cannot be read."""
    try:
        reason, metadata, page = _details(trailers.get("grpc-status-details-bin", ""))
    except ValueError:
        return "", {}, []
    return _shown(reason).replace("\n", " "), metadata, page


def _details(details: str) -> tuple[str, dict[str, str], list[tuple[str, str]]]:
    """Reads google.rpc.ErrorInfo and browse.v1.ErrorPage from a google.rpc.Status."""
    import binascii

    reason, metadata, page = "", {}, []
    padded = details + "=" * (-len(details) % 4)
    for any_ in _children(binascii.a2b_base64(padded), 3):
        kinds, bodies = _children(any_, 1), _children(any_, 2)
        if not kinds or not bodies:
            continue
        if kinds[0].endswith(b"/browse.v1.ErrorPage"):
            for quote in _children(bodies[0], 1):
                about, text = _pair(quote)
                page.append((_shown(about), _shown(text)))
        if kinds[0].endswith(b"/google.rpc.ErrorInfo"):
            reason = b"".join(_children(bodies[0], 1)[:1]).decode()
            metadata.update(_pair(entry) for entry in _children(bodies[0], 3))
    return reason, metadata, page


def _pair(entry: bytes) -> tuple[str, str]:
    """The first two fields of a message."""
    key, value = (b"".join(_children(entry, number)[:1]) for number in (1, 2))
    return key.decode(), value.decode(errors="replace")


def _children(data: bytes, wanted: int) -> list[bytes]:
    """The values of field `wanted` of a message, as bytes."""
    return [raw for number, raw in entries(data) if number == wanted and isinstance(raw, bytes)]


def _percent_decoded(text: str) -> str:
    parts = text.encode().split(b"%")
    out = bytearray(parts[0])
    for part in parts[1:]:
        try:
            out += bytes.fromhex(part[:2].decode()) + part[2:]
        except ValueError:
            out += b"%" + part
    return _shown(out.decode(errors="replace"))


def _shown(text: str) -> str:
    """`text` without what would drive a terminal."""
    return "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text)
