//! Hears what the browser reports, and notes it where it belongs. Runs on the
//! task that reads the browser's pipe: it only pushes into rings.

use std::sync::{Arc, Weak};

use browse_proto::v1;

use super::{DialogLine, Journal, NetworkLine, Note, Session, Sessions, Tab};
use crate::chromium::{
    ConsoleEntry, DocumentRequest, Download, DownloadState, Event, EventSink, NetworkRequest, Page,
    RequestState, TargetId, Verdict, is_safe_method,
};

/// Looks at the documents of a session before they are asked for.
pub trait JudgeDocuments: Send + Sync {
    /// As [`EventSink::judge`], for the session of this name.
    fn judge(&self, session: &str, request: &DocumentRequest<'_>) -> Option<Verdict>;
}

/// The daemon's ear.
struct Ear {
    sessions: Weak<Sessions>,
    /// The session whose visible browser it hears: its end is not ours.
    shown: Option<Weak<Session>>,
}

impl Sessions {
    /// What the browser reports to.
    pub fn ear(self: &Arc<Self>) -> Arc<dyn EventSink> {
        Arc::new(Ear { sessions: Arc::downgrade(self), shown: None })
    }

    /// What the visible browser of `session` reports to.
    pub fn ear_of_shown(self: &Arc<Self>, session: &Arc<Session>) -> Arc<dyn EventSink> {
        let shown = Some(Arc::downgrade(session));
        Arc::new(Ear { sessions: Arc::downgrade(self), shown })
    }

    /// A page appeared: asked for, or opened by another one.
    fn opened(&self, page: Arc<Page>) {
        let all = self.all();
        let of = |session: &&Arc<Session>| {
            session.context_id().is_some_and(|context| context == *page.context_id())
        };
        if let Some(session) = all.iter().find(of)
            && self.tab_of(page.target_id()).is_none()
        {
            self.adopt(session, page);
        }
    }

    /// Tells the engines whose receipts the event may belong to.
    fn witness(&self, event: &Event) {
        match event {
            Event::PageOpened(page) => {
                let near = |tab: &Arc<Tab>| tab.page().context_id() == page.context_id();
                self.tabs().iter().filter(|tab| near(tab)).for_each(|tab| {
                    tab.engine().observe(event);
                });
            }
            // A tab that was refused its address may be one that another opened.
            Event::Denied(target, _) => self.tell_near(target, event),
            Event::Console(target, _)
            | Event::Dialog(target, _)
            | Event::WindowRefused(target, _) => {
                if let Some(tab) = self.tab_of(target) {
                    tab.engine().observe(event);
                }
            }
            // So may be a tab whose address is a file.
            Event::Download(download) => {
                let Some(target) = &download.tab else { return };
                if download.state == DownloadState::Started {
                    self.tell_near(target, event);
                }
            }
            _ => {}
        }
    }

    /// Tells the engines of `target` and of the tabs beside it.
    fn tell_near(&self, target: &TargetId, event: &Event) {
        let Some(tab) = self.tab_of(target) else { return };
        let near = |other: &&Arc<Tab>| other.page().context_id() == tab.page().context_id();
        self.tabs().iter().filter(near).for_each(|tab| tab.engine().observe(event));
    }

    /// Closes a tab that a page opened for a download alone. It stays blank.
    fn close_empty(&self, session: &Session, tab: &Tab, url: &str) {
        let opener = tab.page().opener().and_then(|opener| self.tab_of(opener));
        let is_for_it = opener.is_some_and(|opener| opener.page().asked_for(url));
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
    fn downloaded(&self, download: &Download) {
        if download.state != DownloadState::Started {
            return self.downloads().went_on(download);
        }
        let tab = download.tab.as_ref().and_then(|target| self.tab_of(target));
        if let Some(tab) = tab
            && let Some(session) = self.get(tab.session())
        {
            self.downloads().began(&session, &tab, download);
            self.close_empty(&session, &tab, &download.url);
        }
    }

    fn closed(&self, target: &TargetId) {
        for session in self.all() {
            session.forget(target);
        }
    }
}

impl EventSink for Ear {
    fn judge(&self, request: &DocumentRequest<'_>) -> Option<Verdict> {
        let sessions = self.sessions.upgrade()?;
        let judge = sessions.judge.get()?;
        let shown = self.shown.as_ref().and_then(Weak::upgrade);
        let of = |session: &Arc<Session>| {
            session.context_id().is_some_and(|context| context == *request.context)
        };
        let session = shown.or_else(|| sessions.all().into_iter().find(of))?;
        judge.judge(session.name(), request)
    }

    fn event(&self, event: Event) {
        let Some(sessions) = self.sessions.upgrade() else { return };
        sessions.witness(&event);
        match event {
            Event::PageOpened(page) => sessions.opened(page),
            Event::PageClosed(target) => sessions.closed(&target),
            Event::Console(target, entry) => {
                if let Some(tab) = sessions.tab_of(&target) {
                    note(sessions.journal(), &tab, entry);
                }
            }
            Event::FormSent(target, url) => {
                if let Some(session) = sessions.session_of(&target) {
                    session.sends().form(&url);
                    session.keep_soon();
                }
            }
            Event::Network(target, request) => {
                if request.state != RequestState::Started
                    && let Some(session) = sessions.session_of(&target)
                {
                    session.keep_soon();
                }
                if request.state == RequestState::Started
                    && !is_safe_method(&request.method)
                    && let Some(session) = sessions.session_of(&target)
                {
                    session.sends().request(&request.method, &request.url);
                }
                if let Some(tab) = sessions.tab_of(&target) {
                    network(sessions.journal(), &tab, *request);
                }
            }
            Event::DocumentCommitted(target, loader) => {
                if let Some(tab) = sessions.tab_of(&target) {
                    tab.begin_document(&loader);
                }
                if let Some(session) = sessions.session_of(&target) {
                    session.keep_soon();
                }
            }
            Event::Dialog(target, dialog) => {
                if let Some(tab) = sessions.tab_of(&target) {
                    tab.dialog_closed(&dialog);
                    sessions.journal().note(tab.id(), Note::Dialog(DialogLine::now(dialog)));
                }
            }
            Event::Question(_) => sessions.asked.send_modify(|count| *count += 1),
            Event::Download(download) => sessions.downloaded(&download),
            Event::BrowserGone(reason) => match &self.shown {
                None => {
                    sessions.downloads().broke(None);
                    sessions.lose_browser(&reason);
                }
                Some(session) => {
                    if let Some(session) = session.upgrade() {
                        sessions.downloads().broke(Some(&session));
                        session.leave();
                    }
                }
            },
            _ => {}
        }
    }
}

fn note(journal: &Journal, tab: &Tab, entry: ConsoleEntry) {
    let location = entry.location.map(|(script, line)| format!("{script}:{line}"));
    let message = v1::ConsoleMessage {
        time_ms: entry.time as u64,
        level: entry.kind,
        text: entry.text,
        location: location.unwrap_or_default(),
    };
    journal.note(tab.id(), Note::Console(message.clone()));
    tab.console().push(|_| message);
}

/// Notes a request, or how it went on.
fn network(journal: &Journal, tab: &Tab, request: NetworkRequest) {
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
        key,
    };
    let ended = request.state != RequestState::Started;
    let id = match tab.open_request(&request.id, ended) {
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
        journal.note(tab.id(), Note::Network(fill(id, String::new()).summary));
    }
}
