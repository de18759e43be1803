//! Judges JSON lines: reads `{"text": …}` from standard input, writes one score
//! a line, and what it took on standard error.

use std::{
    io::{self, BufRead, Write},
    time::{Duration, Instant},
};

#[derive(serde::Deserialize)]
struct JudgedRow {
    text: String,
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let (mut taken, mut bytes, mut slowest) = (Duration::ZERO, 0, Duration::ZERO);
    for line in io::stdin().lock().lines() {
        let row: JudgedRow = serde_json::from_str(&line?)?;
        let begun = Instant::now();
        let judged = browse_guard::classify(&row.text);
        let time = begun.elapsed();
        taken += time;
        bytes += row.text.len();
        slowest = slowest.max(time * 2048 / row.text.len().max(2048) as u32);
        writeln!(out, "{:.6}", judged.score)?;
    }
    let mean = taken.as_secs_f64() * 1e3 * 2048.0 / bytes.max(1) as f64;
    let (name, size) = (browse_guard::model_name(), browse_guard::model_size());
    eprintln!("{name}, {size} bytes: {mean:.3} ms per 2 KiB, at most {slowest:?}");
    Ok(())
}
