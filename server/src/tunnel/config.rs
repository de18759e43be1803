//! What tunnel an owner wants.

use std::{
    collections::HashMap,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use browse_proto::{Reason, v1};

use super::{ListenConfig, display_line::MAX_DISPLAY_CHARS, ngrok, program_path, redact_command};
use crate::skills::environment_of_caller;
use browse_base::{Error, HINT_KEY, Result, hex};

/// What forwards to the listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Nothing.
    None,
    /// A program of the user's.
    Command,
    /// Our program for ngrok.
    Ngrok,
}

/// What the settings say of the tunnel and its listener.
#[derive(Clone, Debug, Default)]
pub struct TunnelSettings {
    /// The home of browse, with the certificate and the receipts.
    pub home: PathBuf,
    /// A certificate instead of that of the home.
    pub certificate: Option<PathBuf>,
    /// The key of that certificate.
    pub key: Option<PathBuf>,
    /// What forwards when a request does not name it; it starts with the daemon.
    pub provider: Option<Provider>,
    /// The command of a tunnel that is one.
    pub command: Option<String>,
    /// Opens the listener with the daemon, on this machine, and no tunnel.
    pub local_only: bool,
}

/// A tunnel that is wanted.
#[derive(Clone, Debug)]
pub struct TunnelConfig {
    /// What forwards.
    pub provider: Provider,
    /// The program and its arguments, as they were given; empty for none.
    pub command: String,
    /// Where the listener shall be, and how it is reached where that is known.
    pub listen: ListenConfig,
    /// Variables of the program.
    pub environment: std::collections::BTreeMap<String, String>,
}

/// Letters of a command that is looked into at all, its secrets among them.
const MAX_COMMAND_CHARS: usize = 8192;

impl Provider {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Command => "command",
            Self::Ngrok => "ngrok",
        }
    }

    /// The provider of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::None, Self::Command, Self::Ngrok].into_iter().find(|one| one.name() == name)
    }
}

impl TunnelConfig {
    /// Reads what the owner specified, else what the settings say. A program that is
    /// named from `folder` on is written out whole: what is agreed to is the
    /// same wherever it is reported.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`.
    pub fn from_request(
        request: &v1::StartTunnelRequest,
        settings: &TunnelSettings,
        folder: Option<&Path>,
    ) -> Result<Self> {
        let output = match request.provider() {
            v1::TunnelProvider::None => Some(Provider::None),
            v1::TunnelProvider::Command => Some(Provider::Command),
            v1::TunnelProvider::Ngrok => Some(Provider::Ngrok),
            v1::TunnelProvider::Unspecified => None,
        };
        let named = request.tunnel_cmd.as_deref();
        let provider = output.or_else(|| named.map(|_| Provider::Command)).or(settings.provider);
        let provider = provider.ok_or_else(|| {
            invalid("say what forwards: `--provider ngrok`, `--tunnel-cmd <command>` or `--provider none`")
        })?;
        let command = match (provider, named.or(settings.command.as_deref())) {
            (Provider::Ngrok, _) if named.is_none() => ngrok::NGROK_PROGRAM.to_owned(),
            (Provider::None, _) if named.is_none() => String::new(),
            (Provider::Command, Some(command)) if !command.trim().is_empty() => {
                let folder = folder.filter(|_| named.is_some());
                folder.map_or(Ok(command.to_owned()), |folder| resolve_program(command, folder))?
            }
            (Provider::Command, _) => {
                return Err(invalid("`--provider command` wants `--tunnel-cmd <command>`"));
            }
            _ => return Err(invalid("`--tunnel-cmd` goes with `--provider command` alone")),
        };
        ensure_displayable(&command)?;
        let place = ListenConfig::from_request(
            "tunnel start",
            request.listen.as_deref(),
            request.address.as_deref(),
        )?;
        if provider == Provider::Ngrok && place.address.is_some() {
            return Err(invalid(
                "ngrok gives out the address: leave `--address` out, and set NGROK_DOMAIN for a domain of yours",
            ));
        }
        let environment = environment_of_caller(request.environment.clone());
        let environment = match provider {
            Provider::Ngrok => ngrok::ngrok_environment(environment),
            _ => environment,
        };
        Ok(Self { provider, command, listen: place, environment })
    }

    /// What the settings want at the start of the daemon, if anything.
    ///
    /// # Errors
    /// As [`TunnelConfig::read`].
    pub fn from_settings(settings: &TunnelSettings) -> Result<Option<Self>> {
        if settings.provider.is_none() || settings.local_only {
            return Ok(None);
        }
        let environment = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        let environment: HashMap<_, _> = environment.collect();
        let request = v1::StartTunnelRequest { environment, ..Default::default() };
        Self::from_request(&request, settings, None).map(Some)
    }

    /// Checks what can be known before anything is started.
    ///
    /// # Errors
    /// `NGROK_PROGRAM_MISSING`, `TUNNEL_TOKEN_MISSING`, `TUNNEL_PROGRAM_MISSING`.
    pub fn check_prerequisites(&self) -> Result<()> {
        match self.provider {
            Provider::Ngrok => ngrok::check_prerequisites(&self.environment),
            Provider::Command => {
                let words = split_command(&self.command)?;
                program_path::find_program(
                    words.first().map_or("", String::as_str),
                    &self.environment,
                )
                .map(drop)
            }
            Provider::None => Ok(()),
        }
    }

