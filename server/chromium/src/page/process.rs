//! Which tabs may share a renderer process, and whether one is blocked there.
//!
//! The protocol does not say which process a tab is in. Tabs that opened each
//! other share one where they can, and so do frames of one site.

use std::time::Duration;

use futures::future::join_all;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::time::timeout;

use super::page::Page;
use super::state::NavigationState;
use crate::connection::call::CdpCall;
use crate::connection::session::CdpSession;

impl Page {
    /// Whether this tab and another one may share a process.
    pub fn may_share_process(&self, other: &Self) -> bool {
        if self.context_id() != other.context_id() || self.target_id() == other.target_id() {
            return false;
        }
        let opened = self.opener() == Some(other.target_id())
            || other.opener() == Some(self.target_id())
            || (self.opener().is_some() && self.opener() == other.opener());
        let own = self.sites();
        opened || other.sites().iter().any(|site| own.contains(site))
    }

    /// Whether a process that shows a part of the tab does not answer within
    /// `delay`. A page that waits for its server is not blocked.
    pub async fn is_blocked(&self, max_wait: Duration) -> bool {
        let waits = matches!(self.navigation(), NavigationState::AwaitingHeaders { .. });
        if self.is_closed() || self.is_crashed() || waits {
            return false;
        }
        let mut sessions: Vec<CdpSession> = Vec::new();
        for frame in self.frames() {
            if !sessions.contains(&frame.session) {
                sessions.push(frame.session);
            }
        }
        let calls: Vec<CdpCall<IgnoredAny>> = sessions
            .iter()
            .map(|session| session.call_method("Runtime.evaluate", &json!({ "expression": "1" })))
            .collect();
        let silent = join_all(calls.into_iter().map(|call| timeout(max_wait, call)));
        let (stuck, answers) = tokio::join!(self.is_stuck(max_wait), silent);
        stuck || answers.iter().any(Result::is_err)
    }

    /// The sites of its frames.
    fn sites(&self) -> Vec<String> {
        let mut sites: Vec<_> = self.frames().iter().filter_map(|frame| site(&frame.url)).collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }
}

/// About the site of an address: the last two labels of a name, or an IP address.
fn site(url: &str) -> Option<String> {
    let url = url::Url::parse(url).ok()?;
    Some(match url.host()? {
        url::Host::Domain(name) => {
            let mut labels: Vec<_> = name.rsplit('.').take(2).collect();
            labels.reverse();
            labels.join(".")
        }
        address => address.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::site;

    #[test]
    fn a_site_is_a_domain_or_an_address() {
        for (url, expected) in [
            ("https://a.b.example.com/x", Some("example.com")),
            ("http://localhost:8080/", Some("localhost")),
            ("http://127.0.0.1:8080/", Some("127.0.0.1")),
            ("about:blank", None),
            ("data:text/html,x", None),
        ] {
            assert_eq!(site(url).as_deref(), expected, "{url}");
        }
    }
}
