//! Two programs in the default session of one project are reported to each other.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use crate::{project::Project, site::Site};

const NOTICE: &str = "acts in the same tabs";

/// An interactive shell, which outlives the commands that it runs.
struct Shell {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Shell {
    fn start(project: &Project) -> Self {
        let browse = project.command(&[]);
        let mut command = Command::new("bash");
        command.args(["--norc", "--noprofile"]).current_dir(project.path()).env_clear();
        command.envs(browse.get_envs().filter_map(|(key, value)| Some((key, value?))));
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = piped.spawn().expect("bash");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Self { child, input, output }
    }

    /// Runs `browse` with `words`; both outputs.
    fn browse(&mut self, words: &str) -> String {
        let program = env!("CARGO_BIN_EXE_browse");
        self.line(&format!("'{program}' {words} 2>&1 </dev/null"))
    }

    fn line(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}; echo; echo end=$?").expect("the shell reads");
        let mut text = String::new();
        loop {
            let mut next = String::new();
            assert_ne!(self.output.read_line(&mut next).expect("text"), 0, "it ended: {text}");
            if next.starts_with("end=") {
                return text;
            }
            text += &next;
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn two_shells_in_the_default_session_learn_of_each_other_once() {
    let site = Site::page("<title>One</title>");
    let project = Project::new();
    let goto = format!("goto {}", site.url("/"));
    let (mut one, mut two) = (Shell::start(&project), Shell::start(&project));
    assert!(!one.browse(&goto).contains(NOTICE));
    let notice = two.browse("get title");
    let pid = one.child.id();
    assert!(notice.contains(&format!("`bash` (process {pid}) used the session `default`")));
    assert!(notice.contains("export BROWSE_SESSION=NAME"), "{notice}");
    assert!(!two.browse("get title").contains(NOTICE));
    assert!(one.browse("get title").contains(NOTICE));
    assert!(!one.browse("get title").contains(NOTICE));
    // Agents run each command in a shell of its own.
    assert!(
        !one.line(&format!("bash -c \"'{}' get title 2>&1\"", env!("CARGO_BIN_EXE_browse")))
            .contains(NOTICE)
    );
}

#[test]
fn a_session_of_its_own_and_a_script_are_not_reported() {
    let site = Site::page("<title>One</title>");
    let project = Project::new();
    let goto = format!("goto {}", site.url("/"));
    let (mut one, mut two) = (Shell::start(&project), Shell::start(&project));
    assert!(!one.browse(&goto).contains(NOTICE));
    two.line("export BROWSE_SESSION=work");
    assert!(!two.browse(&goto).contains(NOTICE));
    assert!(!one.browse("get title").contains(NOTICE));
    // A script that a shell runs is the shell's own.
    let script =
        project.write("run.sh", &format!("'{}' get title 2>&1\n", env!("CARGO_BIN_EXE_browse")));
    let text = one.line(&format!("bash {}", script.display()));
    assert!(text.contains("One") && !text.contains(NOTICE), "{text}");

    let sessions = project.json(&["session", "list"]);
    let names: Vec<_> = sessions.as_array().expect("a list").iter().collect();
    assert_eq!(names.len(), 2, "{sessions}");
    for session in names {
        assert_eq!(session["owner"], "root", "{session}");
        let number = |key: &str| session[key].as_u64();
        assert!(number("heap_bytes").is_some_and(|bytes| bytes > 0), "{session}");
        assert!(number("idle_seconds").is_some_and(|seconds| seconds < 60), "{session}");
    }
}
