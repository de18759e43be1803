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

use super::script_call;
use crate::chromium::{Page, StylesheetText, World};

/// Time that the browser gets to hand the texts over.
const SHEET_TEXT_TIMEOUT: Duration = Duration::from_millis(500);

/// Sheets of one document that are asked for at a time.
const MAX_SHEETS: usize = 40;

/// A sheet that the script may not read.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct CrossOriginSheet {
    /// The script's number for it.
    sheet: u64,
    /// Where it came from.
    pub url: String,
}

/// Hands the script the texts of `sheets`, which the document of `world` uses.
/// What is still on its way is left out: the script asks again.
pub(crate) async fn supply(page: &Page, world: &World, sheets: &[CrossOriginSheet]) {
    let sheets = &sheets[..sheets.len().min(MAX_SHEETS)];
    let text = |sheet: &CrossOriginSheet| {
        let url = sheet.url.clone();
        async move { page.stylesheet_text(world.frame(), &url).await }
    };
    let texts = timeout(SHEET_TEXT_TIMEOUT, join_all(sheets.iter().map(text))).await;
    let texts = texts.unwrap_or_else(|_| vec![StylesheetText::Unknown; sheets.len()]);
    let answers: Vec<_> = sheets.iter().zip(texts).filter_map(sheet_argument).collect();
    script_call::notify(world, &format!("browseEngine.learnSheets({})", Value::Array(answers)));
}

fn sheet_argument((sheet, text): (&CrossOriginSheet, StylesheetText)) -> Option<Value> {
    match text {
        StylesheetText::Known(texts) => Some(json!([sheet.sheet, texts])),
        StylesheetText::Unknown => Some(json!([sheet.sheet, null])),
        StylesheetText::Pending => None,
    }
}
