//! Filling, choosing, checking, typing.

use browse_engine::{CheckState, RefusalKind};

use crate::fixture::{Tab, error_text, in_seconds, kind, target};

const FIELDS: &str = "<input id=t value=old><textarea id=a></textarea><div id=e contenteditable>old <b>text</b></div>\
    <input id=n type=number><input id=d type=date><input id=c type=color><input id=r type=range max=10><input id=ro readonly value=x>\
    <input id=off disabled><input id=f type=file><label id=l>Name <input id=in></label><p id=p>x</p>\
    <script>log = []; for (const type of ['input', 'change']) addEventListener(type, event => log.push(event.target.id + ' ' + type))</script>";

#[tokio::test]
async fn each_kind_of_field_is_filled_and_says_so() {
    let tab = Tab::show(FIELDS).await;
    for (id, text) in [
        ("t", "new"),
        ("a", "two\nlines"),
        ("n", "42"),
        ("d", "2026-11-21"),
        ("c", "#ff0000"),
        ("r", "7"),
        ("t", ""),
    ] {
        tab.js("log.length = 0").await;
        let receipt =
            tab.fill(&format!("#{id}"), text).await.unwrap_or_else(|error| panic!("{id}: {error}"));
        assert!(receipt.changed);
        assert_eq!(tab.js(&format!("document.getElementById('{id}').value")).await, text, "{id}");
        let log = tab.js("log.join()").await.as_str().unwrap().to_owned();
        assert!(
            log.contains(&format!("{id} input")) && log.ends_with(&format!("{id} change")),
            "{id}: {log}"
        );
    }
    tab.fill("#e", "rich").await.unwrap();
    assert_eq!(tab.js("e.innerText").await, "rich");
    tab.fill("#l", "by label").await.unwrap();
    assert_eq!(tab.js("document.getElementById('in').value").await, "by label");
}

#[tokio::test]
async fn what_cannot_be_filled_says_why() {
    let tab = Tab::show(FIELDS).await;
    for (id, text, expected) in [
        ("#ro", "x", RefusalKind::NotEditable),
        ("#off", "x", RefusalKind::Disabled),
        ("#p", "x", RefusalKind::NotEditable),
        ("#f", "x", RefusalKind::NotEditable),
        ("#n", "many", RefusalKind::ValueRejected),
        ("#d", "tomorrow", RefusalKind::ValueRejected),
        ("#r", "99", RefusalKind::ValueRejected),
    ] {
        assert_eq!(kind(tab.fill(id, text).await).0, expected, "{id}");
    }
}

#[tokio::test]
async fn options_are_chosen_by_value_label_and_text() {
    let tab = Tab::show(
        "<select id=s><option value=1>One<option value=2 label=Zwei>Two<option value=3>Three</select>\
         <select id=m multiple><option>a<option>b<option>c</select><p id=p>x",
    )
    .await;
    let select = async |id: &str, values: &[&str]| {
        let values: Vec<_> = values.iter().map(|value| (*value).to_owned()).collect();
        tab.engine.select(&target(id), &values, in_seconds(1)).await
    };
    for (wanted, value) in [("3", "3"), ("Zwei", "2"), ("one", "1")] {
        assert!(select("#s", &[wanted]).await.unwrap().changed);
        assert_eq!(tab.js("s.value").await, value);
    }
    assert_eq!(select("#m", &["a", "c"]).await.unwrap().selected, ["a", "c"]);
    let error = select("#s", &["Four"]).await.unwrap_err();
    assert_eq!(error.kind(), Some(RefusalKind::OptionNotFound));
    assert!(error_text(&error).contains("; options: One, Zwei, Three"), "{error}");
    assert_eq!(kind(select("#s", &["1", "2"]).await).0, RefusalKind::ValueRejected);
    assert_eq!(kind(select("#p", &["1"]).await).0, RefusalKind::WrongKind);
}

