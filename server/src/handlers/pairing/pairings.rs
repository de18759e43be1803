//! The handlers of PairService.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use browse_proto::{Reason, v1};

use super::tab_disposition::{self, TabDisposition, clean_up_pairing};
use crate::{
    daemon::Daemon,
    dispatch::CallContext,
    pairing::{
        NewPairing, PairingEntry, PairingInvitation, PairingKind, proof,
        setup_key::{self, PresentedKey, SetupKey},
        terms::{self, PairingTerms},
    },
    tunnel::{ListenConfig, PeerAuthentication},
};
use browse_base::{Error, HINT_KEY, Result, hex, random};
use browse_net::HostPolicy;
use browse_policy::{ClientId, Listener, Rate, SessionRule, TabPolicy};
use browse_records::SecuritySurface;
use browse_sessions::{SessionName, SessionRules};

/// Refusals that are printed, unless the caller says.
const DEFAULT_REFUSALS: u32 = 100;
/// Rows of the record that are looked through for them.
const MAX_LOG_ROWS: usize = 10_000;
/// The longest challenge, in letters.
const MAX_CHALLENGE_CHARS: usize = 128;

/// Pairs an agent: ends what it had, makes a key, and prints the block.
pub async fn new_pairing(
    cx: &CallContext,
    request: v1::NewPairingRequest,
) -> Result<v1::NewPairingResponse> {
    let daemon = cx.daemon();
    let offer = PairingTerms::parse(&request)?;
    check_may_offer(cx, &offer)?;
    // A caller with less would get more by it.
    let beyond = offer.scopes.without(cx.grant().capability().scopes).names();
    if !beyond.is_empty() {
        let message = format!(
            "`{}` has not itself what this pairing would have: {}",
            cx.client(),
            beyond.join(", ")
        );
        return Err(Error::new(Reason::ScopeDenied, message));
    }
    let place = ListenConfig::from_request(
        "pair new",
        request.listen.as_deref(),
        request.address.as_deref(),
    )?;
    daemon.tunnel().check_available(&place).await?;
    let (session, own_session) = choose_session(cx, &offer)?;
    let (name, kind) = (offer.name.clone(), offer.kind);
    let (scopes, hosts) = (offer.scopes.names(), offer.hosts.patterns());
    let (key, text) = SetupKey::new(setup_key::SETUP_KEY_LIFETIME)?;
    let until = time(key.expires());
    let session_key = random()?;
    let draft = NewPairing { terms: offer, session, own_session, key, session_key };
    // What was in force is so no more, whatever fails from here on.
    let before = daemon.pairings().remove(&name);
    let replaced = before.is_some();
    let serial = run_to_completion(replace_pairing(Arc::clone(daemon), draft, before)).await??;
    let endpoint = match daemon.tunnel().open(daemon.tunnel_services(), &place).await {
        Ok(endpoint) => endpoint,
        Err(error) => {
            if let Some(row) = daemon.pairings().remove(&name) {
                clean_up_pairing(daemon, row, TabDisposition::Auto).await;
            }
            return Err(error);
        }
    };
    spawn_key_expiry(daemon, name.clone(), serial, setup_key::SETUP_KEY_LIFETIME);
    let block = PairingInvitation {
        kind,
        name: name.as_str(),
        address: &endpoint.address,
        fingerprint: &endpoint.fingerprint,
        session_key: (endpoint.peer_authentication == PeerAuthentication::SessionKey)
            .then_some(&session_key),
        key: &text,
        expires_at: &until,
        scopes: &scopes.join(","),
        hosts: &hosts.join(","),
    };
    if replaced {
        cx.add_notice(&format!("what `{name}` had was revoked"));
    }
    if is_loopback(&endpoint.address) {
        cx.add_notice(&format!(
            "`{}` is reached from this machine, or by a port that is forwarded to it; for another \
             machine add `--listen 0.0.0.0:4567 --address <name of this machine>:4567`, or run \
             `browse tunnel start` first",
            endpoint.address
        ));
    }
    Ok(v1::NewPairingResponse {
        block: block.text(),
        name: name.to_string(),
        address: endpoint.address.clone(),
        fingerprint: hex(&endpoint.fingerprint),
        link: block.link(),
        key: text.clone(),
        key_expires_at: until.clone(),
        scopes: to_strings(&scopes),
        hosts,
        replaced,
        trust: endpoint.peer_authentication.name().to_owned(),
        session_key: block.session_key.map(|key| hex(key)).unwrap_or_default(),
    })
}

/// Whether `address` (`host:port`) leads to this machine from wherever it is used.
fn is_loopback(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let ip = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
}

/// Refuses callers that would pair a dashboard and have less than it: agents, skills, and the
/// panel of one session.
fn check_may_offer(cx: &CallContext, offer: &PairingTerms) -> Result<()> {
    let has_all_sessions = cx.capability().session == SessionRule::Any;
    if offer.kind == PairingKind::Agent || cx.is_owner() && has_all_sessions {
        return Ok(());
    }
    let message = format!("`{}` may not pair a dashboard", cx.client());
    Err(Error::new(Reason::ScopeDenied, message))
}

