//! Clicks: ready, delivered, proven, reported.

use std::time::Instant;

use browse_chromium::ContextOptions;
use browse_engine::{Button, Click, ENGINE_SCRIPT, Modifiers, RefusalKind};
use browse_net::HostRules;

use crate::fixture::{Tab, error_text, in_seconds, kind, target};
use crate::support::site::{Route, Site};

#[tokio::test]
async fn a_click_says_what_changed() {
    let site = Site::start()
        .await
        .page(
            "/",
            "<a href=/two id=go>Go</a><button id=none>None</button><button id=add onclick=\"document.body.append('x')\">Add</button>\
             <button id=focus onclick='f.focus()'>Focus</button><input id=f aria-label=Field><button id=ask onclick=\"confirm('Sure?')\">Ask</button>\
             <button id=bad onclick=\"throw new Error('boom')\">Bad</button><a id=pop href=/two target=_blank>Pop</a>\
             <button id=hash onclick=\"location.hash='h'\">Hash</button>",
        )
        .page("/two", "<title>Two</title>");
    let tab = Tab::visit(site).await;
    assert_eq!(tab.click("#none").await.unwrap().lines(), ["nothing changed"]);
    assert_eq!(tab.click("#add").await.unwrap().lines(), ["new text: x"]);
    let focused = Some(("textbox".to_owned(), "Field".to_owned()));
    assert_eq!(tab.click("#focus").await.unwrap().focus, focused);
    let asked = tab.click("#ask").await.unwrap();
    assert_eq!(asked.dialogs[0].line(), "confirm \"Sure?\", accepted");
    assert_eq!(tab.click("#hash").await.unwrap().url, Some(tab.site.url("/#h")));
    let errors = tab.click("#bad").await.unwrap().errors;
    assert!(errors[0].line().starts_with("exception: Error: boom"), "{errors:?}");
    let opened = tab.click("#pop").await.unwrap().opened_tabs;
    assert_eq!(
        opened.iter().map(|tab| tab.url.as_str()).collect::<Vec<_>>(),
        [tab.site.url("/two")]
    );
    let receipt = tab.click("#go").await.unwrap();
    assert_eq!((receipt.url, receipt.navigated), (Some(tab.site.url("/two")), true));
}

#[tokio::test]
async fn links_always_report_where_they_lead() {
    let site =
        Site::start().await.page("/", "<a href=/two>Go</a>").page("/two", "<a href=/>Back</a>");
    let tab = Tab::visit(site).await;
    for turn in 0..10 {
        let path = if turn % 2 == 0 { "/two" } else { "/" };
        let receipt = tab.click("a").await.unwrap();
        assert_eq!(receipt.url, Some(tab.site.url(path)), "turn {turn}");
    }
}

#[tokio::test]
async fn a_link_to_a_silent_server_is_reported_and_does_not_hang() {
    let tab =
        Tab::visit(Site::start().await.page("/", "<a href=/never>Go</a>").hang("/never")).await;
    let begun = Instant::now();
    let receipt = tab.click("a").await.unwrap();
    assert!(begun.elapsed().as_millis() < 3_000);
    assert_eq!(receipt.pending_url, Some(tab.site.url("/never")));
}

#[tokio::test]
async fn what_is_not_ready_is_refused_with_its_reason() {
    let tab = Tab::show(
        "<button id=off disabled>Off</button><button id=aria aria-disabled=true>Aria</button><fieldset disabled><button id=set>Set</button></fieldset>\
         <button id=none style='display:none'>None</button><button id=unseen style='visibility:hidden'>Unseen</button><button id=under>Under</button>\
         <div id=veil aria-label=Veil role=dialog style='position:fixed;inset:0'></div>",
    )
    .await;
    for (id, expected, text) in [
        ("#off", RefusalKind::Disabled, "the button is disabled; element: button \"Off\""),
        ("#aria", RefusalKind::Disabled, "the button is disabled; element: button \"Aria\""),
        ("#set", RefusalKind::Disabled, "the button is disabled; element: button \"Set\""),
        ("#none", RefusalKind::Hidden, "display: none"),
        ("#unseen", RefusalKind::Hidden, "visibility: hidden"),
        (
            "#under",
            RefusalKind::Covered,
            "the button is covered by a dialog; element: button \"Under\"; cover: dialog \"Veil\" (#veil)",
        ),
    ] {
        let (kind, message) = kind(tab.try_click(id).await);
        assert_eq!(kind, expected, "{id}");
        assert!(message.contains(text), "{message}");
    }
}

