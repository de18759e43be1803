//! Text, links, facts, waiting, finding, scrolling.

use browse_server::engine::{Direction, Kind, Link, Predicate, Scroll, State};

use crate::fixture::{Tab, in_seconds, kind, target};
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
async fn links_are_absolute_and_once() {
    let tab = Tab::show("<a href=/a><img alt=''></a><a href=/a>A</a><a href='javascript:x'>no</a><a href='#top'>Top</a>").await;
    let links = tab.engine.links().await.unwrap();
    let expected = [("A", "/a"), ("Top", "/#top")]
        .map(|(text, path)| Link { text: text.into(), href: tab.site.url(path) });
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
        ("#off", State::Disabled, true),
        ("#off", State::Editable, false),
        ("#ro", State::Enabled, true),
        ("#ro", State::Editable, false),
        ("#on", State::Checked, true),
        ("#on", State::Focused, false),
        ("#gone", State::Visible, false),
        ("#none", State::Hidden, true),
    ] {
        assert_eq!(tab.engine.is(&target(id), state).await.unwrap(), expected, "{id} {state:?}");
    }
    assert_eq!(kind(tab.engine.is(&target("#none"), State::Enabled).await).0, Kind::NotFound);
    assert_eq!(kind(tab.engine.is(&target("#ro"), State::Checked).await).0, Kind::WrongKind);
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
        Kind::WaitTimeout
    );
}

#[tokio::test]
async fn finding_lines_with_refs() {
    let tab = Tab::show("<h1>Fruit</h1><button>Apple</button><button>Pear</button>").await;
    let found = tab.engine.find(&"apple".parse().unwrap(), 0).await.unwrap();
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
    scroll(Scroll::Into(target("#end"))).await;
    assert!(tab.engine.bounds(&target("#end")).await.unwrap().y < 720.0);
    assert_eq!(scroll(Scroll::Within(target("#box"), 30)).await.y, 30.0);
}
