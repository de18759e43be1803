//! Who is in control of a session: its agents, or a person who holds it.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use tokio::{sync::watch, time::Instant};

use super::TabId;
use browse_base::NoticeQueue;
use browse_engine::ControlPrompt;
use browse_policy::ClientId;

/// Time after the last sign of its holder in which a lease stays in force.
pub const HOLDER_TIMEOUT: Duration = Duration::from_secs(30);

/// A person holds the session until then.
#[derive(Clone, Debug)]
pub struct ControlLease {
    /// Names it: a secret of the holder.
    pub id: String,
    /// Who holds it.
    pub client: ClientId,
    /// Why, in the words of the holder.
    pub reason: String,
    /// Since when.
    pub since: SystemTime,
    /// When it ends at the latest.
    pub expires_at: SystemTime,
    /// Tabs and their addresses before.
    pub tabs_before: Vec<(TabId, String)>,
    /// Cookies before: name and domain.
    pub cookies_before: Vec<String>,
}

/// How a lease ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlEnd {
    /// Its holder gave the session back.
    GivenBack,
    /// Its time was over.
    Expired,
    /// Its holder gave no sign any more.
    HolderLost,
    /// Another person took the session.
    TakenOver,
}

impl ControlEnd {
    /// What happened, as the end of a sentence about the person.
    pub fn words(self) -> &'static str {
        match self {
            Self::GivenBack => "gave it back",
            Self::Expired => "had it until the time was over",
            Self::HolderLost => "went away without giving it back",
            Self::TakenOver => "lost it to another person",
        }
    }
}

/// A lease that is over.
#[derive(Clone, Debug)]
pub struct EndedLease {
    /// The lease.
    pub lease: ControlLease,
    /// How it ended.
    pub end: ControlEnd,
    /// What its holder wrote for the agent.
    pub note: Option<String>,
}

/// Who is in control of one session.
#[derive(Debug, Default)]
pub struct SessionControl {
    state: Mutex<ControlState>,
    changes: watch::Sender<u64>,
    notices: NoticeQueue,
}

#[derive(Debug, Default)]
struct ControlState {
    lease: Option<(ControlLease, Instant)>,
    /// What an agent asks a person to do.
    request: Option<String>,
    /// The last lease that ended, until an agent asks.
    ended: Option<EndedLease>,
    /// Controls that wait for a choice of the holder, by tab.
    prompts: HashMap<TabId, ControlPrompt>,
    /// When a lease ended last.
    last_end: Option<SystemTime>,
    /// Tabs and their addresses when the person paused the agents; none while they may act.
    pause: Option<Vec<(TabId, String)>>,
    /// The same of the last pause that ended, until an agent asks.
    ended_pause: Option<Vec<(TabId, String)>>,
}

impl SessionControl {
    /// What the person did, for the agents of the session.
    pub fn notices(&self) -> &NoticeQueue {
        &self.notices
    }

    /// The lease in force.
    pub fn holder(&self) -> Option<ControlLease> {
        self.lock().lease.as_ref().map(|(lease, _)| lease.clone())
    }

    /// Whether a person holds the session.
    pub fn is_held(&self) -> bool {
        self.lock().lease.is_some()
    }

    /// The person pauses the agents: they look, and do not act.
    pub fn pause(&self, tabs: Vec<(TabId, String)>) {
        self.lock().pause.get_or_insert(tabs);
        self.notify();
    }

    /// The person lets the agents go on; answers whether they were paused.
    pub fn end_pause(&self) -> bool {
        let mut state = self.lock();
        let Some(tabs) = state.pause.take() else { return false };
        state.ended_pause = Some(tabs);
        drop(state);
        self.notify();
        true
    }

    /// Tabs and their addresses at the begin of the last pause that ended, once.
    pub fn take_ended_pause(&self) -> Option<Vec<(TabId, String)>> {
        self.lock().ended_pause.take()
    }

    /// Whether the person has paused the agents.
    pub fn is_paused(&self) -> bool {
        self.lock().pause.is_some()
    }

    /// Whether a person holds the session, or has held it since `since`.
    pub fn was_held_since(&self, since: SystemTime) -> bool {
        let state = self.lock();
        state.lease.is_some() || state.last_end.is_some_and(|end| end >= since)
    }

