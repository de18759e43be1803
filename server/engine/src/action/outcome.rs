//! What became of an action: facts of the page, of the tab, and of the browser.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::effects::ActionEffects;
use super::receipt::{ActionReceipt, OpenedTab};
use crate::error::{Error, Result};
use crate::page::engine::Engine;
use crate::page::fact::Fact;
use browse_chromium::{ActionBaseline, NavigationState, Page, World};

/// How long a navigation that an action began may take to arrive before the
/// receipt says that it is under way.
const NAVIGATION_COMMIT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a navigation that the page asked for may take to begin: the browser
/// asks its throttles, and may turn it into a download or nothing.
const NAVIGATION_START_TIMEOUT: Duration = Duration::from_millis(300);

/// How long the news of a download may take that the page asked for: the browser
/// makes its file first, which takes seconds where many things are done at once.
const DOWNLOAD_START_TIMEOUT: Duration = Duration::from_secs(5);

/// How long it may take where an answer is not a document, and so may be a download.
const NON_DOCUMENT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a frame within the page may take to show another document.
const FRAME_NAVIGATION_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a new tab may take to know its address.
const TAB_URL_TIMEOUT: Duration = Duration::from_millis(150);

/// The tab before an action.
pub struct TabBaseline {
    tab: ActionBaseline,
    /// Where the action is watched, once that is known.
    world: Option<Arc<World>>,
}

impl TabBaseline {
    /// Remembers the document that can be asked again what came of the action.
    #[must_use]
    pub(crate) fn with_world(self, world: &Arc<World>) -> Self {
        Self { world: Some(Arc::clone(world)), ..self }
    }
}

impl Engine {
    /// Remembers what a receipt compares with.
    pub fn begin_action(&self) -> TabBaseline {
        self.state().side_effects.begin();
        TabBaseline { tab: self.page().start_action_tracking(), world: None }
    }

    /// Waits for an answer of the script, unless a navigation stands before it:
    /// then the old page will not answer any more.
    pub(crate) async fn unless_navigating<T>(
        &self,
        answer: impl Future<Output = Result<T>>,
    ) -> Result<Option<T>> {
        tokio::select! {
            biased;
            answer = answer => match answer {
                Ok(answer) => Ok(Some(answer)),
                Err(error) if error.is_stale_document() => Ok(None),
                // The session of a frame has ended with it, and the tab lives.
                Err(Error::Browser(browse_chromium::Error::TabClosed))
                    if !self.page().is_closed() =>
                {
                    Ok(None)
                }
                Err(Error::Browser(browse_chromium::Error::NavigationPending { .. })) => Ok(None),
                Err(error) => Err(error),
            },
            started = self.page().wait_for_navigation_start() => {
                started?;
                Ok(None)
            }
        }
    }

