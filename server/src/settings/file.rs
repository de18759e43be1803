//! Reads a `config.toml`, keeping the line of each value.

use std::{fs, io, ops::Range, os::unix::fs::MetadataExt as _, path::Path};

use browse_proto::Reason;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    keys::{ConfigScope, KEYS, SettingKey},
    raw_setting::{MAX_QUOTED_CHARS, RawSetting, invalid_setting},
};
use browse_base::{Error, HINT_KEY, Result};
use browse_content::clean_line;

/// Bytes that a `config.toml` may have.
const MAX_CONFIG_FILE_BYTES: u64 = 256 << 10;

/// Characters of a path in an error.
const MAX_PATH_CHARS: usize = 1_000;

/// The settings in the file at `path`; none when there is no file.
///
/// # Errors
/// `SETTING_INVALID` with file and line: no TOML, an unknown key, a nested
/// value, or a file that cannot be read.
pub fn read(path: &Path, of: ConfigScope) -> Result<Vec<RawSetting>> {
    parse(&read_text(path, of)?, path, of)
}

/// The text of the file at `path`; empty when it does not exist.
///
/// # Errors
/// `SETTING_INVALID`: a link in a project, another user's file, no regular file, a large one.
pub fn read_text(path: &Path, of: ConfigScope) -> Result<String> {
    let refuse = |why: &str| invalid_setting("config.toml", &file_line(path, 0), why);
    // That of a project comes with what was cloned, so a link is not followed. The
    // user's own may be one.
    let about = match of {
        ConfigScope::Any => fs::symlink_metadata(path),
        _ => fs::metadata(path),
    };
    let about = match about {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(unusable_folder(path, of, &error)),
    };
    let owner = about.uid();
    if !about.is_file() {
        return Err(refuse("it is not a regular file"));
    }
    if owner != nix::unistd::geteuid().as_raw() && owner != 0 {
        return Err(refuse("it belongs to another user"));
    }
    if about.len() > MAX_CONFIG_FILE_BYTES {
        return Err(refuse(&format!("it has more than {} KiB", MAX_CONFIG_FILE_BYTES >> 10)));
    }
    fs::read_to_string(path).map_err(|error| refuse(&error.to_string()))
}

/// The error for a file that cannot be looked up: the cause is the folder that it is in,
/// whatever the file contains.
fn unusable_folder(path: &Path, of: ConfigScope, error: &io::Error) -> Error {
    let folder = path.parent().unwrap_or(path);
    let cause = match folder.exists() && !folder.is_dir() {
        true => "it is not a folder".to_owned(),
        false => error.to_string(),
    };
    let shown = clean_line(&folder.display().to_string(), MAX_PATH_CHARS);
    let (setting, message, hint) = match of {
        ConfigScope::Any => (
            ".browse",
            format!("the folder `{shown}` of the project cannot be used: {cause}"),
            format!("Make `{shown}` a folder that you can read and write, or remove it"),
        ),
        _ => (
            "BROWSE_HOME",
            format!("the home of browse, `{shown}`, cannot be used: {cause}"),
            format!(
                "Make `{shown}` a folder that you can read and write, or set BROWSE_HOME to one"
            ),
        ),
    };
    Error::new(Reason::SettingInvalid, message)
        .with("setting", setting)
        .with("place", shown)
        .with(HINT_KEY, hint)
}

/// The settings in `text`, which is that of the file at `path`.
///
/// # Errors
/// `SETTING_INVALID` with file and line.
pub fn parse(text: &str, path: &Path, of: ConfigScope) -> Result<Vec<RawSetting>> {
    let row = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
    let table = DeTable::parse(text).map_err(|error| {
        let at = row(error.span().map_or(0, |span| span.start));
        invalid_setting("config.toml", &file_line(path, at), error.message())
    })?;
    let entries = flatten(table.into_inner()).into_iter().map(|(span, name, value)| {
        let place = file_line(path, row(span.start));
        let name = name.as_str();
        let known = KEYS.iter().find(|key| key.config_scope != ConfigScope::None && key.name == name);
        let key = known.ok_or_else(|| invalid_setting(name, &place, &unknown_setting(name)))?;
        if of == ConfigScope::Any && key.config_scope == ConfigScope::User {
            let why = "a project may not set it, since it comes with what was cloned: set it in BROWSE_HOME/config.toml";
            return Err(invalid_setting(name, &place, why));
        }
        let items = value_items(&value).ok_or_else(|| invalid_setting(name, &place, "it is not a plain value"))?;
        Ok(RawSetting { name: key.name, items, source: place })
    });
    entries.collect()
}

