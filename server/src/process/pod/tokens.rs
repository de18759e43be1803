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
use browse_proto::{Reason, Scope};
use sha2::{Digest as _, Sha256};

/// How long a token is good: longer than a pod lives. What a caller may do ends with its token at
/// the edge, which the gateway checks with each call.
const LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// Time after which the gateway asks again.
const REFRESH_TIME: Duration = Duration::from_secs(3600);

/// Longest name of a caller; of a longer one a hash is the name.
const MAX_CLIENT_BYTES: usize = 120;

/// Time in which a skill that has got a token opens its session.
const SKILL_START_TIME: Duration = Duration::from_secs(60);

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
            let token = token.token().to_owned();
            let is_of_skill = request.skill_hosts.is_some();
            return Ok(TokenResponse { token, lifetime_s, is_of_skill });
        }
        if issued.len() >= MAX_CALLERS
            && let Some(oldest) = issued.iter().min_by_key(|(_, (_, asked))| *asked)
        {
            let oldest = oldest.0.clone();
            issued.remove(&oldest);
        }
        let issue = authority.issue(grant_spec(&request, self.hosts.clone())?)?;
        let token = issue.token().to_owned();
        let is_of_skill = request.skill_hosts.is_some();
        issued.insert(request, (issue, now));
        Ok(TokenResponse { token, lifetime_s, is_of_skill })
    }

    /// Ends the tokens of skills whose session is not open any more: each run has a session of its
    /// own. One that was asked for just now has not opened its session yet.
    pub fn end_skills(&self, is_open: impl Fn(&str) -> bool) {
        self.lock().retain(|request, (_, asked)| match &request.session {
            SessionScope::Only(name) if request.skill_hosts.is_some() => {
                asked.elapsed() < SKILL_START_TIME || is_open(name)
            }
            _ => true,
        });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TokenRequest, (IssuedToken, Instant)>> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn grant_spec(request: &TokenRequest, hosts: HostPolicy) -> Result<GrantSpec> {
    let scopes = Scopes::parse(&request.scopes)
        .map_err(|message| Error::new(Reason::ArgumentInvalid, message).with("command", "fleet"))?;
    if let Some(skill) = &request.skill_hosts {
        return skill_grant_spec(request, skill, scopes, &hosts);
    }
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

/// What a skill gets that a daemon on another machine runs: what it has with the browser of that
/// machine, in one session, within the hosts of the pod.
fn skill_grant_spec(
    request: &TokenRequest,
    named: &[String],
    scopes: Scopes,
    hosts: &HostPolicy,
) -> Result<GrantSpec> {
    let SessionScope::Only(session) = &request.session else {
        let message = "a skill acts in one session";
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "fleet"));
    };
    let asked = match named.iter().any(|pattern| pattern == "*") {
        true => HostPolicy::Any,
        false => HostPolicy::from_patterns(named)?,
    };
    let shared = hosts.intersection(&asked);
    if shared == HostPolicy::None {
        let message = "the pods of the fleet visit no host of the skill";
        let allowed = hosts.patterns().join(", ");
        return Err(Error::new(Reason::HostDenied, message).with("allowed", allowed));
    }
    let allowed = Scopes::of(&[Scope::Read, Scope::Write]);
    let scopes = scopes.without(scopes.without(allowed));
    // Two skills in one session are two clients.
    let rights = format!("{}\n{}", scopes.names().join("+"), named.join("\n"));
    let rights = hex(&Sha256::digest(rights)[..8]);
    let mut client = format!("fleet:{}#{session}:skill:{rights}", request.subject);
    if client.len() > MAX_CLIENT_BYTES {
        client = format!("fleet:{}", hex(&Sha256::digest(client)));
    }
    Ok(GrantSpec {
        client: ClientId::new(client)?,
        audience: Audience::Gateway,
        kind: ClientKind::Skill,
        scopes,
        hosts: shared,
        tabs: TabPolicy::Session,
        session: SessionRule::Only(session.clone()),
        // The daemon that runs it counts its calls.
        rate: Rate::Unlimited,
        delivery: Delivery::Raw,
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
            skill_hosts: None,
            role: CallerRole::Program,
        }
    }

    fn skill(session: &str, hosts: &[&str]) -> TokenRequest {
        TokenRequest {
            session: SessionScope::Only(session.to_owned()),
            skill_hosts: Some(hosts.iter().map(|host| (*host).to_owned()).collect()),
            ..request("ann", &["read", "write", "meta", "admin", "control"])
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

    #[test]
    fn a_skill_has_its_hosts_within_those_of_the_pod_and_reads_and_writes() {
        let authority = Arc::new(Authority::new().expect("random numbers"));
        let pod = HostPolicy::from_patterns(["*.example.com", "127.0.0.1:80"]).expect("patterns");
        let tokens = PodTokens::new(pod);
        let ask = |request| tokens.token(&authority, request);
        let capability = |answer: &TokenResponse| {
            assert!(answer.is_of_skill);
            let grant = authority.identify(Some(&answer.token), Listener::Gateway);
            grant.expect("it is in force").capability().clone()
        };
        let first = ask(skill("run-1", &["a.example.com", "b.example.org"])).expect("a token");
        let held = capability(&first);
        assert_eq!((held.kind, held.delivery), (ClientKind::Skill, Delivery::Raw));
        assert_eq!(held.scopes.names(), ["read", "write"]);
        assert_eq!(held.hosts.patterns(), ["a.example.com"]);
        assert_eq!(held.session, SessionRule::Only("run-1".into()));
        let any = capability(&ask(skill("run-1", &["*"])).expect("another client"));
        assert_eq!(any.hosts.patterns(), ["*.example.com", "127.0.0.1:80"]);
        let outside = ask(skill("run-1", &["b.example.org"])).map(drop).expect_err("no host");
        assert_eq!(outside.reason(), Reason::HostDenied);
        let anywhere = TokenRequest { session: SessionScope::Any, ..skill("", &["*"]) };
        assert!(ask(anywhere).is_err() && ask(skill("run-1", &["a b"])).is_err());
        // It has just been asked for.
        tokens.end_skills(|_| false);
        assert!(authority.identify(Some(&first.token), Listener::Gateway).is_ok());
        let plain = ask(request("ann", &["read"])).expect("a token");
        let long_ago = Instant::now().checked_sub(2 * SKILL_START_TIME).expect("it runs longer");
        tokens.lock().values_mut().for_each(|(_, asked)| *asked = long_ago);
        tokens.end_skills(|session| session == "other");
        assert!(authority.identify(Some(&first.token), Listener::Gateway).is_err(), "it is over");
        assert!(authority.identify(Some(&plain.token), Listener::Gateway).is_ok());
    }
}
