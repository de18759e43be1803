//! Network.

use crate::case::{Case, cases};

cases! {
    fetch: Case {
        command: "fetch",
        pages: &[("/data", "{\"answer\": 42}")],
        line: "fetch {site}/data --parse",
        says: &["--- untrusted", "200 http://", "bytes\n{\"answer\": 42}"],
        json: &[("/status", "200"), ("/value/answer", "42"), ("/headers/0/name", "*")],
        then: &[("fetch {site}/nowhere", "404 http://")],
        ..Case::NEW
    },
    fetch_send: Case {
        command: "fetch send",
        pages: &[("/data", "done")],
        line: "fetch send {site}/data --method PUT --header 'x-a: b' --body text -i",
        says: &["200 http://", "content-length: 4", "\ndone"],
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
    route: Case {
        command: "network route",
        page: "<title>Routed</title>",
        files: &[("items.json", "[1, 2]")],
        line: "network route {site}/items --fulfil items.json --status 201",
        says: &["fulfil 201 http://"],
        json: &[("/action", "\"fulfil\""), ("/size", "6")],
        then: &[
            ("js 'fetch(`/items`).then(async r => [r.status, await r.json()])'", "[201,[1,2]]"),
            ("network routes", "1 hits"),
        ],
        ..Case::NEW
    },
    routes: Case {
        command: "network routes",
        page: "<title>Routed</title>",
        first: &["network route *.png --abort", "network route *.js --delay 10"],
        line: "network routes",
        says: &["abort *.png 0 hits", "continue *.js 0 hits"],
        json: &[("/0/glob", "\"*.png\""), ("/1/delay_ms", "10")],
        ..Case::NEW
    },
    unroute: Case {
        command: "network unroute",
        page: "<title>Routed</title>",
        pages: &[("/items", "real")],
        first: &["network route */items --body other"],
        line: "network unroute */items",
        says: &["removed 1"],
        json: &[("/removed", "1")],
        then: &[("js 'fetch(`/items`).then(r => r.text())'", "real")],
        ..Case::NEW
    },
    har_start: Case {
        command: "network har start",
        page: "<title>Recorded</title>",
        line: "network har start",
        says: &["recording tab "],
        json: &[("/tab", "*")],
        then: &[("network har stop", ".har")],
        ..Case::NEW
    },
    har_stop: Case {
        command: "network har stop",
        page: "<title>Recorded</title><p>Body</p>",
        first: &["network har start", "reload"],
        line: "network har stop requests.har",
        says: &["requests.har"],
        json: &[("/path", "*"), ("/entries", "1")],
        writes: &[("requests.har", b"{\"log\":")],
        ..Case::NEW
    },
}
