//! Opens the addresses of its arguments in as many tabs, all at once, and prints
//! their titles: `cargo run --example parallel -- https://example.com …`.

use std::thread;

use browse_sdk::{Browse, Result, connect};

fn title(browse: &Browse, url: &str) -> Result<String> {
    let tab = browse.new_tab(None)?.tab_id;
    let page = browse.tab(tab).goto(url);
    browse.close_tab(Some(tab))?;
    Ok(page?.title)
}

fn main() -> Result<()> {
    let browse = &connect()?;
    let urls: Vec<_> = std::env::args().skip(1).collect();
    thread::scope(|scope| {
        let work = urls.iter().map(|url| (url, scope.spawn(move || title(browse, url))));
        for (url, thread) in work.collect::<Vec<_>>() {
            match thread.join() {
                Ok(Ok(title)) => println!("{url}: {title}"),
                Ok(Err(error)) if error.retryable() => println!("{url}: try again: {error}"),
                Ok(Err(error)) => println!("{url}: {error}"),
                Err(_) => println!("{url}: its thread ended early"),
            }
        }
    });
    Ok(())
}
