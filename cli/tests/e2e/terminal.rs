//! Terminals in the dashboard: who may have one, what runs in it, and what is left of it.

use std::{fs, io::Read as _, net::TcpStream, process::Command};

use browse_proto::wire::base64;
use serde_json::{Value, json};

use crate::{
    dashboard::{Dashboard, LIMIT},
    project::{Project, eventually},
    traces::kept_text,
};

/// The scopes that a terminal needs, and more.
const WITH_CONTROL: &[&str] = &["--scope", "read,write,meta,control"];

/// Memory that the daemon may grow by while a program prints without end, in KiB.
const MAX_GROWTH_KIB: u64 = 32 << 10;

/// A project whose user allows terminals.
fn project() -> Project {
    Project::new().with("BROWSE_DASHBOARD_TERMINAL", "1")
}

/// The messages of a stream: envelopes within the chunks of HTTP.
struct Messages {
    stream: TcpStream,
    /// What came and is not taken apart yet.
    wire: Vec<u8>,
    is_head_read: bool,
    envelopes: Vec<u8>,
}

impl Messages {
    fn of(stream: TcpStream) -> Self {
        Self { stream, wire: Vec::new(), is_head_read: false, envelopes: Vec::new() }
    }

    /// The flags and the document of the next envelope.
    fn next(&mut self) -> (u8, Value) {
        loop {
            if let Some(found) = self.take_envelope() {
                return found;
            }
            let mut buffer = [0; 65536];
            let count = self.stream.read(&mut buffer).expect("more comes");
            assert_ne!(count, 0, "it ended: {}", String::from_utf8_lossy(&self.wire));
            self.wire.extend_from_slice(&buffer[..count]);
            while self.take_chunk() {}
        }
    }

    fn take_envelope(&mut self) -> Option<(u8, Value)> {
        let head: [u8; 5] = self.envelopes.get(..5)?.try_into().ok()?;
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let document = self.envelopes.get(5..5 + length)?;
        let document = serde_json::from_slice(document).expect("JSON");
        self.envelopes.drain(..5 + length);
        Some((head[0], document))
    }

    /// Takes the head of the answer, or one chunk of it.
    fn take_chunk(&mut self) -> bool {
        let ending: &[u8] = if self.is_head_read { b"\r\n" } else { b"\r\n\r\n" };
        let found = self.wire.windows(ending.len()).position(|part| part == ending);
        let Some(at) = found else { return false };
        let begin = at + ending.len();
        if !self.is_head_read {
            self.is_head_read = true;
            self.wire.drain(..begin);
            return true;
        }
        let size = String::from_utf8_lossy(&self.wire[..at]).into_owned();
        let size = usize::from_str_radix(&size, 16).expect("a size");
        if self.wire.len() < begin + size + 2 {
            return false;
        }
        self.envelopes.extend_from_slice(&self.wire[begin..begin + size]);
        self.wire.drain(..begin + size + 2);
        true
    }
}

/// A terminal that is open, as its page has it. It ends when this is dropped.
struct OpenTerminal<'a> {
    dashboard: &'a Dashboard,
    messages: Messages,
    capability: String,
    printed: String,
}

fn offer(dashboard: &Dashboard) -> Result<Value, String> {
    dashboard.call("DashboardService/OfferTerminal", &json!({}))
}

impl<'a> OpenTerminal<'a> {
    fn open(dashboard: &'a Dashboard, offer: &Value) -> Result<Self, String> {
        let body = json!({ "offer": offer["offer"], "columns": 100, "rows": 30 });
        let mut messages = Messages::of(dashboard.follow("DashboardService/OpenTerminal", &body));
        let (flags, first) = messages.next();
        if flags != 0 {
            let reason = first["error"]["details"][0]["debug"]["reason"].as_str();
            return Err(reason.unwrap_or("?").to_owned());
        }
        let capability = first["terminal"].as_str().expect("a capability").to_owned();
        Ok(Self { dashboard, messages, capability, printed: String::new() })
    }

    fn start(dashboard: &'a Dashboard) -> Self {
        let offer = offer(dashboard).expect("an offer");
        Self::open(dashboard, &offer).expect("a terminal")
    }

