//! Checks the documents that an act leads to (redirects, and what links, forms and
//! scripts request) before each request is sent.
//!
//! Servers and pages may add what they like: only text that the caller has read on
//! another site and has sent itself counts, see `Memory::forwarded`, and no rule goes
//! by the shape of a text. So sign-ins, payments and short links pass.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use browse_guard::egress::{Channel, Site, violated_rule};
use browse_proto::{Reach, Scope};
use futures::FutureExt as _;
use url::Url;

use super::{
    client_taint::ClientTaint,
    outbound_flow::site_of,
    outgoing::Outgoing,
    rule_outcome::{FlowMeans, FlowSource, apply_mode, canary_leaked},
};
use crate::{
    chromium::{DocumentRequest, DocumentVerdict},
    daemon::Daemon,
    dispatch::CallContext,
    error::{Error, Result},
    policy::{ClientId, ClientKind, Grant},
    sessions::DocumentPolicy,
};

/// Acts that are kept: one for each client of each session.
const MAX_RECENT_ACTIONS: usize = 64;

/// The most recent act of each client in each session.
#[derive(Default)]
pub struct RecentActions(Mutex<Vec<RecentAction>>);

#[derive(Clone)]
struct RecentAction {
    session: String,
    command: &'static str,
    grant: Arc<Grant>,
    outgoing: Arc<Outgoing>,
    /// None for a skill, which reads raw data and is limited by its hosts.
    taint: Option<Arc<ClientTaint>>,
}

/// Checks the documents of all sessions of a daemon.
pub struct DocumentCheck(Weak<Daemon>);

/// A document that is about to be requested.
struct DocumentHop {
    url: String,
    body: String,
    is_main_frame: bool,
    destination: Site,
}

impl RecentActions {
    /// Adds an act, and returns the one of the same client and session that it
    /// replaces.
    fn replace(&self, act: RecentAction) -> Option<RecentAction> {
        let mut all = self.lock();
        let is_same =
            |other: &RecentAction| other.session == act.session && other.client() == act.client();
        let replaced = all.iter().position(is_same).map(|at| all.remove(at));
        if all.len() >= MAX_RECENT_ACTIONS {
            all.remove(0);
        }
        all.push(act);
        replaced
    }

    fn of_session(&self, session: &str) -> Vec<RecentAction> {
        self.lock().iter().filter(|act| act.session == session).cloned().collect()
    }

