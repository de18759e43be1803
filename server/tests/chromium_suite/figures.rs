//! How long the basic steps take. Run by hand:
//! `cargo nextest run -p browse-server --run-ignored only --no-capture figures`

use std::future::Future;
use std::time::{Duration, Instant};

use browse_chromium::{
    Browser, BrowserOptions, ContextOptions, MouseButton, MouseEvent, MouseEventKind, SpareOptions,
    await_all,
};

use crate::support::browser::{ENGINE, Fixture, goto};
use crate::support::site::Site;

/// Median and slowest of some runs.
async fn time<F: Future>(what: &str, runs: u32, mut step: impl FnMut() -> F) {
    let mut times = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        step().await;
        times.push(start.elapsed());
    }
    times.sort();
    let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
    println!("{what:45} median {median:>10.2?}  worst {worst:>10.2?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures, asserts nothing"]
async fn figures() {
    let html = "<style>*{margin:0}</style><button style='width:200px;height:50px'>b</button>";
    let site = Site::start().await.page("/", html);
    for full in [false, true] {
        let mut options = BrowserOptions::default();
        if full {
            options.launch.executable = Some("/usr/lib/chromium/chromium".into());
        }
        println!("--- {}", if full { "full browser" } else { "headless shell" });
        let launch = || async {
            let browser = Browser::launch(options.clone()).await.unwrap();
            browser.lease(&ContextOptions::default()).await.unwrap();
            browser
        };
        time("launch to first page ready, and its end", 7, launch).await;
        let fixture = if full { Fixture::start_full().await } else { Fixture::start().await };
        let (context, page) = (&fixture.context, &fixture.page);
        time("new tab in a context", 9, || async { context.new_page().await.unwrap() }).await;
        let none = ContextOptions::default();
        time("new context with tab, no spare", 9, || async {
            fixture.browser.lease(&none).await.unwrap()
        })
        .await;
        fixture.goto(&site.url("/")).await;
        let frame = page.main_frame().id;
        let world = page.world(&frame, &ENGINE).await.unwrap();
        time("evaluate round trip", 300, || world.evaluate::<u32>("1")).await;
        time("function call round trip", 300, || world.call::<u32>("() => 1", &[])).await;
        time("click: three events and a receipt, one flight", 200, || async {
            let button = MouseButton::Left;
            let at = |kind| MouseEvent { kind, x: 50.0, y: 25.0, modifiers: 0 };
            let events = vec![
                page.send_mouse_event(at(MouseEventKind::Move { held_buttons: 0 })),
                page.send_mouse_event(at(MouseEventKind::Press { button, count: 1 })),
                page.send_mouse_event(at(MouseEventKind::Release { button, count: 1 })),
            ];
            let receipt = world.call::<u32>("() => 1", &[]);
            await_all(events).await.unwrap();
            receipt.await.unwrap();
        })
        .await;
        time("goto to load event", 30, || async { goto(page, &site.url("/")).await }).await;
        time("new world with its engine after goto", 30, || async {
            goto(page, &site.url("/")).await;
            let start = Instant::now();
            let world = page.world(&frame, &ENGINE).await.unwrap();
            world.evaluate::<u32>("1").await.unwrap();
            start.elapsed()
        })
        .await;
        let area = browse_chromium::CaptureArea::Viewport;
        let format = browse_chromium::ImageFormat::Png;
        time("viewport screenshot", 15, || async { page.screenshot(area, format).await.unwrap() })
            .await;
        let spare_options = SpareOptions { unrestricted: true, restricted: true };
        let browser =
            Browser::launch(BrowserOptions { spare_options, ..options.clone() }).await.unwrap();
        let rules = browse_net::HostRules::parse(&["127.0.0.1"]).unwrap();
        let restricted = ContextOptions { hosts: Some(rules), ..Default::default() };
        for (what, options) in
            [("lease of a spare", &none), ("lease of a restricted spare", &restricted)]
        {
            let mut times = Vec::new();
            for _ in 0..7 {
                tokio::time::sleep(Duration::from_millis(900)).await;
                let start = Instant::now();
                browser.lease(options).await.unwrap();
                times.push(start.elapsed());
            }
            times.sort();
            println!("{what:45} median {:>10.2?}  worst {:>10.2?}", times[3], times[6]);
        }
    }
}
