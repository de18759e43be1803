//! Dialogs, crashes, endless loops and the end of the browser.

use std::time::Duration;

use browse_chromium::{
    AnsweredBy, BrowserOptions, DialogAnswer, DialogPolicy, Error, Event, Flavour, LoadState,
    Navigated,
};
use serde_json::json;

use crate::support::browser::{ENGINE, Fixture, options, soon};
use crate::support::site::Site;

fn dialogs(fixture: &Fixture) -> Vec<(String, String, DialogAnswer)> {
    fixture.recorder.all(|event| match event {
        Event::DialogAnswered(_, d) => Some((d.kind.clone(), d.message.clone(), d.answer.clone())),
        _ => None,
    })
}

#[tokio::test]
async fn the_policy_answers_what_no_answer_was_given_for() {
    let options = BrowserOptions { dialog_policy: DialogPolicy::Accept, ..options() };
    let fixture = Fixture::start_with(options).await;
    let script = "[alert('one'), confirm('two'), prompt('three', 'default'), confirm('four')]";
    // An alert is not a question, and takes no answer.
    fixture.page.answer_next_dialog(DialogAnswer::Dismiss);
    fixture.page.answer_next_dialog(DialogAnswer::Accept(Some("mine".into())));
    assert_eq!(fixture.js(script).await, json!([null, false, "mine", true]));
    assert_eq!(fixture.js(script).await, json!([null, true, "default", true]));
    let seen = dialogs(&fixture);
    assert_eq!(seen.len(), 8);
    assert_eq!(seen[1], ("confirm".into(), "two".into(), DialogAnswer::Dismiss));
}

#[tokio::test]
async fn a_question_is_held_until_it_is_answered_or_too_late() {
    let dialog_timeout = Duration::from_millis(300);
    let fixture = Fixture::start_with(BrowserOptions { dialog_timeout, ..options() }).await;
    let page = &fixture.page;
    let frame = page.main_frame().id;
    let ask = || page.evaluate(&frame, "prompt('Who?', 'Ada')", Default::default()).unwrap();
    let asking = ask();
    let question = soon(page.wait_open_dialog()).await;
    assert_eq!((question.kind.as_str(), question.message.as_str()), ("prompt", "Who?"));
    let text = DialogAnswer::Accept(Some("Bob".into()));
    page.answer_open_dialog(question.id, text, AnsweredBy::Caller).unwrap().ignore();
    assert_eq!(soon(asking).await.unwrap(), "Bob");
    assert!(
        page.answer_open_dialog(question.id, DialogAnswer::Dismiss, AnsweredBy::Caller).is_none()
    );
    // Nobody answers.
    assert_eq!(soon(ask()).await.unwrap(), json!(null));
    assert_eq!(dialogs(&fixture).len(), 2);
    // Whoever leaves the page dismisses what it asks, and what it asks next.
    let script = "confirm('Stay?') || confirm('Really?')";
    let asking = page.evaluate(&frame, script, Default::default()).unwrap();
    soon(page.wait_open_dialog()).await;
    let leaving = page.begin_leaving();
    soon(page.navigate("data:text/html,left")).await.unwrap();
    drop((leaving, asking));
    // The second question opens unless the page is gone first.
    let left = dialogs(&fixture).split_off(2);
    assert!((1..=2).contains(&left.len()), "{left:?}");
    assert!(left.iter().all(|(_, _, answer)| *answer == DialogAnswer::Dismiss), "{left:?}");
    assert_eq!(page.open_dialog(), None);
}

#[tokio::test]
async fn the_policy_can_dismiss_and_frames_of_other_processes_obey() {
    let site = Site::start()
        .await
        .page("/", "<iframe src='http://localhost:{port}/far'></iframe>")
        .page("/far", "far");
    let options = BrowserOptions { dialog_policy: DialogPolicy::Dismiss, ..options() };
    let fixture = Fixture::start_with(options).await;
    fixture.goto(&site.url("/")).await;
    let far = fixture.page.frames()[1].clone();
    assert!(far.out_of_process);
    let world = fixture.page.world(&far.id, &ENGINE).await.unwrap();
    assert!(!soon(world.evaluate::<bool>("confirm('from afar')")).await.unwrap());
    assert_eq!(dialogs(&fixture)[0].1, "from afar");
}

