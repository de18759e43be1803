//! What the daemon keeps of what its tabs do.

use std::{fs, time::Duration};

use browse_proto::v1;
use serde_json::Value;

use super::{support::site::Site, world::World};

fn lines(folder: &std::path::Path, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(name)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn console_network_and_dialogs_become_json_lines() {
    let world = World::with_browser().await;
    let site = Site::start()
        .await
        .page("/", "<script>console.error('one\\ntwo'); alert('hello'); fetch('/x?y')</script>")
        .page("/x", "x");
    let goto = v1::GotoRequest { url: site.url("/"), wait: 0 };
    world.browser().goto(world.root(goto)).await.unwrap();
    let (folder, end) =
        (tempfile::tempdir().unwrap(), tokio::time::Instant::now() + Duration::from_secs(10));
    let done = || {
        let fetched = |row: &Value| row["type"] == "fetch" && row["status"] == 200;
        lines(folder.path(), "network.log").iter().any(fetched)
    };
    while !done() {
        assert!(tokio::time::Instant::now() < end, "{:?}", lines(folder.path(), "network.log"));
        tokio::time::sleep(Duration::from_millis(10)).await;
        world.daemon.sessions().journal().write(folder.path()).unwrap();
    }
    let console = lines(folder.path(), "console.log");
    assert!(
        console.iter().any(|row| row["level"] == "error" && row["text"] == "one\ntwo"),
        "{console:?}"
    );
    let dialogs = lines(folder.path(), "dialog.log");
    assert_eq!(dialogs.len(), 1, "{dialogs:?}");
    assert_eq!(
        (dialogs[0]["type"].as_str(), dialogs[0]["answer"].as_str()),
        (Some("alert"), Some("accept"))
    );
}
