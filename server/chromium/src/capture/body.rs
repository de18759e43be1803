//! What a request brought, while Chromium still has it.

use serde::Deserialize;
use serde_json::json;

use crate::connection::call::CdpCall;
use crate::connection::session::CdpSession;
use crate::error::Result;
use crate::ids::FrameId;

/// The body of an answer.
#[derive(Debug, Clone, Deserialize)]
pub struct ResponseBody {
    /// The text, or base64 of the bytes.
    #[serde(rename = "body", alias = "content")]
    pub text: String,
    /// Whether `text` is base64.
    #[serde(rename = "base64Encoded")]
    pub is_base64: bool,
}

/// The body of the answer to a request of the frames that `session` serves.
pub(crate) async fn fetch_response_body(session: &CdpSession, key: &str) -> Result<ResponseBody> {
    let params = json!({ "requestId": key });
    let call: CdpCall<ResponseBody> = session.call_method("Network.getResponseBody", &params);
    call.await
}

/// A file that the document of `frame` loaded, such as a style sheet.
pub(crate) async fn fetch_page_file(
    session: &CdpSession,
    frame: &FrameId,
    url: &str,
) -> Result<ResponseBody> {
    let params = json!({ "frameId": frame, "url": url });
    let call: CdpCall<ResponseBody> = session.call_method("Page.getResourceContent", &params);
    call.await
}
