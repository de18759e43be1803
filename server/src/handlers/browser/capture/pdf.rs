//! The page as a PDF.

mod length;
mod options;
mod paged;

use browse_proto::v1;
use prost::Message as _;

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::{LoadState, Page};
use browse_proto::Reason;

/// Bytes that a document may have: it is one answer.
const MAX_PDF_BYTES: usize = 60 << 20;

/// Prints the page of the tab.
pub async fn pdf(cx: &CallContext, request: v1::PdfRequest) -> Result<v1::PdfResponse> {
    let request = options::merge_payload(request, cx.command())?;
    let params = options::print_parameters(&request)?;
    print(cx, cx.page(), &request, params).await
}

/// Prints HTML text in a tab of its own.
pub async fn print_html(
    cx: &CallContext,
    request: v1::PrintHtmlRequest,
) -> Result<v1::PdfResponse> {
    let limit = cx.settings().max_html_bytes;
    if request.html.len() > limit {
        let message = format!("the document has {} bytes", request.html.len());
        return Err(Error::new(Reason::TooLarge, message).with("limit", format!("{limit} bytes")));
    }
    // The options have the same numbers in both requests.
    let own = v1::PdfRequest::decode(request.encode_to_vec().as_slice());
    let own = own.map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    let own = options::merge_payload(own, cx.command())?;
    let params = options::print_parameters(&own)?;
    let browser = cx.browser().await?;
    let page = browser.hidden_page(cx.page().context_id()).await?;
    let loader = page.set_content(&request.html).await?;
    page.wait_for(&loader, LoadState::Load).await?;
    print(cx, &page, &own, params).await
}

async fn print(
    cx: &CallContext,
    page: &Page,
    request: &v1::PdfRequest,
    params: serde_json::Value,
) -> Result<v1::PdfResponse> {
    if request.toc && !paged::wait_for_layout(page, cx.deadline()).await? {
        cx.add_notice("the page has no Paged.js, so nothing was laid out for `--toc`");
    }
    let pdf = page.print(params, MAX_PDF_BYTES).await?;
    let bytes = pdf.len() as u64;
    Ok(v1::PdfResponse { pdf, mime: "application/pdf".to_owned(), bytes })
}
