//! Sessions in browsers that run already: the consent of their people, and the connection.

mod consent;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use browse_proto::Reason;

use browse_base::{Error, Result};
use browse_chromium::{AttachOptions, Browser, BrowserOptions, CdpAddress};
use browse_sessions::{Attachment, Session};
use consent::ConsentStore;

/// Connects sessions to browsers that run already.
pub struct BrowserAttacher {
    consents: ConsentStore,
    /// By the name of a session: held while it is connected, so that it is connected once.
    turns: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

impl BrowserAttacher {
    /// With the consents that lie in the home of browse.
    pub fn new(home: &Path) -> Self {
        Self { consents: ConsentStore::new(home), turns: Mutex::default() }
    }

    /// Puts `session` into the browser at `address`, which may ask its person first.
    ///
    /// # Errors
    /// `SESSION_RESTRICTED`, `CDP_CONNECTED`, `CDP_CONSENT_MISSING`, `FILE_UNWRITABLE`; the
    /// browser is not reached. The session is where it was then.
    pub async fn attach(
        &self,
        session: &Arc<Session>,
        address: &CdpAddress,
        options: BrowserOptions,
        gives_consent: bool,
    ) -> Result<Arc<Browser>> {
        let turn = self.turn_of(session.name());
        let _turn = turn.lock().await;
        ensure_attachable(session)?;
        let name = address.to_string();
        if gives_consent {
            self.consents.add(&name)?;
        } else if !self.consents.has(&name) {
            let message = format!("the person who uses the browser `{name}` was not asked yet");
            return Err(Error::new(Reason::CdpConsentMissing, message).with("browser", name));
        }
        let attach = AttachOptions {
            program: std::env::current_exe().unwrap_or_else(|_| PathBuf::from("browsed")),
            address: address.clone(),
            home: std::env::home_dir().unwrap_or_default(),
        };
        let browser = Browser::attach(options, &attach).await?;
        // Its person may have taken a while to allow it.
        if let Err(error) = ensure_attachable(session) {
            browser.close().await;
            return Err(error);
        }
        tracing::info!(session = session.name(), browser = name, "a session is connected");
        session.attach(Attachment::Browser { browser: Arc::clone(&browser), name });
        Ok(browser)
    }

    fn turn_of(&self, session: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        Arc::clone(turns.entry(session.to_owned()).or_default())
    }
}

/// Refuses sessions that stay where they are.
fn ensure_attachable(session: &Session) -> Result<()> {
    let name = session.name();
    if !session.rules().hosts.is_any() {
        let message = format!("the session `{name}` is restricted to hosts");
        return Err(Error::new(Reason::SessionRestricted, message));
    }
    let connected = |message: String| Err(Error::new(Reason::CdpConnected, message));
    match session.attachment() {
        Attachment::Browser { browser, name: other } if !browser.is_gone() => {
            connected(format!("the session `{name}` is in the browser `{other}` already"))
        }
        // The tabs are those of a browser that has ended.
        Attachment::Browser { .. } | Attachment::Failed(_) => Ok(()),
        Attachment::None if session.is_in_window() => {
            connected(format!("the session `{name}` is in a window: run `browse disconnect` first"))
        }
        Attachment::None => match session.tabs().len() {
            0 => Ok(()),
            1 => connected(format!("the session `{name}` has a tab")),
            tabs => connected(format!("the session `{name}` has {tabs} tabs")),
        },
    }
}
