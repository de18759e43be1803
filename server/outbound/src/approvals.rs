//! What callers other than the owner wait to have approved, and what was. Kept
//! in memory: a new daemon asks again.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use browse_policy::{Capability, ClientKind};

/// Requests that may wait; the oldest give way.
const MAX_PENDING: usize = 100;

/// Approvals that are remembered.
const MAX_APPROVED: usize = 10_000;

/// Time after which a request that nobody approved is forgotten.
const PENDING_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// The approvals of a daemon.
#[derive(Debug, Default)]
pub struct Approvals {
    state: Mutex<ApprovalState>,
}

#[derive(Debug, Default)]
struct ApprovalState {
    pending: VecDeque<PendingApproval>,
    approved: HashSet<(String, String)>,
}

/// What one may have approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalAction {
    /// What tells it from others.
    pub key: String,
    /// What the owner reads, such as `fetch api.example.com`.
    pub description: String,
}

impl From<&str> for ApprovalAction {
    fn from(words: &str) -> Self {
        Self { key: words.to_owned(), description: words.to_owned() }
    }
}

/// Something that waits for approval.
#[derive(Clone, Debug)]
pub struct PendingApproval {
    /// What it is approved by.
    pub id: String,
    /// Who wants it.
    pub client: String,
    /// What is wanted.
    pub action: ApprovalAction,
    /// When it was asked for first.
    pub since: Instant,
}

impl Approvals {
    /// Whether `caller` may do `action`; the id to approve it by when not.
    ///
    /// # Errors
    /// The id.
    pub fn check(
        &self,
        caller: &Capability,
        action: impl Into<ApprovalAction>,
    ) -> Result<(), String> {
        let (client, action) = (approval_client(caller), action.into());
        let mut state = self.lock();
        if state.approved.contains(&(client.clone(), action.key.clone())) {
            return Ok(());
        }
        let same = |waiting: &&PendingApproval| {
            waiting.client == client && waiting.action.key == action.key
        };
        if let Some(waiting) = state.pending.iter().find(same) {
            return Err(waiting.id.clone());
        }
        if state.pending.len() == MAX_PENDING {
            state.pending.pop_front();
        }
        let id = format!("{:06x}", rand::random::<u32>() & 0x00ff_ffff);
        let since = Instant::now();
        state.pending.push_back(PendingApproval { id: id.clone(), client, action, since });
        Err(id)
    }

    /// The same for what is approved one time only: an approval that is used
    /// is gone.
    ///
    /// # Errors
    /// The id.
    pub fn check_once(
        &self,
        caller: &Capability,
        action: impl Into<ApprovalAction>,
    ) -> Result<(), String> {
        let action = action.into();
        let wanted = (approval_client(caller), action.key.clone());
        if self.lock().approved.remove(&wanted) {
            return Ok(());
        }
        self.check(caller, action)
    }

    /// What waits, oldest first.
    pub fn pending(&self) -> Vec<PendingApproval> {
        self.lock().pending.iter().cloned().collect()
    }

    /// Approves what waits under `id`.
    pub fn approve(&self, id: &str) -> Option<PendingApproval> {
        let mut state = self.lock();
        let at = state.pending.iter().position(|waiting| waiting.id == id)?;
        let approved = state.pending.remove(at)?;
        if state.approved.len() < MAX_APPROVED {
            state.approved.insert((approved.client.clone(), approved.action.key.clone()));
        }
        Some(approved)
    }

    fn lock(&self) -> MutexGuard<'_, ApprovalState> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.pending.retain(|waiting| waiting.since.elapsed() < PENDING_TIMEOUT);
        state
    }
}

/// Whom an approval is for: of a skill all its runs, each of which has a client
/// of its own.
fn approval_client(caller: &Capability) -> String {
    let client = caller.client.as_str();
    match (caller.kind, client.rsplit_once(':')) {
        (ClientKind::Skill, Some((skill, _run))) if skill.contains(':') => skill.to_owned(),
        _ => client.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browse_policy::ClientId;

    fn skill(client: &str) -> Capability {
        let client = ClientId::new(client).expect("a good name");
        Capability { client, kind: ClientKind::Skill, ..Capability::root() }
    }

    #[test]
    fn an_approval_is_for_all_runs_of_one_skill_and_one_action() {
        let approvals = Approvals::default();
        let id = approvals.check(&skill("skill:a:1"), "fetch x").expect_err("it is new");
        assert_eq!(approvals.check(&skill("skill:a:2"), "fetch x"), Err(id.clone()));
        assert_eq!(approvals.pending().len(), 1);
        assert_eq!(approvals.approve(&id).expect("it waits").action.description, "fetch x");
        assert!(approvals.approve(&id).is_none() && approvals.pending().is_empty());
        assert_eq!(approvals.check(&skill("skill:a:3"), "fetch x"), Ok(()));
        assert!(approvals.check(&skill("skill:a:3"), "fetch y").is_err());
        assert!(approvals.check(&skill("skill:b:1"), "fetch x").is_err());
    }

    #[test]
    fn what_is_approved_once_is_used_once() {
        let approvals = Approvals::default();
        let root = Capability::root();
        let id = approvals.check_once(&root, "send x").expect_err("it is new");
        assert_eq!(approvals.check_once(&root, "send x"), Err(id.clone()));
        approvals.approve(&id).expect("it waits");
        assert!(approvals.check_once(&skill("skill:a:1"), "send x").is_err(), "another client");
        assert_eq!(approvals.check_once(&root, "send x"), Ok(()));
        assert!(approvals.check_once(&root, "send x").is_err());
    }

    #[test]
    fn what_waits_is_bounded() {
        let approvals = Approvals::default();
        for number in 0..3 * MAX_PENDING {
            let _ = approvals.check(&skill("skill:a:1"), format!("fetch {number}").as_str());
        }
        assert_eq!(approvals.pending().len(), MAX_PENDING);
    }
}
