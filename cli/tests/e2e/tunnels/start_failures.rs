//! What is reported of programs that do not start.

use std::fs;

use super::{Owner, WAIT_TIMEOUT};
use crate::project::{Output, eventually};

/// A program is a path from the caller's folder on, and is agreed to as a whole
/// one.
pub fn what_its_path_says(owner: &Owner) {
    let project = &owner.project;
    let start = |command: &str| project.run(&["tunnel", "start", "--tunnel-cmd", command]);
    let path = project.write("forward.sh", "#!/bin/sh\necho \"it is $1\"; exit 3\n");
    let agreed = |command| project.run(&["tunnel", "start", "--yes", "--tunnel-cmd", command]);
    // What cannot run is reported before anybody agrees to it.
    let denied = start("./forward.sh {port}");
    let hint = format!("chmod u+x {}`", path.display());
    assert!(denied.code == Some(2) && denied.stderr.contains(&hint), "{denied:?}");
    let may = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(&path, may).expect("a mode");
    let asked = start("./forward.sh {port}");
    let whole = format!("`{} {{port}}`", path.display());
    assert!(asked.code == Some(3) && asked.stderr.contains(&whole), "{asked:?}");
    assert_eq!(agreed("./forward.sh {port}").code, Some(1));
    // It was agreed to before, by the same name.
    for command in ["./forward.sh {port}", &format!("{} {{port}}", path.display())] {
        let ran = start(command);
        assert!(ran.code == Some(1) && ran.stderr.contains("with code 3: it is "), "{ran:?}");
    }
    for (command, why) in [("./none", "there is no such file"), ("./", "it is not a file")] {
        let refused = agreed(command);
        assert!(refused.code == Some(2) && refused.stderr.contains(why), "{refused:?}");
        assert!(refused.stderr.contains("the path of a program"), "{refused:?}");
    }
}

/// What stops a tunnel as it starts is not a fault of its program.
pub fn whoever_stops_it_is_told_how_to_start_it(owner: &Owner) {
    let command = "sh -c 'sleep 600'";
    let starting = owner.project.command(&["tunnel", "start", "--yes", "--tunnel-cmd", command]);
    let starting = std::thread::spawn(move || {
        let mut starting = starting;
        Output::of(starting.output().expect("browse is built"))
    });
    let begun = eventually(WAIT_TIMEOUT, || {
        let status = owner.status();
        if status["state"] == "starting" { Ok(()) } else { Err(status) }
    });
    assert!(begun.is_ok(), "{begun:?}");
    assert_eq!(owner.project.ok(&["tunnel", "stop"]), "stopped\n");
    let reported = starting.join().expect("it ends");
    assert_eq!(reported.code, Some(1), "{reported:?}");
    assert!(reported.stderr.contains("it was stopped before it had an address"), "{reported:?}");
    let hint =
        "hint: To start it again, run `browse tunnel start --tunnel-cmd \"sh -c 'sleep 600'\"`";
    assert!(reported.stderr.contains(hint), "{reported:?}");
}
