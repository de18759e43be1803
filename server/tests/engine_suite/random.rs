//! Random changes between snapshot and use: never another element, never a
//! silent no-op.

use std::collections::HashMap;
use std::time::Duration;

use browse_engine::{Click, RefusalKind, SnapshotOptions};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use tokio::time::Instant;

use crate::fixture::{Tab, target};
use crate::support::site::Site;

/// Buttons whose identity is a property that no change touches, a record of
/// what they get, and the changes.
const PAGE: &str = r"<style>button{width:90px;height:24px}#veil{position:fixed;inset:0}</style><main></main><script>
let last = Number(sessionStorage.last || 0);
const log = [];
const heard = event => { const b = event.composedPath().find(node => node.uid); log.push(event.type + ' ' + (b ? b.uid : 'none')); };
for (const type of ['mousedown', 'mouseup', 'click']) addEventListener(type, heard, true);
const make = () => { const b = document.createElement('button'); b.uid = ++last; sessionStorage.last = last; b.textContent = 'b' + b.uid; return b; };
const main = document.querySelector('main');
const all = () => [...document.querySelectorAll('button'), ...[...document.querySelectorAll('x-box')].flatMap(x => [...x.shadowRoot.children])];
const any = () => { const list = all(); return list[Math.floor(Math.random() * list.length)] || main.appendChild(make()); };
const changes = {
  add: () => main.append(make()),
  remove: () => any().remove(),
  replace: () => { const b = any(), c = make(); c.textContent = b.textContent; b.replaceWith(c); },
  move: () => { const b = any(); b.parentNode.prepend(b); },
  swap: () => { const a = any(), b = any(); [a.textContent, b.textContent] = [b.textContent, a.textContent]; },
  rewrite: () => { const b = any(); if (b.parentNode === main) { const keep = all().length; main.innerHTML = ''; for (let i = 0; i < Math.min(keep, 12); i++) main.append(make()); } },
  hide: () => { const b = any(); b.hidden = !b.hidden; },
  disable: () => { const b = any(); b.disabled = !b.disabled; },
  shift: () => { const b = any(); b.style.marginLeft = Math.floor(Math.random() * 300) + 'px'; },
  stack: () => { const b = any(); b.style.cssText = 'position:absolute;left:20px;top:20px'; },
  cover: () => { const veil = document.getElementById('veil'); veil ? veil.remove() : document.body.insertAdjacentHTML('beforeend', '<div id=veil></div>'); },
  wrap: () => { const b = any(), x = document.createElement('x-box'); if (b.parentNode !== main) return; b.replaceWith(x); x.attachShadow({mode: 'open'}).append(b); },
};
const names = Object.keys(changes);
const change = () => { changes[names[Math.floor(Math.random() * names.length)]](); if (all().length < 4) main.append(make(), make(), make()); };
for (let i = 0; i < 10; i++) main.append(make());
</script>";

/// What is known of a ref: whose it was when it was given out.
struct Known {
    uid: u64,
}

async fn learn(tab: &Tab, known: &mut HashMap<String, Known>) {
    let tree = tab.engine.snapshot(&SnapshotOptions::default()).await.unwrap();
    // Texts are swapped, so the identity is asked of the element itself.
    for node in tree.nodes.iter().filter(|node| node.role == "button") {
        let reference = node.reference.unwrap().to_string();
        if known.contains_key(&reference) {
            continue;
        }
        let name = serde_json::to_string(&node.name).unwrap();
        let same = format!("all().filter(b => b.textContent === {name}).map(b => b.uid)");
        let uids = tab.js(&same).await;
        let uids: Vec<u64> =
            uids.as_array().unwrap().iter().filter_map(serde_json::Value::as_u64).collect();
        if let [uid] = uids[..] {
            known.insert(reference, Known { uid });
        }
    }
}

