//! What the command line does itself.

pub mod config;
pub mod dashboard;
pub mod extension;
pub mod login;
pub mod logout;
pub mod mcp;
pub mod redeem;
pub mod remote_dashboard;
pub mod stop_restart;
pub mod tunnel;
pub mod upgrade;

use browse_proto::Reason;
use serde_json::json;

use crate::{
    completions, execute,
    failure::{Failure, Result},
    globals::Globals,
    guide, print,
    request::PreparedRequest,
    response, suggest,
};

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs the local command `name`.
pub fn run(name: &str, words: &[String], globals: &Globals) -> Result<u8> {
    match (name, words) {
        ("config", words) => config::run(words, globals),
        ("upgrade", words) => upgrade::run(words, globals),
        ("__complete", words) => print::text(&completions::candidates(words).join("\n")),
        ("guide", words) => guide::run(words),
        ("login", words) => login::run(words, globals),
        ("logout", words) => logout::run(words, globals),
        ("mcp", words) => mcp::run(words),
        (_, [shell]) => match completions::script(shell) {
            Some(script) => print::text(script),
            None => Err(unknown_shell(shell)),
        },
        _ => {
            let message = "`completions` wants the name of a shell";
            let failure = Failure::new(Reason::ArgumentInvalid, message);
            Err(failure
                .with_usage("browse completions <bash|zsh|fish>")
                .with_hint("Run `browse help completions`"))
        }
    }
}

fn unknown_shell(shell: &str) -> Failure {
    let message = format!("there are no completions for `{shell}`");
    let failure = Failure::new(Reason::ArgumentInvalid, message);
    match suggest::nearest(shell, completions::SHELLS.iter().copied()) {
        Some(near) => failure.with_hint(format!("Did you mean `browse completions {near}`?")),
        None => failure.with_hint("Use one of bash, zsh, fish"),
    }
}

/// `version`: ours, and that of the daemon when one runs.
pub fn version(request: &PreparedRequest, globals: &Globals) -> Result<u8> {
    let daemon = match execute::unary(request, globals) {
        Ok((body, _)) => Some(response::decode(request.invocation.command, &body)?),
        Err(failure) if failure.has_reason(Reason::DaemonNotRunning) => None,
        Err(failure) => return Err(failure),
    };
    if globals.json {
        let result = json!({"version": VERSION, "daemon": daemon});
        return print::json_result(&result.to_string(), None);
    }
    let mut text = format!("browse {VERSION}\n");
    match daemon {
        Some(daemon) => {
            let field = |name: &str| daemon.get(name).and_then(|v| v.as_str()).unwrap_or_default();
            text.push_str(&format!("browsed {} (build {})\n", field("version"), field("build_id")));
            if !field("browser").is_empty() {
                text.push_str(&format!("browser {}\n", field("browser")));
            }
        }
        None => text.push_str("browsed is not running\n"),
    }
    print::text(&text)
}
