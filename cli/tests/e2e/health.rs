//! `skill check`: what breaks a skill or changes its page is distinguished from what
//! only looks different.

use std::fs;

use serde_json::{Value, json};

use crate::{project::Project, site::Site};

const PAGE: &str = r#"<!DOCTYPE html>
<title>Lamps</title><nav><a href="/">Home</a> <a href="/help">Help</a></nav><main><h1>Lamps</h1>
<form action="/find"><label>Search <input name="q"></label>
<label>Colour <select name="c"><option>white</option><option>black</option></select></label>
<label><input type="checkbox" name="s"> On sale</label><button>Find</button></form>
<ul id="results">
<li class="card"><h3><a href="/i/1">Blue lamp</a></h3><img src="data:," alt="blue"><span class="price">€12.00</span><time>2026-01-02</time><p>In stock now</p></li>
<li class="card"><h3><a href="/i/2">Red lamp</a></h3><img src="data:," alt="red"><span class="price">€15.50</span><time>2026-01-03</time><p>In stock soon</p></li>
<li class="card"><h3><a href="/i/3">Old lamp</a></h3><img src="data:," alt="old"><span class="price">€7.00</span><time>2026-01-04</time><p>The last one</p></li>
<li class="card"><h3><a href="/i/4">Tall lamp</a></h3><img src="data:," alt="tall"><span class="price">€99.00</span><time>2026-01-05</time><p>In stock now</p></li>
</ul>
<table id="rates"><tr><th>Country</th><th>Days</th><th>Price</th></tr><tr><td>Norway</td><td>3</td><td>4.00</td></tr><tr><td>Chile</td><td>9</td><td>8.00</td></tr></table>
<p>Total <output id="total">31.50</output></p></main>"#;

/// A change of the page: its name, and what is replaced by what, everywhere.
type Change = (&'static str, &'static [(&'static str, &'static str)]);

/// What a check has to find, and what it calls it.
const DRIFTS: &[(&str, Change)] = &[
    ("broken", ("the id of the result", &[("id=\"total\"", "id=\"sum\"")])),
    ("broken", ("no result", &[("31.50", "")])),
    ("drifted", ("words in the place of a number", &[("31.50", "on request")])),
    ("broken", ("the list is gone", &[("<ul id=\"results\">", "<ul>")])),
    ("broken", ("the list is empty", &[("<li class=\"card\">", "<li hidden>")])),
    (
        "drifted",
        (
            "records without prices",
            &[
                ("<span class=\"price\">", "<span hidden>"),
                ("€", ""),
                ("12.00", ""),
                ("15.50", ""),
                ("7.00", ""),
                ("99.00", ""),
            ],
        ),
    ),
    (
        "drifted",
        ("records without links", &[("<h3><a href=", "<h3><b title="), ("</a></h3>", "</b></h3>")]),
    ),
    ("drifted", ("records without pictures", &[("<img src=\"data:,\"", "<i")])),
    (
        "drifted",
        ("records without dates", &[("<time>", "<time hidden><!--"), ("</time>", "--></time>")]),
    ),
    ("drifted", ("another column", &[("<th>Price</th>", "<th>Tax</th><th>Price</th>")])),
    (
        "drifted",
        (
            "columns in another order",
            &[("<th>Country</th><th>Days</th>", "<th>Days</th><th>Country</th>")],
        ),
    ),
    (
        "drifted",
        ("a column less", &[("<th>Days</th>", ""), ("<td>3</td>", ""), ("<td>9</td>", "")]),
    ),
    ("broken", ("a button of another name", &[("<button>Find", "<button>Look up")])),
    ("broken", ("a button that takes no clicks", &[("<button>", "<button disabled>")])),
    ("broken", ("two buttons of one name", &[("</form>", "<button>Find</button></form>")])),
    ("broken", ("a hidden button", &[("<button>", "<button style=\"display:none\">")])),
    ("broken", ("a field of another label", &[("<label>Search", "<label>Keywords")])),
    ("broken", ("a choice less", &[("<option>black</option>", "")])),
    (
        "broken",
        (
            "a field in the place of a choice",
            &[(
                "<select name=\"c\"><option>white</option><option>black</option></select>",
                "<input name=\"c\">",
            )],
        ),
    ),
    (
        "broken",
        ("one of several in the place of a switch", &[("type=\"checkbox\"", "type=\"radio\"")]),
    ),
    (
        "drifted",
        (
            "another field that must be filled",
            &[("</form>", "<input name=\"zip\" required aria-label=\"Zip\"></form>")],
        ),
    ),
    (
        "drifted",
        (
            "a field that hides what is typed",
            &[("<input name=\"q\">", "<input name=\"q\" type=\"password\">")],
        ),
    ),
    ("broken", ("a page that wants a login", &[("<main>", "<h1>Log in</h1><main hidden>")])),
];

