//! What `login` is given.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{self, PathBuf},
    time::Duration,
};

use browse_proto::Reason;

use crate::{
    failure::{Failure, Result},
    fleet_remote::{MAX_TOKEN_BYTES, is_bearer_token},
    globals::Globals,
    inputs, io_failure, remote_name,
};
use browse_pin::HttpsUrl;

const USAGE: &str =
    "browse login <url> [--name <name>] [--token-file <file> | --token-stdin] [--ca <file>]";
const RENEW_USAGE: &str = "browse login --renew <name> [--rejected-stdin]";

const REJECTED_STDIN: &str = "--rejected-stdin";

/// Bytes of what holds a token: blanks may be around it.
const MAX_INPUT_BYTES: usize = MAX_TOKEN_BYTES + 1024;

/// What `login` is asked for.
#[derive(Debug, PartialEq, Eq)]
pub enum LoginAction {
    /// To sign in.
    SignIn(LoginOptions),
    /// To make the token of a sign-in good.
    Renew(RenewOptions),
}

/// What a sign-in is given.
#[derive(Debug, PartialEq, Eq)]
pub struct LoginOptions {
    /// The address of the gateway.
    pub url: HttpsUrl,
    /// The name of the remote.
    pub name: Option<String>,
    /// A file with certificate authorities.
    pub ca: Option<PathBuf>,
    /// Where the token comes from.
    pub source: TokenSource,
}

/// What `login --renew` is given.
#[derive(Debug, PartialEq, Eq)]
pub struct RenewOptions {
    /// The name of the remote.
    pub name: String,
    /// Whether standard input has a token that the gateway rejected.
    pub reads_rejected_token: bool,
}

/// Where the token comes from.
#[derive(Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// A person signs in at the issuer.
    DeviceFlow,
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl LoginAction {
    /// Reads the words after `login`.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`.
    pub fn read(words: &[String], globals: &Globals) -> Result<Self> {
        if globals.addr.is_some() || globals.token.is_some() {
            let message = "`login` takes neither `--addr` nor `--token`";
            return Err(misused(message)
                .with_hint("Pass a token by `--token-stdin` or `--token-file <file>`"));
        }
        let renews =
            |word: &String| word.starts_with("--renew=") || word.as_str() == REJECTED_STDIN;
        match words.iter().any(renews) {
            true => RenewOptions::read(words, globals).map(Self::Renew),
            false => LoginOptions::read(words, globals).map(Self::SignIn),
        }
    }
}

impl RenewOptions {
    fn read(words: &[String], globals: &Globals) -> Result<Self> {
        let misused = || {
            let message = "`login --renew` takes the name of one fleet";
            Err(misused(message).with_usage(RENEW_USAGE))
        };
        let (mut name, mut reads_rejected_token) = (None, false);
        for word in words {
            match word.split_once('=').unwrap_or((word.as_str(), "")) {
                ("--renew", value) if name.is_none() => {
                    name = Some(remote_name::check_name(value)?);
                }
                (REJECTED_STDIN, _) => reads_rejected_token = true,
                _ => return misused(),
            }
        }
        match (name, &globals.remote) {
            (Some(name), None) => Ok(Self { name, reads_rejected_token }),
            _ => misused(),
        }
    }
}

impl LoginOptions {
    fn read(words: &[String], globals: &Globals) -> Result<Self> {
        let (mut url, mut ca, mut source) = (None, None, None);
        let mut name = globals.remote.clone();
        for word in words {
            let is_repeated = match word.split_once('=').unwrap_or((word.as_str(), "")) {
                ("--name", value) => {
                    name = Some(remote_name::check_name(value)?);
                    false
                }
                ("--ca", value) => ca.replace(absolute(value)?).is_some(),
                ("--token-file", value) => {
                    source.replace(TokenSource::File(PathBuf::from(value))).is_some()
                }
                ("--token-stdin", _) => source.replace(TokenSource::Stdin).is_some(),
                _ => url.replace(parse_url(word)?).is_some(),
            };
            if is_repeated {
                let message = "`login` takes one address and one source of the token";
                return Err(misused(message));
            }
        }
        let url = url.ok_or_else(|| misused("`login` wants the address of a fleet"))?;
        Ok(Self { url, name, ca, source: source.unwrap_or(TokenSource::DeviceFlow) })
    }
}

