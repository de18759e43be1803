//! The deadline of the call that asks the script. A reading looks at it as it walks the
//! document, and ends by itself: nobody waits for its answer any more, and nothing else
//! in the tab runs as long as it does.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Until a script ends by itself: its caller has given up by then, and says why.
const AFTER: Duration = Duration::from_millis(50);

tokio::task_local! {
    static DEADLINE: Instant;
}

/// Does `work`, whose questions to scripts end at `deadline`.
pub async fn until<R>(deadline: Instant, work: impl Future<Output = R>) -> R {
    DEADLINE.scope(deadline, work).await
}

/// The deadline by the clock of scripts, in milliseconds, where there is one.
pub(super) fn of_scripts() -> Option<u128> {
    let left = DEADLINE.try_with(|end| end.saturating_duration_since(Instant::now())).ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some((now + left + AFTER).as_millis())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

    use super::{of_scripts, until};

    #[tokio::test]
    async fn a_deadline_is_told_by_the_clock_of_scripts() {
        assert_eq!(of_scripts(), None);
        let told = until(Instant::now() + Duration::from_secs(60), async { of_scripts() }).await;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_millis();
        assert!(told.is_some_and(|told| (now + 50_000..=now + 60_051).contains(&told)));
    }
}