    /// The receipt of an action that was delivered.
    pub(crate) async fn receipt(
        &self,
        before: TabBaseline,
        mut changes: Option<ActionEffects>,
        deadline: Instant,
    ) -> ActionReceipt {
        let begun = self.await_requests(deadline).await;
        self.recheck_effects(before.world.as_ref(), &mut changes, begun).await;
        let saves = changes.as_ref().is_some_and(|changes| changes.downloads);
        let navigating = self.await_navigation(&before, saves, deadline).await;
        let in_frames = self.await_frames(deadline).await;
        let windows = self.await_windows().await;
        let mut opened = Vec::new();
        for tab in self.state().side_effects.opened_tabs() {
            let mut url = tab_url(&tab).await;
            if is_blank(&url) && !windows.iter().all(|asked| is_blank(asked)) {
                self.await_window(&tab).await;
                url = current_or_pending_url(&tab);
            }
            self.await_document(&tab, &url).await;
            opened.push(OpenedTab { target_id: tab.target_id().clone(), tab_id: None, url });
        }
        // Only now: a new tab may have been refused its address meanwhile.
        let mut seen = self.state().side_effects.finish();
        let page = self.page();
        // A tab that was opened for a download closes with it.
        let closed = |opened: &OpenedTab| {
            let saved = opened.url.is_empty() && !seen.download_urls.is_empty();
            let is_closed = |tab: &Page| tab.target_id() == &opened.target_id && tab.is_closed();
            saved
                || seen.download_urls.contains(&opened.url)
                || seen.opened_tabs.iter().any(|tab| is_closed(tab))
        };
        opened.retain(|tab| !closed(tab));
        // The news of a refusal may come later than the receipt.
        let refused = windows.into_iter().filter(|url| page.is_refused(url));
        let unheard: Vec<_> = refused.filter(|url| !seen.denied_urls.contains(url)).collect();
        seen.denied_urls.extend(unheard);
        let navigated = page.loader() != before.tab.loader;
        let url = page.url();
        let main = &page.main_frame().id;
        let outside = before.world.as_ref().filter(|world| world.frame() != main);
        let frame = outside.and_then(|world| page.frame(world.frame()).ok());
        let open = if navigated { Vec::new() } else { self.open_requests() };
        let mut receipt = ActionReceipt {
            open_requests: open,
            frame_url: frame.map(|frame| frame.url),
            url: (url != before.tab.url).then_some(url),
            navigated,
            pending_url: navigating,
            errors: seen.console_errors.into_iter().chain(seen.refused_windows).collect(),
            dialogs: seen.dialogs,
            downloads: seen.downloads,
            no_wait: !self.should_wait(),
            denied_urls: seen.denied_urls,
            opened_tabs: opened,
            ..ActionReceipt::default()
        };
        if let Some(changes) = changes {
            receipt.changed = navigated || changes.has_effects() || in_frames;
            receipt.title = changes.title.filter(|_| !navigated);
            receipt.focus = changes.focus.filter(|_| !navigated);
            receipt.selected = changes.selected;
            if changes.field {
                receipt.result = changes.checked.map(Fact::new).or(changes.holding.map(Fact::from));
            }
            if let Some(holds) = changes.holds.filter(|_| !navigated) {
                receipt.result = Some(holds.into());
            }
            receipt.page_messages = changes.news.into_iter().map(Fact::from).collect();
            // A dialog that opens has the focus, and so has a field that was set.
            receipt.focus = receipt.focus.filter(|(_, name)| {
                name.is_empty() || !receipt.page_messages.iter().any(|fact| fact.name == *name)
            });
            let shown = changes.shown.map(|(label, text)| Fact::new(label).text(text));
            let scrolled = |(x, y): (f64, f64)| Fact::new(format!("scrolled to {x:.0}, {y:.0}"));
            receipt.changed_text = shown.or(changes.scrolled.map(scrolled));
        } else {
            receipt.changed = true;
        }
        if navigated && receipt.pending_url.is_none() {
            receipt.page_messages = self.initial_messages(deadline).await;
        }
        receipt
    }

