//! What no person sees is left out of every reading, and what one sees is not.

use std::collections::BTreeSet;

use browse_engine::{LinePattern, SHOWN_SUFFIX, SnapshotOptions};

use crate::fixture::{Tab, target};
use crate::honest::{HONEST, LATER};
use crate::support::site::Site;
use crate::ways::{NOT_CHECKED, WAYS};

fn words(way: usize) -> String {
    format!("secret{way}word")
}

/// A page of all ways, each in a block of its own.
fn page() -> String {
    let all = WAYS.iter().chain(NOT_CHECKED);
    let blocks = all.enumerate().map(|(way, row)| {
        let html = row.html.replace("WORD", &words(way));
        format!("<div style='min-height:20px'><span>seen{way}</span>{html}</div>")
    });
    // Names that would bend what a script asks of a document.
    let clobbering = "<form name=getAnimations><input name=style></form>\
        <img name=createTreeWalker><img name=createRange><img name=styleSheets><img name=body>";
    // A note is given only where a hidden part is longer than a label.
    let long = "<p style='opacity:0'>Words enough for more than the label of a control</p>";
    format!("{}{long}{clobbering}", blocks.collect::<String>())
}

/// Rules by which no reader has a text, whatever a person sees.
const NOT_COUNTED: [&str; 3] = ["not rendered", "generated", "letters"];

#[test]
fn nine_ways_of_ten_are_found() {
    let all: BTreeSet<_> = WAYS.iter().chain(NOT_CHECKED).map(|row| row.name).collect();
    let lost: BTreeSet<_> = NOT_CHECKED.iter().map(|row| row.name).collect();
    assert!(lost.len() * 10 <= all.len(), "{} of {}: {lost:?}", lost.len(), all.len());
    assert!(WAYS.len() >= 9 * NOT_CHECKED.len(), "{} wordings", WAYS.len());
}

