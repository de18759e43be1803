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
}
