//! `browse-ngrok`, which opens a tunnel of ngrok: where it is, what it gets, and
//! what it says.

use std::{
    collections::BTreeMap,
    env,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use browse_proto::Reason;

use super::display_line::to_display_line;
use browse_base::{Error, Result};

/// The program; it lies beside ours.
pub const NGROK_PROGRAM: &str = "browse-ngrok";
/// Variable of the token.
pub const TOKEN_VARIABLE: &str = "NGROK_AUTHTOKEN";
/// The variables that it gets.
const NGROK_VARIABLES: [&str; 6] = [
    TOKEN_VARIABLE,
    "NGROK_SERVER_ADDR",
    "NGROK_ROOT_CAS",
    "NGROK_DOMAIN",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];
/// What stands before the address in what it prints.
pub const URL_PREFIX: &str = "url=";
/// The place of its errors, by their code.
const ERROR_DOCS_URL: &str = "https://ngrok.com/docs/errors";
/// Stands for the listener in a command, so also in one that a hint names.
pub const LISTENER_PLACEHOLDER: &str = "{url}";

/// What it has reported of itself.
#[derive(Clone, Debug, Default)]
pub struct NgrokStatus(Arc<Mutex<NgrokState>>);

#[derive(Debug, Default)]
struct NgrokState {
    unreachable_reason: Option<String>,
    failure: Option<(Reason, String)>,
}

/// Where the program is.
///
/// # Errors
/// `NGROK_PROGRAM_MISSING`.
pub fn ngrok_path() -> Result<PathBuf> {
    let path = env::current_exe().unwrap_or_default().with_file_name(NGROK_PROGRAM);
    match path.is_file() {
        true => Ok(path),
        false => {
            let message = format!("the program `{}` is missing", path.display());
            Err(Error::new(Reason::NgrokProgramMissing, message).with("url", LISTENER_PLACEHOLDER))
        }
    }
}

/// What of `all` is for it.
pub fn ngrok_environment(all: BTreeMap<String, String>) -> BTreeMap<String, String> {
    all.into_iter().filter(|(name, _)| NGROK_VARIABLES.contains(&name.as_str())).collect()
}

/// Checks what can be known before anything is started.
///
/// # Errors
/// `NGROK_PROGRAM_MISSING`, `TUNNEL_TOKEN_MISSING`.
pub fn check_prerequisites(environment: &BTreeMap<String, String>) -> Result<()> {
    ngrok_path()?;
    match environment.get(TOKEN_VARIABLE).is_some_and(|token| !token.trim().is_empty()) {
        true => Ok(()),
        false => {
            let message = format!("ngrok wants a token, and {TOKEN_VARIABLE} is not set");
            Err(Error::new(Reason::TunnelTokenMissing, message).with("url", LISTENER_PLACEHOLDER))
        }
    }
}

impl NgrokStatus {
    /// Takes note of a line.
    pub fn parse_line(&self, line: &str) {
        let mut state = self.lock();
        if line == "back" {
            state.unreachable_reason = None;
        } else if let Some(why) = line.strip_prefix("away: ") {
            state.unreachable_reason = Some(to_display_line(why));
        } else if let Some((kind, why)) =
            line.strip_prefix("failed ").and_then(|rest| rest.split_once(": "))
        {
            state.failure = Some((reason(kind), why.to_owned()));
        }
    }

    /// Why its service is out of reach just now.
    pub fn unreachable_reason(&self) -> Option<String> {
        self.lock().unreachable_reason.clone()
    }

    /// Why it has ended, where it reported it. `bare` takes out what must not be
    /// shown.
    pub fn failure(&self, bare: impl Fn(&str) -> String) -> Option<Error> {
        let (reason, why) = self.lock().failure.clone()?;
        let code = why.rsplit_once("(ERR_NGROK_").and_then(|(_, rest)| rest.split_once(')'));
        let digits =
            |code: &str| !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit());
        let page = match code {
            Some((code, "")) if digits(code) => format!("{ERROR_DOCS_URL}/err_ngrok_{code}"),
            _ => ERROR_DOCS_URL.to_owned(),
        };
        let error = Error::new(reason, bare(&why));
        Some(match reason {
            Reason::NgrokRefused => error.with("page", page),
            Reason::TunnelTokenMissing | Reason::NgrokFailed => {
                error.with("url", LISTENER_PLACEHOLDER)
            }
            Reason::NgrokSettingInvalid => {
                let named = NGROK_VARIABLES.into_iter().find(|name| why.starts_with(name));
                error.with("setting", named.unwrap_or("the variable"))
            }
            _ => error,
        })
    }

    fn lock(&self) -> MutexGuard<'_, NgrokState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reason of a kind of trouble, by its word.
fn reason(kind: &str) -> Reason {
    match kind {
        "token" => Reason::TunnelTokenMissing,
        "unreachable" => Reason::NgrokUnreachable,
        "untrusted" => Reason::NgrokUntrusted,
        "refused" => Reason::NgrokRefused,
        "setting" => Reason::NgrokSettingInvalid,
        _ => Reason::NgrokFailed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_says_is_understood() {
        let report = NgrokStatus::default();
        for line in ["url=https://x.ngrok.app", "failed", "failed x", "back", "", "away"] {
            report.parse_line(line);
            assert!(
                report.unreachable_reason().is_none() && report.failure(str::to_owned).is_none(),
                "{line}"
            );
        }
        report.parse_line("away: it \u{1b}[31mbroke");
        assert!(report.unreachable_reason().expect("it is away").starts_with("it "));
        report.parse_line("back");
        assert_eq!(report.unreachable_reason(), None);
        for (kind, reason) in [
            ("token", Reason::TunnelTokenMissing),
            ("unreachable", Reason::NgrokUnreachable),
            ("untrusted", Reason::NgrokUntrusted),
            ("refused", Reason::NgrokRefused),
            ("setting", Reason::NgrokSettingInvalid),
            ("other", Reason::NgrokFailed),
        ] {
            report.parse_line(&format!("failed {kind}: ngrok says: no (ERR_NGROK_108)"));
            let error = report.failure(str::to_uppercase).expect("it failed");
            assert_eq!(error.reason(), reason);
            assert!(error.to_string().contains("NGROK SAYS: NO"), "{error}");
        }
        report.parse_line("failed refused: no (ERR_NGROK_108)");
        let hint = |report: &NgrokStatus| report.failure(str::to_owned).expect("it failed").hint();
        assert!(hint(&report).contains("errors/err_ngrok_108"), "{}", hint(&report));
        report.parse_line("failed setting: NGROK_ROOT_CAS names `/x`, which cannot be read");
        assert!(hint(&report).contains("`unset NGROK_ROOT_CAS`"), "{}", hint(&report));
        report.parse_line("failed other: it has a bug");
        assert!(hint(&report).contains("'ngrok http {url} --log stdout'"), "{}", hint(&report));
        // What the service makes up is not an address of a page.
        report.parse_line("failed refused: no (ERR_NGROK_1/../x)");
        assert!(!hint(&report).contains("err_ngrok"), "{}", hint(&report));
    }

    #[test]
    fn it_gets_what_it_needs_and_nothing_else() {
        let all = ["NGROK_AUTHTOKEN", "NGROK_DOMAIN", "AWS_SECRET_ACCESS_KEY", "PATH", "HOME"];
        let all = all.map(|name| (name.to_owned(), "v".to_owned()));
        let kept = ngrok_environment(all.into_iter().collect());
        assert_eq!(kept.into_keys().collect::<Vec<_>>(), ["NGROK_AUTHTOKEN", "NGROK_DOMAIN"]);
    }
}
