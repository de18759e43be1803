//! Text that an application takes, changes, or does not take.

use browse_engine::{ActionReceipt, RefusalKind, Result};

use crate::fixture::{Tab, in_seconds, kind, target};
use crate::support::site::Site;

/// A page with one field `f`, and a script that makes an application of it.
async fn app(field: &str, script: &str) -> Tab {
    Tab::show(&format!("{field}<input id=other><script>{script}</script>")).await
}

/// An editor with a model, which lives by `beforeinput` and undoes every other change.
const MODEL_EDITOR: &str = "model = 'old text'; let drawing = false;
    const draw = () => { drawing = true; f.replaceChildren(...model.split('\\n').map(line => { const p = document.createElement('p'); p.append(line || document.createElement('br')); return p })); seen.takeRecords(); drawing = false; };
    const seen = new MutationObserver(() => draw()); seen.observe(f, {childList: true, characterData: true, subtree: true});
    let all = false; document.addEventListener('selectionchange', () => setTimeout(() => all = f.textContent !== '' && `${getSelection()}`.trim().length >= f.innerText.trim().length));
    f.addEventListener('beforeinput', event => { event.preventDefault(); const text = event.inputType.startsWith('delete') ? '' : event.data || '';
        model = all || model === '' ? text : text + model; draw(); });
    draw();";

/// What the receipt says that the field holds: its text, or that it is `filled`.
fn value(receipt: &ActionReceipt) -> Option<String> {
    let fact = receipt.result.as_ref()?;
    match &*fact.label {
        "value" => Some(fact.text.clone()),
        "filled" => Some("filled".to_owned()),
        _ => None,
    }
}

