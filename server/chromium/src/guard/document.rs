//! The decision about one document request, wherever it came from: `goto`, a
//! link, a form, a redirect, `window.open`, a frame, a modified click.
//!
//! `Fetch.enable` for documents on the *browser* session pauses them all; the
//! same on a tab's session would miss new tabs. The decision is made on the
//! reading task and costs no round trip worth measuring. It fails closed.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use url::Url;

use crate::connection::pipe::CdpConnection;
use crate::error::Error;
use crate::ids::FrameId;
use browse_net::{HostRules, is_metadata_host};

/// `Fetch.requestPaused`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPaused {
    pub request_id: String,
    pub request: PausedRequest,
    pub frame_id: FrameId,
    #[serde(default)]
    pub resource_type: String,
    /// All headers as they are to be sent, when those of the browser are not.
    #[serde(skip)]
    pub headers: Option<serde_json::Value>,
}

impl RequestPaused {
    /// The parameters with which it goes on.
    pub(crate) fn continue_params(&self) -> serde_json::Value {
        let mut params = json!({ "requestId": self.request_id });
        if let Some(headers) = &self.headers {
            params["headers"] = headers.clone();
        }
        params
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PausedRequest {
    pub url: String,
    #[serde(default)]
    pub method: String,
    /// The body, left out where Chromium thinks it too long.
    #[serde(default)]
    pub post_data: String,
    #[serde(default)]
    pub headers: serde_json::Map<String, serde_json::Value>,
}

/// Who asks for a document.
pub(crate) enum DocumentRequester<'a> {
    /// A frame of a tab that may go anywhere public rules allow.
    Unrestricted {
        /// `file:` URLs that were allowed for this tab one by one.
        files: &'a [String],
    },
    /// A frame of a tab in a restricted context.
    Restricted(&'a HostRules),
    /// A frame nobody knows, while restricted contexts exist.
    Unknown,
}

/// A document that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeniedDocument {
    /// What was asked for; after a redirect not what was typed.
    pub url: String,
    /// Which rule refused it.
    pub reason: String,
    /// Whether its server had answered: it was dropped after that.
    pub was_answered: bool,
}

impl From<DeniedDocument> for Error {
    fn from(denied: DeniedDocument) -> Self {
        Self::HostDenied { url: denied.url, reason: denied.reason }
    }
}

/// Whether the document may be loaded; the reason when not.
pub(crate) fn check_url(url: &str, asker: &DocumentRequester<'_>) -> Result<(), String> {
    let parsed = Url::parse(url).map_err(|_| "it is not a URL".to_owned())?;
    match parsed.scheme() {
        "http" | "https" => {}
        "file" => return check_file_url(&parsed, asker),
        _ => return Err("its scheme is not for pages".to_owned()),
    }
    let host = parsed.host().ok_or("it has no host")?;
    if is_metadata_host(&host) {
        return Err("it is a cloud metadata service".to_owned());
    }
    match asker {
        DocumentRequester::Unrestricted { .. } => Ok(()),
        DocumentRequester::Unknown => Err("nobody knows the frame that asks".to_owned()),
        DocumentRequester::Restricted(rules) => {
            let port = parsed.port_or_known_default().unwrap_or_default();
            if rules.allows(&host, port) {
                Ok(())
            } else {
                Err("no rule of this session allows it".to_owned())
            }
        }
    }
}

/// Files are allowed one by one, by the handler that checked the path.
fn check_file_url(url: &Url, asker: &DocumentRequester<'_>) -> Result<(), String> {
    let mut wanted = url.clone();
    wanted.set_fragment(None);
    wanted.set_query(None);
    match asker {
        DocumentRequester::Unrestricted { files }
            if files.iter().any(|file| file == wanted.as_str()) =>
        {
            Ok(())
        }
        _ => Err("local files are not for pages".to_owned()),
    }
}

/// Lets a paused request go on.
pub(crate) fn continue_request(connection: &CdpConnection, paused: &RequestPaused) {
    let params = paused.continue_params();
    connection.call_method::<IgnoredAny>(None, "Fetch.continueRequest", &params).ignore();
}

/// Ends a paused request as if the navigation had never been: the page stays
/// what it is, instead of turning into an error page.
pub(crate) fn abort_request(connection: &CdpConnection, paused: &RequestPaused) {
    let params = json!({ "requestId": paused.request_id, "errorReason": "Aborted" });
    connection.call_method::<IgnoredAny>(None, "Fetch.failRequest", &params).ignore();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions() {
        let files = ["file:///home/ada/page.html".to_owned()];
        let free = DocumentRequester::Unrestricted { files: &files };
        let rules = HostRules::parse(&["example.com", "*.example.com:8443"]).expect("rules");
        let restricted = DocumentRequester::Restricted(&rules);
        let table = [
            ("https://example.com/", &free, true),
            ("http://127.0.0.1:8080/", &free, true),
            ("http://0xa9fea9fe/", &free, false),
            ("http://[::ffff:169.254.169.254]/", &free, false),
            ("file:///home/ada/page.html?x#y", &free, true),
            ("file:///home/ada/other.html", &free, false),
            ("ftp://example.com/", &free, false),
            ("https://example.com/", &restricted, true),
            ("https://a.example.com:8443/", &restricted, true),
            ("https://a.example.com/", &restricted, false),
            ("https://evil.net/?example.com", &restricted, false),
            ("https://example.com@evil.net/", &restricted, false),
            ("http://127.0.0.1/", &restricted, false),
            ("file:///home/ada/page.html", &restricted, false),
            ("https://example.com/", &DocumentRequester::Unknown, false),
        ];
        for (url, asker, expected) in table {
            assert_eq!(check_url(url, asker).is_ok(), expected, "{url}");
        }
    }
}
