//! Which target is which page, and whom an event is for.
//!
//! All of this runs on the task that reads the pipe, one event after the
//! other; the locks are for the callers' lookups.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::watch;

use super::blank_tab;
use super::downloads::OpenDownloads;
use super::options::BrowserOptions;
use super::panel_documents::PanelWatch;
use super::trace::{self, TracingState};
use crate::connection::envelope::RawEvent;
use crate::connection::pipe::{CdpConnection, EventHandler};
use crate::connection::session::CdpSession;
use crate::error::{Error, Result};
use crate::guard::restrictions::Policies;
use crate::ids::{BrowserContextId, SessionId, TargetId};
use crate::launch::info::Flavour;
use crate::page::emulations::Emulations;
use crate::page::event::Event;
use crate::page::events;
use crate::page::page::Page;
use crate::page::shared::BrowserShared;
use crate::page::visited_origins::VisitedOrigins;
use crate::page::workers::{self, Workers};
use browse_base::Lock;

/// All that is attached.
pub(crate) struct Registry {
    pub shared: Arc<BrowserShared>,
    pub tracing: Lock<TracingState>,
    pub open_downloads: Lock<OpenDownloads>,
    pub download_folder: PathBuf,
    pub(super) maps: Lock<TargetMaps>,
    /// The side panel, in a browser that has one.
    pub(super) panel: Lock<Option<PanelWatch>>,
    pub(super) changed: watch::Sender<()>,
    gone: watch::Sender<Option<String>>,
}

#[derive(Default)]
pub(super) struct TargetMaps {
    /// In order of appearance.
    pub(super) pages: Vec<Arc<Page>>,
    pub(super) sessions: HashMap<SessionId, AttachedSession>,
    /// Tabs that are attached, those being closed included.
    pub(super) known_targets: HashSet<TargetId>,
    /// Contexts in which we are opening tabs, and how many.
    pub(super) opening_counts: HashMap<BrowserContextId, usize>,
    /// Tabs that pages have opened.
    pub(super) opened_by_pages: HashSet<TargetId>,
    /// Windows that were refused, until they are closed.
    pub(super) refused_windows: HashSet<TargetId>,
    /// Contexts of spares.
    pub(super) hidden_contexts: HashSet<BrowserContextId>,
    /// Tabs that work for a handler.
    pub(super) hidden_tabs: HashSet<TargetId>,
    /// Contexts whose new tabs are held back, and by how many.
    pub(super) hold_counts: HashMap<BrowserContextId, usize>,
    /// Tabs that are held back.
    pub(super) held_pages: Vec<Arc<Page>>,
    /// Hidden tabs whose documents are all blank.
    pub(super) blank_tabs: HashSet<TargetId>,
}

impl TargetMaps {
    /// Whether a tab is nobody's business.
    pub(super) fn is_page_hidden(&self, page: &Page) -> bool {
        self.hidden_contexts.contains(page.context_id())
            || self.hidden_tabs.contains(page.target_id())
            || self.held_pages.iter().any(|held| held.target_id() == page.target_id())
    }
}

/// One session.
#[derive(Clone)]
pub(super) struct AttachedSession {
    pub session: CdpSession,
    pub target: TargetId,
    pub page: Option<Arc<Page>>,
    pub role: SessionRole,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionRole {
    Page,
    Frame,
    /// Workers and everything else that is only let run.
    Other,
}

impl Registry {
    pub(crate) fn new(
        connection: CdpConnection,
        options: &BrowserOptions,
        download_folder: PathBuf,
        flavour: Flavour,
    ) -> Arc<Self> {
        let shared = BrowserShared {
            connection,
            policies: Policies::default(),
            sink: Arc::clone(&options.sink),
            dialog_policy: options.dialog_policy,
            dialog_timeout: options.dialog_timeout,
            viewport: options.viewport,
            page_tools: options.launch.page_tools,
            emulations: Emulations::new(options.viewport),
            workers: Workers::default(),
            clients: Arc::default(),
            front_lock: tokio::sync::Mutex::default(),
            flavour,
            preload_script: options.preload_script,
            visited_origins: VisitedOrigins::default(),
            warm_up_script: options.warm_up_script,
            max_windows: options.max_windows,
        };
        Arc::new(Self {
            shared: Arc::new(shared),
            tracing: Lock::default(),
            open_downloads: Lock::default(),
            download_folder,
            maps: Lock::default(),
            panel: Lock::default(),
            changed: watch::Sender::new(()),
            gone: watch::Sender::new(None),
        })
    }

    /// All tabs, in order of appearance.
    pub(crate) fn pages(&self) -> Vec<Arc<Page>> {
        let maps = self.maps.lock();
        let seen = |page: &&Arc<Page>| !maps.is_page_hidden(page);
        maps.pages.iter().filter(seen).cloned().collect()
    }

    /// The tabs of spares too.
    pub(crate) fn all_pages(&self) -> Vec<Arc<Page>> {
        self.maps.lock().pages.clone()
    }

    /// Keeps the tabs of a context out of sight until [`Registry::reveal`].
    pub(crate) fn hide(&self, context: &BrowserContextId) {
        self.maps.lock().hidden_contexts.insert(context.clone());
    }

    /// Whether the tabs of a context are out of sight.
    pub(crate) fn is_hidden(&self, context: &BrowserContextId) -> bool {
        self.maps.lock().hidden_contexts.contains(context)
    }

