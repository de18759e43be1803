//! Page tools.

use crate::case::{Case, cases};

const PAGE: &str = "<form toolname=find tooldescription='Finds lamps' toolautosubmit action=/found>\
    <input name=q></form><script>document.modelContext.registerTool({name: 'sum',\
    description: 'Adds two numbers', inputSchema: {type: 'object'}, annotations: {readOnlyHint: true},\
    execute: ({a, b}) => a + b})</script>";

cases! {
    webmcp_list: Case {
        command: "webmcp list",
        page: PAGE,
        line: "webmcp list",
        says: &["--- untrusted", "sum: Adds two numbers {\"type\":\"object\"}", "find: Finds lamps {"],
        json: &[
            ("/0/name", "\"find\""),
            ("/0/form", "true"),
            ("/0/submits", "true"),
            ("/0/input_schema/properties/q/type", "\"string\""),
            ("/1/description", "\"Adds two numbers\""),
            ("/1/read_only", "true"),
        ],
        then: &[("webmcp list sum", "Adds two numbers")],
        ..Case::NEW
    },
    webmcp_call: Case {
        command: "webmcp call",
        page: PAGE,
        pages: &[("/found", "<title>Found</title>")],
        line: "webmcp call sum '{\"a\": 1, \"b\": 2}'",
        says: &["3"],
        json: &[("/output", "3"), ("/filled", "false")],
        then: &[("webmcp call find '{\"q\": \"lamp\"}'", "/found?q=lamp"), ("get title", "Found")],
        ..Case::NEW
    },
}