#[tokio::test]
async fn a_click_waits_for_its_element() {
    let tab = Tab::show(
        "<button id=b disabled onclick='document.title=1'>B</button><div id=veil style='position:fixed;inset:0'></div>\
         <script>setTimeout(() => b.disabled = false, 80); setTimeout(() => veil.remove(), 160); setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button id=late onclick=document.title=2>L</button>'), 120)</script>",
    )
    .await;
    tab.click("#b").await.unwrap();
    assert_eq!(tab.js("document.title").await, "1");
    tab.click("#late").await.unwrap();
    assert_eq!(tab.js("document.title").await, "2");
}

#[tokio::test]
async fn a_page_that_moves_under_the_click_never_gets_it_elsewhere() {
    // Each mouse move swaps the two buttons: the press meets the wrong one.
    let tab = Tab::show(
        "<style>button{position:absolute;left:0;top:0;width:200px;height:50px}#decoy{top:100px}.swap #b{top:100px}.swap #decoy{top:0}</style>\
         <button id=b>B</button><button id=decoy>D</button>\
         <script>log = []; addEventListener('mousemove', () => document.body.classList.toggle('swap'));
         for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click']) addEventListener(type, event => log.push(event.target.id))</script>",
    )
    .await;
    let mut missed = 0;
    for _ in 0..6 {
        match tab.try_click("#b").await {
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error.kind(), Some(RefusalKind::Missed), "{error}");
                assert!(error_text(&error).contains("button \"D\" (#decoy)"), "{error}");
                missed += 1;
            }
        }
        let log = tab.js("log.join()").await;
        assert!(!log.as_str().unwrap().contains("decoy"), "{log}");
    }
    assert!(missed > 0);
}

#[tokio::test]
async fn what_an_animation_moves_is_waited_for() {
    let tab = Tab::show(
        "<style>@keyframes k{from{transform:translateX(600px)}to{transform:none}}button{animation:k .3s linear}</style>\
         <button onclick='document.title=1'>B</button>",
    )
    .await;
    tab.click("button").await.unwrap();
    assert_eq!(tab.js("document.title").await, "1");
}

#[tokio::test]
async fn buttons_counts_and_modifiers() {
    let tab = Tab::show(
        "<button id=b>B</button><script>log = []; for (const type of ['click', 'dblclick', 'auxclick', 'contextmenu'])
         b.addEventListener(type, event => log.push(type + event.button + (event.shiftKey ? 's' : '')))</script>",
    )
    .await;
    let click =
        async |click: Click| tab.engine.click(&target("#b"), &click, in_seconds(2)).await.unwrap();
    click(Click { count: 2, ..Click::default() }).await;
    click(Click { button: Button::Right, ..Click::default() }).await;
    click(Click { button: Button::Middle, ..Click::default() }).await;
    let modifiers: Modifiers = "Shift".parse().unwrap();
    click(Click { modifiers, ..Click::default() }).await;
    let log = tab.js("log.sort().join()").await;
    assert_eq!(log, "auxclick1,auxclick2,click0,click0,click0s,contextmenu2,dblclick0");
}

