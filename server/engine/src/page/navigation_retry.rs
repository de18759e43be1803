//! Reading a tab that is on its way to another document: scripts go somewhere else
//! right after a page was loaded. Then the next document is read.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

/// How long a tab may stand before its next document, which is where it waits
/// for a server, until the reader is notified.
const STALL_TIMEOUT: Duration = Duration::from_secs(3);

/// How long it may go from one document to the next in all.
const NAVIGATION_CHAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// Time until the browser tells of the document that came instead.
const COMMIT_EVENT_DELAY: Duration = Duration::from_millis(15);

tokio::task_local! {
    /// The way that the reader waits for.
    static RETRY_BUDGET: Cell<NavigationRetryBudget>;
}

/// The way of a tab from document to document.
#[derive(Clone, Copy)]
struct NavigationRetryBudget {
    deadline: Instant,
    /// Documents that the tab had shown when one was looked for last.
    documents_shown: u64,
    /// When it will have stood too long before the next one.
    stall_deadline: Instant,
}

impl NavigationRetryBudget {
    fn start(limit: Instant, shown: u64) -> Self {
        let now = Instant::now();
        Self {
            deadline: limit.min(now + NAVIGATION_CHAIN_TIMEOUT),
            documents_shown: shown,
            stall_deadline: now + STALL_TIMEOUT,
        }
    }

    /// Whether the tab may go on, having shown so many documents by now.
    fn may_continue(&mut self, shown: u64) -> bool {
        let now = Instant::now();
        if self.documents_shown != shown {
            self.documents_shown = shown;
            self.stall_deadline = now + STALL_TIMEOUT;
        }
        now < self.deadline.min(self.stall_deadline)
    }
}

/// What `ask` answers, asked again while its document is left meanwhile, which
/// `is_under_way` tells by its error, until `limit` at the latest. It must do
/// nothing but look. `shown` counts the documents that the tab has shown.
pub async fn retry_across_navigation<T, E, F: Future<Output = Result<T, E>>>(
    limit: Option<Instant>,
    shown: impl Fn() -> u64,
    is_under_way: impl Fn(&E) -> bool,
    ask: impl Fn() -> F,
) -> Result<T, E> {
    // Who asks within an answer has the time that is left of it.
    if RETRY_BUDGET.try_with(|_| ()).is_ok() {
        return retry_within_budget(shown, is_under_way, ask).await;
    }
    let now = Instant::now();
    let way =
        NavigationRetryBudget::start(limit.unwrap_or(now + NAVIGATION_CHAIN_TIMEOUT), shown());
    RETRY_BUDGET.scope(Cell::new(way), retry_within_budget(shown, is_under_way, ask)).await
}

async fn retry_within_budget<T, E, F: Future<Output = Result<T, E>>>(
    shown: impl Fn() -> u64,
    is_under_way: impl Fn(&E) -> bool,
    ask: impl Fn() -> F,
) -> Result<T, E> {
    let goes_on = || {
        RETRY_BUDGET.with(|way| {
            let mut now = way.get();
            let goes_on = now.may_continue(shown());
            way.set(now);
            goes_on
        })
    };
    loop {
        match ask().await {
            Err(error) if is_under_way(&error) && goes_on() => {
                tokio::time::sleep(COMMIT_EVENT_DELAY).await
            }
            settled => return settled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_what_was_left_is_asked_again() {
        type Answer = Result<u8, &'static str>;
        let table: [(&[Answer], Answer, usize); 3] = [
            (&[Ok(1)], Ok(1), 1),
            (&[Err("left"), Err("left"), Ok(2)], Ok(2), 3),
            (&[Err("left"), Err("other"), Ok(3)], Err("other"), 2),
        ];
        for (answers, expected, times) in table {
            let asked = Cell::new(0);
            let ask = || async {
                asked.set(asked.get() + 1);
                answers[asked.get() - 1]
            };
            assert_eq!(
                retry_across_navigation(None, || 0, |error| *error == "left", ask).await,
                expected
            );
            assert_eq!(asked.get(), times);
        }
    }

    #[test]
    fn who_comes_to_another_document_may_go_on() {
        let (now, late) = (Instant::now(), Duration::from_secs(1));
        let way = |end, max_wait| NavigationRetryBudget {
            deadline: end,
            documents_shown: 7,
            stall_deadline: max_wait,
        };
        let table = [
            (way(now + late, now + late), 7, true),
            // It stands, it goes on, and it has gone on for too long.
            (way(now + late, now), 7, false),
            (way(now + late, now), 8, true),
            (way(now, now + late), 8, false),
        ];
        for (row, (mut way, shown, goes_on)) in table.into_iter().enumerate() {
            assert_eq!(way.may_continue(shown), goes_on, "row {row}");
        }
        assert!(NavigationRetryBudget::start(now, 0).deadline == now, "a limit is kept");
    }

    #[tokio::test]
    async fn who_asks_within_an_answer_takes_no_more_time() {
        let asked = Cell::new(0);
        let never = || async {
            asked.set(asked.get() + 1);
            Err::<(), _>("left")
        };
        let nested = || retry_across_navigation(None, || 0, |_| true, never);
        let answer = retry_across_navigation(Some(Instant::now()), || 0, |_| true, nested).await;
        assert_eq!((answer, asked.get()), (Err("left"), 1));
    }
}
