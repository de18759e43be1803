//! How fast a document loaded.

use serde::Deserialize;
use serde_json::json;

use crate::error::Result;
use crate::page::engine::Engine;
use crate::page::refusal::element_label;

/// Timings in milliseconds since the navigation began. What the browser has
/// not measured, or not yet, is none.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Timings {
    /// First Contentful Paint.
    pub fcp: Option<f64>,
    /// Largest Contentful Paint so far.
    pub lcp: Option<f64>,
    lcp_element: Option<(String, String)>,
    /// Cumulative Layout Shift, without unit.
    pub cls: Option<f64>,
    /// Interaction to Next Paint.
    pub inp: Option<f64>,
    /// Interactions that were measured.
    pub interactions: u32,
    /// Resources that were loaded.
    pub resources: u32,
    /// `navigate`, `reload` or `back_forward`.
    pub navigation: String,
    /// Time to the first byte.
    pub ttfb: Option<f64>,
    /// End of the event DOMContentLoaded.
    pub dom_content_loaded: Option<f64>,
    /// End of the load event.
    pub load: Option<f64>,
    /// Duration of the name resolution.
    pub dns: Option<f64>,
    /// Duration of the connection.
    pub connect: Option<f64>,
    /// Duration of the download of the document.
    pub download: Option<f64>,
    /// Bytes over the network.
    pub transfer: Option<f64>,
}

impl Timings {
    /// The element of the largest paint: `img "Ada"`.
    pub fn lcp_element(&self) -> Option<String> {
        self.lcp_element.as_ref().map(|(role, name)| element_label(role, name))
    }
}

impl Engine {
    /// The timings of the main document.
    pub async fn timings(&self) -> Result<Timings> {
        let world = self.world(&self.page().main_frame().id).await?;
        self.send_command(&world, "perf", &json!({})).read().await
    }
}
