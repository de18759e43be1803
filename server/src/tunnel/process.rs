//! The program that forwards: started in a process group of its own, behind a
//! supervisor that ends all of it with the daemon, by whatever death.

use std::{
    collections::BTreeMap, net::SocketAddr, path::PathBuf, process::ExitStatus, sync::Arc,
    time::Duration,
};

use browse_proto::Reason;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    net::UnixStream,
    process::Child,
    sync::mpsc,
    task::JoinSet,
};

use super::{
    TunnelAddress,
    ngrok::{self, NgrokStatus},
    output_tail::OutputTail,
    program_path,
    public_address::{self, DetectedAddress},
};
use crate::skills::process::{SupervisedChild, spawn_unconfined};
use browse_base::{Error, Result};
use browse_process::{Guardian, ProcessMark};

/// What two outputs tell at most: each a plain address, and one that is not.
const MAX_DETECTED_ADDRESSES: usize = 4;
/// Bytes of a line that are looked at at a time.
const MAX_LINE_BYTES: usize = 16 << 10;
/// How long the supervisor may take to end everything.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// Time that what a dead program has reported takes to arrive.
const OUTPUT_DRAIN_TIMEOUT: Duration = Duration::from_secs(1);
/// Time that a program which has printed a plain address gets for another one.
const TLS_ADDRESS_TIMEOUT: Duration = Duration::from_secs(5);

/// A program that runs.
pub struct TunnelProcess {
    child: Child,
    /// Its end ends everything.
    lifeline: Option<UnixStream>,
    pid: u32,
    output_tail: OutputTail,
    detected_addresses: mpsc::Receiver<DetectedAddress>,
    /// The address of plain HTTP that it has printed, if any.
    plain_address: Option<String>,
    /// Those who listen, until it says no more.
    output_readers: JoinSet<()>,
    /// What it says of itself, where it is ours.
    ngrok_status: Option<NgrokStatus>,
    /// What all that it started carries.
    mark: Option<ProcessMark>,
    guardian: Option<Arc<Guardian>>,
}

impl TunnelProcess {
    /// Starts the program that `words` name; `report` hears it where it is ours.
    ///
    /// # Errors
    /// `TUNNEL_PROGRAM_MISSING`.
    pub async fn start(
        words: &[String],
        mut environment: BTreeMap<String, String>,
        listener: SocketAddr,
        guardian: Option<Arc<Guardian>>,
        report: Option<NgrokStatus>,
    ) -> Result<Self> {
        let (program, rest) = words
            .split_first()
            .ok_or_else(|| program_path::program_missing("", "it has no name"))?;
        let path = program_path::find_program(program, &environment)?;
        let folder = environment.get("HOME").map(PathBuf::from);
        let folder = folder.filter(|folder| folder.is_dir()).unwrap_or(PathBuf::from("/"));
        let reported = OutputTail::redacting(&environment);
        // Ours starts nothing, and ends with its supervisor by itself.
        let mark = if report.is_none() { Some(ProcessMark::new()?) } else { None };
        if let Some(mark) = &mark {
            environment.insert(ProcessMark::VARIABLE.to_owned(), mark.text().to_owned());
            guardian.iter().for_each(|guardian| guardian.kill_marked_at_exit(mark));
        }
        let started = spawn_unconfined(path, rest, environment, folder).await;
        let SupervisedChild { child, lifeline, stdout, stderr } =
            started.map_err(|error| program_path::program_missing(program, &error.to_string()))?;
        let pid = child.id().unwrap_or_default();
        if let Some(guardian) = &guardian {
            guardian.kill_at_exit(pid);
        }
        let (sender, found) = mpsc::channel(MAX_DETECTED_ADDRESSES);
        let mut listeners = JoinSet::new();
        let ear = |sender| OutputParser::new(listener, report.clone(), reported.clone(), sender);
        listeners.spawn(read_output(stdout, ear(sender.clone())));
        listeners.spawn(read_output(stderr, ear(sender)));
        Ok(Self {
            child,
            lifeline: Some(lifeline),
            pid,
            output_tail: reported,
            detected_addresses: found,
            plain_address: None,
            output_readers: listeners,
            ngrok_status: report,
            mark,
            guardian,
        })
    }

