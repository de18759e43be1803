//! What a property of an element comes to.

use serde::Deserialize;
use serde_json::json;

use crate::error::Result;
use crate::page::engine::Engine;
use crate::target::target::Target;

#[derive(Deserialize)]
struct ComputedAnswer {
    value: String,
}

impl Engine {
    /// The computed value of a property, of the element or of one of its
    /// pseudo-elements. A custom property that is not set is empty.
    pub async fn computed(
        &self,
        target: &Target,
        property: &str,
        pseudo: Option<&str>,
    ) -> Result<String> {
        let more = json!({ "property": property, "pseudo": pseudo });
        Ok(self.query_target::<ComputedAnswer>(target, "computed", more).await?.value)
    }
}
