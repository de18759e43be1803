//! Style sheets of other origins, which no script of a document may read.
//!
//! What they say decides what a person sees. The browser has their text, so the
//! script names them, is given the text once, and judges it like any other. A
//! sheet whose text the browser does not give stays closed, and the script
//! measures every element that holds text instead.

use std::time::Duration;

use futures::future::join_all;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::{engine::Engine, wire};
use crate::chromium::{Frame, FrameId, World};

/// Time that the browser gets to hand the texts over.
const PATIENCE: Duration = Duration::from_millis(500);

/// Sheets of one document that are asked for.
const MOST: usize = 40;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tree {
    frame_tree: FrameTree,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameTree {
    frame: Owner,
    #[serde(default)]
    child_frames: Vec<FrameTree>,
    #[serde(default)]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Owner {
    id: FrameId,
}

#[derive(Deserialize)]
struct Resource {
    url: String,
    #[serde(default)]
    failed: bool,
    #[serde(default)]
    canceled: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    content: String,
    #[serde(default)]
    base64_encoded: bool,
}

impl Engine {
    /// Hands the script the texts of the sheets at `urls`, which `frame` uses.
    pub(crate) async fn adopt_sheets(&self, frame: &Frame, world: &World, urls: &[String]) {
        let urls = &urls[..urls.len().min(MOST)];
        let texts = match timeout(PATIENCE, texts(frame, urls)).await {
            Ok(texts) => texts,
            Err(_) => urls.iter().map(|url| (url.clone(), Value::Null)).collect(),
        };
        wire::tell(world, &format!("browseEngine.learnSheets({})", Value::Object(texts)));
    }
}

/// The text of each sheet: empty for one that did not load, null for one that
/// the browser does not give.
async fn texts(frame: &Frame, urls: &[String]) -> Map<String, Value> {
    let tree = frame.session.call_method::<Tree>("Page.getResourceTree", &json!({})).await;
    let Ok(tree) = tree else {
        return urls.iter().map(|url| (url.clone(), Value::Null)).collect();
    };
    let resources = resources_of(&tree.frame_tree, &frame.id);
    let all = urls.iter().cloned().map(|url| async move {
        let known = resources.iter().find(|resource| resource.url == url);
        let text = match known {
            Some(resource) if resource.failed || resource.canceled => json!(""),
            Some(_) => text(frame, &url).await.map_or(Value::Null, Value::String),
            None => Value::Null,
        };
        (url, text)
    });
    join_all(all).await.into_iter().collect()
}

async fn text(frame: &Frame, url: &str) -> Option<String> {
    let params = json!({ "frameId": frame.id, "url": url });
    let content = frame.session.call_method::<Content>("Page.getResourceContent", &params).await;
    content.ok().filter(|content| !content.base64_encoded).map(|content| content.content)
}

fn resources_of<'a>(tree: &'a FrameTree, id: &FrameId) -> &'a [Resource] {
    if tree.frame.id == *id {
        return &tree.resources;
    }
    let mut below = tree.child_frames.iter().map(|child| resources_of(child, id));
    below.find(|resources| !resources.is_empty()).unwrap_or_default()
}
