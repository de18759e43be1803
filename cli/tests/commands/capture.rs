//! Capture.

use crate::case::{Case, cases};

const TALL: &str = "<title>Tall</title><p class=ad>Buy</p><div id=bar \
    style='position:fixed;bottom:0;width:100%;height:90px'>Cookies?</div><h1>Head</h1>\
    <div style=height:3000px></div><h2 id=low>Low</h2><div style=height:3000px></div>";

cases! {
    screenshot: Case {
        command: "screenshot",
        page: "<title>Picture</title><h1>Here</h1>",
        line: "screenshot page.png",
        says: &["page.png"],
        json: &[("/path", "*"), ("/width", "1280")],
        writes: &[("page.png", b"\x89PNG")],
        ..Case::NEW
    },
    pretty: Case {
        command: "prettyscreenshot",
        page: TALL,
        line: "prettyscreenshot --scroll-to #low --hide .ad --cleanup page.jpg",
        says: &["page.jpg"],
        json: &[("/path", "*"), ("/width", "1280"), ("/height", "720")],
        writes: &[("page.jpg", b"\xff\xd8\xff")],
        then: &[("is visible .ad", "true"), ("is visible #bar", "true"), ("js scrollY", "0")],
        ..Case::NEW
    },
    responsive: Case {
        command: "responsive",
        page: TALL,
        line: "responsive home",
        says: &["home-mobile.png\nhome-tablet.png\nhome-desktop.png"],
        json: &[
            ("/pictures/0/width", "375"),
            ("/pictures/0/height", "812"),
            ("/pictures/1/width", "768"),
            ("/pictures/2/path", "\"home-desktop.png\""),
        ],
        writes: &[("home-mobile.png", b"\x89PNG"), ("home-desktop.png", b"\x89PNG")],
        then: &[("js '[innerWidth, innerHeight]'", "[1280,720]")],
        ..Case::NEW
    },
    pdf: Case {
        command: "pdf",
        page: TALL,
        line: "pdf page.pdf --format a4 --margins 2cm --page-numbers --outline --tagged",
        says: &["page.pdf"],
        json: &[("/path", "\"page.pdf\""), ("/mime", "\"application/pdf\""), ("/bytes", "*")],
        writes: &[("page.pdf", b"%PDF-")],
        ..Case::NEW
    },
    print_html: Case {
        command: "pdf --from-html",
        files: &[("in.html", "<h1>Paper</h1>")],
        line: "pdf --from-html in.html out.pdf --width 10cm --height 20cm",
        says: &["out.pdf"],
        json: &[("/path", "\"out.pdf\"")],
        writes: &[("out.pdf", b"%PDF-")],
        then: &[("url", "about:blank")],
        ..Case::NEW
    },
    archive: Case {
        command: "archive",
        page: TALL,
        line: "archive page.mhtml",
        says: &["page.mhtml"],
        json: &[("/path", "\"page.mhtml\"")],
        writes: &[("page.mhtml", b"From: <Saved by")],
        ..Case::NEW
    },
    download: Case {
        command: "download",
        page: "<a id=get href=/two download=two.txt>Two</a>",
        pages: &[("/two", "<p>The file</p>")],
        line: "download #get two.html",
        says: &["two.html"],
        json: &[("/path", "\"two.html\""), ("/bytes", "15"), ("/sha256", "*")],
        writes: &[("two.html", b"<p>The file</p>")],
        then: &[("text #get", "Two")],
        ..Case::NEW
    },
    list_downloads: Case {
        command: "downloads",
        page: "<a id=get href=/two download=two.txt>Two</a>",
        pages: &[("/two", "<p>The file</p>")],
        first: &["click #get"],
        line: "downloads --wait",
        says: &[" \"two.txt\": ", "15 bytes", "/.browse/downloads/", "two.txt"],
        json: &[
            ("/0/state", "\"complete\""),
            ("/0/name", "\"two.txt\""),
            ("/0/path", "*"),
            ("/0/bytes", "15"),
            ("/0/kept_until", "*"),
            ("/1", "null"),
        ],
        ..Case::NEW
    },
    clear_downloads: Case {
        command: "downloads --clear",
        page: "<a id=get href=/two download=two.txt>Two</a>",
        pages: &[("/two", "<p>The file</p>")],
        first: &["click #get", "downloads --wait"],
        line: "downloads --clear",
        says: &["removed 1"],
        json: &[("/removed", "1")],
        ..Case::NEW
    },
    scrape: Case {
        command: "scrape",
        page: "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='><div id=in><img src=/a.gif></div>",
        pages: &[("/a.gif", "GIF89a...")],
        line: "scrape images --dir pictures",
        says: &["pictures/manifest.json: 2 saved"],
        json: &[("/present", "0"), ("/saved/1/bytes", "*"), ("/failed", "[]")],
        writes: &[("pictures/a.gif", b"GIF89a"), ("pictures/manifest.json", b"{")],
        ..Case::NEW
    },
    record_start: Case {
        command: "record start",
        page: TALL,
        line: "record start --fps 5",
        says: &["recording 1280x720"],
        json: &[("/width", "1280")],
        ..Case::NEW
    },
    record_stop: Case {
        command: "record stop",
        page: TALL,
        first: &["record start", "click h1", "wait 500"],
        line: "record stop film.webm",
        says: &["film.webm"],
        json: &[("/path", "\"film.webm\""), ("/mime", "\"video/webm\"")],
        writes: &[("film.webm", b"\x1a\x45\xdf\xa3")],
        ..Case::NEW
    },
}
