//! Recording: a flow with detours on a shop, saved in each language, run again.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{project::Project, site::Site};

const HOME: &str = r#"<title>Shop</title><h1>Lamps</h1><a href="/about">About us</a>
<form action="/search"><label>Search <input name="q"></label><button>Find</button></form>
<div style="position:relative"><button id="offer">Special offer</button>
<div style="position:absolute;inset:0">cover</div></div>"#;

const SEARCH: &str = r#"<title>Results</title><ul></ul><script>
const wanted = new URLSearchParams(location.search).get('q');
for (const name of ['Blue lamp', 'Red lamp', 'Chair'].filter((n) => n.toLowerCase().includes(wanted)))
  document.querySelector('ul').innerHTML += `<li><a href="/item?${encodeURIComponent(name)}">${name}</a></li>`;
</script>"#;

const ITEM: &str = r#"<title>Item</title><h1></h1><label>Quantity <input type="number" name="n" value="1"></label>
<label>Colour <select name="c"><option>white<option>black</select></label>
<label><input type="checkbox" name="g"> Gift wrap</label><button data-testid="add">Add to cart</button><script>
const of = (name) => document.querySelector(`[name=${name}]`);
const item = decodeURIComponent(location.search.slice(1));
document.querySelector('h1').textContent = item;
document.querySelector('button').onclick = () =>
  localStorage.setItem('cart', `${of('n').value} x ${item}, ${of('c').value}${of('g').checked ? ', wrapped' : ''}`);
</script>"#;

/// What the page says of the password must not be kept either.
const CART: &str = r#"<title>Cart</title><label>API token <input id="f9"></label><p>Code <input type="password" id="code"></p><button id="apply">Apply</button>
<output id="total"></output><p id="echo"></p><script>
document.getElementById('apply').onclick = () => {
  const code = document.getElementById('code').value + '/' + document.getElementById('f9').value;
  document.getElementById('total').textContent = localStorage.getItem('cart') + (code === 's3cret code/open sesame' ? ', -10 %' : '');
  document.getElementById("echo").textContent = code;
};</script>"#;

const WANTED: &str = "3 x Blue lamp, black, wrapped, -10 %";

/// Drives the shop with several wrong attempts; refs come from snapshots.
fn drive(project: &Project, site: &Site) {
    let reference = |line: &str| {
        let tree = project.ok(&["--raw", "snapshot", "-i"]);
        let found = tree.lines().find(|candidate| candidate.contains(line));
        let found = found.unwrap_or_else(|| panic!("no {line} in:\n{tree}"));
        found.split_whitespace().next().expect("a ref").to_owned()
    };
    project.ok(&["skill", "record", "start"]);
    project.ok(&["goto", &site.url("/")]);
    assert_eq!(project.run(&["click", "#offer", "--timeout", "1s"]).code, Some(1));
    project.ok(&["click", &reference("link \"About us\"")]);
    project.ok(&["back"]);
    project.ok(&["fill", &reference("textbox \"Search\""), "chair"]);
    project.ok(&["fill", &reference("textbox \"Search\""), "lamp"]);
    project.ok(&["click", &reference("button \"Find\"")]);
    project.ok(&["click", &reference("link \"Blue lamp\"")]);
    project.ok(&["fill", &reference("spinbutton \"Quantity\""), "3"]);
    project.ok(&["select", &reference("combobox \"Colour\""), "black"]);
    project.ok(&["check", &reference("checkbox \"Gift wrap\"")]);
    project.ok(&["click", &reference("button \"Add to cart\"")]);
    project.ok(&["goto", &site.url("/about")]);
    project.ok(&["goto", &site.url("/cart")]);
    project.ok(&["fill", "#code", "s3cret code"]);
    // Nothing but its label tells that this is a secret.
    project.ok(&["fill", "#f9", "open sesame"]);
    project.ok(&["click", &reference("button \"Apply\"")]);
    assert_eq!(project.json(&["text", "#total"]), json!(WANTED));
}

/// The home of a test is empty: Rust is where it is for us.
fn with_rust(project: Project) -> Project {
    let home = std::env::var("HOME").unwrap_or_default();
    let place =
        |name: &str, folder: &str| std::env::var(name).unwrap_or(format!("{home}/{folder}"));
    project
        .with("RUSTUP_HOME", &place("RUSTUP_HOME", ".rustup"))
        .with("CARGO_HOME", &place("CARGO_HOME", ".cargo"))
}