    fn write(&self, more: Value) -> Result<Value, String> {
        let mut body = json!({ "terminal": self.capability });
        let fields = more.as_object().expect("an object").clone();
        body.as_object_mut().expect("an object").extend(fields);
        self.dashboard.call("DashboardService/WriteTerminal", &body)
    }

    fn line(&self, line: &str) {
        let data = base64::encode(format!("{line}\r").as_bytes());
        self.write(json!({ "data": data })).expect("it is open");
    }

    /// Reads until `part` was printed; answers all that was.
    fn read_until(&mut self, part: &str) -> &str {
        let mut from = 0;
        while !self.printed[from..].contains(part) {
            // The part may have come in two pieces.
            let before = self.printed.len().saturating_sub(part.len());
            from = self.printed.floor_char_boundary(before);
            let (flags, message) = self.messages.next();
            assert_eq!(flags, 0, "it ended: {message} after {}", self.printed);
            assert_eq!(message["ended"], "", "it ended after {}", self.printed);
            let data = base64::decode(message["data"].as_str().expect("bytes")).expect("base64");
            self.printed.push_str(&String::from_utf8_lossy(&data));
        }
        &self.printed
    }

    /// Reads to the end; answers how it ended.
    fn read_to_end(&mut self) -> String {
        loop {
            let (flags, message) = self.messages.next();
            assert_eq!(flags, 0, "{message}");
            if message["ended"] != "" {
                assert_eq!(self.messages.next().0, 2, "the end of the stream");
                return message["ended"].as_str().expect("words").to_owned();
            }
        }
    }
}

#[test]
fn a_terminal_is_off_until_the_user_allows_it() {
    let project = Project::new();
    let dashboard = Dashboard::open(&project, WITH_CONTROL);
    assert_eq!(offer(&dashboard), Err("TERMINAL_OFF".to_owned()));
    let body = json!({ "terminal": "0", "data": "" });
    let written = dashboard.call("DashboardService/WriteTerminal", &body);
    assert_eq!(written, Err("TERMINAL_OFF".to_owned()));
    assert!(dashboard.view_overview().contains("\"terminal\":false"));
}

#[test]
fn only_people_at_a_dashboard_with_control_have_terminals() {
    let project = project();
    for line in
        [&["terminal", "offer"][..], &["terminal", "open", "0"], &["terminal", "write", "0"]]
    {
        project.ok(&["goto", "about:blank"]);
        assert_eq!(project.fail(line).0, "SCOPE_DENIED", "{line:?}");
    }
    for args in [&[][..], &["--read-only"], &["--scope", "read,write,meta,admin"]] {
        let dashboard = Dashboard::open(&project, args);
        assert_eq!(offer(&dashboard), Err("SCOPE_DENIED".to_owned()), "{args:?}");
        assert!(dashboard.view_overview().contains("\"terminal\":false"), "{args:?}");
    }
    let dashboard = Dashboard::open(&project, WITH_CONTROL);
    assert!(dashboard.view_overview().contains("\"terminal\":true"));
}

#[test]
fn a_terminal_belongs_to_the_dashboard_that_opened_it() {
    let project = project();
    let (own, other) =
        (Dashboard::open(&project, WITH_CONTROL), Dashboard::open(&project, WITH_CONTROL));
    let offered = offer(&own).expect("an offer");
    let ended = Some("TERMINAL_ENDED".to_owned());
    assert_eq!(OpenTerminal::open(&other, &offered).err(), ended, "it is for another dashboard");
    let terminal = OpenTerminal::open(&own, &offered).expect("it was not spent");
    assert_eq!(OpenTerminal::open(&own, &offered).err(), ended, "it is used");
    assert_eq!(OpenTerminal::open(&own, &json!({ "offer": "" })).err(), ended);
    let body = json!({ "terminal": terminal.capability, "data": base64::encode(b"exit\r") });
    assert_eq!(other.call("DashboardService/WriteTerminal", &body).err(), ended);
    for (more, reason) in [
        (json!({ "data": base64::encode(&[b'x'; 70_000]) }), "ARGUMENT_INVALID"),
        (json!({ "columns": 80 }), "ARGUMENT_INVALID"),
        (json!({ "columns": 80, "rows": 0 }), "ARGUMENT_INVALID"),
    ] {
        assert_eq!(terminal.write(more).err(), Some(reason.to_owned()));
    }
    let more: Vec<_> = (0..3).map(|_| OpenTerminal::start(&own)).collect();
    let offered = offer(&own).expect("an offer");
    let full = OpenTerminal::open(&own, &offered).err();
    assert_eq!(full, Some("TERMINALS_OPEN".to_owned()));
    drop(more);
    eventually(LIMIT, || OpenTerminal::open(&own, &offered)).expect("the offer was not spent");
}

