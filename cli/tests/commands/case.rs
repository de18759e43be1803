//! One command on one page, run as a user would: as text, and as JSON.

use std::{
    fs,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use serde_json::Value;

use crate::{
    project::{Output, Project},
    screen::Screen,
    site::Site,
};

/// What a command does on a page. Lines are words apart by blanks; `'…'` keeps
/// blanks. `{site}` is the address of the page's site, `{first}` the id of the
/// session's first tab, `{ref}` the first ref of `snapshot -i`, `{trace}` the latest trace,
/// `{note}` the first note of `inbox`.
pub struct Case {
    /// Name in the registry.
    pub command: &'static str,
    /// HTML of `/`, where the tab stands; none leaves the tab blank.
    pub page: &'static str,
    /// More pages, by path.
    pub pages: &'static [(&'static str, &'static str)],
    /// Files of the working directory.
    pub files: &'static [(&'static str, &'static str)],
    /// What is made ready before everything else.
    pub prepare: Option<fn(&Project)>,
    /// Command lines that run before it.
    pub first: &'static [&'static str],
    /// Its command line.
    pub line: &'static str,
    /// Its standard input.
    pub input: &'static str,
    /// Whether its commands come from a screen, where there can be one; else
    /// it does not run.
    pub screen: bool,
    /// Parts of what it prints as text. Text of the page stands in an envelope of lines
    /// `--- untrusted … ---`; a single short line has the mark `[59048b 127.0.0.1]` instead.
    pub says: &'static [&'static str],
    /// Places in its JSON result and what they hold; `*` is anything but null.
    pub json: &'static [(&'static str, &'static str)],
    /// Files that it writes, and how they begin.
    pub writes: &'static [(&'static str, &'static [u8])],
    /// Command lines that run after it, and a part of what they print.
    pub then: &'static [(&'static str, &'static str)],
    /// Whether it touches what there is once in a browser, so that cases that
    /// say so run one after the other.
    pub alone: bool,
}

static ALONE: Mutex<()> = Mutex::new(());

/// The project of all cases; the last one that runs stops its daemon.
static SHARED: Mutex<Weak<Project>> = Mutex::new(Weak::new());

impl Case {
    /// A case to fill in.
    pub const NEW: Self = Self {
        command: "",
        page: "",
        pages: &[],
        files: &[],
        prepare: None,
        first: &[],
        line: "",
        input: "",
        screen: false,
        says: &[],
        json: &[],
        writes: &[],
        then: &[],
        alone: false,
    };

    /// Runs it twice, each time in a session of its own.
    pub fn run(&self) {
        assert!(!self.says.is_empty() || !self.writes.is_empty(), "a text is expected");
        assert!(!self.json.is_empty(), "JSON is expected");
        let _turn = self.alone.then(|| ALONE.lock().unwrap_or_else(PoisonError::into_inner));
        let project = shared();
        if self.screen && screen().is_none() {
            return;
        }
        let text = Stage::new(self, &project, "text").play(&[]);
        for part in self.says {
            assert!(text.contains(part), "`{}` does not say {part}: {text}", self.line);
        }
        let text = Stage::new(self, &project, "json").play(&["--json"]);
        let document: Value = serde_json::from_str(&text).expect("one JSON document");
        for (place, wanted) in self.json {
            let found = document["result"].pointer(place).cloned().unwrap_or_default();
            match *wanted {
                "*" => assert!(!found.is_null(), "{place} is not in {text}"),
                wanted => assert_eq!(found.to_string(), wanted, "{place} in {text}"),
            }
        }
    }
}

fn shared() -> Arc<Project> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    shared.upgrade().unwrap_or_else(|| {
        let project = Arc::new(
            Project::new()
                .with("BROWSE_IDLE_TIMEOUT", "120s")
                .with("BROWSE_FETCH_ALLOW", "127.0.0.1")
                .with("BROWSE_WEBMCP", "true"),
        );
        *shared = Arc::downgrade(&project);
        project
    })
}

/// The screen of all cases that need one; the last one that runs ends it.
static SCREEN: Mutex<Weak<Screen>> = Mutex::new(Weak::new());

