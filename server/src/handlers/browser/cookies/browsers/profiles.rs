//! Where browsers keep their profiles, and what their keys are called: a table,
//! so that no caller names a path.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::keychain::{KeychainItem, Platform};

/// A browser that is known.
#[derive(Debug)]
pub struct KnownBrowser {
    /// Name for callers.
    pub name: &'static str,
    /// Folders of its profiles under the home of the user, on Linux.
    linux: &'static [&'static str],
    /// The same on macOS.
    mac: &'static str,
    /// Its name in the secret service.
    application: &'static str,
    /// Its name in the keychain of macOS.
    account: &'static str,
}

/// All of them.
pub static BROWSERS: &[KnownBrowser] = &[
    KnownBrowser {
        name: "chrome",
        linux: &[".config/google-chrome"],
        mac: "Google/Chrome",
        application: "chrome",
        account: "Chrome",
    },
    KnownBrowser {
        name: "chromium",
        linux: &[".config/chromium", "snap/chromium/common/chromium"],
        mac: "Chromium",
        application: "chromium",
        account: "Chromium",
    },
    KnownBrowser {
        name: "brave",
        linux: &[".config/BraveSoftware/Brave-Browser"],
        mac: "BraveSoftware/Brave-Browser",
        application: "brave",
        account: "Brave",
    },
    KnownBrowser {
        name: "edge",
        linux: &[".config/microsoft-edge"],
        mac: "Microsoft Edge",
        // It kept the name of what it was made from.
        application: "chromium",
        account: "Microsoft Edge",
    },
    KnownBrowser { name: "arc", linux: &[], mac: "Arc/User Data", application: "", account: "Arc" },
    KnownBrowser { name: "comet", linux: &[], mac: "Comet", application: "", account: "Comet" },
];

/// A profile that has cookies.
#[derive(Clone, Debug)]
pub struct BrowserCookieProfile {
    /// Whose it is.
    pub browser: &'static KnownBrowser,
    /// Name of its folder: `Default`, `Profile 1`.
    pub name: String,
    /// Its database of cookies.
    pub database_path: PathBuf,
}

impl KnownBrowser {
    /// The browser of a name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        BROWSERS.iter().find(|known| known.name.eq_ignore_ascii_case(name))
    }

    /// Where its key is.
    pub fn keychain_item(&self, platform: Platform) -> KeychainItem {
        match platform {
            Platform::Linux => {
                let schema = "chrome_libsecret_os_crypt_password_v2";
                let pairs = [("xdg:schema", schema), ("application", self.application)];
                KeychainItem::Attributes(pairs.map(|(n, v)| (n.to_owned(), v.to_owned())).to_vec())
            }
            Platform::Mac => KeychainItem::Password {
                service: format!("{} Safe Storage", self.account),
                account: self.account.to_owned(),
            },
        }
    }

    fn profile_roots(&self, platform: Platform, home: &Path) -> Vec<PathBuf> {
        match platform {
            Platform::Linux => self.linux.iter().map(|root| home.join(root)).collect(),
            Platform::Mac => vec![home.join("Library/Application Support").join(self.mac)],
        }
    }
}

/// The profiles with cookies of all browsers under `home`.
pub fn find_profiles(platform: Platform, home: &Path) -> Vec<BrowserCookieProfile> {
    let of = |browser: &'static KnownBrowser| {
        let roots = browser.profile_roots(platform, home).into_iter();
        roots.flat_map(move |root| profiles_in(browser, &root)).collect::<Vec<_>>()
    };
    BROWSERS.iter().flat_map(of).collect()
}

fn profiles_in(browser: &'static KnownBrowser, root: &Path) -> Vec<BrowserCookieProfile> {
    let folders = fs::read_dir(root).into_iter().flatten().flatten();
    let profile = |folder: fs::DirEntry| {
        let name = folder.file_name().into_string().ok()?;
        // Newer versions keep the database a folder deeper.
        let places = ["Network/Cookies", "Cookies"].map(|place| folder.path().join(place));
        let cookies = places.into_iter().find(|place| place.is_file())?;
        Some(BrowserCookieProfile { browser, name, database_path: cookies })
    };
    let mut profiles: Vec<_> = folders.filter_map(profile).collect();
    profiles.sort_by(|a, b| a.name.cmp(&b.name));
    profiles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(platform: Platform, files: &[&str]) -> Vec<String> {
        let home = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = home.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        let profiles = find_profiles(platform, home.path());
        profiles
            .iter()
            .map(|profile| format!("{} {}", profile.browser.name, profile.name))
            .collect()
    }

    #[test]
    fn profiles_are_found_where_browsers_keep_them() {
        let files = [
            ".config/google-chrome/Default/Cookies",
            ".config/google-chrome/Profile 1/Network/Cookies",
            ".config/google-chrome/Local State",
            ".config/google-chrome/Empty/Other",
            "snap/chromium/common/chromium/Default/Cookies",
            ".config/microsoft-edge/Default/Cookies",
        ];
        let expected = ["chrome Default", "chrome Profile 1", "chromium Default", "edge Default"];
        assert_eq!(found(Platform::Linux, &files), expected);
        assert!(found(Platform::Mac, &files).is_empty());
        let files = [
            "Library/Application Support/Arc/User Data/Default/Cookies",
            "Library/Application Support/Comet/Default/Cookies",
            "Library/Application Support/Google/Chrome/Default/Cookies",
        ];
        let expected = ["chrome Default", "arc Default", "comet Default"];
        assert_eq!(found(Platform::Mac, &files), expected);
    }

    #[test]
    fn keys_have_the_names_that_browsers_give_them() {
        let key = |name: &str, platform| {
            KnownBrowser::by_name(name).expect("a browser").keychain_item(platform)
        };
        let KeychainItem::Attributes(pairs) = key("Edge", Platform::Linux) else {
            panic!("attributes")
        };
        assert_eq!(pairs[1], ("application".to_owned(), "chromium".to_owned()));
        let KeychainItem::Password { service, account } = key("brave", Platform::Mac) else {
            panic!("a password")
        };
        assert_eq!((service.as_str(), account.as_str()), ("Brave Safe Storage", "Brave"));
    }
}
