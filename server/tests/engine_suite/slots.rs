//! Closed shadow trees that show children of their host: nothing in the document
//! tells of them.

use browse_server::engine::SnapshotOptions;

use crate::fixture::Tab;

/// What a closed tree does to a child or the text of its host, and by which means.
const TREES: &[(&str, &str, &str)] = &[
    ("<style>::slotted(p){opacity:0}</style><slot></slot>", "<p>secret</p>", "opacity"),
    ("<style>:host{opacity:0}</style><slot></slot>", "<p>secret</p>", "opacity"),
    ("<div style='opacity:0'><slot></slot></div>", "<p>secret</p>", "opacity"),
    ("<div style='height:0;overflow:hidden'><slot></slot></div>", "<p>secret</p>", "size"),
    ("<style>:host{background:black}</style><slot></slot>", "<p>secret</p>", "colour"),
    ("<i style='background:black'><slot></slot></i>", "<b>secret</b>", "colour"),
    ("<i style='color:white'><slot></slot></i>", "secret", "colour"),
    ("<i style='font-size:0'><slot></slot></i>", "secret", "font"),
    ("<i style='display:none'><slot></slot></i>", "secret", ""),
    ("<slot name=other></slot>", "<p>secret</p>", ""),
];

/// Longer than a label: a note is given of such a part only.
const LONG: &str = "secret words that are more than the label of any control";

async fn check(tab: &Tab, means: &str, of: &str) {
    let options = SnapshotOptions { visible_only: true, ..SnapshotOptions::default() };
    let text = tab.engine.read_text(None, true).await.unwrap();
    let markdown = tab.engine.read_markdown(None, true).await.unwrap();
    let tree = tab.snapshot(&options).await;
    for (read, unseen) in [
        (&text.text, &text.hidden_parts),
        (&markdown.text, &markdown.hidden_parts),
        (&tree.text, &tree.hidden_parts),
    ] {
        assert!(!read.contains("secret") && read.contains("seen"), "{of}: {read}");
        assert_eq!(unseen.contains_key(means), !means.is_empty(), "{of}: {unseen:?}");
    }
}

#[tokio::test]
async fn what_a_closed_tree_does_to_children_of_its_host_counts() {
    let tab = Tab::show("").await;
    for (tree, children, means) in TREES {
        let html = format!(
            "<p>seen</p><div><template shadowrootmode=closed>{tree}</template>{children}</div>"
        );
        let html = html.replace("secret", LONG);
        tab.goto_html(&html).await;
        check(&tab, means, &html).await;
    }
}

#[tokio::test]
async fn closed_trees_in_frames_and_in_each_other_are_found() {
    let sealed = "<div><template shadowrootmode=closed><i style=opacity:0><slot></slot></i></template>secret</div>";
    let framed = format!("<p>seen</p><iframe srcdoc=\"{sealed}<p>in\"></iframe>");
    let nested = format!(
        "<section><template shadowrootmode=closed><p>seen</p>{sealed}<slot></slot></template>also</section>"
    );
    let tab = Tab::show("").await;
    for html in [framed, nested] {
        let html = html.replace("secret", LONG);
        tab.goto_html(&html).await;
        check(&tab, "opacity", &html).await;
    }
}

#[tokio::test]
async fn slots_are_found_whatever_they_are_called_and_however_they_are_filled() {
    for (script, means) in [
        (
            "const root = h.attachShadow({mode: 'closed'}); root.innerHTML = '<div style=\"opacity:0\"></div>';\
             root.firstChild.append(document.createElementNS('http://www.w3.org/1999/xhtml', 'x:slot'))",
            "",
        ),
        (
            "const root = h.attachShadow({mode: 'open', slotAssignment: 'manual'});\
             root.innerHTML = '<slot></slot><div style=\"color:#fff\"><slot></slot></div>';\
             const [one, other] = root.querySelectorAll('slot'); h.prepend('seen', document.createComment(''));\
             one.assign(h.childNodes[0]); other.assign(h.childNodes[2])",
            "colour",
        ),
        (
            "h.attachShadow({mode: 'open'}).innerHTML = '<div style=\"position:relative;background:#000\">\
             <div style=\"background:#fff;color:#fff\"><slot></slot></div></div>'",
            "colour",
        ),
    ] {
        let html = format!("<p>seen</p><div id=h>{LONG}</div><script>{script}</script>");
        let tab = Tab::show(&html).await;
        let reading = tab.engine.read_text(None, true).await.unwrap();
        assert!(!reading.text.contains("secret"), "{html}: {}", reading.text);
        assert!(
            means.is_empty() || reading.hidden_parts.contains_key(means),
            "{:?}",
            reading.hidden_parts
        );
    }
}

