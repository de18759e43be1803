//! Sessions that last: what a later daemon finds of them.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    dashboard::Dashboard,
    project::{Project, eventually},
    site::Site,
    window::with_screen,
};

/// What takes longer does not come; a change is saved after half a minute at the latest.
const LIMIT: Duration = Duration::from_secs(90);

/// Shows what it finds as it loads.
const SHOP: &str = "<title>Shop</title><p id=seen></p><script>
    seen.textContent = [document.cookie, localStorage.cart, sessionStorage.step].join(' ');
    </script>";

/// What a visitor leaves behind.
const VISIT: &str = "(() => { document.cookie = 'sid=s3cret-0815; max-age=1000'; \
    localStorage.cart = 'two'; sessionStorage.step = '3'; return 0; })()";

/// A project whose key of states is in a file.
fn project() -> Project {
    Project::new().with("BROWSE_KEYCHAIN", "false")
}

/// Another project of the same user.
fn project_beside(other: &Project) -> Project {
    project().with("BROWSE_HOME", other.home().to_str().expect("a path"))
}

fn state_file(project: &Project, session: &str) -> PathBuf {
    project.home().join("state/sessions").join(format!("{session}.state"))
}

fn work(project: &Project, args: &[&str]) -> Value {
    project.json(&[&["--session", "work"], args].concat())
}

/// The row of a session in `session list`.
fn listed(project: &Project, session: &str) -> Option<Value> {
    let all = project.json(&["session", "list"]);
    all.as_array().expect("a list").iter().find(|row| row["name"] == session).cloned()
}

fn kill_daemon(project: &Project) {
    let pid = project.daemon_pid().expect("a daemon").to_string();
    let done = Command::new("kill").args(["-9", &pid]).stderr(Stdio::null()).status();
    assert!(done.is_ok_and(|status| status.success()));
    // Its sockets are open until the last of its threads has ended.
    let gone = || (!Path::new("/proc").join(&pid).exists()).then_some(()).ok_or("it is there");
    eventually(LIMIT, gone).expect("it ends");
    project.assert_empty_within(LIMIT);
}

#[test]
fn what_a_session_holds_outlives_the_daemon() {
    let site = Site::serve(&[("/", SHOP), ("/other", "<title>Other</title>")]);
    let project = project();
    project.ok(&["session", "new", "work", "--keep"]);
    work(&project, &["goto", &site.url("/")]);
    work(&project, &["js", VISIT]);
    work(&project, &["newtab", &site.url("/other")]);
    project.ok(&["stop"]);
    let file = state_file(&project, "work");
    let sealed = fs::read(&file).expect("it was saved");
    assert!(!sealed.windows(11).any(|part| part == b"s3cret-0815"), "it is sealed");
    let mode = fs::metadata(&file).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // A command that names it opens it.
    let output = project.run(&["--json", "--raw", "--session", "work", "tabs"]);
    let restored = "opened the session `work`: 1 cookie, storage of 1 origin, 2 tabs";
    let document: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert!(format!("{}{}", output.stdout, output.stderr).contains(restored), "{output:?}");
    let tabs = &document["result"];
    let shown = |at: usize| (tabs[at]["url"].clone(), tabs[at]["active"].clone());
    assert_eq!(shown(0), (json!(site.url("/")), json!(false)), "{tabs}");
    assert_eq!(shown(1), (json!(site.url("/other")), json!(true)), "{tabs}");
    assert_eq!(tabs.as_array().map(Vec::len), Some(2), "{tabs}");
    assert!(tabs[0]["state"] == "unloaded" && tabs[1]["state"] == "unloaded", "{tabs}");
    let first = tabs[0]["id"].to_string();
    let seen = work(&project, &["js", "seen.textContent", "--tab", &first]);
    assert_eq!(seen, json!("sid=s3cret-0815 two 3"));
    assert_eq!(work(&project, &["get", "title"]), json!("Other"));
    let log = fs::read_to_string(project.path().join(".browse/daemon.log")).unwrap_or_default();
    assert!(!log.contains("s3cret-0815"), "{log}");
}

