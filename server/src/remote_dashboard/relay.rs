//! One dashboard of a daemon on another machine, or of a fleet: from the first call to its end.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use browse_base::{Error, HINT_KEY, Result};
use browse_policy::{Authority, Scopes};
use browse_proto::{Reason, wire::base64};
use futures::FutureExt as _;
use http::HeaderValue;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{
    forwarder::CallForwarder,
    relay_client::{PAIRING_ENDED_HINT, RelayClient},
    relay_request::{MAX_LIFETIME, RelayFlags, RelayRequest},
    tls::foreign,
};
use crate::dashboard::{
    DaemonPlace, DashboardAsset, DashboardListener, DashboardParts, DashboardServices,
    DashboardTerms, PageFiles,
};

const IDENTITY: &str = "PairService/GetIdentity";
const PAGE: &str = "DashboardService/GetDashboardPage";

/// How often is looked whether it has ended.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// How often a daemon that did not answer is asked again.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Time without an answer after which it ends.
const UNREACHABLE_TIMEOUT: Duration = Duration::from_secs(120);

/// Time in which the page learns that the pairing has ended.
const FAREWELL_TIME: Duration = Duration::from_secs(3);

const UNOPENED_HINT: &str =
    "Run `browse --remote <name> dashboard` again, and open its link within 60 s";

/// A dashboard of a daemon on another machine, or of a fleet.
pub struct RemoteDashboard {
    listener: Arc<DashboardListener>,
    client: Arc<RelayClient>,
    link: String,
    link_expires_at: SystemTime,
    scopes: Scopes,
}

/// What a page shows, and what it may do.
struct RelayTerms {
    page: PageFiles,
    version: String,
    build_id: String,
    place: DaemonPlace,
    scopes: Scopes,
    lifetime: Duration,
    /// Whether it may do all that the other end allows.
    allows_all: bool,
}

impl RemoteDashboard {
    /// Asks the other end who calls, and opens a listener on this machine for the page.
    ///
    /// # Errors
    /// The other end cannot be reached or is another; the pairing is for an agent or has ended, or
    /// so has the sign-in; the flags are not good.
    pub async fn open(request: RelayRequest) -> Result<Self> {
        let (flags, target) = request.into_parts();
        let client = Arc::new(RelayClient::new(target)?);
        let terms = match &*client {
            RelayClient::Daemon(_) => daemon_terms(&client, &flags).await?,
            RelayClient::Fleet(fleet) => fleet_terms(&client, fleet.name(), &flags).await?,
        };
        let authority = Arc::new(Authority::new()?);
        let listener = Arc::new(DashboardListener::new(DashboardParts {
            authority: Arc::clone(&authority),
            version: terms.version,
            build_id: terms.build_id,
            page: terms.page,
            place: terms.place,
        }));
        let forwarder =
            CallForwarder { authority, client: Arc::clone(&client), allows_all: terms.allows_all };
        let service = forwarder.into_service();
        let services: DashboardServices = Box::new(move |_| async move { Ok(service) }.boxed());
        let scopes = terms.scopes;
        let terms = DashboardTerms { scopes, lifetime: terms.lifetime };
        let (link, link_expires_at) = listener.issue(terms, services).await?;
        Ok(Self { listener, client, link, link_expires_at, scopes })
    }

    /// The link to it, which is good once, as the answer of `browse dashboard`.
    pub fn link(&self) -> Value {
        serde_json::json!({
            "link": self.link,
            "link_expires_at": humantime::format_rfc3339_seconds(self.link_expires_at).to_string(),
            "scopes": self.scopes.names(),
        })
    }

    /// Waits until nobody uses it any more: no page was connected for ten minutes.
    ///
    /// # Errors
    /// The link was not opened in time; the pairing or the sign-in has ended; the other end cannot
    /// be reached.
    pub async fn wait_until_unused(&self) -> Result<()> {
        let mut last_try = Instant::now();
        loop {
            tokio::time::sleep(CHECK_INTERVAL).await;
            let health = self.client.health();
            let is_retry =
                health.unreachable_time().is_some() && last_try.elapsed() >= RETRY_INTERVAL;
            if health.take_stream_end() || is_retry {
                last_try = Instant::now();
                // The health has what it shows.
                let _ = self.client.call(IDENTITY).await;
            }
            if let Some(error) = self.client.end() {
                tokio::time::sleep(FAREWELL_TIME).await;
                return Err(error);
            }
            if health.unreachable_time().is_some_and(|time| time > UNREACHABLE_TIMEOUT) {
                return Err(self.client.silence(UNREACHABLE_TIMEOUT));
            }
            if !self.listener.is_open() {
                return self.listener.was_opened().then_some(()).ok_or_else(|| {
                    let message = "nobody opened the link in time";
                    Error::new(Reason::WaitTimeout, message).with(HINT_KEY, UNOPENED_HINT)
                });
            }
        }
    }
}

