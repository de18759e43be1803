//! The messages of one view: the newest picture of each tab, as fast as its watcher takes
//! them.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use browse_chromium::{Screencast, ScreencastFormat, ScreencastImage};
use browse_proto::v1;
use browse_sessions::{Session, Tab, TabId};
use futures::{FutureExt as _, future::select_all};
use tokio::{sync::watch, time::Instant};

use super::view::find_session;
use crate::{
    dashboard::{OpenView, ViewSettings},
    dispatch::CallContext,
};

/// How much before its deadline a view ends by itself.
const DEADLINE_MARGIN: Duration = Duration::from_millis(50);

/// How often is looked whether a tab was closed or is held, when no picture comes.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Time in which a tab that is drawn sends its first picture.
const FIRST_FRAME_TIMEOUT: Duration = Duration::from_secs(2);

/// Time between two pictures of the large tab.
const LARGE_INTERVAL: Duration = Duration::from_millis(33);

/// Pictures of the large tab that may be on their way.
const MAX_LARGE_IN_FLIGHT: usize = 2;

/// Quality of small and of large pictures, of 100.
const QUALITY: (u8, u8) = (60, 80);

/// How a view shows its tabs.
pub(super) struct ViewOptions {
    /// Largest width of small pictures, in pixels.
    pub width: u32,
    /// Time between two of a tab.
    pub interval: Duration,
    /// Whether its watcher acknowledges pictures.
    pub acknowledges: bool,
}

/// A view.
pub(super) struct ViewStream {
    cx: Arc<CallContext>,
    /// Its name is in use as long as this lives.
    _view: OpenView,
    settings: watch::Receiver<ViewSettings>,
    options: ViewOptions,
    tabs: Vec<WatchedTab>,
    sequence: u64,
}

/// A tab of the view.
struct WatchedTab {
    id: TabId,
    is_large: bool,
    screencast: Option<Screencast>,
    since: Instant,
    /// When the next picture may be sent.
    next_at: Instant,
    /// Numbers of the pictures that are on their way.
    in_flight: Vec<u64>,
    /// What the watcher knows of it.
    state: &'static str,
}

impl ViewStream {
    /// A view that has sent nothing.
    pub(super) fn new(cx: Arc<CallContext>, view: OpenView, options: ViewOptions) -> Self {
        let settings = view.subscribe();
        Self { cx, _view: view, settings, options, tabs: Vec::new(), sequence: 0 }
    }

    /// The next message. A watcher who reads slowly gets fewer.
    pub(super) async fn next(&mut self) -> Option<v1::ViewTabsResponse> {
        loop {
            let is_over = Instant::now() + DEADLINE_MARGIN >= self.cx.deadline();
            if is_over || self.cx.daemon().is_shutting_down() {
                return None;
            }
            let settings = self.settings.borrow_and_update().clone();
            self.update_tabs(&settings);
            for index in 0..self.tabs.len() {
                if let Some(message) = self.message_of(index).await {
                    return Some(message);
                }
            }
            self.wait().await;
        }
    }

    fn update_tabs(&mut self, settings: &ViewSettings) {
        self.tabs.retain(|tab| is_wanted(settings, tab.id));
        let large = settings.large.map(|(id, _)| id);
        let ids = settings.tabs.iter().copied().chain(large);
        for id in ids {
            if self.tabs.iter().all(|tab| tab.id != id) {
                self.tabs.push(WatchedTab::new(id));
            }
        }
        for tab in &mut self.tabs {
            tab.in_flight.retain(|sequence| *sequence > settings.received);
            let is_large = large == Some(tab.id);
            let format = self.options.format(settings.large.filter(|(id, _)| *id == tab.id));
            if let Some(screencast) = &tab.screencast {
                // Nothing happens when it is the same.
                screencast.set_format(format);
            }
            tab.is_large = is_large;
        }
    }

    /// A message about a tab, when there is one to send.
    async fn message_of(&mut self, index: usize) -> Option<v1::ViewTabsResponse> {
        let id = self.tabs[index].id;
        let Some(tab) = self.cx.daemon().sessions().tab(id) else {
            self.tabs[index].screencast = None;
            return self.report(index, "closed", None, None);
        };
        let Ok(session) = find_session(&self.cx, &tab) else {
            self.tabs[index].screencast = None;
            return self.report(index, "closed", None, None);
        };
        let is_held = is_held_by_other(&self.cx, &session);
        self.watch(index, &tab, is_held).await;
        // Somebody may have taken it meanwhile.
        if is_held || is_held_by_other(&self.cx, &session) {
            let watched = &mut self.tabs[index];
            (watched.screencast, watched.since) = (None, Instant::now());
            return self.report(index, "held", Some(&tab), None);
        }
        let now = Instant::now();
        let watched = &mut self.tabs[index];
        let limit = if watched.is_large { MAX_LARGE_IN_FLIGHT } else { 1 };
        if now < watched.next_at || watched.in_flight.len() >= limit {
            return None;
        }
        match watched.screencast.as_mut().and_then(Screencast::take) {
            Some(frame) => {
                let pause = if watched.is_large { LARGE_INTERVAL } else { self.options.interval };
                watched.next_at = now + pause;
                self.report(index, "live", Some(&tab), Some(&frame))
            }
            // It is behind another tab now: the last picture is what there is.
            None if watched.state == "live" && watched.is_covered() => {
                self.report(index, "still", Some(&tab), None)
            }
            None if matches!(watched.state, "" | "held")
                && watched.since.elapsed() > FIRST_FRAME_TIMEOUT =>
            {
                self.report(index, "hidden", Some(&tab), None)
            }
            None => None,
        }
    }

