//! The visible browser.

use crate::case::{Case, cases};

const PAGE: &str = "<title>Seen</title><button>Go</button>";

cases! {
    connect: Case {
        command: "connect",
        page: PAGE,
        screen: true,
        line: "connect",
        says: &["visible, with 1 tab", "the side panel shows what you do", "browse disconnect"],
        json: &[("/tabs/0/id", "*"), ("/tabs/0/url", "*"), ("/tabs/1", "null")],
        then: &[
            ("get title", "Seen"),
            ("focus", "in front"),
            ("highlight text=Go", "drawn"),
            ("disconnect", "hidden browser"),
        ],
        ..Case::NEW
    },
    disconnect: Case {
        command: "disconnect",
        page: PAGE,
        screen: true,
        first: &["connect"],
        line: "disconnect",
        says: &["hidden browser, with 1 tab"],
        json: &[("/tabs/0/id", "*"), ("/tabs/0/note", "null")],
        then: &[("get title", "Seen"), ("focus", "no person sees it")],
        ..Case::NEW
    },
    handoff: Case {
        command: "handoff",
        page: PAGE,
        screen: true,
        line: "handoff 'solve the captcha'",
        says: &["visible, with 1 tab", "ask the person: solve the captcha", "browse resume"],
        json: &[("/tabs/0/url", "*"), ("/tabs/0/note", "null")],
        then: &[("status", "solve the captcha"), ("resume", "same http://127.0.0.1:")],
        ..Case::NEW
    },
    resume: Case {
        command: "resume",
        page: PAGE,
        screen: true,
        first: &["handoff"],
        line: "resume",
        says: &["same http://127.0.0.1:"],
        json: &[("/tabs/0/change", "\"same\""), ("/tabs/0/before", "*")],
        then: &[("get title", "Seen")],
        ..Case::NEW
    },
    focus: Case {
        command: "focus",
        page: PAGE,
        line: "focus text=Go",
        says: &["the active one; no person sees it", "button \"Go\""],
        json: &[("/visible", "false"), ("/tab", "*"), ("/receipt/focus", "*")],
        then: &[("is focused text=Go", "true")],
        ..Case::NEW
    },
}
