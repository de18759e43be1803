//! Brings the SDK of a skill up to date.

use std::path::PathBuf;
use std::sync::Arc;

use browse_proto::v1;
use futures::Stream;

use super::{
    errors,
    staging::{self, StagingFolder},
};
use crate::{
    dispatch::CallContext,
    handlers::skills::test_runner,
    skills::{
        drafts::unwritable_error,
        progress::{self, ProgressSink},
        sandbox::TrustLevel,
        sdk,
        skill::Skill,
        store::OpenFolder,
        tier::Tier,
    },
};
use browse_base::Result;

/// Gives a copy of a skill the SDK of this version, tests it, and lets the two
/// change places.
pub async fn upgrade_skill(
    cx: Arc<CallContext>,
    request: v1::UpgradeSkillRequest,
) -> Result<impl Stream<Item = Result<v1::UpgradeSkillResponse>> + Send + 'static> {
    let skills = cx.daemon().skills();
    let skill = skills.catalog().find(&request.name, Tier::from_request(request.source))?;
    if skill.tier == Tier::Bundled {
        return Err(errors::read_only(&skill));
    }
    cx.set_source(&skill.contents()?.manifest.host_patterns.join(","));
    let requested = TrustLevel::from_allow_unsandboxed(request.allow_unsandboxed);
    Ok(progress::stream_progress(cx.delivery(), stderr, move |voice| async move {
        let skill = upgrade(&cx, &skill, requested, &voice).await?;
        Ok(v1::UpgradeSkillResponse {
            event: Some(v1::upgrade_skill_response::Event::Skill(skill)),
        })
    }))
}

async fn upgrade(
    cx: &CallContext,
    skill: &Skill,
    requested: TrustLevel,
    voice: &ProgressSink,
) -> Result<v1::UpgradedSkill> {
    let skills = cx.daemon().skills();
    let runtime = skill.contents()?.runtime;
    let old = skills.hash(skill)?;
    let upgraded = |outcome: &str, hash: String, files: &[PathBuf]| v1::UpgradedSkill {
        name: skill.name.clone(),
        tier: skill.tier.to_proto().into(),
        outcome: outcome.to_owned(),
        hash,
        files: files.iter().map(|file| file.display().to_string()).collect(),
    };
    let unreadable = |error| unwritable_error(&skill.folder, &error);
    let changed = sdk::unexpected_files(&skill.folder, runtime.sdk()).map_err(unreadable)?;
    if changed.is_empty() {
        return Ok(upgraded("current", old, &[]));
    }
    let from = OpenFolder::open(&skill.folder).map_err(unreadable)?;
    let work = StagingFolder::copy(
        &from,
        staging::open_tier(skill.tier, skills.tier_folder(skill.tier))?,
    )?;
    sdk::install(work.folder()?, runtime.sdk())
        .map_err(|error| unwritable_error(&skill.folder, &error))?;
    let copy = Skill::read_as(skill.tier, work.folder()?.path().to_owned(), skill.name.clone());
    let new = work.hash()?;
    test_runner::run(cx, &copy, requested, voice).await?;
    let was_trusted = skills.trust().is_trusted(skill, &old);
    {
        let _locked = work.lock()?;
        work.replace(&skill.name, &old, &new)?;
    }
    if was_trusted {
        let name = &skill.name;
        let note = format!(
            "note: `{name}` is another now; `browse skill diff {name}` shows what changed, and \
             `browse skill trust {name}` trusts it\n"
        );
        voice.write(note).await;
    }
    Ok(upgraded("upgraded", new, &changed))
}

fn stderr(bytes: Vec<u8>) -> v1::UpgradeSkillResponse {
    v1::UpgradeSkillResponse { event: Some(v1::upgrade_skill_response::Event::Stderr(bytes)) }
}
