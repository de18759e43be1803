//! The process that holds the connection to a browser that runs already.
//!
//! On standard input it reads one line with the address, on standard output it writes
//! whether it is connected. Then descriptor 3 is the pipe to the daemon, as Chromium's
//! own. When that ends, in whatever way, the tabs that were opened are closed.

mod cookies;
mod link;
mod refusal;
mod rules;
mod state;
mod tabs;

pub(crate) use rules::GIVE_TAB;

use std::io::{BufRead, Write};
use std::os::fd::FromRawFd;
use std::os::unix::net::UnixStream as StdStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;

use super::address::CdpAddress;
use super::endpoint;
use super::web_socket::{self, WebSocket};
use crate::attach_failure::AttachFailure;
use crate::connection::reader::MessageReader;
use link::BridgeConnection;

/// Makes `browsed` the process that holds a connection.
pub const BRIDGE_FLAG: &str = "--cdp-bridge";

/// The end of the pipe to the daemon.
const PIPE: i32 = 3;

/// Time between two signs of life, for proxies that end quiet connections.
const PING_INTERVAL: Duration = Duration::from_secs(20);

/// Time that the browser gets to close the tabs that were opened.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// Bytes that wait for the daemon, from which on nothing more is read from the browser.
const MAX_WAITING_BYTES: usize = 32 << 20;

/// How often it is seen whether the daemon took them.
const DRAIN_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Bytes of an event that is passed on. Read into values, a message takes many times its size.
const MAX_EVENT_BYTES: usize = 16 << 20;

/// What the bridge is started with.
#[derive(Serialize, Deserialize)]
pub(crate) struct BridgeStart {
    pub address: String,
    /// The folder in which profiles of channels are looked for.
    pub home: PathBuf,
}

/// What the bridge says first.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BridgeGreeting {
    /// The browser answers, and is this.
    Connected {
        product: String,
        user_agent: String,
    },
    Failed(AttachFailure),
}

/// Runs the process.
pub fn run_bridge() -> ExitCode {
    let mut line = String::new();
    if std::io::stdin().lock().read_line(&mut line).is_err() {
        return ExitCode::FAILURE;
    }
    let Ok(start) = serde_json::from_str::<BridgeStart>(&line) else { return ExitCode::FAILURE };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return ExitCode::FAILURE };
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime, serve(start))
}

async fn serve(start: BridgeStart) -> ExitCode {
    let opened = async {
        let address = start.address.parse().map_err(AttachFailure::refused)?;
        let address: CdpAddress = address;
        let endpoint = endpoint::find(&address, &start.home).await?;
        let mut socket = web_socket::open(&endpoint).await?;
        let (product, user_agent) = web_socket::ask_version(&mut socket).await?;
        let greeting = BridgeGreeting::Connected { product, user_agent };
        Ok((greeting, (address.is_local(), socket)))
    };
    let Some(pipe) = take_pipe() else { return ExitCode::FAILURE };
    let opened = tokio::select! {
        opened = opened => opened,
        // The daemon writes nothing before the greeting: it has given up, or is gone.
        _ = pipe.readable() => return ExitCode::FAILURE,
    };
    let (greeting, opened) = match opened {
        Ok((greeting, opened)) => (greeting, Some(opened)),
        Err(failure) => (BridgeGreeting::Failed(failure), None),
    };
    let Ok(mut text) = serde_json::to_string(&greeting) else { return ExitCode::FAILURE };
    text.push('\n');
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    drop(out);
    let (Ok(()), Some((is_local, socket))) = (written, opened) else {
        return ExitCode::FAILURE;
    };
    carry(socket, pipe, is_local).await;
    ExitCode::SUCCESS
}

/// The pipe that the daemon left on its descriptor.
fn take_pipe() -> Option<UnixStream> {
    #[allow(unsafe_code)]
    // SAFETY: the daemon starts this process with a socket there, which nothing else uses.
    let pipe = unsafe { StdStream::from_raw_fd(PIPE) };
    // The same socket once more, as Chromium has it.
    let _ = nix::unistd::close(PIPE + 1);
    pipe.set_nonblocking(true).ok()?;
    UnixStream::from_std(pipe).ok()
}

/// Whether a message is an event, which nobody asked for, and too large.
fn is_huge_event(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Head {
        id: Option<serde::de::IgnoredAny>,
    }
    text.len() > MAX_EVENT_BYTES
        && serde_json::from_str::<Head>(text).is_ok_and(|head| head.id.is_none())
}

/// Carries messages until one side ends.
async fn carry(socket: WebSocket, pipe: UnixStream, is_local: bool) {
    let (mut sink, mut incoming) = socket.split();
    let (to_browser, mut outgoing) = mpsc::unbounded_channel::<String>();
    let pipe = Rc::new(pipe);
    let link = Rc::new(BridgeConnection::new(Rc::clone(&pipe), to_browser, is_local));
    let writing = tokio::task::spawn_local(async move {
        let mut ping = tokio::time::interval(PING_INTERVAL);
        ping.tick().await;
        loop {
            let message = tokio::select! {
                text = outgoing.recv() => match text {
                    Some(text) => Message::text(text),
                    None => break,
                },
                _ = ping.tick() => Message::Ping(Default::default()),
            };
            if sink.send(message).await.is_err() {
                break;
            }
        }
        let _ = sink.close().await;
    });
    let flushed = Rc::clone(&link);
    let flushing = tokio::task::spawn_local(async move { flushed.flush_to_daemon().await });
    let of_browser = Rc::clone(&link);
    let reading = tokio::task::spawn_local(async move {
        while let Some(Ok(message)) = incoming.next().await {
            if let Message::Text(text) = message
                && !is_huge_event(text.as_str())
                && let Ok(message) = serde_json::from_str::<Value>(text.as_str())
            {
                of_browser.on_browser_message(message);
            }
            // A page that floods its console waits, as it does when the browser is ours.
            while of_browser.waiting_bytes() > MAX_WAITING_BYTES {
                tokio::time::sleep(DRAIN_POLL_INTERVAL).await;
            }
        }
    });
    let of_daemon = async {
        let mut reader = MessageReader::default();
        while let Ok(Some(message)) = reader.next(&pipe).await {
            if let Ok(message) = serde_json::from_slice::<Value>(&message) {
                link.on_daemon_message(message);
            }
        }
    };
    let mut reading = reading;
    let daemon_ended = tokio::select! {
        () = of_daemon => true,
        _ = &mut reading => false,
    };
    if daemon_ended {
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, link.close_tabs()).await;
    }
    reading.abort();
    flushing.abort();
    link.stop_writing();
    // The closing handshake, so that the browser sees an orderly end.
    let _ = tokio::time::timeout(Duration::from_millis(500), writing).await;
}

#[cfg(test)]
mod tests {
    use super::{MAX_EVENT_BYTES, is_huge_event};

    #[test]
    fn events_are_limited_and_answers_are_not() {
        let filler = "x".repeat(MAX_EVENT_BYTES);
        assert!(is_huge_event(&format!(r#"{{"method":"a","params":{{"text":"{filler}"}}}}"#)));
        assert!(!is_huge_event(&format!(r#"{{"id":1,"result":{{"data":"{filler}"}}}}"#)));
        assert!(!is_huge_event(r#"{"method":"a","params":{}}"#));
    }
}
