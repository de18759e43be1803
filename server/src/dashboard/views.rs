//! What open views show, which their callers change while pictures come, and which pictures
//! arrived.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use browse_policy::ClientId;
use browse_sessions::TabId;
use tokio::sync::watch;

/// What a view shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewSettings {
    /// Tabs, small.
    pub tabs: Vec<TabId>,
    /// The tab that is shown large, and the largest width of its pictures in pixels.
    pub large: Option<(TabId, u32)>,
    /// Number of the last message that arrived.
    pub received: u64,
}

/// The open views, by their callers and names.
#[derive(Debug, Default)]
pub struct Views(Mutex<HashMap<ViewKey, Arc<watch::Sender<ViewSettings>>>>);

type ViewKey = (ClientId, String);

/// An open view; it is gone when this is dropped.
pub struct OpenView {
    key: ViewKey,
    sender: Arc<watch::Sender<ViewSettings>>,
    views: Arc<Views>,
}

impl Views {
    /// Opens a view. Another one of the same name is not found any more.
    pub fn open(self: &Arc<Self>, client: &ClientId, name: &str, begin: ViewSettings) -> OpenView {
        let key = (client.clone(), name.to_owned());
        let sender = Arc::new(watch::Sender::new(begin));
        self.lock().insert(key.clone(), Arc::clone(&sender));
        OpenView { key, sender, views: Arc::clone(self) }
    }

    /// Changes a view; answers its settings afterwards. Nothing when it is not open.
    pub fn update(
        &self,
        client: &ClientId,
        name: &str,
        change: impl FnOnce(&mut ViewSettings),
    ) -> Option<ViewSettings> {
        let sender = self.lock().get(&(client.clone(), name.to_owned())).cloned()?;
        sender.send_modify(change);
        let settings = sender.borrow().clone();
        Some(settings)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ViewKey, Arc<watch::Sender<ViewSettings>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenView {
    /// Its settings, as they change.
    pub fn subscribe(&self) -> watch::Receiver<ViewSettings> {
        self.sender.subscribe()
    }
}

impl Drop for OpenView {
    fn drop(&mut self) {
        let mut views = self.views.lock();
        if views.get(&self.key).is_some_and(|sender| Arc::ptr_eq(sender, &self.sender)) {
            views.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_belongs_to_its_caller() {
        let views = Arc::<Views>::default();
        let (own, other) = (ClientId::root(), ClientId::new("other").expect("a name"));
        let view = views.open(&own, "a", ViewSettings::default());
        assert!(views.update(&other, "a", |_| ()).is_none());
        let changed = views.update(&own, "a", |settings| settings.received = 3);
        assert_eq!(changed.expect("it is open").received, 3);
        assert_eq!(view.subscribe().borrow().received, 3);
        // Opened again under its name, as after a lost connection.
        let again = views.open(&own, "a", ViewSettings::default());
        drop(view);
        assert!(views.update(&own, "a", |_| ()).is_some());
        drop(again);
        assert!(views.update(&own, "a", |_| ()).is_none());
    }
}
