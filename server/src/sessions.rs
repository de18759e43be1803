//! Sessions and tabs: who has which browsing context, and what each tab did.
//!
//! A session is an isolated browser context with a name. Tabs get ids that are
//! never used again. What a page opens by itself becomes a tab of its opener's
//! session before the call that caused it is answered.

mod acted;
mod capture;
mod dialog;
mod downloads;
mod journal;
mod keeper;
mod kept;
mod locks;
mod log;
mod movers;
mod moving;
mod name;
mod offers;
mod registry;
mod remains;
mod revival;
mod sends;
mod session;
mod sink;
mod slot;
mod tab;
mod untold;
mod uploads;

pub use acted::Acted;
pub use capture::{Capture, Weigh};
pub use dialog::DialogLine;
pub use downloads::{
    AwaitedDownload, DownloadRecord, DownloadStatus, Downloads, Viewer, is_known_type,
    place as downloads_place,
};
pub use journal::{Journal, Note};
pub use keeper::keep as keep_sessions;
pub use kept::Kept;
pub use locks::{Alone, Lock, Share};
pub use log::CaptureLog;
pub use movers::Movers;
pub use name::SessionName;
pub use offers::Offers;
pub use registry::Sessions;
pub use remains::Remains;
pub use sends::{PageSend, Sends};
pub use session::{Place, Session, SessionRules};
pub use sink::JudgeDocuments;
pub use slot::{BrowserSlot, BrowserState};
pub use tab::{Action, NetworkLine, Tab, TabId, TabState};
pub use untold::Untold;
pub use uploads::{Files, Uploads};
