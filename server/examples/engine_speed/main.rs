//! Measures the page engine beside the limit that the browser itself sets.
//!
//! `cargo run --release -p browse-server --example engine_speed`
//!
//! Two pages of the benchmark: 4,000 controls (100 sections of 20 paragraphs,
//! each with a link and a button) and a table of 30 stories. The limits are a
//! bare round trip, a bare walk of all elements with their styles, and the bare
//! events of a click.

use std::time::{Duration, Instant};

use browse_chromium::{
    Browser, BrowserOptions, ContextOptions, EvaluateOptions, LoadState, MouseButton, MouseEvent,
    MouseEventKind, Page,
};
use browse_engine::{Click, Engine, RefNumbers, SnapshotOptions};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const ROUNDS: usize = 21;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let browser = Browser::launch(BrowserOptions::default()).await?;
    let context = browser.new_context(&ContextOptions::default()).await?;
    let page = context.new_page().await?;
    let engine = Engine::new(page.clone(), RefNumbers::default().into(), 1);
    for (name, html) in [("4,000 controls", controls()), ("30 stories", stories())] {
        let loader = page.set_content(&html).await?;
        page.wait_for(&loader, LoadState::Load).await?;
        println!("{name}");
        measure(&page, &engine).await?;
    }
    browser.close().await;
    Ok(())
}

async fn measure(page: &Page, engine: &Engine) -> Outcome<()> {
    let main = page.main_frame().id;
    let evaluate = async |expression: &str| {
        let call = page.evaluate(&main, expression, EvaluateOptions::default())?;
        call.await.map_err(Box::<dyn std::error::Error>::from)
    };
    let interactive = SnapshotOptions { interactive: true, ..SnapshotOptions::default() };
    let begun = Instant::now();
    let first = engine.snapshot(&interactive).await?;
    println!(
        "  snapshot -i, the first          {:>8.2} ms, {} characters",
        ms(begun.elapsed()),
        first.text.len()
    );
    report("raw: evaluate 1", async || evaluate("1").await.map(drop)).await?;
    let walk = "(() => { let n = 0; for (const e of document.querySelectorAll('*')) { const s = getComputedStyle(e); if (s.display !== 'none' && s.visibility && s.cursor) n += e.textContent.length } return n })()";
    report("raw: walk with styles and texts", async || evaluate(walk).await.map(drop)).await?;
    report("snapshot -i", async || Ok(engine.snapshot(&interactive).await.map(drop)?)).await?;
    report("snapshot", async || {
        Ok(engine.snapshot(&SnapshotOptions::default()).await.map(drop)?)
    })
    .await?;
    report("text", async || Ok(engine.text(None).await.map(drop)?)).await?;
    evaluate("addEventListener('click', event => event.preventDefault()); scrollTo(0, 0)").await?;
    report("raw: three events of a click", async || {
        let at = |kind| page.send_mouse_event(MouseEvent { kind, x: 5.0, y: 5.0, modifiers: 0 });
        let button = MouseButton::Left;
        let calls = [
            at(MouseEventKind::Move { held_buttons: 0 }),
            at(MouseEventKind::Press { button, count: 1 }),
            at(MouseEventKind::Release { button, count: 1 }),
        ];
        for call in calls {
            call.await?;
        }
        Ok(())
    })
    .await?;
    let target = first.text.split(' ').next().unwrap_or_default().parse()?;
    let deadline = || tokio::time::Instant::now() + Duration::from_secs(5);
    report("click with its receipt", async || {
        Ok(engine.click(&target, &Click::default(), deadline()).await.map(drop)?)
    })
    .await?;
    Ok(())
}

/// The median of some rounds.
async fn report(name: &str, work: impl AsyncFn() -> Outcome<()>) -> Outcome<()> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        work().await?;
        times.push(begun.elapsed());
    }
    times.sort();
    println!("  {name:<32}{:>8.2} ms (fastest {:.2})", ms(times[ROUNDS / 2]), ms(times[0]));
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn controls() -> String {
    let mut html = String::from("<title>Controls</title><h1>Controls</h1>");
    for section in 0..100 {
        html += &format!("<section><h2>Section {section}</h2>");
        for item in 0..20 {
            html += &format!(
                "<p>Paragraph {item} of section {section} with <a href='/x{section}-{item}'>link {section}.{item}</a> and <button>button {section}.{item}</button></p>"
            );
        }
        html += "</section>";
    }
    html
}

fn stories() -> String {
    let rows: String = (1..=30)
        .map(|rank| {
            format!(
                "<tr><td>{rank}.</td><td><a href='vote?id={rank}'><div title=upvote style='width:10px;height:10px'></div></a></td><td><a href='https://example.com/{rank}'>Story number {rank}</a></td></tr>\
                 <tr><td></td><td></td><td>{rank} points by <a href='user?id=u{rank}'>user{rank}</a> <a href='item?id={rank}'>{rank} hours ago</a> | <a href='hide?id={rank}'>hide</a> | <a href='item?id={rank}'>{rank} comments</a></td></tr>"
            )
        })
        .collect();
    format!("<title>Stories</title><table>{rows}</table>")
}