#[tokio::test]
async fn what_a_page_puts_off_is_in_the_receipt() {
    let tab = Tab::show(
        "<button id=b>B</button><script>
         const change = () => document.body.append('x');
         const ways = {
           promise: () => Promise.resolve().then(change),
           timer: () => setTimeout(change),
           message: () => { const { port1, port2 } = new MessageChannel(); port1.onmessage = change; port2.postMessage(0); },
           nothing: () => {},
         };
         let way = 'nothing';
         b.onclick = () => ways[way]();
         onkeyup = ({ key }) => key === 'a' && ways[way]();</script>",
    )
    .await;
    for way in ["promise", "timer", "message", "nothing"] {
        tab.js(&format!("way = '{way}'; b.blur()")).await;
        let expected = if way == "nothing" { "nothing changed" } else { "new text: x" };
        assert_eq!(tab.click("#b").await.unwrap().lines(), [expected], "{way}");
        let pressed = tab.engine.press("a", in_seconds(2)).await.unwrap();
        assert_eq!(pressed.lines(), [expected], "{way} by key");
    }
}

#[tokio::test]
async fn a_click_that_ends_its_frame_is_done_once() {
    let inner = |act: &str| {
        format!("<button onclick=\"parent.postMessage('hit', '*'); {act}\">Pay</button>")
    };
    let ways = [
        ("removed", "parent.postMessage('remove', '*')"),
        ("gone", "frameElement.remove()"),
        ("again", "location.reload()"),
        ("elsewhere", "location = '/done'"),
        (
            "submitted",
            "document.body.append(Object.assign(document.createElement('form'), { action: '/done' })); document.querySelector('form').submit()",
        ),
        ("written", "document.open(); document.write('done'); document.close()"),
    ];
    for host in ["127.0.0.1", "localhost"] {
        for (way, act) in ways {
            if (way, host) == ("gone", "localhost") {
                continue; // It cannot reach its own element.
            }
            let mut site = Site::start().await.page("/inner", &inner(act)).page("/done", "done");
            let outer = format!(
                "<iframe src='{}'></iframe><script>hits = 0; onmessage = ({{ data }}) => data === 'hit' ? hits++ : document.querySelector('iframe').remove()</script>",
                site.url_on(host, "/inner"),
            );
            site = site.page("/", &outer);
            let tab = Tab::visit(site).await;
            let tree = tab.tree().await;
            let line = tree.lines().find(|line| line.contains("Pay")).unwrap();
            let at = line.find('@').unwrap();
            let button = line[at..].split_whitespace().next().unwrap();
            let clicked = tab.click(button).await;
            assert!(clicked.is_ok(), "{way} of {host}: {clicked:?}");
            assert_eq!(tab.js("hits").await, 1, "{way} of {host}");
        }
    }
}

/// The guard's clock runs ahead as it would while a handler takes `ahead` ms.
async fn slow_handler(tab: &Tab, ahead: u32) {
    let world = tab.page.world(&tab.page.main_frame().id, &ENGINE_SCRIPT).await.unwrap();
    let clock = format!(
        "{{ const now = Date.now; let ahead = 0; Date.now = () => now() + ahead;
           addEventListener('pointerdown', () => ahead = {ahead}, true); }}; true"
    );
    assert!(world.evaluate::<bool>(&clock).await.unwrap());
}

#[tokio::test]
async fn a_click_that_takes_most_of_its_time_is_done_once() {
    let tab = Tab::show("<button onclick='hits++'>Pay</button><script>hits = 0</script>").await;
    slow_handler(&tab, 25_000).await;
    let button = target("button");
    let clicked = tab.engine.click(&button, &Click::default(), in_seconds(30)).await;
    assert!(clicked.is_ok(), "{clicked:?}");
    assert_eq!(tab.js("hits").await, 1);
}

#[tokio::test]
async fn dialogs_in_a_double_click_repeat_nothing() {
    let whole = "pointerdown0 mousedown1 pointerup0 mouseup1 click1 \
                 pointerdown0 mousedown2 pointerup0 mouseup2 click2 dblclick2";
    for asking in ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick"] {
        let tab = Tab::show(&format!(
            "<button id=b>B</button><script>log = [];
             for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick'])
               b.addEventListener(type, (event) => {{
                 log.push(type + event.detail);
                 if (type === '{asking}') confirm('sure?');
               }});</script>"
        ))
        .await;
        let double = Click { count: 2, ..Click::default() };
        let button = target("#b");
        tab.engine.click(&button, &double, in_seconds(5)).await.unwrap();
        assert_eq!(tab.js("log.join(' ')").await, whole, "{asking}");
    }
}