fn shop() -> Site {
    let about = "<title>About</title><p>Since 1901";
    Site::serve(&[
        ("/", HOME),
        ("/search", SEARCH),
        ("/item", ITEM),
        ("/cart", CART),
        ("/about", about),
    ])
}

/// Every file of the skill but the SDK, as one text, paths included.
pub fn all(folder: &Path) -> String {
    let mut out = String::new();
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true if path.ends_with("_lib") => {}
            true => out.push_str(&all(&path)),
            false => out.push_str(&format!(
                "{}\n{}",
                path.display(),
                fs::read_to_string(&path).expect("text")
            )),
        }
    }
    out
}

#[test]
fn a_flow_with_detours_becomes_a_skill_in_each_language() {
    let (site, project) = (shop(), with_rust(Project::new()));
    drive(&project, &site);
    let status = project.ok(&["--raw", "skill", "record", "status"]);
    assert_eq!(
        status.matches("(kept").count() + status.matches("(the result)").count(),
        13,
        "{status}"
    );
    for (lang, script) in [("ts", "flow.ts"), ("py", "script.py"), ("rust", "src/flow.rs")] {
        let name = format!("shop-{lang}");
        let save = [
            "skill",
            "record",
            "save",
            &name,
            "--lang",
            lang,
            "--arg",
            "query=lamp",
            "--arg",
            "product=Blue lamp",
        ];
        let saved = project.json(&save);
        assert_eq!((&saved["kept"], &saved["dropped"]), (&json!(13), &json!(5)), "{saved}");
        let folder = project.path().join(".browse/skills").join(&name);
        let text = all(&folder);
        assert!(!text.contains("s3cret") && !text.contains("sesame"), "{text}");
        let script = fs::read_to_string(folder.join(script)).expect("a script");
        for wrong in ["About", "about", "offer", "chair", "back("] {
            assert!(!script.contains(wrong), "{wrong} in {script}");
        }
        let secrets = ["--arg", "password=s3cret code", "--arg", "secret=open sesame"];
        let answer = project.json(&[&["skill", "run", &name][..], &secrets].concat());
        assert_eq!(answer, json!(WANTED), "{lang}");
        let (reason, _) = project.fail(&["skill", "run", &name]);
        assert_eq!(reason, "SKILL_ARGUMENT_INVALID", "{lang}: the secret is required");
    }
    let other = ["password=no", "secret=no", "product=Red lamp"].map(|arg| ["--arg", arg]).concat();
    let run = ["skill", "run", "shop-py"];
    assert_eq!(project.json(&[&run[..], &other].concat()), json!("3 x Red lamp, black, wrapped"));
}