fn screen() -> Option<Arc<Screen>> {
    let mut shared = SCREEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(screen) = shared.upgrade() {
        return Some(screen);
    }
    let screen = Arc::new(Screen::start()?);
    *shared = Arc::downgrade(&screen);
    Some(screen)
}

/// A session, a site and a working directory for one run of a case.
struct Stage<'a> {
    case: &'a Case,
    project: &'a Project,
    site: Site,
    session: String,
    screen: Option<Arc<Screen>>,
}

impl<'a> Stage<'a> {
    fn new(case: &'a Case, project: &'a Project, form: &str) -> Self {
        let name = case.command.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let session = format!("{name}-{form}-{:x}", case.line.len() + 31 * case.page.len());
        let pages: Vec<_> = case.pages.iter().copied().chain([("/", case.page)]).collect();
        let stage = Self {
            case,
            project,
            site: Site::serve(&pages),
            session,
            screen: if case.screen { screen() } else { None },
        };
        fs::create_dir_all(stage.folder()).expect("a writable project");
        for (file, text) in case.files {
            fs::write(stage.folder().join(file), text).expect("a writable project");
        }
        stage
    }

    fn folder(&self) -> std::path::PathBuf {
        self.project.path().join(&self.session)
    }

    /// Runs everything, and answers what the command itself printed.
    fn play(&self, flags: &[&str]) -> String {
        if let Some(prepare) = self.case.prepare {
            prepare(self.project);
        }
        self.project.ok(&["session", "new", &self.session]);
        if !self.case.page.is_empty() {
            self.ok("goto {site}/", "", &[]);
        }
        for line in self.case.first {
            self.ok(line, "", &[]);
        }
        let printed = self.ok(self.case.line, self.case.input, flags);
        for (file, start) in self.case.writes {
            let bytes = fs::read(self.folder().join(file)).expect("the file was written");
            assert!(bytes.starts_with(start), "{file} begins with {:?}", bytes.get(..16));
        }
        for (line, part) in self.case.then {
            let printed = self.ok(line, "", &["--raw"]);
            assert!(printed.contains(part), "`{line}` does not say {part}: {printed}");
        }
        self.project.ok(&["session", "close", &self.session]);
        printed
    }

    fn ok(&self, line: &str, input: &str, flags: &[&str]) -> String {
        let mut line = line.replace("{site}", &self.site.url(""));
        if line.contains("{first}") {
            let tabs = self.project.json(&["--session", &self.session, "tabs"]);
            line = line.replace("{first}", &tabs[0]["id"].to_string());
        }
        if line.contains("{ref}") {
            let tree = self.project.ok(&["--session", &self.session, "--raw", "snapshot", "-i"]);
            line = line.replace("{ref}", tree.split_whitespace().next().expect("an element"));
        }
        if line.contains("{trace}") {
            let traces = self.project.json(&["trace", "list"]);
            line = line.replace("{trace}", &traces[0]["id"].to_string());
        }
        if line.contains("{note}") {
            let notes = self.project.json(&["--session", &self.session, "inbox"]);
            line = line.replace("{note}", &notes[0]["id"].to_string());
        }
        let words = words(&line);
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let before = [&["--session", self.session.as_str()], flags].concat();
        let mut command = self.project.command(&[&before[..], &words].concat());
        command.current_dir(self.folder());
        command.envs(self.screen.as_ref().map(|screen| ("DISPLAY", screen.name())));
        let input = input.replace("{site}", &self.site.url(""));
        let output = Output::of_fed(command, &input, &self.folder());
        assert_eq!(output.code, Some(0), "`{line}`: {output:?}");
        output.stdout
    }
}

/// Splits a line at its blanks.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

/// Declares cases: a test for each, and the list of all.
macro_rules! cases {
    ($($name:ident: $case:expr,)*) => {
        /// The cases of this group.
        pub const CASES: &[Case] = &[$($case),*];

        $(#[test]
        fn $name() {
            $case.run();
        })*
    };
}
pub(crate) use cases;
