//! What an agent or a person is offered: a name and what may be done, as the owner specified.

use std::time::Duration;

use browse_proto::{Reason, Scope, v1};

use crate::ttl;
use browse_base::{Error, Result};
use browse_net::HostPolicy;
use browse_policy::{ClientId, Rate, Scopes, TabPolicy};

/// The longest that a token lives, whatever happens.
pub const MAX_LIFETIME: Duration = Duration::from_secs(7 * 24 * 3600);
/// Time without a call after which a pairing ends, unless the owner says when.
const DEFAULT_IDLE_TIMEOUT: Duration = Duration::from_secs(24 * 3600);
/// Calls a second of an agent, unless the owner says.
const DEFAULT_RATE: u32 = 10;
/// The same of a dashboard, which is that of one on this machine.
const DEFAULT_DASHBOARD_RATE: u32 = 400;
/// The most calls a second.
const MAX_RATE: u32 = 1000;
/// The longest name.
const MAX_NAME_CHARS: usize = 40;
/// Names that stand for others in the books.
const RESERVED_NAMES: [&str; 6] = ["root", "stranger", "unknown", "skill", "default", "paired"];

/// For whom a pairing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairingKind {
    /// An agent, in one session and by the rules for agents.
    Agent,
    /// A person at a dashboard: every session, as at a dashboard on this machine.
    Dashboard,
}

/// What is offered.
#[derive(Clone, Debug)]
pub struct PairingTerms {
    /// Its name, in lower case: no two pairings share one.
    pub name: ClientId,
    /// Who calls with its token. That of an agent is the name; a dashboard has that of
    /// dashboards before it, which no agent can have.
    pub client: ClientId,
    /// For whom it is.
    pub kind: PairingKind,
    /// What it may do.
    pub scopes: Scopes,
    /// Hosts that it may visit.
    pub hosts: HostPolicy,
    /// Tabs that it may touch.
    pub tabs: TabPolicy,
    /// Calls a second.
    pub rate: u32,
    /// Time after which it ends whatever happens.
    pub lifetime: Duration,
    /// Time without a call after which it ends before that.
    pub idle_timeout: Option<Duration>,
}

impl PairingTerms {
    /// Reads what the owner specified.
    ///
    /// # Errors
    /// A name, scope, host, time or rate that cannot be.
    pub fn parse(request: &v1::NewPairingRequest) -> Result<Self> {
        let (lifetime, slide) = match request.ttl.as_deref() {
            Some(text) => (ttl::parse("pair new", text, MAX_LIFETIME)?, None),
            None => (MAX_LIFETIME, Some(DEFAULT_IDLE_TIMEOUT)),
        };
        let kind = if request.dashboard { PairingKind::Dashboard } else { PairingKind::Agent };
        let name = parse_name(&request.name)?;
        let (client, hosts, tabs) = match kind {
            PairingKind::Agent => (name.clone(), parse_hosts(&request.host)?, parse_tabs(request)),
            // What a person clicks leads anywhere: a limit of hosts would not hold.
            PairingKind::Dashboard => {
                (dashboard_client(&name)?, HostPolicy::Any, TabPolicy::Session)
            }
        };
        Ok(Self {
            name,
            client,
            kind,
            scopes: parse_scopes(kind, &request.scope)?,
            hosts,
            tabs,
            rate: parse_rate(kind, request.rate)?,
            lifetime,
            idle_timeout: slide,
        })
    }

    /// Its rate, as tokens have it.
    pub fn rate_limit(&self) -> Rate {
        Rate::PerSecond(self.rate)
    }
}

impl PairingKind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Dashboard => "dashboard",
        }
    }
}

/// The caller at a dashboard that is paired as `name`.
fn dashboard_client(name: &ClientId) -> Result<ClientId> {
    // Dashboards on this machine have numbers.
    if name.as_str().bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!("`{name}` is the name of a dashboard on this machine");
        return Err(Error::new(Reason::PairingNameInvalid, message));
    }
    ClientId::new(format!("dashboard:{name}"))
}

fn parse_tabs(request: &v1::NewPairingRequest) -> TabPolicy {
    match request.tab_policy() {
        v1::PairingTabs::Session => TabPolicy::Session,
        v1::PairingTabs::Own | v1::PairingTabs::Unspecified => TabPolicy::Own,
    }
}

/// The name of a pairing, however it is written.
///
/// # Errors
/// `PAIRING_NAME_INVALID`.
pub fn parse_name(text: &str) -> Result<ClientId> {
    let refuse = || {
        let message = format!("`{}` is not a name for an agent", browse_base::quote(text));
        Err(Error::new(Reason::PairingNameInvalid, message))
    };
    let lower = text.to_lowercase();
    let good = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    let begins = lower.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if !begins || lower.len() > MAX_NAME_CHARS || !lower.chars().all(good) {
        return refuse();
    }
    if RESERVED_NAMES.contains(&lower.as_str()) {
        let message = format!("`{lower}` stands for somebody else in the books of the daemon");
        return Err(Error::new(Reason::PairingNameInvalid, message));
    }
    ClientId::new(lower)
}

