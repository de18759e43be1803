//! What was typed into secret fields while a trace was recorded.
//!
//! It is in memory alone, and ends with the daemon. A skill that is made from the trace is replayed
//! with it.

use browse_base::Lock;
use zeroize::Zeroizing;

/// The secrets of a trace, by their numbers.
#[derive(Default)]
pub struct TypedSecrets(Lock<Vec<Zeroizing<String>>>);

impl TypedSecrets {
    /// The number of a secret, which is remembered.
    pub fn number_of(&self, text: &str) -> usize {
        let mut all = self.0.lock();
        if let Some(known) = all.iter().position(|secret| secret.as_str() == text) {
            return known;
        }
        all.push(Zeroizing::new(text.to_owned()));
        all.len() - 1
    }

    /// All of them, in the order of their numbers.
    pub fn texts(&self) -> Vec<Zeroizing<String>> {
        self.0.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::store::TraceStore, TypedSecrets};

    #[test]
    fn the_same_secret_has_one_number() {
        let secrets = TypedSecrets::default();
        let numbers = ["open", "sesame", "open"].map(|text| secrets.number_of(text));
        assert_eq!(numbers, [0, 1, 0]);
        let texts: Vec<_> = secrets.texts().iter().map(|text| text.to_string()).collect();
        assert_eq!(texts, ["open", "sesame"]);
    }

    #[test]
    fn they_are_kept_while_their_trace_is() {
        let folder = tempfile::tempdir().expect("a temp directory");
        let store = TraceStore::new(folder.path().join("traces"));
        let writer = store.start("default", "Chromium/1").expect("it starts");
        assert_eq!(writer.typed_secrets().number_of("open sesame"), 0);
        store.stop("default").expect("it runs");
        assert_eq!(store.typed_secrets(1).map(|texts| texts.len()), Some(1));
        let next = TraceStore::new(folder.path().join("traces"));
        assert!(next.header(1).is_ok() && next.typed_secrets(1).is_none());
        store.remove(1).expect("it is there");
        assert!(store.typed_secrets(1).is_none());
    }
}
