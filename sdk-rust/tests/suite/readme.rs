//! The lines that the README begins with: they are the example, and they run.

use std::path::PathBuf;
use std::process::Command;

use crate::support::{Fake, Reply};

const README: &str = include_str!("../../README.md");
const EXAMPLE: &str = include_str!("../../examples/ten_lines.rs");

#[test]
fn the_first_lines_are_the_example() {
    let block = README.split("```").nth(1).expect("a block");
    assert_eq!(block.strip_prefix("rust,no_run\n"), Some(EXAMPLE));
}

#[test]
fn they_run() {
    let fake = Fake::tcp(|call| {
        Reply::Messages(vec![match call.path.ends_with("/Goto") {
            true => r#"{"status":200,"url":"u","title":"Example Domain"}"#.to_owned(),
            false => r#"{"tree":"@e1 link \"More\""}"#.to_owned(),
        }])
    });
    // Cargo builds the examples together with the tests, beside them.
    let me = std::env::current_exe().expect("a program");
    let target: PathBuf = me.ancestors().nth(2).expect("a folder").join("examples/ten_lines");
    let mut example = Command::new(target);
    example.env("BROWSE_ADDR", &fake.address).env("BROWSE_TOKEN", "t");
    let output = example.output().expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(printed, "Some(200) Example Domain\n@e1 link \"More\"\n");
}
