//! The events a browser reports, and who hears them.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::dialogs::Dialog;
use super::page::Page;
use super::windows::RefusedWindow;
use crate::capture::console::ConsoleEntry;
use crate::capture::downloads::Download;
use crate::capture::network::ObservedRequest;
use crate::guard::document::DeniedDocument;
use crate::ids::{BrowserContextId, LoaderId, TargetId};

/// Something happened in the browser.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// A tab appeared: asked for, opened by a page, or by a modified click.
    PageOpened(Arc<Page>),
    /// A tab is gone.
    PageClosed(TargetId),
    /// A tab shows another document; its loader id.
    DocumentCommitted(TargetId, LoaderId),
    /// A tab's renderer crashed.
    PageCrashed(TargetId),
    /// A line for the console, or an uncaught exception.
    Console(TargetId, ConsoleEntry),
    /// A request started or ended.
    Network(TargetId, Box<ObservedRequest>),
    /// A form of this tab was submitted to this address, by whatever method.
    FormSubmitted(TargetId, String),
    /// A download started or ended.
    Download(Download),
    /// A dialog was answered.
    DialogAnswered(TargetId, Dialog),
    /// A dialog opened and waits for a caller.
    DialogOpened(TargetId),
    /// The guard refused a document of this tab.
    DocumentDenied(TargetId, DeniedDocument),
    /// A window that this tab wanted to open was refused.
    WindowRefused(TargetId, RefusedWindow),
    /// The browser ended; the reason. Nothing follows.
    BrowserGone(String),
}

/// Hears of every event. It is called on the task that reads the pipe, so it
/// must return at once: put the event into a bounded buffer, nothing more.
pub trait EventSink: Send + Sync + 'static {
    /// One event.
    fn event(&self, event: Event);

    /// Looks at a document that a frame may ask for by the rules of its context,
    /// before anything is sent. None lets it pass at once.
    fn check_document(&self, _request: &DocumentRequest<'_>) -> Option<DocumentVerdict> {
        None
    }
}

/// A document that a frame is about to ask for, of a link, a form, a script or a
/// redirect.
#[derive(Debug)]
pub struct DocumentRequest<'a> {
    /// The context of its tab.
    pub context: &'a BrowserContextId,
    /// Whether it is for the tab itself, and not for a frame in it.
    pub is_main: bool,
    /// Its address.
    pub url: &'a str,
    /// What a form sends along, as far as it is text.
    pub body: &'a str,
}

/// Whether a document may be asked for; the reason when not.
pub type DocumentVerdict = BoxFuture<'static, Result<(), String>>;

/// Hears nothing.
#[derive(Debug, Clone, Copy)]
pub struct NoSink;

impl EventSink for NoSink {
    fn event(&self, _event: Event) {}
}
