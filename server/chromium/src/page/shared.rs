//! What every page of a browser shares.

use std::sync::Arc;
use std::time::Duration;

use super::dialogs::DialogPolicy;
use super::emulations::Emulations;
use super::event::EventSink;
use super::visited_origins::VisitedOrigins;
use super::workers::Workers;
use crate::clients::table::Clients;
use crate::connection::pipe::CdpConnection;
use crate::emulation::viewport::Viewport;
use crate::guard::restrictions::Policies;
use crate::launch::info::Flavour;
use crate::world::world::InjectedScript;

/// What every page of a browser shares.
pub(crate) struct BrowserShared {
    pub connection: CdpConnection,
    pub policies: Policies,
    pub sink: Arc<dyn EventSink>,
    pub dialog_policy: DialogPolicy,
    pub dialog_timeout: Duration,
    pub viewport: Viewport,
    /// Whether pages can offer tools.
    pub page_tools: bool,
    pub emulations: Emulations,
    pub workers: Workers,
    pub clients: Arc<Clients>,
    /// Held by the task that needs its tab in front.
    pub front_lock: tokio::sync::Mutex<()>,
    /// Which kind of Chromium it is.
    pub flavour: Flavour,
    pub preload_script: Option<&'static InjectedScript>,
    pub visited_origins: VisitedOrigins,
    pub warm_up_script: Option<&'static InjectedScript>,
    /// Windows that the pages of a context may have open.
    pub max_windows: usize,
}
