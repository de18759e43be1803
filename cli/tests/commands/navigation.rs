//! Navigation.

use crate::case::{Case, cases};

const ONE: &str = "<title>One</title><h1>First</h1><a href=/two>Two</a>";
const TWO: &[(&str, &str)] = &[("/two", "<title>Two</title><h1>Second</h1>")];

cases! {
    goto: Case {
        command: "goto",
        page: ONE,
        pages: TWO,
        line: "goto {site}/two",
        says: &["200 http://127.0.0.1", "/two", "Two"],
        json: &[("/status", "200"), ("/title", "\"Two\"")],
        then: &[("get title", "Two")],
        ..Case::NEW
    },
    load_html: Case {
        command: "load-html",
        files: &[("page.html", "<title>Loaded</title><p>From a file</p>")],
        line: "load-html page.html",
        says: &["loaded", "Loaded"],
        json: &[("/title", "\"Loaded\"")],
        then: &[("text", "From a file")],
        ..Case::NEW
    },
    back: Case {
        command: "back",
        page: ONE,
        pages: TWO,
        first: &["goto {site}/two"],
        line: "back",
        says: &["One"],
        json: &[("/title", "\"One\"")],
        ..Case::NEW
    },
    forward: Case {
        command: "forward",
        page: ONE,
        pages: TWO,
        first: &["goto {site}/two", "back"],
        line: "forward",
        says: &["/two", "Two"],
        json: &[("/title", "\"Two\"")],
        ..Case::NEW
    },
    reload: Case {
        command: "reload",
        page: ONE,
        first: &["js 'document.title = 1'"],
        line: "reload",
        says: &["200", "One"],
        json: &[("/status", "200"), ("/title", "\"One\"")],
        ..Case::NEW
    },
    url: Case {
        command: "url",
        page: ONE,
        line: "url",
        says: &["http://127.0.0.1:"],
        json: &[("", "*")],
        ..Case::NEW
    },
    wait: Case {
        command: "wait",
        page: "<p id=late hidden>Late</p><script>setTimeout(() => late.hidden = false, 50)</script>",
        line: "wait #late",
        says: &["#late"],
        json: &[("/summary", "*")],
        then: &[("is visible #late", "true")],
        ..Case::NEW
    },
    frame: Case {
        command: "frame",
        page: "<p>Outer</p><iframe name=inner src=/inner></iframe>",
        pages: &[("/inner", "<p>Inner</p>")],
        line: "frame iframe",
        says: &["inner http://127.0.0.1"],
        json: &[("/frame", "\"inner\"")],
        then: &[
            ("text p", "Inner"),
            ("frame", "inner http"),
            ("frame main", "main http"),
            ("text p", "Outer"),
            ("frame --name inner", "inner"),
            ("frame --url '*/inner'", "inner"),
        ],
        ..Case::NEW
    },
}
