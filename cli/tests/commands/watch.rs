//! Watching.

use crate::case::{Case, cases};

const PAGE: &str = "<title>One</title><h1>Head</h1>";

cases! {
    watch: Case {
        command: "watch",
        page: PAGE,
        line: "watch --timeout 400ms",
        says: &["watching http://127.0.0.1:", "\"One\""],
        json: &[("/at", "0"), ("/title", "\"One\""), ("/diff", "\"\"")],
        ..Case::NEW
    },
    watch_stop: Case {
        command: "watch stop",
        page: PAGE,
        line: "watch stop",
        says: &["ended 0"],
        json: &[("/ended", "0")],
        ..Case::NEW
    },
}
