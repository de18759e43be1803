//! What to type when no browser is there.

/// The install command of this machine, as the end of a sentence: of a browser
/// that shows windows when it is `headed`.
pub(crate) fn install_hint(headed: bool) -> String {
    if cfg!(target_os = "macos") {
        return "install one with `brew install --cask google-chrome`".to_owned();
    }
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let hint = linux_hint(&release);
    if headed {
        return hint.replace("chromium-headless-shell", "chromium").replace("-headless`", "`");
    }
    hint
}

/// Reads the distribution out of `os-release`.
fn linux_hint(release: &str) -> String {
    let field = |name: &str| {
        release
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
            .map(|value| value.trim_matches('"').to_owned())
            .unwrap_or_default()
    };
    let (id, like) = (field("ID"), field("ID_LIKE"));
    let is = |name: &str| id == name || like.split_whitespace().any(|word| word == name);
    if is("ubuntu") {
        // The archive's `chromium-browser` is an empty package that installs a
        // snap, and a snap can neither use our profile nor our pipe.
        "Ubuntu's chromium package only installs a snap, which cannot be driven: \
         install Google Chrome from https://www.google.com/chrome/ \
         (`sudo apt-get install ./google-chrome-stable_current_amd64.deb`), \
         or set `BROWSE_CHROMIUM` to a Chromium binary"
            .to_owned()
    } else if is("debian") {
        "install one with `sudo apt-get install chromium-headless-shell`".to_owned()
    } else if is("fedora") || is("rhel") {
        "install one with `sudo dnf install chromium-headless`".to_owned()
    } else if is("arch") {
        "install one with `sudo pacman -S chromium`".to_owned()
    } else if is("alpine") {
        "install one with `apk add chromium`".to_owned()
    } else {
        "install Chromium or Google Chrome, or set `BROWSE_CHROMIUM` to its binary".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::linux_hint;

    #[test]
    fn each_distribution_has_its_command() {
        assert!(linux_hint("ID=debian\n").contains("apt-get install chromium-headless-shell"));
        assert!(linux_hint("ID=ubuntu\nID_LIKE=debian\n").contains("snap"));
        assert!(linux_hint("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n").contains("snap"));
        assert!(linux_hint("ID=fedora\n").contains("dnf"));
        assert!(linux_hint("").contains("BROWSE_CHROMIUM"));
    }
}
