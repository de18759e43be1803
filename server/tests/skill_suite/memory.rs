//! Memory that a run takes in ways that no file of a process counts: each is
//! refused or ends the run, with both means of confinement.
//!
//! Each way is first taken without a sandbox, where it must be open.

use std::time::Duration;

use browse_proto::v1::RunSkillRequest;
use serde_json::json;

use crate::{
    daemon::{Daemon, Outcome},
    shelf::skill,
};

/// Of all processes of a run together.
const LIMIT: u64 = 256 << 20;

/// The ways of `takes.py`.
const WAYS: [&str; 18] = [
    "private_memory",
    "adopted_by_supervisor",
    "without_first_thread",
    "page_tables",
    "system_v_memory",
    "system_v_queue",
    "system_v_semaphores",
    "memory_files",
    "dropped_shared_mapping",
    "mapped_device",
    "socket_pairs",
    "abandoned_sockets",
    "large_socket_buffers",
    "datagrams",
    "waiting_connections",
    "gifts_to_pipes",
    "spliced_pages",
    "spliced_files",
];

async fn daemon(sandbox: &str) -> Daemon {
    let limit = LIMIT.to_string();
    let settings = [
        ("BROWSE_NO_BROWSER", "1"),
        ("BROWSE_SKILL_SANDBOX", sandbox),
        ("BROWSE_SKILL_MEMORY", &limit),
    ];
    let daemon = Daemon::start_with(&settings).await;
    skill(&daemon.home(), "takes", "args: [{name: way}, {name: stays}]")
        .file("script.py", include_str!("memory/takes.py"));
    daemon
}

async fn take(daemon: &Daemon, way: &str, stays: &str) -> Outcome {
    let request = RunSkillRequest {
        name: "takes".to_owned(),
        arg: vec![format!("way={way}"), format!("stays={stays}")],
        allow_unsandboxed: true,
        ..Default::default()
    };
    daemon.run_with(request, Some(Duration::from_secs(60))).await
}

/// What stopped it, if anything did.
fn stop(outcome: &Outcome) -> Option<&'static str> {
    let reported = "took more than 256 MiB of memory together";
    match &outcome.output {
        Some(output) if *output == json!("refused") => Some("refused"),
        None if outcome.stderr.contains(reported) => Some("ended"),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_memory_goes_uncounted() {
    let (free, namespaces, landlock) =
        tokio::join!(daemon("none"), daemon("namespaces"), daemon("landlock"));
    let mut wrong = Vec::new();
    // One after the other: together they would take what the machine has.
    for way in WAYS {
        let open = take(&free, way, "0").await;
        assert_eq!(open.output, Some(json!("taken")), "{way} without a sandbox: {open:?}");
        for (daemon, means) in [(&namespaces, "namespaces"), (&landlock, "landlock")] {
            let outcome = take(daemon, way, "3").await;
            println!("{way:<24} {means:<11} {}", stop(&outcome).unwrap_or("TAKEN"));
            if stop(&outcome).is_none() {
                wrong.push(format!("{way} {means}: {outcome:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
