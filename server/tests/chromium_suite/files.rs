//! Hidden tabs, what they fetch, and films of tabs.

use std::time::Duration;

use browse_chromium::{
    CaptureArea, ContextOptions, Error, Event, FetchResponseHead, FetchStep, ImageFormat,
    ScreencastFormat, TabFetch,
};
use browse_net::HostRules;

use crate::support::browser::{Fixture, soon};
use crate::support::site::{Route, Site};

async fn answer(visit: &mut TabFetch<'_>) -> Result<FetchResponseHead, Error> {
    loop {
        match soon(visit.next()).await? {
            FetchStep::Request(_) => visit.continue_request(),
            FetchStep::Response(answer) => return Ok(answer),
        }
    }
}

fn file(body: &[u8]) -> Route {
    let headers = ["Content-Type: application/zip", "Content-Disposition: attachment"];
    Route::Raw(200, headers.map(str::to_owned).to_vec(), body.to_vec())
}

#[tokio::test]
async fn a_hidden_tab_is_in_no_list_and_others_are_not_lost_beside_it() {
    let fixture = Fixture::start().await;
    let context = fixture.context.id();
    let (hidden, seen, other) = tokio::join!(
        fixture.browser.hidden_page(context),
        fixture.context.new_page(),
        fixture.browser.hidden_page(context),
    );
    let (hidden, seen, other) = (hidden.unwrap(), seen.unwrap(), other.unwrap());
    assert_eq!(fixture.context.pages().len(), 2);
    let opened = |event: &Event| match event {
        Event::PageOpened(page) => Some(page.target_id().clone()),
        _ => None,
    };
    soon(fixture.recorder.wait_for(|event| opened(event).filter(|id| id == seen.target_id())))
        .await;
    let all = fixture.recorder.all(opened);
    assert!(!all.contains(hidden.target_id()) && !all.contains(other.target_id()));
    let closed = hidden.target_id().clone();
    drop(hidden);
    assert!(fixture.browser.page(&closed).is_none());
}

#[tokio::test]
async fn a_visit_takes_the_body_and_leaves_no_document() {
    let body = vec![7; 3_000_000];
    let site =
        Site::start().await.page("/", "x").redirect("/old", "/new").route("/new", file(&body));
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let page = fixture.browser.hidden_page(fixture.context.id()).await.unwrap();
    for _ in 0..2 {
        let mut visit = page.start_fetch(&site.url("/old"), Some(&site.url("/"))).unwrap();
        let head = answer(&mut visit).await.unwrap();
        assert_eq!((head.status, head.url.as_str()), (200, site.url("/new").as_str()));
        assert_eq!(head.header("content-length"), Some("3000000"));
        let taken = visit.body().await.unwrap().read_all(10_000_000).await.unwrap();
        assert!(taken == body);
    }
    let mut visit = page.start_fetch(&site.url("/new"), None).unwrap();
    answer(&mut visit).await.unwrap();
    let mut kept = visit.download_body();
    let path = soon(kept.wait_file(Duration::from_secs(9))).await.expect("it is whole");
    assert!(std::fs::read(&path).unwrap() == body);
    drop(kept);
    assert!(!path.exists());
    assert_eq!(page.url(), "about:blank");
    let downloads = |event: &Event| matches!(event, Event::Download(_)).then_some(());
    assert_eq!(fixture.recorder.all(downloads).len(), 0);
}

#[tokio::test]
async fn a_restricted_tab_fetches_only_from_its_hosts() {
    let site = Site::start().await.page("/", "x").route("/file", file(b"x"));
    let outside = site.url_on("localhost", "/file");
    let site = site.redirect("/away", &outside);
    let fixture = Fixture::start().await;
    let hosts = HostRules::parse(&[format!("127.0.0.1:{}", site.port())]).unwrap();
    let options = ContextOptions { hosts: Some(hosts), ..ContextOptions::default() };
    let context = fixture.browser.new_context(&options).await.unwrap();
    let page = fixture.browser.hidden_page(context.id()).await.unwrap();
    let mut visit = page.start_fetch(&site.url("/file"), None).unwrap();
    assert_eq!(answer(&mut visit).await.unwrap().status, 200);
    drop(visit);
    for url in [outside, site.url("/away"), "file:///etc/passwd".to_owned()] {
        let page = fixture.browser.hidden_page(context.id()).await.unwrap();
        let mut visit = page.start_fetch(&url, None).unwrap();
        let refused = answer(&mut visit).await;
        assert!(matches!(refused, Err(Error::HostDenied { .. })), "{url}: {refused:?}");
    }
    assert!(!site.hits().iter().any(|hit| hit.contains("localhost")));
}

