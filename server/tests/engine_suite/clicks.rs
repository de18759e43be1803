//! Whose click it is: what moves, covers, captures or tells nothing between aiming
//! and the click.

use browse_engine::{Button, Click, Modifiers, MouseAction, PointerTarget, RefusalKind};

use crate::fixture::{Tab, in_seconds, kind, target};
use crate::support::site::{Route, Site};

/// A row with a button, both with ears; `style` and `on_press` move it while it is pressed.
fn slippery(style: &str, on_press: &str) -> String {
    format!(
        "<style>#b{{width:90px;height:30px}} {style}</style><main aria-label=Row><button id=b>B</button></main>
         <script>log = []; for (const type of ['mousedown', 'mouseup', 'click', 'dblclick', 'auxclick'])
         addEventListener(type, event => log.push(type + ' ' + (event.target.id || event.target.localName)), true);
         b.onmousedown = () => {{ {on_press} }}</script>"
    )
}

#[tokio::test]
async fn what_slips_away_while_it_is_pressed_is_told_and_nothing_else_is_clicked() {
    let cases = [
        // The page does not know of it: nothing came of the click.
        ("#b:active{margin-left:300px}", "", "mousedown b,mouseup main", None),
        // It answers the press, as a menu does that opens on it.
        (
            "",
            "b.style.marginLeft = '300px'",
            "mousedown b,mouseup main",
            Some("main \"Row\" would have got the rest, which was stopped"),
        ),
        // Suggestions go when they are pressed.
        ("", "b.remove()", "mousedown b,mouseup body", Some("the press removed it")),
    ];
    for (style, on_press, heard, reported) in cases {
        let tab = Tab::show(&slippery(style, on_press)).await;
        let outcome = tab.click("#b").await;
        let log = tab.js("log.join()").await;
        match reported {
            Some(why) => {
                let lines = outcome.unwrap().lines();
                let part = format!("pressed, not clicked: {why}");
                let came =
                    if on_press == "b.remove()" { "removed text: B" } else { "the page changed" };
                assert_eq!(lines, [came.to_owned(), part], "{on_press}");
            }
            None => {
                let (kind, message) = kind(outcome);
                assert_eq!(kind, RefusalKind::Incomplete, "{message}");
                assert!(
                    message.starts_with("the button was pressed, not clicked: another element would have got the rest"),
                    "{message}"
                );
            }
        }
        assert_eq!(log, heard, "{style}{on_press}");
    }
}

#[tokio::test]
async fn a_middle_click_that_slips_does_not_open_the_link_around_it() {
    let tab = Tab::show(&slippery("#b:active{margin-left:300px}", "")).await;
    tab.js("document.querySelector('main').outerHTML = `<a href='/elsewhere'>${document.querySelector('main').innerHTML}</a>`").await;
    let middle = Click { button: Button::Middle, ..Click::default() };
    let (kind, message) = kind(tab.engine.click(&target("#b"), &middle, in_seconds(2)).await);
    assert_eq!(kind, RefusalKind::Incomplete, "{message}");
    assert_eq!(tab.js("log.join()").await, "mousedown b,mouseup a");
}

#[tokio::test]
async fn a_double_click_whose_second_half_would_miss_is_not_begun_again() {
    let tab = Tab::show(&slippery("", "")).await;
    tab.js("b.onclick = () => b.style.marginLeft = '300px'").await;
    let twice = Click { count: 2, ..Click::default() };
    let receipt = tab.engine.click(&target("#b"), &twice, in_seconds(2)).await.unwrap();
    assert_eq!(tab.js("log.join()").await, "mousedown b,mouseup b,click b");
    let reported = "clicked 1 of 2 times: main \"Row\" would have got the rest, which was stopped";
    assert_eq!(receipt.lines(), ["the page changed", reported]);
}

#[tokio::test]
async fn a_click_goes_to_the_point_that_is_named() {
    let page = "<style>body{margin:0}canvas{margin:20px 30px;background:#eee}</style><canvas id=c width=200 height=100></canvas>
         <script>log = []; c.onclick = event => log.push([event.offsetX, event.offsetY])</script>";
    let tab = Tab::show(page).await;
    let at = Click { offset: Some((10.0, 90.0)), ..Click::default() };
    tab.engine.click(&target("#c"), &at, in_seconds(2)).await.unwrap();
    let mouse = MouseAction::Click(Button::Left, 2);
    let (spot, keys) = (PointerTarget::Viewport(35.0, 40.0), Modifiers::default());
    tab.engine.use_mouse(&spot, mouse, keys, in_seconds(2)).await.unwrap();
    assert_eq!(tab.js("JSON.stringify(log)").await, "[[10,90],[5,20],[5,20]]");
}

