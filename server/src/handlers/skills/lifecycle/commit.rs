//! Makes a draft a skill.
//!
//! The draft is copied into the tier, under a name that no listing shows. The
//! copy is tested, and one rename makes it the skill: until then there is
//! nothing, from then on all of it. A note beside the draft says what the rename
//! is about to make, so that a daemon which dies right after it leaves no draft
//! either.

use std::ffi::OsStr;
use std::io::Read as _;
use std::sync::Arc;

use browse_proto::{Reason, v1};
use futures::Stream;

use super::{
    errors, stage,
    staging::{self, StagingFolder},
};
use crate::{
    dispatch::CallContext,
    handlers::skills::test_runner,
    skills::{
        drafts::{DraftArgument, SkillDraft, unwritable_error},
        manifest,
        progress::{self, ProgressSink},
        sandbox::TrustLevel,
        skill::{self, Skill},
        skill_folder::MAX_PROBLEM_CHARS,
        skill_name,
        store::{OpenFolder, copy},
        sweep::CommitNote,
        tier::Tier,
    },
};
use browse_base::{Error, Result};
use browse_content::clean_line;

/// What ends a draft: it is not a skill, or not one that works.
const DRAFT_REFUSALS: [Reason; 8] = [
    Reason::DraftRefused,
    Reason::SkillInvalid,
    Reason::SkillUntested,
    Reason::SkillTestsFailed,
    Reason::SkillTimeout,
    Reason::SkillChanged,
    Reason::SdkMismatch,
    Reason::BuildFailed,
];

/// Tests a draft, and makes it a skill.
pub async fn commit_skill(
    cx: Arc<CallContext>,
    request: v1::CommitSkillRequest,
) -> Result<impl Stream<Item = Result<v1::CommitSkillResponse>> + Send + 'static> {
    let taken = CommitDraft::find(&cx, &request)?;
    let tier = if request.project { Tier::Project } else { Tier::Global };
    if let Some(name) = &request.name {
        skill_name::check_name(name)?;
    }
    let skill = taken.discard_if_refused(request.keep, read_skill(&taken.draft.folder, None))?;
    cx.set_source(&skill.contents()?.manifest.host_patterns.join(","));
    let name = request.name.clone().unwrap_or(skill.name.clone());
    skill_name::check_name(&name)?;
    let place = cx.daemon().skills().tier_folder(tier).join(&name);
    if place.symlink_metadata().is_ok() {
        return Err(errors::already_exists(&name, tier));
    }
    let requested = TrustLevel::from_allow_unsandboxed(request.allow_unsandboxed);
    Ok(progress::stream_progress(cx.delivery(), stderr, move |voice| async move {
        let committed = commit(&cx, &taken.draft, (&name, tier), requested, &voice).await;
        let skill = taken.discard_if_refused(request.keep, committed)?;
        Ok(v1::CommitSkillResponse { event: Some(v1::commit_skill_response::Event::Skill(skill)) })
    }))
}

/// The draft of a commit; one that was made for it goes with it.
struct CommitDraft {
    draft: SkillDraft,
    is_temporary: bool,
}

impl CommitDraft {
    fn find(cx: &CallContext, request: &v1::CommitSkillRequest) -> Result<Self> {
        let drafts = cx.daemon().skills().drafts();
        match drafts.resolve(&request.draft, cx.cwd())? {
            DraftArgument::Draft(name) => {
                Ok(Self { draft: drafts.open(&name)?, is_temporary: false })
            }
            DraftArgument::Folder(path) => {
                let from = stage::open_source(cx, &path.to_string_lossy())?;
                let draft = drafts.create(|draft| {
                    copy::copy(&from, draft, &copy::SKILL_RULES)
                        .map_err(|error| errors::copy_error(&from, error))
                })?;
                let draft = drafts.open(&draft.name)?;
                Ok(Self { draft, is_temporary: true })
            }
        }
    }

    /// Removes the draft when what came of it says so.
    fn discard_if_refused<T>(&self, keep: bool, outcome: Result<T>) -> Result<T> {
        let refused =
            outcome.as_ref().err().is_some_and(|error| DRAFT_REFUSALS.contains(&error.reason()));
        if refused && !keep && !self.is_temporary {
            self.draft.remove()?;
        }
        outcome
    }
}

impl Drop for CommitDraft {
    fn drop(&mut self) {
        if self.is_temporary
            && let Err(error) = self.draft.remove()
        {
            tracing::warn!(%error, "a draft cannot be removed");
        }
    }
}

