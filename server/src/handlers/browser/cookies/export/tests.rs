//! Exports as their programs write them.

use super::*;

fn one(text: &str) -> Result<Cookie, &'static str> {
    parse(text).expect("an export").remove(0)
}

#[test]
fn edit_this_cookie() {
    let text = r#"[{"domain": "example.com", "expirationDate": 4000000000.5, "hostOnly": false,
        "httpOnly": true, "name": "sid", "path": "/a", "sameSite": "no_restriction",
        "secure": true, "session": false, "storeId": "0", "value": "v", "id": 1}]"#;
    let expected = Cookie {
        name: "sid".to_owned(),
        value: "v".to_owned(),
        domain: ".example.com".to_owned(),
        path: "/a".to_owned(),
        expires: Some(4_000_000_000.5),
        secure: true,
        http_only: true,
        same_site: Some(SameSite::None),
        partition_key: None,
    };
    assert_eq!(one(text), Ok(expected));
    let text = r#"[{"domain": ".example.com", "hostOnly": true, "name": "a", "value": "v",
        "sameSite": "no_restriction", "secure": false, "session": true, "expirationDate": 1}]"#;
    let cookie = one(text).expect("a cookie");
    assert_eq!((cookie.domain.as_str(), cookie.path.as_str()), ("example.com", "/"));
    assert_eq!((cookie.expires, cookie.same_site), (None, None));
}

#[test]
fn puppeteer_and_playwright() {
    let text = r#"[{"name": "a", "value": "v", "domain": ".example.com", "path": "/",
        "expires": -1, "size": 2, "httpOnly": false, "secure": true, "session": true,
        "sameSite": "Lax", "partitionKey": {"topLevelSite": "https://top.example",
        "hasCrossSiteAncestor": true}}]"#;
    let cookie = one(text).expect("a cookie");
    assert_eq!((cookie.expires, cookie.same_site), (None, Some(SameSite::Lax)));
    let key = cookie.partition_key.expect("it is partitioned");
    assert!(key.has_cross_site_ancestor && key.top_level_site == "https://top.example");
    let text = r#"{"cookies": [{"name": "a", "value": "v", "domain": "example.com", "path": "/",
        "expires": 4000000000, "httpOnly": false, "secure": false, "sameSite": "Strict"}],
        "origins": [{"origin": "https://example.com", "localStorage": []}]}"#;
    let cookie = one(text).expect("a cookie");
    assert!(cookie.is_host_only() && cookie.same_site == Some(SameSite::Strict));
    assert_eq!(
        one(r#"[{"name": "a", "value": "v", "url": "https://a.example/x"}]"#)
            .map(|cookie| cookie.domain),
        Ok("a.example".to_owned())
    );
}

#[test]
fn what_is_wrong_is_said_without_the_value() {
    let table = [
        (r#"[7]"#, "not an object"),
        (r#"[{"name": "a", "value": 7, "domain": "a.b"}]"#, "wrong type"),
        (r#"[{"value": "secret", "domain": "a.b"}]"#, "name"),
        (r#"[{"name": "a", "domain": "a.b"}]"#, "value"),
        (r#"[{"name": "a", "value": "secret"}]"#, "domain"),
        (r#"[{"name": "a", "value": "secret", "domain": "a.b", "expires": "x"}]"#, "expiry"),
        (r#"[{"name": "a", "value": "secret", "domain": "a.b", "sameSite": "x"}]"#, "sameSite"),
    ];
    for (text, part) in table {
        let problem = one(text).expect_err(text);
        assert!(problem.contains(part) && !problem.contains("secret"), "{text}: {problem}");
    }
    for text in ["", "{", "7", "{\"cookies\": {}}", "\"secret\"", "[\"secret\"", "null"] {
        let error = parse(text).map(drop).expect_err(text);
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