    /// Puts `lease` in force, and ends the one of before when `force` is set. One of the same
    /// client goes on under its new name.
    ///
    /// # Errors
    /// The lease that is in force.
    pub fn take(&self, lease: ControlLease, force: bool) -> Result<(), Box<ControlLease>> {
        let mut state = self.lock();
        if let Some((held, _)) = &state.lease
            && !force
        {
            return Err(Box::new(held.clone()));
        }
        let before = state.lease.take().map(|(before, _)| before);
        // Its holder extends it.
        let lease = match &before {
            Some(before) if before.client == lease.client => ControlLease {
                since: before.since,
                tabs_before: before.tabs_before.clone(),
                cookies_before: before.cookies_before.clone(),
                ..lease
            },
            _ => lease,
        };
        if let Some(before) = before.filter(|before| before.client != lease.client) {
            let end = ControlEnd::TakenOver;
            state.ended = Some(EndedLease { lease: before, end, note: None });
        }
        state.lease = Some((lease, Instant::now()));
        state.prompts.clear();
        state.request = None;
        drop(state);
        self.notify();
        Ok(())
    }

    /// Notes a sign of the holder of the lease `id`; answers whether it is in force for
    /// `client`.
    pub fn renew(&self, id: &str, client: &ClientId) -> bool {
        match &mut self.lock().lease {
            Some((lease, seen)) if lease.id == id && lease.client == *client => {
                *seen = Instant::now();
                true
            }
            _ => false,
        }
    }

    /// Notes that the page of `client` is connected.
    pub fn note_connected(&self, client: &ClientId) {
        if let Some((lease, seen)) = &mut self.lock().lease
            && lease.client == *client
        {
            *seen = Instant::now();
        }
    }

    /// Ends the lease `id`; nothing when it is not in force.
    pub fn end(&self, id: &str, end: ControlEnd, note: Option<String>) -> Option<ControlLease> {
        let mut state = self.lock();
        let (lease, _) = state.lease.take_if(|(lease, _)| lease.id == id)?;
        state.ended = Some(EndedLease { lease: lease.clone(), end, note });
        state.last_end = Some(SystemTime::now());
        state.prompts.clear();
        drop(state);
        self.notify();
        Some(lease)
    }

    /// What a control of a tab waits for.
    pub fn prompt(&self, tab: TabId) -> Option<ControlPrompt> {
        self.lock().prompts.get(&tab).cloned()
    }

    /// Notes what a control of a tab waits for, or that it waits no more.
    pub fn set_prompt(&self, tab: TabId, prompt: Option<ControlPrompt>) {
        let mut state = self.lock();
        match prompt {
            Some(prompt) => state.prompts.insert(tab, prompt),
            None => state.prompts.remove(&tab),
        };
    }

    /// How the lease `id` ends by itself, and in what time; nothing when it is not in force.
    pub fn remaining(&self, id: &str) -> Option<(Duration, ControlEnd)> {
        let state = self.lock();
        let (lease, seen) = state.lease.as_ref().filter(|(lease, _)| lease.id == id)?;
        let until_end = lease.expires_at.duration_since(SystemTime::now()).unwrap_or_default();
        let until_lost = HOLDER_TIMEOUT.saturating_sub(seen.elapsed());
        Some(match until_end <= until_lost {
            true => (until_end, ControlEnd::Expired),
            false => (until_lost, ControlEnd::HolderLost),
        })
    }

    /// Asks for a person. How they had the session before is not the answer.
    pub fn ask(&self, reason: &str) {
        let mut state = self.lock();
        state.request = Some(reason.to_owned());
        state.ended = None;
        drop(state);
        self.notify();
    }

    /// What a person is asked for.
    pub fn request(&self) -> Option<String> {
        self.lock().request.clone()
    }

    /// Whether a person was asked for, and none has had the session since.
    pub fn waits_for_person(&self) -> bool {
        let state = self.lock();
        state.request.is_some() && state.lease.is_none() && state.ended.is_none()
    }

    /// Withdraws the request for a person.
    pub fn withdraw_request(&self) -> Option<String> {
        let request = self.lock().request.take();
        self.notify();
        request
    }

