//! Watches of the API server, which go on after each failure.

use std::{fmt::Debug, pin::pin, sync::Arc, time::Duration};

use futures::StreamExt as _;
use kube::{
    Api, Resource,
    runtime::{
        WatchStreamExt as _,
        utils::Backoff,
        watcher,
        watcher::{Config, Event},
    },
};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::health::CallHealth;

/// Seconds after which the API server ends a watch and the next one begins. A connection that was
/// cut without a word is noticed some seconds later.
pub(super) const WATCH_SECONDS: u32 = 30;

/// Time between a failure of the watch and the next try.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Events that are handled at a time, at most.
const MAX_EVENTS: usize = 256;

/// Passes on what happens to the objects that `selector` finds, and notes in `health` how the
/// calls for that go. Does not end.
pub(super) async fn follow<K>(
    objects: Api<K>,
    selector: String,
    health: Arc<CallHealth>,
    handle: impl Fn(Vec<Event<K>>),
) where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    let config = Config::default().labels(&selector).timeout(WATCH_SECONDS);
    let events = watcher(objects, config).backoff(RetryDelay).ready_chunks(MAX_EVENTS);
    let mut events = pin!(events);
    while let Some(events) = events.next().await {
        handle(without_failures(events, &health));
    }
}

fn without_failures<K>(
    events: Vec<Result<Event<K>, watcher::Error>>,
    health: &CallHealth,
) -> Vec<Event<K>> {
    let mut left = Vec::with_capacity(events.len());
    for event in events {
        match event {
            Ok(event) => {
                // `Init` comes before the list is asked for.
                if !matches!(event, Event::Init) {
                    health.record_success();
                }
                left.push(event);
            }
            Err(error) => {
                tracing::warn!(%error, "a watch failed; it is tried again");
                let now = Instant::now();
                health.record_failure(now, now);
            }
        }
    }
    left
}

/// A constant delay between tries: the default one of kube grows to half a minute.
struct RetryDelay;

impl Iterator for RetryDelay {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        Some(RETRY_DELAY)
    }
}

impl Backoff for RetryDelay {
    fn reset(&mut self) {}
}