#[tokio::test]
async fn a_film_has_frames_and_ends_with_its_tab() {
    let site = Site::start().await.page(
        "/",
        "<style>p{animation:x 1s infinite}@keyframes x{to{margin-left:90px}}</style><p>moves",
    );
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let format = ScreencastFormat { max_width: None, quality: 80 };
    let mut film = fixture.page.screencast(format).await.unwrap();
    for _ in 0..3 {
        soon(film.changed()).await;
        assert!(film.take().expect("a frame").jpeg.starts_with("/9j/"));
    }
    fixture.browser.close_page(fixture.page.target_id()).await.unwrap();
    assert!(film.is_over());
}

/// Width of a JPEG image in base64.
fn jpeg_width(image: &str) -> u32 {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(image).expect("base64");
    let start = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).expect("a frame header");
    u32::from(bytes[start + 7]) << 8 | u32::from(bytes[start + 8])
}

#[tokio::test]
async fn watchers_share_a_film_in_the_largest_format() {
    let site = Site::start().await.page("/", "<body style='background:red'>still");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let watch = |width| {
        let format = ScreencastFormat { max_width: Some(width), quality: 60 };
        fixture.page.screencast(format)
    };
    let mut small = watch(160).await.unwrap();
    soon(small.changed()).await;
    assert_eq!(jpeg_width(&small.take().expect("a frame").jpeg), 160);
    let mut large = watch(640).await.unwrap();
    let mut width = 0;
    while width != 640 {
        soon(large.changed()).await;
        width = large.take().map_or(width, |frame| jpeg_width(&frame.jpeg));
    }
    soon(small.changed()).await;
    assert_eq!(jpeg_width(&small.take().expect("the same frame").jpeg), 640);
    drop(large);
    while width != 160 {
        soon(small.changed()).await;
        width = small.take().map_or(width, |frame| jpeg_width(&frame.jpeg));
    }
}

#[tokio::test]
async fn a_watcher_who_takes_a_frame_late_gets_what_is_there() {
    let site = Site::start().await.page("/", "<body>still");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let format = ScreencastFormat { max_width: Some(160), quality: 60 };
    let mut film = fixture.page.screencast(format).await.unwrap();
    soon(film.changed()).await;
    let first = film.take().expect("a frame").jpeg.clone();
    // More changes than frames may be in flight; the last one is red.
    let paint = "new Promise(done => { let left = 20; const step = () => {
        document.body.style.background = left ? `rgb(0,0,${left * 10})` : 'red';
        left-- ? setTimeout(step, 30) : setTimeout(done, 60) }; step() })";
    fixture.js(paint).await;
    let mut last = first;
    for _ in 0..3 {
        if tokio::time::timeout(Duration::from_secs(2), film.changed()).await.is_err() {
            break;
        }
        last = film.take().map_or(last, |frame| frame.jpeg.clone());
    }
    assert_eq!(average_red(&fixture, &last).await, 255, "the last change");
}

/// The red of an image, as the page measures it.
async fn average_red(fixture: &Fixture, jpeg: &str) -> i64 {
    let script = format!(
        "(async () => {{ const image = new Image(); image.src = 'data:image/jpeg;base64,{jpeg}';
        await image.decode(); const canvas = new OffscreenCanvas(1, 1).getContext('2d');
        canvas.drawImage(image, image.width - 2, image.height - 2, 1, 1, 0, 0, 1, 1);
        const [red] = canvas.getImageData(0, 0, 1, 1).data; return red > 250 ? 255 : red }})()"
    );
    fixture.js(&script).await.as_i64().unwrap_or_default()
}

#[tokio::test]
async fn fifty_thousand_pixels_are_where_they_belong() {
    let html = "<body style='margin:0'><script>for (let i = 0; i < 500; i++) {
        const row = document.createElement('div');
        row.style.cssText = `height:100px;background:rgb(${i % 256},${i >> 8},128)`;
        document.body.append(row) }</script>";
    let site = Site::start().await.page("/", html);
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let taken = fixture.page.screenshot(CaptureArea::FullPage, ImageFormat::Png).await.unwrap();
    assert_eq!(taken.full_height, None);
    use base64::Engine as _;
    let png = base64::engine::general_purpose::STANDARD.encode(&taken.bytes);
    // Chromium itself reads the picture: strips of it fit a canvas.
    let check = format!(
        "(async () => {{ const image = new Image(); image.src = 'data:image/png;base64,{png}';
        await image.decode(); const canvas = new OffscreenCanvas(1280, 100);
        const pen = canvas.getContext('2d'); const wrong = [];
        for (let i = 0; i < 500; i += 7) {{
          pen.drawImage(image, 0, i * 100, 1280, 100, 0, 0, 1280, 100);
          for (const [x, y] of [[0, 0], [640, 50], [1279, 99]]) {{
            const [r, g, b] = pen.getImageData(x, y, 1, 1).data;
            if (r !== i % 256 || g !== i >> 8 || b !== 128) wrong.push([i, x, y, r, g, b]);
          }}
        }}
        return JSON.stringify([image.naturalWidth, image.naturalHeight, wrong]) }})()"
    );
    assert_eq!(fixture.js(&check).await, serde_json::json!("[1280,50000,[]]"));
}
