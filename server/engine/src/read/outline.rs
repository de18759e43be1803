//! The structure of a page, for telling whether a skill still fits it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use crate::error::Result;
use crate::page::engine::Engine;
use crate::target::target::Target;

/// What became of targets and regions.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Outline {
    /// In the order of the question.
    pub targets: Vec<TargetStatus>,
    /// In the order of the question.
    pub regions: Vec<Region>,
}

/// What a target finds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct TargetStatus {
    /// Elements that match.
    pub count: u32,
    /// Those of them that show.
    pub visible: u32,
    /// Tag name, when it is one element.
    pub tag: String,
    /// ARIA role.
    pub role: String,
    /// Type of an input.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it takes no input.
    pub idle: bool,
    /// Values and labels of its options.
    pub options: Vec<String>,
    /// Fields that the form around it wants filled.
    pub demands: Vec<String>,
}

/// A part of the page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Region {
    /// Whether it is there.
    pub found: bool,
    /// The headers of each table.
    pub tables: Vec<Vec<String>>,
    /// Like records, in document order.
    pub groups: Vec<RecordGroup>,
}

/// Records of one kind beside each other.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct RecordGroup {
    /// How many there are.
    pub size: u32,
    /// The kinds of facts in them, each with the share of records that have it.
    pub slots: BTreeMap<String, f64>,
}

impl Engine {
    /// The structure of the main document around these targets and regions; a
    /// region that is none is all of it.
    ///
    /// # Errors
    /// Those of asking the page.
    pub async fn outline(&self, targets: &[Target], regions: &[Option<Target>]) -> Result<Outline> {
        let world = self.world(&self.page().main_frame().id).await?;
        let targets: Vec<_> = targets.iter().map(|target| &target.query).collect();
        let regions: Vec<_> =
            regions.iter().map(|region| region.as_ref().map(|target| &target.query)).collect();
        self.send_command(&world, "outline", &json!({ "targets": targets, "regions": regions }))
            .read()
            .await
    }
}