#[tokio::test]
async fn a_crash_fails_what_waits_and_a_reload_revives() {
    let site = Site::start().await.page("/", "<title>alive</title>");
    let fixture = Fixture::start().await;
    let page = &fixture.page;
    fixture.goto(&site.url("/")).await;
    let frame = page.main_frame().id;
    let waiting = page.evaluate(&frame, "new Promise(() => {})", Default::default()).unwrap();
    page.session().call_method::<serde::de::IgnoredAny>("Page.crash", &json!({})).ignore();
    let failed = soon(waiting).await;
    assert!(matches!(failed, Err(Error::TabCrashed)), "{failed:?}");
    let refused = page.world(&frame, &ENGINE).await;
    assert!(matches!(refused, Err(Error::TabCrashed)), "{refused:?}");
    assert!(fixture.browser.pages().iter().any(|page| page.is_crashed()));
    let Navigated::Document(loader) = soon(page.reload()).await.unwrap() else { panic!() };
    soon(page.wait_for(&loader, LoadState::Load)).await.unwrap();
    assert_eq!(fixture.js("document.title").await, "alive");
    let world = page.world(&frame, &ENGINE).await.unwrap();
    assert_eq!(world.evaluate::<u32>("runs").await.unwrap(), 1);
}

#[tokio::test]
async fn a_tab_whose_process_was_ended_keeps_its_history() {
    let site = Site::start()
        .await
        .page("/", "<title>first</title>")
        .page("/second", "<title>second</title>");
    let fixture = Fixture::start().await;
    let page = &fixture.page;
    fixture.goto(&site.url("/")).await;
    fixture.goto(&site.url("/second")).await;
    let frame = page.main_frame().id;
    let looping = page.evaluate(&frame, "for (;;) {}", Default::default()).unwrap();
    soon(page.end_process()).await.unwrap();
    assert!(page.is_crashed());
    assert!(matches!(soon(looping).await, Err(Error::TabCrashed)));
    for (step, title) in [(-1, "first"), (1, "second")] {
        let went = if step < 0 { soon(page.back()).await } else { soon(page.forward()).await };
        let Navigated::Document(loader) = went.unwrap() else { panic!("no document") };
        soon(page.wait_for(&loader, LoadState::Load)).await.unwrap();
        assert_eq!(fixture.js("document.title").await, title);
    }
}

#[tokio::test]
async fn a_crashed_frame_is_a_hole_in_a_tab_that_lives() {
    let site = Site::start()
        .await
        .page("/", "<title>alive</title><iframe src='http://localhost:{port}/far'></iframe>")
        .page("/far", "far");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let far = fixture.page.frames()[1].clone();
    let world = fixture.page.world(&far.id, &ENGINE).await.unwrap();
    let waiting = world.evaluate::<u32>("new Promise(() => {})");
    far.session.call_method::<serde::de::IgnoredAny>("Page.crash", &json!({})).ignore();
    let failed = soon(waiting).await;
    assert!(matches!(failed, Err(Error::StaleContext)), "{failed:?}");
    assert!(!fixture.page.is_crashed());
    assert_eq!(fixture.js("document.title").await, "alive");
}

#[tokio::test]
async fn an_endless_loop_is_ended_without_hurting_the_tab() {
    let fixture = Fixture::start().await;
    let page = &fixture.page;
    let frame = page.main_frame().id;
    for script in ["while (true) {}", "(function again() { Promise.resolve().then(again) })()"] {
        let looping = page.evaluate(&frame, script, Default::default()).unwrap();
        assert!(!page.is_responsive(Duration::from_millis(50)).await);
        assert!(soon(page.interrupt(Duration::from_secs(5))).await);
        drop(looping);
        assert_eq!(fixture.js("1 + 1").await, 2);
    }
}