/// What must not be reported.
const COSMETICS: &[Change] = &[
    (
        "other classes",
        &[("class=\"card\"", "class=\"x7f3 _a\""), ("class=\"price\"", "class=\"p-91\"")],
    ),
    ("no classes", &[(" class=\"card\"", ""), (" class=\"price\"", "")]),
    (
        "more attributes, in another order",
        &[(
            "<input name=\"q\">",
            "<input autocomplete=\"off\" id=\"f19\" data-x=\"1\" name=\"q\">",
        )],
    ),
    (
        "other stories",
        &[("Blue lamp", "A lantern of glass from Murano"), ("In stock now", "Three left")],
    ),
    ("other prices", &[("12.00", "1,299.95"), ("15.50", "8")]),
    ("white space", &[("<li", "\n\n\t  <li"), ("</h3>", "</h3>\n   ")]),
    ("no white space", &[("\n", "")]),
    (
        "wrappers around the list",
        &[
            ("<ul id=\"results\">", "<div><section><ul id=\"results\">"),
            ("</ul>", "</ul></section></div>"),
        ],
    ),
    ("wrappers in the records", &[("<h3>", "<div><div><h3>"), ("</h3>", "</h3></div></div>")]),
    (
        "a wrapper around everything",
        &[("<main>", "<div><div><main>"), ("</main>", "</main></div></div>")],
    ),
    (
        "an advertisement in the list",
        &[("<ul id=\"results\">", "<ul id=\"results\"><li><p>Buy a sofa</p></li>")],
    ),
    (
        "an advertisement above",
        &[(
            "<main>",
            "<aside><img alt=\"ad\" src=\"data:,\"><a href=\"/ad\">Sponsored: sofas</a></aside><main>",
        )],
    ),
    (
        "new records",
        &[(
            "</ul>",
            "<li><h3><a href=\"/i/5\">New</a></h3><img src=\"data:,\" alt=\"n\"><span>€1</span><time>2026-02-02</time><p>Yes</p></li></ul>",
        )],
    ),
    (
        "fewer records",
        &[(
            "<li class=\"card\"><h3><a href=\"/i/4\">Tall lamp</a></h3><img src=\"data:,\" alt=\"tall\"><span class=\"price\">€99.00</span><time>2026-01-05</time><p>In stock now</p></li>",
            "",
        )],
    ),
    ("one record without a price", &[("<span class=\"price\">€7.00</span>", "")]),
    ("styles", &[("<main>", "<style>li{color:red}</style><main style=\"padding:1em\">")]),
    ("comments and scripts", &[("<ul", "<!-- list --><script>window.x = 1</script><ul")]),
    ("another title", &[("<title>Lamps", "<title>Lamps | Shop of the year")]),
    ("more navigation", &[("</nav>", "<a href=\"/new\">New</a><a href=\"/sale\">Sale</a></nav>")]),
    (
        "a footer",
        &[(
            "</main>",
            "</main><footer><ul><li><a href=\"/terms\">Terms</a></li><li><a href=\"/jobs\">Jobs</a></li></ul></footer>",
        )],
    ),
    ("bold figures", &[("€12.00", "<b>€12</b>.00"), ("€15.50", "<b>€15</b>.50")]),
    ("another total", &[("31.50", "1,204.00")]),
    (
        "a picture in the button",
        &[("<button>Find", "<button><svg width=\"9\" height=\"9\"></svg> Find")],
    ),
    (
        "a cookie banner",
        &[(
            "</main>",
            "</main><div style=\"position:fixed;bottom:0\"><p>We use cookies</p><button>Fine</button></div>",
        )],
    ),
    ("tags in capitals", &[("<li", "<LI"), ("</li>", "</LI>"), ("<time>", "<TIME>")]),
];

/// What the recording of a skill of the page leaves.
fn notes(url: &str) -> Value {
    let used = |command: &str, target: &str, role: &str| json!({"command": command, "target": target, "role": role});
    let mut choice = used("select", "label=Colour", "combobox");
    choice["options"] = json!(["black"]);
    let read = |target: &str, answer: &str| json!({"command": "text", "arguments": {"target": target}, "answer": answer});
    let targets = json!([
        used("fill", "label=Search", "textbox"),
        choice,
        used("check", "role=checkbox[name=\"On sale\"]", "checkbox"),
        used("click", "role=button[name=\"Find\"]", "button"),
    ]);
    let reads =
        json!([read("#results", "Blue lamp"), read("#rates", "Country"), read("#total", "31.50")]);
    json!({"result": "31.50", "pages": [{"url": url, "reachable": true, "targets": targets, "reads": reads}]})
}

