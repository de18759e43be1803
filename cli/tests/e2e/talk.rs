//! What agents and the person write to each other, and elements that the person points at.

use std::thread;

use serde_json::{Value, json};

use crate::{
    dashboard::{Dashboard, LIMIT},
    project::{Output, Project, eventually},
    site::Site,
};

const PAGE: &str = "<title>Shop</title><style>body { margin: 0 } #save { color: rgb(1, 2, 3) }
    </style><button id=save style='position:fixed;left:0;top:0;width:80px;height:40px'>Save</button>
    <iframe src='/inner' style='position:fixed;left:100px;top:50px;width:200px;height:100px;
    border:5px solid;padding:3px;transform:scale(2);transform-origin:0 0'></iframe>";

const INNER: &str = "<style>body { margin: 0 }</style><div id=host style='height:90px'></div><script>
    document.getElementById('host').attachShadow({ mode: 'closed' }).innerHTML =
        '<button style=\"position:fixed;left:10px;top:20px;width:50px;height:30px\">Inside</button>';
    </script>";

fn site() -> Site {
    Site::serve(&[("/", PAGE), ("/inner", INNER)])
}

/// The messages that a person sees.
fn messages(project: &Project) -> Vec<Value> {
    project.json(&["talk"])[0]["messages"].as_array().cloned().unwrap_or_default()
}

/// Runs `browse` with `args` on a thread of its own.
fn ask(project: &Project, args: &[&str]) -> thread::JoinHandle<Output> {
    let mut command = project.command(args);
    thread::spawn(move || Output::of(command.output().expect("it runs")))
}

fn waiting_question(project: &Project) -> Value {
    let waits = |message: &Value| message["state"] == "waiting";
    let look = || messages(project).into_iter().find(waits).ok_or("no question waits");
    eventually(LIMIT, look).expect("a question")
}

#[test]
fn a_question_waits_for_the_person() {
    let (site, project) = (site(), Project::new());
    project.ok(&["goto", &site.url("/")]);
    let dashboard = Dashboard::open(&project, &[]);
    let asked = ask(&project, &["ask", "Which <b>one</b>?", "--choices", "red,blue"]);
    let question = waiting_question(&project);
    assert_eq!(question["text"], "Which <b>one</b>?");
    assert_eq!(question["choices"], json!(["red", "blue"]));
    assert_eq!(question["session"], "default");
    let answer = |text: &str| {
        let body = json!({ "id": question["id"], "answer": text });
        dashboard.call("DashboardService/AnswerQuestion", &body)
    };
    assert_eq!(answer("green"), Err("ARGUMENT_INVALID".to_owned()));
    answer("blue").expect("it waits");
    let answered = asked.join().expect("an output");
    assert_eq!(answered.code, Some(0), "{answered:?}");
    assert!(answered.stdout.contains("blue"), "{answered:?}");
    assert_eq!(answer("red"), Err("MESSAGE_NOT_FOUND".to_owned()));
    assert_eq!(messages(&project)[0]["state"], "answered");
}

#[test]
fn a_question_ends_with_its_time_and_with_its_asker() {
    let project = Project::new();
    project.ok(&["goto", "about:blank"]);
    let late = ["ask", "Anybody?", "--timeout", "1s"];
    assert!(project.run(&late).stderr.contains("browse dashboard"));
    assert_eq!(project.fail(&late), ("NO_ANSWER".to_owned(), 1));
    assert_eq!(messages(&project)[0]["state"], "ended");
    let mut asker = project.command(&["ask", "Still there?"]).spawn().expect("it runs");
    waiting_question(&project);
    asker.kill().expect("it runs");
    asker.wait().expect("it ends");
    let ended = || match &messages(&project)[2]["state"] {
        state if state == "ended" => Ok(()),
        state => Err(state.clone()),
    };
    eventually(LIMIT, ended).expect("it ends with its asker");
    for (line, says) in [
        (&["ask", " "][..], "the question is empty"),
        (&["ask", "Which?", "--choices", "a,,b"], "a choice has 1 to 200 characters"),
        (&["say", ""], "the text is empty"),
        (&["talk", "answer", "99", "yes"], "no question 99 waits"),
        (&["inbox", "picture", "99"], "note 99 is not kept"),
    ] {
        let refused = project.run(line);
        assert!(refused.stderr.contains(says), "{line:?}: {refused:?}");
    }
}

