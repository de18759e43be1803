//! Pages that go somewhere else by themselves while they are read.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
};

use browse_proto::{Command, Requires, Scope};
use serde_json::{Value, json};

use crate::{project::Project, site::Site};

#[test]
fn a_page_that_goes_on_by_itself_is_read_all_the_same() {
    // The first ones go on at once, the others when they are loaded; the last
    // one stays.
    let html = |page: u32| match page {
        0..25 => format!("<p>Page</p><script>location = '/{}'</script>", page + 1),
        25..40 => format!(
            "<p>Page</p><script>onload = () => setTimeout(() => location = '/{}')</script>",
            page + 1
        ),
        _ => "<p>Page, the last</p>".to_owned(),
    };
    let pages: Vec<_> = (0..=40).map(|page| (format!("/{page}"), html(page))).collect();
    let all: Vec<_> = pages.iter().map(|(path, html)| (&**path, &**html)).collect();
    let site = Site::serve(&all);
    let project = Project::new();
    project.ok(&["goto", &site.url("/0")]);
    for command in ["text", "markdown", "snapshot", "text", "snapshot", "text"] {
        project.ok(&[command]);
    }
    project.ok(&["wait", "--text", "the last"]);
    assert!(project.ok(&["text"]).contains("Page, the last"));
}

#[test]
fn every_command_that_reads_reads_the_page_that_comes_instead() {
    let page = |rest: &str| format!("<title>T</title><main><a href=/two>Link</a>{rest}</main>");
    let (one, two) = (page("one"), page("two<form><input></form>"));
    let site = Site::serve(&[("/", &one), ("/two", &two)]);
    let looks = |command: &&Command| {
        command.scope == Scope::Read && command.requires == Requires::Page && !command.streaming
    };
    let commands: Vec<_> = Command::all().iter().filter(looks).collect();
    assert!(commands.len() > 15, "{}", commands.len());
    let project = Project::new();
    // A batch has 50 steps at most.
    for some in commands.chunks(8) {
        let mut steps = String::new();
        for command in some {
            // It is left while it is read: some times before, some times after.
            for wait in [0, 3] {
                let leave = format!("setTimeout(() => location = '/two', {wait})");
                let words: Vec<_> = words(command.example);
                for step in [json!(["goto", site.url("/")]), json!(["js", leave]), json!(words)] {
                    steps.push_str(&format!("{step}\n"));
                }
            }
        }
        let printed = project.feed(&["--json", "batch"], &steps).stdout;
        let document: Value = serde_json::from_str(&printed).expect("one document");
        let results = document["result"].as_array().expect("results");
        for command in some {
            let of_command = results.iter().filter(|result| result["command"] == command.name);
            let errors: Vec<_> = of_command.map(|result| &result["error"]).collect();
            assert_eq!(errors.len(), 2, "`{}` did not run: {printed}", command.name);
            for error in errors {
                let message = error["message"].as_str().unwrap_or_default();
                let is_lost = error["reason"] == "DEADLINE_EXCEEDED";
                assert!(!is_lost && !message.contains("left meanwhile"), "{error}");
            }
        }
    }
}

/// Splits an example at its blanks; `'…'` keeps them.
fn words(example: &str) -> Vec<String> {
    let parts = example.split('\'').enumerate();
    parts
        .flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

/// Answers each request with a redirect to what stands behind `/?`, and no other one.
fn redirector() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let count = stream.read(&mut request).unwrap_or_default();
            let request = String::from_utf8_lossy(&request[..count]).into_owned();
            match request.split(' ').nth(1).and_then(|path| path.strip_prefix("/?")) {
                Some(to) => {
                    let answer = format!(
                        "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    );
                    let _ = stream.write_all(answer.as_bytes());
                }
                None => held.push(stream),
            }
        }
    });
    format!("http://{address}")
}

#[test]
fn the_target_of_a_redirect_is_named_as_what_failed() {
    let (project, site) = (Project::new(), redirector());
    let goto = |to: &str, more: &[&str]| {
        let output = project.run(&[&["goto", &format!("{site}/?{to}")], more].concat());
        assert_ne!(output.code, Some(0), "{output:?}");
        output.stderr
    };
    let reported = goto("http://nowhere.invalid/", &[]);
    assert!(reported.contains("the host of the target of a redirect is unknown"), "{reported}");
    assert!(reported.contains("\nurl: http://nowhere.invalid/\n"), "{reported}");
    let reported = goto(&format!("{site}/?{site}/late"), &["--timeout", "2s"]);
    assert!(reported.contains("a server has not answered"), "{reported}");
    assert!(reported.contains(&format!("\nurl: {site}/late\n")), "{reported}");
    let reported = goto("file:///etc/hostname", &[]);
    assert!(reported.contains("redirects to an address that pages may not open"), "{reported}");
}
