pub mod policy;
pub mod daemon;
pub mod dispatch;
pub mod control;
pub mod browser;
pub mod skills { use browse_proto::v1; use crate::{dispatch::Context, error::*}; use std::sync::Arc;
 pub fn suggest(_: &Arc<crate::daemon::Daemon>, _: &str) -> Vec<v1::SuggestedSkill> { vec![] }
 pub async fn list_skills(_: &Context, _: v1::ListSkillsRequest) -> Result<v1::ListSkillsResponse> { Ok(Default::default()) }
 pub async fn show_skill(_: &Context, _: v1::ShowSkillRequest) -> Result<v1::ShowSkillResponse> { Ok(Default::default()) }
 pub async fn trust_skill(_: &Context, _: v1::TrustSkillRequest) -> Result<v1::TrustSkillResponse> { Ok(Default::default()) }
 pub async fn run_skill(_: Arc<Context>, _: v1::RunSkillRequest) -> Result<impl futures::Stream<Item=Result<v1::RunSkillResponse>> + Send + 'static> { Ok(futures::stream::empty()) }
}
pub mod sessions;
pub mod records;
pub mod engine;
pub mod content;
pub mod error;
pub mod chromium;
pub mod guardian;
