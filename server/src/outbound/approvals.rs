//! What callers other than the owner wait to have approved, and what was. Kept
//! in memory: a new daemon asks again.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::policy::{Capability, Kind};

/// Requests that may wait; the oldest give way.
const MOST_PENDING: usize = 100;

/// Approvals that are remembered.
const MOST_GRANTED: usize = 10_000;

/// Time after which a request that nobody approved is forgotten.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// The approvals of a daemon.
#[derive(Debug, Default)]
pub struct Approvals {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    pending: VecDeque<Pending>,
    granted: HashSet<(String, String)>,
}

/// What one may have approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What tells it from others.
    pub key: String,
    /// What the owner reads, such as `fetch api.example.com`.
    pub words: String,
}

impl From<&str> for Action {
    fn from(words: &str) -> Self {
        Self { key: words.to_owned(), words: words.to_owned() }
    }
}

/// Something that waits for approval.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What it is approved by.
    pub id: String,
    /// Who wants it.
    pub client: String,
    /// What is wanted.
    pub action: Action,
    /// When it was asked for first.
    pub since: Instant,
}

impl Approvals {
    /// Whether `caller` may do `action`; the id to approve it by when not.
    ///
    /// # Errors
    /// The id.
    pub fn check(&self, caller: &Capability, action: impl Into<Action>) -> Result<(), String> {
        let (client, action) = (name(caller), action.into());
        let mut state = self.lock();
        if state.granted.contains(&(client.clone(), action.key.clone())) {
            return Ok(());
        }
        let same =
            |waiting: &&Pending| waiting.client == client && waiting.action.key == action.key;
        if let Some(waiting) = state.pending.iter().find(same) {
            return Err(waiting.id.clone());
        }
        if state.pending.len() == MOST_PENDING {
            state.pending.pop_front();
        }
        let id = format!("{:06x}", rand::random::<u32>() & 0x00ff_ffff);
        let since = Instant::now();
        state.pending.push_back(Pending { id: id.clone(), client, action, since });
        Err(id)
    }

    /// The same for what is approved one time only: an approval that is used
    /// is gone.
    ///
    /// # Errors
    /// The id.
    pub fn once(&self, caller: &Capability, action: impl Into<Action>) -> Result<(), String> {
        let action = action.into();
        let wanted = (name(caller), action.key.clone());
        if self.lock().granted.remove(&wanted) {
            return Ok(());
        }
        self.check(caller, action)
    }

    /// What waits, oldest first.
    pub fn pending(&self) -> Vec<Pending> {
        self.lock().pending.iter().cloned().collect()
    }

    /// Approves what waits under `id`.
    pub fn approve(&self, id: &str) -> Option<Pending> {
        let mut state = self.lock();
        let at = state.pending.iter().position(|waiting| waiting.id == id)?;
        let approved = state.pending.remove(at)?;
        if state.granted.len() < MOST_GRANTED {
            state.granted.insert((approved.client.clone(), approved.action.key.clone()));
        }
        Some(approved)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.pending.retain(|waiting| waiting.since.elapsed() < PATIENCE);
        state
    }
}

/// Whom an approval is for: of a skill all its runs, each of which has a client
/// of its own.
fn name(caller: &Capability) -> String {
    let client = caller.client.as_str();
    match (caller.kind, client.rsplit_once(':')) {
        (Kind::Skill, Some((skill, _run))) if skill.contains(':') => skill.to_owned(),
        _ => client.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::ClientId;

    fn skill(client: &str) -> Capability {
        let client = ClientId::new(client).expect("a good name");
        Capability { client, kind: Kind::Skill, ..Capability::root() }
    }

    #[test]
    fn an_approval_is_for_all_runs_of_one_skill_and_one_action() {
        let approvals = Approvals::default();
        let id = approvals.check(&skill("skill:a:1"), "fetch x").expect_err("it is new");
        assert_eq!(approvals.check(&skill("skill:a:2"), "fetch x"), Err(id.clone()));
        assert_eq!(approvals.pending().len(), 1);
        assert_eq!(approvals.approve(&id).expect("it waits").action.words, "fetch x");
        assert!(approvals.approve(&id).is_none() && approvals.pending().is_empty());
        assert_eq!(approvals.check(&skill("skill:a:3"), "fetch x"), Ok(()));
        assert!(approvals.check(&skill("skill:a:3"), "fetch y").is_err());
        assert!(approvals.check(&skill("skill:b:1"), "fetch x").is_err());
    }

    #[test]
    fn what_is_approved_once_is_used_once() {
        let approvals = Approvals::default();
        let root = Capability::root();
        let id = approvals.once(&root, "send x").expect_err("it is new");
        assert_eq!(approvals.once(&root, "send x"), Err(id.clone()));
        approvals.approve(&id).expect("it waits");
        assert!(approvals.once(&skill("skill:a:1"), "send x").is_err(), "another client");
        assert_eq!(approvals.once(&root, "send x"), Ok(()));
        assert!(approvals.once(&root, "send x").is_err());
    }

    #[test]
    fn what_waits_is_bounded() {
        let approvals = Approvals::default();
        for number in 0..3 * MOST_PENDING {
            let _ = approvals.check(&skill("skill:a:1"), format!("fetch {number}").as_str());
        }
        assert_eq!(approvals.pending().len(), MOST_PENDING);
    }
}
