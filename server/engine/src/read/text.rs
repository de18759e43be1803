//! Text, HTML and links of a page.

use serde::Deserialize;
use serde_json::json;

use super::page_reading::PageReading;
use super::splice::SplicedText;
use super::text_layout::layout_text;
use crate::error::Result;
use crate::page::engine::Engine;
use crate::page::fan_out::{FrameAnswer, FrameQuery};
use crate::page::hidden_parts::HiddenParts;
use crate::page::script::MARKUP_SCRIPT;
use crate::page::script_call;
use crate::target::target::Target;
use browse_chromium::strip_credentials;

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    /// Its accessible name.
    pub text: String,
    /// Its absolute address.
    pub href: String,
}

/// The text of one document; marks stand for the texts of its frames.
#[derive(Deserialize)]
struct TextAnswer {
    #[serde(skip)]
    text: String,
    /// Lines may be drawn with dashes.
    art: bool,
    suspects: u32,
    #[serde(default)]
    unseen: HiddenParts,
}

impl FrameAnswer for TextAnswer {
    const IS_VISUAL: bool = true;

    fn closed_root_candidates(&self) -> u32 {
        self.suspects
    }

    fn hidden_parts(&self) -> &HiddenParts {
        &self.unseen
    }

    fn set_body(&mut self, body: &str) {
        self.text = layout_text(body, self.art);
    }
}

impl SplicedText for TextAnswer {
    fn marked_text(&self) -> &str {
        &self.text
    }
}

#[derive(Deserialize)]
struct Html {
    html: String,
    #[serde(default)]
    unseen: HiddenParts,
}

#[derive(Deserialize)]
struct PageLinks {
    links: Vec<(String, String)>,
    #[serde(default)]
    unseen: HiddenParts,
}

impl Engine {
    /// Readable text: of the whole page without its boilerplate, or all the text
    /// that shows in an element.
    pub async fn text(&self, target: Option<&Target>) -> Result<String> {
        Ok(self.read_text(target, false).await?.text)
    }

    /// The same; with `seen` without what no person sees.
    pub async fn read_text(&self, target: Option<&Target>, seen: bool) -> Result<PageReading> {
        let argument = json!({ "entire": target.is_some(), "seen": seen });
        let question = FrameQuery { command: "text", argument, target, needs_listeners: false };
        let gathered = self
            .query_frames::<TextAnswer>(&question, self.frame_for_target(target).await?)
            .await?;
        let silent = gathered.unresponsive.len();
        Ok(PageReading {
            text: self.splice_frames(&gathered),
            hidden_parts: gathered.hidden_parts(),
            unresponsive_frames: silent,
        })
    }

    /// The document as HTML, or what stands in an element.
    pub async fn html(&self, target: Option<&Target>) -> Result<String> {
        Ok(self.read_html(target, false).await?.text)
    }

    /// The same, all of it; with `seen` what of it no person sees is counted.
    pub async fn read_html(&self, target: Option<&Target>, seen: bool) -> Result<PageReading> {
        let more = json!({ "seen": seen });
        let html: Html = match target {
            Some(target) => self.query_target(target, "html", more).await?,
            None => {
                let world = self.world(&self.selector_frame()?).await?;
                match seen || world.has_injected_script() {
                    true => script_call::send_command(&world, "html", &more).read().await?,
                    // All that is wanted of a document, often: the engine stays out.
                    false => {
                        let html = world.evaluate_without_script(MARKUP_SCRIPT).await?;
                        Html { html, unseen: HiddenParts::default() }
                    }
                }
            }
        };
        Ok(PageReading { text: html.html, hidden_parts: html.unseen, unresponsive_frames: 0 })
    }

    /// The links of the page, each address once.
    pub async fn links(&self) -> Result<Vec<PageLink>> {
        Ok(self.read_links(false).await?.0)
    }

    /// The same; with `seen` without those that no person sees, and how many
    /// parts of the page these are.
    pub async fn read_links(&self, seen: bool) -> Result<(Vec<PageLink>, HiddenParts)> {
        let world = self.world(&self.selector_frame()?).await?;
        let more = json!({ "seen": seen });
        let links: PageLinks = script_call::send_command(&world, "links", &more).read().await?;
        let all = links.links.into_iter().map(|(text, href)| {
            // A relative link has the credentials of the address of its document.
            PageLink { text, href: strip_credentials(&href).into_owned() }
        });
        Ok((all.collect(), links.unseen))
    }

    /// Asks the frame that selectors look in, or that of the target.
    pub(crate) async fn query<T: serde::de::DeserializeOwned>(
        &self,
        command: &str,
        target: Option<&Target>,
    ) -> Result<T> {
        match target {
            Some(target) => self.query_target(target, command, json!({})).await,
            None => {
                let world = self.world(&self.selector_frame()?).await?;
                self.send_command(&world, command, &json!({})).read().await
            }
        }
    }
}
