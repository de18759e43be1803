//! Questions of pages: held for the caller, and in nobody's way.

use std::time::{Duration, Instant};

use browse_policy::Scopes;
use browse_proto::{Command, metadata, v1};
use prost::Message;
use prost_types::Any;
use tonic::{Response, Status};

use crate::process::reason;
use crate::support::site::Site;
use crate::world::{World, by, within};

/// Asks twice, and tells in the title what it was answered.
const PAGE: &str = "<title>start</title><button id=ask onclick=\"document.title = confirm('Delete it?')\">Ask</button>\
    <button id=two onclick=\"document.title = [confirm('One?'), prompt('Two?', 'dflt')]\">Two</button>\
    <button id=soon onclick=\"setTimeout(() => document.title = confirm('Later?'), 50)\">Soon</button>\
    <button id=hi onclick=\"alert('Hello')\">Alert</button>\
    <button id=go onclick=\"if (confirm('Go?')) location.href = '/next'\">Go</button>\
    <button id=pop onclick=\"window.open('/pop')\">Pop</button><a id=next href=/next>Next</a>";

/// What takes longer was not answered at once.
const AT_ONCE: Duration = Duration::from_secs(5);

struct Stage {
    world: World,
    site: Site,
}

impl Stage {
    async fn new() -> Self {
        Self::with(World::with_browser().await).await
    }

    async fn with(world: World) -> Self {
        let site = Site::start()
            .await
            .page("/", PAGE)
            .page("/next", "<title>next</title>")
            .page("/pop", "<title>pop</title><button onclick=\"opener.document.title = opener.confirm('From the popup?')\">Ask</button>")
            .page("/loading", "<title>loading</title><script>confirm('Are you sure?')</script>")
            .page("/dirty", "<title>dirty</title><button>B</button><a href=/next>N</a><script>onbeforeunload = (event) => event.preventDefault()</script>");
        let stage = Self { world, site };
        stage.goto("/").await.unwrap();
        stage
    }

    async fn goto(&self, path: &str) -> Result<Response<v1::GotoResponse>, Status> {
        let request = v1::GotoRequest { url: self.site.url(path), wait: 0 };
        self.world.browser().goto(self.world.root(request)).await
    }

    async fn click(&self, target: &str) -> Result<v1::Receipt, Status> {
        let request = v1::ClickRequest { target: target.to_owned(), ..Default::default() };
        let answer = self.world.browser().click(self.world.root(request)).await?;
        Ok(answer.into_inner().receipt.unwrap())
    }

    async fn accept(&self, text: Option<&str>) -> Result<v1::Receipt, Status> {
        let request = v1::DialogAcceptRequest { text: text.map(str::to_owned) };
        let answer = self.world.browser().dialog_accept(self.world.root(request)).await?;
        Ok(answer.into_inner().receipt.unwrap())
    }

    async fn dismiss(&self) -> Result<v1::Receipt, Status> {
        let request = self.world.root(v1::DialogDismissRequest {});
        let answer = self.world.browser().dialog_dismiss(request).await?;
        Ok(answer.into_inner().receipt.unwrap())
    }

    async fn js(&self, expression: &str) -> Result<String, Status> {
        let request = v1::JsRequest { expression: expression.to_owned() };
        let request = within(Duration::from_secs(20), self.world.root(request));
        Ok(self.world.browser().js(request).await?.into_inner().value)
    }

    async fn tabs(&self) -> Vec<v1::Tab> {
        let request = self.world.root(v1::ListTabsRequest {});
        self.world.browser().list_tabs(request).await.unwrap().into_inner().tabs
    }

    /// The dialogs of the tab: kind, text and what became of them.
    async fn log(&self) -> Vec<String> {
        let request = self.world.root(v1::DialogRequest {});
        let dialogs = self.world.browser().dialog(request).await.unwrap().into_inner().dialogs;
        dialogs.iter().map(|one| format!("{} {}: {}", one.kind, one.message, one.answer)).collect()
    }
}

