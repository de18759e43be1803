//! Puts the files of a recorded skill where skills lie: as a draft that is
//! tested and committed like any other.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use browse_proto::v1;

use super::code::File;
use crate::dispatch::Context;
use crate::error::{HINT, Result};
use crate::skills::{
    drafts::{Draft, unwritable},
    events::Voice,
    lifecycle, names,
    runtime::Kind,
    sandbox::Trust,
    sdk,
    store::Folder,
    tier::Tier,
};

/// Refuses a name that is none, or is taken.
///
/// # Errors
/// `SKILL_EXISTS`, and what is wrong with the name.
pub fn check(cx: &Context, tier: Tier, name: &str) -> Result<()> {
    names::check(name)?;
    let place = cx.daemon().skills().folder(tier).join(name);
    match place.symlink_metadata() {
        Ok(_) => {
            let hint = format!("Save it under another name, or run `browse skill rm {name}` first");
            Err(lifecycle::exists(name, tier).with(HINT, hint))
        }
        Err(_) => Ok(()),
    }
}

/// Writes the skill as a draft, and answers its folder and its name.
///
/// # Errors
/// `FILE_UNWRITABLE`.
pub fn stage(cx: &Context, kind: Kind, files: &[File]) -> Result<(String, String)> {
    let draft = make(cx, kind, files)?;
    Ok((draft.folder.path().display().to_string(), draft.name))
}

fn make(cx: &Context, kind: Kind, files: &[File]) -> Result<Draft> {
    let drafts = cx.daemon().skills().drafts();
    drafts
        .make(|folder| fill(folder, kind, files).map_err(|error| unwritable(folder.path(), &error)))
}

/// Writes the skill, tests it and answers what was committed. What fails leaves
/// nothing behind.
///
/// # Errors
/// As those of `skill commit`.
pub async fn write(
    cx: &Context,
    tier: Tier,
    (name, kind): (&str, Kind),
    files: &[File],
) -> Result<v1::CommittedSkill> {
    let draft = make(cx, kind, files)?;
    let draft = cx.daemon().skills().drafts().open(&draft.name)?;
    // Why tests fail is what the tests say.
    let (voice, mut said) = Voice::new();
    let listen = async move {
        let mut all = Vec::new();
        while let Some(bytes) = said.recv().await {
            all.extend(bytes);
        }
        all
    };
    let work = async {
        let committed = lifecycle::commit(cx, &draft, (name, tier), Trust::of(false), &voice).await;
        drop(voice);
        committed
    };
    let (committed, said) = futures::future::join(work, listen).await;
    if committed.is_err() {
        tracing::warn!(skill = name, said = %String::from_utf8_lossy(&said), "a recorded skill was refused");
        draft.remove()?;
    }
    committed
}

fn fill(folder: &Folder, kind: Kind, files: &[File]) -> std::io::Result<()> {
    let mut below: BTreeMap<&str, Folder> = BTreeMap::new();
    for (path, text) in files {
        let (parent, file) =
            path.split_once('/').map_or((None, path.as_str()), |(p, f)| (Some(p), f));
        let into = match parent {
            None => folder,
            Some(parent) => {
                if !below.contains_key(parent) {
                    below.insert(parent, folder.make(OsStr::new(parent), 0o755)?);
                }
                &below[parent]
            }
        };
        into.write(OsStr::new(file), text.as_bytes(), false)?;
    }
    for made in below.values() {
        made.sync()?;
    }
    sdk::put(folder, kind)?;
    folder.sync()
}
