//! Cookies and storage.

use crate::case::{Case, cases};

const PAGE: &str = "<title>Shop</title><script>document.cookie = 'sid=0123456789abcdefghij';\
    localStorage.theme = 'dark'; sessionStorage.auth_token = 'hunter2-hunter2-hunter2'</script>";
const EXPORT: &str = r#"[
    {"domain": ".shop.test", "name": "sid", "value": "hunter2-hunter2", "path": "/",
     "secure": true, "httpOnly": true, "sameSite": "no_restriction", "expirationDate": 4000000000},
    {"domain": "shop.test", "hostOnly": true, "name": "old", "value": "v", "expirationDate": 5},
    {"domain": "169.254.169.254", "name": "a", "value": "v"},
    {"domain": "shop.test", "value": "hunter2-hunter2"}]"#;

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
