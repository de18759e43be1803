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
    failure, stage,
    work::{self, Work},
};
use crate::skills::{
    drafts::{Draft, Named, unwritable},
    events::{self, Voice},
    manifest, names,
    sandbox::Trust,
    skill::{self, MAX_PROBLEM, Skill},
    store::{Folder, copy, sweep::Note},
    tier::Tier,
    trial,
};
use crate::{
    content::line,
    dispatch::Context,
    error::{Error, Result},
};

/// What ends a draft: it is no skill, or not one that works.
const REFUSALS: [Reason; 8] = [
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
    cx: Arc<Context>,
    request: v1::CommitSkillRequest,
) -> Result<impl Stream<Item = Result<v1::CommitSkillResponse>> + Send + 'static> {
    let taken = Taken::find(&cx, &request)?;
    let tier = if request.project { Tier::Project } else { Tier::Global };
    if let Some(name) = &request.name {
        names::check(name)?;
    }
    let skill = taken.settle(request.keep, read(&taken.draft.folder, None))?;
    cx.set_source(&skill.contents()?.manifest.host_patterns.join(","));
    let name = request.name.clone().unwrap_or(skill.name);
    names::check(&name)?;
    let place = cx.daemon().skills().folder(tier).join(&name);
    if place.symlink_metadata().is_ok() {
        return Err(failure::exists(&name, tier));
    }
    let wish = Trust::of(request.allow_unsandboxed);
    Ok(events::told(cx.delivery(), stderr, move |voice| async move {
        let committed = commit(&cx, &taken.draft, (&name, tier), wish, &voice).await;
        let skill = taken.settle(request.keep, committed)?;
        Ok(v1::CommitSkillResponse { event: Some(v1::commit_skill_response::Event::Skill(skill)) })
    }))
}

/// The draft of a commit; one that was made for it goes with it.
struct Taken {
    draft: Draft,
    own: bool,
}

impl Taken {
    fn find(cx: &Context, request: &v1::CommitSkillRequest) -> Result<Self> {
        let drafts = cx.daemon().skills().drafts();
        match drafts.named(&request.draft, cx.cwd())? {
            Named::Draft(name) => Ok(Self { draft: drafts.open(&name)?, own: false }),
            Named::Folder(path) => {
                let from = stage::open(cx, &path.to_string_lossy())?;
                let draft = drafts.make(|draft| {
                    copy::copy(&from, draft, &copy::SKILL)
                        .map_err(|error| failure::not_copied(&from, error))
                })?;
                let draft = drafts.open(&draft.name)?;
                Ok(Self { draft, own: true })
            }
        }
    }

    /// Removes the draft when what came of it says so.
    fn settle<T>(&self, keep: bool, outcome: Result<T>) -> Result<T> {
        let refused =
            outcome.as_ref().err().is_some_and(|error| REFUSALS.contains(&error.reason()));
        if refused && !keep && !self.own {
            self.draft.remove()?;
        }
        outcome
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if self.own
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
    cx: &Context,
    draft: &Draft,
    (name, tier): (&str, Tier),
    wish: Trust,
    voice: &Voice,
) -> Result<v1::CommittedSkill> {
    let skills = cx.daemon().skills();
    let work = Work::copy(&draft.folder, work::open(tier, skills.folder(tier))?)?;
    let skill = read(work.folder()?, Some(name))?;
    let hash = work.hash()?;
    trial::run(cx, &skill, wish, voice).await?;
    let others = skills.catalog().all();
    let same: Vec<_> = others.iter().filter(|other| other.name == name).map(|it| it.tier).collect();
    let folder = install(draft, work, name, tier, &hash)?;
    if let Some(above) = same.iter().find(|other| **other < tier) {
        let note = format!("note: the {} skill `{name}` goes before it\n", above.name());
        voice.say(note).await;
    }
    let shadows = same.into_iter().find(|other| *other > tier);
    Ok(v1::CommittedSkill {
        name: name.to_owned(),
        tier: tier.message().into(),
        path: folder,
        hash,
        shadows: shadows.map_or(v1::Tier::Unspecified, Tier::message).into(),
    })
}

/// The end of it, which nothing interrupts but death.
fn install(draft: &Draft, work: Work, name: &str, tier: Tier, hash: &str) -> Result<String> {
    let locked = work.lock()?;
    let folder = locked.path().join(name);
    if locked.has(OsStr::new(name)) {
        return Err(failure::exists(name, tier));
    }
    let note = serde_json::to_vec(&Note { folder: folder.clone(), hash: hash.to_owned() });
    let note = note.map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    let noted = draft
        .all
        .remove(&draft.note())
        .and_then(|()| draft.all.write(&draft.note(), &note, false))
        .and_then(|()| draft.all.sync());
    noted.map_err(|error| unwritable(draft.all.path(), &error))?;
    let installed = work.install(name, tier, hash);
    if installed.is_err() {
        let _ = draft.all.remove(&draft.note());
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
pub fn read(folder: &Folder, wanted: Option<&str>) -> Result<Skill> {
    let file = folder.path().join("SKILL.md");
    let invalid = |problem: String| {
        let message = format!("the draft is no skill: {}", line(&problem, MAX_PROBLEM));
        Error::new(Reason::SkillInvalid, message).with("file", file.display())
    };
    let name = OsStr::new("SKILL.md");
    let (bytes, _) = folder.read(name).map_err(|_| invalid("it has no SKILL.md".to_owned()))?;
    let mut text = String::new();
    bytes
        .take(skill::LARGEST + 1)
        .read_to_string(&mut text)
        .map_err(|error| invalid(format!("its SKILL.md cannot be read: {error}")))?;
    let own =
        manifest::name(&text).map_err(|problem| invalid(format!("its SKILL.md {problem}")))?;
    if let Some(wanted) = wanted.filter(|wanted| *wanted != own) {
        let renamed = manifest::rename(&text, wanted)
            .map_err(|problem| invalid(format!("its SKILL.md {problem}")))?;
        let written = folder
            .remove(name)
            .and_then(|()| folder.write(name, renamed.as_bytes(), false))
            .and_then(|()| folder.sync());
        written.map_err(|error| unwritable(folder.path(), &error))?;
    }
    let name = wanted.unwrap_or(&own).to_owned();
    let skill = Skill::read_as(Tier::Global, folder.path().to_owned(), name);
    skill.contents()?;
    Ok(skill)
}

fn stderr(bytes: Vec<u8>) -> v1::CommitSkillResponse {
    v1::CommitSkillResponse { event: Some(v1::commit_skill_response::Event::Stderr(bytes)) }
}
