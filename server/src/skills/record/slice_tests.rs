//! Recordings in short: one line a step, `command target -> place`.

use browse_proto::Command;
use serde_json::json;

use super::super::step::{PageLocation, RecordedStep, TextField};
use super::super::tabs;
use super::{StepDisposition, slice_steps};

/// Makes the steps of a session. A place is a page; the same page is another
/// document each time that it is arrived at, except by going back.
fn steps(lines: &[&str]) -> Vec<RecordedStep> {
    let mut here = PageLocation::default();
    let mut documents = 0;
    lines.iter().map(|line| step(line, &mut here, &mut documents)).collect()
}

fn step(line: &str, here: &mut PageLocation, documents: &mut u32) -> RecordedStep {
    let (line, place) = line.split_once(" -> ").map_or((line, None), |(l, p)| (l, Some(p)));
    let mut words = line.split(' ');
    let command = Command::by_name(words.next().unwrap_or_default()).expect("a command");
    let target = words.next().unwrap_or_default();
    let flags: Vec<_> = words.collect();
    let before = here.clone();
    let place = place.or((command.name == "goto").then_some(target));
    if let Some(place) = place {
        *documents += 1;
        *here = PageLocation {
            url: format!("http://a.example{place}"),
            document: documents.to_string(),
        };
    }
    let field = if command.name == "goto" { "url" } else { "target" };
    let value = if command.name == "goto" {
        format!("http://a.example{target}")
    } else {
        target.to_owned()
    };
    RecordedStep {
        command,
        fields: json!({ field: value }).as_object().cloned().unwrap_or_default(),
        secret: None,
        tab: 1,
        before,
        after: here.clone(),
        failure_reason: flags.contains(&"failed").then_some("ELEMENT_COVERED"),
        opened_tab: None,
        link_url: flags.contains(&"link").then(|| here.url.clone()),
        element: None,
        label: None,
        frame: None,
        unrepeatable_reason: None,
        answer: None,
        opened_dialog: None,
        dialog_answers: Vec::new(),
        field: None,
        page_sends: Vec::new(),
        in_other_tab: false,
    }
}

fn fates(steps: &[&RecordedStep], reads: usize) -> Vec<StepDisposition> {
    slice_steps(steps, reads).dispositions
}

/// The steps that a script would have.
fn kept(lines: &[&str]) -> Vec<String> {
    let steps = steps(lines);
    let fates = fates(&steps.iter().collect::<Vec<_>>(), 1);
    let kept = lines
        .iter()
        .zip(fates)
        .filter(|(_, f)| matches!(f, StepDisposition::Kept | StepDisposition::Result));
    kept.map(|(line, _)| (*line).to_owned()).collect()
}

#[track_caller]
fn check(lines: &[&str], wanted: &[usize]) {
    let wanted: Vec<_> = wanted.iter().map(|at| lines[*at].to_owned()).collect();
    assert_eq!(kept(lines), wanted);
}

#[test]
fn failed_steps_and_looks_go() {
    check(&["goto /", "text main", "click #a failed", "click #b", "text #sum"], &[0, 3, 4]);
}

#[test]
fn a_page_that_was_left_by_another_address_goes() {
    check(&["goto /", "goto /wrong", "fill #x", "goto /right", "text h1"], &[3, 4]);
}

#[test]
fn a_detour_by_a_link_and_back_goes() {
    let lines = [
        "goto /",
        "fill #q",
        "click #a link -> /a",
        "scroll #b",
        "back -> /",
        "click #go",
        "text h1",
    ];
    check(&lines, &[0, 1, 5, 6]);
}

#[test]
fn a_button_that_may_have_done_something_stays() {
    let lines = ["goto /", "click #add", "goto /cart", "text #sum"];
    check(&lines, &[0, 1, 2, 3]);
    let posted = ["goto /", "click #add -> /added", "goto /cart", "text #sum"];
    check(&posted, &[0, 1, 2, 3]);
}

#[test]
fn a_link_that_arrived_elsewhere_stays() {
    let mut steps = steps(&["goto /", "click #add link -> /cart", "goto /pay", "text #sum"]);
    steps[1].link_url = Some("http://a.example/add?id=3".to_owned());
    let fates = fates(&steps.iter().collect::<Vec<_>>(), 1);
    assert_eq!(
        fates,
        [
            StepDisposition::Kept,
            StepDisposition::Kept,
            StepDisposition::Kept,
            StepDisposition::Result
        ]
    );
}

