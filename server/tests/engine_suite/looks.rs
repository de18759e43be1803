//! The frame that selectors look in, styles, clutter, and expectations.

use browse_chromium::CdpCall;
use browse_engine::{CascadeResult, Clutter, ExpectationResult, Expected, RefusalKind};
use serde_json::{Value, json};

use crate::fixture::{Tab, in_seconds, kind, target};
use crate::support::site::Site;

async fn framed() -> Tab {
    let site = Site::start()
        .await
        .page("/", "<p>Main</p><iframe name=outer src='http://localhost:{port}/outer'></iframe>")
        .page(
            "/outer",
            "<p>Outer</p><iframe name=inner src='http://127.0.0.1:{port}/inner'></iframe>",
        )
        .page("/inner", "<p>Inner</p><button onclick='top.location=\"/next\"'>Leave</button>")
        .page("/next", "<p>Next</p>");
    Tab::visit(site).await
}

async fn text(tab: &Tab) -> String {
    tab.engine.text(Some(&target("p"))).await.unwrap()
}

#[tokio::test]
async fn a_chosen_frame_serves_selectors_and_frames_below_it() {
    let tab = framed().await;
    tab.tree().await;
    for (owner, expected) in [("iframe", "Outer"), ("iframe", "Inner")] {
        let frame = tab.engine.frame_in_element(&target(owner)).await.unwrap();
        tab.engine.select_frame(Some(&frame));
        assert_eq!(text(&tab).await, expected);
    }
    let main = tab.reference("\"Leave\"").await;
    tab.engine.select_frame(None);
    assert_eq!(text(&tab).await, "Main");
    assert!(tab.engine.describe(&target(&main)).await.is_ok());
    assert_eq!(kind(tab.engine.frame_in_element(&target("p")).await).0, RefusalKind::WrongKind);
}

#[tokio::test]
async fn a_frame_that_is_gone_is_told_once() {
    let tab = framed().await;
    let choose = async || {
        let frame = tab.engine.frame_in_element(&target("iframe")).await.unwrap();
        tab.engine.select_frame(Some(&frame));
    };
    choose().await;
    tab.js("document.querySelector('iframe').remove()").await;
    let (gone, message) = kind(tab.engine.text(Some(&target("p"))).await);
    assert_eq!(gone, RefusalKind::FrameGone);
    assert!(message.contains("frame: outer") && message.contains("left the page"), "{message}");
    assert_eq!(text(&tab).await, "Main");
    tab.goto("/").await;
    choose().await;
    tab.goto("/next").await;
    assert_eq!(kind(tab.click("p").await).0, RefusalKind::FrameGone);
    assert_eq!(text(&tab).await, "Next");
}

#[tokio::test]
async fn inspecting_tells_the_cascade_and_leaves_no_domain_enabled() {
    let tab = Tab::show(
        "<style>@layer low { p { top: 1px !important; color: red } } p { top: 2px !important; color: blue } #p { margin: 1px; margin-top: 4px }</style>\
         <p id=p style='color: green'>Text</p><p hidden id=h>Hidden</p>",
    )
    .await;
    let inspected = tab.engine.inspect(&target("#p"), false).await.unwrap();
    let rules: Vec<_> = inspected.rules.iter().map(|one| one.rule.selector.as_str()).collect();
    assert_eq!(rules, ["element.style", "#p", "p", "p"]);
    let standing = |rule: usize| inspected.rules[rule].results.clone();
    assert_eq!(standing(0), [CascadeResult::Applied]);
    assert_eq!(standing(1), [CascadeResult::PartlyOverridden, CascadeResult::Applied]);
    assert_eq!(standing(2), [CascadeResult::Overridden, CascadeResult::Overridden]);
    assert_eq!(standing(3), [CascadeResult::Applied, CascadeResult::Overridden]);
    let computed =
        |name: &str| inspected.computed.iter().find(|one| one.0 == name).map(|one| one.1.as_str());
    assert_eq!((computed("top"), computed("color")), (Some("1px"), Some("rgb(0, 128, 0)")));
    assert_eq!((computed("margin-top"), computed("display")), (Some("4px"), None));
    assert_eq!(inspected.bounds.unwrap().1.margin, [4.0, 1.0, 1.0, 1.0]);
    assert!(tab.engine.inspect(&target("#h"), false).await.unwrap().bounds.is_none());
    // Several at once take turns, and one that is given up ends the domains too.
    let both = futures::future::join_all((0..4).map(|_| tab.engine.inspect(&TARGET, true)));
    assert!(both.await.iter().all(|one| one.as_ref().unwrap().computed.len() > 300));
    let given_up = tab.engine.inspect(&TARGET, true);
    let _ = tokio::time::timeout(std::time::Duration::from_micros(300), given_up).await;
    let ask: CdpCall<Value> =
        tab.page.session().call_method("CSS.getComputedStyleForNode", &json!({ "nodeId": 1 }));
    assert!(ask.await.unwrap_err().to_string().contains("not enabled"));
}