    /// The last lease that ended, once.
    pub fn take_ended(&self) -> Option<EndedLease> {
        self.lock().ended.take()
    }

    /// Hears of every change.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Wakes those that subscribed.
    pub fn notify(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    fn lock(&self) -> MutexGuard<'_, ControlState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(id: &str) -> ControlLease {
        ControlLease {
            id: id.to_owned(),
            client: ClientId::root(),
            reason: String::new(),
            since: SystemTime::now(),
            expires_at: SystemTime::now() + Duration::from_secs(60),
            tabs_before: Vec::new(),
            cookies_before: Vec::new(),
        }
    }

    #[test]
    fn one_person_holds_a_session() {
        let control = SessionControl::default();
        control.ask("sign in");
        control.take(lease("a"), false).expect("nobody holds it");
        assert_eq!(control.request(), None, "somebody came");
        assert_eq!(control.take(lease("b"), false).expect_err("it is held").id, "a");
        let other = ControlLease { client: ClientId::new("b").expect("a name"), ..lease("b") };
        control.take(other, true).expect("by force");
        assert_eq!(control.take_ended().expect("a lost it").end, ControlEnd::TakenOver);
        assert!(control.end("a", ControlEnd::GivenBack, None).is_none(), "it is b's");
        let b = ClientId::new("b").expect("a name");
        assert!(control.renew("b", &b) && !control.renew("a", &b));
        assert!(!control.renew("b", &ClientId::root()));
        control.end("b", ControlEnd::GivenBack, Some("done".into())).expect("it is b's");
        let ended = control.take_ended().expect("it ended");
        assert_eq!((ended.end, ended.note.as_deref()), (ControlEnd::GivenBack, Some("done")));
        assert!(!control.is_held() && control.take_ended().is_none());
    }

    #[test]
    fn a_request_waits_for_a_person_who_comes_after_it() {
        let control = SessionControl::default();
        control.take(lease("a"), false).expect("nobody holds it");
        control.end("a", ControlEnd::GivenBack, None).expect("it is a's");
        control.ask("sign in");
        assert!(control.waits_for_person(), "nobody has come since");
        control.take(lease("b"), false).expect("nobody holds it");
        control.end("b", ControlEnd::GivenBack, None).expect("it is b's");
        assert_eq!(control.take_ended().map(|ended| ended.lease.id), Some("b".to_owned()));
    }

    #[test]
    fn a_pause_ends_once_and_is_asked_about_once() {
        let control = SessionControl::default();
        assert!(!control.end_pause() && control.take_ended_pause().is_none());
        let tabs = vec![(1, "https://a.example/".to_owned())];
        control.pause(tabs.clone());
        control.pause(Vec::new());
        assert!(control.is_paused() && control.take_ended_pause().is_none());
        assert!(control.end_pause() && !control.is_paused());
        assert_eq!(control.take_ended_pause(), Some(tabs));
        assert!(control.take_ended_pause().is_none());
    }

    #[test]
    fn a_holder_extends_its_lease() {
        let control = SessionControl::default();
        let first = ControlLease { cookies_before: vec!["sid".to_owned()], ..lease("a") };
        control.take(first, false).expect("nobody holds it");
        control.take(lease("b"), true).expect("it is the same client");
        let held = control.holder().expect("it is held");
        assert_eq!(
            (held.id.as_str(), held.cookies_before.as_slice()),
            ("b", &["sid".to_owned()][..])
        );
        assert!(control.take_ended().is_none(), "nothing ended");
    }

    #[test]
    fn a_lease_ends_by_its_time_or_without_its_holder() {
        let control = SessionControl::default();
        let short = SystemTime::now() + Duration::from_secs(5);
        control.take(ControlLease { expires_at: short, ..lease("a") }, false).expect("free");
        assert_eq!(control.remaining("a").expect("in force").1, ControlEnd::Expired);
        control.take(lease("b"), true).expect("by force");
        let (time, end) = control.remaining("b").expect("in force");
        assert!(time <= HOLDER_TIMEOUT && end == ControlEnd::HolderLost);
        assert!(control.remaining("a").is_none());
    }
}
