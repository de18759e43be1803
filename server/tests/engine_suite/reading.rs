//! Text, links, facts, waiting, finding, scrolling.

use browse_engine::{
    Direction, ElementStateKind, MediaKind, PageLink, Predicate, RefusalKind, Scroll,
};

use crate::fixture::{Tab, in_seconds, kind, target};
use crate::support::browser::soon;
use crate::support::site::Site;

#[tokio::test]
async fn text_is_what_a_person_reads() {
    let tab = Tab::show(
        "<nav>Menu</nav><main><h1>Title</h1><p>One <b>bold</b>\n word.</p><p hidden>no</p><ul><li>a<li>b</ul>\
         <pre>x\n  y</pre><table><tr><td>1<td>2</table><script>no</script><div style='visibility:hidden'>no</div></main><footer>Foot</footer>",
    )
    .await;
    assert_eq!(
        tab.engine.text(None).await.unwrap(),
        "Title\n\nOne bold word.\n\na\nb\nx\n  y\n1 | 2"
    );
    assert_eq!(tab.engine.text(Some(&target("nav"))).await.unwrap(), "Menu");
}

#[tokio::test]
async fn text_holds_buttons_fields_frames_and_shadow_trees() {
    let site = Site::start().await.page("/in", "<p>In a frame</p><nav>Menu</nav>").page(
        "/",
        "<main><p>Total <button>Pay</button> <input type=submit value=Go> <input value=Ada> <input type=password value=secret> \
         <input autocomplete=one-time-code value=123456> <select><option>One<option selected>Two</select></p>\
         <div role=toolbar><button>Bold</button></div><ul><li>- <span hidden>x</span><li>•</ul>\
         <iframe src=/in></iframe><iframe src='http://localhost:{port}/in' style='display:none'></iframe>\
         <x-box>slotted</x-box><div id=host></div><details><summary>More</summary>Closed</details></main>\
         <script>document.querySelector('x-box').attachShadow({mode:'open'}).innerHTML = '<p>Before <b><slot></slot></b></p>';\
         host.attachShadow({mode:'closed'}).innerHTML = '<p>Closed root</p>'</script>",
    );
    let tab = Tab::visit(site).await;
    assert_eq!(
        tab.engine.text(None).await.unwrap(),
        "Total Pay Go Ada Two\n\nBold\n\nIn a frame\n\nBefore slotted\n\nClosed root\n\nMore"
    );
    let whole = tab.engine.text(Some(&target("main"))).await.unwrap();
    assert!(whole.contains("In a frame\n\nMenu"), "{whole}");
}

#[tokio::test]
async fn neighbouring_fields_do_not_read_as_one_word() {
    let tab = Tab::show(
        "<p>Mail<input value=1><button>Buy</button><button>Try</button><select><option>Red</select>now</p>\
         <p>(<input value=5>), <input value=6>%</p>",
    )
    .await;
    assert_eq!(tab.engine.text(None).await.unwrap(), "Mail 1 Buy Try Red now\n\n(5), 6%");
}

#[tokio::test]
async fn text_leaves_out_what_frames_the_page() {
    let tab = Tab::show(
        "<div class='page cookie-consent-open'><header>Site</header><div id=cookie-banner>We use cookies</div><aside>Ads</aside>\
         <article><h1>Title</h1><p>Words</p><footer>By Ada</footer></article><div role=menu>Open menu</div></div><footer>Imprint</footer>",
    )
    .await;
    let text = tab.engine.text(None).await.unwrap();
    assert_eq!(text, "Site\n\nTitle\n\nWords\n\nBy Ada\n\nOpen menu");
    tab.goto_html("<nav>Only a menu</nav>").await;
    assert_eq!(tab.engine.text(None).await.unwrap(), "Only a menu");
}

#[tokio::test]
async fn code_keeps_its_dashes_and_pages_cannot_forge_marks() {
    let tab = Tab::show("<pre>o  5\n|\n-\n x</pre><p>\u{fdd0}1\u{fdd1}end\u{e000}</p>").await;
    assert_eq!(tab.engine.text(None).await.unwrap(), "o  5\n|\n-\n x\n\n1end");
}