const EXCESS: &str = "excess (shown)";

#[tokio::test]
async fn trees_in_trees_end_no_tab_and_no_reading() {
    for mode in ["open", "closed"] {
        let nested = format!(
            "<div id=c></div><script>let n = c; for (let i = 0; i < 200; i++) {{\
             const d = document.createElement('div');\
             d.attachShadow({{mode: '{mode}'}}).innerHTML = '<slot></slot>'; n.append(d); n = d }}\
             n.textContent = 'seen'</script>"
        );
        let tab = Tab::show(&nested).await;
        assert_eq!(tab.engine.read_text(None, true).await.unwrap().text, "seen");
    }
    // A closed tree more with every look.
    let endless = "<p>seen</p><div id=c></div><script>customElements.define('x-a', class extends HTMLElement {\
        constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = '<p>inner</p>' } });\
        const m = new MessageChannel(); m.port1.onmessage = () => {\
        c.replaceChildren(document.createElement('x-a')); m.port2.postMessage(0) }; m.port2.postMessage(0)</script>";
    let tab = Tab::show(endless).await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert!(reading.text.contains("seen"));
    assert!(reading.hidden_parts.contains_key(EXCESS), "{:?}", reading.hidden_parts);
}

#[tokio::test]
async fn who_speaks_of_slots_is_not_told_of_and_hides_nothing() {
    let comments = "<!--<slot>-->".repeat(400);
    let html = format!(
        "<p title='<slot>'>seen</p>{comments}<div><template shadowrootmode=closed>\
         <i style=opacity:0><slot></slot></i></template>{LONG}</div>"
    );
    let tab = Tab::show(&html).await;
    check(&tab, "opacity", &html).await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert!(!reading.hidden_parts.contains_key(EXCESS), "{:?}", reading.hidden_parts);
}

#[tokio::test]
async fn a_page_with_more_hosts_than_are_asked_is_told_of() {
    let html = format!("<p>seen</p><slot></slot>{}", "<p>one</p>".repeat(5_000));
    let tab = Tab::show(&html).await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert!(reading.hidden_parts.contains_key(EXCESS), "{:?}", reading.hidden_parts);
}

#[tokio::test]
async fn what_a_tree_gives_a_ground_to_later_is_read() {
    let html = "<style>p{color:black}</style><p>seen</p><div><b style='color:white'>told</b></div>";
    let tab = Tab::show(html).await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert_eq!(reading.text, "seen");
    tab.js("document.querySelector('div').attachShadow({mode: 'closed'}).innerHTML = \
         '<style>:host{background:#024}</style><slot></slot>'")
        .await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert_eq!(reading.text, "seen\n\ntold");
}

#[tokio::test]
async fn a_ground_counts_whatever_it_comes_of() {
    for html in [
        "<style>.g:hover,.g:not(:hover){background-image:linear-gradient(#246,#246)}</style><div class=g>WORD</div>",
        "<style>@keyframes g{to{background:#246}}.g{animation:g 1ms both}</style><div class=g>WORD</div>",
        "<div class=g id=g>WORD</div><script>g.animate({background: ['#246', '#246']}, {duration: 1, fill: 'both'})</script>",
        "<div id=g>WORD</div><script>g.attributeStyleMap.set('background-color', '#246')</script>",
        "<table bgcolor=#224466><tr><td>WORD</table>",
        "<mark style='background-color:revert;color:yellow'>secret</mark>",
        "<div><template shadowrootmode=open><style>:host{background:#246}</style><slot></slot></template>WORD</div>",
        "<div><template shadowrootmode=open><style>::slotted(p){background:#246}</style><slot></slot></template><p>WORD</p></div>",
        "<math><mrow mathbackground=#224466><mtext mathcolor=#224466>secret</mtext></mrow></math>",
        "<style>@layer a{@media all{.g{& p{background:#246}}}}</style><div class=g><p>WORD</p></div>",
        "<div id=g>WORD</div><script>const s=new CSSStyleSheet();s.replaceSync('#g{background:#246}');document.adoptedStyleSheets=[s]</script>",
        "<style>:root{--g:#246}.g{background:var(--g)}</style><div class=g>WORD</div>",
    ] {
        let html = html.replace("WORD", "<b style='color:#246'>secret</b>").replace("secret", LONG);
        let tab = Tab::show(&format!("<p style='background:white'>seen</p>{html}")).await;
        // An animation of a millisecond may be read before it has run, and then the word can be seen.
        tab.js("for (const animation of document.getAnimations()) animation.finish()").await;
        check(&tab, "colour", &html).await;
    }
}
