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
}
