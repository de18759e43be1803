//! What is reported of a document where a navigation ends, and what is known of its host.

use browse_policy::Scopes;
use browse_proto::{Scope, metadata, v1};
use prost::Message as _;

use crate::support::site::{Route, Site};
use crate::world::{World, by};

async fn title(world: &World, url: String) -> String {
    let request = world.root(v1::GotoRequest { url, wait: 0 });
    world.browser().goto(request).await.unwrap().into_inner().title
}

#[tokio::test(flavor = "multi_thread")]
async fn the_title_is_that_of_the_document() {
    let long = "long ".repeat(2_000);
    let long_page = format!("<title>{long}</title>");
    // The browser calls a page without a title by its address, and cuts a long one.
    let table = [
        ("<title>Plain</title>", "Plain"),
        ("<title>{site}</title>", "{site}"),
        ("<title>http://{site}/</title>", "http://{site}/"),
        ("none", ""),
        ("<title></title>empty", ""),
        ("<title>first</title><script>document.title = 'second'</script>", "second"),
        (
            "<script>addEventListener('DOMContentLoaded', () => document.title = 'parsed')</script>",
            "parsed",
        ),
        (
            "<title>a</title><script>addEventListener('load', () => document.title = 'loaded')</script>",
            "loaded",
        ),
        ("<title>gone</title><script>document.title = ''</script>", ""),
        ("<title>{site} - a shop</title>", "{site} - a shop"),
        (&long_page, long.trim_end()),
    ];
    let world = World::with_browser().await;
    let site = Site::start().await;
    let host = site.url("").trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut site = site;
    for (number, (html, _)) in table.iter().enumerate() {
        site = site.page(&format!("/{number}"), &html.replace("{site}", &host));
    }
    // At the root the address is the title that the browser makes up.
    site = site.page("/", &format!("<title>{host}</title>"));
    for (number, (html, expected)) in table.iter().enumerate() {
        let found = title(&world, site.url(&format!("/{number}"))).await;
        assert_eq!(found, expected.replace("{site}", &host), "{:.80}", html);
    }
    assert_eq!(title(&world, site.url("/")).await, host);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_browser_makes_up_is_no_title() {
    let text = Route::Raw(200, vec!["Content-Type: text/plain".to_owned()], b"text".to_vec());
    let site = Site::start()
        .await
        .page("/none", "none")
        .route("/text", text.clone())
        .route("/text?q=%C3%BC%20x", text)
        .page("/spa", "<title>A</title>");
    let world = World::with_browser().await;
    for path in ["/none", "/none#%C3%BC", "/text", "/text?q=%C3%BC%20x"] {
        assert_eq!(title(&world, site.url(path)).await, "", "{path}");
    }
    // Each entry of the history has the title that it was left with.
    assert_eq!(title(&world, site.url("/spa")).await, "A");
    let script = "(history.pushState(0, 0, '/spa2'), document.title = 'B')";
    let request = v1::JsRequest { expression: script.to_owned() };
    world.browser().js(world.root(request)).await.unwrap();
    let back = world.browser().back(world.root(v1::BackRequest { wait: 0 })).await;
    assert_eq!(back.unwrap().into_inner().title, "B");
}

/// Writes a skill for one host, in the place for all projects.
fn write_skill(world: &World, name: &str, host: &str) {
    let folder = world.daemon.settings().home.join("skills").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!("---\nname: {name}\ndescription: Reads it.\nhost: {host}\n---\n");
    std::fs::write(folder.join("SKILL.md"), text).unwrap();
    std::fs::write(folder.join("script.py"), "").unwrap();
}

/// What an answer names beside itself.
fn named<T>(answer: &tonic::Response<T>) -> Vec<String> {
    let notice = answer.metadata().get(metadata::NOTICE).map(|value| value.to_str().unwrap());
    let notice = notice.unwrap_or_default();
    let text = percent_encoding::percent_decode_str(notice).decode_utf8_lossy().into_owned();
    let skills = text.split("; ").filter(|part| part.contains("browse skill run"));
    skills.map(str::to_owned).collect()
}

fn ids(skills: &[v1::SuggestedSkill]) -> Vec<&str> {
    skills.iter().map(|skill| &*skill.id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_that_arrives_at_another_host_names_what_fits() {
    let world = World::with_browser().await;
    write_skill(&world, "one", "127.0.0.1");
    write_skill(&world, "two", "localhost");
    let site = Site::start().await;
    let (one, two) = (site.url("/"), site.url_on("localhost", "/"));
    let site = site
        .page("/", &format!("<title>a</title><a id=go href='{}'>go</a>", two.clone() + "two"))
        .page("/two", "<title>b</title><p>text</p>")
        .page("/moves", "<title>m</title>")
        .redirect("/away", &(two.clone() + "two"));
    let goto = |url: &str| v1::GotoRequest { url: url.to_owned(), wait: 0 };
    let mut browser = world.browser();
    let line = |name: &str| vec![format!("`browse skill run {name}` fits this host (global)")];

    // Where the answer has a place for them, no notice repeats it.
    let answer = browser.goto(world.root(goto(&one))).await.unwrap();
    assert_eq!((ids(&answer.get_ref().suggested_skills), named(&answer)), (vec!["one"], vec![]));
    let answer = browser.goto(world.root(goto(&(one.clone() + "moves")))).await.unwrap();
    assert!(answer.get_ref().suggested_skills.is_empty(), "a further page of the host");
    browser.goto(world.root(goto(&one))).await.unwrap();

    // A click, and what reads next when the click did not wait.
    let click = v1::ClickRequest { target: "#go".to_owned(), ..Default::default() };
    let answer = browser.click(world.root(click)).await.unwrap();
    let mut found = named(&answer);
    world.wait_for_url(&(two.clone() + "two")).await;
    let read = browser.text(world.root(v1::TextRequest::default())).await.unwrap();
    found.extend(named(&read));
    assert_eq!(found, line("two"), "once, by the click or by `text`");

    let answer = browser.back(world.root(v1::BackRequest { wait: 0 })).await.unwrap();
    assert_eq!(named(&answer), line("one"));
    let answer = browser.forward(world.root(v1::ForwardRequest { wait: 0 })).await.unwrap();
    assert_eq!(named(&answer), line("two"));
    let answer = browser.reload(world.root(v1::ReloadRequest { wait: 0 })).await.unwrap();
    assert!(named(&answer).is_empty(), "the same host");

    // A reload that leads to another host.
    browser.goto(world.root(goto(&(one.clone() + "moves")))).await.unwrap();
    site.set("/moves", Route::Raw(302, vec![format!("Location: {two}two")], Vec::new()));
    let answer = browser.reload(world.root(v1::ReloadRequest { wait: 0 })).await.unwrap();
    assert_eq!(named(&answer), line("two"));

    // The script of a page, and what reads next: text and markdown.
    for markdown in [false, true] {
        browser.goto(world.root(goto(&one))).await.unwrap();
        let script = format!("void setTimeout(() => location = '{two}two', 50)");
        let js = browser.js(world.root(v1::JsRequest { expression: script })).await.unwrap();
        world.wait_for_url(&(two.clone() + "two")).await;
        let mut found = named(&js);
        found.extend(match markdown {
            true => named(&browser.markdown(world.root(Default::default())).await.unwrap()),
            false => named(&browser.text(world.root(Default::default())).await.unwrap()),
        });
        assert_eq!(found, line("two"), "markdown: {markdown}");
    }

    // A new tab names it in its answer; a host that another tab shows is known.
    let new_tab = |url: &str| v1::NewTabRequest { url: Some(url.to_owned()) };
    let answer = browser.new_tab(world.root(new_tab(&one))).await.unwrap();
    assert_eq!(ids(&answer.get_ref().suggested_skills), ["one"]);
    let answer = browser.new_tab(world.root(new_tab(&two))).await.unwrap();
    assert!(answer.get_ref().suggested_skills.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_of_a_chain_name_what_fits() {
    let world = World::with_browser().await;
    write_skill(&world, "one", "127.0.0.1");
    let site = Site::start().await.page("/", "<title>a</title>");
    let step = |name: &str, value: Vec<u8>| {
        let full = browse_proto::Command::by_name(name).unwrap().request.full_name;
        let type_url = format!("type.googleapis.com/{full}");
        v1::Step { tab: None, request: Some(prost_types::Any { type_url, value }) }
    };
    let goto = v1::GotoRequest { url: site.url("/"), wait: 0 };
    let steps = vec![step("goto", goto.encode_to_vec()), step("text", Vec::new())];
    let answer = world.browser().chain(world.root(v1::ChainRequest { steps })).await.unwrap();
    assert_eq!(named(&answer), ["goto: `browse skill run one` fits this host (global)"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_run_them_is_not_given_their_names() {
    let world = World::with_browser().await;
    write_skill(&world, "one", "127.0.0.1");
    let site = Site::start().await.page("/", "<title>a</title>");
    let token = world.mint("ada", Scopes::of(&[Scope::Read, Scope::Write]));
    let goto = v1::GotoRequest { url: site.url("/"), wait: 0 };
    let answer = world.browser().goto(by(token.token(), goto)).await.unwrap();
    assert!(answer.get_ref().suggested_skills.is_empty() && named(&answer).is_empty());
    let text = by(token.token(), v1::TextRequest::default());
    assert!(named(&world.browser().text(text).await.unwrap()).is_empty());
}
