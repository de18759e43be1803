//! A supervisor that waits for its plan in namespaces that are made already:
//! starting our own program and making namespaces is most of what a run takes
//! before its program begins, and neither depends on the skill.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::SupervisedChild;
use crate::skills::supervisor;

/// After a run, until its caller has the answer.
const REFILL_DELAY: Duration = Duration::from_millis(30);

/// Without a run for so long there is none.
const MAX_IDLE: Duration = Duration::from_secs(300);

/// The one that waits, if any.
#[derive(Clone, Debug, Default)]
pub struct SpareSupervisors(Arc<Mutex<SpareState>>);

#[derive(Debug, Default)]
struct SpareState {
    spare: Option<SupervisedChild>,
    /// How many were asked for, so that only the last is kept for its time.
    generation: u64,
}

impl SpareSupervisors {
    /// The one that waits, unless it is dead.
    pub fn take(&self) -> Option<SupervisedChild> {
        let mut one = self.with_state(|waiting| waiting.spare.take())?;
        matches!(one.child.try_wait(), Ok(None)).then_some(one)
    }

    /// Has one ready for the next run, soon.
    pub fn schedule_refill(&self) {
        if !cfg!(target_os = "linux") {
            return;
        }
        let this = self.clone();
        let asked = self.with_state(|waiting| {
            waiting.generation += 1;
            waiting.generation
        });
        tokio::spawn(async move {
            tokio::time::sleep(REFILL_DELAY).await;
            // The last of several runs at once speaks for all.
            if this.with_state(|waiting| waiting.generation) != asked {
                return;
            }
            this.refill();
            tokio::time::sleep(MAX_IDLE).await;
            this.with_state(|waiting| (waiting.generation == asked).then(|| waiting.spare.take()));
        });
    }

    fn refill(&self) {
        if self.with_state(|waiting| waiting.spare.is_some()) {
            return;
        }
        match SupervisedChild::spawn(&[supervisor::PREFORK]) {
            Ok(one) => drop(self.with_state(|waiting| waiting.spare.replace(one))),
            Err(error) => tracing::debug!(%error, "no supervisor waits for the next run"),
        }
    }

    fn with_state<T>(&self, change: impl FnOnce(&mut SpareState) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
