//! Files that pages send: kept when an action began them, refused otherwise.

use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

use serde_json::Value;

use crate::{
    project::{Project, eventually},
    site::Site,
};

const PAGE: &str = r#"<a id=attachment href="/file?report.txt">A</a>
<a id=named href="/file?x" download="named.txt">N</a>
<a id=other href="http://localhost:PORT/file?other.txt">O</a>
<a id=data href="data:text/csv,1" download="data.csv">D</a>
<button id=blob>B</button><button id=window>W</button><button id=two>2</button>
<form method=post action="/file?posted.txt"><button id=post>P</button></form>
<a id=evil href="/file?..%2f..%2f.bash%e2%80%aerc;x">E</a>
<a id=slow href=/slow>S</a><a id=cut href=/cut>C</a><button id=none>Nothing</button>
<script>const save = (href, name) => { const link = document.createElement('a'); link.href = href;
  link.download = name; document.body.append(link); link.click(); link.remove(); };
blob.onclick = () => save(URL.createObjectURL(new Blob(['12345'], {type: 'text/csv'})), 'blob.csv');
window.onclick = (event) => { if (event.target.id === 'window') open('/file?window.txt'); };
two.onclick = () => { save('/file?1', 'one.txt'); save('/file?2', 'two.txt'); };
none.onclick = () => { none.textContent = 'done'; };</script>"#;

fn at_page() -> (Site, Project) {
    let own = "<script>const link = document.createElement('a'); link.href = '/file?own.txt'; \
        link.download = ''; document.documentElement.append(link); link.click()</script>";
    let site = Site::serve(&[("/", PAGE), ("/own", own)]);
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    (site, project)
}

/// What a command says that must fail, and its exit code.
fn fails(project: &Project, args: &[&str]) -> (String, Option<i32>) {
    let output = project.run(args);
    assert_ne!(output.code, Some(0), "{output:?}");
    (output.stderr, output.code)
}

fn rows(project: &Project) -> Vec<Value> {
    project.json(&["downloads"]).as_array().cloned().unwrap_or_default()
}

#[test]
fn whatever_begins_a_download_it_is_kept_whole() {
    let (_site, project) = at_page();
    for (id, name, bytes) in [
        ("attachment", "report.txt", 7),
        ("named", "x", 7),
        ("other", "other.txt", 7),
        ("data", "data.csv", 1),
        ("blob", "blob.csv", 5),
        ("window", "window.txt", 7),
        ("post", "posted.txt", 7),
    ] {
        let receipt = project.json(&["click", &format!("#{id}")]);
        let file = &receipt["downloads"][0];
        assert_eq!((&file["state"], &file["bytes"]), (&"complete".into(), &bytes.into()), "{id}");
        assert!(file["name"].as_str().is_some_and(|own| own.starts_with(name)), "{id}: {file}");
        let path = file["path"].as_str().expect("a path");
        assert_eq!(fs::metadata(path).expect("it is there").len(), bytes, "{id}");
    }
    project.ok(&["click", "#two"]);
    let both = eventually(Duration::from_secs(10), || {
        let rows = rows(&project);
        let two = ["1", "2"].iter().all(|name| rows.iter().any(|row| row["name"] == *name));
        if two { Ok(()) } else { Err(rows) }
    });
    both.expect("both files are there");
    assert_eq!(project.json(&["click", "#none"])["downloads"], serde_json::json!([]));
    let folder = project.path().join(".browse/downloads");
    for folder in [folder.clone(), folder.join("default")] {
        let mode = fs::metadata(&folder).expect("a folder").permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
    }
}

#[test]
fn a_name_of_the_page_stays_in_its_folder() {
    let (_site, project) = at_page();
    let receipt = project.json(&["click", "#evil"]);
    let path = receipt["downloads"][0]["path"].as_str().expect("a path").to_owned();
    let file = path.rsplit('/').next().expect("a name");
    let kept = project.path().join(".browse/downloads/default").join(file);
    assert!(kept.is_file() && !file.starts_with('.') && !file.contains('\u{202e}'), "{path}");
}