impl TokenSource {
    /// The token that was passed; none when a person signs in. Standard input has to end within
    /// `time`.
    ///
    /// # Errors
    /// It cannot be read, or is not a token.
    pub fn passed_token(&self, time: Duration) -> Result<Option<String>> {
        let (text, place) = match self {
            Self::DeviceFlow => return Ok(None),
            Self::Stdin => {
                (inputs::read_stdin("login", MAX_INPUT_BYTES, time)?, "standard input".to_owned())
            }
            Self::File(path) => {
                let place = format!("`{}`", path.display());
                let read = || -> io::Result<String> {
                    let mut text = String::new();
                    let file = File::open(path)?;
                    file.take(MAX_INPUT_BYTES as u64).read_to_string(&mut text)?;
                    Ok(text)
                };
                let text = read().map_err(|error| {
                    let why = io_failure::error_text(&error);
                    let message = format!("{place} cannot be read: {why}");
                    Failure::new(Reason::FileUnreadable, message)
                        .with_hint("Give `--token-file` a file that holds one token")
                })?;
                (text, place)
            }
        };
        let token = text.trim();
        match is_bearer_token(token) {
            true => Ok(Some(token.to_owned())),
            // It is not repeated: it may be a secret of another kind.
            false => {
                let message = format!("{place} holds no token: one word of ASCII");
                Err(misused(&message).with_hint("Pass the token alone, in one line"))
            }
        }
    }
}

fn parse_url(word: &str) -> Result<HttpsUrl> {
    let invalid = |why: &str| {
        misused(&format!("`{word}` is not the address of a fleet: {why}"))
            .with_hint("Write it as in `browse login https://browse.example.com`")
    };
    let url = HttpsUrl::parse(word).map_err(invalid)?;
    match url.is_origin() {
        true => Ok(url),
        false => Err(invalid("it has a path")),
    }
}

/// Commands in other folders read it, too.
fn absolute(file: &str) -> Result<PathBuf> {
    path::absolute(file).map_err(|error| {
        let why = io_failure::error_text(&error);
        misused(&format!("`--ca` names no file: {why}"))
    })
}

fn misused(message: &str) -> Failure {
    Failure::new(Reason::ArgumentInvalid, message)
        .with_usage(USAGE)
        .with_hint("Run `browse help login`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_action(words: &[&str]) -> Result<LoginAction> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        LoginAction::read(&words, &Globals::default())
    }

    fn read(words: &[&str]) -> Result<LoginOptions> {
        match read_action(words)? {
            LoginAction::SignIn(options) => Ok(options),
            LoginAction::Renew(options) => panic!("{options:?}"),
        }
    }

    #[test]
    fn one_fleet_is_renewed() {
        let renewal = |reads_rejected_token| {
            let name = "fleet".to_owned();
            Ok(LoginAction::Renew(RenewOptions { name, reads_rejected_token }))
        };
        assert_eq!(read_action(&["--renew=fleet"]), renewal(false));
        assert_eq!(read_action(&["--rejected-stdin", "--renew=fleet"]), renewal(true));
        for words in [
            &["--rejected-stdin"][..],
            &["--renew=../a"],
            &["--renew=fleet", "--renew=fleet"],
            &["--renew=fleet", "https://a.example"],
            &["--renew=fleet", "--name=b"],
            &["--renew=fleet", "--token-stdin"],
            &["--renew=fleet", "other"],
        ] {
            let failure = read_action(words).expect_err("they do not fit");
            assert!(failure.has_reason(Reason::ArgumentInvalid), "{words:?}");
        }
    }

    #[test]
    fn one_address_and_one_source_are_taken() {
        let options = read(&["https://a.example", "--name=a", "--ca=/c.pem"]).expect("they fit");
        assert_eq!(options.name.as_deref(), Some("a"));
        assert_eq!(options.ca, Some(PathBuf::from("/c.pem")));
        assert_eq!(options.source, TokenSource::DeviceFlow);
        let options = read(&["--token-file=t", "http://127.0.0.1:1"]).expect("they fit");
        assert_eq!(options.source, TokenSource::File(PathBuf::from("t")));
        for words in [
            &[][..],
            &["https://a.example", "https://b.example"],
            &["https://a.example/path"],
            &["http://a.example"],
            &["a.example"],
            &["https://a.example", "--name=../a"],
            &["https://a.example", "--token-stdin", "--token-file=t"],
            &["https://a.example", "--ca="],
        ] {
            let failure = read(words).expect_err("they do not fit");
            assert!(failure.has_reason(Reason::ArgumentInvalid), "{words:?}");
        }
    }

    #[test]
    fn a_token_on_the_command_line_is_refused() {
        let globals = Globals { token: Some("secret".to_owned()), ..Globals::default() };
        let words = ["https://a.example".to_owned()];
        let failure = LoginAction::read(&words, &globals).expect_err("others see it");
        assert!(failure.hint.contains("--token-stdin"));
    }

    #[test]
    fn a_file_holds_one_token() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        let read = |text: &str| {
            std::fs::write(&path, text).expect("it writes");
            TokenSource::File(path.clone()).passed_token(Duration::ZERO)
        };
        assert_eq!(read(" a.b.c\n"), Ok(Some("a.b.c".to_owned())));
        for text in ["", "\n", "two words", "ü", &"x".repeat(MAX_TOKEN_BYTES + 1)] {
            let failure = read(text).expect_err("it is not a token");
            assert!(failure.has_reason(Reason::ArgumentInvalid));
            assert!(text.trim().is_empty() || !failure.message.contains(text));
        }
    }
}
