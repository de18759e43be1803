//! Text, HTML and links of a page.

use serde::Deserialize;
use serde_json::json;

use super::layout::lay_out;
use super::splice::Written;
use super::unseen::{self, Reading, Unseen};
use crate::engine::error::Result;
use crate::engine::page::engine::Engine;
use crate::engine::page::gather::{Question, Survey};
use crate::engine::page::script::MARKUP;
use crate::engine::page::sheets::ClosedSheet;
use crate::engine::page::wire;
use crate::engine::target::target::Target;

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its accessible name.
    pub text: String,
    /// Its absolute address.
    pub href: String,
}

/// The text of one document; marks stand for the texts of its frames.
#[derive(Deserialize)]
struct Text {
    #[serde(skip)]
    text: String,
    /// Lines may be drawn with dashes.
    art: bool,
    suspects: u32,
    #[serde(default)]
    unseen: Unseen,
    #[serde(default)]
    closed: Vec<ClosedSheet>,
}

impl Survey for Text {
    const SHOWS: bool = true;

    fn suspects(&self) -> u32 {
        self.suspects
    }

    fn unseen(&self) -> &Unseen {
        &self.unseen
    }

    fn closed_sheets(&self) -> &[ClosedSheet] {
        &self.closed
    }

    fn take(&mut self, body: &str) {
        self.text = lay_out(body, self.art);
    }
}

impl Written for Text {
    fn text(&self) -> &str {
        &self.text
    }
}

#[derive(Deserialize)]
struct Html {
    html: String,
    #[serde(default)]
    unseen: Unseen,
}

#[derive(Deserialize)]
struct Links {
    links: Vec<(String, String)>,
    #[serde(default)]
    unseen: Unseen,
}

impl Engine {
    /// Readable text: of the whole page without its furniture, or all the text
    /// that shows in an element.
    pub async fn text(&self, target: Option<&Target>) -> Result<String> {
        Ok(self.read_text(target, false).await?.text)
    }

    /// The same; with `seen` without what no person sees.
    pub async fn read_text(&self, target: Option<&Target>, seen: bool) -> Result<Reading> {
        let argument = json!({ "entire": target.is_some(), "seen": seen });
        let question = Question { command: "text", argument, target, listeners: false };
        let gathered = self.gather::<Text>(&question, self.frame_of(target).await?).await?;
        let silent = gathered.silent.len();
        Ok(Reading { text: self.written(&gathered), unseen: unseen::of(&gathered), silent })
    }

    /// The document as HTML, or what stands in an element.
    pub async fn html(&self, target: Option<&Target>) -> Result<String> {
        Ok(self.read_html(target, false).await?.text)
    }

    /// The same, all of it; with `seen` what of it no person sees is counted.
    pub async fn read_html(&self, target: Option<&Target>, seen: bool) -> Result<Reading> {
        let more = json!({ "seen": seen });
        let html: Html = match target {
            Some(target) => self.ask_about(target, "html", more).await?,
            None => {
                let world = self.world(&self.frame()?).await?;
                match seen || world.has_engine() {
                    true => wire::decode(&self.ask_reading(&world, "html", more).await?)?,
                    // All that is wanted of a document, often: the engine stays out.
                    false => {
                        let html = world.evaluate_bare(MARKUP).await?;
                        Html { html, unseen: Unseen::default() }
                    }
                }
            }
        };
        Ok(Reading { text: html.html, unseen: html.unseen, silent: 0 })
    }

    /// The links of the page, each address once.
    pub async fn links(&self) -> Result<Vec<Link>> {
        Ok(self.read_links(false).await?.0)
    }

    /// The same; with `seen` without those that no person sees, and how many
    /// parts of the page these are.
    pub async fn read_links(&self, seen: bool) -> Result<(Vec<Link>, Unseen)> {
        let world = self.world(&self.frame()?).await?;
        let answer = self.ask_reading(&world, "links", json!({ "seen": seen })).await?;
        let links: Links = wire::decode(&answer)?;
        let all = links.links.into_iter().map(|(text, href)| Link { text, href });
        Ok((all.collect(), links.unseen))
    }

    /// Asks the frame that selectors look in, or that of the target.
    pub(crate) async fn read<T: serde::de::DeserializeOwned>(
        &self,
        command: &str,
        target: Option<&Target>,
    ) -> Result<T> {
        match target {
            Some(target) => self.ask_about(target, command, json!({})).await,
            None => {
                let world = self.world(&self.frame()?).await?;
                self.ask(&world, command, &json!({})).read().await
            }
        }
    }
}
