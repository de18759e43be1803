//! Tokens of a pod, for callers that the gateway knows.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use browse_base::{Error, Result, hex};
use browse_fleet::{CallerRole, SessionScope, TokenRequest, TokenResponse};
use browse_net::HostPolicy;
use browse_policy::{
    Audience, Authority, ClientId, ClientKind, Delivery, GrantSpec, IssuedToken, Rate, Scopes,
    SessionRule, TabPolicy,
};
use browse_proto::Reason;
use sha2::{Digest as _, Sha256};

/// How long a token is good: longer than a pod lives. What a caller may do ends with its token at
/// the edge, which the gateway checks with each call.
const LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// Time after which the gateway asks again.
const REFRESH_TIME: Duration = Duration::from_secs(3600);

/// Longest name of a caller; of a longer one a hash is the name.
const MAX_CLIENT_BYTES: usize = 120;

/// Callers that a pod keeps tokens for. Those who asked least lately go.
const MAX_CALLERS: usize = 1_000;

/// The tokens of callers: one for each, whatever replica of the gateway asks.
pub struct PodTokens {
    /// Each with the time when it was asked for last.
    issued: Mutex<HashMap<TokenRequest, (IssuedToken, Instant)>>,
    hosts: HostPolicy,
}

impl PodTokens {
    /// No token; those to come are good for these hosts.
    pub fn new(hosts: HostPolicy) -> Self {
        Self { issued: Mutex::default(), hosts }
    }

    /// The token of the caller: the one in force, else a new one.
    ///
    /// # Errors
    /// A scope or the name of the caller is not one.
    pub fn token(
        &self,
        authority: &Arc<Authority>,
        mut request: TokenRequest,
    ) -> Result<TokenResponse> {
        // Two orders of scopes are one caller.
        request.scopes.sort_unstable();
        request.scopes.dedup();
        let now = Instant::now();
        let mut issued = self.lock();
        issued.retain(|_, (token, _)| token.grant().check_alive().is_ok());
        let lifetime_s = REFRESH_TIME.as_secs();
        if let Some((token, asked)) = issued.get_mut(&request) {
            *asked = now;
            return Ok(TokenResponse { token: token.token().to_owned(), lifetime_s });
        }
        if issued.len() >= MAX_CALLERS
            && let Some(oldest) = issued.iter().min_by_key(|(_, (_, asked))| *asked)
        {
            let oldest = oldest.0.clone();
            issued.remove(&oldest);
        }
        let issue = authority.issue(grant_spec(&request, self.hosts.clone())?)?;
        let token = issue.token().to_owned();
        issued.insert(request, (issue, now));
        Ok(TokenResponse { token, lifetime_s })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TokenRequest, (IssuedToken, Instant)>> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn grant_spec(request: &TokenRequest, hosts: HostPolicy) -> Result<GrantSpec> {
    let scopes = Scopes::parse(&request.scopes)
        .map_err(|message| Error::new(Reason::ArgumentInvalid, message).with("command", "fleet"))?;
    let (session, of_session) = match &request.session {
        SessionScope::Any => (SessionRule::Any, String::new()),
        // No subject has a `#`.
        SessionScope::Only(name) => (SessionRule::Only(name.clone()), format!("#{name}")),
    };
    // A person and the programs of one caller are two clients: what one holds, the others do not.
    let (kind, word, delivery) = match request.role {
        CallerRole::Program => (ClientKind::Tenant, "fleet", Delivery::Guarded),
        CallerRole::Person => (ClientKind::Dashboard, "dashboard", Delivery::Raw),
    };
    // One caller with two sets of rights is two clients.
    let mut client = format!("{word}:{}{of_session}:{}", request.subject, scopes.names().join("+"));
    if client.len() > MAX_CLIENT_BYTES {
        client = format!("{word}:{}", hex(&Sha256::digest(client)));
    }
    Ok(GrantSpec {
        client: ClientId::new(client)?,
        audience: Audience::Gateway,
        kind,
        scopes,
        hosts,
        tabs: TabPolicy::Session,
        session,
        // The gateway has the quota of the tenant.
        rate: Rate::Unlimited,
        delivery,
        lifetime: LIFETIME,
    })
}

#[cfg(test)]
mod tests {
    use browse_fleet::{PodUid, Tenant};
    use browse_policy::Listener;

    use super::*;

    fn request(subject: &str, scopes: &[&str]) -> TokenRequest {
        TokenRequest {
            tenant: Tenant::new("acme").expect("a name"),
            pod: PodUid::new("p1").expect("a uid"),
            subject: subject.to_owned(),
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
            session: SessionScope::Any,
            role: CallerRole::Program,
        }
    }

    #[test]
    fn one_caller_has_one_token_and_each_set_of_rights_its_own() {
        let authority = Arc::new(Authority::new().expect("random numbers"));
        let tokens = PodTokens::new(HostPolicy::Any);
        let ask =
            |subject: &str, scopes: &[&str]| tokens.token(&authority, request(subject, scopes));
        let first = ask("ann", &["read"]).expect("a token").token;
        assert_eq!(ask("ann", &["read"]).expect("a token").token, first, "for another replica");
        let more = ask("ann", &["read", "write"]).expect("a token").token;
        assert!(more != first && ask("bob", &["read"]).expect("a token").token != first);
        assert_eq!(ask("ann", &["write", "read"]).expect("a token").token, more);
        let grant = authority.identify(Some(&more), Listener::Gateway).expect("it is in force");
        assert_eq!(grant.capability().client.as_str(), "fleet:ann:read+write");
        assert!(authority.identify(Some(&more), Listener::Local).is_err(), "not at home");
        let narrow =
            TokenRequest { session: SessionScope::Only("s".into()), ..request("ann", &["read"]) };
        let narrow = tokens.token(&authority, narrow).expect("a token").token;
        let grant = authority.identify(Some(&narrow), Listener::Gateway).expect("it is in force");
        assert_eq!(grant.capability().session, SessionRule::Only("s".into()));
        let person =
            TokenRequest { role: CallerRole::Person, ..request("ann", &["read", "write"]) };
        let person = tokens.token(&authority, person).expect("a token").token;
        let grant = authority.identify(Some(&person), Listener::Gateway).expect("it is in force");
        assert_eq!(grant.capability().client.as_str(), "dashboard:ann:read+write");
        assert_eq!(grant.capability().kind, ClientKind::Dashboard);
        assert!(ask("ann", &["root"]).is_err() && ask("a b", &["read"]).is_err());
    }
}
