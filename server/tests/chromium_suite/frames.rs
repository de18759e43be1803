//! Frames in the same process and in others.

use browse_chromium::{MouseButton, MouseEvent, MouseEventKind, ScriptArgument, await_all};

use crate::support::browser::{ENGINE, Fixture, soon};
use crate::support::site::Site;

/// A page with a frame of its own site and one of another, nested twice.
async fn nested() -> (Site, Fixture) {
    let site = Site::start()
        .await
        .page(
            "/",
            "<style>body{margin:0} iframe{border:3px solid;padding:5px;margin:20px}</style>
             <iframe name=near src='/near' width=300 height=100></iframe>
             <div style='transform:scale(.5) rotate(10deg)'>
             <iframe name=far src='http://localhost:{port}/far' width=400 height=300></iframe></div>",
        )
        .page("/near", "<button onclick=\"parent.hit='near'\">near</button>")
        .page("/far", "<iframe src='/inner' width=200 height=100></iframe>")
        .page(
            "/inner",
            "<body style='margin:0'><iframe src='http://127.0.0.1:{port}/deep'></iframe>",
        )
        .page("/deep", "<button style='margin:30px' onclick='window.hit=event.isTrusted'>deep</button>");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    (site, fixture)
}

/// The frame that shows this path.
fn frame_of(fixture: &Fixture, path: &str) -> browse_chromium::Frame {
    let mut frames = fixture.page.frames().into_iter();
    frames.find(|frame| frame.url.ends_with(path)).unwrap_or_else(|| {
        panic!("no frame shows {path}: {:?}", fixture.page.frames());
    })
}

#[tokio::test]
async fn the_whole_tree_is_known_and_every_frame_answers() {
    let (_site, fixture) = nested().await;
    let frames = fixture.page.frames();
    let shown: Vec<(&str, bool)> = frames
        .iter()
        .map(|frame| (frame.url.rsplit('/').next().unwrap(), frame.out_of_process))
        .collect();
    let expected = [("", false), ("near", false), ("far", true), ("inner", false), ("deep", true)];
    assert_eq!(shown, expected);
    assert_eq!(frame_of(&fixture, "/far").name, "far");
    for frame in frames {
        let world = fixture.page.world(&frame.id, &ENGINE).await.unwrap();
        assert_eq!(world.evaluate::<String>("location.href").await.unwrap(), frame.url);
        let options = Default::default();
        let own = fixture.page.evaluate(&frame.id, "location.href", options).unwrap();
        assert_eq!(own.await.unwrap(), frame.url.as_str());
    }
}

#[tokio::test]
async fn clicks_reach_the_innermost_frame_through_transforms() {
    let (_site, fixture) = nested().await;
    for (path, hit) in [("/near", "parent.hit === 'near'"), ("/deep", "globalThis.hit === true")] {
        let frame = frame_of(&fixture, path);
        let world = fixture.page.world(&frame.id, &ENGINE).await.unwrap();
        let centre = "() => { const b = document.querySelector('button').getBoundingClientRect();
             return [b.x + b.width / 2, b.y + b.height / 2] }";
        let centre = world.call::<(f64, f64)>(centre, &[]).await.unwrap();
        let mapping = fixture.page.frame_mapping(&frame.id).await.unwrap();
        let (x, y) = mapping.to_main(centre);
        let at = |kind| MouseEvent { kind, x, y, modifiers: 0 };
        let button = MouseButton::Left;
        // A frame that has just been laid out may not be where clicks are led yet.
        soon(async {
            loop {
                let flight = vec![
                    fixture.page.send_mouse_event(at(MouseEventKind::Move { held_buttons: 0 })),
                    fixture.page.send_mouse_event(at(MouseEventKind::Press { button, count: 1 })),
                    fixture.page.send_mouse_event(at(MouseEventKind::Release { button, count: 1 })),
                ];
                await_all(flight).await.unwrap();
                let hit = fixture.page.evaluate(&frame.id, hit, Default::default()).unwrap();
                if hit.await.unwrap() == true {
                    break;
                }
            }
        })
        .await;
    }
}

#[tokio::test]
async fn frames_come_and_go_and_move_between_processes() {
    let (site, fixture) = nested().await;
    let near = frame_of(&fixture, "/near").id;
    // Out of the process, and back in.
    for (host, out) in [("localhost", true), ("127.0.0.1", false), ("localhost", true)] {
        let url = site.url_on(host, "/deep");
        fixture.js(&format!("void (document.querySelector('[name=near]').src = '{url}')")).await;
        soon(async {
            loop {
                let frame = fixture.page.frame(&near).unwrap();
                if frame.url == url && frame.out_of_process == out {
                    break;
                }
                tokio::task::yield_now().await;
            }
        })
        .await;
        let world = soon(fixture.page.world(&near, &ENGINE)).await.unwrap();
        let href = world.call::<String>("() => location.href", &[]).await.unwrap();
        assert_eq!(href, url);
    }
    fixture.js("document.querySelectorAll('iframe').forEach(frame => frame.remove())").await;
    soon(async {
        while fixture.page.frames().len() > 1 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(fixture.page.frame(&near).is_err());
}

#[tokio::test]
async fn an_element_is_scrolled_into_view_through_all_frames() {
    let site = Site::start()
        .await
        .page(
            "/",
            "<div style='height:3000px'></div><iframe src='http://localhost:{port}/far'></iframe>",
        )
        .page("/far", "<div style='height:3000px'></div><button>far down</button>");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let frame = frame_of(&fixture, "/far").id;
    let world = fixture.page.world(&frame, &ENGINE).await.unwrap();
    let find = "(selector) => document.querySelector(selector)";
    let button =
        world.call_handle(find, &[ScriptArgument::from("button")], "g").await.unwrap().unwrap();
    fixture.page.scroll_into_view(&frame, &button).unwrap().await.unwrap();
    assert!(world.evaluate::<f64>("scrollY").await.unwrap() > 2000.0);
    assert!(fixture.js("scrollY").await.as_f64().unwrap() > 2000.0);
}

#[tokio::test]
async fn sandboxed_frames_without_scripts_have_worlds_too() {
    let site = Site::start()
        .await
        .page("/", "<iframe sandbox src='/plain'></iframe><iframe srcdoc='<p>doc</p>'></iframe>")
        .page("/plain", "<script>document.title = 'ran'</script><p>plain</p>");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let mut texts = Vec::new();
    for frame in fixture.page.frames().into_iter().skip(1) {
        let world = fixture.page.world(&frame.id, &ENGINE).await.unwrap();
        texts.push(
            world.evaluate::<String>("document.title + document.body.innerText").await.unwrap(),
        );
    }
    texts.sort();
    assert_eq!(texts, ["doc", "plain"]);
}
