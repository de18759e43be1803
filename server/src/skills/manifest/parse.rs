//! Reads a manifest out of YAML, and says everything that is wrong with its
//! keys at once.

use std::time::Duration;

use serde::{Deserialize, de::DeserializeOwned};
use serde_norway::Value;

use super::{Author, SessionMode, SkillManifest, argument::ArgumentSpec};
use crate::{content::clean_line, policy::HostPolicy};

const REQUIRED_KEYS: [&str; 3] = ["name", "description", "host"];
const OPTIONAL_KEYS: [&str; 7] =
    ["triggers", "args", "version", "source", "trusted", "session", "timeout"];

/// Characters of one name of the file that a complaint quotes, and how many names.
const MAX_QUOTED_CHARS: usize = 80;
const MAX_QUOTED_NAMES: usize = 5;

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
        // What no host can be told beforehand, such as turning a page into text.
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

/// The value of a key; a missing one reads as nothing.
pub(in crate::skills::manifest) fn get<T: DeserializeOwned>(
    mapping: &serde_norway::Mapping,
    key: &str,
) -> Result<T, String> {
    let value = mapping.get(key).cloned().unwrap_or(Value::Null);
    serde_norway::from_value(value).map_err(|error| format!("has a bad `{key}`: {error}"))
}

/// Says which keys are unknown and which are missing.
pub(super) fn check_keys(
    mapping: &serde_norway::Mapping,
    required: &[&str],
    optional: &[&str],
) -> Result<(), String> {
    let known = |key: &str| required.contains(&key) || optional.contains(&key);
    let names: Vec<_> = mapping.keys().map(|key| scalar(key).unwrap_or_default()).collect();
    let unknown = names.iter().map(String::as_str).filter(|name| !known(name));
    let missing = required.iter().copied().filter(|name| !names.iter().any(|n| n == name));
    let complaints = [("unknown", quoted(unknown)), ("missing", quoted(missing))];
    let complaints = complaints.into_iter().filter(|(_, names)| !names.is_empty());
    let told: Vec<_> = complaints.map(|(what, names)| format!("{what}: {names}")).collect();
    if told.is_empty() { Ok(()) } else { Err(format!("has wrong keys ({})", told.join("; "))) }
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names = names.map(|name| format!("`{}`", clean_line(name, MAX_QUOTED_CHARS)));
    let mut shown: Vec<_> = names.by_ref().take(MAX_QUOTED_NAMES).collect();
    match names.count() {
        0 => {}
        more => shown.push(format!("and {more} more")),
    }
    shown.join(", ")
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

/// A scalar as text; nothing is the empty text.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(value) => Some(value.to_string()),
        Value::String(value) => Some(value.clone()),
        _ => None,
    }
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

/// The words of a stranger on one line, without what cannot be seen: they are
/// printed beside ours.
pub fn one_line(text: &str) -> String {
    clean_line(text, usize::MAX)
}
