//! Why the engine says no, and the values that belong to it.

use std::collections::BTreeMap;

use browse_proto::Reason;

/// Shorthand for results of this module.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A refusal of the engine or a failure of the browser below it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The page, the element or the caller's words do not allow it.
    #[error("{message}")]
    Refused {
        /// What kind of refusal.
        kind: RefusalKind,
        /// What is wrong, in our words.
        message: String,
        /// The values of the message, for hints and for programs.
        metadata: BTreeMap<&'static str, String>,
        /// What the page chose, each with what it is.
        page_texts: Vec<(String, String)>,
    },
    /// The browser failed.
    #[error(transparent)]
    Browser(#[from] browse_chromium::Error),
}

/// The reasons of `errors.proto` that the engine gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// `SELECTOR_INVALID`.
    SelectorInvalid,
    /// `ELEMENT_NOT_FOUND`.
    NotFound,
    /// `ELEMENT_AMBIGUOUS`.
    Ambiguous,
    /// `REF_STALE`.
    RefStale,
    /// `REF_UNKNOWN`.
    RefUnknown,
    /// `REF_OTHER_TAB`.
    RefOtherTab,
    /// `ELEMENT_COVERED`.
    Covered,
    /// `ELEMENT_HIDDEN`.
    Hidden,
    /// `ELEMENT_DISABLED`.
    Disabled,
    /// `ELEMENT_UNSTABLE`.
    Unstable,
    /// `ELEMENT_NOT_EDITABLE`.
    NotEditable,
    /// `ELEMENT_WRONG_KIND`.
    WrongKind,
    /// `OPTION_NOT_FOUND`.
    OptionNotFound,
    /// `ARGUMENT_INVALID`: a field does not take this value.
    ValueRejected,
    /// `UPLOAD_REFUSED`.
    FilesRefused,
    /// `ACTION_MISSED`.
    Missed,
    /// `ACTION_INCOMPLETE`.
    Incomplete,
    /// `NOTHING_FOCUSED`.
    NothingFocused,
    /// `KEY_UNKNOWN`.
    KeyUnknown,
    /// `WAIT_TIMEOUT`.
    WaitTimeout,
    /// `FRAME_GONE`.
    FrameGone,
    /// `STYLE_INVALID`.
    StyleInvalid,
    /// A bug of ours: the script threw or answered something else.
    Internal,
}

impl RefusalKind {
    /// The reason in `errors.proto`.
    pub fn reason(self) -> Reason {
        match self {
            Self::SelectorInvalid => Reason::SelectorInvalid,
            Self::NotFound => Reason::ElementNotFound,
            Self::Ambiguous => Reason::ElementAmbiguous,
            Self::RefStale => Reason::RefStale,
            Self::RefUnknown => Reason::RefUnknown,
            Self::RefOtherTab => Reason::RefOtherTab,
            Self::Covered => Reason::ElementCovered,
            Self::Hidden => Reason::ElementHidden,
            Self::Disabled => Reason::ElementDisabled,
            Self::Unstable => Reason::ElementUnstable,
            Self::NotEditable => Reason::ElementNotEditable,
            Self::WrongKind => Reason::ElementWrongKind,
            Self::OptionNotFound => Reason::OptionNotFound,
            Self::ValueRejected => Reason::ArgumentInvalid,
            Self::FilesRefused => Reason::UploadRefused,
            Self::Missed => Reason::ActionMissed,
            Self::Incomplete => Reason::ActionIncomplete,
            Self::NothingFocused => Reason::NothingFocused,
            Self::KeyUnknown => Reason::KeyUnknown,
            Self::WaitTimeout => Reason::WaitTimeout,
            Self::FrameGone => Reason::FrameGone,
            Self::StyleInvalid => Reason::StyleInvalid,
            Self::Internal => Reason::Bug,
        }
    }

    /// Whether the page may come to allow it by itself.
    pub(crate) fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::NotFound
                | Self::Covered
                | Self::Hidden
                | Self::Disabled
                | Self::Unstable
                | Self::Missed
        )
    }
}

impl Error {
    pub(crate) fn refused(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self::Refused {
            kind,
            message: message.into(),
            metadata: BTreeMap::new(),
            page_texts: Vec::new(),
        }
    }

    pub(crate) fn internal(what: impl std::fmt::Display) -> Self {
        Self::refused(RefusalKind::Internal, format!("the page engine failed: {what}"))
    }

    #[must_use]
    pub(crate) fn with(mut self, key: &'static str, value: impl ToString) -> Self {
        if let Self::Refused { metadata, .. } = &mut self {
            metadata.insert(key, value.to_string());
        }
        self
    }

    /// Adds words that the page chose; `about` says what they are.
    #[must_use]
    pub(crate) fn with_page_text(
        mut self,
        about: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        if let Self::Refused { page_texts: page, .. } = &mut self {
            let text = text.into();
            if !text.trim().is_empty() {
                page.push((about.into(), text));
            }
        }
        self
    }

    /// The same, before all others.
    #[must_use]
    pub(crate) fn with_first_page_text(mut self, about: &str, text: String) -> Self {
        if let Self::Refused { page_texts: page, .. } = &mut self {
            page.insert(0, (about.to_owned(), text));
        }
        self
    }

    /// What the page chose, each with what it is.
    pub fn page_texts(&self) -> &[(String, String)] {
        match self {
            Self::Refused { page_texts: page, .. } => page,
            Self::Browser(_) => &[],
        }
    }

    /// The kind of a refusal; none when the browser failed.
    pub fn kind(&self) -> Option<RefusalKind> {
        match self {
            Self::Refused { kind, .. } => Some(*kind),
            Self::Browser(_) => None,
        }
    }

    /// The values of the refusal.
    pub fn metadata(&self) -> BTreeMap<&'static str, String> {
        match self {
            Self::Refused { metadata, .. } => metadata.clone(),
            Self::Browser(_) => BTreeMap::new(),
        }
    }

    /// Whether the tab is on its way to another document.
    pub(crate) fn is_navigation_in_progress(&self) -> bool {
        let waits = matches!(self, Self::Browser(browse_chromium::Error::NavigationPending { .. }));
        waits || self.is_stale_document()
    }

    /// Whether the document of the call is gone.
    pub(crate) fn is_stale_document(&self) -> bool {
        matches!(
            self,
            Self::Browser(
                browse_chromium::Error::StaleContext | browse_chromium::Error::NoSuchFrame { .. }
            )
        )
    }
}
