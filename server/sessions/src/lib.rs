//! Sessions and tabs: who has which browsing context, and what each tab did.
//!
//! A session is an isolated browser context with a name. Tabs get ids that are
//! never used again. What a page opens by itself becomes a tab of its opener's
//! session before the call that caused it is answered.

mod action_times;
mod attachment;
mod browser_handle;
mod browser_recovery;
mod context_databases;
mod control;
mod dialog;
mod downloads;
mod event_handler;
mod journal;
mod kept_session;
mod log_writer;
mod migration;
mod name;
mod navigation_owners;
mod offers;
mod pending_reload;
mod portable_session;
mod registry;
mod ring_buffer;
mod session;
mod session_snapshot;
mod session_use;
mod snapshot_task;
mod state_changing_requests;
mod tab;
mod tab_locks;
mod unreported_dialogs;
mod uploads;

pub use action_times::ActionTimes;
pub use attachment::Attachment;
pub use browser_handle::{BrowserHandle, BrowserState};
pub use context_databases::OriginDatabases;
pub use control::{ControlEnd, ControlLease, EndedLease, HOLDER_TIMEOUT, SessionControl};
pub use dialog::DialogLine;
pub use downloads::{
    AwaitedDownload, DownloadFilter, DownloadRecord, DownloadSession, DownloadStatus, Downloads,
    downloads_dir as downloads_place, is_known_mime_type,
};
pub use event_handler::DocumentPolicy;
pub use journal::{Journal, JournalEntry};
pub use kept_session::{KeptDocument, KeptOrigin, KeptSession, KeptTab};
pub use log_writer::CaptureLogWriter;
pub use name::SessionName;
pub use navigation_owners::NavigationOwners;
pub use offers::Offers;
pub use pending_reload::PendingReload;
pub use portable_session::SessionNumbers;
pub use registry::Sessions;
pub use ring_buffer::{MemorySize, RingBuffer};
pub use session::{DisplayMode, Session, SessionRules};
pub use session_snapshot::SessionSnapshot;
pub use session_use::SessionUseGuard;
pub use snapshot_task::run_snapshots as keep_sessions;
pub use state_changing_requests::{StateChangingRequest, StateChangingRequestLog};
pub use tab::{NetworkLine, SuspendedAction, Tab, TabId, TabState};
pub use tab_locks::{AccessLock, ExclusiveGuard, SharedGuard};
pub use unreported_dialogs::UnreportedDialogs;
pub use uploads::{UploadedFiles, Uploads};
