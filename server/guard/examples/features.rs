//! Writes the features of JSON lines for training.
//!
//! Reads `{"text": …, "span": [start, end]}` from standard input, the span in
//! characters of the text, and writes arrays into the folder that is named:
//! for each part the `row`, its `scale`, the `share` of it that is attack, the `signals`, and
//! the n-grams as `places` and `counts` between `ends`. The daemon uses the very
//! same code, so that what was trained is what runs.

use std::{
    collections::{HashMap, hash_map::Entry},
    fs::File,
    io::{self, BufRead, BufWriter, Write},
    path::PathBuf,
};

use browse_guard::training;

#[derive(serde::Deserialize)]
struct TrainingRow {
    text: String,
    #[serde(default)]
    span: Option<(usize, usize)>,
}

/// One array a file, numbers of the width that their type has.
struct Arrays {
    folder: PathBuf,
    files: HashMap<&'static str, BufWriter<File>>,
}

impl Arrays {
    fn write_number<const N: usize>(
        &mut self,
        name: &'static str,
        bytes: [u8; N],
    ) -> io::Result<()> {
        let file = match self.files.entry(name) {
            Entry::Occupied(file) => file.into_mut(),
            Entry::Vacant(empty) => {
                empty.insert(BufWriter::new(File::create(self.folder.join(name))?))
            }
        };
        file.write_all(&bytes)
    }
}

fn main() -> io::Result<()> {
    let Some(wanted) = std::env::args().nth(1) else {
        eprintln!("usage: features FOLDER < rows.jsonl, or features --names");
        std::process::exit(2);
    };
    if wanted == "--names" {
        println!("{}", training::signal_names().join("\n"));
        return Ok(());
    }
    let mut arrays = Arrays { folder: wanted.into(), files: HashMap::new() };
    let mut end = 0u32;
    for (number, line) in io::stdin().lock().lines().enumerate() {
        let row: TrainingRow = serde_json::from_str(&line?)?;
        let (text, windows) = training::text_features(&row.text);
        let attack = row.span.and_then(|span| attack_range(&row.text, &text, span));
        for window in windows {
            let share = match (&attack, row.span) {
                (Some(attack), _) => overlap(attack, &window.range),
                // What cannot be placed counts as a whole.
                (None, Some(_)) => 1.0,
                (None, None) => 0.0f32,
            };
            arrays.write_number("row", (number as u32).to_le_bytes())?;
            arrays.write_number("scale", [window.scale as u8])?;
            arrays.write_number("share", share.to_le_bytes())?;
            for signal in &window.signals {
                arrays.write_number("signals", signal.to_le_bytes())?;
            }
            for (place, count) in &window.ngrams {
                arrays.write_number("places", place.to_le_bytes())?;
                arrays.write_number("counts", count.to_le_bytes())?;
            }
            end += window.ngrams.len() as u32;
            arrays.write_number("ends", end.to_le_bytes())?;
        }
    }
    arrays.files.into_values().try_for_each(|mut file| file.flush())
}

/// Where the span lies in the normalised text, in bytes.
fn attack_range(
    original: &str,
    normal: &str,
    span: (usize, usize),
) -> Option<std::ops::Range<usize>> {
    let byte = |at: usize| original.char_indices().nth(at).map_or(original.len(), |found| found.0);
    let (start, end) = (byte(span.0), byte(span.1));
    if original == normal {
        return Some(start..end);
    }
    // Normalising the parts gives the places, as long as it does not join them.
    let before = browse_guard::normalise(&original[..start]).len();
    let inside = browse_guard::normalise(&original[start..end]).len();
    (before + inside <= normal.len()).then_some(before..before + inside)
}

fn overlap(attack: &std::ops::Range<usize>, window: &std::ops::Range<usize>) -> f32 {
    let start = attack.start.max(window.start);
    let shared = attack.end.min(window.end).saturating_sub(start) as f32;
    // A short attack in a long window counts as well as a long one that fills it.
    let whole = (attack.end - attack.start).min(window.end - window.start).max(1);
    shared / whole as f32
}
