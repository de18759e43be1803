//! Interaction.

use crate::case::{Case, cases};

const FORM: &str = "<title>Form</title><input id=name value=old>\
    <button id=go onclick=\"document.title = 'clicked'\" ondblclick=\"document.title = 'twice'\" \
    onmouseover=\"this.textContent = 'over'\">Go</button>\
    <select id=city><option>Rome<option value=b>Berlin</select>\
    <input id=agree type=checkbox><input id=done type=checkbox checked>\
    <div style=height:3000px></div><p id=low>Low</p>";

const DRAG: &str = "<style>div { width: 90px; height: 60px; margin: 20px; background: silver }</style>\
    <div id=card draggable=true>card</div><div id=box>box</div><script>\
    card.ondragstart = event => event.dataTransfer.setData('text/plain', 'card');\
    box.ondragover = event => event.preventDefault();\
    box.ondrop = event => { event.preventDefault(); box.textContent = 'got ' + event.dataTransfer.getData('text/plain') };\
    </script>";

const ASKING: &str = "<button onclick=\"document.title = prompt('Who?', 'nobody')\">Ask</button>";

const PAD: &str = "<body style=margin:0><div id=pad style='width: 200px; height: 100px; background: silver'></div><script>\
    for (const kind of ['move', 'down', 'up']) pad.addEventListener('pointer' + kind, \
    event => document.title = `${kind} ${event.clientX},${event.clientY} ${event.buttons}`)</script>";

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
    click_download: Case {
        command: "click --download",
        page: "<button id=get>Get</button><script>get.onclick = () => { \
            const link = document.createElement(`a`); link.download = `a b.csv`; \
            link.href = URL.createObjectURL(new Blob([`1,2`])); link.click(); }</script>",
        line: "click #get --download got.csv",
        says: &["got.csv"],
        json: &[("/path", "\"got.csv\""), ("/bytes", "3"), ("/sha256", "*")],
        writes: &[("got.csv", b"1,2")],
        then: &[("downloads", "\"a b.csv\": ")],
        ..Case::NEW
    },
    dblclick: Case {
        command: "dblclick",
        page: FORM,
        line: "dblclick #go",
        says: &["title: \"twice\""],
        json: &[("/summary", "*")],
        then: &[("get title", "twice")],
        ..Case::NEW
    },
    hover: Case {
        command: "hover",
        page: FORM,
        line: "hover #go",
        says: &["new text: \"over\""],
        json: &[("/summary", "*")],
        then: &[("text #go", "over")],
        ..Case::NEW
    },
    fill: Case {
        command: "fill",
        page: FORM,
        line: "fill #name 'Ada Lovelace'",
        says: &["value: \"Ada Lovelace\""],
        json: &[("/summary", "*")],
        then: &[("get value #name", "Ada Lovelace")],
        ..Case::NEW
    },
    type_: Case {
        command: "type",
        page: FORM,
        first: &["click #name", "press End"],
        line: "type er",
        says: &["value: \"older\""],
        json: &[("/summary", "*")],
        then: &[("get value #name", "older")],
        ..Case::NEW
    },
    press: Case {
        command: "press",
        page: FORM,
        first: &["click #name", "press Control+A"],
        line: "press x",
        says: &["value: \"x\""],
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
    drag: Case {
        command: "drag",
        page: DRAG,
        line: "drag #card #box",
        says: &["dropped"],
        json: &[("/summary", "*")],
        then: &[("text #box", "got card")],
        ..Case::NEW
    },
    mouse_move: Case {
        command: "mouse move",
        page: PAD,
        line: "mouse move 30 40",
        says: &["title: \"move 30,40 0\""],
        json: &[("/summary", "*")],
        ..Case::NEW
    },
    mouse_down: Case {
        command: "mouse down",
        page: PAD,
        line: "mouse down #pad --offset 5,6 --button right",
        says: &["title: \"down 5,6 2\""],
        json: &[("/summary", "*")],
        ..Case::NEW
    },
    mouse_up: Case {
        command: "mouse up",
        page: PAD,
        first: &["mouse down 10,10", "mouse move 50 60"],
        line: "mouse up",
        says: &["title: \"up 50,60 0\""],
        json: &[("/summary", "*")],
        ..Case::NEW
    },
    mouse_wheel: Case {
        command: "mouse wheel",
        page: FORM,
        line: "mouse wheel 500",
        says: &["scrolled to 0, 500"],
        json: &[("/summary", "*")],
        then: &[("js 'scrollY'", "500")],
        ..Case::NEW
    },
    upload: Case {
        command: "upload",
        page: "<input id=file type=file multiple><script>file.onchange = async () => \
            document.title = await file.files[0].text() + file.files.length</script>",
        files: &[("a.txt", "alpha"), ("b.txt", "beta")],
        line: "upload #file a.txt b.txt",
        says: &["uploaded: \"a.txt, b.txt\""],
        json: &[("/summary", "*")],
        then: &[("wait 100", ""), ("get title", "alpha2")],
        ..Case::NEW
    },
    dialog_accept: Case {
        command: "dialog-accept",
        page: ASKING,
        first: &["click button"],
        line: "dialog-accept Ada",
        says: &["prompt \"Who?\", answered \"Ada\"", "title: \"Ada\""],
        json: &[("/dialog", "*"), ("/question", "null")],
        ..Case::NEW
    },
    dialog_accept_next: Case {
        command: "dialog-accept",
        page: FORM,
        line: "dialog-accept Ada",
        says: &["the next dialog is accepted with this text"],
        json: &[("/summary", "*")],
        then: &[("js 'prompt()'", "Ada")],
        ..Case::NEW
    },
    dialog_dismiss: Case {
        command: "dialog-dismiss",
        page: ASKING,
        first: &["click button"],
        line: "dialog-dismiss",
        says: &["prompt \"Who?\", dismissed", "title: \"null\""],
        json: &[("/summary", "*")],
        then: &[("dialog-dismiss", "the next dialog is dismissed"), ("js 'confirm()'", "false")],
        ..Case::NEW
    },
    // One clipboard for all: both cases write the same.
    clipboard_read: Case {
        command: "clipboard read",
        page: FORM,
        first: &["clipboard write 'from the clipboard'"],
        line: "clipboard read",
        says: &["from the clipboard"],
        json: &[("", "\"from the clipboard\"")],
        ..Case::NEW
    },
    clipboard_write: Case {
        command: "clipboard write",
        page: FORM,
        first: &["click #name", "press Control+A"],
        line: "clipboard write 'from the clipboard'",
        says: &["18 characters"],
        json: &[("/characters", "18")],
        then: &[("press Control+V", ""), ("get value #name", "from the clipboard")],
        ..Case::NEW
    },
}
