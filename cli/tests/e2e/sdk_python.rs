//! The Python SDK against a real daemon, found through the state file.

use std::{path::Path, process::Command};

use crate::{
    project::{Output, Project},
    site::Site,
};

const SCRIPT: &str = "
import sys
from browse_sdk import BrowseError, connect

browse = connect()
page = browse.goto(sys.argv[1])
print(page.status, page.title)
browse.fill('#name', 'Ada')
print(browse.get('value', '#name'), browse.js('[1, null]'))
nodes = browse.snapshot(interactive=True, nodes=True).nodes
print(nodes[0].role, nodes[0].value, len(browse.screenshot(viewport=True).image) > 1000)
try:
    browse.with_timeout(2).click('#none')
except BrowseError as error:
    print(error.reason)
";

#[test]
fn a_program_drives_the_browser_of_its_project() {
    let site = Site::page("<title>Form</title><input id=name>");
    let project = Project::new();
    project.ok(&["tabs"]);
    let script = project.write("program.py", SCRIPT);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk-python/src");
    let mut command = Command::new("python3");
    command.arg("-B").arg(script).arg(site.url("/")).current_dir(project.path());
    command.env("PYTHONPATH", source).env("BROWSE_PROJECT", project.path());
    command.env_remove("BROWSE_ADDR").env_remove("BROWSE_TOKEN").env_remove("BROWSE_STATE_FILE");
    let output = Output::of_fed(command, "", &project.path());
    assert_eq!(output.code, Some(0), "{output:?}");
    let lines: Vec<_> = output.stdout.lines().collect();
    assert_eq!(
        lines,
        ["200 Form", "Ada [1, None]", "textbox Ada True", "ELEMENT_NOT_FOUND"],
        "{output:?}"
    );
}
