//! How a step that is recorded names its element again: a target that was seen
//! to find it, and nothing else, when the step was made.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::error::Result;
use crate::page::engine::Engine;
use crate::target::query::Query;
use crate::target::target::Target;

/// What a recorded step needs to know of its element.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ElementLocator {
    pub(crate) candidates: Vec<Query>,
    /// Tag name.
    pub tag: String,
    /// ARIA role.
    pub role: String,
    /// Type of an input.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its `name` or id.
    pub field: String,
    /// What it is called on the page.
    #[serde(default)]
    pub label: String,
    /// What autofill would put in.
    pub autocomplete: String,
    /// Where clicking it leads, when that only asks the server for a page.
    pub leads: Option<String>,
    /// Whether it takes a password, a code or a card number.
    pub secret: bool,
    /// Tells its field from all others, as long as its document lives.
    pub identity: Option<u64>,
    /// A selector for the place of its field.
    pub path: String,
    /// Whether its field takes text.
    pub text: bool,
    /// The text of the field, when it takes text that is not a secret.
    pub value: Option<String>,
    /// The frame that it lies in; none for the main frame.
    #[serde(skip)]
    pub frame: Option<FrameLocator>,
}

/// A frame, as `frame` can be asked to choose it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameLocator {
    /// Its name; empty when it has none, or shares it.
    pub name: String,
    /// Its address.
    pub url: String,
}

/// What a field holds after a step.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct FieldState {
    /// Its text; none for a secret, and for what takes no text.
    pub value: Option<String>,
    /// Whether that is what was typed.
    #[serde(rename = "asTyped")]
    pub is_as_typed: bool,
}

#[derive(Deserialize)]
struct ScrubbedHtml {
    html: String,
}

impl ElementLocator {
    /// Targets for the element of a ref, best first.
    pub fn targets(&self) -> impl Iterator<Item = Target> {
        self.candidates.iter().filter_map(Target::from_query)
    }
}

impl Engine {
    /// The locator of the element that `target` finds, or that has the focus.
    /// What is only read is not named by its text.
    ///
    /// # Errors
    /// Those of looking the target up.
    pub async fn element_locator(
        &self,
        target: Option<&Target>,
        reading: bool,
    ) -> Result<ElementLocator> {
        let frame = match target {
            Some(target) => self.world_for(target).await?.frame().clone(),
            None => self.selector_frame()?,
        };
        let mut locator: ElementLocator = match target {
            Some(target) => {
                self.query_target(target, "footing", json!({ "reading": reading })).await?
            }
            None => {
                let world = self.world(&frame).await?;
                self.send_command(&world, "footing", &json!({})).read().await?
            }
        };
        if frame != self.page().main_frame().id {
            let frames = self.page().frames();
            let own = frames.iter().find(|known| known.id == frame);
            locator.frame = own.map(|own| {
                let alone = frames.iter().filter(|other| other.name == own.name).count() == 1;
                let name = if alone { own.name.clone() } else { String::new() };
                FrameLocator { name, url: own.url.clone() }
            });
        }
        Ok(locator)
    }

    /// What the field of a locator holds now; `place` is its frame.
    ///
    /// # Errors
    /// Those of asking the page.
    pub async fn field_state(
        &self,
        identity: u64,
        place: Option<&FrameLocator>,
        typed: Option<&str>,
    ) -> Result<FieldState> {
        let frames = self.page().frames();
        let own = |place: &FrameLocator| {
            frames.iter().find(|frame| frame.url == place.url).map(|frame| frame.id.clone())
        };
        let frame = place.and_then(own).unwrap_or_else(|| self.page().main_frame().id);
        let world = self.world(&frame).await?;
        self.send_command(&world, "fieldNow", &json!({ "identity": identity, "typed": typed }))
            .read()
            .await
    }

    /// The HTML of the main document as it may be kept: without scripts, values
    /// of fields and tokens of the session.
    ///
    /// # Errors
    /// Those of asking the page.
    pub async fn scrubbed_html(&self) -> Result<String> {
        let world = self.world(&self.page().main_frame().id).await?;
        Ok(self.send_command(&world, "scrubbedHtml", &json!({})).read::<ScrubbedHtml>().await?.html)
    }
}
