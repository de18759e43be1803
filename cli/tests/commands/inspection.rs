//! Inspection.

use crate::case::{Case, cases};

const FORM: &str = "<title>Form</title><label>Name <input id=name value=Ada></label>\
    <input id=agree type=checkbox checked><button id=go data-kind=main>Go</button>";
const LOUD: &str = "<script>console.error('broken ' + 1)</script>";

const WATCHED: &str = "<body style=margin:0><button id=go style=width:100px>Go</button>\
    <label>Name <input></label><script>changes = 0; new MutationObserver(all => changes += all.length)\
    .observe(document, {subtree: true, attributes: true, childList: true, characterData: true});\
    onload = () => setTimeout(() => { before = document.documentElement.outerHTML; changes = 0 })</script>";

cases! {
    snapshot: Case {
        command: "snapshot",
        page: FORM,
        line: "snapshot -i",
        says: &["textbox \"Name\"", "button \"Go\"", "checkbox"],
        json: &[("/nodes/0/role", "\"textbox\""), ("/nodes/0/box/width", "*")],
        ..Case::NEW
    },
    js: Case {
        command: "js",
        page: FORM,
        line: "js '({sum: 40 + 2})'",
        says: &["{\"sum\":42}"],
        json: &[("/sum", "42")],
        ..Case::NEW
    },
    eval: Case {
        command: "eval",
        page: FORM,
        files: &[("script.js", "const name = document.title;\nreturn name + '!';\n")],
        line: "eval script.js",
        says: &["Form!"],
        json: &[("", "\"Form!\"")],
        ..Case::NEW
    },
    is: Case {
        command: "is",
        page: FORM,
        line: "is checked #agree",
        says: &["true"],
        json: &[("", "true")],
        ..Case::NEW
    },
    get: Case {
        command: "get",
        page: FORM,
        line: "get value #name",
        says: &["Ada"],
        json: &[("", "\"Ada\"")],
        ..Case::NEW
    },
    highlight: Case {
        command: "highlight",
        page: FORM,
        line: "highlight #go",
        says: &["hidden", "button \"Go\""],
        json: &[("/outcome", "\"hidden\""), ("/element", "*")],
        then: &[("highlight --clear", "cleared")],
        ..Case::NEW
    },
    attrs: Case {
        command: "attrs",
        page: FORM,
        line: "attrs #go",
        says: &["data-kind=main"],
        json: &[("/0/name", "\"id\""), ("/1/value", "\"main\"")],
        ..Case::NEW
    },
    console: Case {
        command: "console",
        page: LOUD,
        line: "console --errors",
        says: &["error broken 1"],
        json: &[("/0/level", "\"error\""), ("/0/text", "\"broken 1\"")],
        ..Case::NEW
    },
    console_clear: Case {
        command: "console --clear",
        page: LOUD,
        line: "console --clear",
        says: &["removed 1"],
        json: &[("/removed", "1")],
        ..Case::NEW
    },
    network: Case {
        command: "network",
        page: FORM,
        line: "network --filter *127.0.0.1*",
        says: &["200 GET document"],
        json: &[("/0/status", "200"), ("/0/type", "\"document\"")],
        ..Case::NEW
    },
    network_clear: Case {
        command: "network --clear",
        page: FORM,
        line: "network --clear",
        says: &["removed"],
        json: &[("/removed", "*")],
        ..Case::NEW
    },
    network_show: Case {
        command: "network show",
        page: FORM,
        line: "network show 1",
        says: &["200", "document"],
        json: &[("/method", "\"GET\""), ("/status", "200")],
        ..Case::NEW
    },
    network_body: Case {
        command: "network show --body",
        page: FORM,
        line: "network show 1 --body",
        says: &["<title>Form</title>"],
        json: &[("/base64", "false"), ("/body", "*")],
        ..Case::NEW
    },
    perf: Case {
        command: "perf",
        page: FORM,
        first: &[
            "js 'new Promise(done => new PerformanceObserver(() => done(1))\
             .observe({type: \"largest-contentful-paint\", buffered: true}))'",
            "click #go",
        ],
        line: "perf",
        says: &["ttfb_ms: ", "fcp_ms: ", "load_ms: ", "navigation: navigate"],
        json: &[("/ttfb_ms", "*"), ("/cls", "*"), ("/lcp_ms", "*"), ("/navigation", "\"navigate\"")],
        ..Case::NEW
    },
    dialog: Case {
        command: "dialog",
        page: "<button onclick=\"confirm('Sure?'); prompt('Who?', 'Ada')\">Ask</button>",
        first: &["click button", "dialog-accept"],
        line: "dialog",
        says: &["confirm \"Sure?\", accepted", "prompt \"Who?\", open: answer with"],
        json: &[("/0/kind", "\"confirm\""), ("/1/default_text", "\"Ada\""), ("/1/open", "true")],
        ..Case::NEW
    },
    dialog_clear: Case {
        command: "dialog --clear",
        page: "<button onclick=\"alert('Hello')\">Ask</button>",
        first: &["click button"],
        line: "dialog --clear",
        says: &["removed 1"],
        json: &[("/removed", "1")],
        ..Case::NEW
    },
    expect: Case {
        command: "expect",
        page: "<p id=status>Saving</p><script>setTimeout(() => \
            document.getElementById('status').textContent = 'Saved', 200)</script>",
        line: "expect #status Saved",
        says: &["`#status` contains the text after"],
        json: &[("/waited_ms", "*")],
        then: &[("expect #status visible", "`#status` visible"), ("expect #none hidden", "hidden")],
        ..Case::NEW
    },
    snapshot_annotate: Case {
        command: "snapshot --annotate",
        page: WATCHED,
        line: "snapshot -ia -o marked.png",
        says: &["marked.png\n", "button \"Go\"", "textbox \"Name\""],
        json: &[
            ("/path", "\"marked.png\""),
            ("/marks/0/ref", "*"),
            ("/marks/0/box/width", "100.0"),
            ("/width", "1280"),
        ],
        writes: &[("marked.png", b"\x89PNG")],
        then: &[("js '[changes, before === document.documentElement.outerHTML]'", "[0,true]")],
        ..Case::NEW
    },
    snapshot_heatmap: Case {
        command: "snapshot --heatmap",
        page: WATCHED,
        line: "snapshot -H '{\"{ref}\": 0.8}' -o heat.png",
        says: &["heat.png\n", " 0.8 button \"Go\""],
        json: &[("/path", "\"heat.png\""), ("/marks/0/box/width", "100.0")],
        writes: &[("heat.png", b"\x89PNG")],
        then: &[("js '[changes, before === document.documentElement.outerHTML]'", "[0,true]")],
        ..Case::NEW
    },
}
