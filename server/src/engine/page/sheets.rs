//! Style sheets of other origins, which no script of a document may read.
//!
//! What they say decides what a person sees. The browser has what came from
//! their addresses, so the script names them, is given the text once, and
//! judges it like any other. A sheet whose text the browser does not give stays
//! closed, and the script measures every element that holds text instead.

use std::time::Duration;

use futures::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{engine::Engine, wire};
use crate::chromium::{Page, SheetText, World};
use crate::engine::error::Result;

/// Time that the browser gets to hand the texts over.
const PATIENCE: Duration = Duration::from_millis(500);

/// Sheets of one document that are asked for at a time.
const MOST: usize = 40;

/// A sheet that the script may not read.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ClosedSheet {
    /// The script's number for it.
    sheet: u64,
    /// Where it came from.
    pub url: String,
}

/// Of the argument of a reading: the sheets that it wants were asked for.
pub(crate) const ASKED: &str = "sheeted";

/// What a script answers instead of a reading.
#[derive(Deserialize)]
struct Wanting {
    wanted: Vec<ClosedSheet>,
}

/// The sheets that the script wants before it reads, if that is its answer.
pub(crate) fn wanted(answer: &str) -> Option<Vec<ClosedSheet>> {
    let wanting = answer.starts_with("{\"wanted\":").then(|| serde_json::from_str(answer));
    wanting.and_then(std::result::Result::ok).map(|Wanting { wanted }| wanted)
}

impl Engine {
    /// Asks `world` a question of a reading, with the sheets that it wants.
    pub(crate) async fn ask_reading(
        &self,
        world: &World,
        command: &str,
        mut argument: Value,
    ) -> Result<String> {
        let answer = self.ask(world, command, &argument).text().await?;
        let Some(wanted) = wanted(&answer) else { return Ok(answer) };
        adopt(self.page(), world, &wanted).await;
        argument[ASKED] = true.into();
        self.ask(world, command, &argument).text().await
    }
}

/// Hands the script the texts of `sheets`, which the document of `world` uses.
/// What is still on its way is left out: the script asks again.
pub(crate) async fn adopt(page: &Page, world: &World, sheets: &[ClosedSheet]) {
    let sheets = &sheets[..sheets.len().min(MOST)];
    let text = |sheet: &ClosedSheet| {
        let url = sheet.url.clone();
        async move { page.sheet_text(world.frame(), &url).await }
    };
    let texts = timeout(PATIENCE, join_all(sheets.iter().map(text))).await;
    let texts = texts.unwrap_or_else(|_| vec![SheetText::Unknown; sheets.len()]);
    let answers: Vec<_> = sheets.iter().zip(texts).filter_map(answer).collect();
    wire::tell(world, &format!("browseEngine.learnSheets({})", Value::Array(answers)));
}

fn answer((sheet, text): (&ClosedSheet, SheetText)) -> Option<Value> {
    match text {
        SheetText::Known(texts) => Some(json!([sheet.sheet, texts])),
        SheetText::Unknown => Some(json!([sheet.sheet, null])),
        SheetText::Awaited => None,
    }
}
