//! Reading a tab that is on its way to another document: scripts go elsewhere
//! right after a page was loaded. Then the next document is read.

use std::time::{Duration, Instant};

/// How long a tab may go from document to document, or wait for the server of
/// the next one, before the reader is told.
const ON_THE_WAY: Duration = Duration::from_secs(3);

/// Documents that are looked at however long that takes: on a machine that is
/// busy each may take its time.
const FEWEST: u32 = 3;

/// Time until the browser tells of the document that came instead.
const ARRIVAL: Duration = Duration::from_millis(15);

tokio::task_local! {
    /// When the reader is told.
    static END: Instant;
}

/// What `ask` answers, asked again while its document is left meanwhile, which
/// `is_under_way` tells by its error. It must do nothing but look.
pub async fn arrived<T, E, F: Future<Output = Result<T, E>>>(
    is_under_way: impl Fn(&E) -> bool,
    ask: impl Fn() -> F,
) -> Result<T, E> {
    // Who asks within an answer has the time that is left of it.
    if let Ok(end) = END.try_with(|end| *end) {
        return until(end, 1, is_under_way, ask).await;
    }
    let end = Instant::now() + ON_THE_WAY;
    END.scope(end, until(end, FEWEST, is_under_way, ask)).await
}

async fn until<T, E, F: Future<Output = Result<T, E>>>(
    end: Instant,
    fewest: u32,
    is_under_way: impl Fn(&E) -> bool,
    ask: impl Fn() -> F,
) -> Result<T, E> {
    let mut asked = 0;
    loop {
        asked += 1;
        match ask().await {
            Err(error) if is_under_way(&error) && (asked < fewest || Instant::now() < end) => {
                tokio::time::sleep(ARRIVAL).await;
            }
            settled => return settled,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

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
            assert_eq!(arrived(|error| *error == "left", ask).await, expected);
            assert_eq!(asked.get(), times);
        }
    }

    #[tokio::test]
    async fn who_asks_within_an_answer_takes_no_more_time() {
        let asked = Cell::new(0);
        let never = || async {
            asked.set(asked.get() + 1);
            Err::<(), _>("left")
        };
        let nested = || arrived(|_| true, never);
        let answer = END.scope(Instant::now(), until(Instant::now(), 3, |_| true, nested)).await;
        assert_eq!((answer, asked.get()), (Err("left"), 3));
    }
}