    /// Process id of its supervisor.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The first address that it prints.
    ///
    /// # Errors
    /// `TUNNEL_ENDED`, `TUNNEL_TOKEN_MISSING`: it ended before. `TUNNEL_PLAIN`:
    /// it has printed one of plain HTTP, and no other soon after. What else our
    /// own says of ngrok.
    pub async fn public_address(&mut self) -> Result<TunnelAddress> {
        loop {
            let late = async {
                match &self.plain_address {
                    Some(_) => tokio::time::sleep(TLS_ADDRESS_TIMEOUT).await,
                    None => std::future::pending().await,
                }
            };
            let ended = tokio::select! {
                biased;
                Some(found) = self.detected_addresses.recv() => match found {
                    DetectedAddress::Public(public) => {
                        self.detected_addresses.close();
                        return Ok(public);
                    }
                    DetectedAddress::Plain(address) => {
                        self.plain_address.get_or_insert(address);
                        continue;
                    }
                },
                ended = self.child.wait() => ended,
                () = late => return Err(self.no_address_error()),
            };
            self.drain_output().await;
            return Err(self.exit_error(ended.ok()));
        }
    }

    /// Waits until it ends, and says why.
    pub async fn wait(&mut self) -> String {
        // Nobody asks for an address any more.
        self.detected_addresses.close();
        let ended = self.child.wait().await.ok();
        self.drain_output().await;
        self.describe_exit(ended)
    }

    /// Waits a moment until all that it has reported was heard.
    async fn drain_output(&mut self) {
        let last = async { while self.output_readers.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(OUTPUT_DRAIN_TIMEOUT, last).await;
    }

    /// Ends it, with everything that it started.
    pub async fn stop(mut self) {
        self.lifeline.take();
        let ended = tokio::time::timeout(STOP_TIMEOUT, self.child.wait()).await;
        if ended.is_err() {
            tracing::warn!(pid = self.pid, "the tunnel did not end in time and is killed");
            let _ = self.child.kill().await;
        }
        // One that was killed has ended nobody, nor has the other if it was, too.
        let ended = ended.ok().and_then(Result::ok).is_some_and(|status| status.code().is_some());
        if let Some(mark) = self.mark.clone().filter(|_| !ended) {
            let _ = tokio::task::spawn_blocking(move || mark.kill_all()).await;
        }
    }

    /// Why there is no address, when it printed none in time.
    pub fn no_address_error(&self) -> Error {
        if let Some(address) = &self.plain_address {
            let message = format!(
                "the tunnel is `http://{address}`: tokens and pages would travel in clear text"
            );
            return Error::new(Reason::TunnelPlain, message).with("address", address);
        }
        let reported = match self.output_tail.text() {
            reported if reported.is_empty() => "it printed nothing".to_owned(),
            reported => format!("it reported: {reported}"),
        };
        let message = format!("the program of the tunnel printed no address in time; {reported}");
        Error::new(Reason::TunnelAddressMissing, message)
    }

    fn exit_error(&self, ended: Option<ExitStatus>) -> Error {
        if let Some(failure) = self.reported_failure() {
            return failure;
        }
        let text = self.describe_exit(ended);
        // The codes of ngrok for tokens: https://ngrok.com/docs/errors
        let token = ["ERR_NGROK_4018", "ERR_NGROK_105", "ERR_NGROK_107"];
        let message = format!("the program of the tunnel {text}");
        match token.iter().any(|code| text.contains(code)) {
            true => Error::new(Reason::TunnelTokenMissing, message)
                .with("url", ngrok::LISTENER_PLACEHOLDER),
            false => Error::new(Reason::TunnelEnded, message),
        }
    }

    /// What it says that it ended for.
    fn reported_failure(&self) -> Option<Error> {
        self.ngrok_status.as_ref()?.failure(|line| self.output_tail.redact_for_display(line))
    }

    fn describe_exit(&self, ended: Option<ExitStatus>) -> String {
        if let Some(failure) = self.reported_failure() {
            return format!("ended: {failure}");
        }
        let code = ended.map(crate::skills::supervisor::exit_code);
        let code = code.map_or_else(String::new, |code| format!(" with code {code}"));
        match self.output_tail.text() {
            reported if reported.is_empty() => format!("ended{code} and printed nothing"),
            reported => format!("ended{code}: {reported}"),
        }
    }
}

impl Drop for TunnelProcess {
    fn drop(&mut self) {
        if let Some(guardian) = &self.guardian {
            guardian.forget_kill(self.pid);
            self.mark.iter().for_each(|mark| guardian.forget_marked(mark));
        }
    }
}

/// Reads all that a program prints, so that it never waits for us, and tells
/// the first address in it.
async fn read_output(mut output: impl AsyncRead + Unpin, mut ear: OutputParser) {
    let mut piece = [0; 4096];
    loop {
        let length = output.read(&mut piece).await.unwrap_or_default();
        for byte in &piece[..length] {
            ear.push_byte(*byte);
        }
        if length == 0 {
            return ear.finish_line();
        }
        // A program that never pauses must not hold up the others.
        tokio::task::yield_now().await;
    }
}

/// Who listens to one output.
struct OutputParser {
    line: Vec<u8>,
    /// Whether the line began before what is here.
    is_continuation: bool,
    listener: SocketAddr,
    ngrok_status: Option<NgrokStatus>,
    output_tail: OutputTail,
    /// Whether a plain address was reported.
    has_plain_address: bool,
    /// Whom to tell; nobody once an address was found.
    sender: Option<mpsc::Sender<DetectedAddress>>,
}

impl OutputParser {
    fn new(
        listener: SocketAddr,
        report: Option<NgrokStatus>,
        reported: OutputTail,
        found: mpsc::Sender<DetectedAddress>,
    ) -> Self {
        let (line, goes_on, plain) = (Vec::new(), false, false);
        Self {
            line,
            is_continuation: goes_on,
            listener,
            ngrok_status: report,
            output_tail: reported,
            has_plain_address: plain,
            sender: Some(found),
        }
    }

