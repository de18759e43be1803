"""Connections to the gateway of a fleet, which is known by its name: a certificate authority
of this machine vouches for it, or one of a file that the user named."""

from __future__ import annotations

import asyncio
import socket
import ssl

from ._error import BrowseError
from ._fleet import is_loopback
from ._tls import GREETING, for_http, opened, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._fleet import FleetState

# Why a gateway does not accept a token.
_TOKEN_REASONS = (
    "TOKEN_MISSING",
    "TOKEN_INVALID",
    "TOKEN_EXPIRED",
    "TOKEN_REVOKED",
    "TOKEN_FOREIGN",
)


class Gateway:
    """Makes connections to a gateway: with TLS, or without it to this machine alone."""

    hint = "Check the network and the address of the fleet, and ask its operator"
    foreign_hint = (
        "Check the address of the fleet, and whether a proxy answers in place of its gateway"
    )

    def __init__(self, state: FleetState, login: str) -> None:
        # What a request names as its host.
        self.authority = state.authority
        self._is_tls = state.is_tls
        self._ca = state.ca
        # The command that signs in again.
        self._login = login
        self._context: ssl.SSLContext | None = None

    def greet(self, connection: socket.socket, host: str) -> socket.socket:
        """Begins TLS on a connection. Nothing is sent unless the gateway is the one meant."""
        if not self._is_tls:
            try:
                _check_peer(connection.getpeername())
            except OSError:
                connection.close()
                raise
            return connection
        try:
            context = self._trust()
            connection.settimeout(min(connection.gettimeout() or GREETING, GREETING))
            return wrapped(context, connection, host)
        except ssl.SSLCertVerificationError as error:
            raise _untrusted(error) from None
        except BrowseError:
            connection.close()
            raise

    async def open(
        self, host: str, port: int, seconds: float
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connects within so many seconds, for `asyncio`."""
        if not self._is_tls:
            opening = asyncio.open_connection(host, port)
            reader, writer = await asyncio.wait_for(opening, seconds)
            try:
                _check_peer(writer.get_extra_info("peername"))
            except OSError:
                writer.close()
                raise
            return reader, writer
        try:
            return await opened(host, port, self._trust(), min(seconds, GREETING))
        except ssl.SSLCertVerificationError as error:
            raise _untrusted(error) from None

    def advise(self, error: BrowseError) -> None:
        """Has an error about the token name the command that signs in again."""
        if error.reason in _TOKEN_REASONS:
            error.hint = f"Run `{self._login}` again"

    def _trust(self) -> ssl.SSLContext:
        if self._context is None:
            context = ssl.create_default_context()
            # As the command line, which takes authorities of one's own without these fields.
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT
            try:
                if self._ca:
                    context.load_verify_locations(self._ca)
            except OSError as error:
                raise _unusable(self._ca, error) from None
            self._context = for_http(context)
        return self._context


def _check_peer(peer: tuple[str, int]) -> None:
    # `localhost` is a name, which can resolve to any address.
    if not is_loopback(peer[0].removeprefix("::ffff:")):
        raise OSError("its host is not this machine, and the connection has no TLS")


def _untrusted(error: ssl.SSLCertVerificationError) -> BrowseError:
    return BrowseError(
        "CERTIFICATE_UNUSABLE",
        f"the certificate of the gateway is not trusted: {error.verify_message}",
        hint="Check the address; for an authority of your own, sign in with `--ca <file>`",
        code=9,
    )


def _unusable(path: str, error: OSError) -> BrowseError:
    why = error.reason if isinstance(error, ssl.SSLError) else error.strerror
    why = why.lower().replace("_", " ") if why else "it holds no certificate"
    return BrowseError(
        "CERTIFICATE_UNUSABLE",
        f"the certificate authorities of `{path}` cannot be used: {why}",
        hint="Sign in again with a file with certificates as PEM: `browse login <url> --ca <file>`",
        metadata={"path": path},
        code=9,
    )