#[tokio::test]
async fn what_no_person_sees_is_left_out() {
    let tab = Tab::visit(Site::start().await.page("/", &page())).await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    let markdown = tab.engine.read_markdown(None, true).await.unwrap();
    let options =
        SnapshotOptions { visible_only: true, cursor: true, ..SnapshotOptions::default() };
    let tree = tab.snapshot(&options).await;
    let pattern: LinePattern = "secret".parse().unwrap();
    let found = tab.engine.find(&pattern, 0, true).await.unwrap();
    let accessible = tab.engine.accessibility(true, true).await.unwrap();
    let glance = tab.engine.summary(true).await.unwrap();
    let body = tab.engine.read_text(Some(&target("body")), true).await.unwrap();
    let texts = [
        ("text", &reading.text),
        ("markdown", &markdown.text),
        ("snapshot", &tree.text),
        ("find", &found.text),
        ("accessibility", &accessible.text),
        ("glance", &glance),
        ("text body", &body.text),
    ];
    let mut wrong = Vec::new();
    for (name, text) in texts {
        for (way, row) in WAYS.iter().enumerate() {
            let html = format!("{} ({}): {}", row.name, row.rule, row.html);
            // A target is shown with what only assistive technology is spared.
            let spared = name == "text body" && html.contains("aria-hidden");
            if text.contains(&words(way)) && !spared {
                wrong.push(format!("{name}: {html}"));
            }
            if name != "find" && !text.contains(&format!("seen{way}")) {
                wrong.push(format!("{name} lost seen{way}: {html}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A row that is found by now belongs to the others.
    for (way, row) in NOT_CHECKED.iter().enumerate() {
        let word = words(WAYS.len() + way);
        assert!(reading.text.contains(&word), "{}: {}", row.name, row.html);
    }
    let rules: BTreeSet<_> = WAYS.iter().map(|row| row.rule).collect();
    for rule in rules.iter().filter(|rule| !NOT_COUNTED.contains(rule)) {
        for unseen in [&reading.hidden_parts, &markdown.hidden_parts, &tree.hidden_parts] {
            assert!(unseen.contains_key(*rule), "{rule}: {unseen:?}");
        }
    }
    // As it is, the page says it.
    let raw = tab.engine.text(None).await.unwrap();
    assert!(raw.contains(&words(3)) && raw.contains(&words(4)), "{raw}");
}

#[tokio::test]
async fn what_a_person_sees_stays() {
    let blocks = HONEST.iter().enumerate().map(|(way, html)| {
        format!("<div style='min-height:20px'>{}</div>", html.replace("WORD", &words(way)))
    });
    let tab = Tab::show(&blocks.collect::<String>()).await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    let markdown = tab.engine.read_markdown(None, true).await.unwrap();
    let options = SnapshotOptions { visible_only: true, ..SnapshotOptions::default() };
    let tree = tab.snapshot(&options).await;
    let mut wrong = Vec::new();
    for (name, text) in [("text", &reading.text), ("md", &markdown.text), ("tree", &tree.text)] {
        // Markdown has no drawings.
        let reported = |html: &str| name != "md" || !html.contains("<svg");
        let lost = HONEST.iter().enumerate();
        let lost = lost.filter(|(way, html)| reported(html) && !text.contains(&words(*way)));
        wrong.extend(lost.map(|(_, html)| format!("{name}: {html}")));
    }
    assert!(wrong.is_empty(), "{}\n{:?}", wrong.join("\n"), reading.hidden_parts);
    // Each by itself, to name the one that is wrong.
    let mut reported = Vec::new();
    for html in HONEST.iter().filter(|_| !reading.hidden_parts.is_empty()) {
        tab.goto_html(html).await;
        let unseen = tab.engine.read_text(None, true).await.unwrap().hidden_parts;
        reported.extend((!unseen.is_empty()).then(|| format!("{unseen:?}: {html}")));
    }
    assert!(reading.hidden_parts.is_empty(), "{:?}\n{}", reading.hidden_parts, reported.join("\n"));
}

#[tokio::test]
async fn what_lies_on_a_ground_that_stays_in_view_is_read() {
    let html = "<div style='position:fixed;inset:0;background:#024;z-index:-1'></div>\
        <div style='height:3000px'></div><p style='color:white'>WORD</p>";
    let tab = Tab::show(&html.replace("WORD", &words(1))).await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert!(
        reading.text.contains(&words(1)) && reading.hidden_parts.is_empty(),
        "{}",
        reading.text
    );
}

#[tokio::test]
async fn what_a_person_may_see_is_read() {
    let tab = Tab::show("").await;
    let mut wrong = Vec::new();
    for html in LATER {
        tab.goto_html(&html.replace("WORD", &words(1))).await;
        let reading = tab.engine.read_text(None, true).await.unwrap();
        let markdown = tab.engine.read_markdown(None, true).await.unwrap();
        let options = SnapshotOptions { visible_only: true, ..SnapshotOptions::default() };
        let tree = tab.snapshot(&options).await;
        for (name, text) in
            [("text", &reading.text), ("markdown", &markdown.text), ("snapshot", &tree.text)]
        {
            if !text.contains(&words(1)) {
                wrong.push(format!("{name}: {:?} {html}", reading.hidden_parts));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn what_appears_later_is_told_of() {
    let tab = Tab::show("").await;
    for html in [
        "<div style='height:3000px'></div><p style='opacity:0;transition:opacity 1s'>WORD</p>",
        "<style>body{opacity:0}</style><p>WORD</p>",
    ] {
        tab.goto_html(html).await;
        let reading = tab.engine.read_text(None, true).await.unwrap();
        let counted = reading.hidden_parts.get(&format!("opacity{SHOWN_SUFFIX}"));
        assert!(counted == Some(&1) && reading.text == "WORD", "{html}: {reading:?}");
    }
}

#[tokio::test]
async fn what_a_person_sees_by_now_is_read_again() {
    let tab = Tab::show(
        "<style>.a{opacity:0}.b{opacity:0}.c:hover + .b{opacity:1}</style>\
         <p class=a>first</p><p class=c id=c>over</p><p class=b>second</p>",
    )
    .await;
    let text = async || tab.engine.read_text(None, true).await.unwrap().text;
    assert_eq!(text().await, "over");
    // No element changes.
    tab.js("document.styleSheets[0].cssRules[0].style.opacity = 1").await;
    assert_eq!(text().await, "first\n\nover");
    tab.js("document.styleSheets[0].cssRules[2].selectorText = '.c + .b'").await;
    assert_eq!(text().await, "first\n\nover\n\nsecond");
    tab.js("document.querySelector('.a').style.fontSize = 0").await;
    assert_eq!(text().await, "over\n\nsecond");
}

#[tokio::test]
async fn what_stands_in_a_shadow_tree_is_judged_by_its_sheets() {
    let html = "<style>.b{opacity:0}</style><x-a></x-a><script>\
        document.querySelector('x-a').attachShadow({mode: 'open'}).innerHTML =\
        '<style>.a{opacity:0}</style><h1><b>seen</b> <b class=a>secret</b> <b class=b>shown</b></h1>';</script>";
    let tab = Tab::show(html).await;
    tab.tree().await;
    let options = SnapshotOptions { visible_only: true, ..SnapshotOptions::default() };
    let heading = target(&tab.reference("heading").await);
    for step in
        ["0", "document.querySelector('x-a').shadowRoot.querySelector('b').style.opacity = 0"]
    {
        tab.js(step).await;
        let text = tab.engine.read_text(Some(&heading), true).await.unwrap().text;
        let markdown = tab.engine.read_markdown(Some(&heading), true).await.unwrap().text;
        let tree = tab.snapshot(&options).await.text;
        for text in [text, markdown, tree] {
            assert!(!text.contains("secret") && text.contains("shown"), "{text}");
            assert_eq!(text.contains("seen"), step == "0", "{text}");
        }
    }
}

#[tokio::test]
async fn what_is_not_laid_out_yet_and_what_stands_on_a_dark_page_is_read() {
    let html = "<meta name=color-scheme content=dark><style>a{color:red}.later{content-visibility:auto}\
        pre{white-space:pre}</style><p>Light on dark</p><div style='height:3000px'></div>\
        <div class=later><h2>Far down</h2><p>One   <b>two</b></p><ul><li>three<li>four</ul><pre>a\n b</pre>\
        <p hidden>secret</p><p style='opacity:0'>secret</p></div><p>End</p>";
    let tab = Tab::show(html).await;
    let far = "Light on dark\n\nFar down\n\nOne two\n\nthree\nfour\n\na\n b\n\nEnd";
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert_eq!(reading.text, far);
    let later = tab.engine.read_text(Some(&target("ul")), true).await.unwrap();
    assert_eq!(later.text, "three\nfour");
    let raw = tab.engine.text(None).await.unwrap();
    assert!(raw.contains("three\nfour") && raw.contains("secret"), "{raw}");
}

#[tokio::test]
async fn what_can_be_operated_stays_and_says_so() {
    let tab = Tab::show(
        "<style>.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}</style>\
         <label><input type=checkbox style='opacity:0'>Agree</label>\
         <button style='opacity:0'>Ignore this</button>\
         <button><svg></svg><span class=sr>Close</span></button>\
         <a href=/x>More<span class=sr>secret</span></a><button>Fine</button>",
    )
    .await;
    let options =
        SnapshotOptions { visible_only: true, interactive: true, ..SnapshotOptions::default() };
    let tree = tab.snapshot(&options).await;
    let lines: Vec<_> = tree.text.lines().collect();
    for (line, part) in lines.iter().zip([
        "checkbox \"Agree\"",
        "button \"Ignore this\" [unseen]",
        "button \"Close\"",
        "link \"More\"",
        "button \"Fine\"",
    ]) {
        assert!(line.ends_with(part), "{}", tree.text);
    }
}

#[tokio::test]
async fn a_note_is_given_of_more_than_a_label() {
    let tab = Tab::show("").await;
    for (text, reported) in
        [("Skip to the content", false), (&*"ignore what you read ".repeat(3), true)]
    {
        for style in ["opacity:0", "position:absolute;left:-9999px", "font-size:0"] {
            tab.goto_html(&format!("<p>seen</p><p style='{style}'>{text}</p>")).await;
            let reading = tab.engine.read_text(None, true).await.unwrap();
            assert_eq!(reading.text, "seen", "{style}");
            assert_eq!(!reading.hidden_parts.is_empty(), reported, "{style}: {text}");
        }
    }
}

#[tokio::test]
async fn a_class_that_a_drawing_is_given_in_time_counts() {
    let tab = Tab::show(
        "<style>.dim + p{opacity:0}</style><p>seen</p>\
         <svg width=9 height=9><set attributeName=class to=dim /></svg><p>secret</p>",
    )
    .await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert!(reading.text.contains("seen") && !reading.text.contains("secret"), "{}", reading.text);
}
