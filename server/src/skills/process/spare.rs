//! A supervisor that waits for its plan in namespaces that are made already:
//! starting our own program and making namespaces is most of what a run takes
//! before its program begins, and neither depends on the skill.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::Supervised;
use crate::skills::supervisor;

/// After a run, until its caller has the answer.
const AFTER: Duration = Duration::from_millis(30);

/// Without a run for so long there is none.
const KEPT: Duration = Duration::from_secs(300);

/// The one that waits, if any.
#[derive(Clone, Debug, Default)]
pub struct Spares(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    one: Option<Supervised>,
    /// How many were asked for, so that only the last is kept for its time.
    asked: u64,
}

impl Spares {
    /// The one that waits, unless it is dead.
    pub fn take(&self) -> Option<Supervised> {
        let mut one = self.with(|waiting| waiting.one.take())?;
        matches!(one.child.try_wait(), Ok(None)).then_some(one)
    }

    /// Has one ready for the next run, soon.
    pub fn renew(&self) {
        if !cfg!(target_os = "linux") {
            return;
        }
        let this = self.clone();
        let asked = self.with(|waiting| {
            waiting.asked += 1;
            waiting.asked
        });
        tokio::spawn(async move {
            tokio::time::sleep(AFTER).await;
            // The last of several runs at once speaks for all.
            if this.with(|waiting| waiting.asked) != asked {
                return;
            }
            this.fill();
            tokio::time::sleep(KEPT).await;
            this.with(|waiting| (waiting.asked == asked).then(|| waiting.one.take()));
        });
    }

    fn fill(&self) {
        if self.with(|waiting| waiting.one.is_some()) {
            return;
        }
        match Supervised::spawn(&[supervisor::AHEAD]) {
            Ok(one) => drop(self.with(|waiting| waiting.one.replace(one))),
            Err(error) => tracing::debug!(%error, "no supervisor waits for the next run"),
        }
    }

    fn with<T>(&self, change: impl FnOnce(&mut Waiting) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