/// Tests a draft, and makes it the skill `name`.
///
/// # Errors
/// What is wrong with it, and `SKILL_EXISTS`.
pub async fn commit(
    cx: &CallContext,
    draft: &SkillDraft,
    (name, tier): (&str, Tier),
    requested: TrustLevel,
    voice: &ProgressSink,
) -> Result<v1::CommittedSkill> {
    let skills = cx.daemon().skills();
    let work =
        StagingFolder::copy(&draft.folder, staging::open_tier(tier, skills.tier_folder(tier))?)?;
    let skill = read_skill(work.folder()?, Some(name))?;
    let hash = work.hash()?;
    test_runner::run(cx, &skill, requested, voice).await?;
    let others = skills.catalog().all();
    let same: Vec<_> = others.iter().filter(|other| other.name == name).map(|it| it.tier).collect();
    let folder = install(draft, work, name, tier, &hash)?;
    if let Some(above) = same.iter().find(|other| **other < tier) {
        let note = format!("note: the {} skill `{name}` goes before it\n", above.name());
        voice.write(note).await;
    }
    let shadows = same.into_iter().find(|other| *other > tier);
    Ok(v1::CommittedSkill {
        name: name.to_owned(),
        tier: tier.to_proto().into(),
        path: folder,
        hash,
        shadows: shadows.map_or(v1::Tier::Unspecified, Tier::to_proto).into(),
    })
}

/// The end of it, which nothing interrupts but death.
fn install(
    draft: &SkillDraft,
    work: StagingFolder,
    name: &str,
    tier: Tier,
    hash: &str,
) -> Result<String> {
    let locked = work.lock()?;
    let folder = locked.path().join(name);
    if locked.has(OsStr::new(name)) {
        return Err(errors::already_exists(name, tier));
    }
    let note = serde_json::to_vec(&CommitNote { folder: folder.clone(), hash: hash.to_owned() });
    let note = note.map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    let noted = draft
        .parent
        .remove(&draft.commit_note_name())
        .and_then(|()| draft.parent.write(&draft.commit_note_name(), &note, false))
        .and_then(|()| draft.parent.sync());
    noted.map_err(|error| unwritable_error(draft.parent.path(), &error))?;
    let installed = work.install(name, tier, hash);
    if installed.is_err() {
        let _ = draft.parent.remove(&draft.commit_note_name());
    }
    installed?;
    draft.remove()?;
    Ok(folder.display().to_string())
}

/// The skill in `folder`. It gets the name `wanted` in its SKILL.md, if one is
/// wanted that it has not.
///
/// # Errors
/// `SKILL_INVALID`.
pub fn read_skill(folder: &OpenFolder, wanted: Option<&str>) -> Result<Skill> {
    let file = folder.path().join("SKILL.md");
    let invalid = |problem: String| {
        let message =
            format!("the draft is not a skill: {}", clean_line(&problem, MAX_PROBLEM_CHARS));
        Error::new(Reason::SkillInvalid, message).with("file", file.display())
    };
    let name = OsStr::new("SKILL.md");
    let (bytes, _) = folder.read(name).map_err(|_| invalid("it has no SKILL.md".to_owned()))?;
    let mut text = String::new();
    bytes
        .take(skill::MAX_SKILL_MD_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| invalid(format!("its SKILL.md cannot be read: {error}")))?;
    let own =
        manifest::read_name(&text).map_err(|problem| invalid(format!("its SKILL.md {problem}")))?;
    if let Some(wanted) = wanted.filter(|wanted| *wanted != own) {
        let renamed = manifest::replace_name(&text, wanted)
            .map_err(|problem| invalid(format!("its SKILL.md {problem}")))?;
        let written = folder
            .remove(name)
            .and_then(|()| folder.write(name, renamed.as_bytes(), false))
            .and_then(|()| folder.sync());
        written.map_err(|error| unwritable_error(folder.path(), &error))?;
    }
    let name = wanted.unwrap_or(&own).to_owned();
    let skill = Skill::read_as(Tier::Global, folder.path().to_owned(), name);
    skill.contents()?;
    Ok(skill)
}

fn stderr(bytes: Vec<u8>) -> v1::CommitSkillResponse {
    v1::CommitSkillResponse { event: Some(v1::commit_skill_response::Event::Stderr(bytes)) }
}
