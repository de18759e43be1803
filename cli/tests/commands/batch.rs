//! Several commands in one call.

use crate::case::{Case, cases};

const PAGE: &str = "<title>One</title><h1>Head</h1>";

cases! {
    chain: Case {
        command: "chain",
        page: PAGE,
        line: "chain",
        input: "[\"get\", \"title\"]\n[\"text\", \"h1\"]\n",
        says: &["One", "Head"],
        json: &[("/0/command", "\"get\""), ("/1/result", "\"Head\"")],
        ..Case::NEW
    },
    batch: Case {
        command: "batch",
        page: PAGE,
        line: "batch",
        input: "{\"command\": [\"get\", \"title\"]}\n{\"command\": [\"text\", \"h1\"]}\n",
        says: &["1 get: One", "2 text: Head"],
        json: &[("/0/result", "\"One\""), ("/1/result", "\"Head\"")],
        ..Case::NEW
    },
    tab_each: Case {
        command: "tab-each",
        page: PAGE,
        pages: &[("/two", "<title>Two</title>")],
        first: &["newtab {site}/two"],
        line: "tab-each get title",
        says: &[": One\ntab", ": Two\n"],
        json: &[("/0/result", "\"One\""), ("/1/result", "\"Two\""), ("/2", "null")],
        ..Case::NEW
    },
}
