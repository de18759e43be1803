//! A session goes to a window, and comes back.

use std::{
    sync::{Arc, Mutex},
    time::SystemTime,
};

use browse_proto::Reason;

use super::{
    Change, Handoff, Note, Screen, Terms, Window, Windows, change, display, luggage::Luggage,
    unpack, watch,
};
use crate::{
    chromium::{AnsweredBy, Browser, BrowserOptions, LaunchOptions, Spares},
    daemon::{Daemon, browser_options},
    error::{Error, Result},
    sessions::{Place, Session},
};

/// Who closes a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// A caller, who hears what became of the tabs.
    Caller,
    /// The person, or the end of its browser.
    Window,
}

/// How a session came back.
#[derive(Debug, Default)]
pub struct Returned {
    /// What became of the tabs.
    pub changes: Vec<Change>,
    /// What did not come along.
    pub notes: Vec<Note>,
}

impl Windows {
    /// The window of `session`, which is opened when there is none.
    ///
    /// # Errors
    /// `SESSION_RESTRICTED`, `SCREEN_MISSING`; the browser does not start. The
    /// session is where it was then.
    pub async fn open(
        &self,
        daemon: &Arc<Daemon>,
        session: &Arc<Session>,
        screen: Screen,
        terms: Terms,
    ) -> Result<(Arc<Window>, Vec<Note>)> {
        let _turn = self.turn.lock().await;
        if let Some(window) = self.get(session.name()) {
            window.join(terms);
            window.raise().await;
            return Ok((window, Vec::new()));
        }
        if !session.rules().hosts.is_any() {
            let message = format!("the session `{}` is restricted to hosts", session.name());
            return Err(Error::new(Reason::SessionRestricted, message));
        }
        self.finished().remove(session.name());
        let browser = launch(daemon, session, &screen).await?;
        let moved = self.move_in(session, &browser, terms).await;
        let (window, notes) = match moved {
            Ok(moved) => moved,
            Err(error) => {
                session.set_place(Place::Hidden);
                browser.close().await;
                return Err(error);
            }
        };
        self.lock().insert(session.name().to_owned(), Arc::clone(&window));
        session.set_place(Place::Shown);
        watch::start(daemon, &window);
        Ok((window, notes))
    }

    async fn move_in(
        &self,
        session: &Arc<Session>,
        browser: &Arc<Browser>,
        terms: Terms,
    ) -> Result<(Arc<Window>, Vec<Note>)> {
        let (shown, first) = browser.first_context().await?;
        session.dismiss_questions(AnsweredBy::Navigation);
        session.set_place(Place::Moving);
        let home = session.context();
        let (tabs, active) = (session.tabs(), session.active().map(|tab| tab.id()));
        let nothing = Luggage::default();
        let luggage = Luggage::pack(home.as_ref(), &tabs, active, &nothing).await;
        let notes = unpack::unpack(session, &shown, Some(first), &luggage).await?;
        if let Some(home) = &home {
            for tab in &tabs {
                // It may have closed itself.
                let _ = home.browser().close_page(tab.page().target_id()).await;
            }
        }
        let mut terms = terms;
        if let Some(handoff) = &mut terms.handoff {
            handoff.before = luggage.addresses();
        }
        let window = Window {
            session: Arc::clone(session),
            shown,
            home,
            since: SystemTime::now(),
            terms: Mutex::new(terms),
            last: Mutex::new(luggage),
            panel: tokio::sync::Mutex::default(),
            closed: tokio::sync::Mutex::default(),
        };
        Ok((Arc::new(window), notes))
    }

    /// Moves the session of `window` back into the headless browser, and ends
    /// the visible one. Answers nothing when somebody else has done so.
    ///
    /// # Errors
    /// The headless browser is gone.
    pub async fn close(&self, window: &Arc<Window>, closing: Closing) -> Result<Option<Returned>> {
        let _turn = self.turn.lock().await;
        let mut closed = window.closed.lock().await;
        if std::mem::replace(&mut *closed, true) {
            return Ok(None);
        }
        let returned = window.move_out().await;
        if closing == Closing::Window
            && window.terms().handoff.is_some()
            && let Ok(Returned { changes, .. }) = &returned
        {
            let name = window.session.name().to_owned();
            self.finished().insert(name, changes.clone());
        }
        window.session.set_place(Place::Hidden);
        self.lock().remove(window.session.name());
        window.shown.browser().close().await;
        returned.map(Some)
    }

