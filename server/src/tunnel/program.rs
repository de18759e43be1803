//! The program that forwards: started in a process group of its own, behind a
//! supervisor that ends all of it with the daemon, by whatever death.

use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use browse_proto::Reason;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{Child, ChildStdin},
    sync::mpsc,
};

use super::{
    Public,
    ngrok::{self, Report},
    public,
    wish::shown,
};
use crate::{
    error::{Error, Result, quote},
    guardian::Guardian,
    secrets,
    skills::process::{Supervised, free},
};

/// Lines that are remembered, for the case that it dies.
const MOST_LINES: usize = 8;
/// Bytes of a line; a longer one counts as several.
const MOST_LINE: usize = 16 << 10;
/// How long the supervisor may take to end everything.
const END: Duration = Duration::from_secs(5);
/// Time that what a dead program has said takes to arrive.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Bytes of a line that are kept.
const MOST_KEPT: usize = 2_000;
/// Bytes from which a variable with the name of a secret may be one.
const LEAST_SECRET: usize = 6;

/// A program that runs.
pub struct Program {
    child: Child,
    /// Its end ends everything.
    lifeline: Option<ChildStdin>,
    pid: u32,
    said: Said,
    lines: mpsc::Receiver<Public>,
    /// What it says of itself, where it is ours.
    report: Option<Report>,
    guardian: Option<Arc<Guardian>>,
}

/// The last lines that a program has printed, as they are.
#[derive(Clone, Debug, Default)]
struct Said {
    lines: Arc<Mutex<VecDeque<String>>>,
    /// Secrets of its environment, which it may print.
    secrets: Arc<Vec<String>>,
}

impl Program {
    /// Starts the program that `words` name; `report` hears it where it is ours.
    ///
    /// # Errors
    /// `TUNNEL_PROGRAM_MISSING`.
    pub async fn start(
        words: &[String],
        environment: BTreeMap<String, String>,
        listener: SocketAddr,
        guardian: Option<Arc<Guardian>>,
        report: Option<Report>,
    ) -> Result<Self> {
        let (program, rest) = words.split_first().ok_or_else(|| missing("", "it has no name"))?;
        let path = find(program, environment.get("PATH").map_or("", String::as_str));
        let path = path.ok_or_else(|| missing(program, "there is no such program on the PATH"))?;
        let folder = environment.get("HOME").map(PathBuf::from);
        let folder = folder.filter(|folder| folder.is_dir()).unwrap_or(PathBuf::from("/"));
        let said = Said::without(&environment);
        let started = free(path, rest, environment, folder).await;
        let Supervised { child, lifeline, stdout, stderr } =
            started.map_err(|error| missing(program, &error.to_string()))?;
        let pid = child.id().unwrap_or_default();
        if let Some(guardian) = &guardian {
            guardian.kill(pid);
        }
        let (sender, lines) = mpsc::channel(1);
        let ear = Ear { listener, report: report.clone(), said: said.clone() };
        tokio::spawn(listen(stdout, ear, sender.clone()));
        let ear = Ear { listener, report: report.clone(), said: said.clone() };
        tokio::spawn(listen(stderr, ear, sender));
        Ok(Self { child, lifeline: Some(lifeline), pid, said, lines, report, guardian })
    }

    /// Process id of its supervisor.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The first address that it prints.
    ///
    /// # Errors
    /// `TUNNEL_ENDED`, `TUNNEL_TOKEN_MISSING`: it ended before. What else our own
    /// says of ngrok.
    pub async fn address(&mut self) -> Result<Public> {
        let ended = tokio::select! {
            biased;
            Some(public) = self.lines.recv() => return Ok(public),
            ended = self.child.wait() => ended,
        };
        // It may have said so, and gone to the background with it.
        let last =
            tokio::time::timeout(LAST_WORDS, async { while self.lines.recv().await.is_some() {} });
        let _ = last.await;
        Err(self.explain(ended.ok()))
    }

