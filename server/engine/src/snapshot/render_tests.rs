use super::*;
use crate::snapshot::budget;
use crate::target::reference::{RefKind, Reference};

fn node(depth: u32, number: u32, role: &str, name: &str) -> SnapshotLine {
    SnapshotLine {
        reference: (number > 0).then_some(Reference { kind: RefKind::Element, number }),
        role: role.to_owned(),
        name: name.to_owned(),
        description: String::new(),
        states: Vec::new(),
        value: None,
        context: NodeContext::default(),
        message: String::new(),
        hint: String::new(),
        summary: String::new(),
        frame: String::new(),
        depth,
        bounds: None,
    }
}

fn text(nodes: &[SnapshotLine]) -> Vec<String> {
    render_lines(nodes, ContextDisplay::Show).into_iter().map(|line| line.text).collect()
}

#[test]
fn a_line_names_ref_role_name_and_states() {
    let mut field = node(1, 3, "textbox", "E-mail \"home\"");
    field.states = vec!["required".into()];
    field.value = Some("a@b".into());
    assert_eq!(text(&[field]), ["  @e3 textbox \"E-mail \\\"home\\\"\" [required, value=\"a@b\"]"]);
}

#[test]
fn a_text_that_is_alone_shares_the_line_of_its_element() {
    let nodes = [
        node(0, 0, "list", ""),
        node(1, 0, "listitem", ""),
        node(2, 0, "text", "One"),
        node(1, 0, "listitem", ""),
        node(2, 0, "text", "Two"),
        node(2, 7, "link", "more"),
    ];
    assert_eq!(
        text(&nodes),
        ["- list", "  - listitem: One", "  - listitem", "    - \"Two\"", "    @e7 link \"more\""]
    );
}

#[test]
fn a_heading_that_is_a_link_says_its_name_once() {
    let nodes = [node(0, 1, "heading", "News"), node(1, 2, "link", "News")];
    assert_eq!(text(&nodes), ["@e1 heading", "  @e2 link \"News\""]);
}

#[test]
fn a_budget_says_what_it_left_out_and_how_to_see_it() {
    let mut nodes = vec![node(0, 1, "navigation", "Site")];
    nodes.extend(
        (2..200).map(|number| node(1, number, "link", "A link with a name of some length")),
    );
    let cut = budget::truncate_to_tokens(&nodes, render_lines(&nodes, ContextDisplay::Show), 200);
    assert!(cut.len() < 200 * 5, "{}", cut.len());
    let last = cut.lines().last().unwrap_or_default();
    assert!(
        last.contains("more lines") && last.contains("browse snapshot") && last.contains("-s @e1"),
        "{last}"
    );
    assert_eq!(
        budget::truncate_to_tokens(
            &nodes[..2],
            render_lines(&nodes[..2], ContextDisplay::Show),
            200
        )
        .lines()
        .count(),
        2
    );
}

#[test]
fn a_line_is_told_apart_by_its_context_and_only_once_for_neighbours() {
    let mut first = node(0, 1, "button", "Add to cart");
    first.context = NodeContext { text: "Oak stool €89".into(), ordinal: 1, is_repeated: false };
    let mut second = node(0, 2, "button", "Wish");
    second.context = NodeContext { text: "Oak stool €89".into(), ordinal: 2, is_repeated: true };
    let nodes = [first, second];
    assert_eq!(
        text(&nodes),
        ["@e1 button \"Add to cart\" in \"Oak stool €89\"", "@e2 button \"Wish\" #2"]
    );
    let plain: Vec<_> =
        render_lines(&nodes, ContextDisplay::Omit).into_iter().map(|line| line.text).collect();
    assert_eq!(plain, ["@e1 button \"Add to cart\"", "@e2 button \"Wish\""]);
}

#[test]
fn a_fold_says_how_to_see_what_it_holds_and_an_invalid_field_says_why() {
    let mut days = node(0, 9, "grid", "June");
    days.summary = "35 days".into();
    let mut field = node(0, 3, "textbox", "E-mail");
    field.states = vec!["required".into(), "invalid".into()];
    field.message = "Enter an address".into();
    assert_eq!(
        text(&[days, field]),
        [
            "@e9 grid \"June\": 35 days, `snapshot -i -s @e9`",
            "@e3 textbox \"E-mail\" [required, invalid: \"Enter an address\"]"
        ]
    );
}
