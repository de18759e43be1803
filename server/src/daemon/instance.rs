//! The running daemon, as handlers see it.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use futures::future::BoxFuture;
use tokio::sync::watch;

use crate::{
    agents::AgentSessions,
    attached::BrowserAttacher,
    dashboard::{DaemonPlace, DashboardListener, DashboardParts, DashboardServices, PageFiles},
    devtools::{DevToolsListener, DevToolsParts, RecordClient, SessionCheck},
    egress::Egress,
    fleet_sessions::FleetSessions,
    idle_timer::IdleTimer,
    kept_sessions::{KeptSessions, KeptSessionsParts},
    keychain::Keychain,
    notes::{NoteFolders, NoteService},
    notices::RootNotices,
    pairing::Pairings,
    session_sharing::SessionSharing,
    settings::Settings,
    skills::{SkillPaths, Skills},
    talk::{Talk, talk_folder},
    terminal::Terminals,
    tunnel::{TunnelListener, TunnelParts, TunnelServices},
    window::Windows,
};
use browse_base::Result;
use browse_content::{ClassifierSwitch, ContentMonitor, LlmJudge, Scanner};
use browse_models::OnnxClassifier;
use browse_net::ResolverRules;
use browse_outbound::{Approvals, FetchPolicy};
use browse_policy::{
    Authority, Listener,
    layer::{GatedService, OriginCheck},
};
use browse_process::Guardian;
use browse_records::{ActivityLog, ClientActivity, SecurityLog, Telemetry};
use browse_sessions::{SessionName, Sessions, downloads_place};
use browse_traces::TraceStore;

/// How the daemon ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownReason {
    /// It was asked to stop, or nobody called for long.
    Stop,
    /// It was asked to start anew.
    Restart,
    /// Its browser does not start.
    NoBrowser,
}

/// Everything that lives as long as the daemon.
pub struct Daemon {
    settings: Settings,
    address: SocketAddr,
    started: Instant,
    started_at: SystemTime,
    build_id: String,
    authority: Arc<Authority>,
    sessions: Arc<Sessions>,
    activity: Arc<ActivityLog>,
    dashboard: Arc<DashboardListener>,
    devtools: Arc<DevToolsListener>,
    attempts: Arc<SecurityLog>,
    egress: Egress,
    telemetry: Arc<Telemetry>,
    approvals: Approvals,
    traces: TraceStore,
    talk: Arc<Talk>,
    terminals: Terminals,
    outbound: FetchPolicy,
    skills: Skills,
    notes: NoteService,
    watch: ContentMonitor,
    keychain: Arc<Keychain>,
    kept_sessions: Arc<KeptSessions>,
    fleet_sessions: Option<Arc<FleetSessions>>,
    windows: Arc<Windows>,
    attacher: BrowserAttacher,
    scanner: Scanner,
    transcript: LlmJudge,
    agents: AgentSessions,
    session_sharing: SessionSharing,
    pairings: Arc<Pairings>,
    tunnel: Arc<TunnelListener>,
    services: ServiceFactory,
    guardian: Option<Arc<Guardian>>,
    in_flight_calls: AtomicU32,
    watching_calls: AtomicU32,
    idle_timer: Arc<IdleTimer>,
    notices: Arc<RootNotices>,
    shutdown: watch::Sender<Option<ShutdownReason>>,
}

/// What a daemon is made of.
#[allow(missing_docs)]
pub struct DaemonParts {
    pub settings: Settings,
    pub address: SocketAddr,
    pub build_id: String,
    pub authority: Arc<Authority>,
    pub sessions: Arc<Sessions>,
    /// Of a pod whose fleet has an object store.
    pub fleet_sessions: Option<Arc<FleetSessions>>,
    pub guardian: Option<Arc<Guardian>>,
    pub notice: Option<String>,
    /// What is served at a listener that opens later.
    pub services: ServiceFactory,
}

/// Makes the services of a daemon for one of its listeners, behind their gate: a tunnel
/// opens its listener on the request of a handler, and serves all handlers there.
pub type ServiceFactory =
    fn(Arc<Daemon>, Listener, OriginCheck) -> BoxFuture<'static, Result<GatedService>>;

/// A call in flight; it keeps the daemon from going idle.
pub struct InFlightCall {
    daemon: Arc<Daemon>,
    is_watching: bool,
}