/// Words with commas between, in lists of such.
fn split_lists(lists: &[String]) -> Vec<String> {
    let words = lists.iter().flat_map(|list| list.split(',')).map(str::trim);
    words.map(str::to_owned).collect()
}

fn parse_hosts(lists: &[String]) -> Result<HostPolicy> {
    HostPolicy::from_public_patterns(&split_lists(lists))
        .map_err(|error| error.with_default("command", "pair new"))
}

fn parse_scopes(kind: PairingKind, lists: &[String]) -> Result<Scopes> {
    if lists.is_empty() {
        return Ok(match kind {
            PairingKind::Agent => Scopes::of(&[Scope::Read, Scope::Write]),
            PairingKind::Dashboard => Scopes::of(&[Scope::Read, Scope::Write, Scope::Meta]),
        });
    }
    let scopes = Scopes::parse(lists).map_err(invalid_argument)?;
    if kind == PairingKind::Dashboard && !scopes.allows(Scope::Meta) {
        let message = "a dashboard without the scope `meta` shows nothing: `--scope read,meta`";
        return Err(invalid_argument(message.to_owned()));
    }
    Ok(scopes)
}

fn parse_rate(kind: PairingKind, output: Option<u32>) -> Result<u32> {
    let rate = output.unwrap_or(match kind {
        PairingKind::Agent => DEFAULT_RATE,
        PairingKind::Dashboard => DEFAULT_DASHBOARD_RATE,
    });
    if (1..=MAX_RATE).contains(&rate) {
        return Ok(rate);
    }
    Err(invalid_argument(format!("`--rate` is 1 to {MAX_RATE} calls a second, not {rate}")))
}

fn invalid_argument(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "pair new")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(change: impl FnOnce(&mut v1::NewPairingRequest)) -> Result<PairingTerms> {
        let mut request = v1::NewPairingRequest { name: "ada".to_owned(), ..Default::default() };
        change(&mut request);
        PairingTerms::parse(&request)
    }

    #[test]
    fn what_is_not_said_is_little() {
        let offer = read(|_| ()).expect("a name is enough");
        assert_eq!(offer.scopes.names(), ["read", "write"]);
        assert_eq!((offer.tabs, offer.rate), (TabPolicy::Own, 10));
        assert_eq!(
            (offer.lifetime, offer.idle_timeout),
            (MAX_LIFETIME, Some(DEFAULT_IDLE_TIMEOUT))
        );
        assert_eq!(offer.hosts.patterns(), ["*"]);
    }

    #[test]
    fn a_dashboard_is_offered_what_one_here_has() {
        let offer = read(|request| request.dashboard = true).expect("a name is enough");
        assert_eq!(offer.scopes.names(), ["read", "write", "meta"]);
        assert_eq!(
            (offer.kind, offer.tabs, offer.rate),
            (PairingKind::Dashboard, TabPolicy::Session, 400)
        );
        assert_eq!((offer.name.as_str(), offer.client.as_str()), ("ada", "dashboard:ada"));
        assert!(offer.hosts.is_any());
        let numbered = |name: &str| {
            read(|request| (request.dashboard, request.name) = (true, name.to_owned()))
        };
        let refused = numbered("17").expect_err("a dashboard on this machine has it");
        assert_eq!(refused.reason(), Reason::PairingNameInvalid);
        assert!(numbered("17a").is_ok());
    }

    #[test]
    fn control_never_rides_along() {
        let scopes = |list: &[&str]| {
            let list = list.iter().map(|scope| (*scope).to_owned()).collect();
            read(|request| request.scope = list).map(|offer| offer.scopes.names())
        };
        assert_eq!(scopes(&["read,admin"]).expect("good"), ["read", "admin"]);
        assert_eq!(scopes(&["control", "read"]).expect("good"), ["read", "control"]);
        for bad in ["", "root", "any", "public", "all", "*", "Read", "read write", "read,"] {
            assert!(scopes(&[bad]).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_that_are_the_daemons_own_are_refused() {
        for bad in
            ["root", "ROOT", "Root", "stranger", "Unknown", "skill", "", "a b", "-a", ".", "a/b"]
        {
            let refused = parse_name(bad).expect_err(bad);
            assert_eq!(refused.reason(), Reason::PairingNameInvalid, "{bad}");
        }
        assert!(parse_name(&"x".repeat(41)).is_err() && parse_name("skill:a:1").is_err());
        assert!(parse_name("röt").is_err(), "look-alikes have no place in a name");
        assert_eq!(parse_name("Ada").expect("good"), parse_name("ada").expect("good"));
    }

    #[test]
    fn times_and_rates_have_ends() {
        for bad in ["", "0s", "8d", "soon", "-1h", "1000000000y"] {
            assert!(read(|request| request.ttl = Some(bad.to_owned())).is_err(), "{bad}");
        }
        let hour = read(|request| request.ttl = Some("1h".to_owned())).expect("good");
        assert_eq!((hour.lifetime.as_secs(), hour.idle_timeout), (3600, None));
        for bad in [0, 1001, u32::MAX] {
            assert!(read(|request| request.rate = Some(bad)).is_err(), "{bad}");
        }
    }
}