#[tokio::test]
async fn a_label_clicks_its_field() {
    let tab = Tab::show(
        "<label id=l for=far>Far</label><input type=checkbox id=far><label id=m>Near <input type=checkbox id=near></label>
         <script>log = []; addEventListener('click', event => log.push(event.target.id), true)</script>",
    )
    .await;
    for (id, field, count) in
        [("#l", "far", 1), ("#m", "near", 1), ("#near", "near", 1), ("#l", "far", 2)]
    {
        let before = tab.js(&format!("log.length = 0; {field}.checked")).await;
        let click = Click { count, ..Click::default() };
        let receipt = tab.engine.click(&target(id), &click, in_seconds(2)).await.unwrap();
        assert_eq!(receipt.undelivered, None, "{id}");
        let after = tab.js(&format!("{field}.checked")).await;
        assert_eq!(before == after, count == 2, "{id} {}", tab.js("log.join()").await);
    }
}

#[tokio::test]
async fn a_right_click_is_whole_with_its_menu() {
    let tab = Tab::show(
        "<button id=b>B</button><div id=m hidden style='position:fixed;width:300px;height:300px'>Menu</div>
         <script>log = []; for (const type of ['contextmenu', 'auxclick']) addEventListener(type, event => log.push(type), true);
         b.oncontextmenu = event => { event.preventDefault(); m.style.left = event.clientX + 'px'; m.style.top = event.clientY + 'px'; m.hidden = false }</script>",
    )
    .await;
    let right = Click { button: Button::Right, ..Click::default() };
    let receipt = tab.engine.click(&target("#b"), &right, in_seconds(2)).await.unwrap();
    assert_eq!(receipt.lines(), ["new text: Menu"]);
    assert_eq!(
        tab.js("log.join()").await,
        "contextmenu",
        "what lies under the release gets nothing"
    );
}

#[tokio::test]
async fn a_click_goes_where_the_page_gave_the_pointer() {
    let tab = Tab::show(
        "<div id=board style='padding:40px'><button id=b>Tile</button></div><script>log = [];
         board.onpointerdown = event => board.setPointerCapture(event.pointerId);
         board.onclick = event => { log.push(event.target.id); document.title = document.elementFromPoint(event.clientX, event.clientY).id }</script>",
    )
    .await;
    for _ in 0..3 {
        let receipt = tab.click("#b").await.unwrap();
        assert_eq!(receipt.undelivered, None, "{receipt:?}");
    }
    assert_eq!(tab.js("log.join() + document.title").await, "board,board,boardb");
}

#[tokio::test]
async fn closed_trees_in_and_around_are_no_cover() {
    let trees = [("open", "closed"), ("closed", "open"), ("closed", "closed")];
    for (outer, inner) in trees {
        let page = format!(
            "<div id=h></div><script>const tree = (host, mode) => host.attachShadow({{mode}});
             const root = tree(h, '{outer}'); root.innerHTML = '<div></div>';
             const deep = tree(root.firstChild, '{inner}'); deep.innerHTML = '<style>.off{{margin-left:300px}}</style><button>Go</button>';
             const b = deep.querySelector('button'); hits = 0; b.onclick = () => hits++; b.onmouseup = () => b.className = 'off'</script>"
        );
        let tab = Tab::show(&page).await;
        tab.tree().await;
        let receipt = tab.click("role=button").await.unwrap();
        assert_eq!(
            (receipt.undelivered, tab.js("hits").await),
            (None, 1.into()),
            "{outer} {inner}"
        );
    }
}

#[tokio::test]
async fn what_tells_nothing_is_not_clicked_again() {
    let tab = Tab::show(
        "<audio id=a controls src='data:audio/wav;base64,UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='></audio><button id=b>B</button>
         <script>played = seen = 0; a.onplay = a.onpause = () => played++; for (const type of ['pointerdown', 'mousedown']) b.addEventListener(type, () => seen++)</script>",
    )
    .await;
    tab.click("#a").await.unwrap();
    assert!(tab.js("played <= 1").await == true, "{}", tab.js("played").await);
    // Whoever writes a document anew takes the ear away, and hears before the guard.
    tab.js("document.open(); document.write(`<button id=b>Pay</button>`); document.close(); window.hits = 0; \
            for (const type of ['pointerdown', 'mousedown', 'click']) addEventListener(type, event => { hits += type == 'click'; event.stopImmediatePropagation() }, true)")
        .await;
    let (kind, message) = kind(tab.click("#b").await);
    assert_eq!((kind, tab.js("hits").await), (RefusalKind::Incomplete, 1.into()), "{message}");
}

#[tokio::test]
async fn what_shows_a_page_of_its_own_is_not_clicked_through() {
    let site = Site::start().await.page(
        "/inner",
        "<button style='position:fixed;inset:0' onclick='parent.postMessage(1, \"*\")'>In</button>",
    );
    let outer = "<iframe id=f src=/inner></iframe><div id=card style='width:304px'><object id=o data=/inner width=300 height=150></object></div>
        <div id=wide style='width:900px'><iframe src=/inner></iframe> Card</div><script>hits = wide_hits = 0; onmessage = () => hits++; wide.onclick = () => wide_hits++</script>";
    let tab = Tab::visit(site.page("/", outer)).await;
    for selector in ["#f", "#o"] {
        let (kind, message) = kind(tab.click(selector).await);
        assert_eq!(kind, RefusalKind::WrongKind, "{message}");
    }
    tab.click("#wide").await.unwrap();
    assert_eq!(tab.js("[hits, wide_hits].join()").await, "0,1");
    tab.engine.hover(&target("#f"), in_seconds(2)).await.unwrap();
}