impl Daemon {
    /// Puts the parts together.
    pub fn new(parts: DaemonParts) -> Arc<Self> {
        let folder = parts.settings.state_folder();
        parts.sessions.downloads().open(&downloads_place(&folder));
        let places = SkillPaths {
            project: parts.settings.project_dir(),
            home: parts.settings.home.clone(),
            bundled: parts.settings.bundled_skills.clone(),
        };
        let skills = Skills::new(&places, parts.settings.skill_sandbox);
        skills.sweep();
        let outbound = FetchPolicy {
            allowed_hosts: parts.settings.fetch_allow.clone(),
            resolver_rules: ResolverRules::from_arguments(&parts.settings.chromium_args),
        };
        let telemetry = Telemetry::new(&parts.settings.home, parts.settings.telemetry);
        let telemetry = Arc::new(telemetry);
        let egress = Egress::new(parts.settings.egress);
        let attempts = Arc::new(SecurityLog::new(&parts.settings.home));
        let watch = ContentMonitor::new(parts.settings.layers);
        let switch =
            if parts.settings.security_off { ClassifierSwitch::Off } else { ClassifierSwitch::On };
        let plan = parts.settings.model.onnx.clone().filter(|_| switch == ClassifierSwitch::On);
        let guardian = parts.guardian.clone();
        let second =
            plan.map_or_else(OnnxClassifier::default, |plan| OnnxClassifier::start(plan, guardian));
        let scanner = Scanner::new(switch, second);
        let asked = parts.settings.transcript.clone().filter(|_| switch == ClassifierSwitch::On);
        let transcript = LlmJudge::new(asked);
        let judges = (scanner.clone(), transcript.clone());
        let folders = NoteFolders { home: &parts.settings.home, project: &parts.settings.project };
        let notes =
            NoteService::new(folders, &parts.settings.library, &outbound, judges, &telemetry);
        notes.preload();
        let idle_timer = Arc::new(IdleTimer::start());
        let notices = Arc::new(RootNotices::new(parts.notice));
        let pairings = Arc::<Pairings>::default();
        let tunnel = Arc::new(TunnelListener::new(TunnelParts {
            settings: parts.settings.tunnel_settings(),
            attempts: Arc::clone(&attempts),
            guardian: parts.guardian.clone(),
            pairings: Arc::clone(&pairings),
            idle_timer: Arc::clone(&idle_timer),
            notices: Arc::clone(&notices),
        }));
        let attacher = BrowserAttacher::new(&parts.settings.home);
        let messages = talk_folder(&parts.settings.home, &parts.settings.project);
        let talk = Arc::new(Talk::new(messages, Arc::clone(&notices)));
        let windows = Windows::new(Arc::clone(&idle_timer), Arc::clone(&notices));
        let keychain = Arc::<Keychain>::default();
        let kept_sessions = Arc::new(KeptSessions::new(KeptSessionsParts {
            home: parts.settings.home.clone(),
            project: parts.settings.project.display().to_string(),
            keychain: parts.settings.keychain.then(|| Arc::clone(&keychain)),
            sessions: Arc::clone(&parts.sessions),
            notices: Arc::clone(&notices),
            attached: parts
                .settings
                .cdp_url
                .is_some()
                .then(|| SessionName::default_session().to_string()),
        }));
        let activity = Arc::<ActivityLog>::default();
        let devtools = Arc::new(DevToolsListener::new(DevToolsParts {
            sessions: Arc::clone(&parts.sessions),
            home: parts.settings.home.clone(),
            record: record_clients(Arc::clone(&activity)),
            may_act: session_check(parts.fleet_sessions.clone()),
        }));
        let dashboard = Arc::new(DashboardListener::new(DashboardParts {
            authority: Arc::clone(&parts.authority),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build_id: parts.build_id.clone(),
            page: PageFiles::built_in(),
            place: DaemonPlace::Here,
        }));
        Arc::new(Self {
            dashboard,
            devtools,
            scanner,
            transcript,
            settings: parts.settings,
            address: parts.address,
            started: Instant::now(),
            started_at: SystemTime::now(),
            build_id: parts.build_id,
            authority: parts.authority,
            sessions: parts.sessions,
            activity,
            attempts,
            egress,
            telemetry,
            approvals: Approvals::default(),
            traces: TraceStore::new(folder.join("traces")),
            talk,
            terminals: Terminals::new(parts.guardian.clone()),
            outbound,
            skills,
            notes,
            watch,
            keychain,
            kept_sessions,
            fleet_sessions: parts.fleet_sessions,
            windows: Arc::new(windows),
            attacher,
            agents: AgentSessions::default(),
            session_sharing: SessionSharing::default(),
            pairings,
            tunnel,
            services: parts.services,
            guardian: parts.guardian,
            in_flight_calls: AtomicU32::new(0),
            watching_calls: AtomicU32::new(0),
            idle_timer,
            notices,
            shutdown: watch::Sender::new(None),
        })
    }