#[test]
fn a_link_in_the_place_of_a_kept_file_is_not_followed() {
    let (_site, project) = at_page();
    let receipt = project.json(&["click", "#attachment"]);
    let path = receipt["downloads"][0]["path"].as_str().expect("a path").to_owned();
    project.write("secret.txt", "a secret");
    fs::remove_file(&path).expect("removed");
    std::os::unix::fs::symlink(project.path().join("secret.txt"), &path).expect("linked");
    let (stderr, code) = fails(&project, &["download", "@d1", "got.txt"]);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(!project.path().join("got.txt").exists());
}

#[test]
fn a_slow_file_is_told_and_waited_for_and_outlives_the_daemon() {
    let (site, project) = at_page();
    let receipt = project.ok(&["--raw", "click", "#slow"]);
    assert!(receipt.contains("@d1 \"big.zip\", 4000 of 8000 bytes so far"), "{receipt}");
    let (shown_text, code) = fails(&project, &["downloads", "--wait", "--timeout", "1s"]);
    assert!(code == Some(1) && shown_text.contains("4000 of 8000 bytes"), "{shown_text}");
    let (shown_text, _) = fails(&project, &["download", "@d1", "x.zip"]);
    assert!(shown_text.contains("not whole yet"), "{shown_text}");
    project.ok(&["newtab", &site.url("/go-on")]);
    let listed = project.ok(&["--raw", "downloads", "--wait"]);
    assert!(listed.contains("download @d1 \"big.zip\""), "{listed}");
    project.ok(&["restart"]);
    assert_eq!(rows(&project)[0]["name"], "big.zip");
    project.ok(&["download", "@d1", "copy.txt"]);
    assert_eq!(fs::metadata(project.path().join("copy.txt")).expect("a copy").len(), 8000);
    assert_eq!(project.ok(&["downloads", "--clear"]), "removed 1\n");
    project.ok(&["stop"]);
    for name in [".browse/downloads", ".browse/downloads.json"] {
        assert!(!project.path().join(name).exists(), "`{name}` is left");
    }
}

#[test]
fn a_file_that_breaks_off_is_not_kept() {
    let (_site, project) = at_page();
    project.run(&["click", "#cut"]);
    let (shown_text, code) = fails(&project, &["downloads", "--wait"]);
    assert!(code == Some(1) && shown_text.contains("it broke off"), "{shown_text}");
    assert_eq!(rows(&project)[0]["state"], "failed");
    assert_eq!(rows(&project)[0].get("path"), None);
}

#[test]
fn what_a_page_begins_by_itself_is_refused_and_told() {
    let (site, project) = at_page();
    // It may begin before the answer to `goto`, or after it.
    let mut output = project.run(&["goto", &site.url("/own")]);
    let reported = eventually(Duration::from_secs(10), || {
        if output.stderr.contains("was refused") {
            return Ok(());
        }
        output = project.run(&["url"]);
        Err(output.stderr.clone())
    });
    reported.expect("it is reported");
    let row = eventually(Duration::from_secs(10), || rows(&project).pop().ok_or("no download"));
    let row = row.expect("it is listed");
    assert_eq!(row["state"], "refused", "{row}");
    assert!(row["problem"].as_str().is_some_and(|why| why.contains("by itself")), "{row}");
    let (shown_text, _) = fails(&project, &["goto", &site.url("/file?asked.txt")]);
    assert!(shown_text.contains("it is kept as `@d2`, 7 bytes"), "{shown_text}");
}

