//! What can go wrong between the daemon and its browser.
//!
//! The variants are the facts a caller can act on differently. Texts follow
//! the house style: what is wrong, names in backticks, no full stop.

use std::path::PathBuf;

use crate::attach_failure::AttachFailure;

/// Shorthand for results of this module.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of the browser, of one tab, or of one call.
///
/// It is `Clone` because one event (a crash, the end of the browser) fails
/// every call that waits at that moment.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The browser process ended or its pipe broke; nothing works any more.
    #[error("the browser is gone: {reason}")]
    BrowserGone {
        /// Exit status or the last line Chromium printed.
        reason: String,
    },
    /// The renderer of the tab crashed; a reload revives it.
    #[error("the tab crashed")]
    TabCrashed,
    /// The tab was closed, by us or by the page.
    #[error("the tab is closed")]
    TabClosed,
    /// The document the call was made for is gone: navigated away or detached.
    #[error("the document of this call is gone")]
    StaleContext,
    /// The frame does not exist (any more) in this tab.
    #[error("the tab has no frame `{frame}`")]
    NoSuchFrame {
        /// The frame's id.
        frame: String,
    },
    /// A navigation waits for its server; Chromium queues everything behind it.
    #[error("a navigation to `{url}` waits for its server")]
    NavigationPending {
        /// Where the navigation goes.
        url: String,
    },
    /// A navigation ended with a network error, such as `net::ERR_NAME_NOT_RESOLVED`.
    #[error("navigation to `{url}` ended with `{error_text}`")]
    NavigationFailed {
        /// Where the navigation went.
        url: String,
        /// Chromium's name of the error.
        error_text: String,
    },
    /// The guard refused a document or a connection.
    #[error("`{url}` is not allowed: {reason}")]
    HostDenied {
        /// What was asked for.
        url: String,
        /// Which rule refused it.
        reason: String,
    },
    /// There is no entry in that direction of the tab's history.
    #[error("the tab's history has no {direction} entry")]
    HistoryEnd {
        /// `earlier` or `later`.
        direction: &'static str,
    },
    /// The message is larger than the channel can bear.
    #[error("a message of {bytes} bytes is above the limit of {limit} bytes")]
    TooLarge {
        /// Size of the refused message.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The picture has more pixels than its format holds.
    #[error("a {format} image holds at most {limit} pixels a side, and this one has {pixels}")]
    ImageTooLarge {
        /// The format.
        format: &'static str,
        /// Its limit.
        limit: u32,
        /// The longer side, in device pixels.
        pixels: u32,
    },
    /// Chromium refused the call.
    #[error("`{method}`: {message}")]
    Protocol {
        /// The protocol method.
        method: String,
        /// Chromium's own words.
        message: String,
    },
    /// The script threw. The text comes from the page.
    #[error("the script threw: {message}")]
    Script {
        /// Message and stack as V8 prints them.
        message: String,
    },
    /// The name of a key is not known.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// What was asked for.
        key: String,
    },
    /// No browser is installed in any of the well-known places.
    #[error("no Chromium found; {hint}")]
    BrowserNotFound {
        /// The install command of this platform.
        hint: String,
    },
    /// The configured browser cannot be used.
    #[error("`{}` is not a browser that can be started: {problem}", path.display())]
    BrowserUnusable {
        /// The configured path.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// A setting for the browser is refused.
    #[error("the browser argument `{argument}` is refused: {reason}")]
    InvalidArgument {
        /// The argument.
        argument: String,
        /// Why.
        reason: &'static str,
    },
    /// The browser did not come up.
    #[error("`{}` did not start: {problem}", path.display())]
    LaunchFailed {
        /// Which binary.
        path: PathBuf,
        /// Exit status, or that the deadline passed.
        problem: String,
        /// The last lines Chromium wrote to stderr.
        stderr: Vec<String>,
    },
    /// A browser that runs already was not reached.
    #[error("{0}")]
    AttachFailed(AttachFailure),
    /// The call would reach more than our tabs in a browser that is not ours.
    #[error("{message}")]
    ForeignBrowser {
        /// Which call, and why.
        message: String,
    },
    /// So many tabs of such a browser have an address by which one tab was meant.
    #[error("{count} tabs have this address")]
    TabsOfAddress {
        /// How many.
        count: usize,
    },
    /// A system call around the browser did not work.
    #[error("{what}: {message}")]
    System {
        /// What was tried.
        what: &'static str,
        /// The operating system's words.
        message: String,
    },
}

impl Error {
    /// Wraps an error of the operating system.
    pub(crate) fn system(what: &'static str, error: impl std::fmt::Display) -> Self {
        Self::System { what, message: error.to_string() }
    }

    /// Sorts an error answer of Chromium into the facts above.
    ///
    /// Chromium gives nearly everything the code -32000, so the text decides.
    pub(crate) fn from_protocol(method: &str, message: String) -> Self {
        const STALE: [&str; 8] = [
            "uniqueContextId not found",
            "Cannot find context with specified id",
            "Cannot find execution context",
            "Inspected target navigated or closed",
            "Execution context was destroyed",
            "Could not find object with given id",
            "Promise was collected",
            "Object belongs to different",
        ];
        const CLOSED: [&str; 3] = [
            "Session with given id not found",
            "No session with given id",
            "No target with given id",
        ];
        let is_any = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
        if is_any(&STALE) {
            Self::StaleContext
        } else if message.contains("Target crashed") {
            Self::TabCrashed
        } else if is_any(&CLOSED) || message.contains("Target closed") {
            Self::TabClosed
        } else {
            Self::Protocol { method: method.to_owned(), message }
        }
    }
}
