//! How the daemon is, and how it ends.

use browse_proto::v1;

use crate::{daemon::ShutdownReason, dispatch::CallContext, window::SessionWindow};
use browse_base::Result;
use browse_chromium::{AnsweredBy, Sandbox};
use browse_sessions::BrowserState;

/// Answers the health of the daemon.
pub async fn status(cx: &CallContext, _: v1::StatusRequest) -> Result<v1::StatusResponse> {
    let daemon = cx.daemon();
    let settings = daemon.settings();
    let (mut clients, mut windows) = (daemon.authority().clients(), daemon.windows().all());
    if !cx.is_root() {
        // What others do is the owner's to know.
        let session = cx.session().ok().map(|session| session.name().to_owned());
        clients.retain(|client| client == cx.client());
        windows.retain(|window| Some(window.session().name()) == session.as_deref());
    }
    Ok(v1::StatusResponse {
        pid: std::process::id(),
        address: daemon.address().to_string(),
        uptime_s: daemon.uptime().as_secs(),
        project: settings.project.display().to_string(),
        memory_bytes: resident_bytes(),
        browser: Some(browser_status(daemon.sessions().browser_handle().state())),
        tabs: daemon.sessions().tabs().len() as u32,
        sessions: daemon.sessions().all().len() as u32,
        calls: daemon.calls().saturating_sub(1),
        clients: clients.iter().map(ToString::to_string).collect(),
        visible: windows.iter().map(|window| visible_session(window)).collect(),
        log: settings.log_file().display().to_string(),
    })
}

fn visible_session(window: &SessionWindow) -> v1::VisibleSession {
    let handed_off = window.is_handed_off();
    let terms = window.purpose().clone();
    v1::VisibleSession {
        session: window.session().name().to_owned(),
        connected: terms.connected,
        handed_off,
        reason: terms
            .handoff
            .filter(|_| handed_off)
            .map(|handoff| handoff.reason)
            .unwrap_or_default(),
        pid: window.context().browser().info().pid,
        open_s: window.opened_at().elapsed().unwrap_or_default().as_secs(),
    }
}

/// Answers the versions of the daemon and its browser.
pub async fn version(cx: &CallContext, _: v1::VersionRequest) -> Result<v1::VersionResponse> {
    Ok(v1::VersionResponse {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build_id: cx.daemon().build_id().to_owned(),
        browser: browser_status(cx.daemon().sessions().browser_handle().state()).product,
    })
}

/// Ends the daemon after this call.
pub async fn stop(cx: &CallContext, _: v1::StopRequest) -> Result<v1::StopResponse> {
    dismiss_questions(cx);
    cx.daemon().shut_down(ShutdownReason::Stop);
    Ok(v1::StopResponse {})
}

/// Ends the daemon after this call, and starts it anew.
pub async fn restart(cx: &CallContext, _: v1::RestartRequest) -> Result<v1::RestartResponse> {
    dismiss_questions(cx);
    // Those of sessions that are kept come back.
    let lost = cx.daemon().sessions().all().into_iter().filter(|session| !session.is_kept());
    let tabs_lost = lost.map(|session| session.tabs().len() as u32).sum();
    cx.daemon().shut_down(ShutdownReason::Restart);
    Ok(v1::RestartResponse { tabs_lost })
}

/// Questions of pages end with the daemon; the caller that ends it gets a notice.
fn dismiss_questions(cx: &CallContext) {
    for session in cx.daemon().sessions().all() {
        let tabs = session.tabs();
        session.dismiss_questions(AnsweredBy::Closing);
        tabs.iter()
            .filter_map(|tab| tab.unreported_dialogs().take_questions())
            .for_each(|words| cx.add_notice(&words));
    }
}

/// The browser, in words.
pub fn browser_status(state: BrowserState) -> v1::BrowserStatus {
    let word = |state: &str| v1::BrowserStatus { state: state.to_owned(), ..Default::default() };
    match state {
        BrowserState::Starting => word("starting"),
        BrowserState::Deferred => v1::BrowserStatus {
            problem: "it starts with the first command that needs it".to_owned(),
            ..word("missing")
        },
        BrowserState::Failed(error, _) => {
            v1::BrowserStatus { problem: error.to_string(), ..word("missing") }
        }
        BrowserState::Gone(reason, _) => v1::BrowserStatus { problem: reason, ..word("gone") },
        BrowserState::Running(browser) => {
            let info = browser.info();
            let sandbox = match &info.sandbox {
                Sandbox::On => "on".to_owned(),
                Sandbox::Off { reason } => format!("off: {reason}"),
            };
            v1::BrowserStatus {
                product: info.product.clone(),
                path: info.executable.display().to_string(),
                pid: Some(info.pid),
                sandbox,
                ..word("running")
            }
        }
    }
}

/// Resident memory of this process in bytes; 0 where the system does not tell.
fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * page_size()
}

fn page_size() -> u64 {
    let size = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE);
    size.ok().flatten().and_then(|size| u64::try_from(size).ok()).unwrap_or(4096)
}
