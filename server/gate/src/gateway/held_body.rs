//! The answer to a request of MCP on its way to the client, with what it holds of this replica until
//! its end. A client that does not read it in time loses both.
//!
//! A body alone cannot end in time: nobody asks it for more while the client does not read. So a task
//! passes it on, in parts that are small: what the connection has taken is not held here any more.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::{BodyExt as _, combinators::BoxBody};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until, timeout},
};
use tonic::{Status, body::Body};

/// Bytes that are passed on at a time.
const PART_BYTES: usize = 16 << 10;

/// The time that an answer has.
#[derive(Clone, Copy, Debug)]
pub struct AnswerTimes {
    /// When it ends, whatever is left of it.
    pub until: Instant,
    /// Time in which the client has to take its next part.
    pub idle: Duration,
}

/// Sends `body`, and drops `held` when it has ended, when the client has gone, or when its time is over.
pub fn send_held(
    body: BoxBody<Bytes, Infallible>,
    held: impl Send + 'static,
    times: AnswerTimes,
) -> Body {
    if body.is_end_stream() {
        return Body::empty();
    }
    let left = body.size_hint().exact();
    let (parts, received) = mpsc::channel(1);
    tokio::spawn(async move {
        tokio::select! {
            () = pass_on(body, &parts, times.idle) => {}
            () = parts.closed() => {}
            () = sleep_until(times.until) => {}
        }
        drop(held);
    });
    Body::new(HeldBody { parts: received, left })
}

/// Passes a body on, until the client does not take a part in time.
async fn pass_on(
    mut body: BoxBody<Bytes, Infallible>,
    parts: &mpsc::Sender<BodyPart>,
    idle: Duration,
) {
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame;
        match frame.into_data() {
            Ok(mut data) => {
                while !data.is_empty() {
                    let part = data.split_to(data.len().min(PART_BYTES));
                    if !send(parts, BodyPart::Frame(Frame::data(part)), idle).await {
                        return;
                    }
                }
            }
            Err(trailers) => {
                if !send(parts, BodyPart::Frame(trailers), idle).await {
                    return;
                }
            }
        }
    }
    send(parts, BodyPart::End, idle).await;
}

/// Sends a part; whether the client takes it in time.
async fn send(parts: &mpsc::Sender<BodyPart>, part: BodyPart, idle: Duration) -> bool {
    matches!(timeout(idle, parts.send(part)).await, Ok(Ok(())))
}

/// A part of a body.
enum BodyPart {
    /// Some of it.
    Frame(Frame<Bytes>),
    /// Its end.
    End,
}

/// A body that a task passes on.
struct HeldBody {
    parts: mpsc::Receiver<BodyPart>,
    /// Bytes that are still to come, where that is known.
    left: Option<u64>,
}

impl http_body::Body for HeldBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = match ready!(self.parts.poll_recv(cx)) {
            Some(BodyPart::Frame(frame)) => frame,
            Some(BodyPart::End) => return Poll::Ready(None),
            // The client reads a cut answer as one that broke off.
            None => {
                return Poll::Ready(Some(Err(Status::aborted("the time of the answer is over"))));
            }
        };
        if let (Some(left), Some(data)) = (&mut self.left, frame.data_ref()) {
            *left = left.saturating_sub(data.len() as u64);
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.left == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map(SizeHint::with_exact).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;
    use http_body_util::{Full, StreamBody};
    use tokio::sync::oneshot;

    use super::*;

    const LONG: Duration = Duration::from_secs(3600);
    const SHORT: Duration = Duration::from_millis(10);

    fn times(total: Duration, idle: Duration) -> AnswerTimes {
        AnswerTimes { until: Instant::now() + total, idle }
    }

    fn whole(bytes: usize) -> BoxBody<Bytes, Infallible> {
        Full::from(vec![7; bytes]).boxed()
    }

    /// One that is an event stream, without an event.
    fn endless() -> BoxBody<Bytes, Infallible> {
        StreamBody::new(stream::pending::<Result<Frame<Bytes>, Infallible>>()).boxed()
    }

    async fn is_dropped(held: oneshot::Receiver<()>) {
        let dropped = timeout(Duration::from_secs(10), held).await.expect("it is dropped");
        dropped.expect_err("nothing is sent");
    }

    #[tokio::test]
    async fn an_answer_arrives_whole_and_in_parts() {
        let (held, dropped) = oneshot::channel();
        let bytes = 2 * PART_BYTES + 1;
        let mut body = send_held(whole(bytes), held, times(LONG, LONG));
        assert_eq!(body.size_hint().exact(), Some(bytes as u64));
        let first = body.frame().await.expect("a part").expect("it goes on").into_data();
        assert_eq!(first.expect("data").len(), PART_BYTES);
        let rest = body.collect().await.expect("the rest").to_bytes();
        assert_eq!(rest.len(), PART_BYTES + 1);
        is_dropped(dropped).await;
        let (held, dropped) = oneshot::channel();
        assert!(send_held(whole(0), held, times(LONG, LONG)).is_end_stream());
        is_dropped(dropped).await;
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_holds_nothing() {
        let (held, dropped) = oneshot::channel();
        let mut body = send_held(whole(10 * PART_BYTES), held, times(LONG, SHORT));
        body.frame().await.expect("a part").expect("it goes on");
        is_dropped(dropped).await;
        body.collect().await.map(drop).expect_err("it has broken off");
    }

    #[tokio::test]
    async fn an_answer_ends_with_its_time() {
        let (held, dropped) = oneshot::channel();
        let body = send_held(endless(), held, times(SHORT, LONG));
        is_dropped(dropped).await;
        body.collect().await.map(drop).expect_err("it has broken off");
    }

    #[tokio::test]
    async fn an_answer_ends_with_its_client() {
        let (held, dropped) = oneshot::channel();
        drop(send_held(endless(), held, times(LONG, LONG)));
        is_dropped(dropped).await;
    }
}
