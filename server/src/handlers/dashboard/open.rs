//! Opens dashboards, and ends them.

use std::time::Duration;

use browse_base::{Error, Result};
use browse_policy::Scopes;
use browse_proto::{Reason, Scope, v1};

use crate::{dashboard::DashboardTerms, dispatch::CallContext, ttl};

/// How long a dashboard is good when the caller does not say.
const DEFAULT_LIFETIME: Duration = Duration::from_secs(12 * 3600);

/// The longest that one is good.
const MAX_LIFETIME: Duration = Duration::from_secs(7 * 24 * 3600);

/// What a dashboard may do when the caller does not say: as much as a person needs to watch
/// and to take over. What ends or reconfigures the browser is not among it.
const DEFAULT_SCOPES: [Scope; 3] = [Scope::Read, Scope::Write, Scope::Meta];

/// What a dashboard may do that is for looking only.
const READ_ONLY_SCOPES: [Scope; 2] = [Scope::Read, Scope::Meta];

/// Makes a link.
pub async fn open_dashboard(
    cx: &CallContext,
    request: v1::OpenDashboardRequest,
) -> Result<v1::OpenDashboardResponse> {
    // A caller with less would get more by it.
    if !cx.is_root() {
        let message = format!("`{}` opens no dashboard", cx.client());
        return Err(Error::new(Reason::ScopeDenied, message));
    }
    let scopes = match (request.read_only, request.scope.is_empty()) {
        (true, _) => Scopes::of(&READ_ONLY_SCOPES),
        (false, true) => Scopes::of(&DEFAULT_SCOPES),
        (false, false) => parse_scopes(&request.scope)?,
    };
    let lifetime = request
        .ttl
        .as_deref()
        .map_or(Ok(DEFAULT_LIFETIME), |text| ttl::parse("dashboard", text, MAX_LIFETIME))?;
    let daemon = cx.daemon();
    let terms = DashboardTerms { scopes, lifetime };
    let (link, expires) = daemon.dashboard().issue(terms, daemon.dashboard_services()).await?;
    Ok(v1::OpenDashboardResponse {
        link,
        link_expires_at: humantime::format_rfc3339_seconds(expires).to_string(),
        scopes: scopes.names().into_iter().map(str::to_owned).collect(),
    })
}

/// Ends all dashboards.
pub async fn close_dashboards(
    cx: &CallContext,
    _: v1::CloseDashboardsRequest,
) -> Result<v1::CloseDashboardsResponse> {
    let ended = cx.daemon().dashboard().close();
    for session in cx.daemon().sessions().all() {
        super::control::end_if_holder_is_gone(cx.daemon(), &session).await;
    }
    Ok(v1::CloseDashboardsResponse { ended: u32::try_from(ended).unwrap_or(u32::MAX) })
}

fn parse_scopes(lists: &[String]) -> Result<Scopes> {
    Scopes::parse(lists).map_err(|message| {
        Error::new(Reason::ArgumentInvalid, message).with("command", "dashboard")
    })
}
