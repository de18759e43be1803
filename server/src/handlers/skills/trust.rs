//! Shows what changed in a skill since it was trusted, and trusts it.

use std::time::{Duration, Instant};

use browse_proto::{Reason, v1};

use crate::{
    dispatch::CallContext,
    skills::{skill::Skill, skill_content::SkillContent, skill_diff::SkillDiff, tier::Tier},
};
use browse_base::{Error, Result};

/// Time after which the difference may be larger than it needs to be.
const DIFF_TIMEOUT: Duration = Duration::from_secs(5);

/// Digits of a hash.
const HASH_DIGITS: usize = 64;

/// Compares the files of a skill with those that were trusted last.
pub async fn diff_skill(
    cx: &CallContext,
    request: v1::DiffSkillRequest,
) -> Result<v1::DiffSkillResponse> {
    let skills = cx.daemon().skills();
    let skill = skills.catalog().find(&request.name, Tier::from_request(request.source))?;
    cx.set_source("the files of the skill");
    let content = read_content(&skill).await?;
    let mut response = v1::DiffSkillResponse {
        name: skill.name.clone(),
        tier: skill.tier.to_proto().into(),
        trust: "untrusted".to_owned(),
        hash: content.hash.clone(),
        ..v1::DiffSkillResponse::default()
    };
    if skills.trust().is_trusted(&skill, &content.hash) {
        cx.add_notice("nothing changed since it was trusted");
        response.trust = "trusted".to_owned();
        response.trusted_hash = content.hash;
        return Ok(response);
    }
    let mut before = None;
    if let Some(version) = skills.trust().trusted_version(&skill) {
        if version.content.is_none() {
            cx.add_notice("no copy of the trusted files is kept: every file is shown as added");
        }
        response.trust = "changed".to_owned();
        response.trusted_hash = version.hash;
        before = version.content;
    }
    let diff = run_blocking(move || {
        let before = before.map_or_else(Vec::new, |content: SkillContent| content.files);
        SkillDiff::between(&before, &content.files, Instant::now() + DIFF_TIMEOUT)
    })
    .await?;
    response.diff = diff.text;
    response.files = diff.files;
    Ok(response)
}

/// Trusts a skill as it stands, or only while it has the hash of the request.
pub async fn trust_skill(
    cx: &CallContext,
    request: v1::TrustSkillRequest,
) -> Result<v1::TrustSkillResponse> {
    if !cx.is_owner() {
        let message = format!("`{}` may not trust a skill", cx.client());
        return Err(
            Error::new(Reason::TrustDenied, message).with("skill", request.name.escape_debug())
        );
    }
    let skills = cx.daemon().skills();
    let skill = skills.catalog().find(&request.name, Tier::from_request(request.source))?;
    skill.contents()?;
    let content = read_content(&skill).await?;
    if let Some(reviewed) = &request.hash {
        check_hash(&skill, reviewed, &content.hash)?;
    }
    skills.trust().add(&skill, &content)?;
    Ok(v1::TrustSkillResponse {
        name: skill.name.clone(),
        tier: skill.tier.to_proto().into(),
        hash: content.hash,
    })
}

/// Checks that what was reviewed is what is there.
fn check_hash(skill: &Skill, reviewed: &str, current: &str) -> Result<()> {
    let is_digit = |digit: u8| digit.is_ascii_hexdigit();
    if reviewed.len() != HASH_DIGITS || !reviewed.bytes().all(is_digit) {
        let shown = reviewed.escape_debug();
        let message = format!("`{shown}` is not a hash of {HASH_DIGITS} hexadecimal digits");
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "skill trust"));
    }
    if reviewed.eq_ignore_ascii_case(current) {
        return Ok(());
    }
    let name = &skill.name;
    let message = format!("the files of the skill `{name}` do not have the hash `{reviewed}`");
    Err(Error::new(Reason::SkillHashMismatch, message).with("skill", name))
}

/// Reads the files of a skill.
async fn read_content(skill: &Skill) -> Result<SkillContent> {
    let folder = skill.folder.clone();
    let read = run_blocking(move || SkillContent::read(&folder)).await?;
    read.map_err(|error| skill.unreadable(&error))
}

/// Runs what reads files or takes long beside the other calls.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let ran = tokio::task::spawn_blocking(work).await;
    ran.map_err(|error| Error::new(Reason::Bug, error.to_string()))
}