    /// Forgets that a context is hidden: it is about to end.
    pub(crate) fn unhide(&self, context: &BrowserContextId) {
        self.maps.lock().hidden_contexts.remove(context);
    }

    /// Reports the tabs of a hidden context as if they had just been opened.
    pub(crate) fn reveal(&self, context: &BrowserContextId) {
        let revealed: Vec<Arc<Page>> = {
            let mut maps = self.maps.lock();
            maps.hidden_contexts.remove(context);
            let of = |page: &&Arc<Page>| page.context_id() == context;
            maps.pages.iter().filter(of).cloned().collect()
        };
        revealed.into_iter().for_each(|page| self.report_opened(page));
    }

    /// Reports a tab that is not hidden.
    pub(super) fn report_opened(&self, page: Arc<Page>) {
        let (context, target) = (page.context_id().clone(), page.target_id().clone());
        self.shared.sink.event(Event::PageOpened(page));
        self.shared.clients.on_page_opened(&context, &target);
    }

    /// Answers every request of a tab with nothing, or no longer.
    pub(crate) fn set_blank(&self, target: &TargetId, blank: bool) {
        let mut maps = self.maps.lock();
        match blank {
            true => maps.blank_tabs.insert(target.clone()),
            false => maps.blank_tabs.remove(target),
        };
    }

    /// The session, when it is that of a blank tab.
    fn blank_session(&self, session: Option<&str>) -> Option<CdpSession> {
        let maps = self.maps.lock();
        let attached = maps.sessions.get(session?)?;
        let page = attached.page.as_ref()?;
        maps.blank_tabs.contains(page.target_id()).then(|| attached.session.clone())
    }

    /// One tab.
    pub(crate) fn page(&self, target: &TargetId) -> Option<Arc<Page>> {
        let maps = self.maps.lock();
        maps.pages.iter().find(|page| page.target_id() == target).cloned()
    }

    /// Waits for a tab that was just made to be attached and set up.
    pub(crate) async fn wait_page_ready(&self, target: &TargetId) -> Result<Arc<Page>> {
        let mut changed = self.changed.subscribe();
        loop {
            if let Some(page) = self.page(target) {
                page.wait_ready().await?;
                return Ok(page);
            }
            if let Some(reason) = self.gone.borrow().clone() {
                return Err(Error::BrowserGone { reason });
            }
            let _ = changed.changed().await;
        }
    }

    /// Hides a tab whose closing was accepted. Chromium keeps it attached for
    /// another half second.
    pub(crate) fn close_page(&self, target: &TargetId) {
        let page = {
            let mut maps = self.maps.lock();
            let at = maps.pages.iter().position(|page| page.target_id() == target);
            at.map(|at| maps.pages.remove(at))
        };
        if let Some(page) = page {
            page.mark_closed(&Error::TabClosed);
            // Whoever got no spare does not get its end.
            if !self.maps.lock().is_page_hidden(&page) {
                self.shared.sink.event(Event::PageClosed(target.clone()));
            }
            self.changed.send_replace(());
        }
    }

    /// Why the browser is gone, once it is.
    pub(crate) fn subscribe_gone(&self) -> watch::Receiver<Option<String>> {
        self.gone.subscribe()
    }
}

impl EventHandler for Registry {
    fn event(&self, event: &RawEvent<'_>) {
        if let Some(session) = event.session
            && self.shared.clients.on_session_event(session, event)
        {
            return;
        }
        if let Some(name) = event.method.strip_prefix("Target.") {
            self.on_target_event(name, event);
            return;
        }
        if event.method == "Fetch.requestPaused"
            && let Some(session) = self.blank_session(event.session)
        {
            if let Some(paused) = event.params() {
                blank_tab::answer_request(&session, &paused);
            }
            return;
        }
        if event.method == "Fetch.requestPaused" && event.session.is_none() {
            if let Some(paused) = event.params() {
                self.on_document_requested(paused);
            }
            return;
        }
        if event.method == "Fetch.authRequired" && event.session.is_none() {
            if let Some(asked) = event.params() {
                self.on_auth_required(&asked);
            }
            return;
        }
        if event.method == "Tracing.tracingComplete" {
            trace::on_tracing_complete(&mut self.tracing.lock(), event);
            return;
        }
        if event.method.starts_with("Browser.") {
            self.on_download_event(event);
            return;
        }
        let attached = event.session.and_then(|id| self.maps.lock().sessions.get(id).cloned());
        match attached {
            Some(AttachedSession { session, role: SessionRole::Other, .. }) => {
                if event.method == "Runtime.bindingCalled" {
                    self.on_panel_message(&session, event);
                } else if event.method == "Fetch.requestPaused"
                    && let Some(paused) = event.params()
                {
                    workers::on_request_paused(&self.shared, &session, paused);
                }
            }
            Some(AttachedSession { session, page: Some(page), .. }) => {
                events::on_event(&page, &session, event);
            }
            _ => {}
        }
    }

    fn closed(&self, reason: &str) {
        let maps = std::mem::take(&mut *self.maps.lock());
        let error = Error::BrowserGone { reason: reason.to_owned() };
        for page in maps.pages {
            page.mark_closed(&error);
        }
        *self.tracing.lock() = TracingState::Idle;
        *self.panel.lock() = None;
        self.gone.send_replace(Some(reason.to_owned()));
        self.changed.send_replace(());
        self.shared.clients.on_browser_gone(reason);
        self.shared.sink.event(Event::BrowserGone(reason.to_owned()));
    }
}