#[test]
fn the_default_session_is_kept_while_it_is_open() {
    let site = Site::serve(&[("/", SHOP), ("/other", "<title>Other</title>")]);
    let project = project();
    project.ok(&["goto", &site.url("/")]);
    project.json(&["js", VISIT]);
    let kept = project.json(&["session", "new", "default", "--keep"]);
    assert_eq!(kept["restored"], json!(""), "it was open: {kept}");
    let row = listed(&project, "default").expect("it is open");
    assert!(row["kept"] == true && row["saved"] != "", "{row}");
    // The storage of a page that no tab shows any more is kept, too.
    project.ok(&["goto", &site.url("/other").replace("127.0.0.1", "localhost")]);
    project.ok(&["stop"]);
    let row = listed(&project, "default").expect("it is kept");
    assert!(row["browser"] == "none: it is not open" && row["kept"] == true, "{row}");
    let opened = project.json(&["session", "new", "default", "--keep"]);
    assert_eq!(opened["restored"], json!("1 cookie, storage of 1 origin, 1 tab"));
    project.ok(&["goto", &site.url("/")]);
    assert_eq!(project.json(&["js", "localStorage.cart"]), json!("two"));
}

#[test]
fn a_killed_daemon_leaves_what_was_saved() {
    let site = Site::page(SHOP);
    let project = project();
    work(&project, &["goto", &site.url("/")]);
    work(&project, &["js", VISIT]);
    project.ok(&["session", "new", "work", "--keep"]);
    kill_daemon(&project);
    assert_eq!(work(&project, &["js", "seen.textContent"]), json!("sid=s3cret-0815 two 3"));
}

#[test]
fn a_change_is_saved_without_a_command() {
    let page = "<title>A</title><script>localStorage.cart = 'one'</script>";
    let site = Site::page(page);
    let project = project();
    project.ok(&["session", "new", "work", "--keep"]);
    let file = state_file(&project, "work");
    let before = fs::read(&file).expect("it is saved as it begins");
    work(&project, &["goto", &site.url("/")]);
    let changed = || (fs::read(&file).ok().as_ref() != Some(&before)).then_some(()).ok_or(());
    eventually(LIMIT, changed).expect("it is saved again");
    kill_daemon(&project);
    let tabs = work(&project, &["tabs"]);
    assert_eq!(tabs[0]["url"], json!(site.url("/")), "{tabs}");
}

#[test]
fn one_project_at_a_time_has_a_kept_session() {
    let site = Site::page("<title>A</title>");
    let first = project();
    let second = project_beside(&first);
    first.ok(&["session", "new", "work", "--keep"]);
    let keep = ["session", "new", "work", "--keep"];
    assert_eq!(second.fail(&keep), ("SESSION_KEPT_BY_ANOTHER".to_owned(), 1));
    let refused = second.run(&keep);
    assert!(refused.stderr.contains(&first.path().display().to_string()), "{refused:?}");
    first.ok(&["session", "close", "work"]);
    let forget = ["session", "close", "work", "--forget"];
    assert_eq!(second.fail(&forget).0, "SESSION_KEPT_BY_ANOTHER", "it is the first one's");
    // Its name alone does not open it in a project that never kept it.
    work(&second, &["goto", &site.url("/")]);
    assert_eq!(second.fail(&keep).0, "SESSION_EXISTS");
    second.ok(&["session", "close", "work"]);
    second.ok(&keep);
    assert_eq!(first.fail(&["--session", "work", "tabs"]).0, "SESSION_KEPT_BY_ANOTHER");
    second.ok(&["stop"]);
    work(&first, &["tabs"]);
}

#[test]
fn a_closed_session_is_opened_again_until_it_is_forgotten() {
    let site = Site::page(SHOP);
    let project = project();
    project.ok(&["session", "new", "work", "--keep"]);
    work(&project, &["goto", &site.url("/")]);
    work(&project, &["js", VISIT]);
    project.ok(&["session", "close", "work"]);
    let row = listed(&project, "work").expect("it is kept");
    assert_eq!((&row["tabs"], &row["kept"]), (&json!(0), &json!(true)), "{row}");
    assert_eq!(project.fail(&["session", "close", "work"]).0, "SESSION_NOT_FOUND");
    assert_eq!(work(&project, &["js", "seen.textContent"]), json!("sid=s3cret-0815 two 3"));
    project.ok(&["session", "close", "work", "--forget"]);
    assert!(!state_file(&project, "work").exists());
    assert!(listed(&project, "work").is_none());
    project.ok(&["stop"]);
    assert!(listed(&project, "work").is_none());
    assert_eq!(project.ok(&["--session", "work", "--raw", "url"]).trim(), "about:blank");
}

