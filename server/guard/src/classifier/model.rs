//! The weights, and what they make of features.
//!
//! `weights.bin` is written by `train/fit.py`. It is read where it lies in the
//! program, without a copy: pages of it that no text asks for need no memory.
//! Numbers are little-endian:
//!
//! ```text
//! magic  "BGM2"
//! twice, for windows and for sentences:
//!   f32 base of the trees, u32 trees, u32 nodes
//!   per tree: u32 first node
//!   per node, 12 bytes: u16 signal (0xffff: a leaf), u16 left, u16 right, u16 0, f32 threshold or value
//!   f32 base of the n-grams, f32 unit of a weight, u32 n-grams
//!   per n-gram: u32 place, ascending; then per n-gram: i8 weight
//!   zeros up to a multiple of 4
//! f32 base and thirteen weights of the page
//! ```

use std::{ops::Range, sync::LazyLock};

use super::Scale;

static WEIGHTS: &[u8] = include_bytes!("weights.bin");

static MODEL: LazyLock<WeightTable> = LazyLock::new(|| WeightTable::read(WEIGHTS));

/// Values that a page is judged by.
pub const PAGE_VALUES: usize = 13;

/// Where the parts of the weights lie.
struct WeightTable {
    scales: [ScaleWeights; 2],
    page_weights: Range<usize>,
}

/// The weights for one scale.
struct ScaleWeights {
    tree_base: f32,
    trees: Range<usize>,
    nodes: usize,
    gram_base: f32,
    gram_unit: f32,
    ngram_indices: Range<usize>,
    ngram_weights: usize,
}

impl WeightTable {
    /// # Panics
    /// On weights that are not whole: they are part of the program, and a test
    /// reads them.
    fn read(bytes: &[u8]) -> Self {
        assert_eq!(&bytes[..4], b"BGM2", "the weights are of another kind");
        let mut at = 4;
        let scales = [(); 2].map(|()| {
            let tree_base = read_f32(at);
            let (trees, nodes) = (read_usize(at + 4), read_usize(at + 8));
            let trees = at + 12..at + 12 + trees * 4;
            let first_node = trees.end;
            at = first_node + nodes * 12;
            let (gram_base, gram_unit, grams) =
                (read_f32(at), read_f32(at + 4), read_usize(at + 8));
            let places = at + 12..at + 12 + grams * 4;
            let weights = places.end;
            at = (weights + grams).next_multiple_of(4);
            ScaleWeights {
                tree_base,
                trees,
                nodes: first_node,
                gram_base,
                gram_unit,
                ngram_indices: places,
                ngram_weights: weights,
            }
        });
        let page = at..at + (PAGE_VALUES + 1) * 4;
        assert_eq!(page.end, bytes.len(), "the weights are not whole");
        Self { scales, page_weights: page }
    }
}

fn read_f32(at: usize) -> f32 {
    f32::from_bits(read_u32(at))
}

fn read_usize(at: usize) -> usize {
    read_u32(at) as usize
}

fn read_u32(at: usize) -> u32 {
    u32::from_le_bytes([WEIGHTS[at], WEIGHTS[at + 1], WEIGHTS[at + 2], WEIGHTS[at + 3]])
}

fn read_u16(at: usize) -> usize {
    usize::from(u16::from_le_bytes([WEIGHTS[at], WEIGHTS[at + 1]]))
}

/// What the trees make of the signals: a logit.
pub fn shape_logit(scale: Scale, signals: &[f32]) -> f32 {
    let side = &MODEL.scales[scale as usize];
    let trees = side.trees.clone().step_by(4).map(|tree| {
        let first = side.nodes + read_usize(tree) * 12;
        let mut node = first;
        loop {
            let value = read_f32(node + 8);
            let signal = read_u16(node);
            if signal == 0xffff {
                return value;
            }
            let goes_left = signals.get(signal).is_some_and(|found| *found <= value);
            node = first + 12 * read_u16(node + if goes_left { 2 } else { 4 });
        }
    });
    side.tree_base + trees.sum::<f32>()
}

/// What the n-grams weigh: a logit. `places` may come in any order.
pub fn ngram_logit(scale: Scale, places: &mut Vec<u32>) -> f32 {
    let side = &MODEL.scales[scale as usize];
    places.sort_unstable();
    let (mut sum, mut square) = (0.0, 0.0f32);
    let mut rest = places.as_slice();
    while let Some(place) = rest.first() {
        let count = rest.iter().take_while(|other| *other == place).count();
        rest = &rest[count..];
        let Some(weight) = side.weight(*place) else { continue };
        // Twice is little more than once.
        let value = if count > 1 { 3f32.ln() } else { 2f32.ln() };
        sum += value * f32::from(weight);
        square += value * value;
    }
    match square {
        0.0 => side.gram_base,
        square => side.gram_base + sum * side.gram_unit / square.sqrt(),
    }
}

impl ScaleWeights {
    fn weight(&self, place: u32) -> Option<i8> {
        let (mut low, mut high) = (0, self.ngram_indices.len() / 4);
        while low < high {
            let middle = (low + high) / 2;
            match read_u32(self.ngram_indices.start + middle * 4).cmp(&place) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    return Some(i8::from_le_bytes([WEIGHTS[self.ngram_weights + middle]]));
                }
            }
        }
        None
    }
}

/// The score of a page, 0 to 1, calibrated.
pub fn page_score(values: &[f32; PAGE_VALUES]) -> f32 {
    let at = MODEL.page_weights.start;
    let weighed =
        values.iter().enumerate().map(|(number, value)| value * read_f32(at + 4 + number * 4));
    let logit = read_f32(at) + weighed.sum::<f32>();
    1.0 / (1.0 + (-logit).exp())
}

/// Names the weights: a short hash of them.
pub fn name() -> String {
    format!("fast-{:08x}", super::lexicon::hash(WEIGHTS) as u32)
}

/// Bytes of the weights.
pub fn size() -> usize {
    WEIGHTS.len()
}
