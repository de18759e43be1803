//! Where the collection lies, and what a tree of it lists.

use serde::Deserialize;
use url::Url;

/// Most notes that are kept.
const MAX_NOTES: usize = 3000;

/// Where the lists of files are, unless the settings name another place.
const DEFAULT_API_URL: &str = "https://api.github.com";

/// Where the files are.
const DEFAULT_RAW_URL: &str = "https://raw.githubusercontent.com";

/// What the settings say of the collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibrarySettings {
    /// Owner and name; none when the library is off.
    pub collection: Option<String>,
    /// Branch.
    pub branch: String,
    /// Folder that holds a folder for each site.
    pub prefix: String,
    /// Address that serves lists and files in place of GitHub.
    pub url: Option<Url>,
}

impl Default for LibrarySettings {
    fn default() -> Self {
        Self {
            collection: Some("browser-use/browser-harness".to_owned()),
            branch: "main".to_owned(),
            prefix: "agent-workspace/domain-skills".to_owned(),
            url: None,
        }
    }
}

/// A file that a tree lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedNote {
    /// Site and file without its ending: `github/attachments`.
    pub id: String,
    /// Path in the collection.
    pub path: String,
    /// Git's hash of the file.
    pub blob: String,
}

/// A tree of the collection.
#[derive(Debug, Default)]
pub struct LibraryTree {
    /// Git's hash of it.
    pub hash: String,
    /// Its notes, by id.
    pub notes: Vec<ListedNote>,
}

#[derive(Deserialize)]
struct GitTreeResponse {
    sha: String,
    #[serde(default)]
    truncated: bool,
    tree: Vec<GitTreeEntry>,
}

#[derive(Deserialize)]
struct GitTreeEntry {
    path: String,
    #[serde(rename = "type")]
    kind: String,
    sha: String,
}

impl LibrarySettings {
    /// The address of the list of files.
    pub fn tree_url(&self, collection: &str) -> Option<Url> {
        let path = format!("/repos/{collection}/git/trees/{}?recursive=1", self.branch);
        self.build_url(DEFAULT_API_URL, &path)
    }

    /// The address of a file.
    pub fn file_url(&self, collection: &str, path: &str) -> Option<Url> {
        self.build_url(DEFAULT_RAW_URL, &format!("/{collection}/{}/{path}", self.branch))
    }

    fn build_url(&self, usual: &str, path: &str) -> Option<Url> {
        let base = self.url.as_ref().map_or(usual, Url::as_str).trim_end_matches('/');
        Url::parse(&format!("{base}{path}")).ok()
    }

    /// What stands for all of it: the cache of another collection is another.
    pub fn cache_key(&self) -> String {
        let Self { collection, branch, prefix, url } = self;
        let collection = collection.as_deref().unwrap_or_default();
        let url = url.as_ref().map(Url::as_str).unwrap_or_default();
        format!("{collection} {branch} {prefix} {url}")
    }
}

/// Reads the list of files; answers what is wrong with it.
pub fn parse_tree(bytes: &[u8], prefix: &str) -> Result<LibraryTree, String> {
    let answer: GitTreeResponse = serde_json::from_slice(bytes)
        .map_err(|error| format!("the list is not a tree: {error}"))?;
    if answer.truncated {
        return Err("the list of the collection is cut short".to_owned());
    }
    if !is_hash(&answer.sha) {
        return Err("the tree has no hash".to_owned());
    }
    let mut notes: Vec<_> = answer
        .tree
        .into_iter()
        .filter(|item| item.kind == "blob" && is_hash(&item.sha))
        .filter_map(|item| {
            let id = note_id(&item.path, prefix)?;
            Some(ListedNote { id, path: item.path, blob: item.sha })
        })
        .take(MAX_NOTES)
        .collect();
    notes.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(LibraryTree { hash: answer.sha, notes })
}

/// The id of the note at `path`; none for what is not a note. Names become parts
/// of addresses and of command lines: only plain ones are taken.
fn note_id(path: &str, prefix: &str) -> Option<String> {
    let rest = match prefix {
        "" => path,
        prefix => path.strip_prefix(prefix)?.strip_prefix('/')?,
    };
    let id = rest.strip_suffix(".md")?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let part = |part: &str| {
        !part.is_empty()
            && part.len() <= 80
            && !part.starts_with(['.', '-'])
            && part.chars().all(plain)
    };
    (id.contains('/') && id.len() <= 200 && id.split('/').all(part)).then(|| id.to_owned())
}

