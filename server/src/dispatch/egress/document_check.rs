//! Checks the documents that an act leads to (redirects, and what links, forms and
//! scripts request) before each request is sent.
//!
//! Servers and pages may add what they like: only text that the caller has read on
//! another site and has sent itself counts, see `Memory::forwarded`, and no rule goes
//! by the shape of a text. So sign-ins, payments and short links pass.

use std::sync::{Arc, Weak};

use browse_guard::egress::{EgressChannel, Site, violated_rule};
use browse_proto::{Requires, Scope};
use futures::FutureExt as _;
use url::Url;

use super::{
    outbound_flow::site_of,
    rule_outcome::{FlowMeans, FlowSource, apply_mode, canary_leaked},
};
use crate::{
    daemon::Daemon,
    dispatch::CallContext,
    egress::{ClientTaint, Outgoing, RecentAction},
};
use browse_base::{Error, Result};
use browse_chromium::{DocumentRequest, DocumentVerdict};
use browse_policy::ClientKind;
use browse_sessions::DocumentPolicy;

/// Checks the documents of all sessions of a daemon.
pub struct DocumentCheck(Weak<Daemon>);

/// A document that is about to be requested.
struct DocumentHop {
    url: String,
    body: String,
    is_main_frame: bool,
    destination: Site,
}

impl DocumentCheck {
    /// Has it check what the sessions of `daemon` request.
    pub fn install(daemon: &Arc<Daemon>) {
        daemon.sessions().set_document_policy(Box::new(Self(Arc::downgrade(daemon))));
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
                if let Err(error) = check_action(act, &daemon, &hop) {
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

/// # Errors
/// `CANARY_LEAKED`, `EGRESS_DENIED`.
fn check_action(act: &RecentAction, daemon: &Daemon, hop: &DocumentHop) -> Result<()> {
    let (capability, command) = (act.grant.capability(), act.command);
    let source = FlowSource { daemon, capability, command, means: FlowMeans::Redirect };
    let notice = evaluate_hop(&source, act.taint.as_deref(), &act.outgoing, hop)?;
    notice.into_iter().for_each(|notice| act.outgoing.add_notice(notice));
    Ok(())
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
    let Some(rule) = violated_rule(EgressChannel::Address, carried.destination, carried.payload)
    else {
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
    let acts = command.has_side_effects || command.scope != Scope::Read;
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
    let arrived = cx.command().requires == Requires::Navigation && outcome.is_ok();
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
