#![allow(clippy::unwrap_used)]

use super::*;

fn query(text: &str) -> Query {
    text.parse::<Target>().unwrap().query
}

fn plain(text: &str) -> TextPattern {
    TextPattern { text: text.to_owned(), regex: false, flags: String::new() }
}

#[test]
fn refs_and_selectors() {
    assert_eq!(query("@e12"), Query::Ref { number: 12 });
    assert_eq!(query("e12"), Query::Ref { number: 12 });
    assert_eq!(query("c3"), Query::Ref { number: 3 });
    assert_eq!(query("@c4"), Query::Ref { number: 4 });
    assert_eq!(query("#id > a"), Query::Css { selector: "#id > a".into() });
    assert_eq!(query("//a[1]"), Query::XPath { selector: "//a[1]".into() });
    assert_eq!(query("xpath=.//a"), Query::XPath { selector: ".//a".into() });
}

#[test]
fn texts_and_expressions() {
    assert_eq!(query("text=Sign in"), Query::Text { name: plain("Sign in") });
    assert_eq!(query("text=\"a \\\" b\""), Query::Text { name: plain("a \" b") });
    let expression = TextPattern { text: "^a/b$".into(), regex: true, flags: "i".into() };
    assert_eq!(query("label=/^a/b$/i"), Query::Label { name: expression });
}

#[test]
fn roles_with_brackets_in_names() {
    assert_eq!(
        query("role=button[name=\"a ] b\"][disabled][level=2]"),
        Query::Role {
            role: "button".into(),
            name: Some(plain("a ] b")),
            states: vec!["disabled".into(), "level=2".into()],
        },
    );
    let expression = TextPattern { text: "[ab]".into(), regex: true, flags: String::new() };
    assert_eq!(
        query("role=link[name=/[ab]/]"),
        Query::Role { role: "link".into(), name: Some(expression), states: vec![] },
    );
}

#[test]
fn one_of_several_matches() {
    let first = Query::Nth { of: Box::new(Query::Text { name: plain("Edit") }), index: 0 };
    assert_eq!(query("text=Edit >> nth=0"), first);
    assert_eq!(Target::from_query(&first).unwrap().to_string(), "text=\"Edit\" >> nth=0");
    let Query::Nth { of, index } = query("role=button[name=\"a >> b\"] >> nth=-1") else {
        panic!()
    };
    assert_eq!((*of, index), (query("role=button[name=\"a >> b\"]"), -1));
    assert_eq!(query("text=a >> b"), Query::Text { name: plain("a >> b") });
}

#[test]
fn what_cannot_be_read_is_refused() {
    for text in [
        "text=Edit >> nth=first",
        ">> nth=1",
        "",
        "@",
        "@e",
        "@x3",
        "@e3x",
        "role=",
        "role=button[name=\"a\"",
        "role=button[colour=red]",
        "text=",
        "label=\"\"",
    ] {
        let error = text.parse::<Target>().unwrap_err();
        assert_eq!(error.kind(), Some(RefusalKind::SelectorInvalid), "{text}");
    }
}
