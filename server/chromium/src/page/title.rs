//! Titles.
//!
//! Asked of the browser process, which answers in a millisecond even while the
//! tab hangs. Its events about titles are not a help: they come too early and are
//! not repeated.

use serde::Deserialize;
use serde_json::json;

use super::page::Page;
use crate::connection::call::CdpCall;
use crate::error::Result;
use crate::ids::TargetId;
use crate::url_credentials::strip_credentials;

/// A target with its title.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TitledTarget {
    pub target_id: TargetId,
    #[serde(default)]
    title: String,
    #[serde(default)]
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TitledTargetResult {
    target_info: TitledTarget,
}

impl TitledTarget {
    /// A page without a title is listed under its URL.
    pub(crate) fn title(self) -> String {
        // Chromium leaves out the user name and the password there, or keeps them.
        let shown = strip_credentials(&self.url);
        let made_up = [self.url.as_str(), &*shown].into_iter().any(|url| {
            let bare = url.split_once("://").map_or(url, |(_, bare)| bare);
            self.title == url || self.title.trim_end_matches('/') == bare.trim_end_matches('/')
        });
        if made_up { String::new() } else { self.title }
    }
}

impl Page {
    /// The document's title.
    pub async fn title(&self) -> Result<String> {
        self.state.lock().ensure_open()?;
        let params = json!({ "targetId": self.target_id() });
        let connection = &self.shared.connection;
        let info: CdpCall<TitledTargetResult> =
            connection.call_method(None, "Target.getTargetInfo", &params);
        Ok(info.await?.target_info.title())
    }
}

#[cfg(test)]
mod tests {
    use super::{TargetId, TitledTarget};

    #[test]
    fn a_title_made_of_the_address_is_left_out() {
        let title = |title: &str, url: &str| {
            let (title, url) = (title.to_owned(), url.to_owned());
            TitledTarget { target_id: TargetId::from("T"), title, url }.title()
        };
        let url = "http://ada:s3cret@a.test/b";
        for made_up in ["a.test/b", "ada:s3cret@a.test/b", url, "http://a.test/b"] {
            assert_eq!(title(made_up, url), "", "{made_up}");
        }
        assert_eq!(title("In", url), "In");
    }
}