/// Runs `work` to its end, also when the caller goes away meanwhile: nobody may
/// keep the tabs of an agent that is gone.
async fn run_to_completion<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T> {
    let done = tokio::spawn(work).await;
    done.map_err(|error| Error::new(Reason::Bug, format!("the pairing broke off: {error}")))
}

/// Adds a pairing in place of the one of before, if any.
async fn replace_pairing(
    daemon: Arc<Daemon>,
    draft: NewPairing,
    before: Option<PairingEntry>,
) -> Result<u64> {
    let added = add_pairing(&daemon, draft).await;
    if let Some(row) = before {
        clean_up_pairing(&daemon, row, TabDisposition::Auto).await;
    }
    added
}

/// Opens the session of a pairing, when it gets its own, and adds it.
async fn add_pairing(daemon: &Arc<Daemon>, draft: NewPairing) -> Result<u64> {
    if !draft.own_session {
        return daemon.pairings().add(draft);
    }
    let (session, rules) =
        (draft.session.clone(), SessionRules { hosts: draft.terms.hosts.clone() });
    daemon.sessions().open(&session.parse()?, &draft.terms.client, rules).await?;
    let added = daemon.pairings().add(draft);
    if added.is_err() {
        daemon.sessions().close(&session).await?;
    }
    added
}

/// The session of a pairing: the one that the owner names, else a new one. A dashboard has
/// all, and none of its own.
fn choose_session(cx: &CallContext, offer: &PairingTerms) -> Result<(String, bool)> {
    if offer.kind == PairingKind::Dashboard {
        if cx.requested_session().is_some() {
            let message = "a dashboard shows every session, and `--session` names one";
            let error = Error::new(Reason::ArgumentInvalid, message).with("command", "pair new");
            return Err(error.with(HINT_KEY, "Leave out `--session`, and unset BROWSE_SESSION"));
        }
        return Ok((String::new(), false));
    }
    if cx.requested_session().is_none() {
        let tag = hex(&random::<3>()?);
        let name: SessionName = format!("pair-{}-{tag}", offer.name).parse()?;
        return Ok((name.to_string(), true));
    }
    let session = cx.session()?;
    if offer.hosts != HostPolicy::from_public_patterns::<&str>(&[])?
        && session.rules().hosts != offer.hosts
    {
        let message = format!("the session `{}` goes to other hosts too", session.name());
        return Err(Error::new(Reason::PairingHostsUnheld, message));
    }
    Ok((session.name().to_owned(), false))
}

/// Forgets a pairing whose key nobody redeems.
fn spawn_key_expiry(daemon: &Arc<Daemon>, name: ClientId, serial: u64, after: Duration) {
    let daemon = Arc::downgrade(daemon);
    tokio::spawn(async move {
        tokio::time::sleep(after + Duration::from_millis(10)).await;
        let Some(daemon) = daemon.upgrade() else { return };
        if let Some(row) = daemon.pairings().remove_if_ended(&name, serial) {
            tracing::info!(%name, "a setup key was not redeemed in time");
            clean_up_pairing(&daemon, row, TabDisposition::Auto).await;
        }
    });
}

/// Lists the pairings.
pub async fn list_pairings(
    cx: &CallContext,
    _: v1::ListPairingsRequest,
) -> Result<v1::ListPairingsResponse> {
    let mut pairings = Vec::new();
    cx.daemon().pairings().for_each(|row| pairings.push(describe(cx.daemon(), row)));
    Ok(v1::ListPairingsResponse { pairings })
}

fn describe(daemon: &Daemon, row: &PairingEntry) -> v1::Pairing {
    let grant = row.grant();
    let calls = grant.map(|grant| grant.usage());
    let tabs = tab_disposition::sessions_of(daemon, row)
        .iter()
        .map(|session| tab_disposition::tabs_of(session, &row.terms.client).len())
        .sum::<usize>();
    let session = match row.terms.kind {
        PairingKind::Agent => row.session.clone(),
        PairingKind::Dashboard => session_rule_name(&SessionRule::Any),
    };
    v1::Pairing {
        name: row.terms.name.to_string(),
        state: if grant.is_some() { "active" } else { "waiting" }.to_owned(),
        scopes: to_strings(&row.terms.scopes.names()),
        hosts: row.terms.hosts.patterns(),
        session,
        tab_policy: tab_policy_name(row.terms.tabs).to_owned(),
        rate: row.terms.rate,
        tabs: u32::try_from(tabs).unwrap_or(u32::MAX),
        calls: calls.map_or(0, |calls| calls.call_count),
        expires_at: row.end().map(time).unwrap_or_default(),
        last_call: calls.filter(|calls| calls.call_count > 0).map(|calls| time(calls.last_call)),
        kind: row.terms.kind.name().to_owned(),
    }
}

