//! What every new session gets, in one flight.
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

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::page::Page;
use super::page_tools;
use super::protocol::GetFrameTree;
use crate::connection::params::NoParams;
use crate::connection::session::CdpSession;
use crate::emulation::messages::{self, EmulatedTarget};
use crate::error::Result;
use crate::launch::info::Flavour;

/// Has Chromium attach to everything below a session, stopped until it is resumed.
pub(crate) const AUTO_ATTACH: &str = "Target.setAutoAttach";

/// The parameters of [`AUTO_ATTACH`].
pub(crate) fn auto_attach() -> Value {
    let except = |kind: &str| json!({ "type": kind, "exclude": true });
    json!({
        "autoAttach": true,
        "waitForDebuggerOnStart": true,
        "flatten": true,
        // The last entry takes all that those before it do not exclude.
        "filter": [except("browser"), except("tab"), except("browser_ui"), {}],
    })
}

/// Lets a stopped target run and asks nothing of it: workers.
pub(crate) fn resume(session: &CdpSession) {
    session.send("Runtime.runIfWaitingForDebugger", &NoParams);
}

/// Sets a page's main session up; [`resume_page`] follows.
pub(crate) fn set_up_page(page: &Arc<Page>) {
    let session = page.session();
    enable_domains(page, session);
    session.send("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }));
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
}

/// Lets a page run that was set up; it is ready when all is answered.
pub(crate) fn resume_page(page: &Arc<Page>) {
    let (session, waiting) = (page.session(), Arc::downgrade(page));
    session.call_then("Runtime.runIfWaitingForDebugger", &NoParams, move |answer| {
        if let Some(page) = waiting.upgrade() {
            page.state.lock().ready = Some(answer.map(|_: IgnoredAny| ()));
            page.notify();
        }
    });
}

/// Sets the session of an out-of-process frame up; [`resume`] follows.
pub(crate) fn set_up_frame(page: &Arc<Page>, session: &CdpSession) {
    enable_domains(page, session);
    page.intercept_frame(session);
    page.shared.emulations.add_session(
        session,
        EmulatedTarget::Frame,
        Some(page),
        page.context_id(),
    );
}

/// The part that main frames and out-of-process frames share.
fn enable_domains(page: &Arc<Page>, session: &CdpSession) {
    session.send("Page.enable", &NoParams);
    if let Some(first) = page.shared.preload_script {
        let script = json!({ "source": first.script, "worldName": first.world_name });
        session.send("Page.addScriptToEvaluateOnNewDocument", &script);
    }
    page.seed_session(session);
    let (waiting, served) = (Arc::downgrade(page), session.clone());
    session.call_then("Page.getFrameTree", &NoParams, move |answer: Result<GetFrameTree>| {
        if let (Some(page), Ok(tree)) = (waiting.upgrade(), answer) {
            page.state.lock().frames.adopt(&tree.frame_tree, &served);
            page.notify();
        }
    });
    session.send("Page.setLifecycleEventsEnabled", &json!({ "enabled": true }));
    session.send("Network.enable", &NoParams);
    session.send("Runtime.enable", &NoParams);
    session.send("Log.enable", &NoParams);
    if page.shared.page_tools {
        page_tools::enable(session);
    }
    session.send(AUTO_ATTACH, &auto_attach());
}