/// Writes a skill that was made for the page at `path`.
fn skill(project: &Project, site: &Site, name: &str, path: &str) {
    let folder = project.path().join(".browse/skills").join(name);
    fs::create_dir_all(folder.join("fixtures")).expect("a folder");
    let host = format!("127.0.0.1:{}", site.port());
    let manual = format!("---\nname: {name}\ndescription: Reads.\nhost: {host}\n---\n");
    let notes = notes(&site.url(path)).to_string();
    for (file, text) in [
        ("SKILL.md", manual.as_str()),
        ("script.py", ""),
        ("fixtures/a-2026-01-01.html", PAGE),
        ("fixtures/a-2026-01-01.json", notes.as_str()),
    ] {
        fs::write(folder.join(file), text).expect("written");
    }
}

fn changed((_, changes): &Change) -> String {
    let mut page = PAGE.to_owned();
    for (from, to) in *changes {
        assert!(page.contains(from), "{from} is not on the page");
        page = page.replace(from, to);
    }
    page
}

#[test]
fn drifts_are_found_and_cosmetic_changes_are_not() {
    let drifts = DRIFTS.iter().map(|(state, change)| (*state, change));
    let all: Vec<(&str, &Change)> =
        drifts.chain(COSMETICS.iter().map(|change| ("fresh", change))).collect();
    assert!(DRIFTS.len() >= 20 && COSMETICS.len() >= 20);
    let pages: Vec<_> = all
        .iter()
        .enumerate()
        .map(|(at, (_, change))| (format!("/{at}"), changed(change)))
        .collect();
    let pages: Vec<_> = pages.iter().map(|(path, page)| (path.as_str(), page.as_str())).collect();
    let (site, project) =
        (Site::serve(&pages), Project::new().with("BROWSE_BUNDLED_SKILLS", "/nowhere"));
    for at in 0..all.len() {
        skill(&project, &site, &format!("s{at:02}"), &format!("/{at}"));
    }
    skill(&project, &site, "s99", "/not-there");
    let output = project.run(&["--json", "--raw", "skill", "check", "--all"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    let document: Value = serde_json::from_str(&output.stdout).expect("JSON");
    let found = document["result"].as_array().expect("a list");
    let wrong: Vec<String> = all
        .iter()
        .zip(found)
        .filter(|((wanted, _), found)| found["state"] != **wanted)
        .map(|((wanted, change), found)| {
            format!("{}: {wanted} wanted: {} {}", change.0, found["state"], found["reasons"])
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(
        found.last().map(|skill| &skill["reasons"][0]),
        Some(&json!("the page answers with 404"))
    );
}

#[test]
fn a_skill_that_is_fresh_exits_with_0() {
    let (site, project) = (Site::page(PAGE), Project::new());
    skill(&project, &site, "lamps", "/");
    assert_eq!(project.ok(&["--raw", "skill", "check", "lamps"]).trim(), "lamps fresh");
    assert_eq!(project.fail(&["skill", "check"]), ("ARGUMENT_INVALID".to_owned(), 2));
    assert_eq!(project.fail(&["skill", "check", "no"]).0, "SKILL_NOT_FOUND");
}

#[test]
fn a_host_that_the_network_does_not_reach_leaves_its_skill_unchecked() {
    let project = Project::new();
    let folder = project.path().join(".browse/skills/far");
    fs::create_dir_all(folder.join("fixtures")).expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("writable");
    write(
        "SKILL.md",
        "---\nname: far\ndescription: Far away.\nhost: [far.invalid]\ntriggers: [far]\nargs: []\nversion: 1.0.0\nsource: human\ntrusted: false\n---\n\n# far\n",
    );
    write("script.py", "print('{}')\n");
    write(
        "fixtures/far.invalid-2026-11-25.html",
        "<!DOCTYPE html>\n<!-- saved from url=(0020)https://far.invalid/ -->\n<p>Text</p>\n",
    );
    for args in [["skill", "check", "--all"], ["skill", "check", "far"]] {
        let found = project.ok(&[&["--raw"], &args[..]].concat());
        assert!(found.contains("far unchecked the network does not reach far.invalid"), "{found}");
    }
    // It is due again at once.
    let list = project.ok(&["--raw", "skill", "list", "--source", "project"]);
    assert!(list.contains("(never checked)"), "{list}");
    assert_ne!(project.ok(&["--raw", "skill", "check", "--due", "7d"]), "");
}
