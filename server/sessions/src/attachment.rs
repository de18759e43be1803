//! A session in a browser that runs already, and is not ours.

use std::sync::{Arc, MutexGuard, PoisonError};

use browse_proto::Reason;

use super::{DisplayMode, Session, Tab, session::TabList};
use browse_base::{Error, HINT_KEY, Result};
use browse_chromium::{AnsweredBy, Browser, BrowserContext, Page};

/// The browser that a session is in instead of ours.
#[derive(Clone, Default)]
pub enum Attachment {
    /// None: the session is in a browser of ours.
    #[default]
    None,
    /// This one.
    Browser {
        /// The connection.
        browser: Arc<Browser>,
        /// What people call it, without its secret.
        name: String,
    },
    /// One that was not reached, so that nothing works until somebody decides.
    Failed(Error),
}

impl Session {
    /// The browser that it is in instead of ours.
    pub fn attachment(&self) -> Attachment {
        self.lock_attachment().clone()
    }

    /// Whether it is in a browser that is not ours, or would be.
    pub fn is_attached(&self) -> bool {
        !matches!(*self.lock_attachment(), Attachment::None)
    }

    /// Whether it is in a browser that is not ours and runs.
    pub fn is_connected(&self) -> bool {
        let attachment = self.lock_attachment();
        matches!(&*attachment, Attachment::Browser { browser, .. } if !browser.is_gone())
    }

    /// Whether a person sees it in a window.
    pub fn is_in_window(&self) -> bool {
        matches!(*self.display_mode.borrow(), DisplayMode::Headed | DisplayMode::WindowClosed)
    }

    /// Has callers wait until it is attached, or [`Session::attach`] says why it is not.
    pub fn begin_attaching(&self) {
        self.set_display_mode(DisplayMode::Migrating);
    }

    /// Puts it into a browser that is not ours, or says why it is in none. It has no tabs
    /// then.
    pub fn attach(&self, attachment: Attachment) {
        *self.lock() = TabList::default();
        *self.lock_context() = Arc::default();
        *self.lock_attachment() = attachment;
        self.set_display_mode(DisplayMode::Attached);
    }

    /// Brings it back into our browser, without tabs. Those that were opened are closed, and
    /// how many tabs it had is answered.
    pub async fn detach(&self) -> usize {
        self.set_display_mode(DisplayMode::Migrating);
        self.dismiss_questions(AnsweredBy::Closing);
        let tabs = std::mem::take(&mut *self.lock()).all;
        *self.lock_context() = Arc::default();
        self.recording().take();
        let attachment = std::mem::take(&mut *self.lock_attachment());
        if let Attachment::Browser { browser, .. } = attachment {
            browser.close().await;
        }
        self.set_display_mode(DisplayMode::Headless);
        tabs.len()
    }

    /// Makes a tab of a page that its person gave.
    ///
    /// # Errors
    /// `CDP_CONNECTED` when another session has the tab; the daemon is ending.
    pub fn adopt_attached(&self, page: Arc<Page>) -> Result<Arc<Tab>> {
        let sessions = self.registry()?;
        let tab = sessions.tab_by_target(page.target_id());
        if let Some(tab) = tab.as_ref().filter(|tab| tab.session() != self.name()) {
            let message =
                format!("the session `{}` has this tab, as tab {}", tab.session(), tab.id());
            return Err(Error::new(Reason::CdpConnected, message));
        }
        if let Attachment::Browser { browser, .. } = self.attachment() {
            let context = Arc::clone(&*self.lock_context());
            // The page may be the first one of the session.
            let _ = context.set(browser.context_of(&page));
        }
        Ok(tab.unwrap_or_else(|| sessions.adopt(self, page)))
    }

    /// The context with its first page, when it is in a browser that is not ours.
    pub(super) async fn lease_attached(&self) -> Option<Result<(BrowserContext, Arc<Page>)>> {
        match self.attachment() {
            Attachment::None => None,
            Attachment::Failed(error) => Some(Err(error)),
            Attachment::Browser { browser, name } if browser.is_gone() => {
                Some(Err(attached_browser_gone(&name, &browser.wait_gone().await)))
            }
            Attachment::Browser { browser, .. } => {
                Some(browser.default_context().await.map_err(Into::into))
            }
        }
    }

    /// Why nothing works in it, when it is in a browser that is not ours and has ended.
    ///
    /// # Errors
    /// `BROWSER_GONE`, or why the browser was not reached.
    pub async fn ensure_attached(&self) -> Result<()> {
        match self.attachment() {
            Attachment::Failed(error) => Err(error),
            Attachment::Browser { browser, name } if browser.is_gone() => {
                Err(attached_browser_gone(&name, &browser.wait_gone().await))
            }
            Attachment::None | Attachment::Browser { .. } => Ok(()),
        }
    }

    fn lock_attachment(&self) -> MutexGuard<'_, Attachment> {
        self.attachment.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn attached_browser_gone(name: &str, reason: &str) -> Error {
    let message = format!("the connection to the browser `{name}` has ended: {reason}");
    let hint = format!(
        "Start that browser and run `browse connect --cdp {name}` again, or run \
         `browse disconnect` to use a browser of browse's own"
    );
    Error::new(Reason::BrowserGone, message).with(HINT_KEY, hint)
}
