//! What a manifest may say.

use std::time::Duration;

use super::{SessionMode, SkillManifest, split_frontmatter};

const MINIMAL_MANIFEST: &str = "name: hn\ndescription: Reads.\nhost: a.example\n";

fn read(extra: &str) -> Result<SkillManifest, String> {
    SkillManifest::read(&format!("{MINIMAL_MANIFEST}{extra}"), "hn")
}

#[test]
fn the_least_manifest_has_defaults() {
    let manifest = read("").expect("it is enough");
    assert_eq!(manifest.timeout, Duration::from_secs(60));
    assert_eq!((manifest.session, manifest.needs_trust()), (SessionMode::Own, false));
    assert_eq!(manifest.hosts.patterns(), ["a.example"]);
}

#[test]
fn unknown_and_missing_keys_are_all_named() {
    let problem =
        SkillManifest::read("name: hn\nhosts: a\ntypo: 1\n", "hn").expect_err("it is wrong");
    assert_eq!(
        problem,
        "has wrong keys (unknown: `hosts`, `typo`; missing: `description`, `host`)"
    );
}

#[test]
fn several_hosts_with_stars_and_ports_pass() {
    let yaml = "name: hn\ndescription: d\nhost: [a.example, '*.b.example', 'localhost:8080']";
    let manifest = SkillManifest::read(yaml, "hn").expect("they are hosts");
    assert_eq!(manifest.host_patterns, ["a.example", "*.b.example", "localhost:8080"]);
}

#[test]
fn any_host_is_a_wish_for_trust_and_stands_alone() {
    let read =
        |host: &str| SkillManifest::read(&format!("name: hn\ndescription: d\nhost: {host}"), "hn");
    let manifest = read("'*'").expect("it may ask");
    assert!(manifest.hosts.is_any() && manifest.needs_trust() && !manifest.requests_trust);
    for host in ["['*', a.example]", "'*:80'", "'**'", "['*', '*']"] {
        assert!(read(host).expect_err(host).contains("bad `host`"), "{host}");
    }
}

#[test]
fn arguments_have_text_defaults() {
    let manifest = read("args:\n- name: count\n  default: 30\n- {name: q, required: true}\n");
    let args = manifest.expect("they are arguments").args;
    assert_eq!((args[0].default.as_deref(), args[1].required), (Some("30"), true));
}

#[test]
fn trust_and_session_are_wishes() {
    assert!(read("trusted: true").expect("a choice").needs_trust());
    assert!(read("session: user").expect("a choice").needs_trust());
}

#[test]
fn bad_values_name_their_key() {
    for (extra, word) in [
        ("timeout: soon", "`timeout`"),
        ("timeout: 2h", "`timeout`"),
        ("timeout: 0", "`timeout`"),
        ("session: mine", "mine"),
        ("source: robot", "robot"),
        ("trusted: perhaps", "trusted"),
        ("args: [{name: a, kind: b}]", "`kind`"),
        ("args: [{name: a}, {name: a}]", "`a` twice"),
        ("args: [{name: a, required: true, default: 1}]", "`a` is required"),
        ("args: [{name: '-a'}]", "`-a`"),
        ("triggers: 3", "triggers"),
        ("version: [1]", "`version`"),
    ] {
        let problem = read(extra).expect_err(extra);
        assert!(problem.contains(word), "{extra}: {problem}");
    }
}

#[test]
fn hosts_and_names_are_checked() {
    for host in ["https://a.example", "*", "a/b", "''", "[]"] {
        assert!(
            SkillManifest::read(&format!("name: hn\ndescription: d\nhost: {host}"), "hn").is_err(),
            "{host}"
        );
    }
    for (host, bad) in
        [("*.com", true), ("*.co.uk:8443", true), ("*.a.com", false), ("*.test", false)]
    {
        let read = SkillManifest::read(&format!("name: hn\ndescription: d\nhost: '{host}'"), "hn");
        assert_eq!(read.is_err_and(|why| why.contains(host)), bad, "{host}");
    }
    assert!(
        SkillManifest::read(MINIMAL_MANIFEST, "other")
            .expect_err("another folder")
            .contains("`other`")
    );
    assert!(SkillManifest::read("name: Hn\ndescription: d\nhost: a", "Hn").is_err());
    assert!(SkillManifest::read("name: ../x\ndescription: d\nhost: a", "../x").is_err());
}

#[test]
fn yaml_that_is_none_is_refused() {
    for yaml in ["", "- a", "name: [", "name: a\nname: b"] {
        assert!(SkillManifest::read(yaml, "hn").is_err(), "{yaml}");
    }
}

#[test]
fn frontmatter_stands_between_two_fences() {
    assert_eq!(split_frontmatter("---\na: 1\n---\n\n# Prose\n"), Ok(("a: 1\n", "# Prose")));
    assert_eq!(split_frontmatter("\u{feff}---\r\na: 1\r\n---\r\n"), Ok(("a: 1\r\n", "")));
    for text in ["", "# Prose", "---\na: 1\n", "--- a\n---\n"] {
        assert!(split_frontmatter(text).is_err(), "{text}");
    }
}