    /// Sees to it that the pictures of `tab` come.
    async fn watch(&mut self, index: usize, tab: &Tab, is_held: bool) {
        if is_held {
            return;
        }
        let large = self.settings.borrow().large;
        let format = self.options.format(large.filter(|(id, _)| *id == tab.id()));
        let watched = &mut self.tabs[index];
        // Its browser may be another one by now.
        let page = tab.page();
        let is_same = |screencast: &Screencast| Arc::ptr_eq(screencast.page(), page);
        if watched.screencast.as_ref().is_some_and(is_same) || Instant::now() < watched.next_at {
            return;
        }
        match tokio::time::timeout(CHECK_INTERVAL, page.screencast(format)).await {
            Ok(Ok(screencast)) => watched.screencast = Some(screencast),
            // A page that hangs is asked again later.
            Ok(Err(_)) | Err(_) => watched.next_at = Instant::now() + FIRST_FRAME_TIMEOUT,
        }
    }

    /// The message that a tab is in `state`; nothing when the watcher knows it.
    fn report(
        &mut self,
        index: usize,
        state: &'static str,
        tab: Option<&Tab>,
        frame: Option<&ScreencastImage>,
    ) -> Option<v1::ViewTabsResponse> {
        let watched = &mut self.tabs[index];
        if frame.is_none() && watched.state == state {
            return None;
        }
        watched.state = state;
        let jpeg = match frame {
            Some(frame) => STANDARD.decode(&frame.jpeg).ok()?,
            None => Vec::new(),
        };
        self.sequence += 1;
        if self.options.acknowledges && frame.is_some() {
            watched.in_flight.push(self.sequence);
        }
        // Without a picture it is that of the page as it was set up, or nothing.
        let viewport = tab.map(|tab| tab.page().viewport());
        let (width, height) = match (frame, viewport) {
            (Some(frame), _) => (frame.view_width, frame.view_height),
            (None, Some(viewport)) => (viewport.width, viewport.height),
            (None, None) => (0, 0),
        };
        Some(v1::ViewTabsResponse {
            sequence: self.sequence,
            tab: watched.id,
            session: tab.map(|tab| tab.session().to_owned()).unwrap_or_default(),
            state: state.to_owned(),
            jpeg,
            width,
            height,
            time: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
        })
    }

    /// Waits until there may be something to send.
    async fn wait(&mut self) {
        let now = Instant::now();
        let limit_of = |tab: &WatchedTab| if tab.is_large { MAX_LARGE_IN_FLIGHT } else { 1 };
        let mut wake_at = (now + CHECK_INTERVAL).min(self.cx.deadline() - DEADLINE_MARGIN);
        let mut frames = Vec::new();
        for tab in &mut self.tabs {
            if tab.in_flight.len() >= limit_of(tab) {
                continue;
            }
            if tab.next_at > now {
                wake_at = wake_at.min(tab.next_at);
            } else if let Some(screencast) = &mut tab.screencast {
                frames.push(screencast.changed().boxed());
            }
        }
        let any_frame = async {
            match frames.is_empty() {
                true => std::future::pending().await,
                false => {
                    select_all(frames).await;
                }
            }
        };
        tokio::select! {
            _ = self.settings.changed() => {}
            () = any_frame => {}
            () = tokio::time::sleep_until(wake_at) => {}
        }
    }
}

impl WatchedTab {
    /// Whether Chromium draws it no more, because another tab is in front of it.
    fn is_covered(&self) -> bool {
        self.screencast.as_ref().is_some_and(|screencast| !screencast.is_visible())
    }

    fn new(id: TabId) -> Self {
        let now = Instant::now();
        Self {
            id,
            is_large: false,
            screencast: None,
            since: now,
            next_at: now,
            in_flight: Vec::new(),
            state: "",
        }
    }
}

impl ViewOptions {
    /// The format for a tab, which is shown large or small.
    fn format(&self, large: Option<(TabId, u32)>) -> ScreencastFormat {
        match large {
            Some((_, width)) => ScreencastFormat { max_width: Some(width), quality: QUALITY.1 },
            None => ScreencastFormat { max_width: Some(self.width), quality: QUALITY.0 },
        }
    }
}

fn is_held_by_other(cx: &CallContext, session: &Session) -> bool {
    session.control().holder().is_some_and(|lease| lease.client != *cx.client())
}

fn is_wanted(settings: &ViewSettings, id: TabId) -> bool {
    settings.tabs.contains(&id) || settings.large.is_some_and(|(large, _)| large == id)
}
