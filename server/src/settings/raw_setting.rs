//! Turns the text of a setting into its type.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use browse_proto::Reason;
use url::Url;

use crate::{egress, skills::SandboxMode, tunnel::Provider};
use browse_base::{Error, Result};
use browse_chromium::{CdpAddress, DialogPolicy, UserAgentMode};
use browse_content::{LlmApi, LlmApiKey, clean_line};
use browse_net::HostRules;
use browse_policy::DeniedCommands;

/// The text of a setting and where it stands.
#[derive(Clone, Debug)]
pub struct RawSetting {
    /// The setting.
    pub name: &'static str,
    /// Its text; a list is one text per item.
    pub items: Vec<String>,
    /// Where it stands: `--port`, `BROWSE_PORT` or `config.toml:3`.
    pub source: String,
}

impl RawSetting {
    fn text(&self) -> &str {
        self.items.first().map_or("", String::as_str)
    }

    /// The text of a setting that takes one value.
    fn single(&self) -> Result<&str> {
        match self.items.len() {
            0 | 1 => Ok(self.text()),
            _ => {
                Err(invalid_setting(self.name, &self.source, "it takes one value, and not a list"))
            }
        }
    }

    fn invalid(&self, wanted: &str) -> Error {
        invalid_setting(
            self.name,
            &self.source,
            &format!("`{}` is not {wanted}", clean_line(self.text(), MAX_QUOTED_CHARS)),
        )
    }

    pub fn port(&self) -> Result<u16> {
        self.single()?.parse().map_err(|_| self.invalid("a port, 0 to 65535"))
    }

    pub fn bytes(&self) -> Result<usize> {
        self.single()?.parse().map_err(|_| self.invalid("a number of bytes"))
    }

    pub fn number(&self) -> Result<usize> {
        self.single()?.parse().map_err(|_| self.invalid("a number"))
    }

    pub fn path(&self) -> Result<PathBuf> {
        let path = PathBuf::from(self.single()?);
        if path.is_absolute() {
            return Ok(path);
        }
        std::path::absolute(path).map_err(|_| self.invalid("a path"))
    }

    /// A duration such as `30m`; a bare number is milliseconds.
    pub fn duration(&self) -> Result<Duration> {
        let text = self.single()?;
        let milliseconds = text.parse().ok().map(Duration::from_millis);
        let time = milliseconds.or_else(|| humantime::parse_duration(text).ok());
        // Zero would end the daemon before its first call.
        let time = time.filter(|time| !time.is_zero());
        time.ok_or_else(|| self.invalid("a time such as `30m`"))
    }

    pub fn boolean(&self) -> Result<bool> {
        match self.single()? {
            "1" | "true" | "yes" | "on" => Ok(true),
            "" | "0" | "false" | "no" | "off" => Ok(false),
            _ => Err(self.invalid("true or false")),
        }
    }

    pub fn sandbox(&self) -> Result<SandboxMode> {
        let names = "`auto`, `namespaces`, `landlock` or `none`";
        SandboxMode::from_name(self.single()?).ok_or_else(|| self.invalid(names))
    }

    pub fn egress(&self) -> Result<egress::EgressMode> {
        egress::EgressMode::from_name(self.single()?)
            .ok_or_else(|| self.invalid("`off`, `warn`, `ask` or `block`"))
    }

    pub fn tunnel(&self) -> Result<Provider> {
        let names = "`ngrok`, `command` or `none`";
        Provider::from_name(self.single()?).ok_or_else(|| self.invalid(names))
    }

    /// A command as it stands, which a shell could take apart.
    pub fn command(&self) -> Result<String> {
        let text = self.single()?;
        self.words().map(|_| text.to_owned())
    }

    pub fn dialogs(&self) -> Result<DialogPolicy> {
        match self.single()? {
            "ask" => Ok(DialogPolicy::Ask),
            "accept" => Ok(DialogPolicy::Accept),
            "dismiss" => Ok(DialogPolicy::Dismiss),
            _ => Err(self.invalid("`ask`, `accept` or `dismiss`")),
        }
    }

    /// A browser that runs already. The value may hold a secret, so it is not quoted.
    pub fn cdp_address(&self) -> Result<CdpAddress> {
        self.single()?
            .parse()
            .map_err(|expected: String| invalid_setting(self.name, &self.source, &expected))
    }

    pub fn user_agent(&self) -> Result<UserAgentMode> {
        UserAgentMode::from_name(self.single()?)
            .ok_or_else(|| self.invalid("`plain` or `headless`"))
    }

    /// Whether the setting says that there is none.
    pub fn is_off(&self) -> bool {
        matches!(self.text(), "" | "off")
    }

    pub fn transcript_shape(&self) -> Result<Option<LlmApi>> {
        LlmApi::from_name(self.single()?)
            .ok_or_else(|| self.invalid("`off`, `openai` or `anthropic`"))
    }

