//! Tabs.

use crate::case::{Case, cases};

const PAGE: &str = "<title>One</title>";
const OTHER: &[(&str, &str)] = &[("/two", "<title>Two</title>")];

cases! {
    tabs: Case {
        command: "tabs",
        page: PAGE,
        line: "tabs",
        says: &["idle http://127.0.0.1:", "One"],
        json: &[("/0/title", "\"One\""), ("/0/active", "true"), ("/1", "null")],
        ..Case::NEW
    },
    newtab: Case {
        command: "newtab",
        page: PAGE,
        pages: OTHER,
        line: "newtab {site}/two",
        says: &["/two"],
        json: &[("/tab_id", "*"), ("/url", "*")],
        then: &[("get title", "Two")],
        ..Case::NEW
    },
    tab: Case {
        command: "tab",
        page: PAGE,
        pages: OTHER,
        first: &["newtab {site}/two"],
        line: "tab {first}",
        says: &["http://127.0.0.1:"],
        json: &[("/url", "*")],
        then: &[("get title", "One")],
        ..Case::NEW
    },
    closetab: Case {
        command: "closetab",
        page: PAGE,
        pages: OTHER,
        first: &["newtab {site}/two"],
        line: "closetab",
        says: &["closed"],
        json: &[("/closed", "*"), ("/active", "*")],
        then: &[("get title", "One")],
        ..Case::NEW
    },
}
