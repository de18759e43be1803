//! Which client brought a tab to its document, for receipts of the others.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use browse_policy::ClientId;

/// Clients that are remembered of a tab.
const MAX_CLIENTS: usize = 64;

/// Who moved a tab, and what each client knows of it. Documents are counted.
#[derive(Debug, Default)]
pub struct NavigationOwners(Mutex<NavigationOwnersState>);

#[derive(Debug, Default)]
struct NavigationOwnersState {
    documents: u64,
    /// Who brought the tab to its document: none when the page went by itself.
    navigated_by: Option<ClientId>,
    /// Who is about to.
    navigating: Option<ClientId>,
    /// The document that each client was notified of last.
    last_seen_document: HashMap<ClientId, u64>,
}

impl NavigationOwners {
    /// A call of `client` begins, in a tab that has shown so many documents;
    /// `goes`: it takes the tab somewhere else.
    pub fn begin(&self, client: &ClientId, documents: u64, goes: bool) {
        let mut known = self.lock();
        if known.documents != documents {
            known.documents = documents;
            known.navigated_by = None;
        }
        if goes {
            known.navigating = Some(client.clone());
        }
    }

    /// The call ends.
    pub fn end(&self, client: &ClientId, documents: u64) {
        let mut known = self.lock();
        if known.documents != documents {
            known.documents = documents;
            known.navigated_by = Some(known.navigating.take().unwrap_or_else(|| client.clone()));
        }
        if known.navigating.as_ref() == Some(client) {
            known.navigating = None;
        }
        if known.last_seen_document.len() >= MAX_CLIENTS
            && !known.last_seen_document.contains_key(client)
        {
            known.last_seen_document.clear();
        }
        known.last_seen_document.insert(client.clone(), documents);
    }

    /// The other client that moved the tab since the last call of `client` ended, or
    /// does so now.
    pub fn navigated_by_other(&self, client: &ClientId, documents: u64) -> Option<ClientId> {
        let known = self.lock();
        let seen = *known.last_seen_document.get(client)?;
        let by = match known.documents == documents {
            true => known.navigated_by.clone(),
            false => known.navigating.clone(),
        };
        by.filter(|by| seen != documents && by != client)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, NavigationOwnersState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_moved_a_tab_is_told_to_the_others() {
        let [ada, bob] = ["ada", "bob"].map(|name| ClientId::new(name).expect("a name"));
        let movers = NavigationOwners::default();
        let call = |client: &ClientId, before: u64, after: u64, goes: bool| {
            movers.begin(client, before, goes);
            let other = movers.navigated_by_other(client, after);
            movers.end(client, after);
            other
        };
        assert_eq!(call(&ada, 0, 1, true), None);
        assert_eq!(call(&bob, 1, 1, false), None);
        assert_eq!(call(&bob, 1, 2, true), None);
        assert_eq!(call(&ada, 2, 2, false), Some(bob.clone()));
        assert_eq!(call(&ada, 2, 2, false), None, "it is reported once");
        // The page goes on by itself, or a click of her own takes her along.
        assert_eq!(call(&bob, 3, 3, false), None);
        assert_eq!(call(&ada, 3, 4, false), None);
        // He goes while she clicks.
        movers.begin(&ada, 4, false);
        movers.begin(&bob, 4, true);
        assert_eq!(movers.navigated_by_other(&ada, 5), Some(bob));
    }
}
