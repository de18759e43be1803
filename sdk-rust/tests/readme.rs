//! The lines that the README begins with: they are the example, and they run.

mod support;

use std::path::PathBuf;
use std::process::Command;

use support::{Fake, Reply, field};

const README: &str = include_str!("../README.md");
const EXAMPLE: &str = include_str!("../examples/ten_lines.rs");

#[test]
fn the_first_lines_are_the_example() {
    let block = README.split("```").nth(1).expect("a block");
    assert_eq!(block.strip_prefix("rust,no_run\n"), Some(EXAMPLE));
}

#[test]
fn they_run() {
    let fake = Fake::tcp(|call| {
        Reply::Messages(vec![match call.path.ends_with("/Goto") {
            true => [vec![1 << 3, 0xc8, 1], field(2, "u"), field(3, "Example Domain")].concat(),
            false => field(1, "@e1 link \"More\""),
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
