//! The network events that tell how the main document is coming along.

use serde::Deserialize;

use super::state::MainResponse;
use crate::ids::{FrameId, LoaderId};
use crate::url_credentials;

/// `Network.requestWillBeSent`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestWillBeSent {
    pub request_id: String,
    pub loader_id: LoaderId,
    #[serde(default)]
    pub request: WireDocumentRequest,
    #[serde(default)]
    pub frame_id: Option<FrameId>,
}

/// What is asked for.
#[derive(Default, Deserialize)]
pub(crate) struct WireDocumentRequest {
    #[serde(default, deserialize_with = "url_credentials::deserialize_url")]
    pub url: String,
}

impl RequestWillBeSent {
    /// A document's request carries its loader's id.
    pub(crate) fn is_document_of(&self, frame: &FrameId) -> bool {
        self.request_id == self.loader_id.as_str() && self.frame_id.as_ref() == Some(frame)
    }
}

/// `Network.responseReceived`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResponseReceived {
    pub request_id: String,
    pub loader_id: LoaderId,
    #[serde(default)]
    pub frame_id: Option<FrameId>,
    response: WireDocumentResponse,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireDocumentResponse {
    #[serde(default, deserialize_with = "url_credentials::deserialize_url")]
    url: String,
    #[serde(default)]
    status: u16,
    #[serde(default, rename = "remoteIPAddress")]
    remote_ip_address: Option<String>,
    #[serde(default)]
    mime_type: String,
}

impl ResponseReceived {
    /// As [`RequestWillBeSent::is_document_of`].
    pub(crate) fn is_document_of(&self, frame: &FrameId) -> bool {
        self.request_id == self.loader_id.as_str() && self.frame_id.as_ref() == Some(frame)
    }

    /// What answered.
    pub(crate) fn url(&self) -> &str {
        &self.response.url
    }

    /// What is kept of it.
    pub(crate) fn main_response(&self) -> MainResponse {
        MainResponse {
            status: self.response.status,
            remote_address: self.response.remote_ip_address.clone(),
            mime_type: self.response.mime_type.clone(),
        }
    }
}

/// `Network.loadingFailed`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoadingFailed {
    pub request_id: String,
    #[serde(default)]
    pub error_text: String,
}
