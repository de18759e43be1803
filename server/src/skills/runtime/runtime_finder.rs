//! Finds runtimes on the PATH of the daemon, and asks each once what it is.
//!
//! What is found may be a script of a version manager, which takes 70 ms and
//! wants HOME and a shell. So it is asked once which program it leads to, and
//! that one is started from then on. Answers are kept in
//! `$BROWSE_HOME/cache/runtimes.json`: the first run of a daemon costs no
//! question.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};
use tokio::process::Command;
use tokio::sync::Mutex;

use super::version::RuntimeVersion;

/// How long a version manager may take to answer.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the answer of a script holds: what it leads to may change without
/// the script.
const SCRIPT_ANSWER_TTL: Duration = Duration::from_secs(600);

/// How long what gave no answer is left alone.
const FAILED_PROBE_TTL: Duration = Duration::from_secs(60);

/// The runtimes that were found.
pub struct RuntimeFinder {
    known: Mutex<ProbeCache>,
    file: PathBuf,
}

/// What programs reported.
#[derive(Default)]
struct ProbeCache {
    /// Read from the file at the first question.
    answers: Option<HashMap<PathBuf, ProbeAnswer>>,
    /// Those that gave no answer, and when.
    failed: HashMap<PathBuf, (ProgramStamp, Instant)>,
}

/// A kind of runtime.
pub struct RuntimeSpec {
    /// The word for it.
    pub name: &'static str,
    /// What its program may be called, the best first.
    pub programs: &'static [&'static str],
    /// Make it print its own path, or its home with `bin/cargo` in it; then its
    /// version; then folders that it reads.
    pub probe_arguments: &'static [&'static [&'static str]],
    /// Whether a version will do.
    pub is_supported: fn(RuntimeVersion) -> bool,
}

/// A runtime on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledRuntime {
    /// The word for it.
    pub name: &'static str,
    /// The program itself.
    pub path: PathBuf,
    /// Its version.
    pub version: RuntimeVersion,
    /// What it reads beside the system's libraries.
    pub readable: Vec<PathBuf>,
}

/// What a search came to.
#[derive(Debug, PartialEq, Eq)]
pub enum RuntimeSearch {
    /// One that will do.
    Ready(InstalledRuntime),
    /// Only one that is too old.
    TooOld(InstalledRuntime),
    /// None that will do, and one that gave no version, as on a machine under load.
    NoAnswer(PathBuf),
    /// None.
    NotFound,
}

/// What a program reported about itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ProbeAnswer {
    stamp: ProgramStamp,
    asked: SystemTime,
    script: bool,
    path: PathBuf,
    version: RuntimeVersion,
    readable: Vec<PathBuf>,
}

/// What tells that a file is as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ProgramStamp(i64, i64, u64, u64);

impl RuntimeFinder {
    /// The runtimes of this machine, with what `cache` knows about them.
    pub fn new(cache: &Path) -> Self {
        Self { known: Mutex::default(), file: cache.join("runtimes.json") }
    }

    /// Looks for `wanted`.
    pub async fn find(&self, wanted: &RuntimeSpec) -> RuntimeSearch {
        self.find_in(wanted, &std::env::var_os("PATH").unwrap_or_default()).await
    }

    /// The same in these folders.
    async fn find_in(&self, wanted: &RuntimeSpec, path: &OsStr) -> RuntimeSearch {
        let (mut old, mut silent) = (None, None);
        // A system's old one may stand before one that the user installed.
        for found in wanted.programs.iter().flat_map(|name| find_all_on_path(name, path)) {
            let Some(answer) = self.probe(&found, wanted.probe_arguments).await else {
                silent = silent.or(Some(found));
                continue;
            };
            let runtime = InstalledRuntime {
                name: wanted.name,
                path: answer.path,
                version: answer.version,
                readable: answer.readable,
            };
            if (wanted.is_supported)(runtime.version) {
                return RuntimeSearch::Ready(runtime);
            }
            old = old.or(Some(runtime));
        }
        match (silent, old) {
            (Some(silent), _) => RuntimeSearch::NoAnswer(silent),
            (None, Some(old)) => RuntimeSearch::TooOld(old),
            (None, None) => RuntimeSearch::NotFound,
        }
    }

    /// What the program `found` reported, or says now.
    async fn probe(&self, found: &Path, questions: &[&[&str]]) -> Option<ProbeAnswer> {
        let stamp = stamp(found)?;
        let mut known = self.known.lock().await;
        let ProbeCache { answers, failed: silent } = &mut *known;
        let answers = answers.get_or_insert_with(|| self.read_cache());
        if let Some(answer) = answers.get(found).filter(|answer| answer.is_valid(&stamp)) {
            return Some(answer.clone());
        }
        let still = |(then, when): &(ProgramStamp, Instant)| {
            *then == stamp && when.elapsed() < FAILED_PROBE_TTL
        };
        if silent.get(found).is_some_and(still) {
            return None;
        }
        let Some(answer) = run_probe(found, stamp.clone(), questions).await else {
            silent.insert(found.to_owned(), (stamp, Instant::now()));
            return None;
        };
        answers.insert(found.to_owned(), answer.clone());
        if let Err(error) = self.write_cache(answers) {
            tracing::debug!(%error, "what runtimes there are cannot be kept");
        }
        Some(answer)
    }

