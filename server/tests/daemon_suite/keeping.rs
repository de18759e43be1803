//! What it costs to keep sessions for the case that their browser ends.

use std::{fmt::Write as _, time::Duration};

use browse_proto::v1;
use tokio::time::Instant;

use super::{support::site::Site, world::World};

/// Time that a look of the keeper may take on a busy machine.
const MAX_RESPONSE_TIME: Duration = Duration::from_secs(2);

/// Ten tabs with some cookies, 100 KiB of storage each of one origin, and frames.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_kept_at_a_small_cost() {
    let script = "<script>for (let n = 0; n < 50; n += 1) {
        document.cookie = `c${n}=${'v'.repeat(40)}; max-age=1000`;
        sessionStorage.setItem(`k${n}`, 'x'.repeat(1000)); }
        if (self === top) localStorage.setItem('a' + location.pathname, 'x'.repeat(5000));</script>";
    let page = format!("{script}<p>{}</p><iframe src=/f></iframe>", "word ".repeat(2000));
    let mut site = Site::start().await.page("/f", "<p>frame");
    for n in 0..10 {
        site = site.page(&format!("/{n}"), &page);
    }
    let world = World::with_browser().await;
    for n in 0..10 {
        let request = v1::NewTabRequest { url: Some(site.url(&format!("/{n}"))) };
        world.browser().new_tab(world.root(request)).await.unwrap();
    }
    let session = world.daemon.sessions().get("default").unwrap();
    let mut reported = String::new();
    for _ in 0..6 {
        let (begun, spent) = (Instant::now(), cpu());
        session.take_snapshot().await;
        let (took, spent) = (begun.elapsed(), cpu() - spent);
        assert!(took < MAX_RESPONSE_TIME, "{took:?}");
        write!(reported, " {} ms ({spent} ms CPU of ours)", took.as_millis()).unwrap();
    }
    let kept = session.snapshot();
    assert_eq!(kept.cookies().len(), 50);
    assert!(kept.memory_bytes() > (10 + 1) * 50 * 1000, "{}", kept.memory_bytes());
    println!("kept {} KiB:{reported}", kept.memory_bytes() / 1024);
}

/// Milliseconds of processor time of this process.
fn cpu() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<_> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    ticks * 10
}
