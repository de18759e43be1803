//! Files that hold secrets or settings: the one table of what is neither given
//! to a page, nor opened as one, nor written with what a page serves.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Component, Path, PathBuf},
};

/// Folders whose content is nobody's to send, or is run by itself.
const PRIVATE_FOLDERS: &[&str] = &[
    ".ssh",
    ".aws",
    ".gnupg",
    ".kube",
    ".azure",
    ".gcloud",
    ".docker",
    ".git",
    ".password-store",
    "autostart",
    "cron.d",
    "cron.daily",
    "cron.hourly",
    "cron.monthly",
    "cron.weekly",
    "launchagents",
    "launchdaemons",
    "profile.d",
    "sudoers.d",
    "keyrings",
    "keychains",
];

/// Names of key, password and cookie stores, of their settings and histories, and
/// of what shells run when they start: tokens stand in it, and who writes it runs.
const PRIVATE_NAMES: &[&str] = &[
    ".bash_aliases",
    ".bash_history",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".boto",
    ".cshrc",
    ".dockercfg",
    ".git-credentials",
    ".gitconfig",
    ".htpasswd",
    ".kshrc",
    ".login",
    ".my.cnf",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pgpass",
    ".profile",
    ".psql_history",
    ".pypirc",
    ".python_history",
    ".s3cfg",
    ".tcshrc",
    ".vault-token",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".zlogin",
    ".zprofile",
    ".zsh_history",
    ".zshenv",
    ".zshrc",
    "application_default_credentials.json",
    "auth.json",
    "cookies",
    "cookies.sqlite",
    "credentials",
    "credentials.csv",
    "credentials.db",
    "credentials.json",
    "credentials.toml",
    "credentials.xml",
    "credentials.yaml",
    "credentials.yml",
    "crontab",
    "key3.db",
    "key4.db",
    "kubeconfig",
    "login data",
    "logins.json",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "token.json",
    "wallet.dat",
    "web data",
];

/// Beginnings of names.
const PRIVATE_PREFIXES: &[&str] = &[
    ".env",
    "client_secret",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "service-account",
    "service_account",
];

/// Endings of names: keys and their stores, and settings of a stage.
const PRIVATE_SUFFIXES: &[&str] = &[
    ".env",
    ".jks",
    ".kdbx",
    ".key",
    ".keychain",
    ".keychain-db",
    ".keystore",
    ".p12",
    ".pem",
    ".pfx",
    ".ppk",
];

/// Files that are looked at for other names of a file.
const MAX_SCANNED_FILES: usize = 50_000;

/// Whether `path`, whose links are resolved, is of a kind that holds secrets or
/// settings. Names are compared without case, because some file systems are.
pub fn is_private(path: &Path) -> bool {
    let parts: Vec<String> = path.components().filter_map(lower_component).collect();
    let name = parts.last().map_or("", String::as_str);
    let ours = parts.iter().position(|part| part == ".browse").is_some_and(|at| {
        // The skills of a project are source code, which a team commits; what was
        // downloaded is content.
        parts.get(at + 1).is_none_or(|next| !["skills", "downloads"].contains(&next.as_str()))
    });
    let public_key = name.starts_with("id_") && name.ends_with(".pub");
    ours || parts.iter().any(|part| PRIVATE_FOLDERS.contains(&part.as_str()))
        || PRIVATE_NAMES.contains(&name)
        || PRIVATE_SUFFIXES.iter().any(|ending| name.ends_with(ending))
        || PRIVATE_PREFIXES.iter().any(|beginning| name.starts_with(beginning)) && !public_key
}

fn lower_component(component: Component<'_>) -> Option<String> {
    match component {
        Component::Normal(part) => Some(OsStr::to_string_lossy(part).to_lowercase()),
        _ => None,
    }
}

/// Another name, under `folders`, of the file at `path`, that is private: a
/// hard link is no way around the table. A file with one name costs one look.
///
/// What lies somewhere else is not found, and neither are names in folders that
/// cannot be read.
///
/// # Errors
/// The file is gone, or the folders hold too many files to tell.
#[cfg(unix)]
pub fn private_name(path: &Path, folders: &[&Path]) -> io::Result<Option<PathBuf>> {
    use std::os::unix::fs::MetadataExt as _;

    let file = fs::metadata(path)?;
    if file.nlink() < 2 {
        return Ok(None);
    }
    let mut waiting: Vec<PathBuf> = folders.iter().map(|folder| folder.to_path_buf()).collect();
    let mut seen = 0;
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > MAX_SCANNED_FILES {
                return Err(io::Error::other("it has several names, which are too many to find"));
            }
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_dir() {
                // What packages and builds hold is public.
                let skipped = path.ends_with("node_modules") || path.ends_with("target");
                waiting.extend((!skipped).then_some(path));
            } else if kind.is_file() && is_private(&path) {
                let same =
                    |other: fs::Metadata| other.ino() == file.ino() && other.dev() == file.dev();
                if entry.metadata().is_ok_and(same) {
                    return Ok(Some(path));
                }
            }
        }
    }
    Ok(None)
}

/// Otherwise files have one name.
#[cfg(not(unix))]
pub fn private_name(_: &Path, _: &[&Path]) -> io::Result<Option<PathBuf>> {
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_files_are_known_by_their_places_and_names() {
        for path in [
            "/p/.browse/daemon.json",
            "/p/.browse/config.toml",
            "/p/.env",
            "/p/.ENV.local",
            "/p/prod.env",
            "/home/a/.ssh/config",
            "/home/a/.aws/x",
            "/p/.git/config",
            "/p/.git/hooks/pre-commit",
            "/p/server.PEM",
            "/p/id_ed25519",
            "/p/Cookies",
            "/p/Credentials.json",
            "/root/.profile",
            "/home/a/.zshrc",
            "/etc/cron.d/x",
            "/h/Library/LaunchAgents/x.plist",
            "/p/client_secret_7.json",
            "/h/Library/Keychains/x",
        ] {
            assert!(is_private(Path::new(path)), "{path}");
        }
        for path in [
            "/p/.browse/skills/a/script.ts",
            "/p/page.html",
            "/p/environment.js",
            "/p/.github/a.yml",
            "/p/.gitignore",
            "/p/profile/crontabs.txt",
            "/p/id_ed25519.pub",
            "/p/id_card.png",
            "/p/key.txt",
        ] {
            assert!(!is_private(Path::new(path)), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_hard_link_is_known_by_its_other_name() {
        let folder = std::env::temp_dir().join(format!("browse-private-{}", std::process::id()));
        fs::create_dir_all(folder.join("deep")).expect("a folder");
        let (secret, harmless) = (folder.join("deep/.env"), folder.join("notes.txt"));
        fs::write(&secret, "x").expect("a file");
        fs::hard_link(&secret, &harmless).expect("a link");
        let found = private_name(&harmless, &[&folder]).expect("it can be determined");
        fs::remove_file(&secret).expect("it goes");
        let without = private_name(&harmless, &[&folder]).expect("it can be determined");
        fs::remove_dir_all(&folder).expect("it goes");
        assert_eq!((found, without), (Some(secret), None));
    }
}