#[tokio::test]
async fn forms_hold_fields_of_frames_and_shadow_trees_but_no_secrets() {
    let site = Site::start().await.page("/pay", "<form action=/charge><input autocomplete=cc-number name=card value=4111111111111111></form>").page(
        "/",
        "<form id=f action=/go method=post><fieldset><legend>Size</legend><label><input type=radio name=s value=s checked>Small</label></fieldset>\
         <input type=hidden name=csrf value=key><input type=password name=p value=hunter2><input name=code autocomplete=one-time-code value=123456>\
         <x-field></x-field></form><input form=f aria-label=Far required><div role=checkbox aria-checked=true aria-label=News tabindex=0></div>\
         <iframe name=pay src='http://localhost:{port}/pay'></iframe>\
         <script>document.querySelector('x-field').attachShadow({mode:'closed'}).innerHTML = '<input aria-label=Inner value=deep>'</script>",
    );
    let tab = Tab::visit(site).await;
    let frames = tab.engine.forms().await.unwrap();
    let form = &frames[0].forms[0];
    let labels: Vec<_> =
        form.fields.iter().map(|field| (field.kind.as_str(), field.label.as_str())).collect();
    assert_eq!(
        labels,
        [("radio", "Small"), ("password", ""), ("text", ""), ("text", "Inner"), ("text", "Far")]
    );
    assert_eq!((form.method.as_str(), form.action.clone()), ("post", tab.site.url("/go")));
    assert_eq!((form.fields[0].group.as_str(), form.fields[0].checked), ("Size", Some(true)));
    assert_eq!(
        (frames[0].formless_fields[0].kind.as_str(), frames[0].formless_fields[0].checked),
        ("checkbox", Some(true))
    );
    assert_eq!((frames[1].frame.as_str(), frames[1].forms[0].fields[0].secret), ("pay", true));
    let reported = format!("{frames:?}");
    assert!(
        ["hunter2", "123456", "4111111", "key"].iter().all(|secret| !reported.contains(secret)),
        "{reported}"
    );
    let inner = form.fields[3].reference.unwrap().to_string();
    tab.fill(&inner, "new").await.unwrap();
    assert_eq!(tab.engine.value(&target(&inner)).await.unwrap(), "new");
}

#[tokio::test]
async fn markdown_is_the_content_and_nothing_that_is_hidden() {
    let tab = Tab::show(
        "<title>T</title><nav><a href=/a>Menu</a></nav><main><h1>Head <a href=#h>#</a></h1><p>One *star* <em>two</em> <a href=/x>link</a><br>next</p>\
         <p style='position:absolute;left:-9999px'>gone</p><p style=opacity:0>gone</p><span hidden>gone</span><p>1. no list</p>\
         <ol start=3><li>c<ul><li>d</ul><li>e</ol><pre class='language-rust'>fn x() {\n  `y`\n}</pre><blockquote><p>said</p></blockquote>\
         <table><tr><th>a<th>b<tr><td>1|2<td>x <b>y</b></table><img alt=Pic src=/p.png><img src=/q.png></main><footer>Foot</footer>",
    )
    .await;
    let expected = "# Head\n\nOne \\*star\\* *two* [link](URL/x)\\\nnext\n\n1\\. no list\n\n3. c\n   - d\n4. e\n\n```rust\nfn x() {\n  `y`\n}\n```\n\n> said\n\n\
        | a | b |\n| --- | --- |\n| 1\\|2 | x **y** |\n\n![Pic](URL/p.png)";
    let origin = tab.site.url("");
    assert_eq!(
        tab.engine.markdown(None).await.unwrap(),
        expected.replace("URL", origin.trim_end_matches('/'))
    );
    assert_eq!(
        tab.engine.markdown(Some(&target("nav"))).await.unwrap(),
        format!("[Menu]({})", tab.site.url("/a"))
    );
}

