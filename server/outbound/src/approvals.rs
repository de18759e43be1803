//! What callers wait to have approved, and what was decided. Kept in memory: a new daemon asks
//! again.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use browse_policy::{Capability, ClientKind};
use tokio::sync::watch;

/// Requests that may wait; the oldest give way.
const MAX_PENDING: usize = 100;

/// Decisions that are remembered; the oldest are forgotten, and asked for again.
const MAX_DECISIONS: usize = 10_000;

/// Time after which a request that nobody decided on is forgotten, and a denial too.
const PENDING_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// The approvals of a daemon.
#[derive(Debug, Default)]
pub struct Approvals {
    state: Mutex<ApprovalState>,
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct ApprovalState {
    pending: VecDeque<PendingApproval>,
    decisions: VecDeque<ApprovalDecision>,
}

/// What one may have approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalAction {
    /// What tells it from others.
    pub key: String,
    /// What the owner reads, such as `fetch api.example.com`.
    pub description: String,
    /// What all acts of its kind have in common: the command and the site. None where the
    /// key is that already.
    pub kind: Option<String>,
}

impl From<&str> for ApprovalAction {
    fn from(words: &str) -> Self {
        Self { key: words.to_owned(), description: words.to_owned(), kind: None }
    }
}

/// Something that waits for approval.
#[derive(Clone, Debug)]
pub struct PendingApproval {
    /// What it is decided on by.
    pub id: String,
    /// Who wants it.
    pub client: String,
    /// What is wanted.
    pub action: ApprovalAction,
    /// When it was asked for first.
    pub since: Instant,
}

/// What the owner decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerDecision {
    /// It may be done; what is asked for each time may be done one time.
    Approved,
    /// It, and all of its kind, may be done until the daemon ends.
    ApprovedAlways,
    /// It may not be done, for half an hour.
    Denied,
}

impl OwnerDecision {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::ApprovedAlways => "always",
            Self::Denied => "denied",
        }
    }
}

/// A decision of the owner.
#[derive(Clone, Debug)]
pub struct ApprovalDecision {
    /// What was decided on; it can be revoked by its id.
    pub approval: PendingApproval,
    /// What was decided.
    pub verdict: OwnerDecision,
    /// When.
    pub time: SystemTime,
}

/// Why an act is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAllowed {
    /// It waits for the owner, by this id.
    Waits(String),
    /// The owner denied it.
    Denied,
}

impl Approvals {
    /// Whether `caller` may do `action`.
    ///
    /// # Errors
    /// It waits for the owner, or was denied.
    pub fn check(
        &self,
        caller: &Capability,
        action: impl Into<ApprovalAction>,
    ) -> Result<(), NotAllowed> {
        self.check_with(caller, action.into(), false)
    }

    /// The same for what is approved one time only: an approval that is used
    /// is gone, unless all acts of the kind are approved.
    ///
    /// # Errors
    /// As [`Approvals::check`].
    pub fn check_once(
        &self,
        caller: &Capability,
        action: impl Into<ApprovalAction>,
    ) -> Result<(), NotAllowed> {
        self.check_with(caller, action.into(), true)
    }

    fn check_with(
        &self,
        caller: &Capability,
        action: ApprovalAction,
        once: bool,
    ) -> Result<(), NotAllowed> {
        let client = approval_client(caller);
        let mut state = self.lock();
        let at = state.decisions.iter().rposition(|decision| decision.covers(&client, &action));
        match at.map(|at| (at, state.decisions[at].verdict)) {
            Some((_, OwnerDecision::Denied)) => return Err(NotAllowed::Denied),
            Some((_, OwnerDecision::ApprovedAlways)) => return Ok(()),
            Some((at, OwnerDecision::Approved)) => {
                if once {
                    state.decisions.remove(at);
                }
                return Ok(());
            }
            None => {}
        }
        let same = |waiting: &&PendingApproval| {
            waiting.client == client && waiting.action.key == action.key
        };
        if let Some(waiting) = state.pending.iter().find(same) {
            return Err(NotAllowed::Waits(waiting.id.clone()));
        }
        if state.pending.len() == MAX_PENDING {
            state.pending.pop_front();
        }
        let id = format!("{:06x}", rand::random::<u32>() & 0x00ff_ffff);
        let since = Instant::now();
        state.pending.push_back(PendingApproval { id: id.clone(), client, action, since });
        drop(state);
        self.notify();
        Err(NotAllowed::Waits(id))
    }

    /// What waits, oldest first.
    pub fn pending(&self) -> Vec<PendingApproval> {
        self.lock().pending.iter().cloned().collect()
    }

    /// What was decided and is in force, oldest first.
    pub fn decisions(&self) -> Vec<ApprovalDecision> {
        self.lock().decisions.iter().cloned().collect()
    }

    /// Decides on what waits under `id`.
    pub fn decide(&self, id: &str, verdict: OwnerDecision) -> Option<PendingApproval> {
        let mut state = self.lock();
        let at = state.pending.iter().position(|waiting| waiting.id == id)?;
        let approval = state.pending.remove(at)?;
        if state.decisions.len() == MAX_DECISIONS {
            state.decisions.pop_front();
        }
        let time = SystemTime::now();
        state.decisions.push_back(ApprovalDecision { approval: approval.clone(), verdict, time });
        drop(state);
        self.notify();
        Some(approval)
    }

