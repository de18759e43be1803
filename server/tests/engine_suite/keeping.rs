//! What no person sees is found once, and found anew when it may be otherwise.

use std::time::{Duration, Instant};

use browse_server::engine::{ENGINE_SCRIPT, SnapshotOptions, Target};

use crate::fixture::Tab;

/// Readings until one rests on an earlier look: a document that has just arrived is
/// rendered once more.
const MOST_READINGS: usize = 20;

/// Time until one does at the least: a browser that is busy renders when it can.
const RENDERED: Duration = Duration::from_secs(1);

/// Has what follows read as a page whose looks are dear.
async fn have_counted(tab: &Tab) {
    tab.page
        .world(&tab.page.main_frame().id, &ENGINE_SCRIPT)
        .await
        .unwrap()
        .start_counting_renders();
}

/// Whether the latest reading of the main frame rests on an earlier look.
async fn rests(tab: &Tab) -> bool {
    let world = tab.page.world(&tab.page.main_frame().id, &ENGINE_SCRIPT).await.unwrap();
    world.evaluate("browseEngine.isKept()").await.unwrap()
}

/// The text, and what is left out of it or told of.
async fn read(tab: &Tab) -> (String, String) {
    let reading = tab.engine.read_text(None, true).await.unwrap();
    (reading.text, format!("{:?}", reading.hidden_parts))
}

/// The same when nothing has changed for a while.
async fn settled(tab: &Tab) -> (String, String) {
    have_counted(tab).await;
    let begun = Instant::now();
    let mut readings = 0;
    loop {
        let read = read(tab).await;
        readings += 1;
        if rests(tab).await || (readings > MOST_READINGS && begun.elapsed() > RENDERED) {
            return read;
        }
    }
}

/// How many of some readings rest on an earlier look.
async fn resting(tab: &Tab) -> usize {
    let mut resting = 0;
    for _ in 0..MOST_READINGS {
        read(tab).await;
        resting += usize::from(rests(tab).await);
    }
    resting
}

/// A page on whose clock each look takes 5 ms, or no time at all.
async fn timed(tab: &Tab, is_dear: bool) {
    tab.goto_html("<style>.x{opacity:0}</style><p>seen</p><p class=x>secret</p>").await;
    let world = tab.page.world(&tab.page.main_frame().id, &ENGINE_SCRIPT).await.unwrap();
    let step = if is_dear { 5 } else { 0 };
    let clock = format!("{{ let now = 0; performance.now = () => (now += {step}) }}; true");
    assert!(world.evaluate::<bool>(&clock).await.unwrap());
}

#[tokio::test]
async fn a_look_that_is_not_dear_is_taken_each_time() {
    let tab = Tab::show("").await;
    timed(&tab, false).await;
    assert_eq!(resting(&tab).await, 0);
    timed(&tab, true).await;
    assert!(resting(&tab).await > 0);
}

#[tokio::test]
async fn all_readings_of_an_unchanged_page_share_a_look() {
    let host =
        "<div><template shadowrootmode=open><p style=opacity:0>deep</p><p>in</p></template></div>";
    let tab =
        Tab::show(&format!("<style>.x{{opacity:0}}</style><p>seen</p><p class=x>secret words that are more than the label of a control</p>{host}"))
            .await;
    let (text, unseen) = settled(&tab).await;
    assert!(rests(&tab).await && !text.contains("secret"), "{text}, {unseen}");
    let options = SnapshotOptions { visible_only: true, ..SnapshotOptions::default() };
    for _ in 0..2 {
        let tree = tab.snapshot(&options).await;
        assert!(rests(&tab).await, "{}", tree.text);
        let markdown = tab.engine.read_markdown(None, true).await.unwrap();
        assert!(rests(&tab).await);
        let (_, unseen) = tab.engine.read_links(true).await.unwrap();
        assert!(rests(&tab).await);
        for (read, unseen) in
            [(&tree.text, &tree.hidden_parts), (&markdown.text, &markdown.hidden_parts)]
        {
            assert!(read.contains("seen") && !read.contains("secret"), "{read}");
            assert_eq!(unseen.get("opacity"), Some(&2), "{read}");
        }
        assert_eq!(unseen.get("opacity"), Some(&2));
    }
    // Who does not ask what is seen takes no look.
    tab.engine.read_text(None, false).await.unwrap();
    assert!(!rests(&tab).await);
}