#[tokio::test]
async fn a_gesture_that_makes_no_click_is_settled() {
    let pages = [
        "<button onmousedown='this.remove()'>B</button>",
        "<button onmousedown='this.replaceWith(document.createElement(`p`))'>B</button>",
        "<button><span onmousedown='this.remove()'>B</span></button>",
    ];
    for html in pages {
        let tab = Tab::show(html).await;
        let lines = tab.click("button").await.unwrap().lines();
        assert_eq!(lines[0], "removed text: B", "{html}");
        assert!(!lines.join("\n").contains("stopped"), "{html}: {lines:?}");
    }
}

#[tokio::test]
async fn what_is_far_down_or_in_a_box_is_scrolled_to() {
    let tab = Tab::show(
        "<header style='position:fixed;top:0;height:80px;width:100%;background:red'>Bar</header><div style='height:3000px'></div>\
         <div style='height:100px;overflow:auto'><div style='height:900px'></div><button id=b onclick='document.title=1'>B</button></div><div style='height:3000px'></div>",
    )
    .await;
    tab.click("#b").await.unwrap();
    assert_eq!(tab.js("document.title").await, "1");
}

#[tokio::test]
async fn hovering_is_proven() {
    let tab = Tab::show("<style>#m{display:none}#b:hover + #m{display:block}</style><button id=b>B</button><div id=m><a href='#x'>Menu</a></div>").await;
    tab.engine.hover(&target("#b"), in_seconds(2)).await.unwrap();
    assert!(tab.tree().await.contains("link \"Menu\""));
}

#[tokio::test]
async fn an_action_in_a_background_tab_does_not_hang() {
    let tab = Tab::show("<button onclick='document.title=1'>B</button>").await;
    let front = tab.context.new_page().await.unwrap();
    tab.click("button").await.unwrap();
    assert_eq!(tab.js("document.title").await, "1");
    drop(front);
}

#[tokio::test]
async fn a_download_is_named() {
    let file = || {
        let headers = vec![
            "Content-Type: application/octet-stream".to_owned(),
            "Content-Disposition: attachment; filename=report.csv".to_owned(),
        ];
        Route::Raw(200, headers, b"1,2".to_vec())
    };
    let site = Site::start()
        .await
        .page("/", "<a id=a href=/file>Report</a><a id=b href='data:text/plain,x' download=note.txt>Note</a>")
        .route("/file", file());
    let tab = Tab::visit(site).await;
    assert_eq!(tab.click("#a").await.unwrap().downloads[0].name, "report.csv");
    assert_eq!(tab.click("#b").await.unwrap().downloads[0].name, "note.txt");
}

#[tokio::test]
async fn a_refused_navigation_is_named() {
    let site = Site::start()
        .await
        .page(
            "/",
            "<a href='http://localhost:{port}/link'>link</a>\
         <form action='http://localhost:{port}/form'><button>form</button></form>\
         <button onclick=\"location = 'http://localhost:{port}/script'\">script</button>\
         <a href='/redirect'>redirect</a>",
        )
        .redirect("/redirect", "http://localhost:{port}/redirected");
    let rules = HostRules::parse(&[format!("127.0.0.1:{}", site.port())]).unwrap();
    let context = ContextOptions { hosts: Some(rules), ..Default::default() };
    let tab = Tab::visit_with(site, &context).await;
    for (name, path) in
        [("link", "link"), ("form", "form"), ("script", "script"), ("redirect", "redirected")]
    {
        for round in 0..3 {
            let receipt = tab
                .click(&format!("text={name}"))
                .await
                .unwrap_or_else(|error| panic!("{name} {round}: {error}"));
            let lines = receipt.lines().join("\n");
            let refused = format!("not allowed: http://localhost:{}/{path}", tab.site.port());
            assert!(lines.contains(&refused), "{name} {round}: {lines}");
            assert!(!receipt.navigated, "{name}");
        }
    }
}