#[test]
fn a_shell_runs_in_the_folder_of_the_project_without_secrets() {
    let project = project()
        .with("SHELL", "/bin/bash")
        .with("NGROK_AUTHTOKEN", "secret-of-ngrok")
        .with("BROWSE_LIBRARY_URL", "https://ada:secret-of-library@127.0.0.1:1/")
        .with("BROWSE_SECURITY_TRANSCRIPT_CHECK", "openai")
        .with("BROWSE_SECURITY_TRANSCRIPT_URL", "http://127.0.0.1:1/secret-of-url")
        .with("BROWSE_SECURITY_TRANSCRIPT_MODEL", "m")
        .with("BROWSE_SECURITY_TRANSCRIPT_KEY", "JUDGE_KEY")
        .with("JUDGE_KEY", "secret-of-judge")
        .with("API_KEY_OF_ADA", "hers");
    let dashboard = Dashboard::open(&project, WITH_CONTROL);
    let offered = offer(&dashboard).expect("an offer");
    let folder = project.path().canonicalize().expect("a folder");
    assert_eq!(offered["shell"], "/bin/bash");
    assert_eq!(offered["folder"], project.path().display().to_string());
    let mut terminal = OpenTerminal::open(&dashboard, &offered).expect("a terminal");
    terminal.line("stty size; echo folder=$(pwd -P); tty");
    let printed = terminal.read_until("/dev/pts/");
    assert!(printed.contains("30 100"), "{printed}");
    assert!(printed.contains(&format!("folder={}", folder.display())), "{printed}");
    terminal.write(json!({ "columns": 132, "rows": 50 })).expect("it is open");
    terminal.line("stty size");
    terminal.read_until("50 132");

    terminal.line("env; echo end=$((40+2))");
    let printed = terminal.read_until("end=42").to_owned();
    for part in ["API_KEY_OF_ADA=hers", "TERM=xterm-256color", "SHELL=/bin/bash", "BROWSE_HOME="] {
        assert!(printed.contains(part), "{part} is not in {printed}");
    }
    let state = fs::read_to_string(project.path().join(".browse/daemon.json")).expect("a daemon");
    let state: Value = serde_json::from_str(&state).expect("JSON");
    let root = state["token"].as_str().expect("a token");
    for secret in [root, "secret-of", "NGROK_AUTHTOKEN", "JUDGE_KEY=", "BROWSE_TOKEN"] {
        assert!(!printed.contains(secret), "{secret} is in {printed}");
    }
    // A program of the terminal that is in no group of the shell ends with it, too.
    terminal.line("setsid sleep 86401 & exit 3");
    assert_eq!(terminal.read_to_end(), "the shell ended with code 3");
    no_sleeper(&project, "86401");
    assert_eq!(terminal.write(json!({ "data": "" })).err(), Some("TERMINAL_ENDED".to_owned()));
}

/// Waits until no `sleep` of these seconds is left of the project.
#[track_caller]
fn no_sleeper(project: &Project, seconds: &str) {
    let left = eventually(LIMIT, || {
        let left = sleepers(project, seconds);
        left.is_empty().then_some(()).ok_or(left)
    });
    assert!(left.is_ok(), "left over: {left:?}");
}

fn sleepers(project: &Project, seconds: &str) -> Vec<(u32, String)> {
    let line = format!("sleep {seconds}");
    project.processes().into_iter().filter(|(_, found)| found.trim() == line).collect()
}

/// Starts three sleepers in a terminal, and waits until they sleep.
fn start_sleepers(project: &Project, terminal: &OpenTerminal<'_>, seconds: &str) {
    terminal.line(&format!(
        "trap '' HUP; sleep {seconds} & setsid sleep {seconds} & (nohup setsid sleep {seconds} &)"
    ));
    let found = eventually(LIMIT, || {
        let found = sleepers(project, seconds);
        (found.len() == 3).then_some(()).ok_or(found)
    });
    assert!(found.is_ok(), "{found:?}");
}

