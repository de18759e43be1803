//! Hears what the browser reports, and notes it where it belongs. Runs on the
//! task that reads the browser's pipe: it only pushes into rings.

use std::sync::{Arc, Weak};

use browse_proto::v1;

use super::{DialogLine, Journal, JournalEntry, NetworkLine, Session, Sessions, Tab};
use browse_chromium::{
    ConsoleEntry, DocumentRequest, DocumentVerdict, Download, DownloadState, Event, EventSink,
    ObservedRequest, Page, RequestState, TargetId, is_safe_method,
};

/// Looks at the documents of a session before they are asked for.
pub trait DocumentPolicy: Send + Sync {
    /// As [`EventSink::judge`], for the session of this name.
    fn check_document(
        &self,
        session: &str,
        request: &DocumentRequest<'_>,
    ) -> Option<DocumentVerdict>;
}

/// The daemon's ear.
struct BrowserEventHandler {
    sessions: Weak<Sessions>,
    /// The session whose visible browser it hears: its end is not ours.
    headed_session: Option<Weak<Session>>,
}

impl Sessions {
    /// What the browser reports to.
    pub fn event_handler(self: &Arc<Self>) -> Arc<dyn EventSink> {
        Arc::new(BrowserEventHandler { sessions: Arc::downgrade(self), headed_session: None })
    }

    /// What the visible browser of `session` reports to.
    pub fn headed_event_handler(self: &Arc<Self>, session: &Arc<Session>) -> Arc<dyn EventSink> {
        let shown = Some(Arc::downgrade(session));
        Arc::new(BrowserEventHandler { sessions: Arc::downgrade(self), headed_session: shown })
    }

    /// A page appeared: asked for, or opened by another one. In a visible browser it is of
    /// the session that is there.
    fn on_page_opened(&self, page: Arc<Page>, headed_session: Option<Arc<Session>>) {
        let all = headed_session.map_or_else(|| self.all(), |session| vec![session]);
        let of = |session: &&Arc<Session>| {
            session.context_id().is_some_and(|context| context == *page.context_id())
        };
        if let Some(session) = all.iter().find(of)
            && self.tab_by_target(page.target_id()).is_none()
        {
            self.adopt(session, page);
        }
    }

    /// The tab of `target`, unless a person holds it: nothing is recorded then.
    fn recorded_tab(&self, target: &TargetId) -> Option<Arc<Tab>> {
        self.tab_by_target(target).filter(|tab| !tab.page().is_private())
    }

    /// The session of `target`, unless a person holds it.
    fn recorded_session(&self, target: &TargetId) -> Option<Arc<Session>> {
        self.session_by_target(target).filter(|session| !session.control().is_held())
    }

    /// Tells the engines whose receipts the event may belong to.
    fn forward_to_engines(&self, event: &Event) {
        match event {
            Event::PageOpened(page) => {
                let near = |tab: &Arc<Tab>| tab.page().context_id() == page.context_id();
                self.tabs().iter().filter(|tab| near(tab)).for_each(|tab| {
                    tab.engine().observe(event);
                });
            }
            // A tab that was refused its address may be one that another opened.
            Event::DocumentDenied(target, _) => self.forward_to_context(target, event),
            Event::Console(target, _)
            | Event::DialogAnswered(target, _)
            | Event::WindowRefused(target, _) => {
                if let Some(tab) = self.tab_by_target(target) {
                    tab.engine().observe(event);
                }
            }
            // So may be a tab whose address is a file.
            Event::Download(download) => {
                let Some(target) = &download.tab else { return };
                if download.state == DownloadState::Started {
                    self.forward_to_context(target, event);
                }
            }
            _ => {}
        }
    }

    /// Tells the engines of `target` and of the tabs beside it.
    fn forward_to_context(&self, target: &TargetId, event: &Event) {
        let Some(tab) = self.tab_by_target(target) else { return };
        let near = |other: &&Arc<Tab>| other.page().context_id() == tab.page().context_id();
        self.tabs().iter().filter(near).for_each(|tab| tab.engine().observe(event));
    }

    /// Closes a tab that a page opened for a download alone. It stays blank.
    fn close_download_tab(&self, session: &Session, tab: &Tab, url: &str) {
        let opener = tab.page().opener().and_then(|opener| self.tab_by_target(opener));
        let is_for_it = opener.is_some_and(|opener| opener.page().has_requested_window(url));
        let is_blank = matches!(tab.page().url().as_str(), "" | "about:blank");
        if let Some(context) = session.context().filter(|_| is_for_it && is_blank) {
            let target = tab.page().target_id().clone();
            tokio::spawn(async move {
                if let Err(fault) = context.browser().close_page(&target).await {
                    tracing::debug!(%fault, "the tab of a download was not closed");
                }
            });
        }
    }

    /// A page sends a file, or more of it.
    fn on_download(&self, download: &Download) {
        if download.state != DownloadState::Started {
            return self.downloads().on_progress(download);
        }
        let tab = download.tab.as_ref().and_then(|target| self.tab_by_target(target));
        if let Some(tab) = tab
            && let Some(session) = self.get(tab.session())
        {
            self.downloads().on_started(&*session, &tab, download);
            self.close_download_tab(&session, &tab, &download.url);
        }
    }

