//! Skills from traces of steps: the same as from a recording, after a restart too, and without
//! secrets on disk.

use serde_json::json;

use crate::{project::Project, recording::all, site::Site, traces::kept_text, window::with_screen};

const HOME: &str = r#"<title>Shop</title><a href="/about">About us</a>
<form action="/search"><label>Search <input name="q"></label><button>Find</button></form>"#;

const FOUND: &str = r#"<title>Found</title><h1></h1>
<label>Password <input type="password" id="code"></label><button id="apply">Apply</button>
<output id="total"></output><p id="echo"></p><script>
const wanted = new URLSearchParams(location.search).get('q');
document.querySelector('h1').textContent = wanted;
document.getElementById('apply').onclick = () => {
  const code = document.getElementById('code').value;
  const member = code.length === 9 ? ' for members' : '';
  document.getElementById('total').textContent = wanted + member;
  document.getElementById('echo').textContent = code;
};</script>"#;

/// Nine characters, by which the page knows it.
const SECRET: &str = "Kumquat/7";

/// Saves the skill `shop` in Python.
const SAVE: [&str; 8] = ["skill", "record", "save", "shop", "--lang", "py", "--arg", "query=lamp"];

fn shop() -> Site {
    Site::serve(&[("/", HOME), ("/search", FOUND), ("/about", "<title>About</title><p>1901")])
}

/// Searches, with a detour, and signs in. Some of its targets are refs.
fn buy(project: &Project, site: &Site) {
    let reference = |line: &str| {
        let tree = project.ok(&["--raw", "snapshot", "-i"]);
        let found = tree.lines().find(|candidate| candidate.contains(line));
        let found = found.unwrap_or_else(|| panic!("no {line} in:\n{tree}"));
        found.split_whitespace().next().expect("a ref").to_owned()
    };
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["click", &reference("link \"About us\"")]);
    project.ok(&["back"]);
    project.ok(&["fill", &reference("textbox \"Search\""), "lamp"]);
    project.ok(&["click", &reference("button \"Find\"")]);
    project.ok(&["fill", "#code", SECRET]);
    project.ok(&["click", "#apply"]);
    assert_eq!(project.json(&["text", "#total"]), json!("lamp for members"));
}

/// A project in which the flow ran in a session that is traced.
fn traced(site: &Site) -> Project {
    let project = Project::new();
    project.ok(&["goto", "about:blank"]);
    project.ok(&["trace", "start", "--steps"]);
    buy(&project, site);
    project.ok(&["trace", "stop", "--steps", "steps.zip"]);
    project
}

/// The files of a skill, but those of the SDK.
fn skill_files(project: &Project, name: &str) -> String {
    let folder = project.path().join(".browse/skills").join(name);
    all(&folder).replace(&project.path().display().to_string(), "")
}

fn from_trace<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SAVE[..], &["--trace", "1"], more].concat()
}

#[test]
fn a_trace_gives_the_skill_that_a_recording_gives() {
    let site = shop();
    let recorded = Project::new();
    recorded.ok(&["goto", "about:blank"]);
    recorded.ok(&["skill", "record", "start"]);
    buy(&recorded, &site);
    recorded.ok(&[&SAVE[..], &["--replay", "all"]].concat());
    let traced = traced(&site);
    let saved = traced.json(&from_trace(&["--replay", "all"]));
    assert_eq!((&saved["kept"], &saved["replayed"]), (&json!(6), &json!(6)), "{saved}");
    assert_eq!(skill_files(&traced, "shop"), skill_files(&recorded, "shop"));
    let secret = format!("password={SECRET}");
    for project in [&recorded, &traced] {
        let run = ["skill", "run", "shop", "--arg"];
        let answer = project.json(&[&run[..], &[secret.as_str()]].concat());
        assert_eq!(answer, json!("lamp for members"));
        let other = project.json(&[&run[..], &["password=none", "--arg", "query=chair"]].concat());
        assert_eq!(other, json!("chair"));
        let (reason, _) = project.fail(&["skill", "run", "shop"]);
        assert_eq!(reason, "SKILL_ARGUMENT_INVALID", "the password is required");
    }
    for folder in [".browse/traces", ".browse/skills"] {
        let kept = kept_text(&traced.path().join(folder));
        assert!(kept.contains("lamp") && !kept.contains(SECRET), "{folder}");
    }
}

