//! Changes one setting of a `config.toml`, and leaves comments and order as they are.

use std::{
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use browse_base::Result;
use serde::Serialize;
use toml_edit::{Array, DocumentMut, Item, TableLike, Value};

use super::{
    file,
    keys::{ConfigScope, SettingKey},
    raw_setting::invalid_setting,
    read::SettingsReader,
    sources::{ConfigFiles, Folders},
};
use crate::project::{Project, unwritable};

/// The place of a value that is in no file.
const COMMAND_LINE: &str = "the command line";

/// A change of one setting.
#[derive(Clone, Debug)]
pub struct ConfigEdit {
    /// The name of the setting, or of its variable.
    pub name: String,
    /// Its new value, of a list one text per item; none removes it.
    pub items: Option<Vec<String>>,
    /// Changes the project's file instead of the user's.
    pub in_project: bool,
}

/// What a change did.
#[derive(Debug, Serialize)]
pub struct AppliedEdit {
    /// The file that has it now.
    pub file: PathBuf,
    /// Whether the file was changed.
    pub changed: bool,
    /// The flag, variable or file that has the same setting and wins over that file.
    pub overridden_by: Option<String>,
}

/// Applies `edit`, when the daemon would start with the result; removing is always possible.
///
/// # Errors
/// `SETTING_INVALID` for an unknown name, a value that the daemon would refuse, or a setting that
/// this file may not hold. `FILE_UNWRITABLE`.
pub fn apply(reader: &SettingsReader<'_>, edit: &ConfigEdit) -> Result<AppliedEdit> {
    let folders = reader.folders()?;
    let key = match find_key(&edit.name) {
        Ok(key) => key,
        Err(_)
            if edit.items.is_none() && remove_unknown(&edit.name, &folders, edit.in_project)? =>
        {
            let file = config_file(&folders, edit.in_project).0;
            return Ok(AppliedEdit { file, changed: true, overridden_by: None });
        }
        Err(unknown) => return Err(unknown),
    };
    let (path, scope) = config_file(&folders, edit.in_project);
    if key.config_scope == ConfigScope::None {
        let why = format!(
            "it tells where the files are, or is for tests, so no file holds it: set {} instead",
            key.variable
        );
        return Err(invalid_setting(key.name, &path.display().to_string(), &why));
    }
    let before = file::read_text(&path, scope)?;
    let after = edited(&before, key, edit.items.as_deref(), &path)?;
    let mut overridden_by = None;
    if edit.items.is_some() {
        let mut parsed = file::parse(&after, &path, scope)?;
        // The line is in no file yet.
        let given = parsed.iter_mut().filter(|setting| setting.name == key.name);
        given.for_each(|setting| COMMAND_LINE.clone_into(&mut setting.source));
        // A variable, a flag or the project's file would hide a value that is wrong.
        let files = match edit.in_project {
            true => {
                let user = file::read(&folders.user_file(), ConfigScope::User).unwrap_or_default();
                ConfigFiles { project: parsed, user }
            }
            false => ConfigFiles { project: Vec::new(), user: parsed },
        };
        reader.without_overrides().resolve(folders.clone(), &files)?;
        let others = match edit.in_project {
            true => Vec::new(),
            false => file::read(&folders.project_file(), ConfigScope::Any).unwrap_or_default(),
        };
        let others = ConfigFiles { project: others, user: Vec::new() };
        overridden_by = reader.find(key.name, &others).map(|(_, raw)| raw.source.clone());
    }
    let changed = after != before;
    if changed {
        write(&path, &after, edit.in_project)?;
    }
    Ok(AppliedEdit { file: path, changed, overridden_by })
}

/// The file that a change is made in, and what it may hold.
fn config_file(folders: &Folders, in_project: bool) -> (PathBuf, ConfigScope) {
    match in_project {
        true => (folders.project_file(), ConfigScope::Any),
        false => (folders.user_file(), ConfigScope::User),
    }
}

/// Removes what the file holds under `name`, which is not a setting: no daemon starts with it.
/// Answers whether it was there.
fn remove_unknown(name: &str, folders: &Folders, in_project: bool) -> Result<bool> {
    let (path, scope) = config_file(folders, in_project);
    let mut document = document(&file::read_text(&path, scope)?, &path)?;
    let mut held = document.remove(name).is_some();
    if let Some((group, inner)) = name.split_once(['.', '_'])
        && let Some(table) = document.get_mut(group).and_then(Item::as_table_like_mut)
    {
        held |= table.remove(inner).is_some();
    }
    if held {
        write(&path, &document.to_string(), in_project)?;
    }
    Ok(held)
}

fn document(text: &str, path: &Path) -> Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        invalid_setting("config.toml", &format!("{}:{line}", path.display()), error.message())
    })
}