    fn read_cache(&self) -> HashMap<PathBuf, ProbeAnswer> {
        let bytes = fs::read(&self.file).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    fn write_cache(&self, known: &HashMap<PathBuf, ProbeAnswer>) -> std::io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&file, known)?;
        file.persist(&self.file)?;
        Ok(())
    }
}

impl ProbeAnswer {
    fn is_valid(&self, stamp: &ProgramStamp) -> bool {
        let fresh = self.asked.elapsed().is_ok_and(|age| age < SCRIPT_ANSWER_TTL);
        self.stamp == *stamp && (fresh || !self.script) && is_executable(&self.path)
    }
}

/// The executable files `name` in the folders of `path`, in their order.
fn find_all_on_path(name: &str, path: &OsStr) -> Vec<PathBuf> {
    let candidates = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    candidates.map(|folder| folder.join(name)).filter(|file| is_executable(file)).collect()
}

/// Whether `file` can be executed.
pub fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

fn stamp(file: &Path) -> Option<ProgramStamp> {
    let meta = file.metadata().ok()?;
    Some(ProgramStamp(meta.mtime(), meta.mtime_nsec(), meta.size(), meta.ino()))
}

fn is_script(file: &Path) -> bool {
    let mut head = [0; 2];
    let read = fs::File::open(file).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *b"#!"
}

async fn run_probe(
    program: &Path,
    stamp: ProgramStamp,
    questions: &[&[&str]],
) -> Option<ProbeAnswer> {
    let mut text = String::new();
    for question in questions {
        let mut command = Command::new(program);
        command.args(*question).current_dir("/").stdin(Stdio::null()).stderr(Stdio::null());
        command.kill_on_drop(true);
        let output = tokio::time::timeout(PROBE_TIMEOUT, command.output()).await.ok()?.ok()?;
        text.push_str(std::str::from_utf8(&output.stdout).ok()?);
    }
    let mut lines = text.lines().map(str::trim);
    let mut path = PathBuf::from(lines.next()?);
    let home = path.is_dir().then(|| path.clone());
    if home.is_some() {
        path.push("bin/cargo");
    }
    if !is_executable(&path) {
        return None;
    }
    let version = lines.next()?.split_whitespace().find_map(|word| word.parse().ok())?;
    let folders = lines.map(PathBuf::from).filter(|path| path.is_absolute());
    let readable = home.into_iter().chain(folders).collect();
    let (asked, script) = (SystemTime::now(), is_script(program));
    Some(ProbeAnswer { stamp, asked, script, path, version, readable })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{
        RuntimeFinder, RuntimeSearch, RuntimeSpec, RuntimeVersion, find_all_on_path, is_script,
        run_probe, stamp,
    };
    use crate::testing::write_program;

    #[tokio::test]
    async fn a_script_is_asked_where_it_leads() {
        let folder = tempfile::tempdir().expect("a folder");
        let shim = folder.path().join("python9");
        fs::write(&shim, "").expect("written");
        assert!(find_all_on_path("python9", folder.path().as_os_str()).is_empty());
        write_program(&shim, "#!/bin/sh\nprintf '/bin/sh\\n9.10.2\\n/lib/python9\\n'\n");
        assert_eq!(
            find_all_on_path("python9", folder.path().as_os_str()),
            std::slice::from_ref(&shim)
        );
        assert!(is_script(&shim));
        let answer =
            run_probe(&shim, stamp(&shim).expect("there"), &[&[]]).await.expect("an answer");
        assert_eq!((answer.path, answer.script), ("/bin/sh".into(), true));
        assert_eq!(answer.version.to_string(), "9.10");
        assert_eq!(answer.readable, [Path::new("/lib/python9")]);
    }

    #[tokio::test]
    async fn one_that_gives_no_version_is_not_too_old() {
        let folder = tempfile::tempdir().expect("a folder");
        let (first, second) = (folder.path().join("node-a"), folder.path().join("node-b"));
        write_program(&second, "#!/bin/sh\nprintf '/bin/sh\\n1.0.0\\n'\n");
        let paths = [folder.path().to_owned()];
        let wanted = RuntimeSpec {
            name: "node",
            programs: &["node-a", "node-b"],
            probe_arguments: &[&[]],
            is_supported: |version| version >= RuntimeVersion(2, 0),
        };
        let path = std::env::join_paths(paths).expect("a path");
        let find = async || RuntimeFinder::new(folder.path()).find_in(&wanted, &path).await;
        assert!(matches!(find().await, RuntimeSearch::TooOld(_)));
        write_program(&first, "#!/bin/sh\nexit 1\n");
        assert_eq!(find().await, RuntimeSearch::NoAnswer(first));
    }

    #[tokio::test]
    async fn what_says_something_else_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let shim = folder.path().join("node");
        for text in
            ["exit 1", "echo hello", "printf '/bin/sh\\nnew\\n'", "printf '/none\\n1.2.3\\n'"]
        {
            write_program(&shim, &format!("#!/bin/sh\n{text}\n"));
            let answer = run_probe(&shim, stamp(&shim).expect("there"), &[&[]]).await;
            assert!(answer.is_none(), "{text}: {answer:?}");
        }
    }
}
