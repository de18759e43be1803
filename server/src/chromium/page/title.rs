//! Titles.
//!
//! Asked of the browser process, which answers in a millisecond even while the
//! tab hangs. Its events about titles are no help: they come too early and are
//! not repeated.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::json;

use super::page::Page;
use crate::chromium::browser::browser::Browser;
use crate::chromium::connection::call::CdpCall;
use crate::chromium::connection::params::NoParams;
use crate::chromium::error::Result;
use crate::chromium::ids::TargetId;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TitledTarget {
    target_id: TargetId,
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TitledTargetsResult {
    target_infos: Vec<TitledTarget>,
}

impl TitledTarget {
    /// A page without a title is listed under its URL.
    fn title(self) -> String {
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

impl Browser {
    /// The titles of all tabs, in one call.
    pub async fn titles(&self) -> Result<HashMap<TargetId, String>> {
        let targets: CdpCall<TitledTargetsResult> =
            self.connection().call_method(None, "Target.getTargets", &NoParams);
        let infos = targets.await?.target_infos.into_iter();
        Ok(infos.map(|info| (info.target_id.clone(), info.title())).collect())
    }
}
