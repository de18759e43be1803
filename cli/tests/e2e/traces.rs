//! Traces of steps: what they keep of a flow, and what they never keep.

use std::{fs, path::Path};

use crate::{project::Project, site::Site, window::with_screen};

const HOME: &str = r#"<title>Sign in</title><link rel=stylesheet href=/style.css>
<style>h1 { color: green }</style><h1>Sign in</h1><form id=f onsubmit="return send()">
<label>Name <input name=name></label><label>Password <input type=password name=password></label>
<label>Card number <input name=cardnumber autocomplete=cc-number></label>
<label>Code <input name=otp autocomplete=one-time-code></label>
<input type=hidden name=csrf value=Tangerine-hidden-7><textarea name=note>old</textarea>
<input type=checkbox name=remember><select name=size><option>S<option>L</select>
<button>Send</button></form><output></output><div id=host></div><iframe src="/inner"></iframe>
<script>
document.cookie = "sid=Mulberry-cookie-8";
const other = document.createElement("iframe");
other.src = location.origin.replace("127.0.0.1", "localhost") + "/other";
document.body.append(other);
document.getElementById("host").attachShadow({ mode: "open" }).innerHTML = "<p>in the shadow</p>";
const send = () => {
  const name = f.elements.name.value;
  console.log("sent by " + name);
  console.log("with " + f.elements.password.value);
  fetch("/sent?name=" + name, { headers: { authorization: "Bearer Persimmon-header-9" } })
    .then(() => (document.querySelector("output").textContent = "welcome " + name));
  return false;
};
</script>"#;

/// What nothing that is kept may hold.
const SECRETS: [&str; 9] = [
    "Kumquat/7/Zither",
    "4111111111111111",
    "733911",
    "Tangerine-hidden-7",
    "Mulberry-cookie-8",
    "Persimmon-header-9",
    "Quince-typo-1",
    "4242424242424242",
    "Medlar-address-2",
];

/// All texts that lie in a folder.
pub fn kept_text(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        if entry.path().is_dir() {
            text.push_str(&kept_text(&entry.path()));
        } else {
            let bytes = fs::read(entry.path()).expect("a file");
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
    text
}

fn site() -> Site {
    Site::serve(&[
        ("/", HOME),
        ("/style.css", "h1 { font-family: monospace }"),
        ("/inner", "<title>Inner</title><p>in the frame</p><input style='position:fixed;inset:0'>"),
        ("/other", "<title>Other</title><p>of another origin</p>"),
        ("/sent", "ok"),
        ("/two", "<title>Two</title><h1>Second page</h1>"),
    ])
}

fn sign_in(project: &Project, site: &Site) {
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["fill", "[name=name]", "Ada"]);
    project.ok(&["fill", "[name=password]", SECRETS[0]]);
    project.ok(&["fill", "[name=cardnumber]", SECRETS[1]]);
    project.ok(&["fill", "[name=otp]", SECRETS[2]]);
    project.ok(&["fill", "[name=note]", "new"]);
    project.ok(&["check", "[name=remember]"]);
    project.ok(&["select", "[name=size]", "L"]);
    project.ok(&["click", "button"]);
    project.ok(&["expect", "output", "welcome Ada"]);
}

