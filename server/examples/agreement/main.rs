//! Compares the page engine's roles and names with Chromium's own accessibility
//! tree, on the HTML files of a folder.
//!
//! `cargo run -p browse-server --example agreement -- FOLDER [-v] [NAME]`
//!
//! Every page is served from loopback with its scripts off and all other hosts
//! blocked. Counted are the elements that one of the two calls operable. Left
//! out are the inner parts of native controls, and elements without a name and
//! without an area, which the engine does not list. Two names are equal when
//! they are without regard to spacing and to the private characters of icon
//! fonts.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use browse_chromium::{
    Browser, BrowserContext, BrowserOptions, CdpCall, ContextOptions, LaunchOptions, LoadState,
    Navigated, Page,
};
use browse_engine::ENGINE_SCRIPT;
use serde_json::{Value, json};

mod compare;
mod serve;

use compare::{Kinds, Side, compare};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let verbose =
        arguments.iter().position(|word| word == "-v").map(|at| arguments.remove(at)).is_some();
    let Some(folder) = arguments.first().map(PathBuf::from) else {
        return Err("usage: agreement FOLDER [-v] [NAME]".into());
    };
    let files = files(&folder, arguments.get(1).map(String::as_str))?;
    let port = serve::start(folder).await?;
    let (browser, context) = open().await?;
    let page = blank(&context).await?;
    let (mut equal, mut all) = (0, 0);
    let mut kinds = Kinds::default();
    for file in files {
        visit(&page, &format!("http://127.0.0.1:{port}/{file}")).await?;
        let (ours, theirs) = (ours(&page).await?, theirs(&page).await?);
        let result = compare(&page, &ours, &theirs, &mut kinds).await?;
        println!(
            "{file:<48} {:>5} of {:<5} {}",
            result.equal,
            result.all,
            share(result.equal, result.all)
        );
        if verbose {
            result.differences.iter().for_each(|line| println!("    {line}"));
        }
        equal += result.equal;
        all += result.all;
    }
    println!("{:<48} {equal:>5} of {all:<5} {}", "all pages", share(equal, all));
    for (kind, count) in kinds.0 {
        println!("    {count:>5} {kind}");
    }
    browser.close().await;
    Ok(())
}

fn share(equal: usize, all: usize) -> String {
    if all == 0 {
        return "–".to_owned();
    }
    #[expect(clippy::cast_precision_loss, reason = "a few thousand elements")]
    let percent = 100.0 * equal as f64 / all as f64;
    format!("{percent:.2} %")
}

fn files(folder: &Path, name: Option<&str>) -> Outcome<Vec<String>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        if file.ends_with(".html") && name.is_none_or(|name| file.contains(name)) {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

async fn open() -> Outcome<(Arc<Browser>, BrowserContext)> {
    let launch = LaunchOptions {
        extra_args: vec!["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1".to_owned()],
        ..LaunchOptions::default()
    };
    let browser = Browser::launch(BrowserOptions { launch, ..BrowserOptions::default() }).await?;
    let context = browser.new_context(&ContextOptions::default()).await?;
    Ok((browser, context))
}

async fn blank(context: &BrowserContext) -> Outcome<Arc<Page>> {
    let page = context.new_page().await?;
    for (method, params) in [
        ("Emulation.setScriptExecutionDisabled", json!({ "value": true })),
        ("Accessibility.enable", json!({})),
        ("DOM.enable", json!({})),
    ] {
        page.session().call_method::<Value>(method, &params).await?;
    }
    Ok(page)
}

async fn visit(page: &Page, url: &str) -> Outcome<()> {
    if let Navigated::Document(loader) = page.navigate(url).await? {
        page.wait_for(&loader, LoadState::Load).await?;
    }
    Ok(())
}

/// The engine's lines, by the browser's number of their element.
async fn ours(page: &Page) -> Outcome<HashMap<i64, Side>> {
    let world = page.world(&page.main_frame().id, &ENGINE_SCRIPT).await?;
    let text: String = world.evaluate("browseEngine.call('snapshot', {})").await?;
    let snapshot: Value = serde_json::from_str(&text)?;
    let call: CdpCall<Value> = world.call_method(
        "Runtime.evaluate",
        &json!({
            "expression": "browseEngine.lines().filter(Boolean)",
            "contextId": world.context(),
            "serializationOptions": {
                "serialization": "deep", "maxDepth": 1, "additionalParameters": { "maxNodeDepth": 0 },
            },
        }),
    );
    let elements = call.await?;
    let elements =
        elements["result"]["deepSerializedValue"]["value"].as_array().cloned().unwrap_or_default();
    let mut numbers =
        elements.iter().filter_map(|element| element["value"]["backendNodeId"].as_i64());
    let mut lines = HashMap::new();
    let fields = snapshot["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    for line in fields.chunks_exact(6).filter(|line| line[1] != "text") {
        let number = numbers.next().ok_or("the engine lists more lines than elements")?;
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        lines.insert(
            number,
            Side { role: word(&line[1]), name: word(&line[2]), raw: String::new() },
        );
    }
    Ok(lines)
}

/// Chromium's tree, with its inner names of roles as ARIA has them.
async fn theirs(page: &Page) -> Outcome<HashMap<i64, Side>> {
    let aria: BTreeMap<&str, &str> = BTreeMap::from([
        ("DisclosureTriangle", "button"),
        ("DisclosureTriangleGrouped", "button"),
        ("PopUpButton", "button"),
        ("ToggleButton", "button"),
        ("MenuListPopup", "combobox"),
        ("MenuListOption", "option"),
        ("Date", "textbox"),
        ("DateTime", "textbox"),
        ("InputTime", "textbox"),
        ("ColorWell", "textbox"),
    ]);
    let tree: Value = page.session().call_method("Accessibility.getFullAXTree", &json!({})).await?;
    let mut nodes = HashMap::new();
    for node in
        tree["nodes"].as_array().into_iter().flatten().filter(|node| node["ignored"] == false)
    {
        let Some(number) = node["backendDOMNodeId"].as_i64() else { continue };
        let raw = node["role"]["value"].as_str().unwrap_or_default();
        let role = (*aria.get(raw).unwrap_or(&raw)).to_owned();
        let name = node["name"]["value"].as_str().unwrap_or_default().to_owned();
        nodes.insert(number, Side { role, name, raw: raw.to_owned() });
    }
    Ok(nodes)
}
