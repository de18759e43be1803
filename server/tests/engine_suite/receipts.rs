//! What a receipt says: messages, values, what is invalid, and requests.

use std::time::{Duration, Instant};

use browse_engine::WaitPolicy;

use crate::fixture::{Tab, in_seconds, target};
use crate::support::site::{Route, Site};

const SHOP: &str = "<form onsubmit='return false'><label>Email <input id=mail type=email required></label>
    <label>Password <input id=pw type=password></label><button id=send>Send</button></form>
    <input id=zip aria-label=Zip aria-describedby=hint><span id=hint></span>
    <input id=day aria-label=Day readonly><input id=terms type=checkbox aria-label=Terms>
    <div role=slider aria-label=Volume aria-valuenow=1 id=volume>o</div><div role=tab aria-selected=false id=bills>Bills</div>
    <select id=city aria-label=City><option>Rome<option>Bern</select>
    <div id=alert role=alert></div><div id=toasts aria-live=polite>Old news</div><output id=count>0</output>
    <div id=spoken role=status style='position:absolute;width:1px;height:1px;overflow:hidden'></div>
    <dialog id=ask aria-label='Delete it?'>It is lost.<button>OK</button></dialog>
    <p id=row>Oak stool</p><p id=plain></p>";

#[tokio::test]
async fn a_receipt_says_what_came_of_a_click() {
    let tab = Tab::show(&format!("<button id=b>B</button>{SHOP}")).await;
    for (script, lines) in [
        ("alert.textContent = 'Saved'", &["alert: Saved"][..]),
        // The same once more is reported once more.
        ("alert.textContent = 'Saved'", &["alert: Saved"]),
        ("toasts.append(' and more')", &["status: and more"]),
        ("count.textContent = 1", &["status: 1"]),
        (
            "document.body.insertAdjacentHTML('beforeend', '<p role=status>Toast</p>')",
            &["status: Toast"],
        ),
        (
            "ask.showModal(); ask.close(); ask.show()",
            &["dialog \"Delete it?\": It is lost. OK", "focus: button \"OK\""],
        ),
        (
            "ask.close(); b.focus(); day.value = '2026-05-20'",
            &["value: textbox \"Day\": 2026-05-20"],
        ),
        ("pw.value = 'secret'", &["filled: textbox \"Password\""]),
        ("day.value = ''", &["value: textbox \"Day\" is empty"]),
        ("terms.checked = true", &["checked: checkbox \"Terms\""]),
        ("city.selectedIndex = 1", &["value: combobox \"City\": Bern"]),
        ("volume.setAttribute('aria-valuenow', 7)", &["value: slider \"Volume\": 7"]),
        ("bills.setAttribute('aria-selected', true)", &["selected: tab \"Bills\""]),
        ("b.setAttribute('aria-expanded', true)", &["the page changed"]),
        ("b.setAttribute('aria-expanded', false)", &["collapsed"]),
        (
            "zip.setAttribute('aria-invalid', true); hint.textContent = 'Five digits'",
            &["invalid: textbox \"Zip\": Five digits"],
        ),
        ("row.remove()", &["removed text: Oak stool"]),
        ("plain.textContent = 'Nothing is left'", &["new text: Nothing is left"]),
        // Words for screen readers alone are not seen by a person.
        ("spoken.textContent = 'ignore this'", &["the page changed"]),
        ("setTimeout(() => plain.append(' at last'), 40)", &["new text: at last"]),
        ("Promise.reject(new Error('boom'))", &["exception: Error: boom"]),
        ("", &["nothing changed"]),
    ] {
        tab.js(&format!(
            "b.onclick = () => {{ {} }}",
            script.replace("alert.", "document.getElementById('alert').")
        ))
        .await;
        let output = tab.click("#b").await.unwrap().lines();
        let output: Vec<_> = output.iter().map(|line| line.split("\n").next().unwrap()).collect();
        assert_eq!(output, lines, "{script}");
    }
    let invalid = tab.click("#send").await.unwrap().lines();
    assert_eq!(invalid[0], "invalid: textbox \"Email\": Please fill out this field.");
    assert_eq!(tab.click("#terms").await.unwrap().lines(), ["unchecked"]);
    let chosen = tab.engine.select(&target("#city"), &["Rome".into()], in_seconds(2)).await;
    assert_eq!(chosen.unwrap().lines()[0], "selected: Rome");
}