    fn on_page_closed(&self, target: &TargetId) {
        for session in self.all() {
            session.remove_tab(target);
        }
    }
}

impl EventSink for BrowserEventHandler {
    fn check_document(&self, request: &DocumentRequest<'_>) -> Option<DocumentVerdict> {
        let sessions = self.sessions.upgrade()?;
        let judge = sessions.document_policy.get()?;
        let shown = self.headed_session.as_ref().and_then(Weak::upgrade);
        let of = |session: &Arc<Session>| {
            session.context_id().is_some_and(|context| context == *request.context)
        };
        let session = shown.or_else(|| sessions.all().into_iter().find(of))?;
        judge.check_document(session.name(), request)
    }

    fn event(&self, event: Event) {
        let Some(sessions) = self.sessions.upgrade() else { return };
        sessions.forward_to_engines(&event);
        match event {
            Event::PageOpened(page) => {
                let headed = self.headed_session.as_ref().and_then(Weak::upgrade);
                sessions.on_page_opened(page, headed);
            }
            Event::PageClosed(target) => sessions.on_page_closed(&target),
            Event::Console(target, entry) => {
                if let Some(tab) = sessions.recorded_tab(&target) {
                    record_console(sessions.journal(), &tab, entry);
                }
            }
            Event::FormSubmitted(target, url) => {
                if let Some(session) = sessions.recorded_session(&target) {
                    session.state_changing_requests().push_form(&url);
                    session.schedule_snapshot();
                }
            }
            Event::Network(target, request) => {
                if request.state != RequestState::Started
                    && let Some(session) = sessions.session_by_target(&target)
                {
                    session.schedule_snapshot();
                }
                if request.state == RequestState::Started
                    && !is_safe_method(&request.method)
                    && let Some(session) = sessions.recorded_session(&target)
                {
                    session.state_changing_requests().push_request(&request.method, &request.url);
                }
                if let Some(tab) = sessions.tab_by_target(&target) {
                    let begins = request.state == RequestState::Started;
                    if !tab.is_private_request(&request.id, begins, !begins) {
                        record_request(sessions.journal(), &tab, *request);
                    }
                }
            }
            Event::DocumentCommitted(target, loader) => {
                if let Some(tab) = sessions.tab_by_target(&target) {
                    tab.begin_document(&loader);
                }
                if let Some(session) = sessions.session_by_target(&target) {
                    session.schedule_snapshot();
                }
            }
            Event::DialogAnswered(target, dialog) => {
                if let Some(tab) = sessions.recorded_tab(&target) {
                    tab.on_dialog_closed(&dialog);
                    sessions
                        .journal()
                        .push(tab.id(), JournalEntry::Dialog(DialogLine::now(dialog)));
                }
            }
            Event::DialogOpened(_) => sessions.question_count.send_modify(|count| *count += 1),
            Event::Download(download) => sessions.on_download(&download),
            Event::BrowserGone(reason) => match &self.headed_session {
                None => {
                    sessions.downloads().fail_running(None);
                    sessions.mark_browser_lost(&reason);
                }
                Some(session) => {
                    if let Some(session) = session.upgrade() {
                        sessions.downloads().fail_running(Some(&*session));
                        session.mark_window_closed();
                    }
                }
            },
            _ => {}
        }
    }
}

fn record_console(journal: &Journal, tab: &Tab, entry: ConsoleEntry) {
    let location = entry.location.map(|(script, line)| format!("{script}:{line}"));
    let message = v1::ConsoleMessage {
        time_ms: entry.time as u64,
        level: entry.kind,
        text: entry.text,
        location: location.unwrap_or_default(),
    };
    journal.push(tab.id(), JournalEntry::Console(message.clone()));
    tab.console().push(|_| message);
}

/// Notes a request, or how it went on.
fn record_request(journal: &Journal, tab: &Tab, request: ObservedRequest) {
    let failure = match &request.state {
        RequestState::Failed(error) => Some(error.clone()),
        _ => None,
    };
    let fill = |id: u64, key: String| NetworkLine {
        summary: v1::NetworkEntry {
            id,
            method: request.method.clone(),
            url: request.url.clone(),
            r#type: request.kind.to_lowercase(),
            status: request.status.map(u32::from),
            size: request.size,
            duration_ms: request.duration,
            failure: failure.clone(),
            time_ms: request.started as u64,
            mime: request.mime_type.clone(),
        },
        request_id: key,
    };
    let ended = request.state != RequestState::Started;
    let id = match tab.open_request_number(&request.id, ended) {
        Some(id) => {
            tab.network().update(id, |line| *line = fill(id, request.id.clone()));
            id
        }
        None => {
            let id = tab.network().push(|id| fill(id, request.id.clone()));
            if !ended {
                tab.remember_request(&request.id, id);
            }
            id
        }
    };
    // The log has one line per request, with what came of it.
    if ended {
        journal.push(tab.id(), JournalEntry::Network(fill(id, String::new()).summary));
    }
}
