//! The deadline of the call that asks the script. A reading looks at it as it walks the
//! document, and ends by itself: nobody waits for its answer any more, and nothing else
//! in the tab runs as long as it does.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Until a script ends by itself: its caller has given up by then, and says why.
const SCRIPT_DEADLINE_GRACE: Duration = Duration::from_millis(50);

tokio::task_local! {
    static DEADLINE: Instant;
}

/// Does `work`, whose questions to scripts end at `deadline`.
pub async fn with_script_deadline<R>(deadline: Instant, work: impl Future<Output = R>) -> R {
    DEADLINE.scope(deadline, work).await
}

/// The deadline by the clock of scripts, in milliseconds, where there is one.
pub(super) fn script_deadline_ms() -> Option<u128> {
    let left = DEADLINE.try_with(|end| end.saturating_duration_since(Instant::now())).ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some((now + left + SCRIPT_DEADLINE_GRACE).as_millis())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

    use super::{script_deadline_ms, with_script_deadline};

    #[tokio::test]
    async fn a_deadline_is_told_by_the_clock_of_scripts() {
        assert_eq!(script_deadline_ms(), None);
        let reported = with_script_deadline(Instant::now() + Duration::from_secs(60), async {
            script_deadline_ms()
        })
        .await;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_millis();
        assert!(reported.is_some_and(|reported| (now + 50_000..=now + 60_051).contains(&reported)));
    }
}
