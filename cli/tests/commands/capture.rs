//! Capture.

use crate::case::{Case, cases};

cases! {
    screenshot: Case {
        command: "screenshot",
        page: "<title>Picture</title><h1>Here</h1>",
        line: "screenshot page.png",
        says: &["page.png"],
        json: &[("/path", "*"), ("/width", "1280")],
        writes: &[("page.png", b"\x89PNG")],
        ..Case::NEW
    },
}
