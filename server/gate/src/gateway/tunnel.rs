//! Copies bytes between a client and its pod. Each direction reads no more before what it has read
//! is written: who does not read holds up the other side, and memory does not grow.

use std::{
    future::Future,
    io,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    time::{Instant, sleep_until, timeout},
};

/// Bytes of one direction that are on their way here.
const BUFFER_BYTES: usize = 16 << 10;

/// Time that the second direction gets after the first one has ended.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Copies in both directions until one side ends, nothing moves for `idle_time`, or `ended`
/// completes. Answers why it ended.
pub async fn run<C, P>(
    client: C,
    pod: P,
    idle_time: Duration,
    ended: impl Future<Output = &'static str>,
) -> &'static str
where
    C: AsyncRead + AsyncWrite,
    P: AsyncRead + AsyncWrite,
{
    let (mut from_client, mut to_client) = tokio::io::split(client);
    let (mut from_pod, mut to_pod) = tokio::io::split(pod);
    let activity = Activity::begin();
    let outward = copy(&mut from_client, &mut to_pod, &activity);
    let inward = copy(&mut from_pod, &mut to_client, &activity);
    tokio::pin!(outward, inward, ended);
    tokio::select! {
        _ = &mut outward => {
            let _ = timeout(CLOSE_TIMEOUT, inward).await;
            "the client has disconnected"
        }
        _ = &mut inward => {
            let _ = timeout(CLOSE_TIMEOUT, outward).await;
            "the pod has disconnected"
        }
        reason = ended => reason,
        () = activity.wait_until_idle(idle_time) => "nothing moved for long",
    }
}

async fn copy<R, W>(from: &mut R, to: &mut W, activity: &Activity) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let count = from.read(&mut buffer).await?;
        if count == 0 {
            return to.shutdown().await;
        }
        activity.note();
        to.write_all(&buffer[..count]).await?;
        to.flush().await?;
        activity.note();
    }
}

/// When bytes moved last.
struct Activity {
    begun: Instant,
    /// Milliseconds after that.
    last: AtomicU64,
}

impl Activity {
    fn begin() -> Self {
        Self { begun: Instant::now(), last: AtomicU64::new(0) }
    }

    fn note(&self) {
        let elapsed = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(elapsed, Ordering::Relaxed);
    }

    async fn wait_until_idle(&self, idle_time: Duration) {
        loop {
            let last = Duration::from_millis(self.last.load(Ordering::Relaxed));
            let idle_at = self.begun + last + idle_time;
            if idle_at <= Instant::now() {
                return;
            }
            sleep_until(idle_at).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::io::duplex;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn what_one_side_sends_the_other_one_gets_to_the_end() {
        let (mut client, near) = duplex(64);
        let (far, mut pod) = duplex(64);
        let tunnel = tokio::spawn(run(near, far, LONG, pending()));
        client.write_all(b"hello").await.expect("it is open");
        let mut read = [0; 5];
        pod.read_exact(&mut read).await.expect("it is open");
        assert_eq!(&read, b"hello");
        pod.write_all(b"bye").await.expect("it is open");
        drop(pod);
        let mut rest = Vec::new();
        client.read_to_end(&mut rest).await.expect("it ends");
        assert_eq!(rest, b"bye");
        drop(client);
        assert_eq!(tunnel.await.expect("no panic"), "the pod has disconnected");
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_holds_up_its_pod() {
        let (_client, near) = duplex(64);
        let (far, mut pod) = duplex(64);
        let tunnel = tokio::spawn(run(near, far, Duration::from_millis(200), pending()));
        let mut written = 0;
        while let Ok(count) = pod.write(&[0; 1024]).await {
            written += count;
        }
        assert!(written <= 2 * (BUFFER_BYTES + 64), "{written}");
        assert_eq!(tunnel.await.expect("no panic"), "nothing moved for long");
    }

    #[tokio::test]
    async fn it_ends_when_it_has_to() {
        let (mut client, near) = duplex(64);
        let (far, _pod) = duplex(64);
        let why = run(near, far, LONG, std::future::ready("the token has ended")).await;
        assert_eq!(why, "the token has ended");
        assert_eq!(client.read(&mut [0; 1]).await.expect("it has ended"), 0);
    }
}