    /// Drops the window of a session that is being closed.
    pub async fn forget(&self, name: &str) {
        let _turn = self.turn.lock().await;
        self.finished().remove(name);
        self.inbox.forget(name);
        let Some(window) = self.lock().remove(name) else { return };
        *window.closed.lock().await = true;
        if let Some(home) = window.home.clone() {
            let _ = home.dispose().await;
        }
    }

    /// Ends all visible browsers.
    pub async fn end(&self) {
        let all = self.all();
        futures::future::join_all(all.iter().map(|window| window.shown.browser().close())).await;
    }
}

impl Window {
    /// The window is there already, and now for this, too.
    fn join(&self, terms: Terms) {
        let before = self.addresses();
        let mut own = self.terms();
        own.connected |= terms.connected;
        if let Some(handoff) = terms.handoff {
            // Who asks again still wants to know what changed since the first
            // time.
            let before = own.handoff.take().map_or(before, |earlier| earlier.before);
            own.handoff = Some(Handoff { before, ..handoff });
        }
    }

    async fn move_out(&self) -> Result<Returned> {
        let session = &self.session;
        let left = *session.place().borrow() == Place::Left;
        session.dismiss_questions(AnsweredBy::Navigation);
        session.set_place(Place::Moving);
        let mut tabs = session.tabs();
        if left {
            tabs.extend(session.departed());
            tabs.sort_by_key(|tab| tab.id());
        }
        // What a person opened and did not use is not worth a tab.
        let known = |tab: &crate::sessions::Tab| !tab.page().address().starts_with("chrome:");
        tabs.retain(|tab| known(tab));
        let last = self.last().clone();
        let active = session.active().map(|tab| tab.id()).or(last.active);
        let luggage = Luggage::pack(Some(&self.shown), &tabs, active, &last).await;
        // The headless browser may have ended meanwhile.
        let home = self.home.as_ref().filter(|home| !home.browser().is_gone());
        let (home, first) = match home {
            Some(home) => (home.clone(), None),
            None => {
                let (home, first) = session.lease().await?;
                (home, Some(first))
            }
        };
        let notes = unpack::unpack(session, &home, first, &luggage).await?;
        let handoff = self.terms().handoff.clone();
        let before = handoff.map(|handoff| handoff.before).unwrap_or_default();
        let changes = change::between(&before, &luggage.addresses());
        Ok(Returned { changes, notes })
    }

    /// Ends a hand-off whose window stays: what became of the tabs.
    pub fn take_back(&self) -> Option<Vec<Change>> {
        let handoff = self.terms().handoff.take()?;
        Some(change::between(&handoff.before, &self.addresses()))
    }

    /// Keeps what the session is now, for the case that its browser ends.
    pub(super) async fn remember(&self) {
        let (tabs, active) = (self.session.tabs(), self.session.active().map(|tab| tab.id()));
        let before = self.last().clone();
        let now = Luggage::pack(Some(&self.shown), &tabs, active, &before).await;
        if *self.session.place().borrow() == Place::Shown {
            *self.last() = now;
        }
    }
}

/// Starts a browser that a person sees.
async fn launch(
    daemon: &Arc<Daemon>,
    session: &Arc<Session>,
    screen: &Screen,
) -> Result<Arc<Browser>> {
    let options = browser_options(daemon, daemon.guardian().cloned());
    let mut extra_args = options.launch.extra_args.clone();
    if screen.wayland {
        extra_args.push("--ozone-platform=wayland".to_owned());
    }
    let launch = LaunchOptions {
        headed: true,
        screen: screen.variables.clone(),
        extra_args,
        ..options.launch
    };
    let options = BrowserOptions {
        launch,
        spares: Spares::default(),
        sink: daemon.sessions().ear_of_shown(session),
        ..options
    };
    Browser::launch(options).await.map_err(|fault| {
        let said = match &fault {
            crate::chromium::Error::LaunchFailed { stderr, .. } => stderr.join("\n"),
            _ => String::new(),
        };
        display::explain(fault.into(), &said, screen)
    })
}
