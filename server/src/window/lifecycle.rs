//! A session goes to a window, and comes back.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use browse_proto::Reason;
use futures::future::join_all;
use tokio::time::{Instant, timeout_at};

use super::{
    DisplayEnvironment, Handoff, MigrationNotice, SessionWindow, WindowPurpose, WindowTabChange,
    Windows, change, display, restore, session_migration::SessionMigration, watch,
};
use browse_base::{Error, Result};
use browse_chromium::{AnsweredBy, Browser, BrowserOptions, LaunchOptions, SpareOptions};
use browse_sessions::{DisplayMode, Session};

/// Who closes a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseInitiator {
    /// A caller, who hears what became of the tabs.
    Caller,
    /// The person, or the end of its browser.
    Window,
}

/// How a session came back.
#[derive(Debug, Default)]
pub struct WindowCloseResult {
    /// What became of the tabs.
    pub changes: Vec<WindowTabChange>,
    /// What did not come along.
    pub notes: Vec<MigrationNotice>,
}

impl Windows {
    /// The window of `session`, which is opened when there is none, in a browser with
    /// these options.
    ///
    /// # Errors
    /// `SESSION_RESTRICTED`, `SCREEN_MISSING`; the browser does not start. The
    /// session is where it was then.
    pub async fn open(
        self: &Arc<Self>,
        options: BrowserOptions,
        session: &Arc<Session>,
        screen: DisplayEnvironment,
        terms: WindowPurpose,
    ) -> Result<(Arc<SessionWindow>, Vec<MigrationNotice>)> {
        let _turn = self.transition_lock.lock().await;
        if let Some(window) = self.get(session.name()) {
            window.add_purpose(terms);
            window.raise().await;
            return Ok((window, Vec::new()));
        }
        if !session.rules().hosts.is_any() {
            let message = format!("the session `{}` is restricted to hosts", session.name());
            return Err(Error::new(Reason::SessionRestricted, message));
        }
        self.lock_finished_handoffs().remove(session.name());
        let browser = launch_headed_browser(options, &screen).await?;
        let moved = self.move_to_window(session, &browser, terms).await;
        let (window, notes) = match moved {
            Ok(moved) => moved,
            Err(error) => {
                session.set_display_mode(DisplayMode::Headless);
                browser.close().await;
                return Err(error);
            }
        };
        self.lock().insert(session.name().to_owned(), Arc::clone(&window));
        session.set_display_mode(DisplayMode::Headed);
        watch::spawn_watch(self, &window);
        Ok((window, notes))
    }

    async fn move_to_window(
        &self,
        session: &Arc<Session>,
        browser: &Arc<Browser>,
        terms: WindowPurpose,
    ) -> Result<(Arc<SessionWindow>, Vec<MigrationNotice>)> {
        let (shown, first) = browser.default_context().await?;
        session.dismiss_questions(AnsweredBy::Navigation);
        session.set_display_mode(DisplayMode::Migrating);
        let home = session.context();
        let (tabs, active) = (session.tabs(), session.active().map(|tab| tab.id()));
        let nothing = SessionMigration::default();
        let mut migration = SessionMigration::capture(home.as_ref(), &tabs, active, &nothing).await;
        migration.capture_databases(home.as_ref()).await;
        let notes = restore::restore_session(session, &shown, Some(first), &migration).await?;
        if let Some(home) = &home {
            for tab in &tabs {
                // It may have closed itself.
                let _ = home.browser().close_page(tab.page().target_id()).await;
            }
        }
        let mut terms = terms;
        if let Some(handoff) = &mut terms.handoff {
            handoff.tabs_before = migration.tab_urls();
        }
        let window = SessionWindow {
            session: Arc::clone(session),
            headed_context: shown,
            headless_context: home,
            opened_at: SystemTime::now(),
            purpose: Mutex::new(terms),
            last_state: Mutex::new(migration),
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
    pub async fn close(
        &self,
        window: &Arc<SessionWindow>,
        closing: CloseInitiator,
    ) -> Result<Option<WindowCloseResult>> {
        let _turn = self.transition_lock.lock().await;
        self.close_in_turn(window, closing).await
    }

    /// Moves the sessions that are kept on disk back, all at once and within `limit`: the
    /// daemon ends, and saves them.
    pub async fn close_kept(&self, limit: Duration) {
        let until = Instant::now() + limit;
        let mut kept = self.all();
        kept.retain(|window| window.session.is_kept());
        if kept.is_empty() {
            return;
        }
        let Ok(_turn) = timeout_at(until, self.transition_lock.lock()).await else {
            return tracing::error!("another window moves: sessions in windows are not saved");
        };
        let close = |window: Arc<SessionWindow>| async move {
            let name = window.session.name();
            match timeout_at(until, self.close_in_turn(&window, CloseInitiator::Caller)).await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => tracing::error!(%error, session = name, "it did not come back"),
                Err(_) => {
                    tracing::error!(session = name, "it did not come back in time");
                    // Its cookies are worth saving although its pages still load.
                    window.session.set_display_mode(DisplayMode::Headless);
                }
            }
        };
        join_all(kept.into_iter().map(close)).await;
    }

    async fn close_in_turn(
        &self,
        window: &Arc<SessionWindow>,
        closing: CloseInitiator,
    ) -> Result<Option<WindowCloseResult>> {
        let mut closed = window.closed.lock().await;
        if std::mem::replace(&mut *closed, true) {
            return Ok(None);
        }
        // Nobody is to act by it while the tabs move.
        window.end_panel().await;
        let returned = window.move_to_headless().await;
        if closing == CloseInitiator::Window
            && window.purpose().handoff.is_some()
            && let Ok(WindowCloseResult { changes, .. }) = &returned
        {
            let name = window.session.name().to_owned();
            self.lock_finished_handoffs().insert(name, changes.clone());
        }
        // Its button has gone with the panel.
        window.session.control().end_pause();
        // Before callers go on, who look for it.
        self.lock().remove(window.session.name());
        window.session.set_display_mode(DisplayMode::Headless);
        window.session.schedule_snapshot();
        window.headed_context.browser().close().await;
        returned.map(Some)
    }

    /// Drops the window of a session that is being closed.
    pub async fn forget(&self, name: &str) {
        let _turn = self.transition_lock.lock().await;
        self.lock_finished_handoffs().remove(name);
        let Some(window) = self.lock().remove(name) else { return };
        *window.closed.lock().await = true;
        window.end_panel().await;
        if let Some(home) = window.headless_context.clone() {
            let _ = home.dispose().await;
        }
    }

    /// Ends all visible browsers.
    pub async fn close_all(&self) {
        let all = self.all();
        join_all(all.iter().map(|window| window.headed_context.browser().close())).await;
    }
}

impl SessionWindow {
    /// The window is there already, and now for this, too.
    fn add_purpose(&self, terms: WindowPurpose) {
        let before = self.tab_urls();
        let mut own = self.purpose();
        own.connected |= terms.connected;
        if let Some(handoff) = terms.handoff {
            // Who asks again still wants to know what changed since the first
            // time.
            let before = own.handoff.take().map_or(before, |earlier| earlier.tabs_before);
            own.handoff = Some(Handoff { tabs_before: before, ..handoff });
        }
    }

