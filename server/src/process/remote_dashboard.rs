//! `browsed remote-dashboard`: the dashboard of a daemon on another machine, for
//! `browse --remote <name> dashboard`. It is part of this program because the listener, its
//! rules and its headers are those of the dashboard here.
//!
//! The first line of standard input says which daemon is meant, with its token, which is in no
//! argument or variable so. The first line of standard output is the answer of
//! `browse dashboard`. It ends with a signal, with its input, and with its pairing.

use std::{
    future,
    io::{self, BufRead as _, Read as _, Write as _},
    process::ExitCode,
    thread,
};

use browse_base::{Error, Result};
use browse_proto::Reason;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::oneshot,
};

use super::lifecycle;
use crate::remote_dashboard::{RelayRequest, RemoteDashboard};

/// Bytes of the line of standard input; a token takes one KiB.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// Runs it, and answers its exit code. A failure has the lines of a daemon that does not start.
pub fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => lifecycle::report(&error),
    }
}

fn run() -> Result<()> {
    let mut line = String::new();
    // What cannot be read is not a request either.
    let _ = io::stdin().lock().take(MAX_LINE_BYTES).read_line(&mut line);
    let request = RelayRequest::parse(&line)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime =
        runtime.map_err(|error| Error::new(Reason::Bug, format!("no runtime: {error}")))?;
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = serve(request) => outcome,
            () = signalled() => Ok(()),
            _ = input_ended() => Ok(()),
        }
    });
    runtime.shutdown_background();
    outcome
}

async fn serve(request: RelayRequest) -> Result<()> {
    let dashboard = RemoteDashboard::open(request).await?;
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{}", dashboard.link()).and_then(|()| out.flush());
    drop(out);
    // Nobody has read the link.
    if written.is_err() {
        return Ok(());
    }
    dashboard.wait_until_unused().await
}

/// Waits for a signal that asks for the end.
async fn signalled() {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else {
        return future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}

/// Ends with standard input: the program that started this one has gone.
fn input_ended() -> oneshot::Receiver<()> {
    let (sender, ended) = oneshot::channel();
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let _ = sender.send(());
    });
    ended
}
