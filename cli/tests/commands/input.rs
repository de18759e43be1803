//! Interaction.

use crate::case::{Case, cases};

const FORM: &str = "<title>Form</title><input id=name value=old>\
    <button id=go onclick=\"document.title = 'clicked'\" ondblclick=\"document.title = 'twice'\" \
    onmouseover=\"this.textContent = 'over'\">Go</button>\
    <select id=city><option>Rome<option value=b>Berlin</select>\
    <input id=agree type=checkbox><input id=done type=checkbox checked>\
    <div style=height:3000px></div><p id=low>Low</p>";

cases! {
    click: Case {
        command: "click",
        page: FORM,
        line: "click #go",
        says: &["click"],
        json: &[("/summary", "*")],
        then: &[("get title", "clicked")],
        ..Case::NEW
    },
    dblclick: Case {
        command: "dblclick",
        page: FORM,
        line: "dblclick #go",
        says: &["title: twice"],
        json: &[("/summary", "*")],
        then: &[("get title", "twice")],
        ..Case::NEW
    },
    hover: Case {
        command: "hover",
        page: FORM,
        line: "hover #go",
        says: &["the page changed"],
        json: &[("/summary", "*")],
        then: &[("text #go", "over")],
        ..Case::NEW
    },
    fill: Case {
        command: "fill",
        page: FORM,
        line: "fill #name 'Ada Lovelace'",
        says: &["focus: textbox"],
        json: &[("/summary", "*")],
        then: &[("get value #name", "Ada Lovelace")],
        ..Case::NEW
    },
    type_: Case {
        command: "type",
        page: FORM,
        first: &["click #name", "press End"],
        line: "type er",
        says: &["the page changed"],
        json: &[("/summary", "*")],
        then: &[("get value #name", "older")],
        ..Case::NEW
    },
    press: Case {
        command: "press",
        page: FORM,
        first: &["click #name", "press Control+A"],
        line: "press x",
        says: &["the page changed"],
        json: &[("/summary", "*")],
        then: &[("get value #name", "x")],
        ..Case::NEW
    },
    select: Case {
        command: "select",
        page: FORM,
        line: "select #city Berlin",
        says: &["select"],
        json: &[("/summary", "*")],
        then: &[("get value #city", "b")],
        ..Case::NEW
    },
    check: Case {
        command: "check",
        page: FORM,
        line: "check #agree",
        says: &["check"],
        json: &[("/summary", "*")],
        then: &[("is checked #agree", "true")],
        ..Case::NEW
    },
    uncheck: Case {
        command: "uncheck",
        page: FORM,
        line: "uncheck #done",
        says: &["uncheck"],
        json: &[("/summary", "*")],
        then: &[("is checked #done", "false")],
        ..Case::NEW
    },
    scroll: Case {
        command: "scroll",
        page: FORM,
        line: "scroll #low",
        says: &["scroll"],
        json: &[("/summary", "*")],
        then: &[("js 'scrollY > 1000'", "true")],
        ..Case::NEW
    },
}