    /// The acts of `client` whose calls have ended.
    fn finished(&self, client: &ClientId) -> Vec<Arc<Outgoing>> {
        let all = self.lock();
        let of_client = all.iter().filter(|act| act.client() == client).map(|act| &act.outgoing);
        // A call that runs holds it, too.
        of_client.filter(|outgoing| Arc::strong_count(outgoing) == 1).map(Arc::clone).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RecentAction>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DocumentCheck {
    /// For the sessions of `daemon`.
    pub fn new(daemon: &Arc<Daemon>) -> Self {
        Self(Arc::downgrade(daemon))
    }
}

impl DocumentPolicy for DocumentCheck {
    fn check_document(
        &self,
        session: &str,
        request: &DocumentRequest<'_>,
    ) -> Option<DocumentVerdict> {
        let daemon = self.0.upgrade()?;
        let to = Url::parse(request.url).ok().and_then(|url| site_of(&url))?;
        let mut acts = daemon.egress().recent_actions().of_session(session);
        acts.retain(|act| {
            let forwards = act.taint.as_ref().is_some_and(|reader| reader.may_forward(&to));
            !act.outgoing.take_checked(request.url) && (forwards || daemon.egress().has_canaries())
        });
        if acts.is_empty() {
            return None;
        }
        let (url, body) = (request.url.to_owned(), request.body.to_owned());
        let hop = DocumentHop { url, body, is_main_frame: request.is_main, destination: to };
        let verdict = async move {
            for act in &acts {
                if let Err(error) = act.check(&daemon, &hop) {
                    let reason = error.to_string();
                    act.outgoing.refuse(error);
                    return Err(reason);
                }
            }
            Ok(())
        };
        Some(verdict.boxed())
    }
}

impl RecentAction {
    fn client(&self) -> &ClientId {
        &self.grant.capability().client
    }

    /// # Errors
    /// `CANARY_LEAKED`, `EGRESS_DENIED`.
    fn check(&self, daemon: &Daemon, hop: &DocumentHop) -> Result<()> {
        let (capability, command) = (self.grant.capability(), self.command);
        let source = FlowSource { daemon, capability, command, means: FlowMeans::Redirect };
        let notice = evaluate_hop(&source, self.taint.as_deref(), &self.outgoing, hop)?;
        notice.into_iter().for_each(|notice| self.outgoing.add_notice(notice));
        Ok(())
    }
}

/// Checks an address that a request of the daemon itself is redirected to. The address
/// that the caller named was checked before.
///
/// # Errors
/// `CANARY_LEAKED`, `EGRESS_DENIED`.
pub fn check_redirect(cx: &CallContext, url: &Url) -> Result<()> {
    let Some(to) = site_of(url) else { return Ok(()) };
    if cx.outgoing().take_checked(url.as_str()) {
        return Ok(());
    }
    let hop = DocumentHop {
        url: url.to_string(),
        body: String::new(),
        is_main_frame: true,
        destination: to,
    };
    let source = FlowSource {
        daemon: cx.daemon(),
        capability: cx.capability(),
        command: cx.command().name,
        means: FlowMeans::Redirect,
    };
    if let Some(notice) = evaluate_hop(&source, client_taint(cx).as_deref(), cx.outgoing(), &hop)? {
        cx.add_notice(&notice);
    }
    Ok(())
}

/// What the caller has read; nothing for a skill.
fn client_taint(cx: &CallContext) -> Option<Arc<ClientTaint>> {
    let is_skill = cx.capability().kind == ClientKind::Skill;
    (!is_skill).then(|| cx.daemon().egress().client_taint(cx.client()))
}

/// Returns the notice for the caller, if there is one.
fn evaluate_hop(
    source: &FlowSource<'_>,
    reader: Option<&ClientTaint>,
    outgoing: &Outgoing,
    hop: &DocumentHop,
) -> Result<Option<String>> {
    let egress = source.daemon.egress();
    let texts = [hop.url.as_str(), hop.body.as_str()];
    if texts.into_iter().any(|text| egress.holds_canary(text)) {
        return Err(canary_leaked(source, Some(&hop.destination)));
    }
    let Some(reader) = reader else { return Ok(None) };
    let hashed = reader.flush();
    let mut carried = hashed.memory.match_forwarded(
        &texts,
        &hop.destination,
        &outgoing.reported(&hop.destination),
    );
    if !hop.is_main_frame {
        // Frames of advertisers are sent search terms.
        (carried.payload.tainted_chars, carried.payload.total_chars) = (0, 0);
    }
    let Some(rule) = violated_rule(Channel::Address, carried.destination, carried.payload) else {
        return Ok(None);
    };
    let notice = apply_mode(source, &hop.url, &hop.destination, &carried, rule)?;
    // Only now: what was refused is refused again.
    outgoing.add_reported(&hop.destination, hashed.memory.fingerprint_hashes(&texts));
    Ok(notice)
}

/// Records that the act of a call begins: the documents that are requested in its
/// session belong to it from now on.
pub fn begin_action(cx: &CallContext) {
    let command = cx.command();
    let acts = command.acts || command.scope != Scope::Read;
    if command.service != "BrowserService" || !acts {
        return;
    }
    let Ok(session) = cx.session() else { return };
    let replaced = cx.daemon().egress().recent_actions().replace(RecentAction {
        session: session.name().to_string(),
        command: command.name,
        grant: Arc::clone(cx.grant()),
        outgoing: Arc::clone(cx.outgoing()),
        taint: client_taint(cx),
    });
    // Another call of the client may still run, and reports its own.
    if let Some(replaced) = replaced.filter(|act| Arc::strong_count(&act.outgoing) == 1) {
        let (notices, refusal) = replaced.outgoing.take_outcome();
        report_outcome(cx, &notices, refusal);
    }
}

/// Reports to the caller what became of the documents that its acts led to, and returns
/// the outcome of the call with that.
///
/// # Errors
/// Those of `outcome`; `EGRESS_DENIED` or `CANARY_LEAKED` where a document was refused
/// that the act led to. A command that opens another page has arrived all the same: the
/// page that it left, or the one that it opened, asked for the document.
pub fn finish_action<R>(cx: &CallContext, outcome: Result<R>) -> Result<R> {
    for outgoing in cx.daemon().egress().recent_actions().finished(cx.client()) {
        let (notices, refusal) = outgoing.take_outcome();
        report_outcome(cx, &notices, refusal);
    }
    let (notices, refusal) = cx.outgoing().take_outcome();
    let arrived = cx.command().reach == Reach::Leave && outcome.is_ok();
    match refusal {
        Some(error) if !arrived => {
            report_outcome(cx, &notices, None);
            Err(error)
        }
        refusal => {
            report_outcome(cx, &notices, refusal);
            outcome
        }
    }
}

fn report_outcome(cx: &CallContext, notices: &[String], refusal: Option<Error>) {
    notices.iter().for_each(|notice| cx.add_notice(notice));
    if let Some(error) = refusal {
        cx.add_notice(&format!("egress: a page was refused a document: {error}. {}", error.hint()));
    }
}
