//! What a page takes of memory.

use serde::Deserialize;

use super::page::Page;
use crate::connection::call::CdpCall;
use crate::connection::params::NoParams;
use crate::error::Result;

/// The JavaScript heap of a page's process, in bytes.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeapUsage {
    /// In use.
    #[serde(rename = "usedSize")]
    pub used: f64,
    /// Held from the system.
    #[serde(rename = "totalSize")]
    pub total: f64,
}

/// What of a page is alive.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DomCounters {
    /// Documents, those of frames included.
    pub documents: u64,
    /// Nodes.
    pub nodes: u64,
    /// Listeners that scripts added.
    pub js_event_listeners: u64,
}

impl Page {
    /// Asks the page for its heap and counters. A page that hangs never answers.
    pub async fn memory(&self) -> Result<(HeapUsage, DomCounters)> {
        self.state.lock().ensure_alive()?;
        let heap: CdpCall<HeapUsage> =
            self.session().call_method("Runtime.getHeapUsage", &NoParams);
        let counters: CdpCall<DomCounters> =
            self.session().call_method("Memory.getDOMCounters", &NoParams);
        Ok((heap.await?, counters.await?))
    }
}
