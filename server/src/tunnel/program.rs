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
    Public, found,
    ngrok::{self, Report},
    public::{self, Found},
    said::Said,
};
use crate::{
    error::{Error, Result},
    guardian::{Guardian, Mark},
    skills::process::{Supervised, free},
};

/// What two outputs tell at most: each a plain address, and one that is not.
const MOST_FOUND: usize = 4;
/// Bytes of a line that are looked at at a time.
const MOST_LINE: usize = 16 << 10;
/// How long the supervisor may take to end everything.
const END: Duration = Duration::from_secs(5);
/// Time that what a dead program has said takes to arrive.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Time that a program which has printed a plain address gets for another one.
const SECOND: Duration = Duration::from_secs(5);

/// A program that runs.
pub struct Program {
    child: Child,
    /// Its end ends everything.
    lifeline: Option<UnixStream>,
    pid: u32,
    said: Said,
    found: mpsc::Receiver<Found>,
    /// The address of plain HTTP that it has printed, if any.
    plain: Option<String>,
    /// Those who listen, until it says no more.
    listeners: JoinSet<()>,
    /// What it says of itself, where it is ours.
    report: Option<Report>,
    /// What all that it started carries.
    mark: Option<Mark>,
    guardian: Option<Arc<Guardian>>,
}