#[tokio::test]
async fn media_and_data_of_a_page() {
    let tab = Tab::show(
        "<title>T</title><meta name=csrf-token content=key><meta property=og:image content=/i.png><script type=application/ld+json>{bad</script>\
         <img src=/a.png alt=A><img src=/a.png><img src='data:,' data-src=/lazy.png><div style='background-image:url(/b.png);height:9px'></div>\
         <video poster=/p.png><source src=/v.mp4 type=video/mp4></video><audio src=/s.mp3></audio>",
    )
    .await;
    let kinds = [MediaKind::Image, MediaKind::Video, MediaKind::Audio];
    let media = tab.engine.media(&kinds, None).await.unwrap();
    let found: Vec<_> = media.iter().map(|m| (m.kind.as_str(), m.url.clone())).collect();
    let expected = [
        ("image", "/a.png"),
        ("image", "/lazy.png"),
        ("image", "/b.png"),
        ("video", "/v.mp4"),
        ("image", "/p.png"),
        ("audio", "/s.mp3"),
    ];
    assert_eq!(found, expected.map(|(kind, path)| (kind, tab.site.url(path))));
    assert_eq!(tab.engine.media(&[MediaKind::Audio], Some(&target("video"))).await.unwrap(), []);
    let data = tab.engine.structured_data().await.unwrap();
    assert_eq!(data.meta, [("title".into(), "T".into()), ("csrf-token".into(), String::new())]);
    assert_eq!(data.og, [("og:image".into(), "/i.png".into())]);
    assert_eq!((data.jsonld.len(), data.problems.len()), (0, 1));
}

#[tokio::test]
async fn links_are_absolute_and_once() {
    let tab = Tab::show("<a href=/a><img alt=''></a><a href=/a>A</a><a href='javascript:x'>no</a><a href='#top'>Top</a>").await;
    let links = tab.engine.links().await.unwrap();
    let expected = [("A", "/a"), ("Top", "/#top")]
        .map(|(text, path)| PageLink { text: text.into(), href: tab.site.url(path) });
    assert_eq!(links, expected);
}

#[tokio::test]
async fn html_attributes_and_values() {
    let tab = Tab::show("<!doctype html><div id=d data-x=1><b>x</b></div><input type=password value=secret id=p><input id=v value=w>").await;
    assert_eq!(tab.engine.html(Some(&target("#d"))).await.unwrap(), "<b>x</b>");
    assert!(tab.engine.html(None).await.unwrap().starts_with("<!DOCTYPE html>\n<html>"));
    assert_eq!(
        tab.engine.attrs(&target("#d")).await.unwrap(),
        [("id".into(), "d".into()), ("data-x".into(), "1".into())]
    );
    assert_eq!(tab.engine.value(&target("#v")).await.unwrap(), "w");
    assert_eq!(tab.engine.value(&target("#p")).await.unwrap(), "");
    assert!(!tab.tree().await.contains("secret"));
}

#[tokio::test]
async fn states() {
    let tab = Tab::show("<fieldset disabled><input id=off></fieldset><input id=ro readonly><input id=on type=checkbox checked><button id=gone hidden>x</button>").await;
    for (id, state, expected) in [
        ("#off", ElementStateKind::Disabled, true),
        ("#off", ElementStateKind::Editable, false),
        ("#ro", ElementStateKind::Enabled, true),
        ("#ro", ElementStateKind::Editable, false),
        ("#on", ElementStateKind::Checked, true),
        ("#on", ElementStateKind::Focused, false),
        ("#gone", ElementStateKind::Visible, false),
        ("#none", ElementStateKind::Hidden, true),
    ] {
        assert_eq!(
            tab.engine.has_state(&target(id), state).await.unwrap(),
            expected,
            "{id} {state:?}"
        );
    }
    assert_eq!(
        kind(tab.engine.has_state(&target("#none"), ElementStateKind::Enabled).await).0,
        RefusalKind::NotFound
    );
    assert_eq!(
        kind(tab.engine.has_state(&target("#ro"), ElementStateKind::Checked).await).0,
        RefusalKind::WrongKind
    );
}

#[tokio::test]
async fn waiting_ends_when_it_holds_and_when_time_is_over() {
    let tab = Tab::show("<p id=p>Loading</p><script>setTimeout(() => { p.remove(); document.body.append('Done'); document.body.insertAdjacentHTML('beforeend', '<b id=b>x</b>') }, 150)</script>").await;
    let wait = async |predicate| tab.engine.wait(&predicate, in_seconds(5)).await;
    wait(Predicate::Visible(target("#b"))).await.unwrap();
    wait(Predicate::Hidden(target("#p"))).await.unwrap();
    wait(Predicate::Text("done".into())).await.unwrap();
    let soon = tokio::time::Instant::now() + std::time::Duration::from_millis(60);
    assert_eq!(
        kind(tab.engine.wait(&Predicate::Visible(target("#never")), soon).await).0,
        RefusalKind::WaitTimeout
    );
}

