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
        let bare = self.url.split_once("://").map_or(self.url.as_str(), |(_, bare)| bare);
        let made_up = self.title == self.url
            || self.title.trim_end_matches('/') == bare.trim_end_matches('/');
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
