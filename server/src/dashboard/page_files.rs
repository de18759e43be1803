//! The files of a page: those that are built in, or those of a daemon on another machine.

use browse_base::{Error, Result};
use browse_proto::Reason;
use bytes::Bytes;
use http::HeaderValue;

use super::assets;

/// The file that `/` stands for.
const INDEX: &str = "index.html";

/// A file of the page.
#[derive(Clone, Debug)]
pub struct DashboardAsset {
    /// Its name, such as `app.js`.
    pub name: String,
    /// Its media type.
    pub media_type: HeaderValue,
    /// What it holds.
    pub content: Bytes,
}

/// The files of a page.
#[derive(Clone, Debug, Default)]
pub struct PageFiles(Vec<DashboardAsset>);

impl PageFiles {
    /// The files that are built in; none in a build without them.
    pub fn built_in() -> Self {
        let files = assets::files().iter().map(|(name, kind, content)| DashboardAsset {
            name: (*name).to_owned(),
            media_type: HeaderValue::from_static(kind),
            content: Bytes::from_static(content),
        });
        Self(files.collect())
    }

    /// A page of these files, which may come from anywhere.
    ///
    /// # Errors
    /// `DASHBOARD_MISSING`: `index.html` is not among them, or a name is not one of a file.
    pub fn new(files: Vec<DashboardAsset>) -> Result<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(is_plain);
        let is_page = files.iter().all(|file| is_name(&file.name))
            && files.iter().any(|file| file.name == INDEX);
        match is_page {
            true => Ok(Self(files)),
            false => {
                Err(Error::new(Reason::DashboardMissing, "the files are not those of a dashboard"))
            }
        }
    }

    /// The files.
    pub fn files(&self) -> &[DashboardAsset] {
        &self.0
    }

    /// The file at `path`.
    pub(super) fn find(&self, path: &str) -> Option<&DashboardAsset> {
        let name = path.strip_prefix('/')?;
        let name = if name.is_empty() { INDEX } else { name };
        self.0.iter().find(|file| file.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(names: &[&str]) -> Result<PageFiles> {
        let file = |name: &&str| DashboardAsset {
            name: (*name).to_owned(),
            media_type: HeaderValue::from_static("text/plain"),
            content: Bytes::new(),
        };
        PageFiles::new(names.iter().map(file).collect())
    }

    #[test]
    fn files_are_found_by_their_own_names() {
        let page = page(&["index.html", "app.js"]).expect("a page");
        let name = |path: &str| page.find(path).map(|file| file.name.as_str());
        assert_eq!(name("/"), Some("index.html"));
        assert_eq!(name("/app.js"), Some("app.js"));
        for other in ["", "app.js", "//app.js", "/app.css", "/../app.js"] {
            assert_eq!(name(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_not_a_page_is_refused() {
        for names in [&[][..], &["app.js"], &["index.html", "../a"], &["index.html", ""]] {
            let refused = page(names).expect_err("it is not one");
            assert_eq!(refused.reason(), Reason::DashboardMissing, "{names:?}");
        }
    }
}
