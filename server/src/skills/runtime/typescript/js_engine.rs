//! What runs JavaScript: bun, deno or node, the first that is there and new
//! enough, in this order.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{
    InstalledRuntime, RuntimeCommand, RuntimeFinder, RuntimeVersion, require,
    runtime_finder::{RuntimeSearch, RuntimeSpec},
};
use crate::skills::confinement::SOCKET;
use browse_base::Result;

const BUN: RuntimeSpec = RuntimeSpec {
    name: "bun",
    programs: &["bun"],
    probe_arguments: &[&["--print", "process.execPath + '\\n' + Bun.version"]],
    is_supported: |version| version >= RuntimeVersion(1, 2),
};

const DENO: RuntimeSpec = RuntimeSpec {
    name: "deno",
    programs: &["deno"],
    probe_arguments: &[&["eval", "console.log(Deno.execPath() + '\\n' + Deno.version.deno)"]],
    is_supported: |version| version >= RuntimeVersion(2, 0),
};

const NODE: RuntimeSpec = RuntimeSpec {
    name: "node",
    programs: &["node", "nodejs"],
    probe_arguments: &[&["--print", "process.execPath + '\\n' + process.versions.node"]],
    // The first that strip types without a flag.
    is_supported: |version| {
        version >= RuntimeVersion(23, 6)
            || (RuntimeVersion(22, 18)..RuntimeVersion(23, 0)).contains(&version)
    },
};

/// What to install.
const REQUIREMENT: &str = "node 22.18 or later, deno 2 or later, or bun 1.2 or later";

/// The first Node that strips types without a warning on standard error.
const QUIET_NODE: RuntimeVersion = RuntimeVersion(24, 3);

/// The engine of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsEngine {
    kind: JsEngineKind,
    runtime: InstalledRuntime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JsEngineKind {
    Bun,
    Deno,
    Node,
}

/// What a script may do where its engine decides that.
pub struct ScriptPermissions<'a> {
    /// Whether it may do what the user can.
    pub trusted: bool,
    /// `127.0.0.1:port` of the daemon; none for tests.
    pub address: Option<&'a str>,
    /// What it may read.
    pub readable: &'a [&'a Path],
    /// Where deno keeps what it translates.
    pub cache: &'a Path,
}

impl JsEngine {
    /// Looks for one.
    ///
    /// # Errors
    /// `RUNTIME_MISSING`.
    pub async fn find(programs: &RuntimeFinder) -> Result<Self> {
        let mut best = (JsEngineKind::Node, RuntimeSearch::NotFound);
        for (kind, wanted) in
            [(JsEngineKind::Bun, BUN), (JsEngineKind::Deno, DENO), (JsEngineKind::Node, NODE)]
        {
            match programs.find(&wanted).await {
                RuntimeSearch::NotFound => {}
                found => best = (kind, found),
            }
            if matches!(best.1, RuntimeSearch::Ready(_)) {
                break;
            }
        }
        let (kind, found) = best;
        Ok(Self { kind, runtime: require(found, REQUIREMENT)? })
    }

    /// What it is called in a listing, such as `node 24`.
    pub fn label(&self) -> String {
        match self.kind {
            JsEngineKind::Bun => format!("bun {}", self.runtime.version),
            JsEngineKind::Deno | JsEngineKind::Node => {
                format!("{} {}", self.runtime.name, self.runtime.version.0)
            }
        }
    }

    /// Node, if that is it.
    pub fn node(&self) -> Option<&InstalledRuntime> {
        (self.kind == JsEngineKind::Node).then_some(&self.runtime)
    }

    /// The program that runs `script`.
    pub fn run(&self, script: PathBuf, rights: &ScriptPermissions<'_>) -> RuntimeCommand {
        let words = match self.kind {
            JsEngineKind::Bun => vec!["--no-install".into()],
            JsEngineKind::Node => quiet_flags(&self.runtime),
            JsEngineKind::Deno => self.deno_arguments("run", rights),
        };
        self.command(words.into_iter().chain([script.into()]).collect(), rights.cache)
    }

