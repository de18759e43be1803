//! Which client brought a tab to its document, for receipts of the others.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use crate::policy::ClientId;

/// Clients that are remembered of a tab.
const MOST_CLIENTS: usize = 64;

/// Who moved a tab, and what each client knows of it. Documents are counted.
#[derive(Debug, Default)]
pub struct Movers(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    documents: u64,
    /// Who brought the tab to its document: none when the page went by itself.
    by: Option<ClientId>,
    /// Who is about to.
    going: Option<ClientId>,
    /// The document that each client was told of last.
    seen: HashMap<ClientId, u64>,
}

impl Movers {
    /// A call of `client` begins, in a tab that has shown so many documents;
    /// `goes`: it takes the tab elsewhere.
    pub fn begin(&self, client: &ClientId, documents: u64, goes: bool) {
        let mut known = self.lock();
        if known.documents != documents {
            known.documents = documents;
            known.by = None;
        }
        if goes {
            known.going = Some(client.clone());
        }
    }

    /// The call ends.
    pub fn end(&self, client: &ClientId, documents: u64) {
        let mut known = self.lock();
        if known.documents != documents {
            known.documents = documents;
            known.by = Some(known.going.take().unwrap_or_else(|| client.clone()));
        }
        if known.going.as_ref() == Some(client) {
            known.going = None;
        }
        if known.seen.len() >= MOST_CLIENTS && !known.seen.contains_key(client) {
            known.seen.clear();
        }
        known.seen.insert(client.clone(), documents);
    }

    /// The other client that moved the tab since the last call of `client` ended, or
    /// does so now.
    pub fn other(&self, client: &ClientId, documents: u64) -> Option<ClientId> {
        let known = self.lock();
        let seen = *known.seen.get(client)?;
        let by = match known.documents == documents {
            true => known.by.clone(),
            false => known.going.clone(),
        };
        by.filter(|by| seen != documents && by != client)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_moved_a_tab_is_told_to_the_others() {
        let [ada, bob] = ["ada", "bob"].map(|name| ClientId::new(name).expect("a name"));
        let movers = Movers::default();
        let call = |client: &ClientId, before: u64, after: u64, goes: bool| {
            movers.begin(client, before, goes);
            let other = movers.other(client, after);
            movers.end(client, after);
            other
        };
        assert_eq!(call(&ada, 0, 1, true), None);
        assert_eq!(call(&bob, 1, 1, false), None);
        assert_eq!(call(&bob, 1, 2, true), None);
        assert_eq!(call(&ada, 2, 2, false), Some(bob.clone()));
        assert_eq!(call(&ada, 2, 2, false), None, "it is told once");
        // The page goes on by itself, or a click of her own takes her along.
        assert_eq!(call(&bob, 3, 3, false), None);
        assert_eq!(call(&ada, 3, 4, false), None);
        // He goes while she clicks.
        movers.begin(&ada, 4, false);
        movers.begin(&bob, 4, true);
        assert_eq!(movers.other(&ada, 5), Some(bob));
    }
}
