//! One page with everything that pages ask of a person, completed by commands
//! alone. The page itself says what is left: nothing counts but what it saw.

use std::time::Instant;

use crate::{project::Project, site::Site};

const PAGE: &str = include_str!("playground/page.html");
const LOGIN: &str = include_str!("playground/login.html");

/// One command a line; words stand between blanks, `'…'` keeps blanks.
const SCRIPT: &str = include_str!("playground/script.txt");

#[test]
fn commands_complete_the_playground() {
    let site = Site::serve(&[("/", PAGE), ("/login", LOGIN)]);
    let project = Project::new();
    for (name, text) in [("one.txt", "one"), ("two.txt", "two"), ("three.txt", "three")] {
        project.write(name, text);
    }
    project.ok(&["goto", &site.url("/")]);
    let begun = Instant::now();
    let lines =
        SCRIPT.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut count = 0;
    for line in lines {
        let words = words(line);
        project.ok(&words.iter().map(String::as_str).collect::<Vec<_>>());
        count += 1;
    }
    let left = project.ok(&["--raw", "text", "#left"]);
    assert_eq!(left.trim(), "everything is done");
    assert_eq!(project.ok(&["--raw", "get", "title"]).trim(), "Playground");
    println!("{count} commands in {:?}", begun.elapsed());
}

/// What stands between blanks that are not within quotes; `\n` ends a line.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            letter => words.last_mut().expect("it begins with one").push(letter),
        }
    }
    words.into_iter().map(|word| word.replace("\\n", "\n")).collect()
}