/// The setting called `name`.
///
/// # Errors
/// `SETTING_INVALID` for an unknown name.
pub fn find_key(name: &str) -> Result<&'static SettingKey> {
    let plain = name.replace(['-', '.'], "_");
    SettingKey::find(&plain).ok_or_else(|| {
        let why = match SettingKey::nearest(&plain) {
            Some(near) => format!("it is not a setting: did you mean `{}`?", near.name),
            None => "it is not a setting: `browse config list` shows all".to_owned(),
        };
        invalid_setting(name, COMMAND_LINE, &why)
    })
}

/// The text of the file after the change.
fn edited(before: &str, key: &SettingKey, items: Option<&[String]>, path: &Path) -> Result<String> {
    let mut document = document(before, path)?;
    // A group can be a table: `[security]` with `egress` is `security_egress`.
    let mut held = false;
    let groups: Vec<String> = document.iter().map(|(name, _)| name.to_owned()).collect();
    for group in groups {
        let Some(inner) = key.name.strip_prefix(&format!("{group}_")) else { continue };
        let Some(table) = document.get_mut(&group).and_then(Item::as_table_like_mut) else {
            continue;
        };
        if table.contains_key(inner) {
            held = true;
            change(table, inner, items);
        }
    }
    if !held || document.contains_key(key.name) {
        change(document.as_table_mut(), key.name, items);
    }
    Ok(document.to_string())
}

fn change(table: &mut dyn TableLike, name: &str, items: Option<&[String]>) {
    let Some(items) = items else {
        table.remove(name);
        return;
    };
    let mut value = match items {
        [one] => scalar(one),
        many => Value::Array(many.iter().map(|item| Value::from(item.as_str())).collect::<Array>()),
    };
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            // What stands around the value: blanks, and a comment behind it.
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            table.insert(name, Item::Value(value));
        }
    }
}

/// A number and a truth value as such, anything else as text.
fn scalar(text: &str) -> Value {
    match text {
        "true" => true.into(),
        "false" => false.into(),
        _ => match text.parse::<i64>() {
            Ok(number) if number.to_string() == text => number.into(),
            _ => text.into(),
        },
    }
}

/// Writes the file in one step. The user's file may be a link, which stays one.
fn write(path: &Path, text: &str, in_project: bool) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    match in_project {
        true => drop(Project::prepare(folder)?),
        false => create_private(folder).map_err(|error| unwritable(folder, &error))?,
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let write = || -> io::Result<()> {
        let folder = target.parent().unwrap_or(Path::new("/"));
        let mode = fs::metadata(&target).map(|about| about.permissions()).ok();
        let mut file = tempfile::Builder::new().prefix(".config-").tempfile_in(folder)?;
        io::Write::write_all(&mut file, text.as_bytes())?;
        if let Some(mode) = mode {
            file.as_file().set_permissions(mode)?;
        }
        file.as_file().sync_all()?;
        file.persist(&target)?;
        Ok(())
    };
    write().map_err(|error| unwritable(path, &error))
}

fn create_private(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(before: &str, name: &str, items: Option<&[&str]>) -> String {
        let key = find_key(name).expect("a setting");
        let items =
            items.map(|items| items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>());
        edited(before, key, items.as_deref(), Path::new("config.toml")).expect("edited")
    }

    #[test]
    fn comments_order_and_groups_stay() {
        let before = "# mine\nport = 1 # the port\n\n[security]\n# asks\negress = \"warn\"\n";
        let after = edit(before, "port", Some(&["4000"]));
        assert_eq!(after, before.replace("port = 1", "port = 4000"));
        let after = edit(before, "security_egress", Some(&["block"]));
        assert_eq!(after, before.replace("\"warn\"", "\"block\""));
        let after = edit(before, "idle_timeout", Some(&["1h"]));
        assert!(
            after.starts_with("# mine\nport = 1 # the port\nidle_timeout = \"1h\"\n\n[security]"),
            "{after}"
        );
        assert_eq!(
            edit(before, "security.egress", None),
            before.replace("# asks\negress = \"warn\"\n", "")
        );
        assert_eq!(edit(before, "BROWSE_DENY", None), before);
    }

    #[test]
    fn values_have_their_types() {
        assert_eq!(edit("", "telemetry", Some(&["true"])), "telemetry = true\n");
        assert_eq!(edit("", "port", Some(&["007"])), "port = \"007\"\n");
        assert_eq!(
            edit("", "deny", Some(&["js", "skill run"])),
            "deny = [\"js\", \"skill run\"]\n"
        );
        assert_eq!(
            edit("", "chromium-args", Some(&["--a \"b c\""])),
            "chromium_args = '--a \"b c\"'\n"
        );
    }
}
