//! Structured data: what a page says about itself to machines.

use serde::Deserialize;

use crate::error::Result;
use crate::page::engine::Engine;

/// Name and content of a tag.
pub type MetadataEntry = (String, String);

/// The structured data of one document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct StructuredData {
    /// Documents of JSON-LD, as JSON.
    pub jsonld: Vec<String>,
    /// Open Graph.
    pub og: Vec<MetadataEntry>,
    /// Twitter cards.
    pub twitter: Vec<MetadataEntry>,
    /// All other metadata, the title first.
    pub meta: Vec<MetadataEntry>,
    /// What could not be read.
    pub problems: Vec<String>,
}

impl Engine {
    /// The structured data of the frame that selectors look in.
    pub async fn structured_data(&self) -> Result<StructuredData> {
        self.query("data", None).await
    }
}
