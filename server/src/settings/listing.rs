//! Settings with their values and sources, for people and programs.

use browse_base::Result;
use serde::Serialize;

use super::{
    keys::{KEYS, SettingKey},
    read::SettingsReader,
    sources::{ConfigFiles, SettingSource},
};

/// One setting as it is for a daemon that would start now.
#[derive(Debug, Serialize)]
pub struct ListedSetting {
    /// Its name in `config.toml`.
    pub name: &'static str,
    /// Its value; of a list one text per item. None when nothing sets it and its default is not
    /// a literal value, and when it may hold a secret.
    pub value: Option<Vec<String>>,
    /// `flag`, `environment`, `project`, `user` or `default`.
    pub source: &'static str,
    /// Where it stands: `BROWSE_PORT`, `/home/u/.browse/config.toml:3`; empty for a default.
    pub place: String,
    /// Whether the value is left out because it may hold a secret.
    pub is_hidden: bool,
    /// Its variable.
    pub variable: &'static str,
    /// Its default; a description where that is not a literal value.
    pub default: String,
    /// What it does.
    pub help: &'static str,
}

/// Every setting with its source. All values are valid: the daemon would start with them.
///
/// # Errors
/// `SETTING_INVALID`, as the start of a daemon.
pub fn list(reader: &SettingsReader<'_>) -> Result<Vec<ListedSetting>> {
    let folders = reader.folders()?;
    let files = ConfigFiles::read(&folders)?;
    let settings = reader.resolve(folders, &files)?;
    let with_found_path = |mut listed: ListedSetting| {
        let path = match listed.name {
            "project" => &settings.project,
            "home" => &settings.home,
            "state_file" => &settings.state_file,
            _ => return listed,
        };
        listed.value = Some(vec![path.display().to_string()]);
        listed
    };
    Ok(KEYS.iter().map(|key| with_found_path(listed(reader, &files, key))).collect())
}

fn listed(
    reader: &SettingsReader<'_>,
    files: &ConfigFiles,
    key: &'static SettingKey,
) -> ListedSetting {
    let found = reader.find(key.name, files);
    let is_hidden = found.is_some() && key.may_hold_secret;
    let (source, value, place) = match found {
        Some((source, raw)) => (source, Some(raw.items.clone()), raw.source.clone()),
        None => {
            let value = key.literal_default().map(|text| vec![text.to_owned()]);
            (SettingSource::Default, value, String::new())
        }
    };
    ListedSetting {
        name: key.name,
        value: value.filter(|_| !is_hidden),
        source: source.name(),
        place,
        is_hidden,
        variable: key.variable,
        default: key.default.replace('`', ""),
        help: key.help,
    }
}
