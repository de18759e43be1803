//! What became of tabs while a person had them.

use browse_sessions::TabId;

/// What became of one tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowTabChange {
    /// The tab.
    pub tab: TabId,
    /// What happened to it.
    pub kind: TabChangeKind,
    /// Where it is now, or was last.
    pub url: String,
    /// Where it was before.
    pub previous_url: Option<String>,
}

/// What happened to a tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TabChangeKind {
    /// Nothing.
    Same,
    /// It is at another address.
    Moved,
    /// It is new.
    Opened,
    /// It is gone.
    Closed,
}

impl TabChangeKind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Moved => "moved",
            Self::Opened => "opened",
            Self::Closed => "closed",
        }
    }
}

/// Compares tabs and their addresses.
pub fn compare_tabs(before: &[(TabId, String)], after: &[(TabId, String)]) -> Vec<WindowTabChange> {
    let find = |all: &[(TabId, String)], id: TabId| {
        all.iter().find(|(other, _)| *other == id).map(|(_, url)| url.clone())
    };
    let of_old = before.iter().map(|(tab, old)| match find(after, *tab) {
        Some(url) => {
            let changed = if url == *old { TabChangeKind::Same } else { TabChangeKind::Moved };
            WindowTabChange { tab: *tab, kind: changed, url, previous_url: Some(old.clone()) }
        }
        None => {
            let (url, before) = (old.clone(), Some(old.clone()));
            WindowTabChange { tab: *tab, kind: TabChangeKind::Closed, url, previous_url: before }
        }
    });
    let new = after.iter().filter(|(tab, _)| find(before, *tab).is_none());
    let of_new = new.map(|(tab, url)| WindowTabChange {
        tab: *tab,
        kind: TabChangeKind::Opened,
        url: url.clone(),
        previous_url: None,
    });
    of_old.chain(of_new).collect()
}

#[cfg(test)]
mod tests {
    use super::{TabChangeKind, compare_tabs};

    #[test]
    fn every_tab_is_told_of_once() {
        let at = |id, url: &str| (id, url.to_owned());
        let before = [at(1, "a"), at(2, "b"), at(3, "c")];
        let after = [at(1, "a"), at(3, "d"), at(4, "e")];
        let reported: Vec<_> = compare_tabs(&before, &after)
            .into_iter()
            .map(|change| (change.tab, change.kind, change.url))
            .collect();
        let expected = [
            (1, TabChangeKind::Same, "a".to_owned()),
            (2, TabChangeKind::Closed, "b".to_owned()),
            (3, TabChangeKind::Moved, "d".to_owned()),
            (4, TabChangeKind::Opened, "e".to_owned()),
        ];
        assert_eq!(reported, expected);
    }
}
