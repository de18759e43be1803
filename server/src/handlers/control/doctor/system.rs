//! What the system around the daemon has: programs, fonts, the age of the browser, namespaces.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use browse_proto::v1;

use super::check;

/// Age of a browser from which it is likely to lack security fixes: Chromium has a major version
/// every four weeks, and fixes in between.
const OLD_BROWSER: Duration = Duration::from_secs(60 * 24 * 3600);

/// Depth to which folders of fonts are searched.
const MAX_FONT_DEPTH: usize = 4;

/// Whether the programs that are installed beside the daemon are of its version.
pub async fn check_versions() -> v1::Check {
    let own = env!("CARGO_PKG_VERSION");
    let folder = env::current_exe().ok().and_then(|program| Some(program.parent()?.to_path_buf()));
    let browse = folder.map(|folder| folder.join("browse")).filter(|path| path.is_file());
    let Some(browse) = browse else {
        return check("versions", "ok", &format!("browsed {own}"), "");
    };
    let output = tokio::process::Command::new(&browse).arg("--version").output().await;
    let found = output.ok().map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    match found {
        Some(found) if found == format!("browse {own}") => {
            check("versions", "ok", &format!("browse and browsed {own}"), "")
        }
        found => {
            let found = found.filter(|text| !text.is_empty());
            let found = found.unwrap_or_else(|| format!("{} does not run", browse.display()));
            let finding = format!("browsed {own}, but {found} beside it");
            check("versions", "warning", &finding, "install both of one release: `browse upgrade`")
        }
    }
}

/// When the program of the browser was built.
pub fn check_browser_age(program: &Path, product: &str) -> v1::Check {
    let name = "age of the browser";
    // Packages keep the time of the build. An installed wrapper script lies beside the program.
    let built = fs::canonicalize(program).and_then(fs::metadata).and_then(|about| about.modified());
    let age = built.ok().and_then(|built| SystemTime::now().duration_since(built).ok());
    let Some(age) = age else {
        return check(name, "ok", &format!("{product}, of unknown age"), "");
    };
    let days = age.as_secs() / (24 * 3600);
    let finding = format!("{product} is from {days} days ago");
    if age < OLD_BROWSER {
        return check(name, "ok", &finding, "");
    }
    let fix = match debian_package(program) {
        Some(package) => {
            format!("run `sudo apt-get update && sudo apt-get install --only-upgrade {package}`")
        }
        None => "update the browser: it is likely to lack security fixes".to_owned(),
    };
    check(name, "warning", &finding, &fix)
}

/// The package of Debian that has `program`.
fn debian_package(program: &Path) -> Option<String> {
    let program = fs::canonicalize(program).ok()?;
    let lists = fs::read_dir("/var/lib/dpkg/info").ok()?.flatten();
    lists
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "list"))
        .find_map(|list| {
            let name = list.file_stem()?.to_str()?;
            let is_browser = name.starts_with("chromium") || name.starts_with("google-chrome");
            let text = is_browser.then(|| fs::read_to_string(&list).ok()).flatten()?;
            let name = name.split(':').next().unwrap_or(name).to_owned();
            text.lines().any(|line| Path::new(line) == program).then_some(name)
        })
}

/// Whether pages have anything to be drawn with.
pub fn check_fonts() -> v1::Check {
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let folders = [
        PathBuf::from("/usr/share/fonts"),
        PathBuf::from("/usr/local/share/fonts"),
        PathBuf::from("/Library/Fonts"),
        PathBuf::from("/System/Library/Fonts"),
        home.join(".local/share/fonts"),
        home.join(".fonts"),
    ];
    let count: usize = folders.iter().map(|folder| count_fonts(folder, MAX_FONT_DEPTH)).sum();
    match count {
        0 => check(
            "fonts",
            "warning",
            "there are none, so screenshots and PDFs have no text",
            &install("fonts-liberation fonts-noto-color-emoji", "fonts"),
        ),
        count => check("fonts", "ok", &format!("{count} files"), ""),
    }
}

fn count_fonts(folder: &Path, depth: usize) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let count = |path: PathBuf| match path.is_dir() {
        true if depth > 0 => count_fonts(&path, depth - 1),
        true => 0,
        false => {
            let end = path.extension().unwrap_or_default().to_ascii_lowercase();
            usize::from(["ttf", "otf", "ttc", "pfb"].iter().any(|known| end == *known))
        }
    };
    entries.flatten().map(|entry| count(entry.path())).sum()
}

/// The command that installs `packages` of Debian here, or what to install on other systems.
pub fn install(packages: &str, what: &str) -> String {
    match Path::new("/usr/bin/apt-get").exists() {
        true => format!("run `sudo apt-get install {packages}`"),
        false => format!("install {what}"),
    }
}

/// What allows user namespaces here, which the sandboxes need.
pub fn allow_user_namespaces() -> String {
    let is = |path: &str, value: &str| {
        fs::read_to_string(Path::new("/proc/sys").join(path)).is_ok_and(|text| text.trim() == value)
    };
    let command = if is("kernel/apparmor_restrict_unprivileged_userns", "1") {
        "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
    } else if is("kernel/unprivileged_userns_clone", "0") {
        "sudo sysctl kernel.unprivileged_userns_clone=1"
    } else if is("user/max_user_namespaces", "0") {
        "sudo sysctl user.max_user_namespaces=15000"
    } else {
        return "allow user namespaces: in a container, by its seccomp profile".to_owned();
    };
    format!("allow user namespaces: run `{command}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_browser_is_warned_of() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("chromium");
        fs::write(&program, "").expect("written");
        let of = |days: u64| {
            let time = SystemTime::now() - Duration::from_secs(days * 24 * 3600 + 60);
            let file = fs::File::options().write(true).open(&program).expect("open");
            file.set_modified(time).expect("set");
            check_browser_age(&program, "Chrome/156.0")
        };
        let fresh = of(3);
        assert_eq!(
            (fresh.verdict.as_str(), fresh.finding.as_str()),
            ("ok", "Chrome/156.0 is from 3 days ago")
        );
        let old = of(90);
        assert_eq!(old.verdict, "warning");
        assert!(old.fix.contains("security fixes"), "{}", old.fix);
    }

    #[test]
    fn fonts_are_counted_below_a_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("truetype/a");
        fs::create_dir_all(&below).expect("made");
        for name in ["a.ttf", "b.OTF", "readme.txt"] {
            fs::write(below.join(name), "").expect("written");
        }
        assert_eq!((count_fonts(folder.path(), 4), count_fonts(folder.path(), 1)), (2, 0));
    }
}