#[test]
fn the_answer_to_a_question_is_recorded_with_the_click_that_asked_it() {
    let site = Site::page(
        "<title>Orders</title><button onclick=\"if (confirm('Delete it?')) \
         document.querySelector('p').textContent = prompt('Why?', '')\">Delete</button><p>kept</p>",
    );
    let project = Project::new();
    project.ok(&["skill", "record", "start"]);
    project.ok(&["goto", &site.url("/")]);
    let asked = project.ok(&["click", "role=button"]);
    assert!(asked.contains("the page asks: confirm \"Delete it?\""), "{asked}");
    let asked = project.ok(&["dialog-accept"]);
    assert!(asked.contains("the page asks: prompt \"Why?\""), "{asked}");
    project.ok(&["dialog-accept", "broken"]);
    project.ok(&["text", "p"]);
    let status = project.ok(&["--raw", "skill", "record", "status"]);
    assert!(status.contains(", after dialog-accept, dialog-accept"), "{status}");
    project.ok(&["skill", "record", "save", "orders", "--lang", "py"]);
    assert_eq!(project.json(&["skill", "run", "orders"]), json!("broken"));
    // The page asks what it did not ask when the flow was recorded.
    let script = project.path().join(".browse/skills/orders/script.py");
    let program = fs::read_to_string(&script).expect("a script");
    fs::write(&script, program.replace("    browse.dialog_accept()\n", "")).expect("writable");
    let output = project.run(&["skill", "run", "orders"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("no answer for: prompt"), "{output:?}");
    assert!(output.stderr.contains("question: Why?"), "{output:?}");
}

#[test]
fn the_same_recording_gives_the_same_files() {
    let (site, project) = (shop(), Project::new());
    drive(&project, &site);
    let folder = project.path().join(".browse/skills/shop");
    let save = ["skill", "record", "save", "shop", "--arg", "query=lamp"];
    let mut texts = Vec::new();
    for _ in 0..2 {
        project.ok(&save);
        texts.push(all(&folder));
        project.ok(&["skill", "rm", "shop"]);
    }
    assert_eq!(texts[0], texts[1]);
    project.ok(&save);
    assert_eq!(project.fail(&save).0, "SKILL_EXISTS");
    assert_eq!(project.json(&["skill", "record", "stop"])["steps"], json!(18));
}

#[test]
fn what_cannot_be_saved_says_why() {
    let site = Site::page("<p id=a>Text</p><p id=b></p><input id=c>");
    let project = Project::new();
    let save = ["skill", "record", "save", "x"];
    assert_eq!(project.fail(&save), ("SKILL_RECORDING_MISSING".to_owned(), 1));
    assert_eq!(project.fail(&["skill", "record", "stop"]).0, "SKILL_RECORDING_MISSING");
    project.ok(&["skill", "record", "start"]);
    assert_eq!(project.fail(&["skill", "record", "start"]).0, "SKILL_RECORDING_RUNS");
    assert_eq!(project.fail(&save).0, "SKILL_RECORDING_EMPTY");
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["js", "document.title"]);
    let output = project.run(&save);
    assert!(output.stderr.contains("it may not run `js`"), "{output:?}");
    project.ok(&["text", "#b"]);
    assert_eq!(project.fail(&save).0, "SKILL_RECORDING_EMPTY");
    project.ok(&["text", "#a"]);
    assert_eq!(
        project.fail(&["skill", "record", "save", "x", "--arg", "q=nowhere"]),
        ("SKILL_RECORDING_ARGUMENT".to_owned(), 2)
    );
    assert_eq!(project.fail(&["skill", "record", "save", "../x"]).1, 2);
    assert!(!project.home().join("skills").exists(), "nothing was left");
    assert!(!project.path().join(".browse/skills/x").exists(), "nothing was left");
    // A key in an address is not a field: it has to be named, and is then required.
    let key = format!("ghp_{}", "a1B2".repeat(8));
    project.ok(&["goto", &site.url(&format!("/?key={key}"))]);
    project.ok(&["text", "#a"]);
    assert_eq!(project.fail(&save).0, "SKILL_RECORDING_SECRET");
    project.ok(&["skill", "record", "save", "x", "--global", "--arg", &format!("key={key}")]);
    let text = all(&project.home().join("skills/x"));
    assert!(!text.contains(&key) && text.contains("required: true"), "{text}");
    assert_eq!(project.json(&["skill", "run", "x", "--arg", &format!("key={key}")]), json!("Text"));
}

#[test]
fn a_frame_that_has_gone_is_told_of_while_recording() {
    let site = Site::page("<iframe name=f srcdoc='<input id=a>'></iframe><input id=a><p>Text</p>");
    let project = Project::new();
    project.ok(&["skill", "record", "start"]);
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["frame", "--name", "f"]);
    project.ok(&["fill", "#a", "one"]);
    project.ok(&["goto", &site.url("/?next")]);
    assert_eq!(project.fail(&["fill", "#a", "two"]).0, "FRAME_GONE");
    project.ok(&["fill", "#a", "two"]);
    let status = project.ok(&["--raw", "skill", "record", "status"]);
    assert!(status.contains("4 fill #a (left out: it failed)"), "{status}");
}

#[test]
fn nobody_elses_calls_are_recorded() {
    let site = Site::page("<p>Text</p>");
    let project = Project::new().with("BROWSE_SKILLIFY_PROMPTS", "true");
    project.ok(&["session", "new", "other"]);
    project.ok(&["skill", "record", "start"]);
    project.ok(&["--session", "other", "goto", &site.url("/")]);
    project.ok(&["goto", &site.url("/")]);
    let status: Value = project.json(&["skill", "record", "status"]);
    assert_eq!(status["steps"], json!(1), "{status}");
    // A user who goes on by hand gets a hint about skills, once.
    let reported: String = (0..22).map(|_| project.run(&["url"]).stderr).collect();
    assert_eq!(reported.matches("browse guide skillify").count(), 1, "{reported}");
}
