//! Reads a manifest out of YAML, and says everything that is wrong with its
//! keys at once.

use std::time::Duration;

use serde::Deserialize;
use serde_norway::Value;

use super::{
    Author, SessionMode, SkillManifest,
    argument::ArgumentSpec,
    values::{MAX_QUOTED_CHARS, check_keys, get, one_line, scalar},
};
use browse_content::clean_line;
use browse_net::HostPolicy;

const REQUIRED_KEYS: [&str; 3] = ["name", "description", "host"];
const OPTIONAL_KEYS: [&str; 7] =
    ["triggers", "args", "version", "source", "trusted", "session", "timeout"];

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
const MAX_TIMEOUT: Duration = Duration::from_secs(3600);

#[derive(Deserialize)]
#[serde(untagged, expecting = "a host, or a list of hosts")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl SkillManifest {
    /// Reads the manifest of the skill in the folder `folder`.
    ///
    /// # Errors
    /// What is wrong with it, in a few words.
    pub fn read(yaml: &str, folder: &str) -> Result<Self, String> {
        let value: Value = serde_norway::from_str(yaml).map_err(|error| error.to_string())?;
        let Value::Mapping(mapping) = &value else { return Err("holds no keys".to_owned()) };
        check_keys(mapping, &REQUIRED_KEYS, &OPTIONAL_KEYS)?;
        let name = check_name(get(mapping, "name")?, folder)?;
        let description: String = get(mapping, "description")?;
        let triggers: Vec<String> = get::<Option<_>>(mapping, "triggers")?.unwrap_or_default();
        if description.trim().is_empty() {
            return Err("has an empty `description`".to_owned());
        }
        let host_patterns = match get(mapping, "host")? {
            OneOrMany::One(host) => vec![host],
            OneOrMany::Many(hosts) => hosts,
        };
        if host_patterns.is_empty() {
            return Err("has an empty `host`: name the hosts that it may visit".to_owned());
        }
        // What no host can be determined beforehand, such as turning a page into text.
        // A run of such a skill needs trust.
        if let Some(wide) = host_patterns.iter().find(|pattern| is_public_suffix(pattern)) {
            return Err(format!(
                "has a bad `host`: anybody may have a site under `{wide}`; name the hosts, or `*`, which needs trust"
            ));
        }
        let hosts = if host_patterns == ["*"] {
            HostPolicy::Any
        } else {
            HostPolicy::from_patterns(&host_patterns)
                .map_err(|error| format!("has a bad `host`: {error}"))?
        };
        let args: Option<Vec<Value>> = get(mapping, "args")?;
        let version: Value = get(mapping, "version")?;
        Ok(Self {
            name,
            description: one_line(&description),
            host_patterns,
            hosts,
            triggers: triggers.iter().map(|trigger| one_line(trigger)).collect(),
            args: ArgumentSpec::read_all(&args.unwrap_or_default())?,
            version: scalar(&version).ok_or("has a bad `version`: give text")?,
            source: get::<Option<Author>>(mapping, "source")?.unwrap_or_default(),
            requests_trust: get::<Option<bool>>(mapping, "trusted")?.unwrap_or_default(),
            session: get::<Option<SessionMode>>(mapping, "session")?.unwrap_or_default(),
            timeout: timeout(&get(mapping, "timeout")?)?,
        })
    }
}

/// Whether a pattern stands for all hosts under an ending that everybody may
/// register a name under, such as `*.com` or `*.co.uk`.
fn is_public_suffix(pattern: &str) -> bool {
    let Some(below) = pattern.strip_prefix("*.") else { return false };
    let name = below.split(':').next().unwrap_or_default().to_ascii_lowercase();
    psl::suffix(name.as_bytes()).is_some_and(|suffix| suffix.is_known() && suffix == name.as_str())
}

/// A name that is a folder name, a word of a command line and part of a client
/// id: lower case letters, digits and dashes.
fn check_name(name: String, folder: &str) -> Result<String, String> {
    let is_word = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let first = name.chars().next().is_some_and(is_word);
    if !first || name.len() > 64 || !name.chars().all(|letter| is_word(letter) || letter == '-') {
        return Err(format!(
            "has a bad `name`: `{}` is not lower case letters, digits and dashes",
            clean_line(&name, MAX_QUOTED_CHARS)
        ));
    }
    if name != folder {
        return Err(format!("has the `name` `{name}`, but lies in the folder `{folder}`"));
    }
    Ok(name)
}

/// A duration such as `90s`; a bare number is milliseconds.
fn timeout(value: &Value) -> Result<Duration, String> {
    let parsed = match value {
        Value::Null => Some(DEFAULT_TIMEOUT),
        Value::Number(number) => number.as_u64().map(Duration::from_millis),
        Value::String(text) => humantime::parse_duration(text).ok(),
        _ => None,
    };
    let parsed = parsed.filter(|time| !time.is_zero() && *time <= MAX_TIMEOUT);
    parsed
        .ok_or_else(|| "has a bad `timeout`: give a time of at most `1h`, such as `90s`".to_owned())
}
