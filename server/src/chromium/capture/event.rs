//! The events a browser reports, and who hears them.

use std::sync::Arc;

use super::console::ConsoleEntry;
use super::downloads::Download;
use super::network::NetworkRequest;
use crate::chromium::browser::windows::RefusedWindow;
use crate::chromium::guard::document::Denied;
use crate::chromium::ids::{LoaderId, TargetId};
use crate::chromium::page::dialogs::Dialog;
use crate::chromium::page::page::Page;

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
    Network(TargetId, Box<NetworkRequest>),
    /// A form of this tab was submitted to this address, by whatever method.
    FormSent(TargetId, String),
    /// A download started or ended.
    Download(Download),
    /// A dialog was answered.
    Dialog(TargetId, Dialog),
    /// A dialog opened and waits for a caller.
    Question(TargetId),
    /// The guard refused a document of this tab.
    Denied(TargetId, Denied),
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
}

/// Hears nothing.
#[derive(Debug, Clone, Copy)]
pub struct NoSink;

impl EventSink for NoSink {
    fn event(&self, _event: Event) {}
}
