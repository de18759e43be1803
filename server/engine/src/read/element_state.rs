//! Facts about one element.

use serde::Deserialize;
use serde_json::json;

use crate::error::{Error, Result};
use crate::page::engine::Engine;
use crate::page::rect::Rect;
use crate::page::ref_assignment::ref_number;
use crate::page::refusal::element_label;
use crate::target::reference::{RefKind, Reference};
use crate::target::target::Target;
use browse_chromium::World;
use std::sync::Arc;

/// Where a page stood before an element was scrolled into view.
#[derive(Debug)]
pub struct SavedScroll {
    frame_world: Arc<World>,
    main_world: Arc<World>,
    position: (f64, f64),
}

/// A state to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementStateKind {
    /// It has a box and no style hides it.
    Visible,
    /// It is not visible, or not there.
    Hidden,
    /// It takes input.
    Enabled,
    /// It, or its fieldset, is disabled.
    Disabled,
    /// Its check mark is set.
    Checked,
    /// It is enabled and not read-only.
    Editable,
    /// It has the focus.
    Focused,
}

/// What an element is, as the engine computes it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ElementDescription {
    /// ARIA role.
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// Accessible description.
    pub description: String,
    /// As in a snapshot.
    pub states: Vec<String>,
    /// Tag name.
    pub tag: String,
}

#[derive(Deserialize)]
struct StateAnswer {
    is: bool,
}

#[derive(Deserialize)]
struct CountAnswer {
    count: u32,
}

#[derive(Deserialize)]
struct AttributesAnswer {
    attributes: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct ValueAnswer {
    value: String,
}

#[derive(Deserialize)]
struct ResolvedElement {
    #[serde(rename = "ref")]
    reference: i64,
    role: String,
    name: String,
    serial: u64,
    fresh: usize,
}

impl ElementStateKind {
    fn name(self) -> &'static str {
        match self {
            Self::Visible => "visible",
            Self::Hidden => "hidden",
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
            Self::Checked => "checked",
            Self::Editable => "editable",
            Self::Focused => "focused",
        }
    }
}

impl ElementDescription {
    /// Role and name, as messages say them.
    pub fn label(&self) -> String {
        element_label(&self.role, &self.name)
    }
}

impl Engine {
    /// How many elements match; 0 is an answer. A stale ref is an error.
    pub async fn count(&self, target: &Target) -> Result<u32> {
        Ok(self.query_target::<CountAnswer>(target, "count", json!({})).await?.count)
    }