#[test]
fn a_note_about_an_element_outlives_the_daemon() {
    let (site, project) = (site(), Project::new());
    project.ok(&["goto", &site.url("/")]);
    let dashboard = Dashboard::open(&project, &[]);
    let point = json!({ "at": "40,20", "structured": true });
    let found = dashboard.call("BrowserService/Inspect", &point).expect("an element");
    assert_eq!(found["element"], "button \"Save\"");
    let body = json!({ "text": "This one is wrong", "target": found["ref"] });
    let note = dashboard.call("DashboardService/WriteNote", &body).expect("written");
    assert_eq!(
        note["element"],
        format!("{} button \"Save\"", found["ref"].as_str().expect("a ref"))
    );
    assert!(project.run(&["tabs"]).stderr.contains("browse inbox"));
    project.ok(&["stop"]);
    let inbox = project.ok(&["--raw", "inbox", "--json"]);
    let inbox: Value = serde_json::from_str(&inbox).expect("JSON");
    let read = &inbox["result"][0];
    assert_eq!((&read["text"], &read["tab"]), (&json!("This one is wrong"), &json!(1)));
    assert_eq!(read["element"], note["element"]);
    let number = read["id"].to_string();
    project.ok(&["inbox", "picture", &number, "note.jpg"]);
    let picture = std::fs::read(project.path().join("note.jpg")).expect("a picture");
    assert!(picture.starts_with(b"\xff\xd8\xff"));
    project.ok(&["inbox", "--clear"]);
    assert_eq!(project.fail(&["inbox", "picture", &number]).0, "MESSAGE_NOT_FOUND");
}

#[test]
fn the_element_at_a_point_is_found_through_frames_and_shadow_trees() {
    let (site, project) = (site(), Project::new());
    project.ok(&["goto", &site.url("/")]);
    // In the frame at 10,20: the border of 5 and the padding of 3 come first, and all is doubled.
    let inside = format!("{},{}", 100 + 2 * (8 + 15), 50 + 2 * (8 + 25));
    for (point, label) in [("40,20", "Save"), (inside.as_str(), "Inside")] {
        let report = project.ok(&["--raw", "inspect", "--at", point]);
        assert!(report.contains(label), "{point}: {report}");
    }
    assert!(project.ok(&["--raw", "inspect", "--at", "700,500"]).contains("body"));
    assert_eq!(project.fail(&["inspect", "--at", "-5,5"]).0, "ELEMENT_NOT_FOUND");
    let nothing = project.run(&["inspect", "--at", "-5,5"]).stderr;
    assert!(nothing.contains("nothing is at the point -5,5 of the viewport"), "{nothing}");
    assert!(nothing.contains("Give a point") && !nothing.contains("ref"), "{nothing}");
    for wrong in ["1", "a,b", "1,2,3", ""] {
        assert_eq!(project.fail(&["inspect", "--at", wrong]).0, "ARGUMENT_INVALID", "{wrong}");
    }
}

#[test]
fn the_element_at_a_point_of_a_field_is_the_field() {
    let fields = "<style>input, select { position: fixed; left: 0; width: 200px; height: 40px }</style>
        <input style='top: 0' value=Ada><select style='top: 50px'><option>Berlin<option>Rome</select>";
    let (site, project) = (Site::serve(&[("/", fields)]), Project::new());
    project.ok(&["goto", &site.url("/")]);
    for (point, selector) in [("20,20", "input"), ("20,70", "select")] {
        let found = project.ok(&["inspect", "--json", "--at", point]);
        let found: Value = serde_json::from_str(&found).expect("JSON");
        assert_eq!(found["result"]["selector"], selector, "{point}");
    }
    assert!(project.ok(&["--raw", "snapshot", "-s", "select"]).contains("option \"Rome\""));
}

#[test]
fn asking_works_while_a_person_holds_the_session() {
    let project = Project::new();
    project.ok(&["goto", "about:blank"]);
    let dashboard = Dashboard::open(&project, &[]);
    dashboard.take().expect("it is free");
    let asked = ask(&project, &["ask", "Done?"]);
    let question = waiting_question(&project);
    let body = json!({ "id": question["id"], "answer": "soon" });
    dashboard.call("DashboardService/AnswerQuestion", &body).expect("it waits");
    assert!(asked.join().expect("an output").stdout.contains("soon"));
    assert_eq!(project.fail(&["text"]).0, "HANDED_OFF");
}