/// The reason of an error, and the question that it names.
#[track_caller]
fn question<T: std::fmt::Debug>(answer: Result<T, Status>) -> (String, String) {
    let status = answer.unwrap_err();
    let kind = status.message().rsplit(": ").next().unwrap_or_default();
    let words: Vec<_> = browse_proto::wire::error_page(status.details())
        .into_iter()
        .map(|(about, text)| match &*about {
            "question" => format!("\"{text}\""),
            "default" => format!("(default \"{text}\")"),
            about => format!("{about} {text}"),
        })
        .collect();
    assert!(status.metadata().contains_key(metadata::UNTRUSTED), "{status}");
    (reason(&status), format!("{kind} {}", words.join(" ")))
}

fn note<T>(answer: &Response<T>) -> String {
    let note = answer.metadata().get(metadata::NOTICE).map(|note| note.to_str().unwrap());
    percent_encoding::percent_decode_str(note.unwrap_or_default()).decode_utf8_lossy().into_owned()
}

fn step(name: &str, request: &impl Message) -> v1::Step {
    let full = Command::by_name(name).unwrap().request.full_name;
    let type_url = format!("type.googleapis.com/{full}");
    v1::Step { tab: None, request: Some(Any { type_url, value: request.encode_to_vec() }) }
}

fn click(target: &str) -> v1::Step {
    step("click", &v1::ClickRequest { target: target.to_owned(), ..Default::default() })
}

