"""The one error of the SDK, and how it is read from an answer."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_DEADLINE, _EXHAUSTED, _UNIMPLEMENTED, _UNAVAILABLE = 4, 8, 12, 14

# The names of the codes in the Connect protocol, in the order of their numbers.
_CODES = (
    "canceled unknown invalid_argument deadline_exceeded not_found already_exists "
    "permission_denied resource_exhausted failed_precondition aborted out_of_range "
    "unimplemented internal unavailable data_loss unauthenticated"
)

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


class TokenRefused(BrowseError):
    """The token was not accepted, so that nothing was done."""


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


def error_of(document: Mapping[str, Any], kind: type[BrowseError] = BrowseError) -> BrowseError:
    """Reads an error of the Connect protocol."""
    names = _CODES.split()
    name = document.get("code")
    code = names.index(name) + 1 if name in names else 2
    info = _detail(document, "google.rpc.ErrorInfo")
    metadata = {str(key): str(value) for key, value in dict(info.get("metadata") or {}).items()}
    quotes = _detail(document, "browse.v1.ErrorPage").get("page") or []
    page = [(clean(str(one["about"])), clean(str(one["text"]))) for one in quotes]
    reason = clean(str(info.get("reason") or "")).replace("\n", " ") or _REASONS.get(code, "BUG")
    message = clean(str(document.get("message") or ""))
    message = message or f"the daemon answered with code {code} and no word"
    hint = clean(str(info.get("hint") or "")) or f"See `{reason}` in docs/errors.md"
    return kind(reason, message, hint=hint, metadata=metadata, page=page, code=code)


def gives_reason(document: Mapping[str, Any]) -> bool:
    """Whether an error says its reason, as a daemon's always does."""
    return bool(_detail(document, "google.rpc.ErrorInfo").get("reason"))


def _detail(document: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """What the first detail of this type says; empty where there is none."""
    for detail in document.get("details") or []:
        if isinstance(detail, dict) and detail.get("type") == kind:
            debug = detail.get("debug")
            return debug if isinstance(debug, dict) else {}
    return {}


def clean(text: str) -> str:
    """`text` without what would drive a terminal."""
    return "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text)
