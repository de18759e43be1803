"""TLS 1.3 to a remote daemon, which is known by its public key alone: names
and authorities have no say."""

from __future__ import annotations

import asyncio
import hashlib
import socket
import ssl

from ._error import BrowseError, Stranger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_VERSION = 0xA0

# Seconds that the other end has to greet, if the call has no less.
GREETING = 10.0


class Pinned:
    """Makes connections to the holder of one public key.

    With `vouched` TLS may end at a tunnel: a certificate is as good that the
    authorities of this machine vouch for.
    """

    hint = "Check the network, and ask the owner whether the pairing still is"
    foreign_hint = (
        "Ask the owner to look at `browse tunnel status`, and for a new block; "
        "the call may have been carried out"
    )
    # What a request names as its host: the address.
    authority = ""

    def __init__(self, pin: str, vouched: bool = False) -> None:
        # SHA-256 of the public key, as hexadecimal.
        self.pin = pin.lower()
        self.vouched = vouched
        plain = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        plain.check_hostname = False
        plain.verify_mode = ssl.CERT_NONE
        self._context = _settled(plain)
        # Whether the other end was found to be known by authorities.
        self._by_authority = False

    def greet(self, connection: socket.socket, host: str) -> socket.socket:
        """Begins TLS on a connection. Nothing is sent to the holder of another key."""
        peer, timeout = connection.getpeername(), connection.gettimeout()
        connection.settimeout(min(timeout or GREETING, GREETING))
        if not self._by_authority:
            secure = wrapped(self._context, connection, None)
            if self._is_it(secure.getpeercert(binary_form=True)):
                return secure
            secure.close()
            if not self.vouched:
                raise _mismatch()
            connection = socket.create_connection(peer[:2], connection.gettimeout())
        try:
            secure = wrapped(_settled(ssl.create_default_context()), connection, host)
        except ssl.SSLCertVerificationError as error:
            raise _mismatch(error.verify_message) from None
        self._by_authority = True
        return secure

    async def open(
        self, host: str, port: int, seconds: float
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connects within so many seconds, for `asyncio`."""
        seconds = min(seconds, GREETING)
        if not self._by_authority:
            reader, writer = await opened(host, port, self._context, seconds)
            if self._is_it(writer.get_extra_info("ssl_object").getpeercert(binary_form=True)):
                return reader, writer
            writer.close()
            if not self.vouched:
                raise _mismatch()
        context = _settled(ssl.create_default_context())
        try:
            reader, writer = await opened(host, port, context, seconds)
        except ssl.SSLCertVerificationError as error:
            raise _mismatch(error.verify_message) from None
        self._by_authority = True
        return reader, writer

    def advise(self, error: BrowseError) -> None:
        """Leaves an error as the daemon made it."""

    def _is_it(self, certificate: bytes | None) -> bool:
        try:
            return hashlib.sha256(public_key(certificate or b"")).hexdigest() == self.pin
        except (IndexError, ValueError):
            return False


def _settled(context: ssl.SSLContext) -> ssl.SSLContext:
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return for_http(context)


def for_http(context: ssl.SSLContext) -> ssl.SSLContext:
    """The same context, for connections that calls are sent on."""
    context.set_alpn_protocols(["http/1.1"])
    context.sslsocket_class = _Socket
    return context


def wrapped(context: ssl.SSLContext, connection: socket.socket, host: str | None) -> ssl.SSLSocket:
    """Begins TLS on a connection."""
    timeout = connection.gettimeout()
    try:
        return context.wrap_socket(connection, server_hostname=host)
    except BaseException as error:
        connection.close()
        told = _told(error, timeout or 0, context)
        if told is error:
            raise
        raise told from None


async def opened(
    host: str, port: int, context: ssl.SSLContext, seconds: float
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connects with TLS within so many seconds, for `asyncio`."""
    try:
        # What is silent is told from what is not there.
        opening = asyncio.open_connection(
            host, port, ssl=context, ssl_handshake_timeout=max(seconds * 0.9, 0.001)
        )
        return await asyncio.wait_for(opening, seconds)
    except (TimeoutError, asyncio.TimeoutError):
        raise OSError(f"nothing answers within {seconds:.3g} s") from None
    except OSError as error:
        told = _told(error, seconds, context)
        if told is error:
            raise
        raise told from None


def _told(error: BaseException, seconds: float, context: ssl.SSLContext) -> BaseException:
    """A failure of a greeting, as callers shall see it."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error
    ended = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ConnectionResetError, BrokenPipeError)
    if isinstance(error, ended):
        return OSError("it takes the connection, and ends it before a word")
    if isinstance(error, (TimeoutError, ConnectionAbortedError)):
        return OSError(f"it takes the connection, and says nothing within {seconds:.3g} s")
    if isinstance(error, ssl.SSLError):
        why = (error.reason or "it is none").lower().replace("_", " ")
        newest = context.minimum_version == ssl.TLSVersion.TLSv1_3
        return Stranger(f"it does not speak {'TLS 1.3' if newest else 'TLS'}: {why}")
    return error


def _mismatch(why: str = "it has another public key") -> BrowseError:
    return BrowseError(
        "REMOTE_MISMATCH",
        f"the other end is not the daemon of the pairing block: {why}",
        hint="Do not go on; ask the owner for a new block",
        code=9,
    )


class _Socket(ssl.SSLSocket):
    """A socket that can be asked whether it is still open."""

    def recv(self, buflen: int = 1024, flags: int = 0) -> Any:
        if flags == 0:
            return super().recv(buflen)
        # TLS cannot be peeked at. Between two calls nothing is to come but the
        # end: whatever is taken here ends the connection anyway.
        try:
            return super().recv(buflen)
        except ssl.SSLWantReadError:
            raise BlockingIOError from None


def public_key(certificate: bytes) -> bytes:
    """The public key of a certificate as it stands there, with its algorithm:
    `subjectPublicKeyInfo`. https://www.rfc-editor.org/rfc/rfc5280#section-4.1
    """
    _, at, _ = _element(certificate, 0)
    _, at, _ = _element(certificate, at)
    kind, _, end = _element(certificate, at)
    # Version, then serial number, signature, issuer, validity and subject.
    for _ in range(5 if kind != _VERSION else 6):
        _, _, at = _element(certificate, at)
    _, _, end = _element(certificate, at)
    return certificate[at:end]


def _element(data: bytes, at: int) -> tuple[int, int, int]:
    """Kind, begin and end of what an element of DER holds."""
    kind, length = data[at], data[at + 1]
    begin = at + 2
    if length & 0x80:
        begin += length & 0x7F
        length = int.from_bytes(data[at + 2 : begin], "big")
    if begin + length > len(data):
        raise ValueError("the certificate is cut off")
    return kind, begin, begin + length
