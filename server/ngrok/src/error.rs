//! Why there is no tunnel, or none any more.

use std::{error::Error as StdError, fmt};

use ngrok::{
    Error as _,
    session::{ConnectError, RpcError},
    tunnel::AcceptError,
};
use tokio_rustls::rustls;

/// Codes by which ngrok refuses a token: <https://ngrok.com/docs/errors>.
const TOKEN_ERROR_CODES: [&str; 5] =
    ["ERR_NGROK_105", "ERR_NGROK_106", "ERR_NGROK_107", "ERR_NGROK_4018", "ERR_NGROK_4019"];

/// What kind of trouble it is. The word of each is the daemon's, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NgrokErrorKind {
    /// There is no token, or ngrok does not take it.
    Token,
    /// The service cannot be reached.
    Unreachable,
    /// What answers is not known to be the service.
    Untrusted,
    /// The service does not want to.
    Refused,
    /// A variable makes no sense; its name stands first.
    Setting,
    /// Anything else.
    Other,
}

/// Trouble that ends the tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NgrokError {
    /// What kind it is.
    pub kind: NgrokErrorKind,
    /// What happened.
    pub message: String,
}

impl NgrokError {
    /// The token is missing or refused.
    pub fn token(why: String) -> Self {
        Self { kind: NgrokErrorKind::Token, message: why }
    }

    /// The service cannot be reached.
    pub fn unreachable(why: String) -> Self {
        Self { kind: NgrokErrorKind::Unreachable, message: why }
    }

    /// The service refuses.
    pub fn refused(why: String) -> Self {
        Self { kind: NgrokErrorKind::Refused, message: why }
    }

    /// The variable `name` makes no sense.
    pub fn setting(name: &str, why: impl fmt::Display) -> Self {
        Self { kind: NgrokErrorKind::Setting, message: format!("{name} {why}") }
    }

    /// Anything else.
    pub fn other(why: String) -> Self {
        Self { kind: NgrokErrorKind::Other, message: why }
    }

    /// What kept from signing in at `server`.
    pub fn from_connect(error: &ConnectError, server: &str) -> Self {
        match error {
            ConnectError::Tls(inner) if is_untrusted(inner) => Self {
                kind: NgrokErrorKind::Untrusted,
                message: format!("`{server}` is not known to be ngrok: {inner}"),
            },
            ConnectError::Auth(inner) | ConnectError::Rebind(inner) => {
                Self::from_rpc(inner, server)
            }
            other => {
                Self::unreachable(format!("`{server}` cannot be reached: {}", error_chain(other)))
            }
        }
    }

    /// What a call of the service came to.
    pub fn from_rpc(error: &RpcError, server: &str) -> Self {
        let RpcError::Response(answer) = error else {
            return Self::unreachable(format!("`{server}` broke off: {}", error_chain(error)));
        };
        let code = answer.error_code().unwrap_or_default();
        let why = match code {
            "" => format!("ngrok says: {}", answer.msg()),
            code => format!("ngrok says: {} ({code})", answer.msg()),
        };
        match TOKEN_ERROR_CODES.contains(&code) {
            true => Self::token(why),
            false => Self::refused(why),
        }
    }

    /// What makes it useless to sign in again, if anything does.
    pub fn permanent_failure(error: &AcceptError, server: &str) -> Option<Self> {
        let AcceptError::Reconnect(error) = error else { return None };
        match &**error {
            ConnectError::Auth(call @ RpcError::Response(_))
            | ConnectError::Rebind(call @ RpcError::Response(_)) => {
                Some(Self::from_rpc(call, server))
            }
            _ => None,
        }
    }

    /// What ended a tunnel.
    pub fn from_accept(error: &AcceptError, server: &str) -> Self {
        match error {
            AcceptError::ListenerClosed { message, error_code } => {
                let code = error_code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
                Self::refused(format!("ngrok closed the tunnel: {message}{code}"))
            }
            AcceptError::Reconnect(error) => Self::from_connect(error, server),
            other => Self::unreachable(format!("`{server}` broke off: {}", error_chain(other))),
        }
    }
}

impl fmt::Display for NgrokError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            NgrokErrorKind::Token => "token",
            NgrokErrorKind::Unreachable => "unreachable",
            NgrokErrorKind::Untrusted => "untrusted",
            NgrokErrorKind::Refused => "refused",
            NgrokErrorKind::Setting => "setting",
            NgrokErrorKind::Other => "other",
        };
        write!(f, "{kind}: {}", self.message)
    }
}

/// An error with what is behind it.
pub fn error_chain(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}

/// `text` on one line, without control characters.
pub fn single_line(text: &str) -> String {
    let visible = text.replace(|letter: char| letter.is_control(), " ");
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_untrusted(error: &std::io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    matches!(inner, Some(rustls::Error::InvalidCertificate(_)))
}
