//! Styling.

use crate::case::{Case, cases};

const PAGE: &str = "<style>#go { color: rgb(1, 2, 3) } #go::before { content: 'x' }</style><button id=go>Go</button>";

const CLUTTER: &str = "<body style=overflow:hidden><header style=position:sticky;top:0>Site</header>\
    <main><h1>The article</h1><p>Text</p><div class='ad-banner'>Buy</div>\
    <div class=share-buttons><a href=/x>Share</a></div></main>\
    <div id=consent style=position:fixed;bottom:0>We use cookies <button>OK</button></div>";

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
    inspect: Case {
        command: "inspect",
        page: PAGE,
        line: "inspect #go",
        says: &[
            "<button#go>",
            "box: ",
            "  #go (1,0,0)",
            "{ color: rgb(1, 2, 3) }",
            "::before:",
            "#go::before (1,0,1)",
            "computed:\n  color: rgb(1, 2, 3)",
        ],
        json: &[
            ("/rules/0/specificity", "\"1,0,0\""),
            ("/rules/0/declarations/0/standing", "\"wins\""),
            ("/computed/0/name", "\"color\""),
            ("/box/border_box/width", "*"),
        ],
        ..Case::NEW
    },
    style: Case {
        command: "style",
        page: PAGE,
        line: "style #go color red",
        says: &["1 color: rgb(1, 2, 3) → rgb(255, 0, 0)"],
        json: &[("/id", "1"), ("/after", "\"rgb(255, 0, 0)\"")],
        then: &[
            ("css #go color", "rgb(255, 0, 0)"),
            ("inspect --history", "color: rgb(1, 2, 3) → rgb(255, 0, 0)"),
            ("inspect #go", "element.style { color: red }"),
        ],
        ..Case::NEW
    },
    style_undo: Case {
        command: "style --undo",
        page: PAGE,
        first: &["style #go color red", "style #go margin '3px 4px !important'"],
        line: "style --undo 1",
        says: &["undone 1 color: rgb(1, 2, 3)"],
        json: &[("/id", "1"), ("/property", "\"color\"")],
        then: &[
            ("style --undo", "undone 2 margin"),
            ("html body", "<button id=\"go\">Go</button>"),
            ("inspect --history", "none"),
        ],
        ..Case::NEW
    },
    cleanup: Case {
        command: "cleanup",
        page: CLUTTER,
        line: "cleanup --all",
        says: &["ads 1, cookies 1, social 1, sticky 1, the page scrolls again"],
        json: &[("/removed/0/kind", "\"ads\""), ("/unlocked", "true")],
        then: &[("text", "The article"), ("is hidden #consent", "true"), ("is visible main", "true")],
        ..Case::NEW
    },
}
