//! What every new session is told, in one flight.
//!
//! Order matters at two places: `Page.enable` comes before anything that may
//! open a dialog, and `runIfWaitingForDebugger` comes last, so that not even
//! the first script of a popup runs unobserved.
//!
//! **Console.** `Runtime.enable` is what reports console lines and exceptions;
//! the alternatives (`Log`, `Console`) see only one of the two. It costs a
//! page that floods its console dearly (100,000 lines: 3.8 s without, 12.4 s
//! with), so `events.rs` switches it off for a while when a page floods.

use std::sync::Arc;

use chromiumoxide_cdp::cdp::browser_protocol::emulation::SetFocusEmulationEnabledParams;
use chromiumoxide_cdp::cdp::browser_protocol::target::{
    FilterEntry, SetAutoAttachParams, TargetFilter,
};
use chromiumoxide_cdp::cdp::browser_protocol::{log, network, page as cdp};
use chromiumoxide_cdp::cdp::js_protocol::runtime;
use serde::de::IgnoredAny;

use super::page::Page;
use super::protocol::GetFrameTree;
use crate::chromium::connection::params::NoParams;
use crate::chromium::connection::session::CdpSession;
use crate::chromium::emulation::messages::{self, EmulatedTarget};
use crate::chromium::error::Result;
use crate::chromium::launch::info::Flavour;

/// Attaches to everything below a session, stopped until told to go on.
pub(crate) fn auto_attach() -> SetAutoAttachParams {
    let except = |kind: &str| FilterEntry { exclude: Some(true), r#type: Some(kind.to_owned()) };
    let filter =
        vec![except("browser"), except("tab"), except("browser_ui"), FilterEntry::default()];
    let mut params = SetAutoAttachParams::new(true, true);
    params.flatten = Some(true);
    params.filter = Some(TargetFilter::new(filter));
    params
}

/// Lets a stopped target run and asks nothing of it: workers.
pub(crate) fn resume(session: &CdpSession) {
    session.send(&runtime::RunIfWaitingForDebuggerParams::default());
}

/// Sets a page's main session up; the page is ready when all is answered.
pub(crate) fn set_up_page(page: &Arc<Page>) {
    let session = page.session();
    enable_domains(page, session);
    session.send(&SetFocusEmulationEnabledParams::new(true));
    let emulations = &page.shared.emulations;
    let emulation =
        emulations.add_session(session, EmulatedTarget::Tab, Some(page), page.context_id());
    match emulation.screen {
        Some(screen) => page.state.lock().viewport = screen.viewport,
        // In a window that a person sees the page is as large as the window.
        None if page.shared.flavour == Flavour::Headed => {}
        None => {
            let metrics = messages::device_metrics(page.shared.viewport);
            let method = "Emulation.setDeviceMetricsOverride";
            session.call_method::<IgnoredAny>(method, &metrics).ignore();
        }
    }
    let waiting = Arc::downgrade(page);
    session.call_then("Runtime.runIfWaitingForDebugger", &NoParams, move |answer| {
        if let Some(page) = waiting.upgrade() {
            page.state.lock().ready = Some(answer.map(|_: IgnoredAny| ()));
            page.notify();
        }
    });
}

/// Sets the session of an out-of-process frame up.
pub(crate) fn set_up_frame(page: &Arc<Page>, session: &CdpSession) {
    enable_domains(page, session);
    page.intercept_frame(session);
    page.shared.emulations.add_session(
        session,
        EmulatedTarget::Frame,
        Some(page),
        page.context_id(),
    );
    resume(session);
}

/// The part that main frames and out-of-process frames share.
fn enable_domains(page: &Arc<Page>, session: &CdpSession) {
    session.send(&cdp::EnableParams::default());
    if let Some(first) = page.shared.preload_script {
        let mut script = cdp::AddScriptToEvaluateOnNewDocumentParams::new(first.script);
        script.world_name = Some(first.world_name.to_owned());
        session.send(&script);
    }
    page.seed_session(session);
    let (waiting, served) = (Arc::downgrade(page), session.clone());
    session.call_then("Page.getFrameTree", &NoParams, move |answer: Result<GetFrameTree>| {
        if let (Some(page), Ok(tree)) = (waiting.upgrade(), answer) {
            page.state.lock().frames.adopt(&tree.frame_tree, &served);
            page.notify();
        }
    });
    session.send(&cdp::SetLifecycleEventsEnabledParams::new(true));
    session.send(&network::EnableParams::default());
    session.send(&runtime::EnableParams::default());
    session.send(&log::EnableParams::default());
    session.send(&auto_attach());
}
