//! Puts the files of a recorded skill where skills lie.

use std::fs;
use std::path::{Path, PathBuf};

use browse_proto::Reason;

use super::code::File;
use crate::dispatch::Context;
use crate::error::{Error, Result};
use crate::skills::tier::Tier;

/// Writes the skill and answers its folder.
pub async fn write(cx: &Context, tier: Tier, name: &str, files: &[File]) -> Result<PathBuf> {
    let settings = cx.settings();
    let place = match tier {
        Tier::Project => settings.project_dir().join("skills"),
        _ => settings.home.join("skills"),
    };
    let folder = place.join(name);
    if folder.exists() {
        let message = format!("there is a skill `{name}` already");
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "skill record save"));
    }
    let draft = settings.home.join(".tmp").join(format!("skillify-{:08x}", rand::random::<u32>()));
    let put = || -> std::io::Result<()> {
        for (path, text) in files {
            write_file(&draft.join(path), text)?;
        }
        if draft.join("script.ts").exists() {
            write_file(&draft.join("_lib/browse.ts"), include_str!("../../../../sdk-ts/dist/browse.ts"))?;
        }
        fs::create_dir_all(&place)?;
        fs::rename(&draft, &folder)
    };
    put().map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    Ok(folder)
}

fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, text)
}
