//! Writes the features of JSON lines for training.
//!
//! Reads `{"text": …, "spans": [[start, end], …]}` from standard input, spans in
//! characters of the text, and writes one line a window: number of the row,
//! share of the window's words that lie in a span, signals, n-grams. The daemon
//! uses the very same code, so that what was trained is what runs.

use std::io::{self, BufRead, BufWriter, Write};

use browse_guard::training;

#[derive(serde::Deserialize)]
struct Row {
    text: String,
    #[serde(default)]
    span: Option<(usize, usize)>,
}

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    if std::env::args().nth(1).as_deref() == Some("--names") {
        return writeln!(out, "{}", training::signal_names().join("\n"));
    }
    for (number, line) in io::stdin().lock().lines().enumerate() {
        let row: Row = serde_json::from_str(&line?)?;
        let (text, windows) = training::features(&row.text);
        let attack = row.span.and_then(|span| attacked(&row.text, &text, span));
        for window in windows {
            let share = match (&attack, row.span) {
                (Some(attack), _) => overlap(attack, &window.range),
                // What cannot be placed counts as a whole.
                (None, Some(_)) => 1.0,
                (None, None) => 0.0,
            };
            write!(out, "{number}\t{share:.3}\t")?;
            for signal in &window.signals {
                write!(out, "{signal:.4} ")?;
            }
            write!(out, "\t")?;
            for (place, count) in &window.grams {
                write!(out, "{place}:{count} ")?;
            }
            writeln!(out)?;
        }
    }
    out.flush()
}

/// Where the span lies in the normalised text, in bytes.
fn attacked(original: &str, normal: &str, span: (usize, usize)) -> Option<std::ops::Range<usize>> {
    let byte = |at: usize| original.char_indices().nth(at).map_or(original.len(), |found| found.0);
    let (start, end) = (byte(span.0), byte(span.1));
    if original == normal {
        return Some(start..end);
    }
    // Normalising the parts gives the places, as long as it does not join them.
    let before = training::normalise(&original[..start]).len();
    let inside = training::normalise(&original[start..end]).len();
    (before + inside <= normal.len()).then_some(before..before + inside)
}

fn overlap(attack: &std::ops::Range<usize>, window: &std::ops::Range<usize>) -> f32 {
    let start = attack.start.max(window.start);
    let shared = attack.end.min(window.end).saturating_sub(start) as f32;
    // A short attack in a long window counts as well as a long one that fills it.
    let whole = (attack.end - attack.start).min(window.end - window.start).max(1);
    shared / whole as f32
}
