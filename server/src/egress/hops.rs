//! Checks the documents that an act leads to (redirects, and what links, forms and
//! scripts request) before each request is sent.
//!
//! Servers and pages may add what they like: only text that the caller has read on
//! another site and has sent itself counts, see `Memory::forwarded`, and no rule goes
//! by the shape of a text. So sign-ins, payments and short links pass.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use browse_guard::egress::{Channel, Site, judge};
use browse_proto::{Reach, Scope};
use futures::FutureExt as _;
use url::Url;

use super::{
    act::site_of,
    outgoing::Outgoing,
    reader::Reader,
    verdict::{Means, Source, canary_leaked, decide},
};
use crate::{
    chromium::{DocumentRequest, Verdict},
    daemon::Daemon,
    dispatch::Context,
    error::{Error, Result},
    policy::{ClientId, Grant, Kind},
    sessions::JudgeDocuments,
};

/// Acts that are kept: one for each client of each session.
const MAX_ACTS: usize = 64;

/// The most recent act of each client in each session.
#[derive(Default)]
pub struct RecentActs(Mutex<Vec<RecentAct>>);

#[derive(Clone)]
struct RecentAct {
    session: String,
    command: &'static str,
    grant: Arc<Grant>,
    outgoing: Arc<Outgoing>,
    /// None for a skill, which reads raw data and is limited by its hosts.
    reader: Option<Arc<Reader>>,
}

/// Checks the documents of all sessions of a daemon.
pub struct DocumentCheck(Weak<Daemon>);

/// A document that is about to be requested.
struct Hop {
    url: String,
    body: String,
    is_main: bool,
    to: Site,
}

impl RecentActs {
    /// Adds an act, and returns the one of the same client and session that it
    /// replaces.
    fn replace(&self, act: RecentAct) -> Option<RecentAct> {
        let mut all = self.lock();
        let is_same =
            |other: &RecentAct| other.session == act.session && other.client() == act.client();
        let replaced = all.iter().position(is_same).map(|at| all.remove(at));
        if all.len() >= MAX_ACTS {
            all.remove(0);
        }
        all.push(act);
        replaced
    }

    fn of_session(&self, session: &str) -> Vec<RecentAct> {
        self.lock().iter().filter(|act| act.session == session).cloned().collect()
    }