#[test]
fn the_last_filling_of_a_field_counts() {
    let lines = ["goto /", "fill #q", "fill #r", "select #s", "fill #q", "click #go", "text h1"];
    check(&lines, &[0, 2, 3, 4, 5, 6]);
    check(&["goto /", "check #a", "uncheck #a", "text h1"], &[0, 2, 3]);
    check(
        &["goto /", "fill #q", "click #go", "fill #q", "click #go", "text h1"],
        &[0, 1, 2, 3, 4, 5],
    );
}

#[test]
fn going_forward_again_takes_the_detour_back() {
    let lines = ["goto /", "click #a link -> /a", "back -> /", "forward -> /a", "text h1"];
    check(&lines, &[0, 1, 4]);
}

#[test]
fn a_reload_of_a_page_without_effects_goes_with_what_was_filled() {
    check(&["goto /", "fill #q", "reload -> /", "fill #q", "text h1"], &[0, 3, 4]);
    check(&["goto /", "click #q", "reload -> /", "text h1"], &[0, 1, 2, 3]);
}

#[test]
fn what_comes_after_the_result_goes() {
    check(&["goto /", "text h1", "click #a", "text h2 failed"], &[0, 1]);
}

#[test]
fn several_reads_can_be_the_result() {
    let steps = steps(&["goto /", "text h1", "goto /b", "text h2"]);
    let fates = fates(&steps.iter().collect::<Vec<_>>(), 2);
    assert_eq!(
        fates,
        [
            StepDisposition::Kept,
            StepDisposition::Result,
            StepDisposition::Kept,
            StepDisposition::Result
        ]
    );
}

#[test]
fn a_search_by_a_form_that_only_asks_can_be_left() {
    let lines = ["goto /", "fill #q", "press Enter link -> /search", "goto /", "text h1"];
    check(&lines, &[3, 4]);
}

#[test]
fn a_page_that_was_gone_back_to_is_kept() {
    check(&["goto /a", "goto /b", "back -> /a", "click #go", "text h1"], &[0, 3, 4]);
    // What led to it as well, and nothing that was left before.
    let lines = [
        "goto /wrong",
        "goto /",
        "click #a link -> /a",
        "goto /b",
        "back -> /a",
        "click #go",
        "text h1",
    ];
    check(&lines, &[1, 2, 5, 6]);
    // Something was done on the page that was left: the script goes back as well.
    let lines = ["goto /a", "goto /b", "click #add", "back -> /a", "click #go", "text h1"];
    check(&lines, &[0, 1, 2, 3, 4, 5]);
    check(&["goto /a", "goto /b", "goto /c", "back -> /b", "back -> /a", "text h1"], &[0, 5]);
    check(&["goto /a", "goto /b", "back -> /a", "forward -> /b", "text h1"], &[1, 4]);
}

#[test]
fn going_back_to_before_the_recording_opens_the_address() {
    let steps = steps(&["goto /a", "back -> /z", "text h1"]);
    let path = slice_steps(&steps.iter().collect::<Vec<_>>(), 1);
    assert_eq!(
        path.dispositions,
        [StepDisposition::PageLeft, StepDisposition::Kept, StepDisposition::Result]
    );
    assert_eq!(path.rewritten[&1].command.name, "goto");
    assert_eq!(path.rewritten[&1].fields["url"], "http://a.example/z");
}

/// Steps on one page: `command target identity text-after`.
fn typed(lines: &[(&str, &str, u64, &str)]) -> Vec<RecordedStep> {
    let mut all = steps(&["goto /"]);
    let here = all[0].after.clone();
    let mut before = std::collections::HashMap::new();
    for (command, target, identity, after) in lines {
        let mut step = steps(&[&format!("{command} {target}")]).remove(0);
        (step.before, step.after) = (here.clone(), here.clone());
        let key = if *command == "press" { "key" } else { "target" };
        step.fields = serde_json::Map::from_iter([(key.to_owned(), json!(target))]);
        let was = before.insert(*identity, (*after).to_owned()).unwrap_or_default();
        step.field = Some(TextField {
            identity: *identity,
            path: String::new(),
            takes_text: true,
            target: Some(format!("#f{identity}")),
            before: Some(was),
            after: Some((*after).to_owned()),
            is_as_typed: false,
        });
        all.push(step);
    }
    let mut read = steps(&["text h1"]).remove(0);
    (read.before, read.after) = (here.clone(), here);
    all.push(read);
    all
}

