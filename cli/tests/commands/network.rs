//! Network.

use crate::case::{Case, cases};

cases! {
    fetch: Case {
        command: "fetch",
        pages: &[("/data", "{\"answer\": 42}")],
        line: "fetch {site}/data --parse",
        says: &["--- untrusted", "200 http://", "{\"answer\": 42}"],
        json: &[("/status", "200"), ("/value/answer", "42"), ("/headers/0/name", "*")],
        then: &[("fetch {site}/nowhere", "404 http://")],
        ..Case::NEW
    },
    fetch_send: Case {
        command: "fetch send",
        pages: &[("/data", "done")],
        line: "fetch send {site}/data --method PUT --header 'x-a: b' --body text -i",
        says: &["200 http://", "content-length: 4", "done"],
        json: &[("/status", "200"), ("/body", "\"done\"")],
        ..Case::NEW
    },
    approve: Case {
        command: "approve",
        line: "approve",
        says: &[""],
        json: &[("", "[]")],
        ..Case::NEW
    },
}
