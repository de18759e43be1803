//! The flags of the program.

use browse_cli::Failure;
use browse_proto::Reason;
use serde_json::Value;

use crate::tools::ToolName;

/// What the program is asked to do.
pub enum Action {
    /// Prints how it is called.
    Help,
    /// Serves a client.
    Serve(ServerOptions),
    /// Serves clients over HTTP.
    ServeHttp {
        /// Flags.
        options: ServerOptions,
        /// Port on loopback; 0 for one that is free.
        port: u16,
    },
    /// Makes one call.
    Call {
        /// Flags.
        options: ServerOptions,
        /// Name of the tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
}

/// What a server offers, and to whom.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// The fleet that is driven; what the environment names when there is none.
    pub remote: Option<String>,
    /// The session that it acts in; one of its own when there is none.
    pub session: Option<String>,
    /// The hosts that may be opened; every public one when empty.
    pub hosts: Vec<String>,
    /// Whether pages are only read.
    pub read_only: bool,
    /// The tools that are offered; all when empty.
    pub tools: Vec<ToolName>,
    /// Whether the client is not asked for approvals: the user runs `browse approve`.
    pub approves_in_terminal: bool,
    /// Whether several clients call: then a call without a handle opens a session.
    pub shares_process: bool,
}

impl ServerOptions {
    /// Whether a server with these options offers `tool`.
    pub fn offers(&self, tool: ToolName) -> bool {
        let is_chosen = self.tools.is_empty() || self.tools.contains(&tool);
        is_chosen && !(self.read_only && tool.needs_write())
    }
}

/// Reads argv, without the name of the program.
///
/// # Errors
/// A flag, a tool or a JSON document that is not valid.
pub fn parse(words: &[String]) -> Result<Action, Failure> {
    let (mut options, mut rest) = (ServerOptions::default(), Vec::new());
    if let Ok(place) = std::env::var("BROWSE_MCP_APPROVALS") {
        options.approves_in_terminal = in_terminal(&place)?;
    }
    let mut port = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (flag, inline) = match word.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        let mut value = || {
            let value = inline.clone().or_else(|| words.next().cloned());
            value.ok_or_else(|| invalid(format!("`{flag}` needs a value")))
        };
        match flag {
            "-h" | "--help" => return Ok(Action::Help),
            "--remote" => options.remote = Some(value()?),
            "--session" => options.session = Some(session_name(value()?)?),
            "--host" => options.hosts.push(host_pattern(value()?)?),
            "--http" => {
                let text = inline.clone().unwrap_or_else(|| "0".to_owned());
                port = Some(text.parse().map_err(|_| invalid(format!("`{text}` is not a port")))?);
            }
            "--approvals" => options.approves_in_terminal = in_terminal(&value()?)?,
            "--read-only" => options.read_only = true,
            "--tools" => {
                for name in value()?.split(',').map(str::trim) {
                    let tool = ToolName::parse(name);
                    options.tools.push(tool.ok_or_else(|| unknown_tool(name, &ToolName::ALL))?);
                }
            }
            flag if flag.starts_with('-') => {
                return Err(invalid(format!("`{flag}` is not a flag of `browse mcp`")));
            }
            _ => rest.push(word.clone()),
        }
    }
    match rest.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => Ok(match port {
            Some(port) => Action::ServeHttp { options, port },
            None => Action::Serve(options),
        }),
        ["call", ..] if port.is_some() => {
            Err(invalid("`--http` is not for `call`, which makes one call and ends".to_owned()))
        }
        ["call", tool] => {
            let arguments = Value::Object(serde_json::Map::new());
            Ok(Action::Call { options, tool: (*tool).to_owned(), arguments })
        }
        ["call", tool, json] => {
            let arguments = serde_json::from_str(json)
                .map_err(|error| invalid(format!("the arguments are not JSON: {error}")))?;
            Ok(Action::Call { options, tool: (*tool).to_owned(), arguments })
        }
        ["call"] => Err(invalid("`call` needs the name of a tool".to_owned())),
        [word, ..] => Err(invalid(format!("`{word}` is not an argument of `browse mcp`"))),
    }
}

/// Whether `place`, a value of `--approvals`, is the terminal.
fn in_terminal(place: &str) -> Result<bool, Failure> {
    match place {
        "client" => Ok(false),
        "terminal" => Ok(true),
        _ => Err(invalid(format!("`--approvals` is client or terminal, not `{place}`"))),
    }
}

/// A name that a session can have.
fn session_name(name: String) -> Result<String, Failure> {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    match (1..=64).contains(&name.len()) && name.chars().all(is_valid) {
        true => Ok(name),
        false => Err(invalid(
            "`--session` is a name of letters, digits, dash, dot and underscore".to_owned(),
        )),
    }
}

/// What can be a pattern of hosts; the daemon reads it whole.
fn host_pattern(pattern: String) -> Result<String, Failure> {
    let host = pattern.strip_prefix("*.").unwrap_or(&pattern);
    let is_wrong = |c: char| c.is_whitespace() || c.is_control() || "/@?#*,".contains(c);
    match !host.is_empty() && !host.contains(is_wrong) {
        true => Ok(pattern),
        false => Err(invalid(
            "`--host` is a host such as example.com, *.example.com or example.com:8443".to_owned(),
        )),
    }
}

/// The failure for a tool that there is not.
pub fn unknown_tool(name: &str, offered: &[ToolName]) -> Failure {
    let known = offered.iter().map(|tool| tool.name()).collect::<Vec<_>>().join(", ");
    Failure::new(Reason::ArgumentInvalid, format!("there is no tool `{name}`"))
        .with_hint(format!("The tools are {known}"))
}

fn invalid(message: String) -> Failure {
    Failure::new(Reason::ArgumentInvalid, message).with_hint("Run `browse mcp --help`")
}

#[cfg(test)]
mod tests {
    use super::{Action, parse};

    fn words(line: &str) -> Vec<String> {
        shlex::split(line).expect("words")
    }

    #[test]
    fn flags_are_read_in_both_forms() {
        let line = "--remote prod --session=work --host a.example --host=b.example --read-only --tools open,read";
        let Ok(Action::Serve(options)) = parse(&words(line)) else { panic!("it serves") };
        assert_eq!(options.remote.as_deref(), Some("prod"));
        assert_eq!(options.session.as_deref(), Some("work"));
        assert_eq!(options.hosts, ["a.example", "b.example"]);
        assert!(options.read_only);
        assert_eq!(options.tools.len(), 2);
    }

    #[test]
    fn what_is_wrong_has_a_reason() {
        for line in [
            "--nope",
            "--session",
            "--tools nope",
            "--approvals always",
            "--tools ''",
            "--tools open,,read",
            "--host ''",
            "--host '*'",
            "--host https://example.com/x",
            "--host 'a b'",
            "--session ''",
            "--session a/b",
            "--http call tabs",
            "call",
            "call open {",
            "serve",
        ] {
            let Err(failure) = parse(&words(line)) else { panic!("{line}") };
            assert_eq!(failure.exit, 2, "{line}");
        }
    }
}