    async fn move_to_headless(&self) -> Result<WindowCloseResult> {
        let session = &self.session;
        let left = *session.watch_display_mode().borrow() == DisplayMode::WindowClosed;
        session.dismiss_questions(AnsweredBy::Navigation);
        session.set_display_mode(DisplayMode::Migrating);
        let mut tabs = session.tabs();
        if left {
            tabs.extend(session.tabs_closed_with_window());
            tabs.sort_by_key(|tab| tab.id());
        }
        // What a person opened and did not use is not worth a tab.
        let known = |tab: &browse_sessions::Tab| !tab.page().intended_url().starts_with("chrome:");
        tabs.retain(|tab| known(tab));
        let last = self.lock_last_state().clone();
        let active = session.active().map(|tab| tab.id()).or(last.active);
        let mut migration =
            SessionMigration::capture(Some(&self.headed_context), &tabs, active, &last).await;
        migration.capture_databases(Some(&self.headed_context)).await;
        // The headless browser may have ended meanwhile.
        let home = self.headless_context.as_ref().filter(|home| !home.browser().is_gone());
        let (home, first) = match home {
            Some(home) => (home.clone(), None),
            None => {
                let (home, first) = session.lease_context().await?;
                (home, Some(first))
            }
        };
        let notes = restore::restore_session(session, &home, first, &migration).await?;
        let tabs = migration.tabs.iter().filter(|migrated| !migrated.storage.is_empty());
        session.note_documents(tabs.map(|migrated| (migrated.tab.id(), migrated.storage.clone())));
        let handoff = self.purpose().handoff.clone();
        let before = handoff.map(|handoff| handoff.tabs_before).unwrap_or_default();
        let changes = change::compare_tabs(&before, &migration.tab_urls());
        Ok(WindowCloseResult { changes, notes })
    }

    /// Ends a hand-off whose window stays: what became of the tabs.
    pub fn end_handoff(&self) -> Option<Vec<WindowTabChange>> {
        let handoff = self.purpose().handoff.take()?;
        Some(change::compare_tabs(&handoff.tabs_before, &self.tab_urls()))
    }

    /// Keeps what the session is now, for the case that its browser ends; its databases as they
    /// were the last time where they are not asked for.
    pub(super) async fn save_state(&self, with_databases: bool) {
        let (tabs, active) = (self.session.tabs(), self.session.active().map(|tab| tab.id()));
        let before = self.lock_last_state().clone();
        let mut now =
            SessionMigration::capture(Some(&self.headed_context), &tabs, active, &before).await;
        if with_databases {
            now.capture_databases(Some(&self.headed_context)).await;
        }
        if *self.session.watch_display_mode().borrow() == DisplayMode::Headed {
            *self.lock_last_state() = now;
        }
    }
}

/// Starts a browser that a person sees.
async fn launch_headed_browser(
    options: BrowserOptions,
    screen: &DisplayEnvironment,
) -> Result<Arc<Browser>> {
    let mut extra_args = options.launch.extra_args.clone();
    if screen.wayland {
        extra_args.push("--ozone-platform=wayland".to_owned());
    }
    let launch = LaunchOptions {
        headed: true,
        display_variables: screen.variables.clone(),
        extra_args,
        ..options.launch
    };
    let options = BrowserOptions { launch, spare_options: SpareOptions::default(), ..options };
    Browser::launch(options).await.map_err(|fault| {
        let output = match &fault {
            browse_chromium::Error::LaunchFailed { stderr, .. } => stderr.join("\n"),
            _ => String::new(),
        };
        display::explain_display_error(fault.into(), &output, screen)
    })
}