async fn holds(tab: &Tab, target: &str, text: &str) -> Option<String> {
    let receipt = tab.fill(target, text).await;
    value(&receipt.unwrap_or_else(|error| panic!("{target} {text:?}: {error}")))
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// The kind and message of a fill that did not succeed.
fn refused<T: std::fmt::Debug>(result: Result<T>) -> String {
    let (kind, message) = kind(result);
    assert_eq!(kind, RefusalKind::Incomplete, "{message}");
    message
}

#[tokio::test]
async fn an_editor_with_a_model_believes_the_text() {
    let tab = app("<div id=f contenteditable></div>", MODEL_EDITOR).await;
    for wanted in ["new", "two\nlines", ""] {
        let receipt = tab.engine.fill(&target("#f"), wanted, in_seconds(5)).await;
        receipt.unwrap_or_else(|error| panic!("{wanted:?}: {error}"));
        assert_eq!(tab.js("model").await, wanted);
    }
    tab.fill("#f", "again").await.unwrap();
    tab.engine.type_text("!", in_seconds(1)).await.unwrap();
}

#[tokio::test]
async fn what_an_application_makes_of_a_text_is_its_value() {
    let tab = app(
        "<input id=f value=old><div id=chips></div><input id=p type=password>",
        "f.oninput = () => { rule(f) }",
    )
    .await;
    for (rule, wanted, value) in [
        ("f => f.value = f.value.toUpperCase()", "straße", "STRASSE"),
        (
            "f => f.value = f.value.replace(/\\D/g, '').replace(/(\\d{3})(?=\\d)/g, '$1 ')",
            "12-34-56",
            "123 456",
        ),
        ("f => f.value = '+49 ' + f.value.replace(/^\\+49 /, '')", "30 1234", "+49 30 1234"),
        ("f => f.value = '+49 ' + f.value.replace(/^\\+49 /, '')", "30 5678", "+49 30 5678"),
        (
            "f => f.value = '$' + Number(f.value).toLocaleString('en', {minimumFractionDigits: 2})",
            "1234.5",
            "$1,234.50",
        ),
        ("f => f.value = f.value.split('-').reverse().join('.')", "2026-11-21", "21.11.2026"),
        (
            "f => queueMicrotask(() => f.value = f.value.toLowerCase().replace(/\\W+/g, '-'))",
            "Hello World",
            "hello-world",
        ),
        (
            "f => { const wanted = f.value; f.value = 'old'; requestAnimationFrame(() => f.value = wanted) }",
            "later",
            "later",
        ),
        (
            "f => { const chip = document.createElement('b'); chip.textContent = f.value; chips.append(chip); f.value = '' }",
            "tag",
            "",
        ),
        (
            "f => { const next = f.cloneNode(); next.value = f.value; next.oninput = f.oninput; f.replaceWith(next) }",
            "replaced",
            "replaced",
        ),
        ("f => other.focus()", "handed on", "handed on"),
    ] {
        tab.js(&format!("rule = {rule}")).await;
        assert_eq!(holds(&tab, "#f", wanted).await, text(value), "{rule}");
        assert_eq!(tab.js("other.value").await, "", "{rule}");
    }
    assert_eq!(holds(&tab, "#p", "hunter2").await, text("filled"));
}

#[tokio::test]
async fn a_text_that_did_not_arrive_is_incomplete() {
    let tab =
        app("<input id=f value='old text' aria-label=Amount>", "f.oninput = () => { rule(f) }")
            .await;
    for (rule, wanted, message) in [
        (
            "f => f.value = 'old text'",
            "new",
            r#"the textbox kept its old text; element: textbox "Amount"; holds: old text"#,
        ),
        (
            "f => f.value = 'old text'",
            "old",
            r#"the textbox kept its old text; element: textbox "Amount"; holds: old text"#,
        ),
        (
            "f => f.value = f.value.slice(0, 5)",
            "longer text",
            r#"the textbox took only a part of the text; element: textbox "Amount"; holds: longe"#,
        ),
        (
            "f => f.value = f.value.replace(/\\D/g, '')",
            "12a3",
            r#"the textbox took only a part of the text; element: textbox "Amount"; holds: 123"#,
        ),
        (
            "f => f.value += f.value",
            "twice",
            r#"the textbox has the text twice; element: textbox "Amount"; holds: twicetwice"#,
        ),
        (
            "f => f.value = 'old text' + f.value",
            "new",
            r#"the textbox has old text beside the new one; element: textbox "Amount"; holds: old textnew"#,
        ),
        (
            "f => f.value = ''",
            "gone",
            r#"the textbox did not keep the text: it is empty; element: textbox "Amount""#,
        ),
        (
            "f => f.remove()",
            "removed",
            r#"the textbox left the page with the text; element: textbox "Amount""#,
        ),
    ] {
        tab.js(&format!(
            "rule = f => 0; document.body.prepend(f); f.value = 'old text'; rule = {rule}"
        ))
        .await;
        let output = refused(tab.fill("#f", wanted).await);
        assert_eq!(output, message, "{rule}");
    }
    let tab = app(
        "<input id=f maxlength=4><input id=p type=password>",
        "p.oninput = () => p.value = p.value.slice(0, 3)",
    )
    .await;
    assert_eq!(
        refused(tab.fill("#f", "12345").await),
        "the textbox took only a part of the text; holds: 1234"
    );
    let error = tab.fill("#p", "hunter2").await.unwrap_err();
    assert!(error.to_string().ends_with("took only a part of the text"), "{error}");
    assert!(error.page_texts().iter().all(|(_, text)| !text.contains("hun")), "{error:?}");
}

#[tokio::test]
async fn an_editor_that_does_not_take_a_text_says_what_it_holds() {
    for (script, message) in [
        // Read-only in effect.
        (
            "f.onbeforeinput = event => event.preventDefault()",
            ("kept its old text", "holds: old text"),
        ),
        // It puts the old text back a frame later.
        (
            "f.oninput = () => requestAnimationFrame(() => f.textContent = 'old text')",
            ("kept its old text", "holds: old text"),
        ),
        (
            "f.oninput = event => f.textContent += event.data",
            ("has the text twice", "holds: brave newbrave new"),
        ),
        (
            "f.oninput = event => f.textContent = event.data.slice(0, 5)",
            ("took only a part of the text", "holds: brave"),
        ),
        (
            "f.oninput = event => f.textContent += ' text'",
            ("has old text beside the new one", "holds: brave new text"),
        ),
    ] {
        let tab = app("<div id=f contenteditable>old text</div>", script).await;
        let output = refused(tab.engine.fill(&target("#f"), "brave new", in_seconds(5)).await);
        assert!(output.contains(message.0) && output.ends_with(message.1), "{output}");
    }
    // The focus is taken away as soon as it comes: nothing goes to the other field.
    let tab = app(
        "<div id=f contenteditable>old</div>",
        "f.onbeforeinput = () => other.focus(); f.onfocus = () => setTimeout(() => other.focus())",
    )
    .await;
    let (kind, _) = kind(tab.engine.fill(&target("#f"), "new", in_seconds(5)).await);
    assert_eq!(kind, RefusalKind::NotEditable);
    assert_eq!(tab.js("f.textContent + other.value").await, "old");
}

/// A textarea without a size, an editor that draws somewhere else, and Control+A of its own.
const STAND_IN: &str = "model = 'old text'; let all = false; const draw = () => drawn.textContent = model;
    put = text => { model = all ? text : model + text; all = false; draw() };
    f.onkeydown = event => { if (event.ctrlKey && event.key === 'a') all = true; if (event.key === 'End') all = false; if (event.key === 'Delete') put('') };
    f.oninput = () => { put(f.value); f.value = '' };
    f.oncopy = event => { event.clipboardData.setData('text/plain', all ? model : ''); event.preventDefault() }; draw();";

#[tokio::test]
async fn a_textarea_may_stand_for_an_editor() {
    let tab = app(
        "<div id=editor style='width:300px;height:60px;position:relative'><textarea id=f style='position:absolute;width:1px;height:1px;padding:0;border:0'></textarea><pre id=drawn></pre></div>",
        STAND_IN,
    )
    .await;
    let fill = async |target_text: &str, wanted: &str| {
        value(&tab.engine.fill(&target(target_text), wanted, in_seconds(5)).await.unwrap())
    };
    for (at, wanted) in [("#f", "new"), ("#editor", "other\nlines"), ("#f", "")] {
        assert_eq!(fill(at, wanted).await, text(wanted));
        assert_eq!(tab.js("model").await, wanted);
    }
    tab.engine.type_text("typed", in_seconds(5)).await.unwrap();
    assert_eq!(tab.js("model").await, "typed");
    tab.js("put = () => {}").await;
    refused(tab.engine.type_text("lost", in_seconds(5)).await);
}

#[tokio::test]
async fn an_edit_context_is_filled_and_typed_into() {
    let tab = app(
        "<div id=box style='width:300px;height:60px'><canvas id=f tabindex=0 width=300 height=50></canvas></div>",
        "context = new EditContext({text: 'old text'}); f.editContext = context; model = 'old text';
         context.ontextupdate = event => model = model.slice(0, event.updateRangeStart) + event.text + model.slice(event.updateRangeEnd)",
    )
    .await;
    let receipt = tab.engine.fill(&target("#f"), "new", in_seconds(5)).await.unwrap();
    assert_eq!((value(&receipt), tab.js("model").await), (text("new"), "new".into()));
    tab.engine.type_text(" words", in_seconds(5)).await.unwrap();
    assert_eq!(tab.js("model").await, "new words");
}

#[tokio::test]
async fn whole_documents_and_shadow_trees_are_editors_too() {
    let site = Site::start()
        .await
        .page("/", 
            "<iframe id=own srcdoc='<body contenteditable>old</body>'></iframe><iframe id=far src='http://localhost:{port}/framed'></iframe>\
             <iframe id=design srcdoc='old'></iframe><p id=open></p><p id=closed></p><div id=plain contenteditable=plaintext-only>old</div>\
             <script>onload = () => design.contentDocument.designMode = 'on';\
             for (const mode of ['open', 'closed']) { const root = document.getElementById(mode).attachShadow({mode});\
             root.innerHTML = '<div contenteditable role=textbox aria-label=' + mode + '>old</div>'; window[mode + 'Root'] = root }</script>",
        )
        .page("/framed", "<body contenteditable>old</body>");
    let tab = Tab::visit(site).await;
    for (line, read) in
        [("\"open\"", "openRoot.textContent"), ("\"closed\"", "closedRoot.textContent")]
    {
        let reference = tab.reference(line).await;
        assert_eq!(holds(&tab, &reference, "new").await, text("new"), "{line}");
        assert_eq!(tab.js(read).await, "new", "{line}");
    }
    assert_eq!(holds(&tab, "#plain", "a\nb").await, text("a\nb"));
    for frame in ["#own", "#far", "#design"] {
        let inner = tab.engine.frame_in_element(&target(frame)).await.unwrap();
        tab.engine.select_frame(Some(&inner));
        assert_eq!(holds(&tab, "body", "framed").await, text("framed"), "{frame}");
        tab.engine.type_text("!", in_seconds(2)).await.unwrap();
        assert_eq!(
            tab.engine.text(Some(&target("body"))).await.unwrap().trim(),
            "framed!",
            "{frame}"
        );
        tab.engine.select_frame(None);
    }
}

#[tokio::test]
async fn typed_text_must_be_in_the_field() {
    let tab =
        app("<input id=f value=old aria-label=Amount>", "f.oninput = () => { rule(f) }").await;
    let type_text = async |rule: &str, text: &str| {
        tab.js(&format!(
            "rule = f => 0; f.value = ''; document.body.prepend(f); f.focus(); rule = {rule}"
        ))
        .await;
        tab.engine.type_text(text, in_seconds(2)).await
    };
    for (rule, typed, value) in [
        ("f => f.value = f.value.toUpperCase()", "abc", "ABC"),
        (
            "f => f.value = f.value.replace(/\\D/g, '').replace(/(\\d{3})(?=\\d)/g, '$1 ')",
            "1234",
            "123 4",
        ),
    ] {
        assert_eq!(self::value(&type_text(rule, typed).await.unwrap()), text(value), "{rule}");
    }
    // A message that Enter sends, and boxes that pass the focus on.
    tab.js("f.onkeydown = event => { if (event.key === 'Enter') { const sent = document.createElement('p'); sent.textContent = f.value; document.body.append(sent); f.value = '' } }").await;
    assert_eq!(value(&type_text("f => 0", "hello\n").await.unwrap()), text(""));
    type_text("f => f.value.length === 1 && other.focus()", "12").await.unwrap();
    assert_eq!(tab.js("f.value + other.value").await, "12");
    for (rule, typed, message) in [
        (
            "f => f.value = ''",
            "abc",
            r#"the textbox did not keep the text: it is empty; element: textbox "Amount""#,
        ),
        (
            "f => f.value = f.value.slice(0, 2)",
            "abc",
            r#"the textbox took only a part of the text; element: textbox "Amount"; holds: ab"#,
        ),
        (
            "f => f.value = f.value.replace(/\\D/g, '')",
            "a1b",
            r#"the textbox does not hold the text; element: textbox "Amount"; holds: 1"#,
        ),
    ] {
        assert_eq!(refused(type_text(rule, typed).await), message, "{rule}");
    }
}

#[tokio::test]
async fn a_text_that_a_page_drops_later_is_news_once() {
    for (field, drop) in [
        ("<label>Note <input id=f></label>", "f.value = ''"),
        ("<div id=f contenteditable aria-label=Note></div>", "f.textContent = ''"),
    ] {
        let tab = app(
            &format!("{field}<button id=b>Next</button><button id=c>Save</button>"),
            &format!(
                "f.onblur = () => setTimeout(() => {{ {drop}; document.title = 'dropped' }}, 400)"
            ),
        )
        .await;
        holds(&tab, "#f", "14:30").await;
        let mut lines = tab.click("#b").await.unwrap().lines();
        tab.js("new Promise(done => { const look = () => document.title === 'dropped' ? done(1) : setTimeout(look, 5); look() })").await;
        for button in ["#c", "#b"] {
            lines.extend(tab.click(button).await.unwrap().lines());
        }
        let reported = lines.iter().filter(|line| line.contains("Note") && line.contains("empty"));
        assert_eq!(reported.count(), 1, "{field}: {lines:?}");
    }
}

#[tokio::test]
async fn words_that_become_chips_and_fields_around_drawings_are_filled() {
    let tab = app(
        "<div id=w><svg width=9 height=9></svg><input id=f></div><p id=chips></p>",
        "f.oninput = () => { const words = f.value.split(','); f.value = words.pop(); for (const word of words) { const chip = document.createElement('b'); chip.textContent = word; chips.append(chip) } }",
    )
    .await;
    assert_eq!(holds(&tab, "#w", "red,green,").await, text(""));
    assert_eq!(holds(&tab, "#w", "blue,gre").await, text("gre"));
    let svg = tab.fill("svg", "x").await.map(drop);
    assert_eq!(kind(svg).0, RefusalKind::NotEditable);
}

#[tokio::test]
async fn a_text_goes_nowhere_else_when_the_page_moves_the_focus() {
    for field in ["<input id=f>", "<textarea id=f></textarea>", "<div id=f contenteditable></div>"]
    {
        let tab = app(field, "f.addEventListener('beforeinput', () => other.focus())").await;
        let _ = tab.fill("#f", "secret").await;
        assert_eq!(tab.js("other.value").await, "", "{field}");
    }
}
