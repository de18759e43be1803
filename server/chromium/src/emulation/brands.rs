//! The brands of the client hints: which there are, in which order, and the one
//! that exists nowhere and keeps sites from matching on the list.
//!
//! Chromium makes the list from its major version alone
//! (`components/embedder_support/user_agent_utils.cc`), so the same version says
//! the same everywhere.

use std::path::Path;

use serde_json::{Value, json};

/// Between the words of the brand that exists nowhere.
const GREASE_CHARACTERS: [&str; 11] = [" ", "(", ":", "-", ".", "/", ")", ";", "=", "?", "_"];

/// Its versions.
const GREASE_VERSIONS: [&str; 3] = ["8", "99", "24"];

/// Where the first, second and third brand of three stand.
const ORDERS_OF_THREE: [[usize; 3]; 6] =
    [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Whose build it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Brand {
    /// Chromium, and what is built from it under that name.
    Chromium,
    /// Google Chrome.
    GoogleChrome,
}

impl Brand {
    /// By the place of the program. Browsers of other makers have more than a
    /// brand that is different, and count as Chromium.
    pub(crate) fn of_program(program: &Path) -> Self {
        let path = program.to_string_lossy();
        let is_chrome = ["/google/chrome", "google-chrome", "Google Chrome"]
            .iter()
            .any(|place| path.contains(place))
            && !path.contains("for Testing");
        if is_chrome { Self::GoogleChrome } else { Self::Chromium }
    }
}

/// What a list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VersionForm {
    /// `156`
    Major,
    /// `156.0.8078.108`
    Full,
}

/// The list of a version, as `userAgentMetadata` wants it.
pub(crate) fn brand_list(full_version: &str, brand: Brand, form: VersionForm) -> Value {
    let major = full_version.split('.').next().unwrap_or_default();
    let seed: usize = major.parse().unwrap_or(1);
    let between = |index: usize| GREASE_CHARACTERS[index % GREASE_CHARACTERS.len()];
    let nowhere = format!("Not{}A{}Brand", between(seed), between(seed + 1));
    let nowhere_version = GREASE_VERSIONS[seed % GREASE_VERSIONS.len()];
    let (nowhere_version, version) = match form {
        VersionForm::Major => (nowhere_version.to_owned(), major),
        VersionForm::Full => (format!("{nowhere_version}.0.0.0"), full_version),
    };
    let mut brands = vec![(nowhere.as_str(), nowhere_version.as_str()), ("Chromium", version)];
    if brand == Brand::GoogleChrome {
        brands.push(("Google Chrome", version));
    }
    let mut placed = brands.clone();
    for (index, brand) in brands.iter().enumerate() {
        let place = match brands.len() {
            3 => ORDERS_OF_THREE[seed % ORDERS_OF_THREE.len()][index],
            count => (seed + index) % count,
        };
        placed[place] = *brand;
    }
    let entry = |(brand, version)| json!({ "brand": brand, "version": version });
    placed.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As it stands in `Sec-CH-UA`.
    fn header(version: &str, brand: Brand) -> String {
        let list = brand_list(version, brand, VersionForm::Major);
        let texts = list.as_array().expect("a list").iter().map(|entry| {
            format!(
                "\"{}\";v=\"{}\"",
                entry["brand"].as_str().unwrap(),
                entry["version"].as_str().unwrap()
            )
        });
        texts.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_lists_are_those_that_chrome_has_sent() {
        for (version, sent) in [
            ("119", r#""Google Chrome";v="119", "Chromium";v="119", "Not?A_Brand";v="24""#),
            ("120", r#""Not_A Brand";v="8", "Chromium";v="120", "Google Chrome";v="120""#),
            ("122", r#""Chromium";v="122", "Not(A:Brand";v="24", "Google Chrome";v="122""#),
            ("123", r#""Google Chrome";v="123", "Not:A-Brand";v="8", "Chromium";v="123""#),
            ("124", r#""Chromium";v="124", "Google Chrome";v="124", "Not-A.Brand";v="99""#),
        ] {
            assert_eq!(header(version, Brand::GoogleChrome), sent);
        }
        let sent = r#""Not:A-Brand";v="8", "Chromium";v="156""#;
        assert_eq!(header("156.0.8078.108", Brand::Chromium), sent);
        let full = brand_list("156.0.8078.108", Brand::Chromium, VersionForm::Full);
        assert_eq!(full[0], json!({ "brand": "Not:A-Brand", "version": "8.0.0.0" }));
        assert_eq!(full[1], json!({ "brand": "Chromium", "version": "156.0.8078.108" }));
    }

    #[test]
    fn a_build_is_known_by_its_place() {
        for (path, brand) in [
            ("/usr/lib/chromium/chromium-headless-shell", Brand::Chromium),
            ("/opt/chrome-headless-shell/chrome-headless-shell", Brand::Chromium),
            ("/opt/google/chrome/chrome", Brand::GoogleChrome),
            ("/opt/google/chrome-beta/chrome", Brand::GoogleChrome),
            ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", Brand::GoogleChrome),
            ("/Applications/Google Chrome for Testing.app/Contents/MacOS/x", Brand::Chromium),
        ] {
            assert_eq!(Brand::of_program(Path::new(path)), brand, "{path}");
        }
    }
}