    /// Waits until it ends, and says why.
    pub async fn ended(&mut self) -> String {
        let ended = self.child.wait().await.ok();
        let last = async { while self.lines.recv().await.is_some() {} };
        let _ = tokio::time::timeout(LAST_WORDS, last).await;
        self.describe(ended)
    }

    /// Ends it, with everything that it started.
    pub async fn end(mut self) {
        self.lifeline.take();
        if tokio::time::timeout(END, self.child.wait()).await.is_err() {
            tracing::warn!(pid = self.pid, "the tunnel did not end in time and is killed");
            let _ = self.child.kill().await;
        }
    }

    /// What it said last.
    pub fn last_words(&self) -> String {
        self.said.text()
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
        }
    }
}

impl Said {
    fn without(environment: &BTreeMap<String, String>) -> Self {
        let is_secret = |(name, value): &(&String, &String)| {
            secrets::is_secret_name(name) && value.len() >= LEAST_SECRET
        };
        let found = environment.iter().filter(is_secret).map(|(_, value)| value.clone());
        Self { lines: Arc::default(), secrets: Arc::new(found.collect()) }
    }

    /// What is taken out is taken out when somebody asks: a program may print
    /// without end.
    fn add(&self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        let line = line[..line.floor_char_boundary(MOST_KEPT)].to_owned();
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= MOST_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// A line as it may be shown.
    fn bare(&self, line: &str) -> String {
        let out = |line: String, secret: &String| line.replace(secret, secrets::REDACTED);
        shown(&self.secrets.iter().fold(line.to_owned(), out))
    }

    fn text(&self) -> String {
        let lines: Vec<_> = {
            let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            lines.iter().cloned().collect()
        };
        let bare = lines.iter().map(|line| self.bare(line));
        bare.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

/// What hears a program.
struct Ear {
    listener: SocketAddr,
    report: Option<Report>,
    said: Said,
}

/// Reads all that a program prints, so that it never waits for us, and tells
/// the first address in it.
async fn listen(mut output: impl AsyncRead + Unpin, ear: Ear, found: mpsc::Sender<Public>) {
    let mut found = Some(found);
    let mut line = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let length = output.read(&mut piece).await.unwrap_or_default();
        for byte in &piece[..length] {
            if *byte != b'\n' && *byte != b'\r' {
                line.push(*byte);
            }
            if matches!(byte, b'\n' | b'\r') || line.len() >= MOST_LINE {
                ear.heard(&mut line, &mut found);
            }
        }
        if length == 0 {
            return ear.heard(&mut line, &mut found);
        }
        // A program that never pauses must not hold up the others.
        tokio::task::yield_now().await;
    }
}

impl Ear {
    fn heard(&self, line: &mut Vec<u8>, found: &mut Option<mpsc::Sender<Public>>) {
        let text = String::from_utf8_lossy(&std::mem::take(line)).into_owned();
        self.said.add(&text);
        let mark = match &self.report {
            Some(report) => {
                report.hear(&text);
                ngrok::MARK
            }
            None => "",
        };
        if let Some(public) = found.as_ref().and_then(|_| public::find(&text, self.listener, mark))
            && let Some(sender) = found.as_ref()
        {
            // Whoever was first wins.
            let _ = sender.try_send(public);
        }
    }
}

/// The file of a program: a path, or a name on `path`.
fn find(program: &str, path: &str) -> Option<PathBuf> {
    use nix::unistd::{AccessFlags, access};
    let good = |file: &PathBuf| file.is_file() && access(file, AccessFlags::X_OK).is_ok();
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|file| file.is_absolute() && good(file));
    }
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(Path::new(program)))
        .find(good)
}

fn missing(program: &str, why: &str) -> Error {
    let message = format!("the program `{}` of the tunnel does not start: {why}", quote(program));
    Error::new(Reason::TunnelProgramMissing, message).with("program", quote(program))
}