    fn push_byte(&mut self, byte: u8) {
        if matches!(byte, b'\n' | b'\r') {
            return self.finish_line();
        }
        self.line.push(byte);
        if self.line.len() >= MAX_LINE_BYTES {
            self.process_buffer();
            self.is_continuation = true;
        }
    }

    fn finish_line(&mut self) {
        self.process_buffer();
        self.is_continuation = false;
    }

    fn process_buffer(&mut self) {
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        // What follows may begin with the end of a secret.
        if !self.is_continuation {
            self.output_tail.push_line(&text);
        }
        if self.sender.as_ref().is_some_and(mpsc::Sender::is_closed) {
            self.sender = None;
        }
        let mark = match &self.ngrok_status {
            Some(report) => {
                report.parse_line(&text);
                ngrok::URL_PREFIX
            }
            None => "",
        };
        let Some(found) = self
            .sender
            .as_ref()
            .and_then(|_| public_address::find_address(&text, self.listener, mark))
        else {
            return;
        };
        let is_plain = matches!(found, DetectedAddress::Plain(_));
        if is_plain && std::mem::replace(&mut self.has_plain_address, true) {
            return;
        }
        // Whoever was first wins.
        let _ = self.sender.as_ref().map(|sender| sender.try_send(found));
        if !is_plain {
            self.sender = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn heard(text: &str) -> (Vec<DetectedAddress>, String) {
        let reported =
            OutputTail::redacting(&[("MY_TOKEN".to_owned(), "hunter2-x".to_owned())].into());
        let (sender, mut found) = mpsc::channel(MAX_DETECTED_ADDRESSES);
        let listener = "127.0.0.1:4567".parse().expect("an address");
        read_output(text.as_bytes(), OutputParser::new(listener, None, reported.clone(), sender))
            .await;
        let mut all = Vec::new();
        while let Some(one) = found.recv().await {
            all.push(one);
        }
        (all, reported.text())
    }

    #[tokio::test]
    async fn the_first_address_is_told_and_no_other_looked_for() {
        let lines =
            "one\rhttp://a.example\nhttp://c.example\nhttps://a.example\nhttps://b.example\n";
        let (found, reported) = heard(lines).await;
        let [DetectedAddress::Plain(plain), DetectedAddress::Public(public)] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!((plain.as_str(), public.address.as_str()), ("a.example:80", "a.example:443"));
        assert_eq!(
            reported,
            "one; http://a.example; http://c.example; https://a.example; https://b.example"
        );
    }

    #[tokio::test]
    async fn no_half_of_a_secret_stays_where_a_line_is_cut() {
        for before in (0..12).map(|more| MAX_LINE_BYTES - more) {
            let line = format!("{}hunter2-x rest\nnext hunter2-x", "x".repeat(before));
            let (_, reported) = heard(&line).await;
            assert!(
                !reported.contains("unter2") && !reported.contains("2-x"),
                "{before}: {reported}"
            );
            assert!(reported.ends_with("next [redacted]"), "{reported}");
        }
    }
}
