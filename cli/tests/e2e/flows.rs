//! Eleven flows with wrong turns, recorded by the command line, saved as skills and
//! run again. `make test-recordings` runs them in all three languages.

mod shop;

use serde_json::{Value, json};

use crate::project::Project;
use shop::Shop;

/// A flow: its name, how it is driven, and arguments that each run is given.
struct Flow {
    name: &'static str,
    drive: fn(&Driver),
    /// What its skill answers.
    wanted: &'static str,
    args: &'static [&'static str],
    /// Steps that its skill has.
    kept: u64,
    /// How many of them the replay may do without sending anything.
    replayed: u64,
}

const FLOWS: &[Flow] = &[
    Flow { name: "back", drive: back, wanted: "Blue lamp", args: &[], kept: 3, replayed: 3 },
    Flow {
        name: "refill",
        drive: refill,
        wanted: "Ada <ada@example.com> likes lamps / More light",
        args: &[],
        kept: 7,
        replayed: 7,
    },
    Flow {
        name: "search",
        drive: search,
        wanted: "lamp 4\nlamp 5\nlamp 6",
        args: &[],
        kept: 5,
        replayed: 2,
    },
    Flow {
        name: "options",
        drive: options,
        wanted: "large, bare, van, ring twice",
        args: &[],
        kept: 8,
        replayed: 8,
    },
    Flow {
        name: "cart",
        drive: cart,
        wanted: "2 x Blue lamp, black",
        args: &[],
        kept: 7,
        replayed: 3,
    },
    Flow {
        name: "checkout",
        drive: checkout,
        wanted: "1 x Blue lamp, white for Ada, Main St 1",
        args: &[],
        kept: 9,
        replayed: 1,
    },
    Flow { name: "dialogs", drive: dialogs, wanted: "emptied", args: &[], kept: 9, replayed: 1 },
    Flow {
        name: "login",
        drive: login,
        wanted: "file: text/csv of 8 bytes, text: 2 orders",
        args: &["--arg", "password=open sesame"],
        kept: 7,
        replayed: 3,
    },
    Flow {
        name: "files",
        drive: files,
        wanted: "file: text/plain of 14 bytes, text: exported 2025",
        args: &[],
        kept: 4,
        replayed: 4,
    },
    Flow { name: "tabs", drive: tabs, wanted: "Blue lamp", args: &[], kept: 3, replayed: 3 },
    Flow {
        name: "wizard",
        drive: wizard,
        wanted: "large for Ada",
        args: &[],
        kept: 6,
        replayed: 2,
    },
];

/// Runs commands of a flow.
struct Driver<'a> {
    project: &'a Project,
    shop: &'a Shop,
}

impl Driver<'_> {
    fn goto(&self, path: &str) {
        self.ok(&["goto", &self.shop.url(path)]);
    }

    fn ok(&self, args: &[&str]) {
        self.project.ok(args);
    }

    /// A wrong attempt.
    fn fails(&self, args: &[&str]) {
        let code = self.project.run(&[args, &["--timeout", "1s"]].concat()).code;
        assert_eq!(code, Some(1), "{args:?}");
    }

    /// The ref of a line of the snapshot.
    fn find(&self, line: &str) -> String {
        let tree = self.project.ok(&["--raw", "snapshot", "-i"]);
        let found = tree.lines().find(|candidate| candidate.contains(line));
        let found = found.unwrap_or_else(|| panic!("no {line} in:\n{tree}"));
        found.split_whitespace().next().expect("a ref").to_owned()
    }
}

fn back(on: &Driver) {
    on.goto("/");
    on.goto("/about");
    on.ok(&["text"]);
    on.ok(&["back"]);
    on.ok(&["click", &on.find("link \"Blue lamp\"")]);
    on.ok(&["text", "h1"]);
}

/// Each field is filled twice, the second time by another way.
fn refill(on: &Driver) {
    on.goto("/profile");
    on.ok(&["fill", "#name", "Bob"]);
    on.ok(&["fill", "label=Name", "Ada"]);
    on.ok(&["fill", &on.find("textbox \"E-mail\""), "bob@example.com"]);
    on.ok(&["click", "#email"]);
    on.ok(&["press", "Control+A"]);
    on.ok(&["type", "ada@example.com"]);
    on.ok(&["fill", "#about", "likes lamp"]);
    on.ok(&["click", "label=About you"]);
    on.ok(&["press", "End"]);
    on.ok(&["press", "s"]);
    on.ok(&["click", "#motto"]);
    on.ok(&["type", "Less"]);
    on.ok(&["fill", "label=Motto", "More light"]);
    on.ok(&["text", "#preview"]);
}