    /// The words of the program, with the listener in them; none for none.
    /// `fingerprint` is that of its certificate.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`; `NGROK_PROGRAM_MISSING`.
    pub fn argv(&self, listener: SocketAddr, fingerprint: &[u8]) -> Result<Vec<String>> {
        if self.provider == Provider::Ngrok {
            let program = ngrok::ngrok_path()?.to_string_lossy().into_owned();
            return Ok(vec![program, listener.to_string(), hex(fingerprint)]);
        }
        let url = format!("https://{listener}");
        let fill = |word: String| {
            let word = word.replace("{url}", &url).replace("{address}", &listener.to_string());
            word.replace("{port}", &listener.port().to_string())
        };
        Ok(split_command(&self.command)?.into_iter().map(fill).collect())
    }

    /// Whether the program is ours, and says what happens in its own words.
    pub fn is_bundled(&self) -> bool {
        self.provider == Provider::Ngrok
    }

    /// The command as it may be shown and written down: whole but for its
    /// secrets, since no longer one is read.
    pub fn redacted_command(&self) -> String {
        redact_command::redact_command(&self.command)
    }

    /// How the owner starts the same again, for a hint: the command in
    /// backticks, where it may be shown.
    pub fn restart_command(&self) -> String {
        let how = match self.provider {
            Provider::Command if !self.is_displayable() => None,
            Provider::Command => shlex::try_quote(&self.command)
                .ok()
                .map(|command| format!("--tunnel-cmd {command}")),
            provider => Some(format!("--provider {}", provider.name())),
        };
        let Some(how) = how else { return "the same command again".to_owned() };
        let mut line = format!("browse tunnel start {how}");
        if let Some(listen) = self.listen.listen {
            line = format!("{line} --listen {listen}");
        }
        if let Some(address) = &self.listen.address {
            line = format!("{line} --address {address}");
        }
        format!("`{line}`")
    }

    /// Whether the command can stand on one line as it is: it holds no secret.
    fn is_displayable(&self) -> bool {
        let bare = redact_command::redact_command(&self.command);
        let letters = self.command.chars();
        !bare.contains(browse_secrets::REDACTED)
            && browse_secrets::redact(&self.command) == self.command
            && browse_content::clean(&self.command) == self.command
            && letters.clone().count() <= MAX_DISPLAY_CHARS
            && !letters.clone().any(|letter| letter.is_control() || letter == '`')
    }

    /// What becomes reachable, for the owner to agree to.
    pub fn consent_statement(&self, project: &Path) -> String {
        let project = project.display();
        let (from, middle) = match self.provider {
            Provider::Ngrok => ("the internet, through the servers of ngrok".to_owned(), true),
            Provider::Command => {
                (format!("wherever `{}` forwards from", self.redacted_command()), true)
            }
            Provider::None => match self.listen.listen.filter(|at| !at.ip().is_loopback()) {
                Some(listen) => (format!("every network that reaches {listen}"), false),
                None => ("this machine, and whatever forwards to it".to_owned(), false),
            },
        };
        let who = match middle {
            true => {
                "Whoever runs the tunnel may end TLS; it then reads and can change all that agents send and get, their tokens included."
            }
            false => "TLS ends here; agents know the daemon by the pin of its certificate.",
        };
        let at = match self.listen.listen.filter(|at| middle && !at.ip().is_loopback()) {
            Some(listen) => format!(", and from every network that reaches {listen}"),
            None => String::new(),
        };
        format!(
            "a tunnel makes the listener for paired agents of `{project}` reachable from {from}{at}. Anonymous callers can only try setup keys there. Whoever is paired can use what the pairing grants: tabs of this browser, and your cookies where you pair with `--session`. {who}"
        )
    }
}

/// A command taken apart as a shell would.
fn split_command(command: &str) -> Result<Vec<String>> {
    let words = shlex::split(command);
    let words = words.filter(|words| command.is_empty() || !words.is_empty());
    words.ok_or_else(|| {
        invalid("`--tunnel-cmd` is not a command: a quote has no end, or it is empty")
    })
}

/// Refuses a command that no owner could agree to by what is shown of it.
fn ensure_displayable(command: &str) -> Result<()> {
    let why = if command.chars().count() > MAX_COMMAND_CHARS {
        "longer than can be shown"
    } else {
        let odd =
            |word: &String| browse_content::clean(word) != *word || word.contains(char::is_control);
        if split_command(command)?.iter().any(odd) {
            "not to be shown on one line: a word of it holds a line break, or letters that are not seen"
        } else if redact_command::redact_command(command).chars().count() > MAX_DISPLAY_CHARS {
            "longer than can be shown"
        } else {
            return Ok(());
        }
    };
    let error = invalid(&format!("`--tunnel-cmd` is {why}, and is agreed to by what is shown"));
    Err(error.with(
        HINT_KEY,
        "Put the command into a script, and name that: `--tunnel-cmd './tunnel.sh {url}'`",
    ))
}

/// A command whose program is named by a path, from `folder` on.
fn resolve_program(command: &str, folder: &Path) -> Result<String> {
    let words = split_command(command)?;
    let Some(program) = words.first() else { return Ok(command.to_owned()) };
    if !program.contains('/') || program.starts_with('/') {
        return Ok(command.to_owned());
    }
    // `.` goes, so that one program has one name.
    let path: PathBuf = folder.join(program).components().collect();
    let path = path
        .to_str()
        .ok_or_else(|| invalid("`--tunnel-cmd` is below a folder whose name is not text"))?;
    let odd = |_| invalid("`--tunnel-cmd` is not a command: it holds a zero byte");
    let path = shlex::try_quote(path).map_err(odd)?;
    let plain = command.trim_start().strip_prefix(program.as_str());
    match plain.filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)) {
        Some(rest) => Ok(format!("{path}{rest}")),
        None => {
            let rest = shlex::try_join(words[1..].iter().map(String::as_str)).map_err(odd)?;
            Ok(format!("{path} {rest}").trim_end().to_owned())
        }
    }
}

fn invalid(message: &str) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "tunnel start")
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