/// What may be scrolled, and what lies over its beginning.
const COVERED: &str = "<div style='padding-top:10px;height:500px'>word<div style='padding-top:150px'>deep</div></div>";
const LID: &str = "<div style='position:absolute;left:0;top:0;width:400px;height:60px;background:#fff;z-index:5'></div>";

/// A page, and what changes in it without a change to its elements.
const CHANGES: &[(&str, &str)] = &[
    (
        "<style>.x{opacity:.5}</style><p>seen</p><p class=x>word</p>",
        "document.styleSheets[0].cssRules[0].style.opacity = 0",
    ),
    (
        "<style>.x{opacity:0}</style><p>seen</p><p class=x>word</p>",
        "document.styleSheets[0].disabled = true",
    ),
    (
        "<p>seen</p><p id=x>word</p>",
        "const s = new CSSStyleSheet(); s.replaceSync('#x{opacity:0}'); document.adoptedStyleSheets = [s]",
    ),
    (
        "<style>.cv{content-visibility:auto;margin-top:9000px}.x{opacity:.5}</style><p>seen</p><div class=cv><p class=x>word</p></div>",
        "document.styleSheets[0].cssRules[1].style.opacity = 0",
    ),
    ("<p>seen</p><p id=x>word</p>", "x.animate([{ opacity: 0 }, { opacity: 0 }], 1e7)"),
    (
        "<p>seen</p><p id=x>word</p>",
        "x.animate([{ opacity: 0 }, { opacity: 0 }], { duration: 1, fill: 'both' }).finish()",
    ),
    // Nothing is styled or laid out for these.
    (
        "<p>seen</p><div id=x style='overflow:hidden;height:20px;width:90px'><div style=padding-top:200px>word</div></div>",
        "x.scrollTop = 200",
    ),
    (
        "<p>seen</p><div id=x><template shadowrootmode=open><style>#in{height:20px;overflow:hidden}</style><div id=in><div style=padding-top:200px>word</div></div></template></div>",
        "x.shadowRoot.getElementById('in').scrollTop = 200",
    ),
    (
        "<style>#o{overflow:hidden}#x{overflow:inherit;height:20px;clip-path:inset(0)}</style><div id=o><div id=x><div style=padding-top:200px>word</div></div></div>seen",
        "x.scrollTop = 200",
    ),
    (
        "<style>::slotted(div){height:20px;overflow:hidden;clip-path:inset(0)}</style><p>seen</p><section><template shadowrootmode=open><style>::slotted(div){height:20px;overflow:hidden;clip-path:inset(0)}</style><slot></slot></template><div id=x><div style=padding-top:200px>word</div></div></section>",
        "x.scrollTop = 200",
    ),
    (
        "<svg style='position:absolute;left:0;top:0' width=300 height=150><foreignObject id=x width=200 height=150>{COVERED}</foreignObject></svg>{LID}",
        "x.scrollTop = 140",
    ),
    (
        "<style>details::details-content{height:150px;overflow:auto}</style><details open style='position:absolute;left:0;top:0;width:300px'><summary></summary>{COVERED}<p id=x>last</p></details>{LID}",
        "x.scrollIntoView()",
    ),
    (
        "<style>::highlight(h){color:white}</style><p>seen</p><p id=x>word</p>",
        "const range = new Range(); range.selectNodeContents(x); CSS.highlights.set('h', new Highlight(range))",
    ),
    (
        "<style>::selection{color:transparent}</style><p>seen</p><p id=x>word</p>",
        "getSelection().selectAllChildren(x)",
    ),
    (
        "<style>::selection{color:transparent}</style><p>seen</p><p id=x>word</p><script>getSelection().selectAllChildren(x)</script>",
        "getSelection().empty()",
    ),
    (
        "<style>#x{position:absolute;z-index:-1;left:0;top:0}p{color:white}</style><canvas id=x width=400 height=200></canvas><p>word</p>",
        "x.getContext('2d').fillRect(0, 0, 400, 200)",
    ),
    ("<p>seen</p><input id=x style='color:white;background:white'>", "x.value = 'word'"),
    // What a frame lies on.
    (
        "<style>iframe{border:0}</style><body style='background:#000;color:#fff'><p>seen</p><iframe srcdoc='<p style=color:#fff>word'></iframe>",
        "document.adoptedStyleSheets = [new CSSStyleSheet()]; document.adoptedStyleSheets[0].replaceSync('body{background:#fff!important;color:#000!important}')",
    ),
];