static TARGET: std::sync::LazyLock<browse_engine::Target> =
    std::sync::LazyLock::new(|| target("#p"));

#[tokio::test]
async fn changes_of_style_are_undone_in_any_order() {
    let html = "<p id=a>A</p><p id=b style=\"margin-left: 3px; color: red\">B</p>";
    for order in [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 1, 5, 2, 4], [2, 5, 1, 4, 3]] {
        let tab = Tab::show(html).await;
        let before = tab.js("document.body.outerHTML").await;
        for (element, property, value) in [
            ("#a", "color", "red"),
            ("#b", "margin", "1px 2px"),
            ("#b", "marginLeft", "9px !important"),
            ("#b", "margin", ""),
            ("#a", "color", "blue"),
        ] {
            tab.engine.restyle(&target(element), property, value).await.unwrap();
        }
        assert_eq!(tab.js("getComputedStyle(a).color").await, "rgb(0, 0, 255)");
        for id in order {
            assert!(tab.engine.undo_style(Some(id)).await.unwrap().is_some(), "{id} {order:?}");
        }
        let styles = "[a.getAttribute('style'), b.style.marginLeft, b.style.length, b.style.color]";
        assert_eq!(tab.js(styles).await, json!([null, "3px", 2, "red"]), "{order:?} {before}");
        assert!(tab.engine.style_changes().is_empty());
        assert!(tab.engine.undo_style(None).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn clutter_goes_and_content_stays() {
    let tab = Tab::show(
        "<body style='overflow:hidden'><header id=top style='position:fixed;top:0'><nav><a href=/>Home</a></nav></header>\
         <main><h1>Adverbs and shareholders</h1><p class='address loads'>They read on.</p><ins class=adsbygoogle>Buy</ins>\
         <div class=sponsored-post>Ad</div><ul class=social-links><li><a href=/f>F</a></ul></main>\
         <div id=onetrust-consent-sdk><button>Accept</button></div>\
         <div id=ask style='position:fixed;bottom:0'>This site uses cookies. <button>OK</button></div>\
         <div id=chat style='position:fixed;right:0'>Chat</div>\
         <p id=prose>A text about cookies without anything to press.</p></body>",
    )
    .await;
    let cookies = Clutter { cookies: true, ..Clutter::default() };
    let cleaned = tab.engine.cleanup(cookies).await.unwrap();
    assert_eq!(cleaned.counts.into_iter().collect::<Vec<_>>(), [("cookies".to_owned(), 2)]);
    assert!(cleaned.unlocked);
    let cleaned = tab.engine.cleanup(Clutter::ALL).await.unwrap();
    let counts: Vec<_> =
        cleaned.counts.into_iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    assert_eq!(counts, ["ads 2", "cookies 0", "social 1", "sticky 2"]);
    let shown = "[...document.querySelectorAll('h1,.address,#prose,#top,#chat,#ask,.sponsored-post,.social-links')].filter(e => e.checkVisibility()).map(e => e.id || e.className || e.tagName).join()";
    assert_eq!(tab.js(shown).await, "top,H1,address loads,prose");
}

#[tokio::test]
async fn clutter_of_frames_goes_and_what_they_show_stays() {
    let site = Site::start()
        .await
        .page("/in", "<div id=c class=cookie-banner style='position:fixed'>Cookies? <button>OK</button></div><form id=pay style='position:fixed'><input aria-label=Card></form>")
        .page("/", "<p>Main</p><iframe src='http://localhost:{port}/in'></iframe>");
    let tab = Tab::visit(site).await;
    assert!(tab.tree().await.contains("Cookies?"));
    let cleaned = tab.engine.cleanup(Clutter::ALL).await.unwrap();
    assert_eq!(cleaned.counts["cookies"], 1);
    let tree = tab.tree().await;
    assert!(!tree.contains("Cookies?") && tree.contains("Card"), "{tree}");
}

#[tokio::test]
async fn a_fast_click_counts_as_an_interaction() {
    let tab = Tab::show("<button>Go</button>").await;
    tab.engine.timings().await.unwrap();
    for _ in 0..2 {
        tab.click("button").await.unwrap();
    }
    let waits = "new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))";
    tab.js(waits).await;
    let perf = tab.engine.timings().await.unwrap();
    assert!(perf.inp.is_some_and(|inp| inp > 0.0), "{perf:?}");
}

#[tokio::test]
async fn expectations_wait_and_say_what_is_there() {
    let tab = Tab::show("<p id=p hidden>One</p><input id=i disabled value=Ada><script>setTimeout(() => { p.hidden = false; p.textContent = 'Two'; i.disabled = false }, 150)</script>").await;
    let expect = async |element: &str, expected: Expected<'_>| {
        tab.engine.expect(&target(element), &expected, in_seconds(3)).await.unwrap()
    };
    let is_two = |text: &str| text == "Two";
    assert_eq!(expect("#p", Expected::State("visible")).await, ExpectationResult::Holds);
    assert_eq!(expect("#p", Expected::Text(&is_two)).await, ExpectationResult::Holds);
    assert_eq!(expect("#i", Expected::State("editable")).await, ExpectationResult::Holds);
    let soon = || in_seconds(0) + std::time::Duration::from_millis(400);
    let fails = async |element: &str, expected: Expected<'_>| {
        tab.engine.expect(&target(element), &expected, soon()).await.unwrap()
    };
    assert_eq!(
        fails("#i", Expected::Text(&is_two)).await,
        ExpectationResult::Fails("Ada".to_owned())
    );
    assert_eq!(
        fails("#none", Expected::State("visible")).await,
        ExpectationResult::Fails("missing".to_owned())
    );
    assert_eq!(fails("#none", Expected::State("hidden")).await, ExpectationResult::Holds);
    let gone = tab.reference("\"Ada\"").await;
    tab.js("i.remove()").await;
    assert_eq!(fails(&gone, Expected::State("hidden")).await, ExpectationResult::Holds);
    let error = tab.engine.expect(&target(&gone), &Expected::State("visible"), soon()).await;
    assert_eq!(error.unwrap(), ExpectationResult::Fails("missing".to_owned()));
    let error = tab.engine.expect(&target(&gone), &Expected::State("enabled"), soon()).await;
    assert_eq!(kind(error).0, RefusalKind::RefStale);
}

#[tokio::test]
async fn a_look_at_an_element_leaves_the_page_where_it_stood() {
    let site = Site::start()
        .await
        .page("/in", "<div style='height:2000px'></div><button>deep</button>")
        .page(
            "/",
            "<style>html { scroll-behavior: smooth }</style><div style='height:3000px'></div>\
             <div id=box style='height:100px;overflow:auto'><div style='height:900px'></div><b id=low>low</b></div>\
             <iframe src='http://localhost:{port}/in'></iframe>",
        );
    let tab = Tab::visit(site).await;
    let deep = tab.reference("deep").await;
    tab.js("scrollTo({ top: 40, behavior: 'instant' })").await;
    for place in ["#low", &deep] {
        let (rect, revealed) = tab.engine.page_bounds(&target(place)).await.unwrap();
        assert!(rect.y > 2_000.0, "{rect:?}");
        assert_ne!(tab.js("scrollY").await, 40, "{place} was shown");
        tab.engine.restore_scroll(&revealed).await;
        assert_eq!(
            tab.js("[scrollY, document.querySelector('#box').scrollTop].join()").await,
            "40,0"
        );
    }
}