#[test]
fn a_skill_is_made_from_a_trace_of_an_earlier_daemon() {
    let site = shop();
    let project = traced(&site);
    project.ok(&["stop"]);
    assert_eq!(project.fail(&from_trace(&[])).0, "SKILL_RECORDING_SECRET");
    let output = project.run(&from_trace(&[]));
    assert!(output.stderr.contains("--arg password=<value>"), "{output:?}");
    project.ok(&from_trace(&["--replay", "none"]));
    let unreplayed = skill_files(&project, "shop");
    project.ok(&["skill", "rm", "shop"]);
    let secret = format!("password={SECRET}");
    project.ok(&from_trace(&["--replay", "all", "--arg", &secret]));
    let answer = project.json(&["skill", "run", "shop", "--arg", &secret]);
    assert_eq!(answer, json!("lamp for members"));
    for text in [unreplayed, skill_files(&project, "shop")] {
        assert!(text.contains("required: true") && !text.contains(SECRET), "{text}");
    }
    assert!(!kept_text(&project.path().join(".browse/traces")).contains(SECRET));
}

#[test]
fn a_skill_has_the_steps_that_were_chosen() {
    let site = Site::page("<title>Shop</title><button id=offer>Offer</button><p>Lamp</p>");
    let project = Project::new();
    project.ok(&["goto", "about:blank"]);
    project.ok(&["trace", "start", "--steps"]);
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["click", "#offer"]);
    project.ok(&["text", "p"]);
    // It goes on meanwhile.
    let save = ["skill", "record", "save", "lamp", "--lang", "py"];
    project.ok(&[&save[..], &["--trace", "1"]].concat());
    assert!(skill_files(&project, "lamp").contains("#offer"), "a click may have an effect");
    project.ok(&["skill", "rm", "lamp"]);
    project.ok(&[&save[..], &["--trace", "1", "--steps", "1,3"]].concat());
    assert!(!skill_files(&project, "lamp").contains("#offer"));
    let cases: &[(&[&str], &str)] = &[
        (&["--trace", "9"], "TRACE_NOT_FOUND"),
        (&["--trace", "1", "--steps", "2-4"], "ARGUMENT_INVALID"),
        (&["--trace", "1", "--steps", "3-1"], "ARGUMENT_INVALID"),
        (&["--trace", "1", "--steps", "first"], "ARGUMENT_INVALID"),
        (&["--steps", "1-3"], "ARGUMENT_INVALID"),
        (&["--trace", "1", "--steps", "1-2"], "SKILL_RECORDING_EMPTY"),
    ];
    for (more, reason) in cases {
        let save = [&["skill", "record", "save", "other"][..], *more].concat();
        assert_eq!(project.fail(&save).0, *reason, "{more:?}");
    }
    let output = project.run(&[&save[..], &["--trace", "1", "--steps", "2-4"]].concat());
    assert!(output.stderr.contains("step 4 is not in trace 1"), "{output:?}");
    assert_eq!(project.json(&["skill", "run", "lamp"]), json!("Lamp"));
}

#[test]
fn a_step_during_a_hand_off_is_left_out_by_name_only() {
    let Some((_screen, project)) = with_screen() else { return };
    let site = Site::page("<title>Shop</title><p>Lamp</p>");
    project.ok(&["goto", "about:blank"]);
    project.ok(&["trace", "start", "--steps"]);
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["handoff", "sign in"]);
    project.ok(&["text", "p"]);
    project.ok(&["resume"]);
    project.ok(&["text", "p"]);
    let steps = project.json(&["trace", "show", "1"]);
    let steps = steps.as_array().expect("steps");
    let text = |step: &&serde_json::Value| step["command"] == "text";
    let numbers: Vec<_> =
        steps.iter().filter(text).map(|step| step["number"].to_string()).collect();
    let save = ["skill", "record", "save", "lamp", "--lang", "py", "--trace", "1"];
    let output = project.run(&save);
    let named = format!("step {} of trace 1, `text`", numbers[0]);
    assert!(output.stderr.contains(&named), "{output:?}");
    assert_eq!(project.fail(&save).0, "SKILL_RECORDING_UNFIT");
    let chosen = format!("1,{}", numbers[1]);
    project.ok(&[&save[..], &["--steps", &chosen]].concat());
    assert_eq!(project.json(&["skill", "run", "lamp"]), json!("Lamp"));
}
