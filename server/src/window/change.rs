//! What became of tabs while a person had them.

use crate::sessions::TabId;

/// What became of one tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The tab.
    pub tab: TabId,
    /// What happened to it.
    pub changed: Changed,
    /// Where it is now, or was last.
    pub url: String,
    /// Where it was before.
    pub before: Option<String>,
}

/// What happened to a tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Nothing.
    Same,
    /// It is at another address.
    Moved,
    /// It is new.
    Opened,
    /// It is gone.
    Closed,
}

impl Changed {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Moved => "moved",
            Self::Opened => "opened",
            Self::Closed => "closed",
        }
    }
}

/// Compares tabs and their addresses.
pub(super) fn between(before: &[(TabId, String)], after: &[(TabId, String)]) -> Vec<Change> {
    let find = |all: &[(TabId, String)], id: TabId| {
        all.iter().find(|(other, _)| *other == id).map(|(_, url)| url.clone())
    };
    let of_old = before.iter().map(|(tab, old)| match find(after, *tab) {
        Some(url) => {
            let changed = if url == *old { Changed::Same } else { Changed::Moved };
            Change { tab: *tab, changed, url, before: Some(old.clone()) }
        }
        None => {
            let (url, before) = (old.clone(), Some(old.clone()));
            Change { tab: *tab, changed: Changed::Closed, url, before }
        }
    });
    let new = after.iter().filter(|(tab, _)| find(before, *tab).is_none());
    let of_new = new.map(|(tab, url)| Change {
        tab: *tab,
        changed: Changed::Opened,
        url: url.clone(),
        before: None,
    });
    of_old.chain(of_new).collect()
}

#[cfg(test)]
mod tests {
    use super::{Changed, between};

    #[test]
    fn every_tab_is_told_of_once() {
        let at = |id, url: &str| (id, url.to_owned());
        let before = [at(1, "a"), at(2, "b"), at(3, "c")];
        let after = [at(1, "a"), at(3, "d"), at(4, "e")];
        let told: Vec<_> = between(&before, &after)
            .into_iter()
            .map(|change| (change.tab, change.changed, change.url))
            .collect();
        let expected = [
            (1, Changed::Same, "a".to_owned()),
            (2, Changed::Closed, "b".to_owned()),
            (3, Changed::Moved, "d".to_owned()),
            (4, Changed::Opened, "e".to_owned()),
        ];
        assert_eq!(told, expected);
    }
}
