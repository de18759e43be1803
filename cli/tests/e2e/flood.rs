//! A page that does too much of everything.

use std::time::Duration;

use crate::{
    project::{Project, eventually},
    site::Site,
};

/// Logs 100,000 lines, opens 50 dialogs and makes 5,000 requests, all at once.
/// It yields between two parts, as a page does that wants to live.
const PAGE: &str = "<title>busy</title><button>Go</button><script>
const later = () => new Promise((done) => setTimeout(done));
const lines = async () => {
  const filler = 'x'.repeat(200);
  for (let n = 0; n < 100_000; n += 1) {
    console.log('line ' + n, filler);
    if (n % 500 === 0) await later();
  }
};
const dialogs = async () => {
  for (let n = 0; n < 50; n += 1) {
    alert('dialog ' + n);
    await later();
  }
};
const requests = async () => {
  for (let n = 0; n < 5_000; n += 100) {
    const some = Array.from({ length: 100 }, (_, at) => fetch('/x?' + (n + at)).then((r) => r.text()));
    await Promise.all(some);
  }
};
addEventListener('load', () => setTimeout(() => Promise.all([lines(), dialogs(), requests()])
  .then(() => { document.title = 'done'; })));
</script>";

/// Mebibytes that the daemon may have allocated after it: its rings hold 12 at most, and as many
/// wait for the files. Pages of its program are not counted: an unoptimised one has many.
const MAX_ALLOCATED_MIB: u64 = 48;

#[test]
fn a_page_that_floods_fails_no_call_and_fills_no_memory() {
    let site = Site::serve(&[("/", PAGE), ("/x", "x")]);
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    let memory = || allocated_mib(project.daemon_pid().expect("a daemon"));
    let mut most = memory();
    let done = eventually(Duration::from_secs(120), || {
        for line in [&["url"][..], &["tabs"], &["text"], &["snapshot", "-i"], &["dialog"]] {
            project.ok(line);
        }
        for line in [&["console", "--errors"][..], &["network", "--filter", "*?4999"]] {
            project.ok(line);
        }
        most = most.max(memory());
        let title = project.json(&["get", "title"]);
        if title == "done" { Ok(()) } else { Err(title) }
    });
    assert!(done.is_ok(), "{done:?}");
    println!("flood: the daemon had {most} MiB at most");
    assert!(most <= MAX_ALLOCATED_MIB, "{most} MiB");

    let dialogs = project.json(&["dialog"]);
    assert_eq!(dialogs.as_array().map(Vec::len), Some(50));
    let requests = project.json(&["network", "--filter", "*/x?*"]);
    assert_eq!(requests.as_array().map(Vec::len), Some(5_000));
    let console = project.json(&["console"]);
    let kept = console.as_array().map(Vec::len).unwrap_or_default();
    assert!((1_000..=50_000).contains(&kept), "{kept}");
    let log = project.path().join(".browse/network.log");
    let logged = eventually(Duration::from_secs(10), || {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let lines = text.lines().filter(|line| line.contains("/x")).count();
        if lines == 5_000 { Ok(()) } else { Err(lines) }
    });
    assert!(logged.is_ok(), "{logged:?}");
    project.ok(&["console", "--clear"]);
    project.ok(&["click", "button"]);
}

/// Memory of a process that no file is behind, in MiB.
fn allocated_mib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = kilobytes.and_then(|text| text.trim().strip_suffix(" kB"));
    kilobytes.and_then(|text| text.parse::<u64>().ok()).expect("RssAnon") >> 10
}
