//! Exports spans: they wait in a bounded queue, and a task sends them in batches.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use browse_base::{Result, random};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    task::JoinHandle,
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    Span, TraceSettings,
    collector::{Collector, SendError},
    document::document,
    settings::invalid_setting,
};
use crate::metrics::{Metrics, SpanResult};

/// Spans of a batch, after which it is sent without waiting for more.
const MAX_BATCH_SPANS: usize = 512;

/// Pauses before a batch is sent again: the first one, which doubles, and the longest one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// Time after which a batch is given up that the collector does not take.
const MAX_RETRY_TIME: Duration = Duration::from_secs(60);

/// Time that the spans which wait get when the gateway ends.
const FINISH_TIMEOUT: Duration = Duration::from_secs(5);

/// Takes spans.
pub struct Exporter {
    queue: mpsc::UnboundedSender<QueuedSpans>,
    /// As many permits as spans may wait.
    room: Arc<Semaphore>,
    metrics: Arc<Metrics>,
    stop: CancellationToken,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// The spans of one call.
struct QueuedSpans {
    spans: Vec<Span>,
    room: OwnedSemaphorePermit,
}

/// Spans that are sent together.
#[derive(Default)]
struct Batch {
    spans: Vec<Span>,
    /// Given back when they have been sent.
    room: Vec<OwnedSemaphorePermit>,
}

/// What the task has.
struct ExportTask {
    queue: mpsc::UnboundedReceiver<QueuedSpans>,
    collector: Collector,
    interval: Duration,
    instance: String,
    metrics: Arc<Metrics>,
    stop: CancellationToken,
}

impl Exporter {
    /// Starts the task; `instance` names the replica of the gateway.
    ///
    /// # Errors
    /// `SETTING_INVALID`.
    pub fn start(settings: &TraceSettings, instance: &str, metrics: Arc<Metrics>) -> Result<Self> {
        let collector = Collector::new(settings.check()?);
        let collector = collector.map_err(|why| invalid_setting("endpoint", &why))?;
        let (sender, receiver) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        let task = ExportTask {
            queue: receiver,
            collector,
            interval: settings.interval,
            instance: instance.to_owned(),
            metrics: Arc::clone(&metrics),
            stop: stop.clone(),
        };
        Ok(Self {
            queue: sender,
            room: Arc::new(Semaphore::new(settings.queue)),
            metrics,
            stop,
            task: Mutex::new(Some(tokio::spawn(task.run()))),
        })
    }

    /// Queues the spans of a call; drops them when they do not fit. It never waits.
    pub fn export(&self, spans: Vec<Span>) {
        let count = spans.len();
        let room = u32::try_from(count)
            .ok()
            .and_then(|permits| Arc::clone(&self.room).try_acquire_many_owned(permits).ok());
        let is_queued = match room {
            Some(room) => self.queue.send(QueuedSpans { spans, room }).is_ok(),
            None => false,
        };
        if !is_queued {
            self.metrics.record_spans(SpanResult::Dropped, count as u64);
        }
    }

    /// Sends what waits, for a few seconds at most. Later spans are dropped.
    pub async fn finish(&self) {
        self.stop.cancel();
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task
            && timeout(FINISH_TIMEOUT, task).await.is_err()
        {
            tracing::warn!("the last spans were not exported in time");
        }
    }
}

impl ExportTask {
    async fn run(mut self) {
        while let Some(batch) = self.next_batch().await {
            self.deliver(batch).await;
        }
    }

    /// The next spans; none when the gateway ends and no span waits.
    async fn next_batch(&mut self) -> Option<Batch> {
        let stop = self.stop.clone();
        let first = tokio::select! {
            biased;
            first = self.queue.recv() => first?,
            () = stop.cancelled() => return None,
        };
        let mut batch = Batch::default();
        batch.add(first);
        let until = Instant::now() + self.interval;
        while batch.spans.len() < MAX_BATCH_SPANS {
            let more = tokio::select! {
                biased;
                more = self.queue.recv() => more,
                () = sleep_until(until) => None,
                () = stop.cancelled() => None,
            };
            match more {
                Some(spans) => batch.add(spans),
                None => break,
            }
        }
        Some(batch)
    }

    async fn deliver(&self, batch: Batch) {
        let Batch { spans, room } = batch;
        let count = spans.len() as u64;
        let text = document(&spans, &self.instance);
        drop(spans);
        let begun = Instant::now();
        let mut pause = FIRST_PAUSE;
        let failure = loop {
            match self.collector.send(text.clone()).await {
                Ok(rejected) => {
                    let rejected = rejected.min(count);
                    self.metrics.record_spans(SpanResult::Exported, count - rejected);
                    self.metrics.record_spans(SpanResult::Failed, rejected);
                    break None;
                }
                Err(SendError::Temporary { retry_after, .. })
                    if !self.stop.is_cancelled() && begun.elapsed() < MAX_RETRY_TIME =>
                {
                    let wait = retry_after.map_or_else(|| jittered(pause), |at| at.min(MAX_PAUSE));
                    pause = (pause * 2).min(MAX_PAUSE);
                    // The last try comes at once when the gateway ends.
                    let _ = self.stop.run_until_cancelled(sleep(wait)).await;
                }
                Err(error) => break Some(error),
            }
        };
        if let Some(error) = failure {
            tracing::warn!(%error, spans = count, "the collector did not take spans");
            self.metrics.record_spans(SpanResult::Failed, count);
        }
        drop(room);
    }
}

impl Batch {
    fn add(&mut self, queued: QueuedSpans) {
        self.spans.extend(queued.spans);
        self.room.push(queued.room);
    }
}

/// Half of the pause to the whole of it, so that replicas do not come at once.
fn jittered(pause: Duration) -> Duration {
    let [part] = random::<1>().unwrap_or([u8::MAX]);
    pause / 2 + pause / 2 * u32::from(part) / u32::from(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_between_its_half_and_its_whole() {
        for _ in 0..100 {
            let pause = jittered(Duration::from_secs(8));
            assert!(
                (Duration::from_secs(4)..=Duration::from_secs(8)).contains(&pause),
                "{pause:?}"
            );
        }
    }
}