impl Program {
    /// Starts the program that `words` name; `report` hears it where it is ours.
    ///
    /// # Errors
    /// `TUNNEL_PROGRAM_MISSING`.
    pub async fn start(
        words: &[String],
        mut environment: BTreeMap<String, String>,
        listener: SocketAddr,
        guardian: Option<Arc<Guardian>>,
        report: Option<Report>,
    ) -> Result<Self> {
        let (program, rest) =
            words.split_first().ok_or_else(|| found::missing("", "it has no name"))?;
        let path = found::find(program, &environment)?;
        let folder = environment.get("HOME").map(PathBuf::from);
        let folder = folder.filter(|folder| folder.is_dir()).unwrap_or(PathBuf::from("/"));
        let said = Said::without(&environment);
        // Ours starts nothing, and ends with its supervisor by itself.
        let mark = if report.is_none() { Some(Mark::new()?) } else { None };
        if let Some(mark) = &mark {
            environment.insert(Mark::VARIABLE.to_owned(), mark.text().to_owned());
            guardian.iter().for_each(|guardian| guardian.kill_marked(mark));
        }
        let started = free(path, rest, environment, folder).await;
        let Supervised { child, lifeline, stdout, stderr } =
            started.map_err(|error| found::missing(program, &error.to_string()))?;
        let pid = child.id().unwrap_or_default();
        if let Some(guardian) = &guardian {
            guardian.kill(pid);
        }
        let (sender, found) = mpsc::channel(MOST_FOUND);
        let mut listeners = JoinSet::new();
        let ear = |sender| Ear::new(listener, report.clone(), said.clone(), sender);
        listeners.spawn(listen(stdout, ear(sender.clone())));
        listeners.spawn(listen(stderr, ear(sender)));
        Ok(Self {
            child,
            lifeline: Some(lifeline),
            pid,
            said,
            found,
            plain: None,
            listeners,
            report,
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
    pub async fn address(&mut self) -> Result<Public> {
        loop {
            let late = async {
                match &self.plain {
                    Some(_) => tokio::time::sleep(SECOND).await,
                    None => std::future::pending().await,
                }
            };
            let ended = tokio::select! {
                biased;
                Some(found) = self.found.recv() => match found {
                    Found::Public(public) => {
                        self.found.close();
                        return Ok(public);
                    }
                    Found::Plain(address) => {
                        self.plain.get_or_insert(address);
                        continue;
                    }
                },
                ended = self.child.wait() => ended,
                () = late => return Err(self.late()),
            };
            self.hear_out().await;
            return Err(self.explain(ended.ok()));
        }
    }

    /// Waits until it ends, and says why.
    pub async fn ended(&mut self) -> String {
        // Nobody asks for an address any more.
        self.found.close();
        let ended = self.child.wait().await.ok();
        self.hear_out().await;
        self.describe(ended)
    }

    /// Waits a moment until all that it has said was heard.
    async fn hear_out(&mut self) {
        let last = async { while self.listeners.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LAST_WORDS, last).await;
    }

    /// Ends it, with everything that it started.
    pub async fn end(mut self) {
        self.lifeline.take();
        let ended = tokio::time::timeout(END, self.child.wait()).await;
        if ended.is_err() {
            tracing::warn!(pid = self.pid, "the tunnel did not end in time and is killed");
            let _ = self.child.kill().await;
        }
        // One that was killed has ended nobody, nor has the other if it was, too.
        let ended = ended.ok().and_then(Result::ok).is_some_and(|status| status.code().is_some());
        if let Some(mark) = self.mark.clone().filter(|_| !ended) {
            let _ = tokio::task::spawn_blocking(move || mark.end_all()).await;
        }
    }

    /// Why there is no address, when it printed none in time.
    pub fn late(&self) -> Error {
        if let Some(address) = &self.plain {
            let message = format!(
                "the tunnel is `http://{address}`: tokens and pages would travel in clear text"
            );
            return Error::new(Reason::TunnelPlain, message).with("address", address);
        }
        let said = match self.said.text() {
            said if said.is_empty() => "it said nothing".to_owned(),
            said => format!("it said: {said}"),
        };
        let message = format!("the program of the tunnel printed no address in time; {said}");
        Error::new(Reason::TunnelAddressMissing, message)
    }

    fn explain(&self, ended: Option<ExitStatus>) -> Error {
        if let Some(failure) = self.failure() {
            return failure;
        }
        let text = self.describe(ended);
        // The codes of ngrok for tokens: https://ngrok.com/docs/errors
        let token = ["ERR_NGROK_4018", "ERR_NGROK_105", "ERR_NGROK_107"];
        let message = format!("the program of the tunnel {text}");
        match token.iter().any(|code| text.contains(code)) {
            true => Error::new(Reason::TunnelTokenMissing, message).with("url", ngrok::LISTENER),
            false => Error::new(Reason::TunnelEnded, message),
        }
    }

    /// What it says that it ended for.
    fn failure(&self) -> Option<Error> {
        self.report.as_ref()?.failure(|line| self.said.bare(line))
    }

    fn describe(&self, ended: Option<ExitStatus>) -> String {
        if let Some(failure) = self.failure() {
            return format!("ended: {failure}");
        }
        let code = ended.map(crate::skills::supervisor::exit_code);
        let code = code.map_or_else(String::new, |code| format!(" with code {code}"));
        match self.said.text() {
            said if said.is_empty() => format!("ended{code} and said nothing"),
            said => format!("ended{code}: {said}"),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(guardian) = &self.guardian {
            guardian.forget_kill(self.pid);
            self.mark.iter().for_each(|mark| guardian.forget_marked(mark));
        }
    }
}

/// Reads all that a program prints, so that it never waits for us, and tells
/// the first address in it.
async fn listen(mut output: impl AsyncRead + Unpin, mut ear: Ear) {
    let mut piece = [0; 4096];
    loop {
        let length = output.read(&mut piece).await.unwrap_or_default();
        for byte in &piece[..length] {
            ear.hear(*byte);
        }
        if length == 0 {
            return ear.end_of_line();
        }
        // A program that never pauses must not hold up the others.
        tokio::task::yield_now().await;
    }
}

/// Who listens to one output.
struct Ear {
    line: Vec<u8>,
    /// Whether the line began before what is here.
    goes_on: bool,
    listener: SocketAddr,
    report: Option<Report>,
    said: Said,
    /// Whether a plain address was told.
    plain: bool,
    /// Whom to tell; nobody once an address was found.
    found: Option<mpsc::Sender<Found>>,
}

impl Ear {
    fn new(
        listener: SocketAddr,
        report: Option<Report>,
        said: Said,
        found: mpsc::Sender<Found>,
    ) -> Self {
        let (line, goes_on, plain) = (Vec::new(), false, false);
        Self { line, goes_on, listener, report, said, plain, found: Some(found) }
    }

    fn hear(&mut self, byte: u8) {
        if matches!(byte, b'\n' | b'\r') {
            return self.end_of_line();
        }
        self.line.push(byte);
        if self.line.len() >= MOST_LINE {
            self.take();
            self.goes_on = true;
        }
    }

    fn end_of_line(&mut self) {
        self.take();
        self.goes_on = false;
    }

    fn take(&mut self) {
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        // What follows may begin with the end of a secret.
        if !self.goes_on {
            self.said.add(&text);
        }
        if self.found.as_ref().is_some_and(mpsc::Sender::is_closed) {
            self.found = None;
        }
        let mark = match &self.report {
            Some(report) => {
                report.hear(&text);
                ngrok::MARK
            }
            None => "",
        };
        let Some(found) =
            self.found.as_ref().and_then(|_| public::find(&text, self.listener, mark))
        else {
            return;
        };
        let is_plain = matches!(found, Found::Plain(_));
        if is_plain && std::mem::replace(&mut self.plain, true) {
            return;
        }
        // Whoever was first wins.
        let _ = self.found.as_ref().map(|sender| sender.try_send(found));
        if !is_plain {
            self.found = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn heard(text: &str) -> (Vec<Found>, String) {
        let said = Said::without(&[("MY_TOKEN".to_owned(), "hunter2-x".to_owned())].into());
        let (sender, mut found) = mpsc::channel(MOST_FOUND);
        let listener = "127.0.0.1:4567".parse().expect("an address");
        listen(text.as_bytes(), Ear::new(listener, None, said.clone(), sender)).await;
        let mut all = Vec::new();
        while let Some(one) = found.recv().await {
            all.push(one);
        }
        (all, said.text())
    }

    #[tokio::test]
    async fn the_first_address_is_told_and_no_other_looked_for() {
        let lines =
            "one\rhttp://a.example\nhttp://c.example\nhttps://a.example\nhttps://b.example\n";
        let (found, said) = heard(lines).await;
        let [Found::Plain(plain), Found::Public(public)] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!((plain.as_str(), public.address.as_str()), ("a.example:80", "a.example:443"));
        assert_eq!(
            said,
            "one; http://a.example; http://c.example; https://a.example; https://b.example"
        );
    }

    #[tokio::test]
    async fn no_half_of_a_secret_stays_where_a_line_is_cut() {
        for before in (0..12).map(|more| MOST_LINE - more) {
            let line = format!("{}hunter2-x rest\nnext hunter2-x", "x".repeat(before));
            let (_, said) = heard(&line).await;
            assert!(!said.contains("unter2") && !said.contains("2-x"), "{before}: {said}");
            assert!(said.ends_with("next [redacted]"), "{said}");
        }
    }
}