#[test]
fn a_trace_holds_each_step_and_no_secret() {
    let project = Project::new();
    let site = site();
    project.ok(&["goto", "about:blank"]);
    let started = project.json(&["trace", "start", "--steps"]);
    assert_eq!(started["id"], 1);
    assert_eq!(project.fail(&["trace", "start", "--steps"]).0, "RECORDING_RUNNING");
    sign_in(&project, &site);
    assert_eq!(project.fail(&["click", "#none", "--timeout", "200ms"]).0, "ELEMENT_NOT_FOUND");
    // Nobody can say what these fields are.
    assert_eq!(
        project.fail(&["fill", "#typo", SECRETS[6], "--timeout", "300ms"]).0,
        "ELEMENT_NOT_FOUND"
    );
    project
        .ok(&["js", "(frames[0].focus(), frames[0].document.querySelector('input').focus(), 1)"]);
    project.ok(&["type", SECRETS[7]]);
    project.ok(&["goto", &site.url("/two").replace("://", &format!("://ada:{}@", SECRETS[8]))]);
    project.ok(&["trace", "stop", "--steps", "steps.zip"]);
    assert_eq!(project.fail(&["trace", "stop", "--steps"]).0, "RECORDING_NOT_RUNNING");
    project.ok(&["trace", "save", "1", "steps.har"]);

    let steps = project.json(&["trace", "show", "1"]);
    let steps = steps.as_array().expect("steps");
    let commands: Vec<_> =
        steps.iter().map(|step| step["command"].as_str().expect("a name")).collect();
    assert_eq!(
        commands,
        [
            "goto", "fill", "fill", "fill", "fill", "fill", "check", "select", "click", "expect",
            "click", "fill", "js", "type", "goto"
        ]
    );
    let without: Vec<_> = steps.iter().filter(|step| step["has_picture"] != true).collect();
    // A picture has a second; a busy machine may miss one or two.
    assert!(without.iter().any(|step| step["command"] == "expect"), "{without:?}");
    assert!(without.len() <= 3, "{without:?}");
    assert_eq!(steps[10]["outcome"], "ELEMENT_NOT_FOUND");
    let failed = project.json(&["trace", "show", "1", "--failed"]);
    assert_eq!(failed.as_array().map(Vec::len), Some(2));
    let step = project.json(&["trace", "step", "1", "9"]);
    assert!(step["console"][0]["text"] == "sent by Ada", "{step}");
    assert!(
        step["requests"][0]["url"].as_str().is_some_and(|url| url.ends_with("name=Ada")),
        "{step}"
    );
    let snapshot = project.json(&["trace", "step", "1", "11"])["snapshot"].to_string();
    assert!(snapshot.contains("welcome Ada") && snapshot.contains("in the frame"), "{snapshot}");

    let kept = kept_text(&project.path().join(".browse/traces"));
    for part in [
        "welcome Ada",
        "in the shadow",
        "in the frame",
        "of another origin",
        "font-family: monospace",
        "new",
    ] {
        assert!(kept.contains(part), "{part} is not kept");
    }
    let har = fs::read_to_string(project.path().join("steps.har")).expect("it was written");
    assert!(har.contains("/sent?name=Ada"), "{har}");
    let shown = project.ok(&["trace", "show", "1"]) + &step.to_string() + &snapshot;
    for secret in SECRETS {
        for (what, text) in [("disk", &kept), ("HAR", &har), ("answers", &shown)] {
            assert!(!text.contains(secret), "{what} holds {secret}");
        }
    }
}

#[test]
fn traces_outlive_the_daemon_and_are_removed() {
    let project = Project::new();
    let site = site();
    project.ok(&["goto", &site.url("/two")]);
    project.ok(&["trace", "start", "--steps"]);
    project.ok(&["reload"]);
    // Nobody ends it.
    project.ok(&["stop"]);
    project.ok(&["goto", &site.url("/two")]);
    let traces = project.json(&["trace", "list"]);
    assert_eq!((&traces[0]["state"], &traces[0]["steps"]), (&"ended".into(), &1.into()));
    assert!(project.ok(&["trace", "step", "1", "1"]).contains("Second page"));
    project.ok(&["trace", "start", "--steps"]);
    assert_eq!(project.fail(&["trace", "remove", "2"]).0, "RECORDING_RUNNING");
    assert_eq!(project.ok(&["trace", "remove", "--all"]).trim(), "removed 1");
    assert_eq!(project.fail(&["trace", "show", "1"]).0, "TRACE_NOT_FOUND");
    assert_eq!(project.fail(&["trace", "picture", "2", "1"]).0, "TRACE_NOT_FOUND");
}

#[test]
fn a_trace_is_of_one_session() {
    let project = Project::new();
    let site = site();
    project.ok(&["goto", &site.url("/two")]);
    project.ok(&["trace", "start", "--steps"]);
    project.ok(&["--session", "other", "goto", &site.url("/two")]);
    project.ok(&["reload"]);
    let steps = project.json(&["trace", "show", "1"]);
    assert_eq!(steps.as_array().map(Vec::len), Some(1));
    project.ok(&["--session", "other", "trace", "start", "--steps"]);
    project.ok(&["session", "close", "other"]);
    assert_eq!(project.json(&["trace", "list"])[0]["state"], "ended");
}

#[test]
fn no_page_is_kept_while_a_person_has_the_window() {
    let Some((_screen, project)) = with_screen() else { return };
    let site = site();
    project.ok(&["goto", &site.url("/two")]);
    project.ok(&["trace", "start", "--steps"]);
    project.ok(&["handoff", "sign in"]);
    assert!(project.ok(&["text"]).contains("Second page"), "looking works");
    project.ok(&["resume"]);
    project.ok(&["text"]);
    let steps = project.json(&["trace", "show", "1"]);
    let texts: Vec<_> =
        steps.as_array().expect("steps").iter().filter(|step| step["command"] == "text").collect();
    assert_eq!((&texts[0]["has_after"], &texts[0]["url"]), (&false.into(), &"".into()));
    assert_eq!(texts[1]["has_after"], true);
}
