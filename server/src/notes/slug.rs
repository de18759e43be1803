//! The folder of a project's notes: its name, and a hash of its path, so that
//! two projects of one name do not share.

use std::path::Path;

use super::note::sha256_hex;

/// Letters of the name that are kept.
const MAX_NAME_CHARS: usize = 40;

/// `shop-1f2e3d4c` for `/home/ada/shop`.
pub fn project_slug(project: &Path) -> String {
    let real = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let name = real.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let name: String = name.unwrap_or_default().chars().map(plain).take(MAX_NAME_CHARS).collect();
    let name = name.trim_matches('-');
    let digest = sha256_hex(&real.to_string_lossy());
    match name {
        "" => digest[..8].to_owned(),
        name => format!("{name}-{}", &digest[..8]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_of_one_name_have_folders_of_their_own() {
        let (a, b) = (
            project_slug(Path::new("/nowhere/a/My Shop")),
            project_slug(Path::new("/nowhere/b/My Shop")),
        );
        assert!(a.starts_with("my-shop-") && b.starts_with("my-shop-"), "{a} {b}");
        assert_ne!(a, b);
        assert_eq!(project_slug(Path::new("/")).len(), 8);
        assert!(!project_slug(Path::new("/nowhere/../x")).contains('/'));
    }
}
