//! Brings the SDK of a skill up to date.

use std::path::PathBuf;
use std::sync::Arc;

use browse_proto::v1;
use futures::Stream;

use super::{
    failure,
    work::{self, Work},
};
use crate::skills::{
    drafts::unwritable,
    events::{self, Voice},
    sandbox::Trust,
    sdk,
    skill::Skill,
    store::Folder,
    tier::Tier,
    trial,
};
use crate::{dispatch::Context, error::Result};

/// Gives a copy of a skill the SDK of this version, tests it, and lets the two
/// change places.
pub async fn upgrade_skill(
    cx: Arc<Context>,
    request: v1::UpgradeSkillRequest,
) -> Result<impl Stream<Item = Result<v1::UpgradeSkillResponse>> + Send + 'static> {
    let skills = cx.daemon().skills();
    let skill = skills.catalog().find(&request.name, Tier::named(request.source))?;
    if skill.tier == Tier::Bundled {
        return Err(failure::read_only(&skill));
    }
    cx.set_source(&skill.contents()?.manifest.host_patterns.join(","));
    let wish = Trust::of(request.allow_unsandboxed);
    Ok(events::told(cx.delivery(), stderr, move |voice| async move {
        let skill = upgrade(&cx, &skill, wish, &voice).await?;
        Ok(v1::UpgradeSkillResponse {
            event: Some(v1::upgrade_skill_response::Event::Skill(skill)),
        })
    }))
}

async fn upgrade(
    cx: &Context,
    skill: &Skill,
    wish: Trust,
    voice: &Voice,
) -> Result<v1::UpgradedSkill> {
    let skills = cx.daemon().skills();
    let kind = skill.contents()?.kind;
    let old = skills.hash(skill)?;
    let upgraded = |outcome: &str, hash: String, files: &[PathBuf]| v1::UpgradedSkill {
        name: skill.name.clone(),
        tier: skill.tier.message().into(),
        outcome: outcome.to_owned(),
        hash,
        files: files.iter().map(|file| file.display().to_string()).collect(),
    };
    let unreadable = |error| unwritable(&skill.folder, &error);
    let changed = sdk::strangers(&skill.folder, kind).map_err(unreadable)?;
    if changed.is_empty() {
        return Ok(upgraded("current", old, &[]));
    }
    let from = Folder::open(&skill.folder).map_err(unreadable)?;
    let work = Work::copy(&from, work::open(skill.tier, skills.folder(skill.tier))?)?;
    sdk::put(work.folder()?, kind).map_err(|error| unwritable(&skill.folder, &error))?;
    let copy = Skill::read_as(skill.tier, work.folder()?.path().to_owned(), skill.name.clone());
    let new = work.hash()?;
    trial::run(cx, &copy, wish, voice).await?;
    let was_trusted = skills.trust().holds(skill, &old);
    {
        let _locked = work.lock()?;
        work.replace(&skill.name, &old, &new)?;
    }
    if was_trusted {
        let name = &skill.name;
        let note =
            format!("note: `{name}` is another now; `browse skill trust {name}` trusts it\n");
        voice.say(note).await;
    }
    Ok(upgraded("upgraded", new, &changed))
}

fn stderr(bytes: Vec<u8>) -> v1::UpgradeSkillResponse {
    v1::UpgradeSkillResponse { event: Some(v1::upgrade_skill_response::Event::Stderr(bytes)) }
}
