//! Cookies and storage.

use std::{fs, sync::Once};

use crate::{
    case::{Case, cases},
    project::Project,
};

const PAGE: &str = "<title>Shop</title><script>document.cookie = 'sid=0123456789abcdefghij';\
    localStorage.theme = 'dark'; sessionStorage.auth_token = 'hunter2-hunter2-hunter2'</script>";
const EXPORT: &str = r#"[
    {"domain": ".shop.test", "name": "sid", "value": "hunter2-hunter2", "path": "/",
     "secure": true, "httpOnly": true, "sameSite": "no_restriction", "expirationDate": 4000000000},
    {"domain": "shop.test", "hostOnly": true, "name": "old", "value": "v", "expirationDate": 5},
    {"domain": "169.254.169.254", "name": "a", "value": "v"},
    {"domain": "shop.test", "value": "hunter2-hunter2"}]"#;

/// A profile of Chrome with three cookies: one sealed with the key that all
/// know, one open, and one that is over.
fn chrome(project: &Project) {
    static MADE: Once = Once::new();
    MADE.call_once(|| {
        let folder = project.user_home().join(".config/google-chrome/Default");
        fs::create_dir_all(&folder).expect("a folder");
        let database = rusqlite::Connection::open(folder.join("Cookies")).expect("a database");
        database.execute_batch(DATABASE).expect("a schema");
    });
}

const DATABASE: &str = "
    CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);
    INSERT INTO meta VALUES ('version', '24');
    CREATE TABLE cookies(host_key TEXT, top_frame_site_key TEXT, name TEXT, value TEXT,
        encrypted_value BLOB, path TEXT, expires_utc INTEGER, is_secure INTEGER,
        is_httponly INTEGER, samesite INTEGER, has_cross_site_ancestor INTEGER);
    INSERT INTO cookies VALUES
        ('.shop.test', '', 'sid', '', x'763130c3da4578a58a4a81ed5510f4b2776fe783a815adc96d5c581a669bb660aa0cd81b19d6665d8ab30aa4948764cc0dd2ce', '/', 15000000000000000, 1, 1, 1, 0),
        ('www.shop.test', '', 'open', 'plain', x'', '/', 0, 0, 0, -1, 0),
        ('other.test', '', 'old', 'plain', x'', '/', 1000000, 0, 0, -1, 0);";

cases! {
    cookies: Case {
        command: "cookies",
        page: PAGE,
        line: "cookies",
        says: &["127.0.0.1 / sid=0123… (20)"],
        json: &[("/0/name", "\"sid\""), ("/0/value", "\"0123…\""), ("/0/length", "20")],
        ..Case::NEW
    },
    cookie: Case {
        command: "cookie",
        page: PAGE,
        line: "cookie seen=yes --http-only --same-site lax --expires 30d",
        says: &["set seen for 127.0.0.1/"],
        json: &[("/name", "\"seen\""), ("/domain", "\"127.0.0.1\""), ("/path", "\"/\"")],
        then: &[("cookies", "seen=… (3) http_only lax 20")],
        ..Case::NEW
    },
    cookie_delete: Case {
        command: "cookie --delete",
        page: PAGE,
        line: "cookie --delete sid",
        says: &["removed 1"],
        json: &[("/removed", "1")],
        then: &[("js document.cookie.length", "0")],
        ..Case::NEW
    },
    cookie_import: Case {
        command: "cookie-import",
        page: PAGE,
        files: &[("export.json", EXPORT)],
        line: "cookie-import export.json",
        says: &[
            "imported 1 cookie of 1 domain\n",
            ".shop.test 1",
            "\nshop.test 0, 1 expired",
            "169.254.169.254 0, 1 refused",
            "entry 4: the name is missing",
        ],
        json: &[("/imported", "1"), ("/domains/0/imported", "1"), ("/problems/1", "*")],
        then: &[("cookies --domain shop.test", ".shop.test / sid=hun… (15) secure http_only none")],
        ..Case::NEW
    },
    cookie_import_browser: Case {
        command: "cookie-import-browser",
        page: PAGE,
        prepare: Some(chrome),
        line: "cookie-import-browser chrome --domain shop.test",
        says: &["imported 2 cookies of 2 domains", ".shop.test 1", "www.shop.test 1"],
        json: &[("/imported", "2"), ("/profiles/0/profile", "\"Default\"")],
        then: &[
            ("cookies --domain shop.test", ".shop.test / sid=hun… (15) secure http_only lax"),
            ("cookie-import-browser", "chrome `Default`: 3 cookies of 3 domains"),
            ("cookie-import-browser --all", "other.test 0, 1 expired"),
        ],
        ..Case::NEW
    },
    storage: Case {
        command: "storage",
        page: PAGE,
        line: "storage",
        says: &["local theme=dark", "session auth_token=hunt… redacted"],
        json: &[("/0/value", "\"dark\""), ("/1/redacted", "true"), ("/1/length", "23")],
        ..Case::NEW
    },
    storage_set: Case {
        command: "storage set",
        page: PAGE,
        line: "storage set lang 'de AT'",
        says: &["set lang of http://127.0.0.1:"],
        json: &[("/key", "\"lang\""), ("/origin", "*")],
        then: &[("js localStorage.lang", "de AT")],
        ..Case::NEW
    },
}
