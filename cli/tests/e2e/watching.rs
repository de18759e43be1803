//! Watches, and several tabs at once.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, ChildStdout, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{project::Project, site::Site};

/// A `watch` under way.
struct Watch {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Watch {
    fn start(project: &Project) -> Self {
        let mut command = project.command(&["watch", "--every", "1", "--json", "--raw"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("browse is built");
        let stdout = child.stdout.take().expect("it is piped");
        Self { child, lines: BufReader::new(stdout).lines() }
    }

    fn next(&mut self) -> Option<Value> {
        let line = self.lines.next()?.expect("it can be read");
        let document: Value = serde_json::from_str(&line).expect("one document a line");
        Some(document["result"].clone())
    }

    /// Waits for its end, which must come by itself.
    fn end(mut self) -> Option<i32> {
        assert_eq!(self.next(), None);
        self.child.wait().expect("it ends").code()
    }
}

#[test]
fn a_watch_tells_what_changes_and_ends_with_its_tab() {
    let site = Site::serve(&[("/a", "<title>A</title><p>one"), ("/b", "<title>B</title><p>two")]);
    let project = Project::new();
    project.ok(&["goto", &site.url("/a")]);
    let mut watch = Watch::start(&project);
    let first = watch.next().expect("what there is");
    assert_eq!((&first["title"], &first["added"]), (&json!("A"), &json!(0)));
    project.ok(&["goto", &site.url("/b")]);
    let change = watch.next().expect("a change");
    assert_eq!((&change["title"], &change["url"]), (&json!("B"), &json!(site.url("/b"))));
    let diff = change["diff"].as_str().unwrap_or_default();
    assert!(diff.contains("- - \"one\"") && diff.contains("+ - \"two\""), "{diff}");
    project.ok(&["closetab"]);
    assert_eq!(watch.next().expect("the end")["summary"], json!("the tab was closed"));
    assert_eq!(watch.end(), Some(0));
}

#[test]
fn a_watch_is_ended_by_name() {
    let site = Site::page("<title>A</title>");
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    let mut watch = Watch::start(&project);
    watch.next().expect("what there is");
    assert_eq!(project.json(&["watch", "stop"])["ended"], json!(1));
    assert_eq!(watch.end(), Some(0));
}

#[test]
fn a_watch_does_not_keep_an_idle_daemon() {
    let site = Site::page("<title>A</title>");
    let project = Project::new().with("BROWSE_IDLE_TIMEOUT", "1s");
    project.ok(&["goto", &site.url("/")]);
    let mut watch = Watch::start(&project);
    watch.next().expect("what there is");
    assert_eq!(watch.end(), Some(0));
}

#[test]
fn tabs_work_at_the_same_time() {
    let site = Site::page("<title>A</title>");
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    for _ in 0..9 {
        project.json(&["newtab", &site.url("/")]);
    }
    let begun = Instant::now();
    let waits = project.json(&["tab-each", "js", "new Promise(done => setTimeout(done, 300, 1))"]);
    let took = begun.elapsed();
    assert_eq!(waits.as_array().map(Vec::len), Some(10));
    assert!(waits.as_array().into_iter().flatten().all(|one| one["result"] == json!(1)), "{waits}");
    // One after another they would take three seconds.
    assert!(took < Duration::from_millis(2000), "{took:?}");
}
