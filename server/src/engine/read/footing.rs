//! How a step that is recorded names its element again: a target that was seen
//! to find it, and nothing else, when the step was made.

use serde::Deserialize;
use serde_json::json;

use crate::engine::error::Result;
use crate::engine::page::engine::Engine;
use crate::engine::target::target::{Query, Target};

/// What a recorded step needs to know of its element.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Footing {
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
    pub place: Option<Place>,
}

/// A frame, as `frame` can be told to choose it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its name; empty when it has none, or shares it.
    pub name: String,
    /// Its address.
    pub url: String,
}

/// What a field holds after a step.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct FieldNow {
    /// Its text; none for a secret, and for what takes no text.
    pub value: Option<String>,
    /// Whether that is what was typed.
    #[serde(rename = "asTyped")]
    pub is_as_typed: bool,
}

#[derive(Deserialize)]
struct Kept {
    html: String,
}

impl Footing {
    /// Targets for the element of a ref, best first.
    pub fn targets(&self) -> impl Iterator<Item = Target> {
        self.candidates.iter().filter_map(Target::written)
    }
}

impl Engine {
    /// The footing of the element that `target` finds, or that has the focus.
    /// What is only read is not named by its text.
    ///
    /// # Errors
    /// Those of looking the target up.
    pub async fn footing(&self, target: Option<&Target>, reading: bool) -> Result<Footing> {
        let frame = match target {
            Some(target) => self.world_for(target).await?.frame().clone(),
            None => self.frame()?,
        };
        let mut footing: Footing = match target {
            Some(target) => {
                self.ask_about(target, "footing", json!({ "reading": reading })).await?
            }
            None => {
                let world = self.world(&frame).await?;
                self.ask(&world, "footing", &json!({})).read().await?
            }
        };
        if frame != self.page().main_frame().id {
            let frames = self.page().frames();
            let own = frames.iter().find(|known| known.id == frame);
            footing.place = own.map(|own| {
                let alone = frames.iter().filter(|other| other.name == own.name).count() == 1;
                let name = if alone { own.name.clone() } else { String::new() };
                Place { name, url: own.url.clone() }
            });
        }
        Ok(footing)
    }

    /// What the field of a footing holds now; `place` is its frame.
    ///
    /// # Errors
    /// Those of asking the page.
    pub async fn field_now(
        &self,
        identity: u64,
        place: Option<&Place>,
        typed: Option<&str>,
    ) -> Result<FieldNow> {
        let frames = self.page().frames();
        let own = |place: &Place| {
            frames.iter().find(|frame| frame.url == place.url).map(|frame| frame.id.clone())
        };
        let frame = place.and_then(own).unwrap_or_else(|| self.page().main_frame().id);
        let world = self.world(&frame).await?;
        self.ask(&world, "fieldNow", &json!({ "identity": identity, "typed": typed })).read().await
    }

    /// The HTML of the main document as it may be kept: without scripts, values
    /// of fields and tokens of the session.
    ///
    /// # Errors
    /// Those of asking the page.
    pub async fn keepsake(&self) -> Result<String> {
        let world = self.world(&self.page().main_frame().id).await?;
        Ok(self.ask(&world, "keepsake", &json!({})).read::<Kept>().await?.html)
    }
}
