//! Reading.

use crate::case::{Case, cases};

const ARTICLE: &str = "<title>News</title><main><h1>Head</h1><p>Body text</p>\
    <a href=/more>More</a><a href=/more>Again</a></main><p hidden>Secret</p>";

const FORM: &str = "<form name=sign method=post action=/up><label>Mail <input type=email name=mail required \
    value=a@b.c></label><input type=password aria-label=Password value=hunter2><select aria-label=Country>\
    <option>Denmark<option selected>Norway</select><button>Go</button></form><input aria-label=Loose>";

const RICH: &str = "<title>Rich</title><meta property=og:title content=Head><meta name=twitter:card content=summary>\
    <script type=application/ld+json>{\"@type\": \"Article\"}</script><nav><a href=/x>Menu</a></nav>\
    <main><h1>Head</h1><p>Some <b>bold</b> words and <a href=/more>more</a>.</p><ul><li>One<li>Two</ul>\
    <img alt=Dot width=9 height=9 src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'></main>";

cases! {
    text: Case {
        command: "text",
        page: ARTICLE,
        line: "text main",
        says: &["--- untrusted", "Body text"],
        json: &[("", "*")],
        ..Case::NEW
    },
    html: Case {
        command: "html",
        page: ARTICLE,
        line: "html h1",
        says: &["Head"],
        json: &[("", "\"Head\"")],
        ..Case::NEW
    },
    links: Case {
        command: "links",
        page: ARTICLE,
        line: "links",
        says: &["More → http://127.0.0.1"],
        json: &[("/0/text", "\"More\""), ("/0/href", "*")],
        ..Case::NEW
    },
    find: Case {
        command: "find",
        page: ARTICLE,
        line: "find /Mo.e/",
        says: &["@e", "link \"More\""],
        json: &[("/count", "1"), ("/matches", "*")],
        ..Case::NEW
    },
    forms: Case {
        command: "forms",
        page: FORM,
        line: "forms",
        says: &[
            "form \"sign\" post http://127.0.0.1",
            "email \"Mail\" [name=mail, required, value=\"a@b.c\"]",
            "password \"Password\" [secret]",
            "select \"Country\": Denmark | Norway*",
            "submit \"Go\"",
            "outside of forms",
        ],
        json: &[
            ("/forms/0/fields/0/type", "\"email\""),
            ("/forms/0/fields/0/required", "true"),
            ("/forms/0/fields/1/secret", "true"),
            ("/forms/0/fields/1/value", "null"),
            ("/forms/0/fields/2/options/1/selected", "true"),
            ("/fields/0/label", "\"Loose\""),
            ("/fields/0/ref", "*"),
        ],
        ..Case::NEW
    },
    accessibility: Case {
        command: "accessibility",
        page: ARTICLE,
        line: "accessibility",
        says: &["- heading \"Head\" [level=1]", "- link \"More\""],
        json: &[("/nodes/0/role", "\"main\""), ("/nodes/1/name", "\"Head\"")],
        ..Case::NEW
    },
    media: Case {
        command: "media",
        page: RICH,
        line: "media --images main",
        says: &["image 1x1 image/gif data:image/gif", "Dot"],
        json: &[("/0/kind", "\"image\""), ("/0/size", "\"1x1\""), ("/0/alt", "\"Dot\"")],
        ..Case::NEW
    },
    data: Case {
        command: "data",
        page: RICH,
        line: "data",
        says: &["title: Rich", "og:title: Head", "jsonld: {\"@type\":\"Article\"}"],
        json: &[
            ("/jsonld/0/@type", "\"Article\""),
            ("/og/0/name", "\"og:title\""),
            ("/twitter/0/content", "\"summary\""),
            ("/text", "null"),
        ],
        ..Case::NEW
    },
    markdown: Case {
        command: "markdown",
        page: RICH,
        line: "markdown",
        says: &["# Head", "Some **bold** words and [more](http://127.0.0.1", "- One\n- Two", "[image: Dot]"],
        json: &[("", "*")],
        ..Case::NEW
    },
    diff: Case {
        command: "diff",
        page: ARTICLE,
        pages: &[("/new", "<title>New</title><main><h1>Head</h1><p>Other text</p></main>")],
        line: "diff {site}/ {site}/new",
        says: &["\n-Body text\n", "\n+Other text\n"],
        json: &[("/added", "1"), ("/removed", "3"), ("/diff", "*")],
        then: &[("tabs", "News")],
        ..Case::NEW
    },
    ux_audit: Case {
        command: "ux-audit",
        page: RICH,
        line: "ux-audit",
        says: &["site: Rich", "Menu → http://127.0.0.1", "h1 Head", "- the document says no language"],
        json: &[
            ("/site/title", "\"Rich\""),
            ("/nav/0/text", "\"Menu\""),
            ("/headings/0/level", "1"),
            ("/counts/interactive", "2"),
        ],
        ..Case::NEW
    },
}
