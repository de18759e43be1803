//! Recordings in short: one line a step, `command target -> place`.

use browse_proto::Command;
use serde_json::json;

use super::super::step::{Spot, Step};
use super::{Fate, fates};

/// Makes the steps of a session. A place is a page; the same page is another
/// document each time that it is arrived at, except by going back.
fn steps(lines: &[&str]) -> Vec<Step> {
    let mut here = Spot::default();
    let mut documents = 0;
    lines.iter().map(|line| step(line, &mut here, &mut documents)).collect()
}

fn step(line: &str, here: &mut Spot, documents: &mut u32) -> Step {
    let (line, place) = line.split_once(" -> ").map_or((line, None), |(l, p)| (l, Some(p)));
    let mut words = line.split(' ');
    let command = Command::by_name(words.next().unwrap_or_default()).expect("a command");
    let target = words.next().unwrap_or_default();
    let flags: Vec<_> = words.collect();
    let before = here.clone();
    let place = place.or((command.name == "goto").then_some(target));
    if let Some(place) = place {
        *documents += 1;
        *here = Spot { url: format!("http://a.example{place}"), document: documents.to_string() };
    }
    let field = if command.name == "goto" { "url" } else { "target" };
    let value = if command.name == "goto" {
        format!("http://a.example{target}")
    } else {
        target.to_owned()
    };
    Step {
        command,
        fields: json!({ field: value }).as_object().cloned().unwrap_or_default(),
        secret: None,
        tab: 1,
        before,
        after: here.clone(),
        failed: flags.contains(&"failed").then_some("ELEMENT_COVERED"),
        opened: None,
        leads: flags.contains(&"link").then(|| here.url.clone()),
        element: None,
        frame: None,
        unfit: None,
        answer: None,
        asked: None,
        dialogs: Vec::new(),
    }
}

/// The steps that a script would have.
fn kept(lines: &[&str]) -> Vec<String> {
    let steps = steps(lines);
    let fates = fates(&steps.iter().collect::<Vec<_>>(), 1);
    let kept = lines.iter().zip(fates).filter(|(_, f)| matches!(f, Fate::Kept | Fate::Result));
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
    steps[1].leads = Some("http://a.example/add?id=3".to_owned());
    let fates = fates(&steps.iter().collect::<Vec<_>>(), 1);
    assert_eq!(fates, [Fate::Kept, Fate::Kept, Fate::Kept, Fate::Result]);
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
    assert_eq!(fates, [Fate::Kept, Fate::Result, Fate::Kept, Fate::Result]);
}

#[test]
fn a_search_by_a_form_that_only_asks_can_be_left() {
    let lines = ["goto /", "fill #q", "press Enter link -> /search", "goto /", "text h1"];
    check(&lines, &[3, 4]);
}
