//! Reading: what the page says.

use browse_proto::v1;

use crate::{
    dispatch::Context,
    engine::{Pattern, Target},
    error::Result,
};

/// Lines of the snapshot around a match.
const AROUND: usize = 3;

/// Answers the readable text of the page or of one element.
pub async fn text(cx: &Context, request: v1::TextRequest) -> Result<v1::TextResponse> {
    let target = optional(request.target.as_deref())?;
    let text = cx.engine().text(target.as_ref()).await?;
    Ok(v1::TextResponse { text })
}

/// Answers the HTML of the document, or the inner HTML of one element.
pub async fn html(cx: &Context, request: v1::HtmlRequest) -> Result<v1::HtmlResponse> {
    let target = optional(request.target.as_deref())?;
    let html = cx.engine().html(target.as_ref()).await?;
    Ok(v1::HtmlResponse { html })
}

/// Answers the links of the page, each address once.
pub async fn links(cx: &Context, _: v1::LinksRequest) -> Result<v1::LinksResponse> {
    let links = cx.engine().links().await?;
    let links = links.into_iter().map(|link| v1::Link { text: link.text, href: link.href });
    Ok(v1::LinksResponse { links: links.collect() })
}

/// Finds text in the snapshot of the page.
pub async fn find(cx: &Context, request: v1::FindRequest) -> Result<v1::FindResponse> {
    let pattern: Pattern = request.pattern.parse()?;
    let found = cx.engine().find(&pattern, AROUND).await?;
    Ok(v1::FindResponse { matches: found.text, count: found.count })
}

/// Parses a target that may be left out.
pub fn optional(text: Option<&str>) -> Result<Option<Target>> {
    Ok(text.map(str::parse).transpose()?)
}