    /// The program that runs `scripts`, which are tests; `ran` is a reporter
    /// for node that fails when there was nothing to run.
    pub fn tests(&self, scripts: &[PathBuf], folder: &Path, ran: &Path) -> RuntimeCommand {
        let rights =
            ScriptPermissions { trusted: false, address: None, readable: &[folder], cache: folder };
        let mut words = match self.kind {
            JsEngineKind::Bun => vec!["test".into()],
            JsEngineKind::Node => {
                let mut words = quiet_flags(&self.runtime);
                words.push("--test".into());
                for reporter in [Path::new("spec"), ran] {
                    words.extend(["--test-reporter".into(), reporter.into()]);
                    words.extend(["--test-reporter-destination", "stdout"].map(Into::into));
                }
                words
            }
            JsEngineKind::Deno => self.deno_arguments("test", &rights),
        };
        // bun takes what has no slash for a pattern.
        words.extend(scripts.iter().map(|script| Path::new(".").join(script).into_os_string()));
        self.command(words, folder)
    }

    /// deno confines by itself, so an untrusted skill gets what it needs and no
    /// more.
    fn deno_arguments(&self, verb: &str, rights: &ScriptPermissions<'_>) -> Vec<OsString> {
        let usual = [verb, "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote"];
        let mut words: Vec<OsString> = usual.map(Into::into).to_vec();
        if verb == "test" {
            words.push("--no-check".into());
        }
        if rights.trusted {
            words.push("--allow-all".into());
            return words;
        }
        words.push("--allow-env".into());
        // In the sandbox the daemon is at a socket. deno treats that as a file,
        // and from 2.9 on as a place of the network too, which no older one knows.
        let socket = match self.runtime.version >= RuntimeVersion(2, 9) {
            true => format!(",unix:{SOCKET}"),
            false => String::new(),
        };
        let net = rights.address.map(|address| format!("--allow-net={address}{socket}"));
        words.extend(net.map(Into::into));
        let mut list: Vec<_> = rights.readable.iter().map(|at| at.to_string_lossy()).collect();
        if rights.address.is_some() {
            list.push(SOCKET.into());
            words.push(format!("--allow-write={SOCKET}").into());
        }
        words.push(format!("--allow-read={}", list.join(",")).into());
        words
    }

    /// deno's cache would lie in a home that an untrusted skill has not.
    fn command(&self, words: Vec<OsString>, cache: &Path) -> RuntimeCommand {
        let mut program = self.runtime.command::<OsString>(&[]);
        program.arguments = words;
        if self.kind == JsEngineKind::Deno {
            let cache = cache.join("deno").to_string_lossy().into_owned();
            let variables = [("DENO_DIR", cache.as_str()), ("DENO_NO_UPDATE_CHECK", "1")];
            let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
            program.environment.extend(variables);
        }
        program
    }
}

/// Keeps a node that strips types as an experiment from saying so.
fn quiet_flags(node: &InstalledRuntime) -> Vec<OsString> {
    let warns = (RuntimeVersion(23, 0)..QUIET_NODE).contains(&node.version);
    warns.then(|| "--disable-warning=ExperimentalWarning".into()).into_iter().collect()
}

/// Has node take what it compiled before. A confined process cannot write there.
pub fn use_compile_cache(program: &mut RuntimeCommand, folder: PathBuf) {
    let path = folder.to_string_lossy().into_owned();
    program.environment.insert("NODE_COMPILE_CACHE".to_owned(), path);
    program.readable.push(folder);
}

#[cfg(test)]
mod tests {
    use super::{NODE, RuntimeVersion};

    #[test]
    fn a_node_that_strips_types_will_do() {
        for (major, minor) in [(22, 18), (22, 30), (23, 6), (24, 0), (26, 1)] {
            assert!((NODE.is_supported)(RuntimeVersion(major, minor)), "{major}.{minor}");
        }
        for (major, minor) in [(18, 20), (20, 20), (22, 17), (23, 0), (23, 5)] {
            assert!(!(NODE.is_supported)(RuntimeVersion(major, minor)), "{major}.{minor}");
        }
    }
}