/// Clicks, and checks what the page heard. What the page gets after a click was
/// given up may come `late`, to the element that it was for.
async fn use_one(
    tab: &Tab,
    reference: &str,
    known: &Known,
    still: bool,
    late: Option<u64>,
) -> Option<RefusalKind> {
    tab.js("log.length = 0").await;
    let connected =
        tab.js(&format!("all().some(b => b.uid === {} && b.isConnected)", known.uid)).await;
    let deadline = Instant::now() + Duration::from_millis(160);
    let outcome = tab.engine.click(&target(reference), &Click::default(), deadline).await;
    let log = tab.js("log.join()").await.as_str().unwrap().to_owned();
    let own = format!(" {}", known.uid);
    let late = late.map(|uid| format!(" {uid}"));
    let is_asked = |entry: &str| {
        entry.ends_with(&own) || late.as_ref().is_some_and(|late| entry.ends_with(late))
    };
    let foreign: Vec<_> =
        log.split(',').filter(|entry| !entry.is_empty() && !is_asked(entry)).collect();
    let pressed_foreign =
        foreign.iter().any(|entry| entry.starts_with("mousedown") || entry.starts_with("click"));
    assert!(
        !pressed_foreign,
        "{reference} is {}, {late:?} may be late, the page heard {log}: {outcome:?}",
        known.uid
    );
    match outcome {
        Ok(receipt) => {
            let heard = |event: &str| log.split(',').any(|entry| entry == format!("{event}{own}"));
            assert!(heard("mousedown"), "{reference} {}: {log:?} after success", known.uid);
            assert_eq!(receipt.undelivered.is_none(), heard("click"), "{log:?}: {receipt:?}");
            None
        }
        Err(error) => {
            let kind = error.kind().unwrap_or_else(|| panic!("{reference}: {error}"));
            if still {
                assert_eq!(log, "", "{reference}: {error}");
                assert_eq!(
                    kind == RefusalKind::RefStale,
                    connected == false,
                    "{reference}: {error}"
                );
            }
            Some(kind)
        }
    }
}

async fn tab() -> Tab {
    let site = Site::start().await.page("/", PAGE).page("/other", "<button>Other</button>");
    Tab::visit(site).await
}

#[tokio::test]
async fn two_thousand_changes_between_snapshot_and_use() {
    let seed = rand::rng().random();
    let mut random = StdRng::seed_from_u64(seed);
    println!("seed {seed}");
    let tab = tab().await;
    let mut known = HashMap::new();
    let mut outcomes: HashMap<Option<RefusalKind>, usize> = HashMap::new();
    let mut changed = 0;
    while changed < 2_000 {
        learn(&tab, &mut known).await;
        for _ in 0..4 {
            let count = random.random_range(1..4);
            changed += count;
            tab.js(&format!("for (let i = 0; i < {count}; i++) change()")).await;
            match random.random_range(0..60) {
                0 => tab.goto("/").await,
                1 => {
                    tab.goto("/other").await;
                    tab.page.back().await.unwrap();
                    tab.page.wait_for_current(browse_chromium::LoadState::Load).await.unwrap();
                }
                _ => {}
            }
            let references: Vec<_> = known.keys().cloned().collect();
            let recent: Vec<_> = tab_refs(&references);
            let Some(reference) = recent.choose(&mut random) else { continue };
            let outcome = use_one(&tab, reference, &known[reference.as_str()], true, None).await;
            *outcomes.entry(outcome).or_default() += 1;
        }
    }
    println!("{outcomes:?}");
    assert!(outcomes[&None] > 20, "{outcomes:?}");
    assert!(outcomes[&Some(RefusalKind::RefStale)] > 20, "{outcomes:?}");
}

#[tokio::test]
async fn a_page_that_changes_all_the_time() {
    let tab = tab().await;
    // Here names are the identity, since nothing can be asked at the same time.
    tab.js("changes.hide = changes.disable = changes.cover = changes.swap = changes.move; \
         changes.replace = () => any().replaceWith(make()); setInterval(change, 3)")
        .await;
    let mut outcomes: HashMap<Option<RefusalKind>, usize> = HashMap::new();
    let mut late = None;
    for _ in 0..120 {
        let tree = tab.engine.snapshot(&SnapshotOptions::default()).await.unwrap();
        let buttons: Vec<_> = tree.nodes.iter().filter(|node| node.role == "button").collect();
        let Some(button) = buttons.choose(&mut rand::rng()) else { continue };
        let known = Known { uid: button.name[1..].parse().unwrap() };
        let reference = button.reference.unwrap().to_string();
        let outcome = use_one(&tab, &reference, &known, false, late).await;
        late = outcome.is_some().then_some(known.uid);
        *outcomes.entry(outcome).or_default() += 1;
    }
    println!("{outcomes:?}");
    assert!(outcomes[&None] > 10, "{outcomes:?}");
}

/// The refs of the last snapshots: old ones are nearly all stale.
fn tab_refs(references: &[String]) -> Vec<&String> {
    let mut sorted: Vec<_> = references.iter().collect();
    sorted.sort_by_key(|reference| reference[2..].parse::<u32>().unwrap_or_default());
    sorted.into_iter().rev().take(14).collect()
}