fn is_hash(text: &str) -> bool {
    (40..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What GitHub answers, with the fields that it has and we do not read.
    const ANSWER: &str = r#"{
        "sha": "9fb037999f264ba9a7fc6274d15fa3ae2ab98312",
        "url": "https://api.github.com/repos/browser-use/browser-harness/git/trees/9fb037999f264ba9a7fc6274d15fa3ae2ab98312",
        "tree": [
            {"path": "SKILL.md", "mode": "100644", "type": "blob", "sha": "44b4fc6d56897b048c772eb4087f854f46256132", "size": 30, "url": "https://api.github.com/repos/browser-use/browser-harness/git/blobs/44b4fc6d56897b048c772eb4087f854f46256132"},
            {"path": "agent-workspace", "mode": "040000", "type": "tree", "sha": "f484d249c660418515fb01c2b9662073663c242e", "url": "https://api.github.com/repos/browser-use/browser-harness/git/trees/f484d249c660418515fb01c2b9662073663c242e"},
            {"path": "agent-workspace/domain-skills/BOSS-zhipin/job-search.md", "mode": "100644", "type": "blob", "sha": "45b983be36b73c0788dc9cbcb76cbb80fc7bb057", "size": 9, "url": "https://api.github.com/x"},
            {"path": "agent-workspace/domain-skills/appstoreconnect.apple.com/_architecture.md", "mode": "100644", "type": "blob", "sha": "1a2b983be36b73c0788dc9cbcb76cbb80fc7bb05", "size": 9, "url": "https://api.github.com/x"},
            {"path": "agent-workspace/domain-skills/claude-ai/extract-share-transcript.py", "mode": "100755", "type": "blob", "sha": "45b983be36b73c0788dc9cbcb76cbb80fc7bb057", "size": 9, "url": "https://api.github.com/x"},
            {"path": "vendor", "mode": "160000", "type": "commit", "sha": "45b983be36b73c0788dc9cbcb76cbb80fc7bb057", "url": "https://api.github.com/x"}
        ],
        "truncated": false
    }"#;

    #[test]
    fn the_usual_collection_is_asked_for_and_read_as_github_has_it() {
        let usual = LibrarySettings::default();
        let name = usual.collection.clone().unwrap_or_default();
        let list = usual.tree_url(&name).map(String::from);
        let wanted =
            "https://api.github.com/repos/browser-use/browser-harness/git/trees/main?recursive=1";
        assert_eq!(list.as_deref(), Some(wanted));
        let tree = parse_tree(ANSWER.as_bytes(), &usual.prefix).expect("a tree");
        let ids: Vec<_> = tree.notes.iter().map(|note| note.id.as_str()).collect();
        assert_eq!(ids, ["BOSS-zhipin/job-search", "appstoreconnect.apple.com/_architecture"]);
        let file = usual.file_url(&name, &tree.notes[0].path).map(String::from);
        let wanted = "https://raw.githubusercontent.com/browser-use/browser-harness/main/agent-workspace/domain-skills/BOSS-zhipin/job-search.md";
        assert_eq!(file.as_deref(), Some(wanted));
    }

    #[test]
    fn only_plain_notes_below_the_prefix_are_listed() {
        let sha = "0123456789012345678901234567890123456789";
        let item = |path: &str, kind: &str| {
            format!(r#"{{"path": "{path}", "type": "{kind}", "sha": "{sha}"}}"#)
        };
        let items = [
            item("notes/shop/cart.md", "blob"),
            item("notes/shop/deep/er.md", "blob"),
            item("notes/shop", "tree"),
            item("notes/README.md", "blob"),
            item("notes/shop/../../x.md", "blob"),
            item("notes/shop/a b.md", "blob"),
            item("notes/-shop/a.md", "blob"),
            item("notes/shop/cart.txt", "blob"),
            item("notesx/shop/cart.md", "blob"),
        ];
        let list = format!(r#"{{"sha": "{sha}", "tree": [{}]}}"#, items.join(","));
        let ids: Vec<_> = parse_tree(list.as_bytes(), "notes").expect("a tree").notes;
        let ids: Vec<_> = ids.iter().map(|note| note.id.as_str()).collect();
        assert_eq!(ids, ["shop/cart", "shop/deep/er"]);
        for bad in ["", "[]", r#"{"sha": "x", "tree": []}"#, r#"{"message": "rate limit"}"#] {
            assert!(parse_tree(bad.as_bytes(), "notes").is_err(), "{bad}");
        }
        let cut = format!(r#"{{"sha": "{sha}", "truncated": true, "tree": []}}"#);
        assert!(parse_tree(cut.as_bytes(), "notes").is_err());
    }
}
