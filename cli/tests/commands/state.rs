//! States.

use crate::case::{Case, cases};

const PAGE: &str = "<title>Shop</title><script>document.cookie = 'sid=0123456789abcdefghij';\
    localStorage.theme = 'dark'</script>";

cases! {
    save: Case {
        command: "state save",
        page: PAGE,
        line: "state save saved",
        says: &["saved saved: 1 cookie, storage of 1 origin, 1 tab; key in the "],
        json: &[("/cookies", "1"), ("/origins", "1"), ("/tabs", "1"), ("/key", "*")],
        ..Case::NEW
    },
    load: Case {
        command: "state load",
        page: PAGE,
        first: &["state save loaded", "js localStorage.clear()", "cookie --delete sid"],
        line: "state load loaded",
        says: &["loaded loaded: 1 cookie, storage of 1 origin, 1 tab"],
        json: &[("/cookies", "1"), ("/origins", "1"), ("/tabs", "1"), ("/dropped", "0")],
        then: &[("js document.cookie", "sid=0123"), ("js localStorage.theme", "dark")],
        ..Case::NEW
    },
    list: Case {
        command: "state list",
        page: PAGE,
        first: &["state save a-listed"],
        line: "state list",
        says: &["a-listed 2", "1 cookie, storage of 1 origin, 1 tab key: "],
        json: &[("/0/name", "\"a-listed\""), ("/0/cookies", "1"), ("/0/key", "*")],
        ..Case::NEW
    },
    rm: Case {
        command: "state rm",
        page: PAGE,
        first: &["state save removed"],
        line: "state rm removed",
        says: &["removed removed"],
        json: &[("/name", "\"removed\"")],
        ..Case::NEW
    },
}