#[tokio::test]
async fn check_marks_are_idempotent() {
    let tab = Tab::show(
        "<input type=checkbox id=c><label for=h><span>Drawn</span></label><input type=checkbox id=h style='position:absolute;opacity:0;width:0;height:0'>\
         <div role=switch tabindex=0 aria-checked=false id=s onclick=\"setAttribute('aria-checked', getAttribute('aria-checked') == 'false')\">S</div><p id=p>x",
    )
    .await;
    let set =
        async |id: &str, checked| tab.engine.set_checked(&target(id), checked, in_seconds(1)).await;
    for id in ["#c", "#h", "#s"] {
        for checked in [CheckState::On, CheckState::On, CheckState::Off] {
            set(id, checked).await.unwrap_or_else(|error| panic!("{id}: {error}"));
        }
    }
    assert_eq!(set("#c", CheckState::On).await.unwrap().lines(), ["checked"]);
    assert_eq!(set("#c", CheckState::On).await.unwrap().lines(), ["checked already"]);
    assert_eq!(kind(set("#p", CheckState::On).await).0, RefusalKind::WrongKind);
}

#[tokio::test]
async fn keys_go_to_the_focus() {
    let tab = Tab::show(
        "<input id=t><input id=u><button onclick=\"document.title='pressed'\">B</button>",
    )
    .await;
    let refused = tab.engine.type_text("x", in_seconds(1)).await.unwrap_err();
    assert_eq!(refused.kind(), Some(RefusalKind::NothingFocused));
    assert_eq!(refused.to_string(), "no element has the focus");
    tab.engine.focus(&target("button"), in_seconds(1)).await.unwrap();
    let refused = tab.engine.type_text("x", in_seconds(1)).await.unwrap_err();
    assert_eq!(refused.kind(), Some(RefusalKind::NothingFocused));
    assert_eq!(refused.to_string(), "the button that has the focus takes no text");
    tab.engine.focus(&target("#t"), in_seconds(1)).await.unwrap();
    tab.engine.type_text("Hé!", in_seconds(1)).await.unwrap();
    assert_eq!(tab.js("t.value").await, "Hé!");
    let receipt = tab.engine.press("Tab", in_seconds(1)).await.unwrap();
    assert_eq!(receipt.focus, Some(("textbox".to_owned(), String::new())));
    tab.engine.press("Tab", in_seconds(1)).await.unwrap();
    tab.engine.press("Enter", in_seconds(1)).await.unwrap();
    assert_eq!(tab.js("document.title").await, "pressed");
    assert_eq!(kind(tab.engine.press("Hyper+Q", in_seconds(1)).await).0, RefusalKind::KeyUnknown);
}

#[tokio::test]
async fn a_change_is_told_once() {
    let tab = Tab::show(
        "<input id=t value=old><textarea id=a>old</textarea><input id=n type=number value=1><input id=e type=email>\
         <input id=d type=date><input id=c type=color><input id=r type=range max=10><p id=host></p><button id=b>B</button>\
         <script>log = []; const root = host.attachShadow({mode: 'open'}); root.innerHTML = '<input id=i>';\
         for (const [from, early] of [[window, true], [root, false]]) for (const type of ['change', 'blur']) from.addEventListener(type, event => log.push(event.type), early)</script>",
    )
    .await;
    for (target, text) in [
        ("#t", "new"),
        ("#a", "new"),
        ("#n", "7"),
        ("#e", "a@b.c"),
        ("#d", "2026-11-21"),
        ("#c", "#ff0000"),
        ("#r", "7"),
        ("#host >>> #i", "new"),
        ("#t", ""),
    ] {
        tab.js("document.activeElement.blur(); log.length = 0").await;
        tab.fill(target, text).await.unwrap();
        assert_eq!(tab.js("log.join()").await, "change", "{target}");
        tab.js("b.focus()").await;
        let log = tab.js("log.filter(type => type == 'change').length").await;
        assert_eq!(log, 1, "{target}");
    }
    // What a person types afterwards is another change.
    tab.fill("#t", "two").await.unwrap();
    tab.engine.type_text("!", in_seconds(1)).await.unwrap();
    tab.js("log.length = 0; b.focus()").await;
    assert_eq!(tab.js("log.join()").await, "change,blur");
    tab.click("#t").await.unwrap();
    tab.engine.type_text("x", in_seconds(1)).await.unwrap();
    tab.engine.press("Backspace", in_seconds(1)).await.unwrap();
    tab.js("log.length = 0; b.focus()").await;
    assert_eq!(tab.js("log.join()").await, "blur");
}