/// `ok`, or the reason of each result.
fn words(results: &[v1::StepResult]) -> Vec<String> {
    let word = |result: &v1::StepResult| match result.outcome.as_ref().unwrap() {
        v1::step_result::Outcome::Response(_) => "ok".to_owned(),
        v1::step_result::Outcome::Error(error) => error.reason.clone(),
    };
    results.iter().map(word).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_asked_and_its_answer_says_what_followed() {
    let stage = Stage::new().await;
    let begun = Instant::now();
    let receipt = stage.click("#ask").await.unwrap();
    assert_eq!(receipt.question.as_deref(), Some("confirm \"Delete it?\""));
    assert!(receipt.summary.contains("`browse dialog-accept` or `browse dialog-dismiss`"));
    let open = ("DIALOG_OPEN".to_owned(), "confirm \"Delete it?\"".to_owned());
    assert_eq!(question(stage.js("1").await), open);
    assert_eq!(question(stage.click("#ask").await), open);
    let wait = v1::WaitRequest { load: true, ..Default::default() };
    let waited = stage.world.browser().wait(stage.world.root(wait)).await;
    assert_eq!(question(waited), open);
    // What the daemon or the browser know works.
    assert_eq!(stage.tabs().await[0].state, "dialog");
    let browser = stage.world.browser();
    let url = browser.clone().get_url(stage.world.root(v1::GetUrlRequest {})).await.unwrap();
    assert_eq!(url.get_ref().url, stage.site.url("/"));
    browser.clone().cookies(stage.world.root(v1::CookiesRequest::default())).await.unwrap();
    browser.clone().console(stage.world.root(v1::ConsoleRequest::default())).await.unwrap();
    browser.clone().network(stage.world.root(v1::NetworkRequest::default())).await.unwrap();
    assert!(stage.log().await[0].starts_with("confirm Delete it?: open"));
    let receipt = stage.accept(None).await.unwrap();
    assert!(receipt.summary.contains("confirm \"Delete it?\", accepted"), "{}", receipt.summary);
    assert!(receipt.summary.contains("title: true"), "{}", receipt.summary);
    assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
    assert_eq!(stage.log().await, ["confirm Delete it?: accepted"]);
    // With none open it is for the next one.
    let kept = stage.dismiss().await.unwrap();
    assert_eq!(kept.summary, "the next dialog is dismissed");
    assert!(stage.click("#ask").await.unwrap().summary.contains("title: false"));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_question_after_the_other() {
    let stage = Stage::new().await;
    let first = stage.click("#two").await.unwrap().question;
    assert_eq!(first.as_deref(), Some("confirm \"One?\""));
    let second = stage.accept(None).await.unwrap();
    assert_eq!(second.question.as_deref(), Some("prompt \"Two?\" (default \"dflt\")"));
    assert!(second.summary.contains("confirm \"One?\", accepted"), "{}", second.summary);
    let last = stage.accept(Some("mine")).await.unwrap();
    assert!(last.summary.contains("title: true,mine"), "{}", last.summary);
    assert_eq!(last.question, None);
    // The answer may lead to another page.
    stage.click("#go").await.unwrap();
    let went = stage.accept(None).await.unwrap();
    assert_eq!(went.url, Some(stage.site.url("/next")));
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_in_flight_get_the_question_too() {
    let stage = Stage::new().await;
    let begun = Instant::now();
    let asked = question(stage.js("confirm('From js?')").await);
    assert_eq!(asked, ("DIALOG_OPEN".to_owned(), "confirm \"From js?\"".to_owned()));
    stage.dismiss().await.unwrap();
    stage.click("#soon").await.unwrap();
    // It opens while this runs.
    let asked = question(stage.js("new Promise(() => {})").await);
    assert_eq!(asked, ("DIALOG_OPEN".to_owned(), "confirm \"Later?\"".to_owned()));
    let receipt = stage.accept(None).await.unwrap();
    assert!(receipt.summary.contains("confirm \"Later?\", accepted"), "{}", receipt.summary);
    assert_eq!(stage.js("document.title").await.unwrap(), "\"true\"");
    assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_asks_while_it_loads_stops_there() {
    let stage = Stage::new().await;
    let asked = ("DIALOG_OPEN".to_owned(), "confirm \"Are you sure?\"".to_owned());
    assert_eq!(question(stage.goto("/loading").await), asked);
    // Leaving it is an answer, too.
    let went = stage.goto("/").await.unwrap();
    assert!(note(&went).contains("a `confirm` of the page was dismissed: its page was left"));
    let request = v1::NewTabRequest { url: Some(stage.site.url("/loading")) };
    let opened = stage.world.browser().new_tab(stage.world.root(request)).await;
    assert_eq!(question(opened), asked);
    assert_eq!(stage.tabs().await.len(), 2, "the tab stays");
    stage.accept(None).await.unwrap();
    assert_eq!(stage.js("document.title").await.unwrap(), "\"loading\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn tabs_of_one_process_answer_with_the_question() {
    let stage = Stage::new().await;
    let popup = stage.click("#pop").await.unwrap().new_tab.unwrap();
    let to = |tab: u64| {
        let mut request = stage.world.root(v1::JsRequest { expression: "1".to_owned() });
        request.metadata_mut().insert(metadata::TAB, tab.to_string().parse().unwrap());
        request
    };
    let begun = Instant::now();
    let asked = question(stage.js("confirm('In the opener?')").await);
    let near = stage.world.browser().js(to(popup)).await;
    assert_eq!(question(near), asked);
    stage.dismiss().await.unwrap();
    stage.world.browser().js(to(popup)).await.unwrap();
    // A tab of another site goes on.
    let far = stage.site.url("/next").replace("127.0.0.1", "localhost");
    let far = v1::NewTabRequest { url: Some(far) };
    let far = stage.world.browser().new_tab(stage.world.root(far)).await.unwrap().into_inner();
    let ask = v1::ClickRequest { target: "button".to_owned(), ..Default::default() };
    let mut ask = stage.world.root(ask);
    ask.metadata_mut().insert(metadata::TAB, popup.to_string().parse().unwrap());
    let receipt = stage.world.browser().click(ask).await.unwrap().into_inner().receipt.unwrap();
    assert_eq!(receipt.question.as_deref(), Some("confirm \"From the popup?\""));
    stage.world.browser().js(to(far.tab_id)).await.unwrap();
    assert!(begun.elapsed() < AT_ONCE * 2, "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn chains_and_batches_stop_at_a_question() {
    let stage = Stage::new().await;
    let steps = vec![click("#ask"), click("#hi")];
    let request = stage.world.root(v1::ChainRequest { steps });
    let answer = stage.world.browser().chain(request).await.unwrap().into_inner();
    assert_eq!(words(&answer.results), ["ok", "DIALOG_OPEN"]);
    let next = v1::GotoRequest { url: stage.site.url("/next"), wait: 0 };
    let dismiss = step("dialog-dismiss", &v1::DialogDismissRequest {});
    let steps = vec![dismiss.clone(), click("#ask"), step("goto", &next), click("#hi")];
    let request = stage.world.root(v1::BatchRequest { steps });
    let answer = stage.world.browser().batch(request).await.unwrap().into_inner();
    assert_eq!(words(&answer.results), ["ok", "ok", "DIALOG_OPEN", "DIALOG_OPEN"]);
    // An answer that was planned is given.
    let steps = vec![dismiss.clone(), click("#ask"), dismiss, click("#hi")];
    let request = stage.world.root(v1::ChainRequest { steps });
    let answer = stage.world.browser().chain(request).await.unwrap().into_inner();
    assert_eq!(words(&answer.results), ["ok"; 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn alerts_and_leaving_are_no_questions() {
    let stage = Stage::new().await;
    let receipt = stage.click("#hi").await.unwrap();
    assert!(receipt.summary.contains("alert \"Hello\", closed"), "{}", receipt.summary);
    let request = v1::JsRequest { expression: "alert('Hi')".to_owned() };
    let alerted = stage.world.browser().js(stage.world.root(request)).await.unwrap();
    assert!(note(&alerted).contains("an `alert` of the page was closed"), "{}", note(&alerted));
    for leave in ["goto", "click"] {
        stage.goto("/dirty").await.unwrap();
        stage.click("button").await.unwrap();
        match leave {
            "goto" => {
                let went = stage.goto("/next").await.unwrap();
                assert!(note(&went).contains("a `beforeunload` of the page was accepted"));
            }
            _ => {
                let receipt = stage.click("a").await.unwrap();
                assert_eq!(receipt.url, Some(stage.site.url("/next")));
                assert!(receipt.summary.contains("beforeunload, accepted"));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_too_late_is_not_kept_for_the_next() {
    let stage = Stage::new().await;
    stage.click("#ask").await.unwrap();
    let tab = stage.world.daemon.sessions().tabs()[0].clone();
    let asked = tab.page().open_dialog().unwrap();
    let dismissed = tab.page().answer_open_dialog(
        asked.id,
        browse_chromium::DialogAnswer::Dismiss,
        browse_chromium::AnsweredBy::Timeout,
    );
    dismissed.unwrap().await.unwrap();
    assert_eq!(reason(&stage.accept(None).await.unwrap_err()), "DIALOG_CLOSED");
    assert!(stage.click("#ask").await.unwrap().question.is_some(), "it is asked again");
    // What nobody was notified of is reported with the next answer.
    let asked = tab.page().open_dialog().unwrap();
    let late = browse_chromium::AnsweredBy::Timeout;
    let dismissed = browse_chromium::DialogAnswer::Dismiss;
    tab.page().answer_open_dialog(asked.id, dismissed, late).unwrap().await.unwrap();
    let request = v1::JsRequest { expression: "1".to_owned() };
    let reported = stage.world.browser().js(stage.world.root(request)).await.unwrap();
    assert!(note(&reported).contains("nobody answered in time"), "{}", note(&reported));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_answers_beforehand_or_hears_the_question() {
    let stage = Stage::new().await;
    let token = stage.world.mint("skill", Scopes::ALL);
    let ask = || v1::ClickRequest { target: "#ask".to_owned(), ..Default::default() };
    let asked = stage.world.browser().click(by(token.token(), ask())).await;
    let unanswered = ("DIALOG_UNANSWERED".to_owned(), "confirm \"Delete it?\"".to_owned());
    assert_eq!(question(asked), unanswered);
    assert_eq!(stage.js("document.title").await.unwrap(), "\"false\"");
    let accept = by(token.token(), v1::DialogAcceptRequest { text: None });
    stage.world.browser().dialog_accept(accept).await.unwrap();
    stage.world.browser().click(by(token.token(), ask())).await.unwrap();
    assert_eq!(stage.js("document.title").await.unwrap(), "\"true\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_setting_still_answers() {
    for (flag, answer) in [("--dialogs=accept", "true"), ("--dialogs=dismiss", "false")] {
        let stage = Stage::with(World::with_flags_and_browser(&[flag]).await).await;
        let receipt = stage.click("#ask").await.unwrap();
        assert!(receipt.summary.contains(&format!("title: {answer}")), "{}", receipt.summary);
        assert_eq!(receipt.question, None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_with_a_question_can_be_closed() {
    let stage = Stage::new().await;
    stage.click("#ask").await.unwrap();
    let request = stage.world.root(v1::CloseTabRequest { id: None });
    let closed = stage.world.browser().close_tab(request).await.unwrap();
    assert!(note(&closed).contains("dismissed: its tab was closed"), "{}", note(&closed));
}
