//! Tests a skill or a draft.

use std::sync::Arc;

use browse_proto::{Reason, v1};
use futures::Stream;

use crate::{
    dispatch::CallContext,
    handlers::skills::test_runner,
    skills::{drafts, progress, sandbox::TrustLevel, tier::Tier},
};
use browse_base::{Error, Result};

/// Runs the tests of a skill or a draft.
pub async fn test_skill(
    cx: Arc<CallContext>,
    request: v1::TestSkillRequest,
) -> Result<impl Stream<Item = Result<v1::TestSkillResponse>> + Send + 'static> {
    let skills = cx.daemon().skills();
    let draft = find_draft(&cx, &request)?;
    let skill = match &draft {
        Some(draft) => super::commit::read_skill(&draft.folder, None)?,
        None => skills.catalog().find(&request.name, Tier::from_request(request.source))?,
    };
    cx.set_source(&skill.contents()?.manifest.host_patterns.join(","));
    let requested = TrustLevel::from_allow_unsandboxed(request.allow_unsandboxed);
    Ok(progress::stream_progress(cx.delivery(), stderr, move |voice| async move {
        let passed = test_runner::run(&cx, &skill, requested, &voice).await?;
        let tier = if draft.is_some() { v1::Tier::Unspecified } else { skill.tier.to_proto() };
        drop(draft);
        let took_ms = u64::try_from(passed.duration.as_millis()).unwrap_or(u64::MAX);
        let report = v1::TestReport {
            name: skill.name.clone(),
            tier: tier.into(),
            runtime: passed.runtime,
            took_ms,
        };
        Ok(v1::TestSkillResponse { event: Some(v1::test_skill_response::Event::Report(report)) })
    }))
}

/// The draft that the request names: a path, or what drafts are called.
fn find_draft(
    cx: &CallContext,
    request: &v1::TestSkillRequest,
) -> Result<Option<drafts::SkillDraft>> {
    let word = &request.name;
    if !drafts::is_draft_name(word) && !word.contains('/') {
        return Ok(None);
    }
    let drafts = cx.daemon().skills().drafts();
    match drafts.resolve(word, cx.cwd())? {
        drafts::DraftArgument::Draft(name) => drafts.open(&name).map(Some),
        drafts::DraftArgument::Folder(path) => {
            let message =
                format!("`{}` is neither a draft nor the name of a skill", path.display());
            Err(Error::new(Reason::DraftNotFound, message).with("draft", path.display()))
        }
    }
}

fn stderr(bytes: Vec<u8>) -> v1::TestSkillResponse {
    v1::TestSkillResponse { event: Some(v1::test_skill_response::Event::Stderr(bytes)) }
}