#[test]
fn everything_ends_with_the_page_the_dashboard_and_the_daemon() {
    let project = project();
    let dashboard = Dashboard::open(&project, WITH_CONTROL);
    let terminal = OpenTerminal::start(&dashboard);
    start_sleepers(&project, &terminal, "86402");
    drop(terminal);
    no_sleeper(&project, "86402");

    let terminal = OpenTerminal::start(&dashboard);
    start_sleepers(&project, &terminal, "86403");
    project.ok(&["dashboard", "close"]);
    no_sleeper(&project, "86403");
    drop(terminal);

    let dashboard = Dashboard::open(&project, WITH_CONTROL);
    let mut terminal = OpenTerminal::start(&dashboard);
    start_sleepers(&project, &terminal, "86404");
    project.ok(&["stop"]);
    assert_eq!(terminal.read_to_end(), "the daemon ends");
    no_sleeper(&project, "86404");

    let dashboard = Dashboard::open(&project, WITH_CONTROL);
    let terminal = OpenTerminal::start(&dashboard);
    start_sleepers(&project, &terminal, "86405");
    let pid = project.daemon_pid().expect("a daemon").to_string();
    assert!(Command::new("kill").args(["-9", &pid]).status().expect("kill runs").success());
    no_sleeper(&project, "86405");
    project.assert_empty_within(LIMIT);
}

#[test]
fn nothing_of_a_terminal_is_recorded() {
    let project = project().with("BROWSE_LOG", "debug");
    project.ok(&["goto", "about:blank"]);
    project.ok(&["trace", "start", "--steps"]);
    let dashboard = Dashboard::open(&project, WITH_CONTROL);
    let mut terminal = OpenTerminal::start(&dashboard);
    terminal.line("echo hunter2typed; echo printed-$((6*7))-hunter2");
    terminal.read_until("printed-42-hunter2");
    let encoded = base64::encode(b"echo hunter2typed");
    terminal.line("exit");
    terminal.read_to_end();
    let activity = project.ok(&["activity"]);
    assert!(
        activity.contains("terminal open") && activity.contains("terminal offer"),
        "{activity}"
    );
    assert!(!activity.contains("terminal write") && !activity.contains("hunter2"), "{activity}");
    project.ok(&["stop"]);
    let kept = kept_text(&project.user_home());
    for part in ["hunter2", &encoded[..16], terminal.capability.as_str()] {
        assert!(!kept.contains(part), "{part} was kept");
    }
}

#[test]
fn a_reader_that_reads_nothing_holds_the_program_up() {
    let project = project();
    let dashboard = Dashboard::open(&project, WITH_CONTROL);
    let mut terminal = OpenTerminal::start(&dashboard);
    let daemon = project.daemon_pid().expect("a daemon");
    let memory = || {
        let status = fs::read_to_string(format!("/proc/{daemon}/status")).expect("it lives");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a size");
        line.split_whitespace().nth(1).and_then(|size| size.parse::<u64>().ok()).expect("a size")
    };
    let before = memory();
    terminal.line("yes hello");
    let yes = || {
        let found = project.processes().into_iter().find(|(_, line)| line.trim() == "yes hello");
        found.map(|(pid, _)| pid).ok_or(())
    };
    let yes = eventually(LIMIT, yes).expect("it runs");
    // Ticks in user and kernel mode.
    let worked = || {
        let stat = fs::read_to_string(format!("/proc/{yes}/stat")).expect("it lives");
        let fields: Vec<_> = stat.split(' ').map(str::to_owned).collect();
        (fields[13].clone(), fields[14].clone())
    };
    let rests = eventually(LIMIT, || {
        let before = worked();
        project.ok(&["status"]);
        project.ok(&["status"]);
        (worked() == before).then_some(()).ok_or(())
    });
    assert!(rests.is_ok(), "it goes on without a reader");
    let grown = memory().saturating_sub(before);
    assert!(grown < MAX_GROWTH_KIB, "the daemon took {grown} KiB");
    // The key that ends it works although nothing was read.
    terminal.write(json!({ "data": base64::encode(b"\x03") })).expect("it is open");
    terminal.line("echo still-$((6*7))");
    terminal.read_until("still-42");
}
