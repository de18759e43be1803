//! What no person sees is found once, and found anew when it may be otherwise.

use browse_server::engine::{SCRIPT, SnapshotOptions};

use crate::fixture::Tab;

/// Readings until one rests on an earlier look: a document that has just arrived is
/// rendered once more.
const MOST_READINGS: usize = 20;

/// Whether the latest reading of the main frame rests on an earlier look.
async fn rests(tab: &Tab) -> bool {
    let world = tab.page.world(&tab.page.main_frame().id, &SCRIPT).await.unwrap();
    world.evaluate("browseEngine.isKept()").await.unwrap()
}

/// What the text leaves out or tells of, by which means.
async fn means(tab: &Tab) -> String {
    let reading = tab.engine.read_text(None, true).await.unwrap();
    reading.unseen.into_keys().collect::<Vec<_>>().join(", ")
}

/// The same when nothing has changed for a while.
async fn settled(tab: &Tab) -> String {
    for _ in 0..MOST_READINGS {
        let means = means(tab).await;
        if rests(tab).await {
            return means;
        }
    }
    means(tab).await
}

#[tokio::test]
async fn all_readings_of_an_unchanged_page_share_a_look() {
    let host =
        "<div><template shadowrootmode=open><p style=opacity:0>deep</p><p>in</p></template></div>";
    let tab =
        Tab::show(&format!("<style>.x{{opacity:0}}</style><p>seen</p><p class=x>secret</p>{host}"))
            .await;
    assert_eq!(settled(&tab).await, "opacity");
    assert!(rests(&tab).await);
    let options = SnapshotOptions { seen: true, ..SnapshotOptions::default() };
    for _ in 0..2 {
        let tree = tab.snapshot(&options).await;
        assert!(rests(&tab).await, "{}", tree.text);
        let markdown = tab.engine.read_markdown(None, true).await.unwrap();
        assert!(rests(&tab).await);
        let (_, unseen) = tab.engine.read_links(true).await.unwrap();
        assert!(rests(&tab).await);
        for (read, unseen) in [(&tree.text, &tree.unseen), (&markdown.text, &markdown.unseen)] {
            assert!(read.contains("seen") && !read.contains("secret"), "{read}");
            assert_eq!(unseen.get("opacity"), Some(&2), "{read}");
        }
        assert_eq!(unseen.get("opacity"), Some(&2));
    }
    // Who does not ask what is seen takes no look.
    tab.engine.read_text(None, false).await.unwrap();
    assert!(!rests(&tab).await);
}

/// A page, what changes in it without a change to its elements, and what a reading
/// leaves out or tells of before and after.
const CHANGES: &[(&str, &str, &str, &str)] = &[
    (
        "<style>.x{opacity:.5}</style><p>seen</p><p class=x>word</p>",
        "document.styleSheets[0].cssRules[0].style.opacity = 0",
        "",
        "opacity",
    ),
    (
        "<style>.x{opacity:0}</style><p>seen</p><p class=x>word</p>",
        "document.styleSheets[0].disabled = true",
        "opacity",
        "",
    ),
    (
        "<p>seen</p><p id=x>word</p>",
        "const s = new CSSStyleSheet(); s.replaceSync('#x{opacity:0}'); document.adoptedStyleSheets = [s]",
        "",
        "opacity",
    ),
    (
        "<style>.cv{content-visibility:auto;margin-top:9000px}.x{opacity:.5}</style><p>seen</p><div class=cv><p class=x>word</p></div>",
        "document.styleSheets[0].cssRules[1].style.opacity = 0",
        "",
        "opacity",
    ),
    (
        "<p>seen</p><p id=x>word</p>",
        "x.animate([{ opacity: 0 }, { opacity: 0 }], 1e7)",
        "",
        "opacity",
    ),
    (
        "<p>seen</p><p id=x>word</p>",
        "x.animate([{ opacity: 0 }, { opacity: 0 }], { duration: 1, fill: 'both' }).finish()",
        "",
        "opacity",
    ),
    // Nothing is styled or laid out for these.
    (
        "<p>seen</p><div id=x style='overflow:hidden;height:20px;width:90px'><div style=padding-top:200px>word</div></div>",
        "x.scrollTop = 200",
        "edge",
        "",
    ),
    (
        "<p>seen</p><div id=x><template shadowrootmode=open><style>#in{height:20px;overflow:hidden}</style><div id=in><div style=padding-top:200px>word</div></div></template></div>",
        "x.shadowRoot.getElementById('in').scrollTop = 200",
        "edge",
        "",
    ),
    (
        "<style>::highlight(h){color:white}</style><p>seen</p><p id=x>word</p>",
        "const range = new Range(); range.selectNodeContents(x); CSS.highlights.set('h', new Highlight(range))",
        "",
        "colour",
    ),
    (
        "<style>#x{position:absolute;z-index:-1;left:0;top:0}p{color:white}</style><canvas id=x width=400 height=200></canvas><p>word</p>",
        "x.getContext('2d').fillRect(0, 0, 400, 200)",
        "colour (shown)",
        "",
    ),
    // The whole page, and what its frames lie on.
    (
        "<style>iframe{border:0}</style><body style='background:#000;color:#fff'><p>seen</p><iframe srcdoc='<p style=color:#fff>word'></iframe>",
        "document.adoptedStyleSheets = [new CSSStyleSheet()]; document.adoptedStyleSheets[0].replaceSync('body{background:#fff!important;color:#000!important}')",
        "",
        "colour",
    ),
    (
        "<p>seen</p><input id=x style='color:white;background:white'>",
        "x.value = 'word'",
        "",
        "colour (shown)",
    ),
];

#[tokio::test]
async fn a_look_is_not_kept_when_anything_comes_to_look_otherwise() {
    let tab = Tab::show("").await;
    let mut wrong = Vec::new();
    for (html, change, before, after) in CHANGES {
        tab.goto_html(html).await;
        let first = settled(&tab).await;
        tab.js(&format!("{{ {change} }}; null")).await;
        let second = means(&tab).await;
        if (first.as_str(), second.as_str()) != (*before, *after) {
            wrong.push(format!("{html}\n{change}\n`{first}`, then `{second}`"));
        }
        // And when it is left as it is.
        let third = settled(&tab).await;
        if third != *after {
            wrong.push(format!("{html}\n{change}\nlater `{third}`"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
