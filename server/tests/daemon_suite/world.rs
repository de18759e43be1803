//! A daemon in memory: its services behind their gate, at the end of a pipe,
//! and a real browser when a test wants one.

use std::{sync::Arc, time::Duration};

use browse_chromium::Browser;
use browse_net::HostPolicy;
use browse_policy::{
    Audience, Authority, ClientId, ClientKind, Delivery, GrantSpec, IssuedToken, Listener, Rate,
    Scopes, SessionRule, TabPolicy,
    layer::{GatedService, OriginCheck},
};
use browse_proto::{metadata, v1};
use browse_server::{
    daemon::{Daemon, DaemonParts, browser_options},
    dispatch::egress::DocumentCheck,
    process::{services, supervise_browser},
    settings::SettingsReader,
};
use browse_sessions::{BrowserState, Sessions, keep_sessions};
use tonic::Request;
use v1::{
    browser_service_client::BrowserServiceClient, daemon_service_client::DaemonServiceClient,
    domain_skill_service_client::DomainSkillServiceClient,
};

const ORIGIN: &str = "http://127.0.0.1:4000";

pub struct World {
    pub daemon: Arc<Daemon>,
    pub services: GatedService,
    _folder: tempfile::TempDir,
}

impl World {
    /// A daemon whose browser never comes.
    pub async fn new() -> Self {
        Self::with_flags(&[]).await
    }

    /// The same with settings of its own.
    pub async fn with_flags(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let flag = |name: &str| format!("--{name}={}", folder.path().display());
        let own = [flag("project"), flag("home"), "--keychain=false".to_owned()];
        let flags: Vec<_> = flags.iter().map(|flag| (*flag).to_owned()).chain(own).collect();
        let reader = SettingsReader::new(&flags, |_| None).unwrap();
        let settings = reader.read().unwrap();
        let daemon = Daemon::new(DaemonParts {
            address: "127.0.0.1:4000".parse().unwrap(),
            build_id: "test".to_owned(),
            authority: Arc::new(Authority::with_denied_commands(settings.deny.clone()).unwrap()),
            settings,
            sessions: Sessions::new(),
            fleet_sessions: None,
            guardian: None,
            notice: None,
            services,
        });
        DocumentCheck::install(&daemon);
        let origin = OriginCheck::Loopback { port: 4000 };
        let services = services(Arc::clone(&daemon), Listener::Local, origin).await.unwrap();
        Self { daemon, services, _folder: folder }
    }

    pub async fn with_browser() -> Self {
        Self::with_flags_and_browser(&[]).await
    }

    pub async fn with_flags_and_browser(flags: &[&str]) -> Self {
        let world = Self::with_flags(flags).await;
        let browser = Browser::launch(browser_options(&world.daemon, None)).await.unwrap();
        world.daemon.sessions().browser_handle().set_state(BrowserState::Running(browser));
        world
    }

    /// A daemon that starts its browser anew when it ends, and keeps its sessions.
    pub async fn with_kept_browser() -> Self {
        let world = Self::new().await;
        let daemon = Arc::clone(&world.daemon);
        tokio::spawn(keep_sessions(Arc::clone(daemon.sessions())));
        tokio::spawn(async move { supervise_browser(&daemon, None, |_| {}).await });
        world.daemon.sessions().browser_handle().browser().await.unwrap();
        world
    }

    // The clients call the services without tonic's transport, which would
    // cut calls at their deadline by itself.

    pub fn browser(&self) -> BrowserServiceClient<GatedService> {
        BrowserServiceClient::with_origin(self.services.clone(), ORIGIN.parse().unwrap())
    }

    pub fn control(&self) -> DaemonServiceClient<GatedService> {
        DaemonServiceClient::with_origin(self.services.clone(), ORIGIN.parse().unwrap())
    }

    pub fn notes(&self) -> DomainSkillServiceClient<GatedService> {
        DomainSkillServiceClient::with_origin(self.services.clone(), ORIGIN.parse().unwrap())
    }

    /// A call by root.
    pub fn root<T>(&self, message: T) -> Request<T> {
        by(self.daemon.authority().root_token(), message)
    }

    /// A token of a client that has these scopes and the default session.
    pub fn mint(&self, client: &str, scopes: Scopes) -> IssuedToken {
        self.mint_for(client, scopes, HostPolicy::Any)
    }

    /// The same for a client that may visit these hosts only.
    pub fn mint_for(&self, client: &str, scopes: Scopes, hosts: HostPolicy) -> IssuedToken {
        let spec = GrantSpec {
            client: ClientId::new(client).unwrap(),
            audience: Audience::Skill,
            kind: ClientKind::Skill,
            scopes,
            hosts,
            tabs: TabPolicy::Session,
            session: SessionRule::Only("default".to_owned()),
            rate: Rate::Unlimited,
            delivery: Delivery::Guarded,
            lifetime: Duration::from_secs(60),
        };
        self.daemon.authority().issue(spec).unwrap()
    }

    /// Waits until the active tab shows `url`, without a command.
    pub async fn wait_for_url(&self, url: &str) {
        let session = self.daemon.sessions().get("default").unwrap();
        let limit = std::time::Instant::now() + Duration::from_secs(20);
        while session.active().unwrap().page().url() != url {
            assert!(
                std::time::Instant::now() < limit,
                "{}",
                session.active().unwrap().page().url()
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Loads a document into the active tab.
    pub async fn load(&self, html: &str) {
        let request = v1::LoadHtmlRequest { html: html.to_owned(), wait: 0 };
        self.browser().load_html(self.root(request)).await.unwrap();
    }
}

/// A call by whoever holds `token`.
pub fn by<T>(token: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let token = format!("Bearer {token}").parse().unwrap();
    request.metadata_mut().insert(metadata::AUTHORIZATION, token);
    request
}

/// `request` with a limit.
pub fn within<T>(limit: Duration, mut request: Request<T>) -> Request<T> {
    request.set_timeout(limit);
    request
}
