//! The page as an extension of a browser: in the side panel of a window of browse, and in the
//! everyday browser of a person.

use browse_base::{Error, Result};
use browse_chromium::{PANEL_DOCUMENT, PANEL_OPENER};
use browse_policy::layer::EXTENSION_ORIGIN;
use browse_proto::Reason;
use serde_json::{Value, json};

use super::assets;

/// The public key of the extension, as a manifest has it: the id of the extension follows from
/// it. The private key was not kept; it would only sign packages of a store.
const KEY: &str = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA3AYOI1oB8yKDFaKVTJSI/t7yTwJI\
    EJY5no36e6dPbpEbuehjorRCqixU+sa9N+ta8+w7QSjJeKA3RZc9d95PzOB7hlpkc4vMnsE9USnoeB4BVJ5aAuLAj4oE\
    8Ybq7ntbNhBldYYxOBGaA40Alh1N/0rlvKMSpsil7R6OC8fxlUY6uhOnF8NO5sx3imBVUE3rvxmZ67H2vgJRAaYBoW8A\
    nqd5ODYUjt6CILfjLy2DqCV+3e1GYNnBjmuXMLS8td7hOy2LLS2WtdMpV0BYiVjTgd3xMo6g0yCTktIqIUg2Hqq9DURN\
    ZHhrjdqjrIOFGdQz2F6bnrnS7wtEFK+jfB+/DwIDAQAB";

/// The one host that the extension of a person reaches.
const HOST: &str = "http://127.0.0.1/*";

/// The icon in the toolbar opens a panel that was closed.
const WORKER: &str = "chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });\n";

const OPENER: &str = "<!doctype html>\n<meta charset=\"utf-8\">\n<title>browse</title>\n";

/// Where an extension runs, and so how its page reaches the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionKind {
    /// In a window of browse: over the pipe to its browser.
    Pipe,
    /// In the everyday browser of a person: at the listener, by a link.
    Link,
}

/// A file of an extension.
#[derive(Clone, Debug)]
pub struct ExtensionAsset {
    /// Its name, in the one folder of the extension.
    pub name: &'static str,
    /// What it holds.
    pub content: Vec<u8>,
}

/// The files of an extension.
///
/// # Errors
/// `DASHBOARD_MISSING`.
pub fn extension_files(kind: ExtensionKind) -> Result<Vec<ExtensionAsset>> {
    if !assets::are_built_in() {
        return Err(Error::new(Reason::DashboardMissing, "this build has no dashboard"));
    }
    let file =
        |name: &'static str, content: &[u8]| ExtensionAsset { name, content: content.to_vec() };
    let mut files = vec![
        file("manifest.json", format!("{:#}\n", manifest(kind)).as_bytes()),
        file("worker.js", WORKER.as_bytes()),
        file(PANEL_OPENER, OPENER.as_bytes()),
    ];
    files.extend(assets::files().iter().map(|&(name, _, content)| match name {
        PANEL_DOCUMENT => file(name, &with_transport(content, kind)),
        _ => file(name, content),
    }));
    Ok(files)
}

/// The id of the extension in the everyday browser of a person.
pub fn extension_id() -> &'static str {
    EXTENSION_ORIGIN.rsplit('/').next().unwrap_or_default()
}

/// The page, with how it reaches the daemon.
fn with_transport(page: &[u8], kind: ExtensionKind) -> Vec<u8> {
    let transport = match kind {
        ExtensionKind::Pipe => "pipe",
        ExtensionKind::Link => "link",
    };
    let marker = format!("<head>\n<meta name=\"browse-transport\" content=\"{transport}\">");
    String::from_utf8_lossy(page).replacen("<head>", &marker, 1).into_bytes()
}

/// What the extension may do: show its page. That of a window has neither a host nor an id
/// that the listener knows.
fn manifest(kind: ExtensionKind) -> Value {
    let connect = match kind {
        ExtensionKind::Pipe => "connect-src 'none'",
        ExtensionKind::Link => "connect-src http://127.0.0.1:*",
    };
    let policy = assets::CONTENT_SECURITY_POLICY.replace("connect-src 'self'", connect);
    let mut manifest = json!({
        "manifest_version": 3,
        "name": "browse",
        "version": "1.0",
        "description": "Shows what agents do, and takes notes, answers and approvals for them.",
        "permissions": ["sidePanel"],
        "side_panel": { "default_path": PANEL_DOCUMENT },
        "background": { "service_worker": "worker.js" },
        "action": { "default_title": "browse" },
        "content_security_policy": { "extension_pages": policy },
    });
    if kind == ExtensionKind::Link {
        manifest["key"] = json!(KEY);
        manifest["host_permissions"] = json!([HOST]);
    }
    manifest
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_id_follows_from_the_key() {
        let key = STANDARD.decode(KEY).expect("base64");
        let letters = Sha256::digest(key)
            .into_iter()
            .take(16)
            .flat_map(|byte| [byte >> 4, byte & 15].map(|digit| char::from(b'a' + digit)));
        assert_eq!(extension_id(), letters.collect::<String>());
    }

    #[test]
    fn the_extension_of_a_window_reaches_nothing() {
        let (pipe, link) = (manifest(ExtensionKind::Pipe), manifest(ExtensionKind::Link));
        assert_eq!((&pipe["key"], &pipe["host_permissions"]), (&Value::Null, &Value::Null));
        assert_eq!(link["host_permissions"], json!([HOST]));
        let policy = |manifest: &Value| {
            manifest["content_security_policy"]["extension_pages"].as_str().map(str::to_owned)
        };
        assert!(policy(&pipe).is_some_and(|policy| policy.contains("connect-src 'none';")));
        let policy = policy(&link).expect("a policy");
        assert!(policy.contains("connect-src http://127.0.0.1:*;"), "{policy}");
        assert!(policy.contains("script-src 'self';"), "{policy}");
    }

    #[test]
    fn the_page_says_how_it_reaches_the_daemon() {
        let page = with_transport(b"<html><head><title>a</title></head>", ExtensionKind::Pipe);
        let page = String::from_utf8(page).expect("UTF-8");
        assert!(page.contains("<meta name=\"browse-transport\" content=\"pipe\">"), "{page}");
    }
}
