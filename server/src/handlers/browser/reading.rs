//! Reading: what the page says.

mod audit;
mod data;
mod diff;
mod forms;
mod media;

use browse_proto::v1;

pub use self::{audit::ux_audit, data::data, diff::diff, forms::forms, media::media};

use crate::dispatch::CallContext;
use browse_base::{Result, quote};
use browse_content::Sources;
use browse_engine::{LinePattern, Snapshot, Target};

/// Lines of the snapshot around a match.
const CONTEXT_LINES: usize = 3;

/// Answers the readable text of the page or of one element.
pub async fn text(cx: &CallContext, request: v1::TextRequest) -> Result<v1::TextResponse> {
    let target = parse_optional_target(request.target.as_deref())?;
    let reading = cx.engine().read_text(target.as_ref(), cx.filters_hidden_text()).await?;
    set_sources_of_all_frames(cx);
    cx.add_hidden_counts(&reading.hidden_parts);
    note_unresponsive_frames(cx, reading.unresponsive_frames);
    Ok(v1::TextResponse { text: note_if_empty(cx, reading.text) })
}

/// Answers the HTML of the document, or the inner HTML of one element.
pub async fn html(cx: &CallContext, request: v1::HtmlRequest) -> Result<v1::HtmlResponse> {
    let target = parse_optional_target(request.target.as_deref())?;
    let reading = cx.engine().read_html(target.as_ref(), cx.filters_hidden_text()).await?;
    cx.add_hidden_counts(&reading.hidden_parts);
    Ok(v1::HtmlResponse { html: reading.text })
}

/// Answers the links of the page, each address once.
pub async fn links(cx: &CallContext, _: v1::LinksRequest) -> Result<v1::LinksResponse> {
    let (links, unseen) = cx.engine().read_links(cx.filters_hidden_text()).await?;
    cx.add_hidden_counts(&unseen);
    let links = links.into_iter().map(|link| v1::Link { text: link.text, href: link.href });
    Ok(v1::LinksResponse { links: links.collect() })
}

/// Answers the tree as assistive technology sees it, without refs.
pub async fn accessibility(
    cx: &CallContext,
    request: v1::AccessibilityRequest,
) -> Result<v1::AccessibilityResponse> {
    let Snapshot { text, nodes, hidden_parts: unseen, .. } =
        cx.engine().accessibility(request.structured, cx.filters_hidden_text()).await?;
    set_sources_of_all_frames(cx);
    cx.add_hidden_counts(&unseen);
    if !request.structured {
        return Ok(v1::AccessibilityResponse { tree: Some(text), nodes: Vec::new() });
    }
    let output = |text: String| Some(text).filter(|text| !text.is_empty());
    let nodes = nodes.into_iter().map(|node| v1::AccessibilityNode {
        role: node.role,
        name: node.name,
        description: output(node.description),
        states: node.states,
        value: node.value,
        frame: output(node.frame),
        depth: node.depth,
    });
    Ok(v1::AccessibilityResponse { tree: None, nodes: nodes.collect() })
}

/// Answers the main content of the page, or an element, as Markdown.
pub async fn markdown(
    cx: &CallContext,
    request: v1::MarkdownRequest,
) -> Result<v1::MarkdownResponse> {
    let target = parse_optional_target(request.target.as_deref())?;
    let reading = cx.engine().read_markdown(target.as_ref(), cx.filters_hidden_text()).await?;
    set_sources_of_all_frames(cx);
    cx.add_hidden_counts(&reading.hidden_parts);
    note_unresponsive_frames(cx, reading.unresponsive_frames);
    Ok(v1::MarkdownResponse { markdown: note_if_empty(cx, reading.text) })
}

/// Finds text in the snapshot of the page.
pub async fn find(cx: &CallContext, request: v1::FindRequest) -> Result<v1::FindResponse> {
    let pattern: LinePattern = request.pattern.parse()?;
    let found = cx.engine().find(&pattern, CONTEXT_LINES, cx.filters_hidden_text()).await?;
    set_sources_of_all_frames(cx);
    cx.add_hidden_counts(&found.hidden_parts);
    if found.count == 0 {
        let pattern = quote(&request.pattern);
        cx.add_notice(&format!("no line of the snapshot matches `{pattern}`"));
    }
    Ok(v1::FindResponse { matches: found.text, count: found.count })
}

/// Says so when frames are missing in what was read.
fn note_unresponsive_frames(cx: &CallContext, frames: usize) {
    match frames {
        0 => {}
        1 => cx.add_notice("a frame did not answer, and is left out"),
        _ => cx.add_notice(&format!("{frames} frames did not answer, and are left out")),
    }
}

/// Says so when there is nothing to read.
fn note_if_empty(cx: &CallContext, text: String) -> String {
    if text.is_empty() {
        cx.add_notice("no text shows there");
    }
    text
}

/// Names the hosts of all frames that the answer may have content of: the one that
/// it is about, and those within.
pub fn set_sources_of_all_frames(cx: &CallContext) {
    let mut sources = Sources::default();
    for url in cx.frame_urls() {
        sources.add_url(&url);
    }
    if !sources.is_empty() {
        cx.set_sources(sources);
    }
}

/// Parses a target that may be left out.
pub fn parse_optional_target(text: Option<&str>) -> Result<Option<Target>> {
    Ok(text.map(str::parse).transpose()?)
}