    /// Takes a decision back: it is asked for again.
    pub fn revoke(&self, id: &str) -> Option<ApprovalDecision> {
        let mut state = self.lock();
        let at = state.decisions.iter().position(|decision| decision.approval.id == id)?;
        state.decisions.remove(at)
    }

    /// Waits until what waits under `id` is decided on or forgotten.
    pub async fn wait_decided(&self, id: &str) {
        let mut changes = self.changes.subscribe();
        while self.lock().pending.iter().any(|waiting| waiting.id == id) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    fn notify(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    fn lock(&self) -> MutexGuard<'_, ApprovalState> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.pending.retain(|waiting| waiting.since.elapsed() < PENDING_TIMEOUT);
        state.decisions.retain(ApprovalDecision::is_in_force);
        state
    }
}

impl ApprovalDecision {
    /// Whether it is about `action` of `client`.
    fn covers(&self, client: &str, action: &ApprovalAction) -> bool {
        let own = &self.approval.action;
        let is_kind = self.verdict == OwnerDecision::ApprovedAlways
            && own.kind.is_some()
            && own.kind == action.kind;
        self.approval.client == client && (own.key == action.key || is_kind)
    }

    fn is_in_force(&self) -> bool {
        self.verdict != OwnerDecision::Denied
            || self.time.elapsed().is_ok_and(|elapsed| elapsed < PENDING_TIMEOUT)
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

    impl NotAllowed {
        fn id(self) -> String {
            match self {
                Self::Waits(id) => id,
                Self::Denied => panic!("it was denied"),
            }
        }
    }

    fn skill(client: &str) -> Capability {
        let client = ClientId::new(client).expect("a good name");
        Capability { client, kind: ClientKind::Skill, ..Capability::root() }
    }

    #[test]
    fn an_approval_is_for_all_runs_of_one_skill_and_one_action() {
        let approvals = Approvals::default();
        let id = approvals.check(&skill("skill:a:1"), "fetch x").expect_err("it is new").id();
        assert_eq!(
            approvals.check(&skill("skill:a:2"), "fetch x"),
            Err(NotAllowed::Waits(id.clone()))
        );
        assert_eq!(approvals.pending().len(), 1);
        assert_eq!(
            approvals.decide(&id, OwnerDecision::Approved).expect("it waits").action.description,
            "fetch x"
        );
        assert!(
            approvals.decide(&id, OwnerDecision::Approved).is_none()
                && approvals.pending().is_empty()
        );
        assert_eq!(approvals.check(&skill("skill:a:3"), "fetch x"), Ok(()));
        assert!(approvals.check(&skill("skill:a:3"), "fetch y").is_err());
        assert!(approvals.check(&skill("skill:b:1"), "fetch x").is_err());
    }

    #[test]
    fn what_is_approved_once_is_used_once() {
        let approvals = Approvals::default();
        let root = Capability::root();
        let id = approvals.check_once(&root, "send x").expect_err("it is new").id();
        assert_eq!(approvals.check_once(&root, "send x"), Err(NotAllowed::Waits(id.clone())));
        approvals.decide(&id, OwnerDecision::Approved).expect("it waits");
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

    fn sends(text: &str) -> ApprovalAction {
        let kind = Some("click shop.test".to_owned());
        ApprovalAction { key: text.to_owned(), description: text.to_owned(), kind }
    }

    #[test]
    fn a_denial_holds_and_can_be_taken_back() {
        let approvals = Approvals::default();
        let root = Capability::root();
        let id = approvals.check_once(&root, sends("x")).expect_err("it is new").id();
        approvals.decide(&id, OwnerDecision::Denied).expect("it waits");
        assert_eq!(approvals.check_once(&root, sends("x")), Err(NotAllowed::Denied));
        assert!(approvals.check_once(&root, sends("y")).is_err(), "another text is asked for");
        assert_eq!(approvals.decisions()[0].verdict, OwnerDecision::Denied);
        approvals.revoke(&id).expect("it was decided");
        let again = approvals.check_once(&root, sends("x")).expect_err("it is new again").id();
        assert!(again != id && approvals.decisions().is_empty());
    }

    #[test]
    fn what_is_approved_always_covers_its_kind_and_its_client() {
        let approvals = Approvals::default();
        let root = Capability::root();
        let id = approvals.check_once(&root, sends("x")).expect_err("it is new").id();
        approvals.decide(&id, OwnerDecision::ApprovedAlways).expect("it waits");
        for text in ["x", "x", "y"] {
            assert_eq!(approvals.check_once(&root, sends(text)), Ok(()));
        }
        assert!(approvals.check_once(&skill("skill:a:1"), sends("x")).is_err());
        let other = ApprovalAction { kind: Some("click evil.test".to_owned()), ..sends("z") };
        assert!(approvals.check_once(&root, other).is_err());
    }

    #[tokio::test]
    async fn a_decision_is_waited_for() {
        let approvals = Approvals::default();
        let id = approvals.check(&Capability::root(), "fetch x").expect_err("it is new").id();
        let decide = async {
            tokio::task::yield_now().await;
            approvals.decide(&id, OwnerDecision::Approved).expect("it waits");
        };
        tokio::join!(approvals.wait_decided(&id), decide);
        approvals.wait_decided("unknown").await;
    }
}
