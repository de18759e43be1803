//! Roles, names and descriptions, by table.

use crate::fixture::{Tab, target};

/// Markup of the element with id `x`, its role, name and description.
const CASES: [(&str, &str, &str, &str); 54] = [
    ("<a id=x href=/>Go</a>", "link", "Go", ""),
    ("<a id=x>Go</a>", "generic", "", ""),
    ("<button id=x><img alt=Save></button>", "button", "Save", ""),
    ("<button id=x aria-label=' Close  me '>x</button>", "button", "Close me", ""),
    ("<button id=x title=Help>?</button>", "button", "?", "Help"),
    ("<button id=x title=Help></button>", "button", "Help", ""),
    (
        "<span id=a hidden>One</span><span id=b>Two</span><button id=x aria-labelledby='a b'>x</button>",
        "button",
        "One Two",
        "",
    ),
    (
        "<button id=x aria-labelledby='x f' aria-label=Delete></button><a id=f href=/>file</a>",
        "button",
        "Delete file",
        "",
    ),
    ("<label for=x>Name <b>first</b></label><input id=x>", "textbox", "Name first", ""),
    ("<label>Age <input id=x type=number> years</label>", "spinbutton", "Age years", ""),
    (
        "<label>Volume <input type=range value=40 id=y></label><label for=x>Flash <input value=3 aria-label=n> times</label><input type=checkbox id=x>",
        "checkbox",
        "Flash 3 times",
        "",
    ),
    ("<input id=x placeholder=Search type=search>", "searchbox", "Search", ""),
    ("<input id=x placeholder=p title=t>", "textbox", "t", ""),
    ("<input id=x type=submit>", "button", "Submit", ""),
    ("<input id=x type=button value=Press>", "button", "Press", ""),
    ("<input id=x type=image alt=Map>", "button", "Map", ""),
    ("<input id=x type=text list=l><datalist id=l></datalist>", "combobox", "", ""),
    ("<select id=x></select>", "combobox", "", ""),
    ("<select id=x multiple></select>", "listbox", "", ""),
    ("<img id=x alt=''>", "none", "", ""),
    ("<img id=x alt=Cat title=Dog>", "img", "Cat", "Dog"),
    ("<svg id=x width=9 height=9><title>Star</title></svg>", "img", "Star", ""),
    ("<fieldset id=x><legend>Size</legend></fieldset>", "group", "Size", ""),
    ("<figure id=x><figcaption>Fig</figcaption></figure>", "figure", "Fig", ""),
    ("<table id=x><caption>Cap</caption><tr><td>1</table>", "table", "Cap", ""),
    ("<table><tr><th id=x>H<th>I<tr><td>1<td>2</table>", "columnheader", "H", ""),
    ("<table><tr><th id=x scope=row>H<td>1</table>", "rowheader", "H", ""),
    ("<section id=x>s</section>", "generic", "", ""),
    ("<section id=x aria-label=S>s</section>", "region", "S", ""),
    ("<header id=x>h</header>", "banner", "", ""),
    ("<main><header id=x>h</header></main>", "generic", "", ""),
    ("<details><summary id=x>More</summary></details>", "button", "More", ""),
    ("<ul role=none><li id=x>a</ul>", "none", "", ""),
    ("<ul><li id=x>a</ul>", "listitem", "", ""),
    ("<button id=x role=none>b</button>", "button", "b", ""),
    ("<div id=x role='nonsense switch' aria-checked=true>s</div>", "switch", "s", ""),
    ("<div id=x role=heading aria-level=4>h</div>", "heading", "h", ""),
    (
        "<style>#x::before{content:'Pre '}</style><button id=x>post</button>",
        "button",
        "Pre post",
        "",
    ),
    (
        "<style>#x{text-transform:uppercase}</style><button id=x>shout</button>",
        "button",
        "SHOUT",
        "",
    ),
    ("<button id=x><div>One</div><div>Two</div></button>", "button", "One Two", ""),
    (
        "<button id=x>a<span>b</span> <span style='display:none'>no</span><span aria-hidden=true>no</span></button>",
        "button",
        "ab",
        "",
    ),
    (
        "<style>.h{visibility:hidden}</style><button id=x>Save <span class=h>no <b>nor this</b></span></button>",
        "button",
        "Save",
        "",
    ),
    (
        "<style>.h{visibility:hidden}</style><span id=a>Name <span class=h><b>no</b></span></span><input id=x aria-labelledby=a>",
        "textbox",
        "Name",
        "",
    ),
    (
        "<style>.h{visibility:hidden}</style><span id=a class=h>All <b>of it</b></span><input id=x aria-labelledby=a>",
        "textbox",
        "All of it",
        "",
    ),
    ("<button id=x><span><div>One</div></span>Two</button>", "button", "One Two", ""),
    (
        "<button id=x><span style='display:inline-block'>One</span><span style='display:inline-block'>Two</span></button>",
        "button",
        "One Two",
        "",
    ),
    (
        "<div id=a hidden>One<b>Two</b></div><input id=x aria-labelledby=a>",
        "textbox",
        "One Two",
        "",
    ),
    (
        "<label for=x>Show <select><option>10<option selected>20</select> rows</label><input type=checkbox id=x>",
        "checkbox",
        "Show 20 rows",
        "",
    ),
    (
        "<label for=x>Pay by <span role=combobox>card</span></label><input type=checkbox id=x>",
        "checkbox",
        "Pay by card",
        "",
    ),
    ("<div id=x contenteditable aria-label=Note>text</div>", "textbox", "Note", ""),
    ("<div contenteditable><p id=x contenteditable>text</p></div>", "paragraph", "", ""),
    ("<p id=d>Long</p><input id=x aria-describedby=d aria-label=n>", "textbox", "n", "Long"),
    ("<input id=x type=password aria-label=Secret>", "textbox", "Secret", ""),
    ("<div id=x contenteditable role=textbox aria-label=Note>text</div>", "textbox", "Note", ""),
];

#[tokio::test]
async fn roles_names_and_descriptions() {
    let tab = Tab::show("").await;
    let mut wrong = Vec::new();
    for (html, role, name, description) in CASES {
        tab.js(&format!("document.body.innerHTML = {}", serde_json::to_string(html).unwrap()))
            .await;
        let given = tab.engine.describe(&target("#x")).await.unwrap();
        if (given.role.as_str(), given.name.as_str(), given.description.as_str())
            != (role, name, description)
        {
            wrong.push(format!(
                "{html}\n  expected {role} {name:?} {description:?}\n  given    {} {:?} {:?}",
                given.role, given.name, given.description
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