    /// The settings that it started with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where its local listener is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Time since it started.
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// When it started.
    pub fn started_at(&self) -> SystemTime {
        self.started_at
    }

    /// Names the build of its program.
    pub fn build_id(&self) -> &str {
        &self.build_id
    }

    /// Its tokens.
    pub fn authority(&self) -> &Arc<Authority> {
        &self.authority
    }

    /// Its sessions and tabs.
    pub fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// Who did what.
    pub fn activity(&self) -> &ActivityLog {
        &self.activity
    }

    /// What agents and the person write to each other.
    pub fn talk(&self) -> &Arc<Talk> {
        &self.talk
    }

    /// The terminals of people at dashboards.
    pub fn terminals(&self) -> &Terminals {
        &self.terminals
    }

    /// Its addresses for clients of the DevTools protocol.
    pub fn devtools(&self) -> &Arc<DevToolsListener> {
        &self.devtools
    }

    /// The dashboards of people.
    pub fn dashboard(&self) -> &Arc<DashboardListener> {
        &self.dashboard
    }

    /// The services for those, once their listener opens.
    pub fn dashboard_services(self: &Arc<Self>) -> DashboardServices {
        let (daemon, services) = (Arc::clone(self), self.services);
        Box::new(move |origin| services(daemon, Listener::Dashboard, origin))
    }

    /// What watches over what leaves the sites that it was read on.
    pub fn egress(&self) -> &Egress {
        &self.egress
    }

    /// Local analytics, when they are switched on.
    pub fn telemetry(&self) -> &Telemetry {
        &self.telemetry
    }

    /// What was refused for security.
    pub fn attempts(&self) -> &Arc<SecurityLog> {
        &self.attempts
    }

    /// The traces of steps.
    pub fn traces(&self) -> &TraceStore {
        &self.traces
    }

    /// What the owner approved, and what waits for that.
    pub fn approvals(&self) -> &Approvals {
        &self.approvals
    }

    /// Where it fetches from itself.
    pub fn outbound(&self) -> &FetchPolicy {
        &self.outbound
    }

    /// The skills that it knows.
    pub fn skills(&self) -> &Skills {
        &self.skills
    }

    /// What is known of hosts.
    pub fn notes(&self) -> &NoteService {
        &self.notes
    }

    /// What watches over the content of pages.
    pub fn watch(&self) -> &ContentMonitor {
        &self.watch
    }

    /// The keychain of the operating system.
    pub fn keychain(&self) -> &Keychain {
        &self.keychain
    }

    /// The sessions that the project keeps on disk.
    pub fn kept_sessions(&self) -> &Arc<KeptSessions> {
        &self.kept_sessions
    }

    /// The sessions that other pods of the fleet can restore, if it has an object store.
    pub fn fleet_sessions(&self) -> Option<&Arc<FleetSessions>> {
        self.fleet_sessions.as_ref()
    }

    /// Its sessions that a person sees.
    pub fn windows(&self) -> &Arc<Windows> {
        &self.windows
    }

    /// What puts sessions into browsers that run already.
    pub fn attacher(&self) -> &BrowserAttacher {
        &self.attacher
    }

    /// What judges the text of pages.
    pub fn scanner(&self) -> &Scanner {
        &self.scanner
    }

    /// The language model that is asked about the text of pages.
    pub fn transcript(&self) -> &LlmJudge {
        &self.transcript
    }

    /// The sessions of agent programs on this machine.
    pub fn agents(&self) -> &AgentSessions {
        &self.agents
    }

    /// The programs of the local user that use the default session.
    pub fn session_sharing(&self) -> &SessionSharing {
        &self.session_sharing
    }