#[tokio::test]
async fn a_hung_tab_is_closed_at_once_and_others_are_untouched() {
    let fixture = Fixture::start().await;
    let other = fixture.context.new_page().await.unwrap();
    let frame = other.main_frame().id;
    let looping = other.evaluate(&frame, "while (true) {}", Default::default()).unwrap();
    soon(fixture.browser.close_page(other.target_id())).await.unwrap();
    assert!(matches!(soon(looping).await, Err(Error::TabClosed)));
    assert_eq!(fixture.context.pages().len(), 1);
    assert_eq!(fixture.js("1 + 1").await, 2);
}

#[tokio::test]
async fn the_death_of_the_browser_fails_what_waits() {
    let fixture = Fixture::start().await;
    let frame = fixture.page.main_frame().id;
    let waiting =
        fixture.page.evaluate(&frame, "new Promise(() => {})", Default::default()).unwrap();
    let pid = nix::unistd::Pid::from_raw(fixture.browser.info().pid as i32);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
    assert!(matches!(soon(waiting).await, Err(Error::BrowserGone { .. })));
    soon(fixture.browser.wait_gone()).await;
    assert!(fixture.browser.pages().is_empty());
    let later = fixture.context.new_page().await;
    assert!(matches!(later, Err(Error::BrowserGone { .. })), "{later:?}");
    let profile = fixture.browser.info().profile.clone();
    soon(fixture.browser.close()).await;
    assert!(!profile.exists());
}

#[tokio::test]
async fn a_browser_that_does_not_start_says_why() {
    let mut options = BrowserOptions::default();
    options.launch.executable = Some("/bin/false".into());
    let failed = browse_chromium::Browser::launch(options.clone()).await;
    let Err(Error::LaunchFailed { problem, .. }) = failed else { panic!("it started") };
    assert!(problem.contains("exit status: 1"), "{problem}");
    options.launch.executable = Some("/bin/cat".into());
    let failed = browse_chromium::Browser::launch(options).await;
    let Err(Error::LaunchFailed { stderr, .. }) = failed else { panic!("it started") };
    assert!(stderr.iter().any(|line| line.contains("remote-debugging-pipe")), "{stderr:?}");
}

#[tokio::test]
async fn both_flavours_do_the_same() {
    let site = Site::start().await.page("/", "<title>both</title>");
    let full = Fixture::start_full().await;
    assert_eq!(full.browser.info().flavour, Flavour::Headless);
    full.goto(&site.url("/")).await;
    assert_eq!(
        full.js("[document.title, innerWidth, innerHeight]").await,
        json!(["both", 1280, 720])
    );
    let shell = Fixture::start().await;
    assert_eq!(shell.browser.info().flavour, Flavour::HeadlessShell);
    shell.goto(&site.url("/")).await;
    assert_eq!(
        shell.js("[document.title, innerWidth, innerHeight]").await,
        json!(["both", 1280, 720])
    );
}

#[tokio::test]
async fn what_opens_windows_of_the_system_hangs_nothing() {
    let site = Site::start().await.page("/", "<input type=file id=f><p>here");
    for fixture in [Fixture::start().await, Fixture::start_full().await] {
        fixture.goto(&site.url("/")).await;
        for script in [
            "print()",
            "document.querySelector('#f').click()",
            "document.querySelector('#f').showPicker()",
            "window.showOpenFilePicker?.().catch(() => 0)",
            "navigator.mediaDevices.getUserMedia({audio: true}).catch(() => 0)",
            "navigator.geolocation.getCurrentPosition(() => 0)",
            "Notification.requestPermission()",
            "document.documentElement.requestFullscreen().catch(() => 0)",
            "navigator.clipboard.readText().catch(() => 0)",
        ] {
            fixture.js(&format!("void (async () => {{ {script} }})()")).await;
            assert_eq!(soon(fixture.js("1 + 1")).await, 2, "{script}");
        }
        let shot = browse_chromium::CaptureArea::Viewport;
        soon(fixture.page.screenshot(shot, Default::default())).await.unwrap();
    }
}