/// The page of a daemon, with what the pairing allows.
async fn daemon_terms(client: &RelayClient, flags: &RelayFlags) -> Result<RelayTerms> {
    let identity = client.call(IDENTITY).await?;
    check_kind(&identity)?;
    let of_pairing = scopes_of(&identity)?;
    let scopes = flags.scopes(of_pairing)?;
    let lifetime = flags.lifetime(time_left(&identity))?;
    let page = client.call(PAGE).await?;
    Ok(RelayTerms {
        page: files_of(&page)?,
        version: text_of(&page, "version").to_owned(),
        build_id: text_of(&page, "build_id").to_owned(),
        place: DaemonPlace::Paired,
        scopes,
        lifetime,
        allows_all: scopes == of_pairing,
    })
}

/// The page of this program for a fleet, with what the token allows: a pod, which shows pages of
/// anybody, is not asked for scripts that hold the dashboard.
async fn fleet_terms(client: &RelayClient, name: &str, flags: &RelayFlags) -> Result<RelayTerms> {
    let mut identity = client.call(IDENTITY).await;
    // It is reported once, and another session may be open.
    if identity.as_ref().is_err_and(|error| error.reason() == Reason::SessionLost) {
        identity = client.call(IDENTITY).await;
    }
    let identity = identity.map_err(|error| match error.reason() {
        Reason::SessionNotFound => {
            let hint = format!("Open one: `browse --remote {name} session new work`");
            let message = "the fleet has no session that is open, so there is nothing to watch";
            Error::new(Reason::SessionNotFound, message).with(HINT_KEY, hint)
        }
        _ => error,
    })?;
    Ok(RelayTerms {
        page: PageFiles::built_in(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build_id: String::new(),
        place: DaemonPlace::Fleet,
        scopes: flags.fleet_scopes(scopes_of(&identity)?)?,
        lifetime: flags.fleet_lifetime()?,
        allows_all: false,
    })
}

/// Refuses the pairing of an agent, which has none of what a dashboard calls.
fn check_kind(identity: &Map<String, Value>) -> Result<()> {
    if text_of(identity, "kind") == "dashboard" {
        return Ok(());
    }
    let message = "the pairing is for an agent, and has no dashboard";
    Err(Error::new(Reason::TunnelDenied, message).with(HINT_KEY, PAIRING_ENDED_HINT))
}

fn scopes_of(identity: &Map<String, Value>) -> Result<Scopes> {
    let words = identity.get("scopes").and_then(Value::as_array).into_iter().flatten();
    let words: Vec<String> = words.filter_map(Value::as_str).map(str::to_owned).collect();
    Scopes::parse(&words).map_err(|problem| foreign(&problem))
}

/// How long the pairing is good if nobody calls.
fn time_left(identity: &Map<String, Value>) -> Duration {
    let end = humantime::parse_rfc3339(text_of(identity, "expires_at"));
    end.map_or(MAX_LIFETIME, |end| end.duration_since(SystemTime::now()).unwrap_or_default())
}

fn files_of(page: &Map<String, Value>) -> Result<PageFiles> {
    let files = page.get("files").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let file = |file: &Value| {
        Some(DashboardAsset {
            name: file["name"].as_str()?.to_owned(),
            media_type: HeaderValue::from_str(file["media_type"].as_str()?).ok()?,
            content: base64::decode(file["content"].as_str()?)?.into(),
        })
    };
    let files: Option<Vec<DashboardAsset>> = files.iter().map(file).collect();
    PageFiles::new(files.ok_or_else(|| foreign("its page cannot be read"))?)
}

fn text_of<'a>(message: &'a Map<String, Value>, name: &str) -> &'a str {
    message.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().expect("an object")
    }

    #[test]
    fn an_agent_has_no_dashboard() {
        assert!(check_kind(&object(json!({"kind": "dashboard"}))).is_ok());
        for other in [json!({"kind": "paired"}), json!({})] {
            let error = check_kind(&object(other)).expect_err("it is for an agent");
            assert_eq!(error.reason(), Reason::TunnelDenied);
        }
    }

    #[test]
    fn a_page_is_read_whole_or_refused() {
        let file = |content: &str| json!({"name": "index.html", "media_type": "text/html", "content": content});
        let read = |files: Value| files_of(&object(json!({ "files": files })));
        let page = read(json!([file("aGk=")])).expect("a page");
        assert_eq!(&page.files()[0].content[..], b"hi");
        for bad in [json!([]), json!([file("?")]), json!([{"name": "index.html"}]), json!("a")] {
            assert!(read(bad).is_err());
        }
    }

    #[test]
    fn a_pairing_without_an_end_has_the_longest() {
        assert_eq!(time_left(&object(json!({}))), MAX_LIFETIME);
        assert_eq!(
            time_left(&object(json!({"expires_at": "2001-01-01T00:00:00Z"}))),
            Duration::ZERO
        );
    }
}