    pub fn transcript_url(&self, shape: LlmApi) -> Result<Url> {
        shape.endpoint_url(self.url()?).map_err(|wanted| self.invalid(wanted))
    }

    /// The name of a model, as its endpoint has it.
    pub fn model_name(&self) -> Result<String> {
        let plain = |letter: char| letter.is_ascii_graphic();
        match self.single()? {
            name if !name.is_empty() && name.len() <= 200 && name.chars().all(plain) => {
                Ok(name.to_owned())
            }
            _ => Err(self.invalid("the name of a model")),
        }
    }

    /// The key in the variable that the setting names. What is not a name may be
    /// the key itself, and is not repeated.
    pub fn secret(&self, variable: &dyn Fn(&str) -> Option<OsString>) -> Result<LlmApiKey> {
        let refuse = |why: &str| invalid_setting(self.name, &self.source, why);
        let name = self.single()?;
        let plain =
            |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
        if name.is_empty() || !name.chars().all(plain) {
            return Err(refuse("it is not the name of a variable, such as `ANTHROPIC_API_KEY`"));
        }
        let key = variable(name).and_then(|key| key.into_string().ok());
        match key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty()) {
            Some(key) => Ok(LlmApiKey::new(key)),
            None => Err(refuse(&format!("the variable `{name}` is not set for the daemon"))),
        }
    }

    /// `owner/name`, or none for `off`.
    pub fn collection(&self) -> Result<Option<String>> {
        let text = self.single()?;
        match text.split('/').collect::<Vec<_>>().as_slice() {
            ["off"] => Ok(None),
            [owner, name] if is_name(owner) && is_name(name) => Ok(Some(text.to_owned())),
            _ => Err(self.invalid("`owner/name` or `off`")),
        }
    }

    /// Names apart by slashes: a branch, or a folder of a collection.
    pub fn slash_separated_names(&self) -> Result<String> {
        let text = self.single()?.trim_matches('/');
        match text.split('/').all(is_name) {
            true => Ok(text.to_owned()),
            false => Err(self.invalid("letters, digits, dots and dashes apart by slashes")),
        }
    }

    /// An address of the web.
    pub fn url(&self) -> Result<Url> {
        let url = Url::parse(self.single()?).ok();
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        url.ok_or_else(|| self.invalid("an address that begins with http:// or https://"))
    }

    /// Hosts: `example.com`, `*.example.com`, `127.0.0.1:3000`, `*`; apart by
    /// blanks or commas.
    pub fn hosts(&self) -> Result<HostRules> {
        let items = self.words()?;
        let words = items.iter().flat_map(|item| item.split([',', ' ']));
        let words: Vec<_> = words.map(str::trim).filter(|word| !word.is_empty()).collect();
        HostRules::parse(&words)
            .map_err(|bad| invalid_setting(self.name, &self.source, &bad.to_string()))
    }

    /// Commands by their names, apart by commas.
    pub fn commands(&self) -> Result<DeniedCommands> {
        let items = match self.items.as_slice() {
            // The only item of a list is quoted where it has blanks.
            [one] if one.starts_with('\'') || one.starts_with('"') => self.words()?,
            many => many.to_vec(),
        };
        let names = items.iter().flat_map(|item| item.split(','));
        DeniedCommands::from_names(names.map(str::trim).filter(|name| !name.is_empty())).map_err(
            |unknown| {
                let unknown = clean_line(&unknown, MAX_QUOTED_CHARS);
                let why = format!("`{unknown}` is not a command: `browse help` lists them");
                invalid_setting(self.name, &self.source, &why)
            },
        )
    }

    /// Words, quoted as for a shell; items of a list stand as they are.
    pub fn words(&self) -> Result<Vec<String>> {
        match self.items.as_slice() {
            [one] => shlex::split(one).ok_or_else(|| self.invalid("quoted as for a shell")),
            many => Ok(many.to_vec()),
        }
    }
}

fn is_name(text: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    !text.is_empty() && text != "." && text != ".." && text.chars().all(plain)
}

/// Characters of a name or value that a refusal quotes.
pub(super) const MAX_QUOTED_CHARS: usize = 80;

/// Characters of the reason of a refusal, which may name all settings.
const MAX_REASON_CHARS: usize = 2000;

/// The error for a setting that cannot be used.
pub fn invalid_setting(setting: &str, place: &str, why: &str) -> Error {
    // Names and values may be those of a project that was cloned.
    let setting = clean_line(setting, MAX_QUOTED_CHARS);
    let message =
        format!("the setting `{setting}` in {place}: {}", clean_line(why, MAX_REASON_CHARS));
    Error::new(Reason::SettingInvalid, message).with("setting", setting).with("place", place)
}
