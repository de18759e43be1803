//! Documents that an act leads to: redirects, and what links, forms and scripts ask
//! for. Each is looked at before it is asked for.
//!
//! What servers and pages add is theirs: only what the caller has read on another
//! site and has sent itself counts, see `Memory::handed_on`, and no rule goes by the
//! shape of a text. So sign-ins, payments and shortened links pass.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use browse_guard::egress::{Channel, Site, judge};
use browse_proto::{Reason, Scope};
use futures::FutureExt as _;
use url::Url;

use super::{
    act::site_of,
    outgoing::Outgoing,
    reader::Reader,
    verdict::{Sender, Verb, answer},
};
use crate::{
    chromium::{DocumentRequest, Verdict},
    daemon::Daemon,
    dispatch::Context,
    error::{Error, Result},
    policy::{ClientId, Grant, Kind},
    sessions::JudgeDocuments,
};

/// Clients that acted in one session and are remembered, and sessions.
const MOST_ACTS: usize = 64;

/// The last act of each client in each session.
#[derive(Default)]
pub struct Hops(Mutex<Vec<Last>>);

/// One of them.
#[derive(Clone)]
struct Last {
    session: String,
    command: &'static str,
    grant: Arc<Grant>,
    outgoing: Arc<Outgoing>,
    reader: Arc<Reader>,
}

/// Looks at the documents of all sessions.
pub struct Documents(Weak<Daemon>);

/// A document that is about to be asked for.
struct Hop {
    url: String,
    body: String,
    is_main: bool,
    to: Site,
}

impl Hops {
    fn begin(&self, last: Last) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let client = &last.grant.capability().client;
        let is_same = |other: &Last| {
            other.session == last.session && other.grant.capability().client == *client
        };
        all.retain(|other| !is_same(other));
        if all.len() >= MOST_ACTS {
            all.remove(0);
        }
        all.push(last);
    }

    fn of(&self, session: &str) -> Vec<Last> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|last| last.session == session).cloned().collect()
    }

    fn by(&self, client: &ClientId) -> Vec<Arc<Outgoing>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |last: &&Last| last.grant.capability().client == *client;
        all.iter().filter(of).map(|last| Arc::clone(&last.outgoing)).collect()
    }
}

impl Documents {
    /// For the sessions of a daemon.
    pub fn new(daemon: &Arc<Daemon>) -> Self {
        Self(Arc::downgrade(daemon))
    }
}

impl JudgeDocuments for Documents {
    fn judge(&self, session: &str, request: &DocumentRequest<'_>) -> Option<Verdict> {
        let daemon = self.0.upgrade()?;
        let to = Url::parse(request.url).ok().and_then(|url| site_of(&url))?;
        let mut acts = daemon.egress().hops().of(session);
        acts.retain(|last| {
            let is_asked = last.outgoing.takes(request.url);
            !is_asked && (daemon.egress().has_canaries() || last.reader.may_hand_on(&to))
        });
        if acts.is_empty() {
            return None;
        }
        let (url, body) = (request.url.to_owned(), request.body.to_owned());
        let hop = Hop { url, body, is_main: request.is_main, to };
        let verdict = async move {
            for last in &acts {
                if let Err(error) = last.look(&daemon, &hop) {
                    let reason = error.to_string();
                    last.outgoing.refuse(error);
                    return Err(reason);
                }
            }
            Ok(())
        };
        Some(verdict.boxed())
    }
}

impl Last {
    /// # Errors
    /// `CANARY_LEAKED`, `EGRESS_DENIED`.
    fn look(&self, daemon: &Daemon, hop: &Hop) -> Result<()> {
        let capability = self.grant.capability();
        let (command, verb) = (self.command, Verb::LeadsOn);
        let sender = Sender { daemon, capability, command, verb };
        let note = look(&sender, &self.reader, &self.outgoing, hop)?;
        note.into_iter().for_each(|note| self.outgoing.note(note));
        Ok(())
    }
}

/// Looks at an address that a request of the daemon itself is led on to. The one
/// that the caller asked for was looked at before.
///
/// # Errors
/// `CANARY_LEAKED`, `EGRESS_DENIED`.
pub fn check_hop(cx: &Context, url: &Url) -> Result<()> {
    let Some(to) = site_of(url) else { return Ok(()) };
    let daemon = cx.daemon();
    if cx.outgoing().takes(url.as_str()) || cx.capability().kind == Kind::Skill {
        return Ok(());
    }
    let reader = daemon.egress().reader(cx.client());
    let hop = Hop { url: url.to_string(), body: String::new(), is_main: true, to };
    let capability = cx.capability();
    let sender = Sender { daemon, capability, command: cx.command().name, verb: Verb::LeadsOn };
    if let Some(note) = look(&sender, &reader, cx.outgoing(), &hop)? {
        cx.say(&note);
    }
    Ok(())
}

fn look(
    sender: &Sender<'_>,
    reader: &Reader,
    outgoing: &Outgoing,
    hop: &Hop,
) -> Result<Option<String>> {
    let egress = sender.daemon.egress();
    if [&hop.url, &hop.body].into_iter().any(|text| egress.holds_canary(text)) {
        let message = format!("`{}` would lead on with a canary token", sender.command);
        return Err(Error::new(Reason::CanaryLeaked, message));
    }
    if sender.capability.kind == Kind::Skill || outgoing.has_told(&hop.to) {
        return Ok(None);
    }
    let mut carried = reader.settle().memory.handed_on(&[&hop.url, &hop.body], &hop.to);
    if !hop.is_main {
        // Advertisements are told what somebody looks for.
        (carried.cargo.text, carried.cargo.total) = (0, 0);
    }
    let Some(rule) = judge(Channel::Address, carried.place, carried.cargo) else {
        return Ok(None);
    };
    outgoing.tell(&hop.to);
    answer(sender, &hop.url, &hop.to, &carried, rule)
}

/// Notes that the act of a call begins: the documents that it leads to are its own
/// from now on.
pub fn begin(cx: &Context) {
    let command = cx.command();
    let acts = command.acts || command.scope != Scope::Read;
    if command.service != "BrowserService" || !acts {
        return;
    }
    let Ok(session) = cx.session() else { return };
    let egress = cx.daemon().egress();
    egress.hops().begin(Last {
        session: session.name().to_string(),
        command: command.name,
        grant: Arc::clone(cx.grant()),
        outgoing: Arc::clone(cx.outgoing()),
        reader: egress.reader(cx.client()),
    });
}

/// Tells the caller what came of the documents that its acts led to.
///
/// # Errors
/// Why a document that the act of this call led to was not asked for.
pub fn end(cx: &Context) -> Result<()> {
    for outgoing in cx.daemon().egress().hops().by(cx.client()) {
        let (notes, refused) = outgoing.take();
        notes.iter().for_each(|note| cx.say(note));
        let Some(error) = refused else { continue };
        if Arc::ptr_eq(&outgoing, cx.outgoing()) {
            return Err(error);
        }
        cx.say(&format!("egress: a page was stopped since the last command: {error}"));
    }
    Ok(())
}