#[test]
fn a_file_that_cannot_be_opened_is_left_as_it_is() {
    let project = project();
    project.ok(&["session", "new", "work", "--keep"]);
    project.ok(&["stop"]);
    let file = state_file(&project, "work");
    fs::write(&file, "something else").expect("a file");
    assert_eq!(project.fail(&["--session", "work", "tabs"]), ("STATE_CORRUPT".to_owned(), 1));
    assert_eq!(project.fail(&["session", "new", "work", "--keep"]).0, "STATE_CORRUPT");
    project.ok(&["tabs"]);
    assert_eq!(fs::read(&file).expect("a file"), b"something else");
    project.ok(&["session", "close", "work", "--forget"]);
    assert!(!file.exists());
    project.ok(&["session", "new", "work", "--keep"]);
}

#[test]
fn nothing_is_saved_while_a_person_has_the_session() {
    let page = "<title>A</title><script>
        setInterval(() => { document.cookie = `tick=${Date.now()}; max-age=1000` }, 20)</script>";
    let site = Site::page(page);
    let project = project();
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["session", "new", "default", "--keep"]);
    let file = state_file(&project, "default");
    let dashboard = Dashboard::open(&project, &[]);
    dashboard.take().expect("nobody has it");
    let before = fs::read(&file).expect("it was saved");
    project.ok(&["stop"]);
    assert!(fs::read(&file).expect("it is there") == before, "it was saved while it was held");
    // Once it is given back, it is saved again.
    project.ok(&["get", "title"]);
    let dashboard = Dashboard::open(&project, &[]);
    let lease = dashboard.take().expect("nobody has it");
    let body = json!({ "lease": lease });
    dashboard.call("DashboardService/ReleaseControl", &body).expect("it is held");
    project.ok(&["stop"]);
    assert!(fs::read(&file).expect("it is there") != before, "it was not saved");
}

#[test]
fn sessions_of_others_are_not_kept() {
    let project = project();
    project.ok(&["agent", "open", "--session", "work", "--host", "example.com"]);
    assert_eq!(project.fail(&["session", "new", "work", "--keep"]).0, "SESSION_RESTRICTED");
    assert_eq!(project.fail(&["session", "new", ".hidden", "--keep"]).0, "ARGUMENT_INVALID");
    assert!(!state_file(&project, "work").exists());
}

#[test]
fn what_a_page_stores_before_it_is_left_is_saved() {
    let [first, second, third] = [(); 3].map(|()| Site::page("<title>A</title>"));
    let project = project();
    work(&project, &["goto", &first.url("/")]);
    work(&project, &["goto", &second.url("/")]);
    work(&project, &["js", "localStorage.cart = 'old'"]);
    // Reads the storage of the first one, which no tab shows.
    project.ok(&["session", "new", "work", "--keep"]);
    work(&project, &["js", "localStorage.cart = 'new'"]);
    work(&project, &["goto", &third.url("/")]);
    project.ok(&["stop"]);
    work(&project, &["goto", &second.url("/")]);
    assert_eq!(work(&project, &["js", "localStorage.cart"]), json!("new"));
}

#[test]
fn a_login_in_a_window_is_saved_as_the_session_ends() {
    let Some((_screen, project)) = with_screen() else { return };
    let project = project.with("BROWSE_KEYCHAIN", "false");
    let site = Site::page(SHOP);
    project.ok(&["session", "new", "work", "--keep"]);
    work(&project, &["goto", &site.url("/")]);
    for (end, step) in [(&["session", "close", "work"][..], "3"), (&["stop"][..], "4")] {
        work(&project, &["connect"]);
        work(&project, &["js", &VISIT.replace("'3'", &format!("'{step}'"))]);
        project.ok(end);
        let seen = work(&project, &["js", "seen.textContent"]);
        assert_eq!(seen, json!(format!("sid=s3cret-0815 two {step}")), "{end:?}");
    }
}

#[test]
fn a_tab_whose_first_page_is_on_its_way_is_saved_with_its_address() {
    let site = Site::page("<title>Shop</title><a href='/hang' target=_blank>Later</a>");
    let project = project();
    project.ok(&["session", "new", "work", "--keep"]);
    work(&project, &["goto", &site.url("/")]);
    project.run(&["--session", "work", "--timeout", "2s", "click", "role=link[name=Later]"]);
    let tab_count = || work(&project, &["tabs"]).as_array().map_or(0, Vec::len);
    eventually(LIMIT, || (tab_count() == 2).then_some(()).ok_or("one tab")).expect("a second tab");
    project.ok(&["stop"]);
    let tabs = work(&project, &["tabs"]);
    let rows = tabs.as_array().expect("tabs");
    assert!(rows.iter().any(|tab| tab["url"] == site.url("/hang")), "{tabs}");
}

