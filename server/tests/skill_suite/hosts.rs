//! A skill reaches the hosts of its manifest, and no others.

use browse_proto::v1::RunSkillRequest;
use serde_json::{Value, json};

use crate::{
    daemon::{Daemon, Outcome},
    shelf::skill_for,
    site::Site,
};

/// Tries each way to another host, and says what each attempt came to.
const PROBE: &str = r#"
import { type Browse, skill } from './_lib/browse.ts';

const reasonOf = (call: Promise<unknown>) => call.then(() => 'done', (error) => error.reason ?? String(error));

await skill(async ({ home, away }: Record<string, string>, browse: Browse) => {
  const reasons: Record<string, string> = {};
  const attempt = async (name: string, act: () => Promise<unknown>) => {
    await browse.goto(home);
    reasons[name] = await reasonOf(act());
    await new Promise((done) => setTimeout(done, 100));
  };
  await attempt('goto', () => browse.goto(`${away}/by-goto`));
  await attempt('newtab', () => browse.newTab(`${away}/by-newtab`));
  await attempt('redirect', () => browse.goto(`${home}redirect`));
  await attempt('link', () => browse.click('#link'));
  await attempt('ctrl-click', () => browse.click('#ctrl', { modifiers: 'Control' }));
  await attempt('middle-click', () => browse.click('#middle', { button: 'middle' }));
  for (const id of ['form', 'open', 'iframe', 'socket', 'fetch']) await attempt(id, () => browse.click(`#${id}`));
  await attempt('load-html', () => browse.loadHtml(`<img src='${away}/by-html'>`));
  await browse.goto(home);
  return { reasons, title: await browse.get('title') };
});
"#;

const PAGE: &str = "<title>home</title>
<a id=link href='AWAY/by-link'>link</a> <a id=ctrl href='AWAY/by-ctrl'>ctrl</a> <a id=middle href='AWAY/by-middle'>middle</a>
<form action='AWAY/by-form'><button id=form>form</button></form>
<button id=open onclick=\"window.open('AWAY/by-open')\">open</button>
<button id=iframe onclick=\"document.body.append(Object.assign(document.createElement('iframe'), {src: 'AWAY/by-iframe'}))\">iframe</button>
<button id=socket onclick=\"new WebSocket('AWAY/by-socket'.replace('http', 'ws'))\">socket</button>
<button id=fetch onclick=\"fetch('AWAY/by-fetch', {mode: 'no-cors'})\">fetch</button>";

const WAYS: [&str; 11] = [
    "goto", "newtab", "redirect", "link", "ctrl", "middle", "form", "open", "iframe", "socket",
    "fetch",
];

async fn probe(site: &Site, hosts: &[&str]) -> Outcome {
    let daemon = Daemon::start_with(&[]).await;
    let hosts: Vec<_> = hosts.iter().map(|host| format!("'{host}:{}'", site.port())).collect();
    skill_for(
        &daemon.home(),
        "a",
        &format!("[{}]", hosts.join(", ")),
        "args: [{name: home}, {name: away}]",
    )
    .typescript(PROBE);
    let arg =
        vec![format!("home={}", site.url("/")), format!("away={}", site.url_on("localhost", ""))];
    daemon.run_with(RunSkillRequest { name: "a".to_owned(), arg, ..Default::default() }, None).await
}

async fn site() -> Site {
    let site = Site::start().await.redirect("/redirect", "http://localhost:{port}/by-redirect");
    let away = site.url_on("localhost", "");
    site.page("/", &PAGE.replace("AWAY", &away))
}

fn escaped(site: &Site) -> Vec<String> {
    site.hits().into_iter().filter(|hit| hit.contains("localhost")).collect()
}

#[tokio::test]
async fn no_way_leads_to_another_host() {
    let site = site().await;
    let outcome = probe(&site, &["127.0.0.1"]).await;
    assert_eq!(escaped(&site), Vec::<String>::new(), "{outcome:?}");
    let output = outcome.output.unwrap_or_else(|| panic!("{:?} {}", outcome.error, outcome.stderr));
    assert_eq!(output["title"], json!("home"), "the allowed host still works");
    for way in ["goto", "newtab", "redirect"] {
        assert_eq!(output["reasons"][way], Value::from("HOST_DENIED"), "{way}");
    }
}

#[tokio::test]
async fn every_way_leads_to_a_host_that_is_named() {
    let site = site().await;
    let outcome = probe(&site, &["127.0.0.1", "localhost"]).await;
    assert!(outcome.error.is_none(), "{outcome:?}");
    let hits = escaped(&site);
    for way in WAYS {
        assert!(
            hits.iter().any(|hit| hit.ends_with(&format!("/by-{way}"))),
            "{way}: {hits:?} {outcome:?}"
        );
    }
}