    /// The acts of `client` whose calls have ended.
    fn ended(&self, client: &ClientId) -> Vec<Arc<Outgoing>> {
        let all = self.lock();
        let of_client = all.iter().filter(|act| act.client() == client).map(|act| &act.outgoing);
        // A call that runs holds it, too.
        of_client.filter(|outgoing| Arc::strong_count(outgoing) == 1).map(Arc::clone).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RecentAct>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DocumentCheck {
    /// For the sessions of `daemon`.
    pub fn new(daemon: &Arc<Daemon>) -> Self {
        Self(Arc::downgrade(daemon))
    }
}

impl JudgeDocuments for DocumentCheck {
    fn judge(&self, session: &str, request: &DocumentRequest<'_>) -> Option<Verdict> {
        let daemon = self.0.upgrade()?;
        let to = Url::parse(request.url).ok().and_then(|url| site_of(&url))?;
        let mut acts = daemon.egress().recent_acts().of_session(session);
        acts.retain(|act| {
            let forwards = act.reader.as_ref().is_some_and(|reader| reader.may_forward(&to));
            !act.outgoing.take_checked(request.url) && (forwards || daemon.egress().has_canaries())
        });
        if acts.is_empty() {
            return None;
        }
        let (url, body) = (request.url.to_owned(), request.body.to_owned());
        let hop = Hop { url, body, is_main: request.is_main, to };
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

impl RecentAct {
    fn client(&self) -> &ClientId {
        &self.grant.capability().client
    }

    /// # Errors
    /// `CANARY_LEAKED`, `EGRESS_DENIED`.
    fn check(&self, daemon: &Daemon, hop: &Hop) -> Result<()> {
        let (capability, command) = (self.grant.capability(), self.command);
        let source = Source { daemon, capability, command, means: Means::Redirect };
        let notice = check(&source, self.reader.as_deref(), &self.outgoing, hop)?;
        notice.into_iter().for_each(|notice| self.outgoing.add_notice(notice));
        Ok(())
    }
}

/// Checks an address that a request of the daemon itself is redirected to. The address
/// that the caller named was checked before.
///
/// # Errors
/// `CANARY_LEAKED`, `EGRESS_DENIED`.
pub fn check_hop(cx: &Context, url: &Url) -> Result<()> {
    let Some(to) = site_of(url) else { return Ok(()) };
    if cx.outgoing().take_checked(url.as_str()) {
        return Ok(());
    }
    let hop = Hop { url: url.to_string(), body: String::new(), is_main: true, to };
    let source = Source {
        daemon: cx.daemon(),
        capability: cx.capability(),
        command: cx.command().name,
        means: Means::Redirect,
    };
    if let Some(notice) = check(&source, reader(cx).as_deref(), cx.outgoing(), &hop)? {
        cx.say(&notice);
    }
    Ok(())
}

/// What the caller has read; nothing for a skill.
fn reader(cx: &Context) -> Option<Arc<Reader>> {
    let is_skill = cx.capability().kind == Kind::Skill;
    (!is_skill).then(|| cx.daemon().egress().reader(cx.client()))
}

/// Returns the notice for the caller, if there is one.
fn check(
    source: &Source<'_>,
    reader: Option<&Reader>,
    outgoing: &Outgoing,
    hop: &Hop,
) -> Result<Option<String>> {
    let egress = source.daemon.egress();
    let texts = [hop.url.as_str(), hop.body.as_str()];
    if texts.into_iter().any(|text| egress.holds_canary(text)) {
        return Err(canary_leaked(source, Some(&hop.to)));
    }
    let Some(reader) = reader else { return Ok(None) };
    let hashed = reader.settle();
    let mut carried = hashed.memory.forwarded(&texts, &hop.to, &outgoing.reported(&hop.to));
    if !hop.is_main {
        // Frames of advertisers are sent search terms.
        (carried.cargo.text, carried.cargo.total) = (0, 0);
    }
    let Some(rule) = judge(Channel::Address, carried.place, carried.cargo) else {
        return Ok(None);
    };
    let notice = decide(source, &hop.url, &hop.to, &carried, rule)?;
    // Only now: what was refused is refused again.
    outgoing.add_reported(&hop.to, hashed.memory.hashes(&texts));
    Ok(notice)
}

/// Records that the act of a call begins: the documents that are requested in its
/// session belong to it from now on.
pub fn begin(cx: &Context) {
    let command = cx.command();
    let acts = command.acts || command.scope != Scope::Read;
    if command.service != "BrowserService" || !acts {
        return;
    }
    let Ok(session) = cx.session() else { return };
    let replaced = cx.daemon().egress().recent_acts().replace(RecentAct {
        session: session.name().to_string(),
        command: command.name,
        grant: Arc::clone(cx.grant()),
        outgoing: Arc::clone(cx.outgoing()),
        reader: reader(cx),
    });
    // Another call of the client may still run, and reports its own.
    if let Some(replaced) = replaced.filter(|act| Arc::strong_count(&act.outgoing) == 1) {
        let (notices, refusal) = replaced.outgoing.take_outcome();
        report(cx, &notices, refusal);
    }
}

/// Reports to the caller what became of the documents that its acts led to, and returns
/// the outcome of the call with that.
///
/// # Errors
/// Those of `outcome`; `EGRESS_DENIED` or `CANARY_LEAKED` where a document was refused
/// that the act led to. A command that opens another page has arrived all the same: the
/// page that it left, or the one that it opened, asked for the document.
pub fn end<R>(cx: &Context, outcome: Result<R>) -> Result<R> {
    for outgoing in cx.daemon().egress().recent_acts().ended(cx.client()) {
        let (notices, refusal) = outgoing.take_outcome();
        report(cx, &notices, refusal);
    }
    let (notices, refusal) = cx.outgoing().take_outcome();
    let arrived = cx.command().reach == Reach::Leave && outcome.is_ok();
    match refusal {
        Some(error) if !arrived => {
            report(cx, &notices, None);
            Err(error)
        }
        refusal => {
            report(cx, &notices, refusal);
            outcome
        }
    }
}

fn report(cx: &Context, notices: &[String], refusal: Option<Error>) {
    notices.iter().for_each(|notice| cx.say(notice));
    if let Some(error) = refusal {
        cx.say(&format!("egress: a page was refused a document: {error}. {}", error.hint()));
    }
}