    /// Whether the element has a state. What is gone is hidden; every other
    /// question about it is an error.
    pub async fn has_state(&self, target: &Target, state: ElementStateKind) -> Result<bool> {
        let answer =
            self.query_target::<StateAnswer>(target, "is", json!({ "state": state.name() })).await;
        match (answer, state) {
            (Ok(answer), _) => Ok(answer.is),
            (Err(error), ElementStateKind::Visible | ElementStateKind::Hidden)
                if error.kind() == Some(crate::RefusalKind::RefStale) =>
            {
                Ok(state == ElementStateKind::Hidden)
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Role, name, description and states.
    pub async fn describe(&self, target: &Target) -> Result<ElementDescription> {
        self.query_target(target, "describe", json!({})).await
    }

    /// The attributes in document order; never the value of a password field.
    pub async fn attrs(&self, target: &Target) -> Result<Vec<(String, String)>> {
        Ok(self.query_target::<AttributesAnswer>(target, "attributes", json!({})).await?.attributes)
    }

    /// The value of a field; never of a password field.
    pub async fn value(&self, target: &Target) -> Result<String> {
        Ok(self.query_target::<ValueAnswer>(target, "value", json!({})).await?.value)
    }

    /// The element's box in the viewport of the main frame, also when it lies
    /// in a frame.
    pub async fn bounds(&self, target: &Target) -> Result<Rect> {
        self.bounds_with(target, false).await
    }

    /// The same in the coordinates of the main document, for pictures of it.
    pub async fn page_bounds(&self, target: &Target) -> Result<(Rect, SavedScroll)> {
        let world = self.world_for(target).await?;
        let main = self.world(&self.page().main_frame().id).await?;
        let stood: (f64, f64) = main.evaluate("[scrollX, scrollY]").await?;
        let revealed = SavedScroll { frame_world: world, main_world: main, position: stood };
        let measured = async {
            let rect = self.bounds_with(target, true).await?;
            let now: (f64, f64) = revealed.main_world.evaluate("[scrollX, scrollY]").await?;
            Ok(Rect { x: rect.x + now.0, y: rect.y + now.1, ..rect })
        };
        match measured.await {
            Ok(rect) => Ok((rect, revealed)),
            Err(error) => {
                self.restore_scroll(&revealed).await;
                Err(error)
            }
        }
    }

    /// Scrolls back to where everything stood: what is between the main frame
    /// and that of the element stays as it is.
    pub async fn restore_scroll(&self, revealed: &SavedScroll) {
        let SavedScroll { frame_world: world, main_world: main, position: (left, top) } = revealed;
        let back = self.send_command(world, "unreveal", &json!({})).text();
        let back = match world.frame() == main.frame() {
            true => back.await.map(drop),
            false => {
                let script =
                    format!("(scrollTo({{ left: {left}, top: {top}, behavior: 'instant' }}), 0)");
                let (back, main) = futures::future::join(back, main.evaluate::<f64>(&script)).await;
                back.map(drop).and(main.map(drop).map_err(Error::from))
            }
        };
        if let Err(error) = back {
            tracing::debug!(%error, "the page was not scrolled back");
        }
    }

    /// With `reveal` it is scrolled into view first.
    async fn bounds_with(&self, target: &Target, reveal: bool) -> Result<Rect> {
        let world = self.world_for(target).await?;
        let argument = json!({ "target": target.query, "reveal": reveal });
        let answer = self.send_command(&world, "box", &argument).text().await;
        let rect: Rect = self.decode_target_answer(target, &world, answer).await?;
        self.rect_in_main_frame(&world, rect).await
    }

    /// A ref for whatever the target names, exactly one element.
    pub async fn resolve(&self, target: &Target) -> Result<Reference> {
        let world = self.world_for(target).await?;
        let answer =
            self.send_command(&world, "resolve", &json!({ "target": target.query })).text().await;
        let resolved: ResolvedElement = self.decode_target_answer(target, &world, answer).await?;
        let label = (resolved.role.as_str().into(), resolved.name.as_str().into());
        let base = self.assign_refs(&world, resolved.serial, vec![label; resolved.fresh]);
        Ok(Reference { kind: RefKind::Element, number: ref_number(resolved.reference, base) })
    }

    /// The element as a remote object of the engine's world, for calls of the
    /// browser that want one (files of an input, say). It lives in the object
    /// group `targets`.
    pub async fn remote_object(&self, target: &Target) -> Result<(Arc<World>, String)> {
        self.remote_object_from(target, "object").await
    }

    /// The same by a function of the engine that finds another element for the
    /// target.
    pub(crate) async fn remote_object_from(
        &self,
        target: &Target,
        function: &str,
    ) -> Result<(Arc<World>, String)> {
        // Resolving first gives the errors their words.
        let reference = Target::from_ref(self.resolve(target).await?);
        let world = self.world_for(&reference).await?;
        let query = serde_json::to_string(&reference.query).map_err(Error::internal)?;
        let function = format!("() => browseEngine.{function}({{target: {query}}})");
        match world.call_handle(&function, &[], "targets").await {
            Ok(Some(object)) => Ok((world, object)),
            Ok(None) => Err(self.stale_ref_error(&reference)),
            Err(error) => Err(self.with_target_context(&reference, error.into())),
        }
    }
}
