//! What a handler is given: who calls, in which session and tab, until when.

mod content;
mod frame;
mod gateway;
mod spans;
mod step_handlers;
mod target;

use std::{
    collections::BTreeMap,
    net::IpAddr,
    path::Path,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use browse_proto::{Command, Reason, v1};
use tokio::time::Instant;
use url::Url;

use super::call_metadata::CallMetadata;
use crate::{
    address::UrlRequester,
    daemon::{Daemon, InFlightCall},
    egress::Outgoing,
    session_sharing::CallerProcess,
    settings::Settings,
};
use browse_base::{Error, Result};
use browse_chromium::{FrameId, LeavingGuard, Page};
use browse_content::{Findings, Sources};
use browse_net::is_metadata_host;
use browse_policy::{Capability, ClientId, ClientKind, Grant, Listener, Permit};
use browse_sessions::{Session, SessionUseGuard, SharedGuard, Tab, TabId};

pub use step_handlers::StepHandlers;

/// Time that a call gets when neither the caller nor the command names one.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The most that a call from somewhere else gets, whatever it names.
const MAX_REMOTE_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// Time beyond the deadline that a handler gets to say itself what was late.
const DEADLINE_MARGIN: Duration = Duration::from_millis(100);

/// The same for a step: the chain around it has to answer, too.
const STEP_DEADLINE_MARGIN: Duration = Duration::from_millis(50);

/// Notes of one call; they travel in its metadata, which has a limit.
const MAX_NOTICES: usize = 20;

/// A time so far away that it stands for none.
const NO_DEADLINE: Duration = Duration::from_secs(365 * 24 * 3600);

/// One call, or one step of a batch. It is made from a permit alone.
pub struct CallContext {
    daemon: Arc<Daemon>,
    step_handlers: &'static StepHandlers,
    permit: Permit,
    metadata: CallMetadata,
    started_at: Instant,
    deadline: Option<Instant>,
    deadline_margin: Duration,
    tab: OnceLock<Arc<Tab>>,
    /// The first page of the call, and of the call that it is a step of.
    first_page: Arc<OnceLock<Arc<Page>>>,
    /// Held until the call is answered.
    shared_guard: OnceLock<SharedGuard>,
    /// Whether the handler answers for questions of the page itself.
    handles_dialogs: AtomicBool,
    call_notices: Mutex<CallNotices>,
    outgoing: Arc<Outgoing>,
    /// The frame that the call is about, where frames are of several sites.
    frame: OnceLock<FrameId>,
    /// While the call leaves a document.
    leaving: OnceLock<LeavingGuard>,
    kept_alive: Mutex<KeptAlive>,
    /// Where its trace is recorded, when it is sampled.
    spans: Option<spans::SpanScope>,
}

/// What is not idle while the call lasts.
#[derive(Default)]
struct KeptAlive {
    /// The daemon, for the time of a stream.
    daemon: Option<InFlightCall>,
    /// The session that it acts in.
    session: Option<SessionUseGuard>,
}

/// What the call gathers for its answer.
#[derive(Default)]
struct CallNotices {
    /// Hosts that page-derived content came from.
    sources: Sources,
    /// Whether page-derived content is in a step's answer.
    is_page_derived: bool,
    /// What the caller gets beside the answer.
    notices: Vec<String>,
    /// What was found in page-derived content.
    findings: Findings,
    /// What the classifiers warn of.
    classifier_warnings: Vec<String>,
    /// What was left out because no person sees it, by what hides it.
    hidden_counts: BTreeMap<String, u32>,
    /// Skills and notes that the answer names.
    suggested: Vec<v1::SuggestedSkill>,
}

impl CallContext {
    /// A context for `permit`.
    pub(super) fn new(
        daemon: Arc<Daemon>,
        step_handlers: &'static StepHandlers,
        permit: Permit,
        call: CallMetadata,
    ) -> Self {
        let timeout = call.timeout.or(default_timeout(permit.command()));
        let timeout = timeout.filter(|_| !permit.command().runs_program());
        let timeout = match permit.listener() {
            Listener::Tunnel | Listener::Gateway => {
                Some(timeout.unwrap_or(MAX_REMOTE_TIMEOUT).min(MAX_REMOTE_TIMEOUT))
            }
            Listener::Local | Listener::Skills | Listener::Dashboard => timeout,
        };
        let begun = Instant::now();
        let limit = timeout.map(|timeout| begun + timeout);
        let (tab, share, leaving) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (notes, held) = (Mutex::default(), Mutex::default());
        let (margin, questions) = (DEADLINE_MARGIN, AtomicBool::new(false));
        Self {
            daemon,
            step_handlers,
            permit,
            metadata: call,
            started_at: begun,
            deadline: limit,
            deadline_margin: margin,
            tab,
            first_page: Arc::default(),
            shared_guard: share,
            handles_dialogs: questions,
            call_notices: notes,
            outgoing: Arc::default(),
            frame: OnceLock::new(),
            leaving,
            kept_alive: held,
            spans: None,
        }
    }

    /// A call that the daemon makes itself, during this one, for the holder of a grant in
    /// one of its sessions.
    pub(super) fn internal(&self, permit: Permit, session: &str, timeout: Duration) -> Self {
        let call = CallMetadata {
            session: Some(session.to_owned()),
            wants_raw: true,
            timeout: Some(timeout),
            ..CallMetadata::default()
        };
        Self::new(Arc::clone(&self.daemon), self.step_handlers, permit, call)
    }

    /// The same call, for another command or tab: a step of a chain or a
    /// batch. It gets the time of its command, within that of the call.
    pub(super) fn for_step(&self, permit: Permit, tab: Option<TabId>) -> Self {
        let call =
            CallMetadata { tab: tab.or(self.metadata.tab), timeout: None, ..self.metadata.clone() };
        let step = Self::new(Arc::clone(&self.daemon), self.step_handlers, permit, call);
        let limit = step.deadline.into_iter().chain(self.deadline).min();
        Self {
            deadline: limit,
            deadline_margin: STEP_DEADLINE_MARGIN,
            first_page: Arc::clone(&self.first_page),
            spans: self.spans.as_ref().map(spans::SpanScope::of_step),
            ..step
        }
    }

    /// The daemon.
    pub fn daemon(&self) -> &Arc<Daemon> {
        &self.daemon
    }

    /// The settings of the daemon.
    pub fn settings(&self) -> &Settings {
        self.daemon.settings()
    }

    /// What runs the steps of the call.
    pub(super) fn step_handlers(&self) -> &'static StepHandlers {
        self.step_handlers
    }

    /// Who asks, for [`crate::address::parse`].
    pub fn url_requester(&self) -> UrlRequester<'_> {
        UrlRequester { cwd: self.cwd(), home: &self.settings().home }
    }

    /// The command that runs.
    pub fn command(&self) -> &'static Command {
        self.permit.command()
    }

    /// What the caller may do.
    pub fn capability(&self) -> &Capability {
        self.permit.capability()
    }

    /// The permit behind the call.
    pub(super) fn permit(&self) -> &Permit {
        &self.permit
    }

    /// The grant behind the call.
    pub fn grant(&self) -> &Arc<Grant> {
        self.permit.grant()
    }

    /// Where the call came in.
    pub fn listener(&self) -> Listener {
        self.permit.listener()
    }

    /// From where it came, when that is known.
    pub fn peer(&self) -> Option<IpAddr> {
        self.metadata.peer
    }

    /// Who calls.
    pub fn client(&self) -> &ClientId {
        &self.capability().client
    }

    /// Whether the holder of the root token calls.
    pub fn is_root(&self) -> bool {
        self.capability().is_root()
    }

    /// Whether the owner of the daemon calls: by the root token, or at a dashboard. What a
    /// dashboard may do, its scopes say.
    pub fn is_owner(&self) -> bool {
        self.is_root() || self.capability().kind == ClientKind::Dashboard
    }

    /// Checks that the caller may open `url`; the boundary itself lies below
    /// the page.
    ///
    /// # Errors
    /// `ADDRESS_DENIED` for metadata services, `HOST_DENIED` for hosts that the
    /// token does not name.
    pub fn check_address(&self, url: &Url) -> Result<()> {
        if url.host().is_some_and(|host| is_metadata_host(&host)) {
            let message = format!("`{}` is never opened", url.host_str().unwrap_or_default());
            return Err(Error::new(Reason::AddressDenied, message).with("url", url));
        }
        if self.daemon.dashboard().is_at(url) {
            let message = "the dashboard of this daemon is never opened";
            return Err(Error::new(Reason::AddressDenied, message).with("url", url));
        }
        let hosts = self.capability().hosts();
        if hosts.allows(url) || url.scheme() == "file" && self.is_root() {
            return Ok(());
        }
        let message = format!("the token is not good for `{}`", browse_net::host_and_port(url));
        Err(Error::new(Reason::HostDenied, message).with("allowed", hosts.patterns().join(", ")))
    }

    /// When the call has to be answered; far away for a stream whose caller
    /// named no time.
    pub fn deadline(&self) -> Instant {
        self.deadline.unwrap_or_else(|| Instant::now() + NO_DEADLINE)
    }

    /// Time that the caller named.
    pub fn requested_timeout(&self) -> Option<Duration> {
        self.metadata.timeout
    }

    /// Keeps the daemon from going idle as long as this lives, or until
    /// [`Self::release_keep_alive`].
    pub(super) fn keep_alive(&self, call: InFlightCall) {
        self.lock_kept_alive().daemon.get_or_insert(call);
    }

    /// Notes that the call uses `session`, as long as this lives, or until
    /// [`Self::release_keep_alive`].
    pub(super) fn use_session(&self, session: &Session) {
        session.mark_used();
        self.lock_kept_alive().session.get_or_insert_with(|| session.begin_use());
    }

    /// Notes that the caller of this stream watches, and waits for no answer: a pod that drains does
    /// not wait for it.
    pub fn mark_as_watcher(&self) {
        if let Some(call) = &mut self.lock_kept_alive().daemon {
            call.mark_as_watcher();
        }
    }

    /// From now on the daemon may go idle, and end, while this stream runs, and so may the session.
    pub fn release_keep_alive(&self) {
        *self.lock_kept_alive() = KeptAlive::default();
    }

    fn lock_kept_alive(&self) -> std::sync::MutexGuard<'_, KeptAlive> {
        self.kept_alive.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Time from its beginning to its end.
    pub(super) fn time_budget(&self) -> Option<Duration> {
        Some(self.deadline?.saturating_duration_since(self.started_at))
    }

    pub(super) fn finite_deadline(&self) -> Option<Instant> {
        self.deadline
    }

    pub(super) fn deadline_margin(&self) -> Duration {
        self.deadline_margin
    }

    /// The working directory of a root caller.
    pub fn cwd(&self) -> Option<&Path> {
        self.metadata.cwd.as_deref().filter(|_| self.is_root())
    }

    /// The trace that the call is part of.
    pub(super) fn trace_id(&self) -> Option<&str> {
        self.metadata.trace_id.as_deref()
    }

    /// The program that the local user calls from, where the caller reports it.
    pub(super) fn caller_process(&self) -> Option<CallerProcess> {
        let is_local = self.is_root() && self.listener() == Listener::Local;
        self.metadata.caller.filter(|_| is_local)
    }

    /// Tells the caller something beside the answer: why it is empty, say. It
    /// is our own word, and never holds what a page chose.
    pub fn add_notice(&self, note: &str) {
        let output = &mut self.lock_notices().notices;
        // The steps of a batch may all say the same.
        if output.iter().all(|known| known != note) && output.len() < MAX_NOTICES {
            output.push(note.to_owned());
        }
    }

    /// Notes the skills and notes that the answer names.
    pub(super) fn set_suggested(&self, suggested: Vec<v1::SuggestedSkill>) {
        self.lock_notices().suggested = suggested;
    }

    pub(super) fn suggested(&self) -> Vec<v1::SuggestedSkill> {
        self.lock_notices().suggested.clone()
    }

    /// What the call sends.
    pub fn outgoing(&self) -> &Arc<Outgoing> {
        &self.outgoing
    }

    /// Notes that the handler answers for questions of the page itself from now on.
    pub fn handle_dialogs(&self) {
        self.handles_dialogs.store(true, Ordering::Relaxed);
    }

    pub(super) fn handles_dialogs(&self) -> bool {
        self.handles_dialogs.load(Ordering::Relaxed)
    }

    /// Whether there is a notice for the caller already.
    pub fn has_notice(&self) -> bool {
        !self.lock_notices().notices.is_empty()
    }

    pub(super) fn notices(&self) -> Vec<String> {
        self.lock_notices().notices.clone()
    }

    fn lock_notices(&self) -> std::sync::MutexGuard<'_, CallNotices> {
        self.call_notices.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time that `command` gets when the caller names none. A stream ends when its
/// handler does: `activity --follow` never.
fn default_timeout(command: &Command) -> Option<Duration> {
    let own = command.timeout_ms.map_or(DEFAULT_TIMEOUT, Duration::from_millis);
    (!command.streaming).then_some(own)
}
