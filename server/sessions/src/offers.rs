//! What was offered in a session: skills and notes, each once for a host.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

/// Offers that are remembered; a session with more hears of some again.
const MAX_OFFERS: usize = 1000;

/// The offers of a session.
#[derive(Debug, Default)]
pub struct Offers(Mutex<HashSet<(String, String, String)>>);

impl Offers {
    /// Whether this was not offered for `host` before; from now on it was.
    pub fn is_first_offer(&self, host: &str, kind: &str, id: &str) -> bool {
        let mut offers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if offers.len() >= MAX_OFFERS {
            offers.clear();
        }
        offers.insert((host.to_owned(), kind.to_owned(), id.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Offers;

    #[test]
    fn each_is_offered_once_for_a_host() {
        let offers = Offers::default();
        let first = ["a", "a", "b"].map(|id| offers.is_first_offer("one.example", "global", id));
        assert_eq!(first, [true, false, true]);
        assert!(offers.is_first_offer("two.example", "global", "a"));
    }
}
