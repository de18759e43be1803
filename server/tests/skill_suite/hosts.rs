//! A skill reaches the hosts of its manifest, and no others, in whatever
//! language it is written.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use browse_proto::v1::RunSkillRequest;
use serde_json::{Value, json};

use crate::{
    daemon::{Daemon, Outcome},
    shelf::skill_for,
    site::Site,
};

const LANGUAGES: [&str; 4] = ["typescript", "python", "rust", "executable"];

const PAGE: &str = "<title>home</title>
<a id=link href='AWAY/by-link'>link</a> <a id=ctrl href='AWAY/by-ctrl'>ctrl</a> <a id=middle href='AWAY/by-middle'>middle</a>
<form action='AWAY/by-form'><button id=form>form</button></form>
<form action='AWAY/by-post' method=post><button id=post>post</button></form>
<button id=open onclick=\"window.open('AWAY/by-open')\">open</button>
<button id=iframe onclick=\"document.body.append(Object.assign(document.createElement('iframe'), {src: 'AWAY/by-iframe'}))\">iframe</button>
<button id=socket onclick=\"new WebSocket('AWAY/by-socket'.replace('http', 'ws'))\">socket</button>
<button id=fetch onclick=\"fetch('AWAY/by-fetch', {mode: 'no-cors'})\">fetch</button>";

const WAYS: [&str; 12] = [
    "goto", "newtab", "redirect", "link", "ctrl", "middle", "form", "post", "open", "iframe",
    "socket", "fetch",
];

/// The probe in each language; `hosts` is what the manifests name.
fn plant(home: &Path, hosts: &str) {
    let sdk = |path: &str| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../");
        fs::read_to_string(Path::new(root).join(path)).unwrap()
    };
    let python = include_str!("hosts/probe.py");
    for language in LANGUAGES {
        let draft = skill_for(home, language, hosts, "args: [{name: home}, {name: away}]");
        match language {
            "typescript" => draft.typescript(include_str!("hosts/probe.ts")),
            "rust" => draft
                .file("Cargo.toml", "[package]\nname = \"rust\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n")
                .file("Cargo.lock", "version = 4\n\n[[package]]\nname = \"rust\"\nversion = \"0.1.0\"\n")
                .file("src/main.rs", include_str!("hosts/probe.rs"))
                .file("_lib/browse_sdk.rs", &sdk("sdk-rust/vendor/browse_sdk.rs")),
            "python" => draft
                .file("script.py", python)
                .file("_lib/browse_sdk.py", &sdk("sdk-python/vendor/browse_sdk.py")),
            _ => draft
                .executable(python)
                .file("_lib/browse_sdk.py", &sdk("sdk-python/vendor/browse_sdk.py")),
        };
    }
}

/// Each language by itself, all at once.
async fn probe(site: &Site, hosts: &[&str]) -> BTreeMap<&'static str, Outcome> {
    let daemon = Daemon::start_with(&[]).await;
    let hosts: Vec<_> = hosts.iter().map(|host| format!("'{host}:{}'", site.port())).collect();
    plant(&daemon.home(), &format!("[{}]", hosts.join(", ")));
    let runs = LANGUAGES.map(|language| {
        let home = site.url(&format!("/{language}"));
        let away = site.url_on("localhost", &format!("/{language}"));
        let arg = vec![format!("home={home}"), format!("away={away}")];
        let request = RunSkillRequest { name: language.to_owned(), arg, ..Default::default() };
        let daemon = &daemon;
        async move { (language, daemon.run_with(request, None).await) }
    });
    futures::future::join_all(runs).await.into_iter().collect()
}

async fn site() -> Site {
    let mut site = Site::start().await;
    for language in LANGUAGES {
        let away = site.url_on("localhost", &format!("/{language}"));
        let target = format!("http://localhost:{{port}}/{language}/by-redirect");
        site = site
            .redirect(&format!("/{language}-redirect"), &target)
            .page(&format!("/{language}"), &PAGE.replace("AWAY", &away));
    }
    site
}

fn escaped(site: &Site) -> Vec<String> {
    site.hits().into_iter().filter(|hit| hit.contains("localhost")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_way_leads_to_another_host() {
    let site = site().await;
    let outcomes = probe(&site, &["127.0.0.1"]).await;
    assert_eq!(escaped(&site), Vec::<String>::new(), "{outcomes:?}");
    for (language, outcome) in outcomes {
        let Outcome { output, error, stderr } = outcome;
        let output = output.unwrap_or_else(|| panic!("{language}: {error:?} {stderr}"));
        assert_eq!(output["title"], json!("home"), "{language}: the allowed host still works");
        for way in ["goto", "newtab", "redirect"] {
            assert_eq!(output["reasons"][way], Value::from("HOST_DENIED"), "{language} {way}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_way_leads_to_a_host_that_is_named() {
    let site = site().await;
    let outcomes = probe(&site, &["127.0.0.1", "localhost"]).await;
    let hits = escaped(&site);
    for (language, outcome) in outcomes {
        assert!(outcome.error.is_none(), "{language}: {outcome:?}");
        for way in WAYS {
            let wanted = format!("/{language}/by-{way}");
            let found = hits.iter().any(|hit| hit.ends_with(&wanted));
            assert!(found, "{wanted}: {hits:?} {outcome:?}");
        }
    }
}