    /// A download is announced a moment after the page asked for it, or after
    /// the navigation that turned out to be one.
    async fn await_download(
        &self,
        before: &TabBaseline,
        was_under_way: bool,
        saves: bool,
        left: Duration,
    ) {
        let max_wait = match self.should_wait() {
            true => self.download_wait(before, was_under_way, saves),
            false => Duration::ZERO,
        };
        let until = Instant::now() + max_wait.min(left);
        while !self.state().side_effects.has_download() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits for a new tab that was opened with an address, and does not know it yet:
    /// a download that its opener began keeps it blank.
    async fn await_window(&self, tab: &Page) {
        let until = Instant::now()
            + if self.should_wait() { NON_DOCUMENT_TIMEOUT } else { NAVIGATION_START_TIMEOUT };
        let is_open = || !tab.is_closed() && is_blank(&tab.url());
        while is_open()
            && tab.navigation() == NavigationState::Idle
            && !self.state().side_effects.has_download()
            && Instant::now() < until
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits a moment for the document of a new tab. One that comes to be a download
    /// shows none: then for the news of that.
    async fn await_document(&self, tab: &Page, url: &str) {
        if is_blank(url) || !self.should_wait() {
            return;
        }
        let came = tab.wait_for_first_document();
        if let Ok(Ok(false)) | Err(_) = timeout(NAVIGATION_START_TIMEOUT, came).await {
            return;
        }
        let until = Instant::now() + NON_DOCUMENT_TIMEOUT;
        while !self.state().side_effects.has_download() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits for frames within the page that are on their way to another document,
    /// and answers whether there were any.
    async fn await_frames(&self, deadline: Instant) -> bool {
        let page = self.page();
        let max_wait = if self.should_wait() { FRAME_NAVIGATION_TIMEOUT } else { Duration::ZERO };
        let left = deadline.saturating_duration_since(Instant::now());
        let _ = timeout(max_wait.min(left), page.wait_for_frame_navigations()).await;
        page.has_frame_navigations()
    }

    fn download_wait(&self, before: &TabBaseline, was_under_way: bool, saves: bool) -> Duration {
        let page = self.page();
        let arrived = page.loader() != before.tab.loader;
        let refused = page.failed_navigation_status(&before.tab);
        let asked = page.has_requested_download(&before.tab);
        let max_wait = download_start_timeout(asked, was_under_way && !arrived, refused);
        // A link that saves; the address of another site is gone to instead.
        if saves && !was_under_way { max_wait.max(NON_DOCUMENT_TIMEOUT) } else { max_wait }
    }

    /// Waits for the windows that the page asked for to open, which is a moment
    /// later; answers their addresses.
    async fn await_windows(&self) -> Vec<String> {
        let windows = || self.page().requested_windows();
        let until = Instant::now() + NAVIGATION_START_TIMEOUT;
        while self.state().side_effects.opened_tabs().len() < windows().len()
            && Instant::now() < until
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        windows()
    }

    /// Waits for a navigation that is under way to arrive and to be parsed.
    /// Answers where it goes when it does not.
    async fn await_navigation(
        &self,
        before: &TabBaseline,
        saves: bool,
        deadline: Instant,
    ) -> Option<String> {
        let page = self.page();
        let left = || {
            let left = deadline.saturating_duration_since(Instant::now());
            left.saturating_sub(Duration::from_millis(100))
        };
        if page.has_navigation_request() {
            let begun = page.wait_for_requested_navigation();
            let _ = timeout(NAVIGATION_START_TIMEOUT, begun).await;
        }
        if page.navigation() == NavigationState::Idle && page.loader() == before.tab.loader {
            self.await_download(before, false, saves, left()).await;
            return None;
        }
        let arrived = page.wait_for_arrival(&before.tab.loader);
        let max_wait = if self.should_wait() { NAVIGATION_COMMIT_TIMEOUT } else { Duration::ZERO };
        if timeout(max_wait.min(left()), arrived).await.is_ok() {
            self.await_download(before, true, saves, left()).await;
        }
        match page.navigation() {
            NavigationState::AwaitingHeaders { url } => Some(url),
            _ => None,
        }
    }
}

/// How long the news of a download may take. `asked`: the page asked for one;
/// `lost`: a navigation ended without a document; `refused`: the status of an
/// answer that did not become one.
fn download_start_timeout(asked: bool, lost: bool, refused: Option<u16>) -> Duration {
    match (asked, lost, refused) {
        (true, ..) => DOWNLOAD_START_TIMEOUT,
        // It is empty, or there was no navigation.
        (false, true, Some(204 | 205)) | (false, false, _) => Duration::ZERO,
        (false, true, Some(_)) => NON_DOCUMENT_TIMEOUT,
        (false, true, None) => NAVIGATION_START_TIMEOUT,
    }
}

fn is_blank(url: &str) -> bool {
    matches!(url, "" | "about:blank")
}

/// A tab is born blank; it knows where it goes a moment later.
async fn tab_url(page: &Page) -> String {
    let _ = timeout(TAB_URL_TIMEOUT, page.wait_for_first_url()).await;
    if page.is_restricted() {
        // Whether it may go there is decided a moment after it set out.
        let _ = timeout(NAVIGATION_START_TIMEOUT, page.wait_for_navigation_verdict()).await;
    }
    current_or_pending_url(page)
}

/// Where a tab is, or goes.
fn current_or_pending_url(page: &Page) -> String {
    match page.navigation() {
        NavigationState::AwaitingHeaders { url } => url,
        _ => page.url(),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        DOWNLOAD_START_TIMEOUT, Duration, NAVIGATION_START_TIMEOUT, NON_DOCUMENT_TIMEOUT,
        download_start_timeout,
    };

    #[test]
    fn only_a_download_that_is_known_to_come_is_waited_for() {
        assert_eq!(download_start_timeout(true, false, None), DOWNLOAD_START_TIMEOUT);
        assert_eq!(download_start_timeout(false, true, Some(200)), NON_DOCUMENT_TIMEOUT);
        assert_eq!(download_start_timeout(false, true, Some(204)), Duration::ZERO);
        assert_eq!(download_start_timeout(false, true, None), NAVIGATION_START_TIMEOUT);
        assert_eq!(download_start_timeout(false, false, Some(200)), Duration::ZERO);
    }
}