#[test]
fn a_download_works_on_what_starts_one() {
    let (_site, project) = at_page();
    let saved = project.json(&["download", "#blob", "got.csv"]);
    assert_eq!((&saved["bytes"], &saved["mime"]), (&5.into(), &"text/csv".into()));
    assert_eq!(fs::read(project.path().join("got.csv")).expect("it is there"), b"12345");
    let (shown_text, _) = fails(&project, &["download", "#none", "--timeout", "2s"]);
    assert!(shown_text.contains("began no download"), "{shown_text}");
}

#[test]
fn a_session_has_a_hundred_files_and_those_that_were_saved_make_room() {
    let (_site, project) = at_page();
    // Chromium lets a script begin ten a second, and frames any number.
    let many = "for (let i = 0; i < 101; i++) { const frame = document.createElement('iframe'); \
        frame.src = `/file?f${i}.txt`; document.body.append(frame); }";
    project.ok(&["download", "#blob", "got.csv"]);
    project.ok(&["js", many]);
    let all = eventually(Duration::from_secs(60), || {
        let rows = rows(&project);
        let over = rows.iter().filter(|row| row["state"] != "running").count();
        if over >= 101 { Ok(rows) } else { Err(over) }
    });
    let all = all.expect("all are over");
    let count = |state: &str| all.iter().filter(|row| row["state"] == state).count();
    assert_eq!((count("complete"), count("refused")), (100, 1));
    assert_eq!(project.json(&["downloads", "--clear"])["removed"], 100);
    assert_eq!(rows(&project).len(), 0);
}

#[test]
fn a_caller_on_another_machine_gets_bytes_and_no_path() {
    let (site, owner) = at_page();
    owner.ok(&["click", "#data"]);
    let url = site.url("/");
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let paired = owner.json(&["pair", "new", "laptop", "--host", host]);
    let agent = Project::new();
    agent.ok(&["redeem", paired["link"].as_str().expect("a link")]);
    let remote = |args: &[&str]| agent.json(&[&["--remote", "laptop"], args].concat());
    remote(&["newtab", &url]);
    let receipt = remote(&["click", "#blob"]);
    let file = &receipt["downloads"][0];
    assert_eq!((&file["state"], &file["bytes"]), (&"complete".into(), &5.into()), "{receipt}");
    assert!(!receipt.to_string().contains(".browse"), "{receipt}");
    let listed = remote(&["downloads"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "what the owner has is not listed");
    assert!(!listed.to_string().contains(".browse"), "{listed}");
    remote(&["download", file["id"].as_str().expect("an id"), "kept.csv"]);
    remote(&["click", "#blob", "--download", "clicked.csv"]);
    for name in ["kept.csv", "clicked.csv"] {
        assert_eq!(fs::read(agent.path().join(name)).expect("it is there"), b"12345", "{name}");
    }
    let (reason, _) = agent.fail(&["--remote", "laptop", "download", "@d1", "x.csv"]);
    assert_eq!(reason, "DOWNLOAD_NOT_FOUND");
    owner.ok(&["pair", "revoke", "laptop"]);
    let all = owner.json(&["downloads", "--all"]);
    assert_eq!(all.as_array().map(Vec::len), Some(1), "what was saved goes with its session");
}

#[test]
fn a_recorded_click_saves_its_file() {
    let (site, project) = at_page();
    for (name, lang, args) in [
        ("click-ts", "ts", &["click", "#blob"][..]),
        ("click-py", "py", &["click", "#blob"]),
        ("place", "ts", &["click", "#blob", "--download", "got.csv"]),
        ("by-text", "py", &["download", "text=B", "got.csv"]),
    ] {
        project.ok(&["skill", "record", "start"]);
        project.ok(&["goto", &site.url("/")]);
        project.ok(args);
        project.ok(&["skill", "record", "save", name, "--lang", lang]);
        project.ok(&["skill", "record", "stop"]);
        let answer = project.json(&["skill", "run", name]);
        let facts = (&answer["bytes"], &answer["mime"]);
        assert_eq!(facts, (&5.into(), &"text/csv".into()), "{name}: {answer}");
    }
}
