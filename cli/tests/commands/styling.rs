//! Styling.

use crate::case::{Case, cases};

const PAGE: &str = "<style>#go { color: rgb(1, 2, 3) } #go::before { content: 'x' }</style><button id=go>Go</button>";

cases! {
    css: Case {
        command: "css",
        page: PAGE,
        line: "css #go color",
        says: &["rgb(1, 2, 3)"],
        json: &[("", "\"rgb(1, 2, 3)\"")],
        then: &[("css #go content --pseudo before", "\"x\"")],
        ..Case::NEW
    },
}
