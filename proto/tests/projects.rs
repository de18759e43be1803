//! The table of cases that says which folder is the project; the SDKs are tested
//! with the same one.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink},
    path::Path,
};

use browse_proto::project::{self, ProjectSearch};
use serde_json::{Map, Value};

#[test]
fn the_project_of_each_case_is_found() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("projects.json")).expect("the table is JSON");
    for case in &cases {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let uid = fs::metadata(root).expect("it is there").uid();
        make(root, case, uid);
        let path = |key: &str| case[key].as_str().map(|path| root.join(path));
        let (home, browse_home) = (root.join("h"), path("browse_home"));
        let asker = ProjectSearch {
            uid: Some(uid),
            home: Some(&home),
            browse_home: browse_home.as_deref(),
        };
        if uid != 0 && case.get("owner").is_some() {
            continue;
        }
        let found = project::find(&path("at").expect("it has one"), asker);
        assert_eq!(Some(found), path("project"), "{}", case["case"]);
    }
}

fn make(root: &Path, case: &Value, uid: u32) {
    let none = Map::new();
    let entries = |key: &str| case[key].as_object().unwrap_or(&none).clone();
    for (path, mode) in entries("make") {
        let path = root.join(path);
        let mode = u32::from_str_radix(mode.as_str().expect("a mode"), 8).expect("octal");
        fs::create_dir_all(&path).expect("made");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
    }
    for (path, target) in entries("link") {
        symlink(root.join(target.as_str().expect("a path")), root.join(path)).expect("linked");
    }
    for path in case["file"].as_array().into_iter().flatten() {
        fs::write(root.join(path.as_str().expect("a path")), "").expect("written");
    }
    for (path, owner) in entries("owner").iter().filter(|_| uid == 0) {
        let owner = owner.as_u64().and_then(|owner| u32::try_from(owner).ok());
        chown(root.join(path), owner, None).expect("owned");
    }
}
