//! Reading: what the page says.

mod audit;
mod data;
mod diff;
mod forms;
mod media;

use browse_proto::v1;

pub use self::{audit::ux_audit, data::data, diff::diff, forms::forms, media::media};

use crate::{
    content::Sources,
    dispatch::Context,
    engine::{Pattern, Snapshot, Target},
    error::Result,
};

/// Lines of the snapshot around a match.
const AROUND: usize = 3;

/// Answers the readable text of the page or of one element.
pub async fn text(cx: &Context, request: v1::TextRequest) -> Result<v1::TextResponse> {
    let target = optional(request.target.as_deref())?;
    let reading = cx.engine().read_text(target.as_ref(), cx.hides()).await?;
    from_all_frames(cx);
    cx.note_unseen(&reading.unseen);
    note_silent(cx, reading.silent);
    Ok(v1::TextResponse { text: told(cx, reading.text) })
}

/// Answers the HTML of the document, or the inner HTML of one element.
pub async fn html(cx: &Context, request: v1::HtmlRequest) -> Result<v1::HtmlResponse> {
    let target = optional(request.target.as_deref())?;
    let reading = cx.engine().read_html(target.as_ref(), cx.hides()).await?;
    cx.note_unseen(&reading.unseen);
    Ok(v1::HtmlResponse { html: reading.text })
}

/// Answers the links of the page, each address once.
pub async fn links(cx: &Context, _: v1::LinksRequest) -> Result<v1::LinksResponse> {
    let (links, unseen) = cx.engine().read_links(cx.hides()).await?;
    cx.note_unseen(&unseen);
    let links = links.into_iter().map(|link| v1::Link { text: link.text, href: link.href });
    Ok(v1::LinksResponse { links: links.collect() })
}

/// Answers the tree as assistive technology sees it, without refs.
pub async fn accessibility(
    cx: &Context,
    request: v1::AccessibilityRequest,
) -> Result<v1::AccessibilityResponse> {
    let Snapshot { text, nodes, unseen, .. } =
        cx.engine().accessibility(request.structured, cx.hides()).await?;
    from_all_frames(cx);
    cx.note_unseen(&unseen);
    if !request.structured {
        return Ok(v1::AccessibilityResponse { tree: Some(text), nodes: Vec::new() });
    }
    let said = |text: String| Some(text).filter(|text| !text.is_empty());
    let nodes = nodes.into_iter().map(|node| v1::AccessibilityNode {
        role: node.role,
        name: node.name,
        description: said(node.description),
        states: node.states,
        value: node.value,
        frame: said(node.frame),
        depth: node.depth,
    });
    Ok(v1::AccessibilityResponse { tree: None, nodes: nodes.collect() })
}

/// Answers the main content of the page, or an element, as Markdown.
pub async fn markdown(cx: &Context, request: v1::MarkdownRequest) -> Result<v1::MarkdownResponse> {
    let target = optional(request.target.as_deref())?;
    let reading = cx.engine().read_markdown(target.as_ref(), cx.hides()).await?;
    from_all_frames(cx);
    cx.note_unseen(&reading.unseen);
    note_silent(cx, reading.silent);
    Ok(v1::MarkdownResponse { markdown: told(cx, reading.text) })
}

/// Finds text in the snapshot of the page.
pub async fn find(cx: &Context, request: v1::FindRequest) -> Result<v1::FindResponse> {
    let pattern: Pattern = request.pattern.parse()?;
    let found = cx.engine().find(&pattern, AROUND, cx.hides()).await?;
    from_all_frames(cx);
    cx.note_unseen(&found.unseen);
    if found.count == 0 {
        cx.say(&format!("no line of the snapshot matches `{}`", request.pattern));
    }
    Ok(v1::FindResponse { matches: found.text, count: found.count })
}

/// Says so when frames are missing in what was read.
fn note_silent(cx: &Context, frames: usize) {
    match frames {
        0 => {}
        1 => cx.say("a frame did not answer, and is left out"),
        _ => cx.say(&format!("{frames} frames did not answer, and are left out")),
    }
}

/// Says so when there is nothing to read.
fn told(cx: &Context, text: String) -> String {
    if text.is_empty() {
        cx.say("no text shows there");
    }
    text
}

/// Names the hosts of all frames that the answer may have content of: the one that
/// it is about, and those within.
pub fn from_all_frames(cx: &Context) {
    let mut sources = Sources::default();
    for url in cx.addresses() {
        sources.add_url(&url);
    }
    if !sources.is_empty() {
        cx.set_sources(sources);
    }
}

/// Parses a target that may be left out.
pub fn optional(text: Option<&str>) -> Result<Option<Target>> {
    Ok(text.map(str::parse).transpose()?)
}