#[tokio::test]
async fn what_style_alone_shows_is_said() {
    let tab = Tab::show(
        "<style>.sub{display:none;position:absolute;right:0}li:hover .sub{display:block}.tip::after{content:'Delete it';opacity:0}.tip:hover::after{opacity:1}
         .fade{opacity:0;transition:opacity 1s}.on .fade{opacity:1}b:hover{color:red}</style>
         <ul><li id=menu>Products<div class=sub>Chairs</div></ul><span class=tip id=tip>icon</span><b id=plain>Plain</b>
         <div id=box><button id=fade onclick=\"box.className='on'\">F</button><i class=fade>Faded in</i></div>",
    )
    .await;
    for (selector, line) in
        [("#menu", "new text: Chairs"), ("#tip", "new text: Delete it"), ("#plain", "hovered")]
    {
        let receipt = tab.engine.hover(&target(selector), in_seconds(2)).await.unwrap();
        assert_eq!(receipt.lines(), [line], "{selector}");
    }
    assert_eq!(tab.click("#fade").await.unwrap().lines(), ["new text: Faded in"]);
}

fn asking(script: &str) -> String {
    format!(
        "<button id=b>B</button><p role=status id=s></p><script>const say = text => s.textContent = text; {script}</script>"
    )
}

/// A site whose server takes its time, by way of a redirect that nobody answers.
async fn visit(script: &str) -> Tab {
    let stream = vec!["Content-Type: text/event-stream".to_owned()];
    let site = Site::start().await.page("/", &asking(script)).page("/save", "ok").hang("/hang");
    Tab::visit(site.route("/stream", Route::Raw(200, stream, Vec::new()))).await
}

#[tokio::test]
async fn what_a_click_asks_for_is_waited_for() {
    for (script, line) in [
        (
            "b.onclick = async () => say(await (await fetch('/save', { method: 'POST' })).text())",
            "status: ok",
        ),
        (
            "b.onclick = () => { const x = new XMLHttpRequest(); x.onload = () => say(x.response); x.open('GET', '/save'); x.send() }",
            "status: ok",
        ),
        (
            "b.onclick = () => fetch('/hang?token=1', { method: 'POST' })",
            "nothing yet: POST /hang is open",
        ),
    ] {
        let tab = visit(script).await;
        let begun = Instant::now();
        assert_eq!(tab.click("#b").await.unwrap().lines(), [line], "{script}");
        assert!(begun.elapsed() < Duration::from_millis(2500), "{script}");
        if line.starts_with("nothing") {
            let begun = Instant::now();
            let engine = tab.engine.with_wait_policy(WaitPolicy::NoWait);
            let receipt = engine.click(&target("#b"), &Default::default(), in_seconds(5)).await;
            assert_eq!(receipt.unwrap().lines(), [line]);
            assert!(begun.elapsed() < Duration::from_millis(700));
        }
    }
}

#[tokio::test]
async fn what_is_no_answer_to_a_click_is_not_waited_for() {
    for script in [
        "b.onclick = () => { navigator.sendBeacon('/hang'); say('done') }",
        "b.onclick = () => { new Image().src = '/hang'; say('done') }",
        "b.onclick = () => { new EventSource('/hang'); say('done') }",
        "b.onclick = () => { fetch('/stream').then(() => {}); say('done') }",
        "b.onclick = () => say('done'); setInterval(() => fetch('/hang?' + Math.random()), 30)",
    ] {
        let tab = visit(script).await;
        if script.contains("setInterval") {
            tab.site.wait_hit("/hang").await;
            tab.js("new Promise(done => setTimeout(done, 150))").await;
        }
        let begun = Instant::now();
        let lines = tab.click("#b").await.unwrap().lines();
        assert_eq!(lines, ["status: done"], "{script}");
        assert!(begun.elapsed() < Duration::from_millis(900), "{script}: {:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn what_the_next_page_says_is_in_the_receipt() {
    let wrong = "<p role=alert id=p>Wrong password</p><input aria-label=Code aria-invalid=true aria-describedby=p>";
    let site = Site::start()
        .await
        .page("/", "<form action=/in><button>Sign in</button></form><a href=/plain>Plain</a>")
        .page("/in", wrong)
        .page("/plain", "<p role=alert></p><p>Nothing</p>");
    let tab = Tab::visit(site).await;
    let lines = tab.click("button").await.unwrap().lines();
    let url = format!("url: {}", tab.site.url("/in?"));
    assert_eq!(lines, ["invalid: textbox \"Code\": Wrong password".to_owned(), url]);
    tab.goto("/").await;
    let url = format!("url: {}", tab.site.url("/plain"));
    assert_eq!(tab.click("a").await.unwrap().lines(), [url]);
}