/// A table holds settings with its name before theirs: `[security]` and
/// `egress = "block"` are `security_egress`.
fn flatten(table: DeTable<'_>) -> Vec<(Range<usize>, String, Spanned<DeValue<'_>>)> {
    let mut entries = Vec::new();
    for (name, value) in table {
        let prefix = name.get_ref().to_string();
        let is_group = KEYS.iter().any(|key| key.name.starts_with(&format!("{prefix}_")));
        if !matches!(value.get_ref(), DeValue::Table(_)) || !is_group {
            entries.push((name.span(), prefix, value));
            continue;
        }
        if let DeValue::Table(inner) = value.into_inner() {
            for (name, value) in inner {
                entries.push((name.span(), format!("{prefix}_{}", name.get_ref()), value));
            }
        }
    }
    entries
}

fn value_items(value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
    let one = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Boolean(flag) => Some(flag.to_string()),
        _ => None,
    };
    match value.get_ref() {
        DeValue::Array(items) => {
            // One item is quoted, so that it is not split as a shell text.
            let quote = |text: String| match items.len() {
                1 => shlex::try_quote(&text).ok().map(|quoted| quoted.into_owned()),
                _ => Some(text),
            };
            items.iter().map(|item| one(item.get_ref()).and_then(quote)).collect()
        }
        value => one(value).map(|text| vec![text]),
    }
}

fn unknown_setting(name: &str) -> String {
    // A name in a file may be as long as the file.
    let near = (name.len() <= MAX_QUOTED_CHARS).then(|| SettingKey::nearest(name)).flatten();
    if let Some(near) = near.filter(|key| key.config_scope != ConfigScope::None) {
        return format!("it is not a setting: did you mean `{}`?", near.name);
    }
    let known: Vec<_> = KEYS
        .iter()
        .filter(|key| key.config_scope != ConfigScope::None)
        .map(|key| key.name)
        .collect();
    format!("`{}` is none of {}", clean_line(name, MAX_QUOTED_CHARS), known.join(", "))
}

fn file_line(path: &Path, line: usize) -> String {
    format!("{}:{line}", path.display())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_home_that_is_a_file_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("home");
        fs::write(&home, "").expect("written");
        for of in [ConfigScope::User, ConfigScope::Any] {
            let refused = read(&home.join("config.toml"), of).expect_err("it is a file");
            let reported = format!("{refused}; {}", refused.hint());
            let next = format!("Make `{}` a folder", home.display());
            assert!(reported.contains("cannot be used: it is not a folder"), "{reported}");
            assert!(reported.contains(&next), "{reported}");
            assert!(!reported.contains("config.toml"), "{reported}");
        }
    }

    #[test]
    fn a_file_of_a_project_is_regular_and_small() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.toml");
        let of = |of: ConfigScope| read(&path, of).map(|settings| settings.len());
        assert_eq!(of(ConfigScope::Any).ok(), Some(0));
        let other = folder.path().join("other.toml");
        fs::write(&other, "port = 1").expect("written");
        symlink(&other, &path).expect("linked");
        assert_eq!(of(ConfigScope::User).ok(), Some(1));
        assert!(of(ConfigScope::Any).is_err(), "it is a link");
        for refused in ["/dev/zero", "/dev/null"] {
            fs::remove_file(&path).expect("removed");
            symlink(refused, &path).expect("linked");
            assert!(of(ConfigScope::User).is_err() && of(ConfigScope::Any).is_err(), "{refused}");
        }
        fs::remove_file(&path).expect("removed");
        fs::write(&path, "#".repeat(300 << 10)).expect("written");
        assert!(of(ConfigScope::Any).is_err(), "it is large");
    }
}
