//! Puts the files of a recorded skill where skills lie: as a draft that is
//! tested and committed like any other.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use browse_proto::v1;

use crate::{
    dispatch::CallContext,
    handlers::skills::lifecycle,
    skills::{
        drafts::{SkillDraft, unwritable_error},
        program::SkillFile,
        progress::ProgressSink,
        runtime::Runtime,
        sandbox::TrustLevel,
        sdk, skill_name,
        store::OpenFolder,
        tier::Tier,
    },
};
use browse_base::{HINT_KEY, Result};

/// Refuses a name that is none, or is taken.
///
/// # Errors
/// `SKILL_EXISTS`, and what is wrong with the name.
pub fn check_name(cx: &CallContext, tier: Tier, name: &str) -> Result<()> {
    skill_name::check_name(name)?;
    let place = cx.daemon().skills().tier_folder(tier).join(name);
    match place.symlink_metadata() {
        Ok(_) => {
            let hint = format!("Save it under another name, or run `browse skill rm {name}` first");
            Err(lifecycle::already_exists(name, tier).with(HINT_KEY, hint))
        }
        Err(_) => Ok(()),
    }
}

/// Writes the skill as a draft, and answers its folder and its name.
///
/// # Errors
/// `FILE_UNWRITABLE`.
pub fn stage(
    cx: &CallContext,
    runtime: &dyn Runtime,
    files: &[SkillFile],
) -> Result<(String, String)> {
    let draft = create_draft(cx, runtime, files)?;
    Ok((draft.folder.path().display().to_string(), draft.name))
}

fn create_draft(
    cx: &CallContext,
    runtime: &dyn Runtime,
    files: &[SkillFile],
) -> Result<SkillDraft> {
    let drafts = cx.daemon().skills().drafts();
    drafts.create(|folder| {
        write_files(folder, runtime, files).map_err(|error| unwritable_error(folder.path(), &error))
    })
}

/// Writes the skill, tests it and answers what was committed. What fails leaves
/// nothing behind.
///
/// # Errors
/// As those of `skill commit`.
pub async fn write_and_commit(
    cx: &CallContext,
    tier: Tier,
    (name, runtime): (&str, &dyn Runtime),
    files: &[SkillFile],
) -> Result<v1::CommittedSkill> {
    let draft = create_draft(cx, runtime, files)?;
    let draft = cx.daemon().skills().drafts().open(&draft.name)?;
    // Why tests fail is what the tests say.
    let (voice, mut output) = ProgressSink::new();
    let listen = async move {
        let mut all = Vec::new();
        while let Some(bytes) = output.recv().await {
            all.extend(bytes);
        }
        all
    };
    let work = async {
        let committed = lifecycle::commit(
            cx,
            &draft,
            (name, tier),
            TrustLevel::from_allow_unsandboxed(false),
            &voice,
        )
        .await;
        drop(voice);
        committed
    };
    let (committed, output) = futures::future::join(work, listen).await;
    if committed.is_err() {
        tracing::warn!(skill = name, output = %String::from_utf8_lossy(&output), "a recorded skill was refused");
        draft.remove()?;
    }
    committed
}

fn write_files(
    folder: &OpenFolder,
    runtime: &dyn Runtime,
    files: &[SkillFile],
) -> std::io::Result<()> {
    let mut below: BTreeMap<&str, OpenFolder> = BTreeMap::new();
    for (path, text) in files {
        let (parent, file) =
            path.split_once('/').map_or((None, path.as_str()), |(p, f)| (Some(p), f));
        let into = match parent {
            None => folder,
            Some(parent) => {
                if !below.contains_key(parent) {
                    below.insert(parent, folder.create_child(OsStr::new(parent), 0o755)?);
                }
                &below[parent]
            }
        };
        into.write(OsStr::new(file), text.as_bytes(), false)?;
    }
    for made in below.values() {
        made.sync()?;
    }
    sdk::install(folder, runtime.sdk())?;
    folder.sync()
}