#[tokio::test]
async fn finding_lines_with_refs() {
    let tab = Tab::show("<h1>Fruit</h1><button>Apple</button><button>Pear</button>").await;
    let found = tab.engine.find(&"apple".parse().unwrap(), 0, false).await.unwrap();
    assert_eq!((found.text.as_str(), found.count), ("@e2 button \"Apple\"", 1));
}

#[tokio::test]
async fn scrolling() {
    let tab = Tab::show("<div style='height:5000px'></div><button id=end>End</button><div id=box style='height:50px;overflow:auto'><p style='height:500px'>x</p></div>").await;
    let scroll = async |scroll| tab.engine.scroll(&scroll, in_seconds(5)).await.unwrap();
    assert_eq!(scroll(Scroll::Toward(Direction::Down, Some(120))).await.y, 120.0);
    assert!(scroll(Scroll::Bottom).await.y > 4000.0);
    assert!(!scroll(Scroll::Bottom).await.moved);
    assert!(scroll(Scroll::Toward(Direction::Up, None)).await.moved);
    scroll(Scroll::IntoView(target("#end"))).await;
    assert!(tab.engine.bounds(&target("#end")).await.unwrap().y < 720.0);
    assert_eq!(scroll(Scroll::Within(target("#box"), 30)).await.y, 30.0);
}

#[tokio::test]
async fn markup_and_attributes_hold_no_secrets() {
    let site = Site::start().await.page(
        "/",
        "<form><input type=password value='hunter\"2'><input name=cardNumber value=4111-22><input name=otp value=halibut>\
         <textarea id=seed-phrase>witch collapse</textarea><input name=zipcode value=94103><input name=pinned value=yes>\
         <input id=shown type=password value=toggled><input type=hidden name=user[password] value=deep></form><p>caf\u{e9} \u{1f517}</p><x-box></x-box>\
         <script>document.querySelector('x-box').attachShadow({mode:'open'}).innerHTML = '<input type=password value=inner>'</script>",
    );
    let tab = Tab::visit(site).await;
    // Nothing was asked of this document yet: its markup comes without the engine.
    let first = tab.engine.html(None).await.unwrap();
    tab.js("document.querySelector('#shown').type = 'text'").await;
    let bare = tab.engine.html(None).await.unwrap();
    assert!(!tab.engine.is_preinjected());
    tab.engine.schedule_preinject();
    let prepared = async {
        while !tab.engine.is_preinjected() {
            tab.js("0").await;
        }
    };
    soon(prepared).await;
    tab.tree().await;
    let whole = tab.engine.html(None).await.unwrap();
    assert_eq!(whole, bare);
    assert_eq!(
        whole,
        first.replacen("id=\"shown\" type=\"password\"", "id=\"shown\" type=\"text\"", 1)
    );
    let form = tab.engine.html(Some(&target("form"))).await.unwrap();
    let held = format!("{:?}", tab.engine.secrets().await.unwrap());
    let forms = format!("{:?}", tab.engine.forms().await.unwrap());
    let tree = tab.tree().await;
    for secret in ["hunter", "4111-", "halibut", "collapse", "toggled", "deep"] {
        assert!(held.contains(secret), "{secret}: {held}");
        for shown in [&whole, &form, &forms, &tree] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
    }
    assert!(held.contains("inner"), "{held}");
    assert!(whole.contains("value=\"94103\"") && whole.contains("value=\"yes\""), "{whole}");
    assert!(whole.contains("<input name=\"otp\" value=\"[redacted]\">"), "{whole}");
    assert!(whole.contains(">[redacted]</textarea>"), "{whole}");
    assert_eq!(tab.engine.html(Some(&target("textarea"))).await.unwrap(), "[redacted]");
    assert!(forms.contains("94103"), "{forms}");
}
