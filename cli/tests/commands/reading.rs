//! Reading.

use crate::case::{Case, cases};

const ARTICLE: &str = "<title>News</title><main><h1>Head</h1><p>Body text</p>\
    <a href=/more>More</a><a href=/more>Again</a></main><p hidden>Secret</p>";

cases! {
    text: Case {
        command: "text",
        page: ARTICLE,
        line: "text main",
        says: &["--- untrusted", "Body text"],
        json: &[("", "*")],
        ..Case::NEW
    },
    html: Case {
        command: "html",
        page: ARTICLE,
        line: "html h1",
        says: &["Head"],
        json: &[("", "\"Head\"")],
        ..Case::NEW
    },
    links: Case {
        command: "links",
        page: ARTICLE,
        line: "links",
        says: &["More → http://127.0.0.1"],
        json: &[("/0/text", "\"More\""), ("/0/href", "*")],
        ..Case::NEW
    },
    find: Case {
        command: "find",
        page: ARTICLE,
        line: "find /Mo.e/",
        says: &["@e", "link \"More\""],
        json: &[("/count", "1"), ("/matches", "*")],
        ..Case::NEW
    },
}
