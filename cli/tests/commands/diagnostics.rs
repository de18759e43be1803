//! Diagnostics.

use crate::case::{Case, cases};

cases! {
    cdp: Case {
        command: "cdp",
        page: "<title>Raw</title><h1>Here</h1>",
        line: "cdp DOM.getDocument '{\"depth\": 0}'",
        says: &["--- untrusted", "\"nodeName\":\"#document\""],
        json: &[("/value/root/nodeName", "\"#document\"")],
        then: &[
            ("cdp Page.getLayoutMetrics", "cssLayoutViewport"),
            ("cdp", "Page.getLayoutMetrics (tab, trusted): "),
        ],
        ..Case::NEW
    },
    trace_start: Case {
        command: "trace start",
        page: "<title>Traced</title>",
        line: "trace start",
        says: &["tracing ", "devtools.timeline"],
        json: &[("/categories/0", "*")],
        then: &[("trace stop", ".json")],
        alone: true,
        ..Case::NEW
    },
    trace_stop: Case {
        command: "trace stop",
        page: "<title>Traced</title>",
        first: &["trace start --categories devtools.timeline"],
        line: "trace stop trace.json",
        says: &["trace.json"],
        json: &[("/path", "*"), ("/truncated", "false")],
        writes: &[("trace.json", b"{\"traceEvents\":[")],
        alone: true,
        ..Case::NEW
    },
    trace_start_steps: Case {
        command: "trace start --steps",
        page: "<title>Traced</title>",
        line: "trace start --steps",
        says: &["recording the steps of session trace-start---steps", " as trace "],
        json: &[("/session", "*"), ("/id", "*")],
        then: &[("trace stop --steps", ".zip")],
        alone: true,
        ..Case::NEW
    },
    trace_stop_steps: Case {
        command: "trace stop --steps",
        page: "<title>Traced</title><button>Go</button>",
        first: &["trace start --steps", "goto {site}/", "click button"],
        line: "trace stop --steps steps.zip",
        says: &["steps.zip"],
        json: &[("/path", "*"), ("/note", "*")],
        writes: &[("steps.zip", b"PK")],
        alone: true,
        ..Case::NEW
    },
    trace_list: Case {
        command: "trace list",
        page: "<title>Traced</title>",
        first: &["trace start --steps", "goto {site}/"],
        line: "trace list",
        says: &[" recording trace-list", " 1 steps, 0 failed, "],
        json: &[("/0/steps", "1"), ("/0/state", "\"recording\"")],
        then: &[("trace stop --steps", ".zip")],
        alone: true,
        ..Case::NEW
    },
    trace_show: Case {
        command: "trace show",
        page: "<title>Traced</title><button>Go</button>",
        first: &["trace start --steps", "goto {site}/", "click button", "trace stop --steps"],
        line: "trace show {trace} --search button",
        says: &["--- untrusted", "2 click {\"target\":\"button\"", " ok "],
        json: &[("/0/number", "2"), ("/0/has_picture", "true"), ("/1", "null")],
        alone: true,
        ..Case::NEW
    },
    trace_step: Case {
        command: "trace step",
        page: "<title>Traced</title><button onclick='console.log(41 + 1); name = fetch(\"/x\")'>Go",
        first: &["trace start --steps", "click button", "trace stop --steps"],
        line: "trace step {trace} 1",
        says: &["--- untrusted", "1 click ok", "console log: 42", "request GET", "button \"Go\""],
        json: &[("/step/command", "\"click\""), ("/console/0/text", "\"42\""), ("/snapshot", "*")],
        alone: true,
        ..Case::NEW
    },
    trace_picture: Case {
        command: "trace picture",
        page: "<title>Traced</title>",
        first: &["trace start --steps", "goto {site}/", "trace stop --steps"],
        line: "trace picture {trace} 1 page.jpg",
        says: &["page.jpg"],
        json: &[("/path", "*")],
        writes: &[("page.jpg", b"\xff\xd8")],
        alone: true,
        ..Case::NEW
    },
    trace_save: Case {
        command: "trace save",
        page: "<title>Traced</title>",
        first: &["trace start --steps", "goto {site}/", "trace stop --steps"],
        line: "trace save {trace} requests.har",
        says: &["requests.har"],
        json: &[("/path", "*")],
        writes: &[("requests.har", b"{\"log\":{")],
        alone: true,
        ..Case::NEW
    },
    trace_remove: Case {
        command: "trace remove",
        page: "<title>Traced</title>",
        first: &["trace start --steps", "trace stop --steps"],
        line: "trace remove {trace}",
        says: &["removed 1"],
        json: &[("/removed", "1")],
        alone: true,
        ..Case::NEW
    },
}