/// Ends a pairing.
pub async fn revoke_pairing(
    cx: &CallContext,
    request: v1::RevokePairingRequest,
) -> Result<v1::RevokePairingResponse> {
    let name = terms::parse_name(&request.name)?;
    let Some(row) = cx.daemon().pairings().remove(&name) else {
        return Err(Error::new(Reason::PairingNotFound, format!("nobody is paired as `{name}`")));
    };
    let disposition = match (request.keep_tabs, request.close_tabs) {
        (true, _) => TabDisposition::Released,
        (_, true) => TabDisposition::Closed,
        _ => TabDisposition::Auto,
    };
    let daemon = Arc::clone(cx.daemon());
    let count =
        run_to_completion(async move { clean_up_pairing(&daemon, row, disposition).await }).await?;
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Ok(v1::RevokePairingResponse {
        name: name.to_string(),
        tabs_closed: number(count.closed),
        tabs_released: number(count.released),
    })
}

/// Lists what was refused.
pub async fn list_refusals(
    cx: &CallContext,
    request: v1::ListRefusalsRequest,
) -> Result<v1::ListRefusalsResponse> {
    let most = request.last.unwrap_or(DEFAULT_REFUSALS) as usize;
    let attempts = cx.daemon().attempts();
    attempts.flush().await;
    let (rows, damaged) = attempts.last_rows(MAX_LOG_ROWS)?;
    if let Some(place) = damaged.first() {
        cx.add_notice(&format!("some lines cannot be read: {place}"));
    }
    let outside = rows.into_iter().filter(|row| row.surface == SecuritySurface::Tunnel.name());
    let refusals = outside.map(|row| v1::PairingRefusal {
        time: row.time,
        reason: row.reason,
        source: row.source,
        domain: row.domain,
        dropped: row.dropped,
    });
    let mut refusals: Vec<_> = refusals.collect();
    refusals.drain(..refusals.len().saturating_sub(most));
    Ok(v1::ListRefusalsResponse { refusals })
}

/// Trades a setup key for a token.
pub async fn redeem(cx: &CallContext, request: v1::RedeemRequest) -> Result<v1::RedeemResponse> {
    if cx.listener() != Listener::Tunnel {
        let message = "keys are redeemed at the address of their block";
        return Err(Error::new(Reason::PairingLinkInvalid, message));
    }
    let challenge = request.challenge.as_str();
    if challenge.len() > MAX_CHALLENGE_CHARS || !challenge.bytes().all(|b| b.is_ascii_hexdigit()) {
        let message = format!("a challenge is at most {MAX_CHALLENGE_CHARS} hexadecimal digits");
        return Err(Error::new(Reason::ArgumentInvalid, message));
    }
    let daemon = cx.daemon();
    let offered = PresentedKey::parse(&request.key, challenge, &request.proof);
    let redeemed = daemon.pairings().redeem(daemon.authority(), &offered)?;
    let grant = redeemed.grant;
    let capability = grant.capability();
    tracing::info!(client = %capability.client, "a setup key was redeemed");
    let name = redeemed.name.to_string();
    tab_disposition::watch_grant(daemon, redeemed.name, redeemed.serial, Arc::clone(&grant));
    let answer = v1::RedeemResponse {
        name,
        scopes: to_strings(&capability.scopes.names()),
        hosts: capability.hosts().patterns(),
        session: session_rule_name(&capability.session),
        expires_at: grant.expires_at().map(time).unwrap_or_default(),
        ..Default::default()
    };
    let (scopes, hosts) = (answer.scopes.join(","), answer.hosts.join(","));
    let output = browse_proto::redeem::RedeemAnswer {
        challenge,
        name: &answer.name,
        scopes: &scopes,
        hosts: &hosts,
        session: &answer.session,
        expires_at: &answer.expires_at,
    };
    if offered.is_sealed() {
        let sealed = proof::seal_token(&redeemed.session_key, &output, &redeemed.token)?;
        return Ok(v1::RedeemResponse { sealed, ..answer });
    }
    let proof = proof::answer_proof(&redeemed.session_key, &output, &redeemed.token);
    Ok(v1::RedeemResponse { proof, token: redeemed.token, ..answer })
}

/// Says who the caller is.
pub async fn get_identity(
    cx: &CallContext,
    _: v1::GetIdentityRequest,
) -> Result<v1::GetIdentityResponse> {
    let (capability, grant) = (cx.capability(), cx.grant());
    Ok(v1::GetIdentityResponse {
        name: capability.client.to_string(),
        kind: capability.kind.name().to_owned(),
        scopes: to_strings(&capability.scopes.names()),
        hosts: capability.hosts().patterns(),
        session: session_rule_name(&capability.session),
        tab_policy: tab_policy_name(capability.tabs).to_owned(),
        rate: match capability.rate {
            Rate::None => Some(0),
            Rate::PerSecond(rate) => Some(rate),
            Rate::Unlimited => None,
        },
        expires_at: grant.expires_at().map(time),
    })
}

fn to_strings(words: &[&'static str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn tab_policy_name(tabs: TabPolicy) -> &'static str {
    match tabs {
        TabPolicy::Own => "own",
        TabPolicy::Session => "session",
    }
}

fn session_rule_name(rule: &SessionRule) -> String {
    match rule {
        SessionRule::Only(name) => name.clone(),
        SessionRule::Any => "*".to_owned(),
    }
}

fn time(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}
