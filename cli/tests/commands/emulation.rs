//! Emulation.

use crate::case::{Case, cases};

const PAGE: &str = "<title>Page</title><p>Text</p>";
const WHERE: &str = "js 'new Promise((yes, no) => navigator.geolocation.getCurrentPosition(\
    at => yes(at.coords.latitude + \"/\" + at.coords.longitude), error => yes(error.message)))'";

cases! {
    viewport: Case {
        command: "viewport",
        page: PAGE,
        line: "viewport 800x600 --scale 2",
        says: &["800x600 scale 2"],
        json: &[("/width", "800"), ("/height", "600"), ("/scale", "2.0")],
        then: &[
            ("js '[innerWidth, innerHeight, devicePixelRatio].join()'", "800,600,2"),
            ("newtab {site}/", ""),
            ("js '[innerWidth, innerHeight, devicePixelRatio].join()'", "800,600,2"),
            ("viewport", "800x600 scale 2"),
            ("viewport --reset", "1280x720 scale 1"),
        ],
        ..Case::NEW
    },
    useragent: Case {
        command: "useragent",
        page: PAGE,
        line: "useragent 'Explorer/1.0 (Linux)'",
        says: &["Explorer/1.0"],
        json: &[("", "\"Explorer/1.0 (Linux)\"")],
        then: &[
            ("reload", ""),
            ("js 'navigator.userAgent'", "Explorer/1.0 (Linux)"),
            ("useragent --reset", "Chrome/"),
        ],
        ..Case::NEW
    },
    header: Case {
        command: "header",
        page: PAGE,
        first: &["header 'Authorization: Bearer hunter2'"],
        line: "header 'X-Test: one: two'",
        says: &["authorization: Bearer [redacted]", "x-test: one: two"],
        json: &[("/0/value", "\"Bearer [redacted]\""), ("/1/name", "\"x-test\"")],
        then: &[("header authorization:", "x-test: one: two"), ("header x-test:", "")],
        ..Case::NEW
    },
    emulate: Case {
        command: "emulate",
        page: PAGE,
        first: &["emulate timezone Asia/Tokyo"],
        line: "emulate",
        says: &["timezone: Asia/Tokyo", "locale: default"],
        json: &[("/4/value", "\"Asia/Tokyo\"")],
        ..Case::NEW
    },
    device: Case {
        command: "emulate device",
        page: "<meta name=viewport content='width=device-width'><p>Text</p>",
        line: "emulate device iphone-15",
        says: &["viewport: 393x852 scale 3 mobile touch", "user agent: Mozilla/5.0 (iPhone"],
        json: &[("/0/name", "\"viewport\"")],
        then: &[
            ("reload", ""),
            ("js '[innerWidth, devicePixelRatio, navigator.maxTouchPoints].join()'", "393,3,5"),
            ("js 'navigator.userAgent'", "iPhone"),
            ("emulate device", "Pixel 9: 412x923"),
            ("emulate device default", "viewport: default"),
        ],
        ..Case::NEW
    },
    geo: Case {
        command: "emulate geo",
        page: PAGE,
        line: "emulate geo -33.87 151.21",
        says: &["geolocation: -33.87, 151.21 within 10 m"],
        json: &[("/0/name", "\"geolocation\"")],
        then: &[(WHERE, "-33.87/151.21")],
        ..Case::NEW
    },
    timezone: Case {
        command: "emulate timezone",
        page: PAGE,
        line: "emulate timezone America/New_York",
        says: &["timezone: America/New_York"],
        json: &[("/0/value", "\"America/New_York\"")],
        then: &[("js 'new Date(0).getHours()'", "19")],
        ..Case::NEW
    },
    locale: Case {
        command: "emulate locale",
        page: PAGE,
        line: "emulate locale de-DE",
        says: &["locale: de-DE"],
        json: &[("/0/value", "\"de-DE\"")],
        then: &[
            ("js '(1234.5).toLocaleString()'", "1.234,5"),
            ("js 'navigator.language'", "de-DE"),
        ],
        ..Case::NEW
    },
    media: Case {
        command: "emulate media",
        page: PAGE,
        line: "emulate media --scheme dark --type print",
        says: &["media: type print, scheme dark"],
        json: &[("/0/value", "\"type print, scheme dark\"")],
        then: &[("js 'matchMedia(`print and (prefers-color-scheme: dark)`).matches'", "true")],
        ..Case::NEW
    },
    offline: Case {
        command: "emulate offline",
        page: PAGE,
        line: "emulate offline on",
        says: &["network: offline"],
        json: &[("/0/value", "\"offline\"")],
        then: &[
            ("js 'fetch(`/`).catch(() => `no network`)'", "no network"),
            ("js 'navigator.onLine'", "false"),
            ("emulate offline off", "network: default"),
            ("js 'fetch(`/`).then(answer => answer.status)'", "200"),
        ],
        ..Case::NEW
    },
    cpu: Case {
        command: "emulate cpu",
        page: PAGE,
        line: "emulate cpu 2",
        says: &["cpu: 2 times slower"],
        json: &[("/0/value", "\"2 times slower\"")],
        then: &[("emulate cpu 1", "cpu: default")],
        ..Case::NEW
    },
    network: Case {
        command: "emulate network",
        page: PAGE,
        line: "emulate network wifi --latency 300",
        says: &["network: 30000 kbit/s down, 15000 kbit/s up, 300 ms"],
        json: &[("/0/name", "\"network\"")],
        then: &[(
            "js '(async (from = Date.now()) => { await fetch(`/`); return Date.now() - from >= 290 })()'",
            "true",
        )],
        ..Case::NEW
    },
    reset: Case {
        command: "emulate reset",
        page: PAGE,
        first: &["viewport 600x500", "emulate timezone Asia/Tokyo", "header 'x-test: 1'"],
        line: "emulate reset",
        says: &["viewport: default", "headers: default", "timezone: default"],
        json: &[("/0/value", "\"default\"")],
        then: &[("js 'innerWidth'", "1280"), ("header", "")],
        ..Case::NEW
    },
}
