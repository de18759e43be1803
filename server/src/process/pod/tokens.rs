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

/// Time in which a caller that has got a token for one session opens it.
const OPENING_TIME: Duration = Duration::from_secs(60);

/// Tokens that a pod keeps.
const MAX_TOKENS: usize = 1_000;

/// The tokens of callers: one for each, whatever replica of the gateway asks.
pub struct CallerTokens {
    issued: Mutex<TokenTable>,
    hosts: HostPolicy,
}

/// Tokens, each with the time when it was asked for last.
type TokenTable = HashMap<TokenRequest, (IssuedToken, Instant)>;

impl CallerTokens {
    /// No token; those to come are good for these hosts.
    pub fn new(hosts: HostPolicy) -> Self {
        Self { issued: Mutex::default(), hosts }
    }

    /// The token of the caller: the one in force, else a new one. Where there are too many, some of
    /// sessions that are not open end, else one of the subject that has most.
    ///
    /// # Errors
    /// A scope or the name of the caller is not one.
    pub fn token(
        &self,
        authority: &Arc<Authority>,
        mut request: TokenRequest,
        is_open: impl Fn(&str) -> bool,
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
        let spec = grant_spec(&request, self.hosts.clone())?;
        if issued.len() >= MAX_TOKENS {
            end_closed(&mut issued, is_open);
        }
        if issued.len() >= MAX_TOKENS {
            end_one(&mut issued);
        }
        let issue = authority.issue(spec)?;
        let token = issue.token().to_owned();
        let is_of_skill = request.skill_hosts.is_some();
        issued.insert(request, (issue, now));
        Ok(TokenResponse { token, lifetime_s, is_of_skill })
    }

    fn lock(&self) -> MutexGuard<'_, TokenTable> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the tokens for one session that is not open any more, such as those of skills: each run has
/// a session of its own.
fn end_closed(issued: &mut TokenTable, is_open: impl Fn(&str) -> bool) {
    issued.retain(|request, (_, asked)| match &request.session {
        SessionScope::Only(name) => asked.elapsed() < OPENING_TIME || is_open(name),
        SessionScope::Any => true,
    });
}

/// Ends a token of the subject that has most of them: the one that was asked for least lately. So
/// nobody who asks for many ends those of others.
fn end_one(issued: &mut TokenTable) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for request in issued.keys() {
        *counts.entry(&request.subject).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count).map(|(subject, _)| subject);
    let of_most = issued.iter().filter(|(request, _)| Some(request.subject.as_str()) == most);
    let oldest = of_most.min_by_key(|(_, (_, asked))| *asked).map(|(request, _)| request.clone());
    if let Some(oldest) = oldest {
        issued.remove(&oldest);
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
        let tokens = CallerTokens::new(HostPolicy::Any);
        let ask = |subject: &str, scopes: &[&str]| {
            tokens.token(&authority, request(subject, scopes), |_| true)
        };
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
        let narrow = tokens.token(&authority, narrow, |_| true).expect("a token").token;
        let grant = authority.identify(Some(&narrow), Listener::Gateway).expect("it is in force");
        assert_eq!(grant.capability().session, SessionRule::Only("s".into()));
        let person =
            TokenRequest { role: CallerRole::Person, ..request("ann", &["read", "write"]) };
        let person = tokens.token(&authority, person, |_| true).expect("a token").token;
        let grant = authority.identify(Some(&person), Listener::Gateway).expect("it is in force");
        assert_eq!(grant.capability().client.as_str(), "dashboard:ann:read+write");
        assert_eq!(grant.capability().kind, ClientKind::Dashboard);
        assert!(ask("ann", &["root"]).is_err() && ask("a b", &["read"]).is_err());
    }

    #[test]
    fn a_skill_has_its_hosts_within_those_of_the_pod_and_reads_and_writes() {
        let authority = Arc::new(Authority::new().expect("random numbers"));
        let pod = HostPolicy::from_patterns(["*.example.com", "127.0.0.1:80"]).expect("patterns");
        let tokens = CallerTokens::new(pod);
        let ask = |request| tokens.token(&authority, request, |_| true);
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
    }

    #[test]
    fn who_asks_for_many_tokens_ends_none_of_others() {
        let authority = Arc::new(Authority::new().expect("random numbers"));
        let tokens = CallerTokens::new(HostPolicy::Any);
        let ask = |request| tokens.token(&authority, request, |name| name == "open");
        let is_good = |answer: &TokenResponse| {
            authority.identify(Some(&answer.token), Listener::Gateway).is_ok()
        };
        // He asked first, and does not ask again while he calls.
        let other = ask(request("bob", &["read"])).expect("a token");
        let mut flood = Vec::new();
        for number in 0..MAX_TOKENS {
            let host = format!("host-{number}.example");
            flood.push(ask(skill("open", &[&host])).expect("a token"));
        }
        assert!(is_good(&other), "it is not of the subject that has most");
        assert!(!is_good(&flood[0]) && flood[1..].iter().all(is_good));
        assert_eq!(tokens.lock().len(), MAX_TOKENS);
        assert!(ask(skill("open", &["a b"])).is_err(), "it ends no other");
        assert_eq!(tokens.lock().len(), MAX_TOKENS);
    }

    #[test]
    fn tokens_of_sessions_that_are_over_make_room() {
        let authority = Arc::new(Authority::new().expect("random numbers"));
        let tokens = CallerTokens::new(HostPolicy::Any);
        let ask = |request| tokens.token(&authority, request, |_| true).expect("a token");
        let is_good = |answer: &TokenResponse| {
            authority.identify(Some(&answer.token), Listener::Gateway).is_ok()
        };
        let (over, open) = (ask(skill("run-1", &["*"])), ask(skill("run-2", &["*"])));
        let free = ask(request("ann", &["read"]));
        let long_ago = Instant::now().checked_sub(2 * OPENING_TIME).expect("it runs longer");
        tokens.lock().values_mut().for_each(|(_, asked)| *asked = long_ago);
        let new = ask(skill("run-3", &["*"]));
        end_closed(&mut tokens.lock(), |session| session == "run-2");
        assert!(!is_good(&over) && is_good(&open) && is_good(&free));
        assert!(is_good(&new), "it has just been asked for");
    }
}