fn search(on: &Driver) {
    on.goto("/");
    on.ok(&["fill", "label=Search", "chair"]);
    on.ok(&["fill", &on.find("textbox \"Search\""), "lamp"]);
    on.ok(&["press", "Enter"]);
    on.ok(&["click", "text=lamp 2"]);
    on.ok(&["back"]);
    on.ok(&["click", "role=link[name=\"Next\"]"]);
    on.ok(&["click", "role=link[name=\"Next\"]"]);
    on.ok(&["text", "h1"]);
    on.ok(&["back"]);
    on.ok(&["text", "#results"]);
}

/// The form lies in a frame.
fn options(on: &Driver) {
    on.goto("/options");
    on.ok(&["frame", "--name", "form"]);
    on.ok(&["select", "#size", "small"]);
    on.ok(&["select", "label=Size", "large"]);
    on.ok(&["check", "#gift"]);
    on.ok(&["uncheck", &on.find("checkbox \"Gift wrap\"")]);
    on.ok(&["check", "label=By post"]);
    on.ok(&["check", &on.find("radio \"By van\"")]);
    on.ok(&["fill", "#note", "ring once"]);
    on.ok(&["fill", "label=Note", "ring twice"]);
    on.fails(&["click", "#aply"]);
    on.ok(&["click", "#apply"]);
    on.ok(&["text", "#chosen"]);
    // What comes next is not meant for the frame.
    on.ok(&["frame", "main"]);
}

fn cart(on: &Driver) {
    on.goto("/item?Blue+lamp");
    on.ok(&["fill", "#n", "5"]);
    on.ok(&["select", "#c", "black"]);
    on.ok(&["fill", "label=Quantity", "2"]);
    on.ok(&["click", &on.find("button \"Add to cart\"")]);
    on.ok(&["wait", "--text", "1 in the cart"]);
    on.goto("/about");
    on.goto("/cart");
    on.ok(&["text", "ul"]);
}

fn checkout(on: &Driver) {
    on.goto("/item?Blue+lamp");
    on.ok(&["click", "#add"]);
    on.ok(&["wait", "--text", "1 in the cart"]);
    on.goto("/checkout");
    on.ok(&["fill", "label=Name", "Bob"]);
    on.ok(&["check", "label=Gift wrap"]);
    on.ok(&["fill", "[name=name]", "Ada"]);
    on.ok(&["uncheck", "[name=gift]"]);
    on.ok(&["fill", "[name=address]", "Main St 1"]);
    on.ok(&["click", &on.find("button \"Order now\"")]);
    on.ok(&["text", "#order"]);
}

fn dialogs(on: &Driver) {
    on.goto("/item?Blue+lamp");
    on.ok(&["click", "#add"]);
    on.ok(&["wait", "--text", "1 in the cart"]);
    on.goto("/about");
    on.goto("/cart");
    on.ok(&["click", "#empty"]);
    on.ok(&["dialog-dismiss"]);
    on.ok(&["click", &on.find("button \"Empty the cart\"")]);
    on.ok(&["dialog-accept"]);
    on.ok(&["text", "#state"]);
}

fn login(on: &Driver) {
    on.goto("/account");
    on.ok(&["fill", "label=User", "bob"]);
    on.ok(&["fill", "[name=user]", "ada"]);
    on.ok(&["fill", "label=Password", "sesame"]);
    on.ok(&["click", "#pw"]);
    on.ok(&["press", "Control+A"]);
    on.ok(&["type", "open sesame"]);
    on.ok(&["click", &on.find("button \"Sign in\"")]);
    on.ok(&["click", "role=link[name=\"Invoice\"]"]);
    on.ok(&["click", "role=link[name=\"Orders\"]"]);
    on.ok(&["text", "#count"]);
}