#[tokio::test]
async fn what_lies_in_a_target_and_does_something_by_itself_is_left_alone() {
    let tab = Tab::show(
        "<div id=card role=button style='width:400px;padding:8px'><button id=del style='display:block;width:100px;margin:0 auto'>Delete</button></div>
         <input type=checkbox id=far style='position:absolute;width:1px;height:1px;top:-500px'><label for=far style='display:block;width:300px;text-align:center'><a href='#gone'>Terms</a></label>
         <div id=wrap><button id=all style='width:100%'>All</button></div>
         <div id=item style='width:400px;padding:8px'><button id=middle style='display:block;margin:0 auto'>Middle</button></div>
         <input type=checkbox id=only style='position:absolute;width:1px;height:1px;top:-500px'><label for=only><a href='#gone' style='display:block'>Only a link</a></label>
         <script>log = []; addEventListener('click', event => log.push(event.target.id || event.target.localName))</script>",
    )
    .await;
    tab.click("#card").await.unwrap();
    tab.click("#far").await.unwrap();
    tab.click("#wrap").await.unwrap();
    tab.click("#item").await.unwrap();
    assert_eq!(tab.js("log.join()").await, "card,label,far,all,middle");
    assert_eq!(tab.js("far.checked").await, true);
    let (kind, message) = kind(tab.click("#only").await);
    assert_eq!(kind, RefusalKind::Covered, "{message}");
    assert!(message.contains("link \"Only a link\""), "{message}");
}

#[tokio::test]
async fn what_a_click_does_elsewhere_is_in_its_receipt() {
    let file = || {
        Route::Raw(200, vec!["Content-Disposition: attachment; filename=f.bin".into()], vec![0; 9])
    };
    let site =
        Site::start().await.page("/self", "<a id=go href=/done>Go</a>").page("/done", "done");
    let site =
        site.page("/tell", "<button id=tell onclick='parent.postMessage(1, \"*\")'>Tell</button>");
    let site = site.route("/file.bin", file());
    let other = site.url_on("localhost", "/tell");
    let page = format!(
        "<a id=blob download=b.txt>B</a><a id=http download=c.bin href=/file.bin>C</a><a id=tab target=_blank href=/file.bin>D</a><button id=pop popovertarget=p>P</button><div id=p popover>Popped</div>
         <iframe name=self src=/self></iframe><iframe name=tell src='{other}'></iframe>
         <script>blob.href = URL.createObjectURL(new Blob(['x'])); onmessage = () => document.querySelector('[name=self]').remove()</script>"
    );
    let tab = Tab::visit(site.page("/", &page)).await;
    for (selector, line) in [
        ("#blob", "download: b.txt"),
        ("#http", "download: f.bin"),
        ("#tab", "download: f.bin"),
        ("#pop", "new text: Popped"),
    ] {
        let lines = tab.click(selector).await.unwrap().lines();
        assert_eq!(lines, [line], "{selector}");
    }
    tab.tree().await;
    for name in ["Go", "Tell"] {
        let tree = tab.engine.snapshot(&Default::default()).await.unwrap();
        let node = tree.nodes.iter().find(|node| node.name == name).expect(name);
        let reference = node.reference.unwrap().to_string();
        assert_eq!(tab.click(&reference).await.unwrap().lines(), ["the page changed"], "{name}");
    }
    assert_eq!(tab.js("document.querySelector('[name=self]')").await, serde_json::Value::Null);
}

#[tokio::test]
async fn what_takes_no_clicks_itself_is_clicked_through_its_widget() {
    let tab = Tab::show(
        "<style>.x { pointer-events: none; opacity: .2 } .w:hover .x { pointer-events: auto }</style>\
         <div id=a style='width:200px;padding:9px;position:relative;z-index:0;background:#eee'><input aria-label=Toppings style='opacity:0;position:relative;z-index:-1'></div>\
         <div class=w id=b style='width:200px'>Date <button class=x>Clear</button></div>\
         <div style='position:relative;width:200px;height:40px'><input id=under style='position:absolute;inset:0;opacity:0'><button style='position:absolute;inset:0'>Other</button></div>\
         <div id=c style='width:200px'><button style='pointer-events:none'>Off</button></div>\
         <div style='position:relative;width:200px;height:40px'><input aria-label=Veiled style='pointer-events:none'><span tabindex=0 style='position:absolute;inset:0;background:#eee'>Over</span></div>\
         <script>log = []; addEventListener('click', event => log.push(event.target.id || event.target.className))</script>",
    )
    .await;
    tab.click("label=Toppings").await.unwrap();
    tab.click("role=button[name=Clear]").await.unwrap();
    assert_eq!(tab.js("log.join()").await, "a,x");
    assert_eq!(kind(tab.click("#under").await).0, RefusalKind::Covered);
    assert_eq!(kind(tab.click("role=button[name=Off]").await).0, RefusalKind::Missed);
    assert_eq!(kind(tab.click("label=Veiled").await).0, RefusalKind::Covered);
    assert_eq!(tab.js("log.join()").await, "a,x");
}