#[tokio::test]
async fn a_look_is_not_kept_when_anything_comes_to_look_otherwise() {
    let tab = Tab::show("").await;
    let (mut wrong, mut not_kept) = (Vec::new(), Vec::new());
    for (html, change) in CHANGES {
        let html = html.replace("{COVERED}", COVERED).replace("{LID}", LID);
        tab.goto_html(&html).await;
        let first = settled(&tab).await;
        if !rests(&tab).await {
            not_kept.push(change);
        }
        tab.js(&format!("{{ {change} }}; null")).await;
        let second = read(&tab).await;
        let third = settled(&tab).await;
        // With an element changed, nothing of before counts.
        tab.js("document.documentElement.setAttribute('data-x', ''); null").await;
        let anew = read(&tab).await;
        if first == anew || second != anew || third != anew {
            wrong.push(format!(
                "{html}\n{change}\n{first:?}, then {second:?}, {third:?}; anew {anew:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // Three of the pages are looked at with each reading.
    assert_eq!(not_kept.len(), 3, "{not_kept:#?}");
}

#[tokio::test]
async fn frames_that_a_misled_reading_met_are_read() {
    let tab = Tab::show(
        "<p>seen</p><div><template shadowrootmode=open><p>in</p></template></div><iframe srcdoc='<p>first'></iframe>",
    )
    .await;
    for round in 0..5 {
        settled(&tab).await;
        // Of a shadow tree nothing is heard, and nothing of it is rendered at once.
        let change = format!(
            "{{ const frame = document.createElement('iframe'); frame.srcdoc = '<p>framed{round}';\
             document.querySelector('div').shadowRoot.append(frame) }}; null"
        );
        tab.js(&change).await;
        let mut read_last = read(&tab).await.0;
        for _ in 0..MOST_READINGS * 10 {
            if read_last.contains(&format!("framed{round}")) {
                break;
            }
            read_last = read(&tab).await.0;
        }
        assert!(read_last.contains(&format!("framed{round}")), "{read_last}");
    }
}

#[tokio::test]
async fn what_is_scrolled_around_a_target_counts() {
    let inner = COVERED.replace('\'', "\"");
    let tab = Tab::show(&format!(
        "<div id=h><template shadowrootmode=open><div id=s style='height:150px;overflow:auto'><slot></slot></div></template>\
         <section id=x>{inner}{LID}</section></div>"
    ))
    .await;
    let target: Target = "#x".parse().unwrap();
    let read = async || {
        let reading = tab.engine.read_text(Some(&target), true).await.unwrap();
        (reading.text, format!("{:?}", reading.hidden_parts))
    };
    have_counted(&tab).await;
    for _ in 0..MOST_READINGS {
        read().await;
        if rests(&tab).await {
            break;
        }
    }
    let first = read().await;
    assert!(rests(&tab).await, "{first:?}");
    tab.js("h.shadowRoot.getElementById('s').scrollTop = 140; null").await;
    let second = read().await;
    tab.js("document.documentElement.setAttribute('data-x', ''); null").await;
    let anew = read().await;
    assert!(first != anew && second == anew, "{first:?}, then {second:?}; anew {anew:?}");
}