/// What a script does on the page, with the texts that it fills.
#[track_caller]
fn check_typed(lines: &[(&str, &str, u64, &str)], wanted: &[&str]) {
    let steps = typed(lines);
    let path = slice_steps(&steps.iter().collect::<Vec<_>>(), 1);
    let kept = steps.iter().enumerate().filter(|(at, _)| path.dispositions[*at].is_kept());
    let words: Vec<String> = kept
        .map(|(at, step)| {
            let step = path.rewritten.get(&at).unwrap_or(step);
            let text = step.fields.get("text").and_then(serde_json::Value::as_str);
            [Some(step.command.name), Some(step.target()), text]
                .into_iter()
                .flatten()
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(words[1..words.len() - 1], *wanted);
}

#[test]
fn a_field_that_is_filled_by_another_way_is_filled_once() {
    check_typed(&[("fill", "#q", 1, "a"), ("fill", "label=Q", 1, "b")], &["fill label=Q"]);
    // Clicked, selected and typed over.
    let lines = [
        ("fill", "#q", 1, "a"),
        ("click", "#q", 1, "a"),
        ("press", "Control+A", 1, "a"),
        ("type", "", 1, "lamp"),
    ];
    check_typed(&lines, &["fill #f1 lamp"]);
    // What was appended is part of the text, and a field between is another one.
    let lines = [
        ("fill", "#q", 1, "lam"),
        ("fill", "#r", 2, "x"),
        ("click", "#q", 1, "lam"),
        ("press", "p", 1, "lamp"),
        ("press", "s", 1, "lamps"),
    ];
    check_typed(&lines, &["fill #r", "fill #f1 lamps"]);
    // One way alone stays what it is.
    let lines = [("click", "#q", 1, ""), ("type", "", 1, "lamp")];
    check_typed(&lines, &["click #q", "type"]);
}

#[test]
fn a_key_that_does_more_than_edit_ends_the_filling() {
    let lines = [("fill", "#q", 1, "a"), ("press", "Enter", 1, "a"), ("fill", "#q", 1, "b")];
    check_typed(&lines, &["fill #q", "press", "fill #q"]);
}

#[test]
fn what_was_sent_keeps_a_step() {
    use browse_sessions::StateChangingRequest;
    let mut steps = steps(&["goto /", "click #a link -> /a", "goto /b", "text h1"]);
    let sent = |host: &str| StateChangingRequest::Request {
        method: "POST".to_owned(),
        host: host.to_owned(),
        path: "/x".to_owned(),
    };
    let of = |steps: &[RecordedStep]| fates(&steps.iter().collect::<Vec<_>>(), 1);
    steps[1].page_sends = vec![sent("statistics.example")];
    assert_eq!(
        of(&steps),
        [
            StepDisposition::PageLeft,
            StepDisposition::PageLeft,
            StepDisposition::Kept,
            StepDisposition::Result
        ]
    );
    steps[1].page_sends = vec![sent("a.example")];
    assert_eq!(
        of(&steps),
        [
            StepDisposition::Kept,
            StepDisposition::Kept,
            StepDisposition::Kept,
            StepDisposition::Result
        ]
    );
}

#[test]
fn a_tab_that_was_opened_and_closed_is_left_out() {
    let mut steps = steps(&["goto /", "goto /news", "text h2", "click #go", "text h1"]);
    for at in [1, 2] {
        steps[at].tab = 2;
    }
    let joined = tabs::merge_into_one_tab(&steps.iter().collect::<Vec<_>>()).expect("one tab does");
    let fates = fates(&joined.iter().collect::<Vec<_>>(), 1);
    assert_eq!(
        fates,
        [
            StepDisposition::Kept,
            StepDisposition::OtherTab,
            StepDisposition::OtherTab,
            StepDisposition::Kept,
            StepDisposition::Result
        ]
    );
    // Not where something was done in it.
    let click = steps[3].clone();
    steps.insert(2, RecordedStep { tab: 2, ..click });
    assert!(tabs::merge_into_one_tab(&steps.iter().collect::<Vec<_>>()).is_err());
}