/// Keeps a login in a database, as some applications do.
const APP: &str = "<title>App</title><script>
    const open = () => new Promise((resolve, reject) => {
      const request = indexedDB.open('login', 2);
      request.onupgradeneeded = () => request.result.createObjectStore('users', { keyPath: 'uid' });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const run = async (mode, work) => {
      const database = await open();
      const request = work(database.transaction('users', mode).objectStore('users'));
      return new Promise((resolve) => { request.onsuccess = () => {
        database.close();
        resolve(JSON.stringify(request.result));
      }; });
    };
    const signIn = (name) => run('readwrite', (users) => users.put({ uid: 1, name, at: new Date(0) }));
    const user = () => run('readonly', (users) => users.get(1));
    </script>";

fn signed_in(name: &str) -> Value {
    json!(format!("{{\"uid\":1,\"name\":\"{name}\",\"at\":\"1970-01-01T00:00:00.000Z\"}}"))
}

#[test]
fn databases_are_kept_and_saved() {
    let (site, project) = (Site::page(APP), project());
    project.ok(&["session", "new", "work", "--keep"]);
    work(&project, &["goto", &site.url("/")]);
    work(&project, &["js", "signIn('ann')"]);
    project.ok(&["stop"]);
    assert_eq!(work(&project, &["js", "user()"]), signed_in("ann"));
    let saved = project.json(&["--session", "work", "state", "save", "login"]);
    assert_eq!(saved["databases"], json!(1), "{saved}");
    let loaded = project.json(&["--session", "other", "state", "load", "login"]);
    assert_eq!((&loaded["databases"], &loaded["problems"]), (&json!(1), &json!([])), "{loaded}");
    let other = project.json(&["--session", "other", "js", "user()"]);
    assert_eq!(other, signed_in("ann"));
}

#[test]
fn databases_move_to_a_window_and_back() {
    let Some((_screen, project)) = with_screen() else { return };
    let site = Site::page(APP);
    project.json(&["goto", &site.url("/")]);
    project.json(&["js", "signIn('ann')"]);
    project.json(&["connect"]);
    assert_eq!(project.json(&["js", "user()"]), signed_in("ann"));
    project.json(&["js", "signIn('bob')"]);
    project.json(&["disconnect"]);
    assert_eq!(project.json(&["js", "user()"]), signed_in("bob"));
}

#[test]
fn a_session_in_a_window_is_saved_when_it_is_back() {
    let Some((_screen, project)) = with_screen() else { return };
    let project = project.with("BROWSE_KEYCHAIN", "false");
    let site = Site::page(SHOP);
    work(&project, &["goto", &site.url("/")]);
    work(&project, &["connect"]);
    let output = project.run(&["session", "new", "work", "--keep"]);
    let text = format!("{}{}", output.stdout, output.stderr);
    assert!(text.contains("it is saved when it is back"), "{text}");
    let file = state_file(&project, "work");
    assert!(!file.exists(), "a person may have it");
    work(&project, &["disconnect"]);
    eventually(LIMIT, || file.exists().then_some(()).ok_or(())).expect("it is saved");
}

#[test]
fn a_session_that_cannot_be_saved_stays_open() {
    let site = Site::page(SHOP);
    let project = project();
    project.ok(&["session", "new", "work", "--keep"]);
    let folder = project.home().join("state/sessions");
    let away = folder.with_extension("away");
    fs::rename(&folder, &away).expect("it is there");
    fs::write(&folder, "").expect("a file in its place");
    work(&project, &["goto", &site.url("/")]);
    let close = ["session", "close", "work"];
    assert_eq!(project.fail(&close).0, "FILE_UNWRITABLE");
    let refused = project.run(&close);
    assert!(refused.stderr.contains("Free space on the disk"), "{refused:?}");
    assert!(!refused.stderr.contains("--forget"), "{refused:?}");
    fs::remove_file(&folder).expect("the file");
    fs::rename(&away, &folder).expect("it is back");
    project.ok(&close);
    assert_eq!(work(&project, &["tabs"])[0]["url"], json!(site.url("/")));
}