/// The file is made by the page, and saved twice.
fn files(on: &Driver) {
    on.goto("/about");
    on.goto("/export");
    on.fails(&["click", "#exprt"]);
    on.ok(&["select", "label=Year", "2024"]);
    on.ok(&["select", "#year", "2025"]);
    on.ok(&["click", &on.find("button \"Export\"")]);
    on.ok(&["click", "#export", "--download", "orders.txt"]);
    on.ok(&["text", "#state"]);
}

fn tabs(on: &Driver) {
    on.goto("/");
    on.ok(&["newtab", &on.shop.url("/about")]);
    on.ok(&["text", "h1"]);
    on.ok(&["closetab"]);
    on.ok(&["click", "role=link[name=\"News\"]"]);
    let news = on.project.json(&["tabs"]);
    let news = news.as_array().and_then(|tabs| tabs.last()).expect("a tab")["id"].to_string();
    on.ok(&["--tab", &news, "text", "h1"]);
    on.ok(&["closetab", &news]);
    on.ok(&["click", &on.find("link \"Blue lamp\"")]);
    on.ok(&["text", "h1"]);
}

fn wizard(on: &Driver) {
    on.goto("/wizard");
    on.ok(&["fill", "label=Name", "Bob"]);
    on.ok(&["click", "role=button[name=\"Next\"]"]);
    on.ok(&["back"]);
    on.ok(&["fill", "[name=name]", "Ada"]);
    on.ok(&["press", "Enter"]);
    on.ok(&["select", "label=Size", "small"]);
    on.ok(&["select", "[name=size]", "large"]);
    on.ok(&["click", &on.find("button \"Next\"")]);
    on.ok(&["text", "#summary"]);
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

/// A result in words. The folder that a file lies in differs with each run.
fn reported(result: &Value) -> String {
    match result {
        Value::String(text) => text.clone(),
        Value::Object(fields) if fields.contains_key("bytes") => {
            format!("{} of {} bytes", reported(&fields["mime"]), fields["bytes"])
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name}: {}", reported(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// Records the flow, saves it in these languages, runs each, and says what went
/// wrong.
fn problems(project: &Project, flow: &Flow, languages: &[&str]) -> Vec<String> {
    let shop = Shop::open();
    project.ok(&["skill", "record", "start"]);
    (flow.drive)(&Driver { project, shop: &shop });
    let mut problems = Vec::new();
    for lang in languages {
        let name = format!("{}-{lang}", flow.name);
        let posts = shop.posts();
        let saved = project.run(&["--json", "skill", "record", "save", &name, "--lang", lang]);
        let Ok(document) = serde_json::from_str::<Value>(&saved.stdout) else {
            problems.push(format!("{name}: {saved:?}"));
            continue;
        };
        let result = &document["result"];
        if (&result["kept"], &result["replayed"]) != (&json!(flow.kept), &json!(flow.replayed)) {
            problems.push(format!("{name}: kept or replayed other steps: {document}"));
            problems.push(project.ok(&["--raw", "skill", "record", "status"]));
        }
        if shop.posts() != posts {
            problems.push(format!("{name}: saving sent {:?}", shop.posts()));
        }
        let run =
            project.run(&[&["--json", "--raw", "skill", "run", &name][..], flow.args].concat());
        let answer = serde_json::from_str::<Value>(&run.stdout).unwrap_or_default();
        let output = reported(&answer["result"]);
        if flow.name == "files" && !run.stderr.contains("it saved a file") {
            problems.push(format!("{name}: the file of the run is nowhere: {run:?}"));
        }
        if output != flow.wanted {
            problems.push(format!("{name}: {} wanted: {run:?}", flow.wanted));
        }
        println!(
            "{:8} {lang:4} {} steps, {} replayed: {output:?}",
            flow.name, result["kept"], result["replayed"]
        );
    }
    project.ok(&["skill", "record", "stop"]);
    problems
}

#[test]
fn flows_with_wrong_turns_become_skills_that_run() {
    let project = Project::new();
    let problems: Vec<_> =
        FLOWS.iter().flat_map(|flow| problems(&project, flow, &["py"])).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let list = project.json(&["skill", "list", "--source", "project"]);
    let skills = list.as_array().expect("skills");
    let skill = skills.iter().find(|skill| skill["name"] == "files-py").expect("it is listed");
    let description = skill["description"].as_str().and_then(|text| text.split_once(": "));
    let wanted = "chooses \"Year\", saves the file of \"Export\" and reads the text of \"state\".";
    assert_eq!(description.map(|(_, did)| did), Some(wanted), "{list}");
}

#[test]
#[ignore = "builds eleven programs in Rust: make test-recordings"]
fn flows_run_in_each_language() {
    let project = with_rust(Project::new());
    let languages = ["ts", "py", "rust"];
    let problems: Vec<_> =
        FLOWS.iter().flat_map(|flow| problems(&project, flow, &languages)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_flow_that_is_signed_in_asks_for_the_session_of_its_user() {
    let (project, shop) = (Project::new(), Shop::open());
    project.ok(&["goto", &shop.url("/login")]);
    project.ok(&["fill", "label=User", "ada"]);
    project.ok(&["fill", "label=Password", "open sesame"]);
    project.ok(&["click", "role=button[name=\"Sign in\"]"]);
    project.ok(&["skill", "record", "start"]);
    project.ok(&["goto", &shop.url("/orders")]);
    project.ok(&["text", "#count"]);
    let saved = project.json(&["skill", "record", "save", "orders", "--lang", "py"]);
    assert_eq!((&saved["session"], &saved["replayed"]), (&json!("user"), &json!(2)), "{saved}");
    let list = ["--raw", "skill", "list", "--source", "project"];
    assert!(project.ok(&list).ends_with("(never checked)\n"));
    // A check has no sign-in, and a change of files makes it due again.
    let checked = project.ok(&["--raw", "skill", "check", "--due", "7d", "--source", "project"]);
    assert!(checked.starts_with("orders unchecked "), "{checked}");
    assert!(project.ok(&list).contains("(unchecked, checked 20"));
    let due = ["skill", "check", "--due", "7d", "--source", "project"];
    assert_eq!(project.ok(&due), "");
    let manual = project.path().join(".browse/skills/orders/SKILL.md");
    let text = std::fs::read_to_string(&manual).expect("it is there");
    std::fs::write(&manual, text + "\nMore.\n").expect("written");
    assert_ne!(project.ok(&due), "");
    assert_eq!(project.fail(&["skill", "check", "--due", "soon"]).0, "ARGUMENT_INVALID");
    // It runs once it is trusted.
    project.ok(&["skill", "trust", "orders"]);
    assert_eq!(project.json(&["skill", "run", "orders"]), json!("2 orders"));
    // It is offered once.
    let output: String =
        (0..3).map(|_| project.run(&["goto", &shop.url("/about")]).stderr).collect();
    assert_eq!(output.matches("`browse skill run orders`").count(), 1, "{output}");
}

#[test]
fn what_a_page_sends_earlier_than_it_did_is_held_back() {
    let (project, shop) = (Project::new(), Shop::open());
    project.ok(&["goto", &shop.url("/about")]);
    project.ok(&["skill", "record", "start"]);
    project.ok(&["goto", &shop.url("/greet")]);
    project.ok(&["text", "h1"]);
    let saved = project.json(&["skill", "record", "save", "greet", "--lang", "py"]);
    let summary = saved["summary"].as_str().unwrap_or_default();
    assert!(summary.contains("step 1, `goto`, sent something, which was held back"), "{summary}");
    assert!(shop.posts().is_empty(), "{:?}", shop.posts());
    // It is sent only on request.
    project.ok(&["skill", "record", "save", "again", "--lang", "py", "--replay", "all"]);
    assert!(!shop.posts().is_empty());
}

#[test]
fn a_flow_that_cannot_be_repeated_is_not_written() {
    let site = crate::site::Site::page(
        "<h1></h1><script>document.querySelector('h1').textContent = document.cookie ? 'Hello' : '';document.cookie = 'a=b'</script>",
    );
    let project = Project::new();
    project.ok(&["skill", "record", "start"]);
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["goto", &site.url("/?again")]);
    project.ok(&["text", "h1"]);
    let save = ["skill", "record", "save", "hello", "--lang", "py"];
    assert_eq!(project.fail(&save), ("SKILL_REPLAY_FAILED".to_owned(), 1));
    assert!(!project.path().join(".browse/skills/hello").exists());
    let saved = project.json(&[&save[..], &["--replay", "none"]].concat());
    assert!(saved["summary"].as_str().is_some_and(|text| text.starts_with("not replayed")));
}