    /// Who is paired.
    pub fn pairings(&self) -> &Pairings {
        &self.pairings
    }

    /// The listener for those.
    pub fn tunnel(&self) -> &Arc<TunnelListener> {
        &self.tunnel
    }

    /// The services for those, once their listener opens.
    pub fn tunnel_services(self: &Arc<Self>) -> TunnelServices {
        let (daemon, services) = (Arc::clone(self), self.services);
        Box::new(move |origin| services(daemon, Listener::Tunnel, origin))
    }

    /// The process that tidies up when this one is killed.
    pub fn guardian(&self) -> Option<&Arc<Guardian>> {
        self.guardian.as_ref()
    }

    /// Counts a call as in flight until the answer is dropped.
    pub fn begin_call(self: &Arc<Self>) -> InFlightCall {
        self.in_flight_calls.fetch_add(1, Ordering::Relaxed);
        InFlightCall { daemon: Arc::clone(self), is_watching: false }
    }

    /// Calls in flight.
    pub fn calls(&self) -> u32 {
        self.in_flight_calls.load(Ordering::Relaxed)
    }

    /// Calls in flight whose callers wait for an answer: those that watch do not.
    pub fn awaited_calls(&self) -> u32 {
        self.calls().saturating_sub(self.watching_calls.load(Ordering::Relaxed))
    }

    /// Time since the last call ended; nothing while one is in flight, while a
    /// person has a window or a dashboard, while a session is in a browser that runs already,
    /// while somebody is paired, while a client of the DevTools protocol is connected, or while
    /// a file comes in.
    pub fn idle_time(&self) -> Duration {
        let is_used = !self.windows.all().is_empty()
            || self.sessions.all().iter().any(|session| session.is_connected())
            || !self.pairings.is_empty()
            || self.devtools.has_clients()
            || self.dashboard.is_used();
        if self.calls() > 0 || is_used || self.sessions.downloads().is_busy() {
            return Duration::ZERO;
        }
        self.idle_timer.elapsed()
    }

    /// Counts idleness from now on.
    pub fn reset_idle_timer(&self) {
        self.idle_timer.reset();
    }

    /// Adds a notice for the next root caller.
    pub fn add_notice(&self, text: String) {
        self.notices.add(text);
    }

    /// Notices for the next root caller, each once.
    pub fn take_notice(&self) -> Option<String> {
        self.notices.take()
    }

    /// Begins to end. The first ending counts.
    pub fn shut_down(&self, how: ShutdownReason) {
        self.shutdown.send_if_modified(|ending| {
            let first = ending.is_none();
            *ending = ending.or(Some(how));
            first
        });
    }

    /// Whether it is ending.
    pub fn is_shutting_down(&self) -> bool {
        self.shutdown.borrow().is_some()
    }

    /// Waits until it is asked to end, and answers how.
    pub async fn shutdown_requested(&self) -> ShutdownReason {
        let mut ending = self.shutdown.subscribe();
        match ending.wait_for(Option::is_some).await {
            Ok(ending) => ending.unwrap_or(ShutdownReason::Stop),
            Err(_) => ShutdownReason::Stop,
        }
    }
}

/// Writes what clients of the DevTools protocol do into the activity log.
fn record_clients(activity: Arc<ActivityLog>) -> RecordClient {
    Arc::new(move |record| {
        activity.record_client(ClientActivity {
            client: format!("cdp:{}", record.client),
            session: record.session,
            target: record.what,
            refused: record.refused,
        });
    })
}

/// Whether clients may act in a session: in a pod whose sessions move, while it holds the session.
fn session_check(fleet: Option<Arc<FleetSessions>>) -> SessionCheck {
    Arc::new(move |name| fleet.as_ref().is_none_or(|fleet| fleet.holds(name)))
}

impl InFlightCall {
    /// Notes that its caller watches, and waits for no answer.
    pub fn mark_as_watcher(&mut self) {
        if !self.is_watching {
            self.is_watching = true;
            self.daemon.watching_calls.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for InFlightCall {
    fn drop(&mut self) {
        self.daemon.reset_idle_timer();
        if self.is_watching {
            self.daemon.watching_calls.fetch_sub(1, Ordering::Relaxed);
        }
        self.daemon.in_flight_calls.fetch_sub(1, Ordering::Relaxed);
    }
}
