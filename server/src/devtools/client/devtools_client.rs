//! The client itself: what it has, how it begins and how it ends.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use browse_base::{Error, Result, hex, random};
use browse_chromium::{BrowserContextId, ClientEvents, ProtocolClient};
use browse_policy::ClientId;
use browse_proto::Reason;
use browse_sessions::{DisplayMode, Session, UploadedFiles};
use tokio::sync::Semaphore;

use super::{refusals::RefusalCount, state::ClientState};
use crate::devtools::{
    addresses::AddressGrant,
    message::{DevToolsError, DevToolsRequest, ReplyAddress, SERVER_ERROR},
    outbox::Outbox,
    parts::DevToolsParts,
};

/// Calls of a client that wait for their answer.
const MAX_OPEN_CALLS: usize = 10_000;

/// One client.
pub(in crate::devtools) struct DevToolsClient {
    myself: Weak<Self>,
    parts: Arc<DevToolsParts>,
    session: Arc<Session>,
    outbox: Arc<Outbox>,
    protocol: OnceLock<ProtocolClient>,
    /// The context of the session, which is presented as that of the browser.
    context: BrowserContextId,
    /// Folder in which files for uploads lie; none for a client on another machine.
    working_directory: Option<PathBuf>,
    number: u64,
    browser_id: String,
    state: Mutex<ClientState>,
    refusals: Mutex<RefusalCount>,
    uploads: Mutex<Vec<UploadedFiles>>,
    pub(super) open_calls: Arc<Semaphore>,
}

/// Opens a client for who holds the address.
///
/// # Errors
/// The session is gone or shown to a person; the browser does not run.
pub(in crate::devtools) async fn open(
    parts: &Arc<DevToolsParts>,
    grant: &AddressGrant,
    outbox: Arc<Outbox>,
) -> Result<Arc<DevToolsClient>> {
    static LAST_NUMBER: AtomicU64 = AtomicU64::new(0);
    let gone = || {
        let name = &grant.session_name;
        Error::new(Reason::SessionNotFound, format!("the session `{name}` has ended"))
            .with("session", name)
    };
    let session = grant.session.upgrade().ok_or_else(gone)?;
    let current = parts.sessions.get(&grant.session_name);
    if !current.is_some_and(|current| Arc::ptr_eq(&current, &session)) {
        return Err(gone());
    }
    if *session.watch_display_mode().borrow() != DisplayMode::Headless {
        let message = "a person has the session in a window";
        return Err(Error::new(Reason::HandedOff, message));
    }
    if session.control().is_held() {
        return Err(Error::new(Reason::HandedOff, "a person holds the session"));
    }
    // So that there is a context, with a tab to begin with.
    session.active_or_first(&ClientId::root()).await?;
    let context = session.context().ok_or_else(gone)?;
    let client = Arc::new_cyclic(|myself| DevToolsClient {
        myself: Weak::clone(myself),
        parts: Arc::clone(parts),
        session,
        outbox,
        protocol: OnceLock::new(),
        context: context.id().clone(),
        working_directory: grant.working_directory.clone(),
        number: LAST_NUMBER.fetch_add(1, Ordering::Relaxed) + 1,
        browser_id: random::<16>().map(|id| hex(&id).to_uppercase()).unwrap_or_default(),
        state: Mutex::default(),
        refusals: Mutex::default(),
        uploads: Mutex::default(),
        open_calls: Arc::new(Semaphore::new(MAX_OPEN_CALLS)),
    });
    let weak: Weak<DevToolsClient> = Arc::downgrade(&client);
    let events: Weak<dyn ClientEvents> = weak;
    let _ = client.protocol.set(context.open_client(events));
    client.note("connected; what it reads is not guarded", None);
    Ok(client)
}

impl DevToolsClient {
    /// Takes a message of the client.
    pub(in crate::devtools) async fn receive(&self, text: &str) {
        self.session.mark_used();
        if self.working_directory.is_none() {
            // Another pod may have to restore what the client does.
            self.session.schedule_snapshot();
        }
        match DevToolsRequest::read(text) {
            Ok(request) => self.serve(request).await,
            Err(answer) => self.send(answer),
        }
    }

    /// Ends the client, which is not connected any more.
    pub(in crate::devtools) fn close(&self, reason: &str) {
        self.outbox.close(reason);
        self.note(&format!("disconnected: {reason}"), None);
    }

    /// Waits until a person has the session in a window, where its tabs move.
    pub(in crate::devtools) async fn wait_shown(&self) {
        let mut place = self.session.watch_display_mode();
        // The sender lives as long as the session.
        let _ = place.wait_for(|place| *place != DisplayMode::Headless).await;
    }

    /// Ends the connection after what is queued.
    pub(super) fn hang_up(&self, reason: &str) {
        self.outbox.close(reason);
    }

    /// Queues a message.
    pub(super) fn send(&self, message: String) {
        self.outbox.push(message);
    }

    /// Its sessions on the pipe.
    pub(super) fn protocol(&self) -> Result<&ProtocolClient, DevToolsError> {
        self.protocol
            .get()
            .ok_or_else(|| DevToolsError::new(SERVER_ERROR, "the client is not ready"))
    }

    pub(super) fn myself(&self) -> Weak<Self> {
        Weak::clone(&self.myself)
    }

    pub(super) fn parts(&self) -> &DevToolsParts {
        &self.parts
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    pub(super) fn session_name(&self) -> &str {
        self.session.name()
    }

    pub(super) fn context(&self) -> &BrowserContextId {
        &self.context
    }

    pub(super) fn working_directory(&self) -> Option<&PathBuf> {
        self.working_directory.as_ref()
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn browser_id(&self) -> &str {
        &self.browser_id
    }

    pub(super) fn state(&self) -> MutexGuard<'_, ClientState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn refusals(&self) -> MutexGuard<'_, RefusalCount> {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps files that a page got until the client goes.
    pub(super) fn keep_files(&self, files: UploadedFiles) {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner).push(files);
    }

    /// Answers with a result of ours when all that was asked for before is answered, and
    /// its events are queued.
    pub(super) fn reply_after_round_trip(&self, reply: ReplyAddress, result: serde_json::Value) {
        let Ok(protocol) = self.protocol() else { return };
        let client = self.myself();
        let then = move |_| {
            if let Some(client) = client.upgrade() {
                client.send(reply.result(&result));
            }
        };
        protocol.after_round_trip(Box::new(then));
    }
}
