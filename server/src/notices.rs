//! Notices for the local user, which its next answer carries.

use browse_base::NoticeQueue;

/// Notices for the next root caller.
#[derive(Debug, Default)]
pub struct RootNotices(NoticeQueue);

impl RootNotices {
    /// With a first notice.
    pub fn new(first: Option<String>) -> Self {
        let notices = Self::default();
        first.into_iter().for_each(|text| notices.add(text));
        notices
    }

    /// Adds a notice.
    pub fn add(&self, text: String) {
        self.0.add(text);
    }

    /// Takes them, each once.
    pub fn take(&self) -> Option<String> {
        let notices = self.0.take();
        (!notices.is_empty()).then(|| notices.join("; "))
    }
}
