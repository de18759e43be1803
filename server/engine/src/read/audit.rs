//! The structure of a page, for a review of its design.

use serde::Deserialize;

use crate::error::Result;
use crate::page::engine::Engine;
use crate::page::rect::Rect;

/// What a reviewer looks at. Boxes are in pixels of the document.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct DesignAudit {
    /// What it is.
    pub site: SiteInfo,
    /// How one gets around, at most 100.
    pub nav: Vec<NavLink>,
    /// At most 50.
    pub headings: Vec<Heading>,
    /// What it says, at most 100.
    pub blocks: Vec<TextBlock>,
    /// What can be operated, at most 200.
    pub interactive: Vec<Control>,
    /// How many there are.
    pub counts: ElementCounts,
    /// What stands out as wrong.
    pub findings: Vec<String>,
}

/// What a page says it is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SiteInfo {
    /// Title of the document.
    pub title: String,
    /// Name of the site, or its host.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// Its address.
    #[serde(deserialize_with = "browse_chromium::deserialize_url")]
    pub url: String,
    /// The address that it wants to be known by.
    #[serde(deserialize_with = "browse_chromium::deserialize_url")]
    pub canonical: String,
    /// Language tag.
    pub lang: String,
    /// Address of its icon.
    pub icon: String,
    /// The part that shows.
    pub viewport: Rect,
    /// All of it.
    pub page: Rect,
}

/// A link of a navigation landmark.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NavLink {
    /// Name of the landmark.
    pub nav: String,
    /// Accessible name.
    pub text: String,
    /// Absolute address.
    #[serde(deserialize_with = "browse_chromium::deserialize_url")]
    pub href: String,
    /// Whether it is the page itself.
    pub current: bool,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Heading {
    /// From 1.
    pub level: u32,
    /// Accessible name.
    pub text: String,
    /// Where it is.
    #[serde(rename = "box")]
    pub bounds: Rect,
}

/// An element with text of its own.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TextBlock {
    /// Its beginning.
    pub text: String,
    /// Words of all of it.
    pub words: u32,
    /// Height of the letters in pixels.
    pub size: f64,
    /// Where it is.
    #[serde(rename = "box")]
    pub bounds: Rect,
}

/// Something that can be operated.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Control {
    /// ARIA role.
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// Type of an input.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it takes no input.
    pub disabled: bool,
    /// Whether it shows without scrolling.
    pub in_view: bool,
    /// Where it is.
    #[serde(rename = "box")]
    pub bounds: Rect,
}

/// Numbers of all elements of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct ElementCounts {
    /// Headings.
    pub headings: u32,
    /// Text blocks.
    pub blocks: u32,
    /// What can be operated.
    pub interactive: u32,
    /// Images.
    pub images: u32,
}

impl Engine {
    /// Looks over the frame that selectors look in.
    pub async fn audit(&self) -> Result<DesignAudit> {
        self.query("audit", None).await
    }
}
