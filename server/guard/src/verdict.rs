//! The verdict over a text: one pure function of what the layers reported.
//!
//! A single layer warns and no more, because honest pages speak like
//! instructions often enough; two that agree block. The exceptions are named in
//! [`judge`].

/// From here a layer counts towards a block, and refuses a note alone.
pub const BLOCK_THRESHOLD: f32 = 0.85;
/// From here a layer warns.
pub const WARN_THRESHOLD: f32 = 0.75;
/// From here a layer is worth a line in the log.
pub const LOG_THRESHOLD: f32 = 0.40;
/// From here one classifier alone blocks the output of a tool.
pub const SOLO_BLOCK_THRESHOLD: f32 = 0.92;

/// Where a text comes from, or goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContentSurface {
    /// A page, as a reader gets it.
    Page,
    /// The output of a program, such as a skill.
    ToolOutput,
    /// A note on its way to the store.
    NoteSave,
    /// A note on its way to a reader.
    NoteUse,
}

/// What the layers reported about one text. A layer that did not look says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scores {
    /// The classifier that is built in, 0 to 1.
    pub builtin: Option<f32>,
    /// The classifier from the model folder, 0 to 1.
    pub onnx: Option<f32>,
    /// The check by a language model of the user's, 0 to 1.
    pub llm: Option<f32>,
    /// The patterns, 0 to 1. They warn, and have no voice in a block.
    pub patterns: Option<f32>,
    /// Whether a canary was found where it must never be.
    pub canary: bool,
}

/// What is to be done with a text, mildest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Nothing to say.
    #[default]
    Clear,
    /// A line in the log.
    Log,
    /// A warning beside the text.
    Warn,
    /// The text is not handed on, where the settings say so.
    Block,
}

/// The rule that decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VerdictRule {
    /// No layer had anything to say.
    #[default]
    NoFinding,
    /// One layer, or several of which at most one would block.
    Single,
    /// Two classifiers are each at least [`WARN`].
    Agreement,
    /// One classifier is sure, about the output of a tool.
    Solo,
    /// A note would be saved with it.
    Note,
    /// A canary came out.
    Canary,
}

/// A verdict and its reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Judgement {
    /// What is to be done.
    pub verdict: Verdict,
    /// Why.
    pub rule: VerdictRule,
}

/// Weighs what the layers reported about a text of `surface`.
pub fn decide_verdict(scores: &Scores, surface: ContentSurface) -> Judgement {
    let block = |rule| Judgement { verdict: Verdict::Block, rule };
    if scores.canary {
        return block(VerdictRule::Canary);
    }
    if scores.classifiers().filter(|score| *score >= WARN_THRESHOLD).count() >= 2 {
        return block(VerdictRule::Agreement);
    }
    let surest = scores.classifiers().fold(0.0, f32::max);
    if surface == ContentSurface::ToolOutput && surest >= SOLO_BLOCK_THRESHOLD {
        return block(VerdictRule::Solo);
    }
    if surface == ContentSurface::NoteSave && surest >= BLOCK_THRESHOLD {
        return block(VerdictRule::Note);
    }
    let verdict = match scores.highest() {
        score if score >= WARN_THRESHOLD => Verdict::Warn,
        score if score >= LOG_THRESHOLD => Verdict::Log,
        _ => return Judgement::default(),
    };
    Judgement { verdict, rule: VerdictRule::Single }
}

/// Whether the check by a language model is worth its time: the other layers
/// have something to say, and none has settled the matter.
pub fn is_uncertain(scores: &Scores, surface: ContentSurface) -> bool {
    let others = Scores { llm: None, ..*scores };
    matches!(decide_verdict(&others, surface).verdict, Verdict::Log | Verdict::Warn)
}

impl Scores {
    /// The layers that have a voice in a block. A score that is not a number
    /// counts as the highest: what cannot be judged is not cleared.
    fn classifiers(&self) -> impl Iterator<Item = f32> {
        [self.builtin, self.onnx, self.llm].into_iter().flatten().map(clamp_score)
    }

    /// The highest score of all layers; 0 when none looked.
    pub fn highest(&self) -> f32 {
        self.classifiers().chain(self.patterns.map(clamp_score)).fold(0.0, f32::max)
    }
}

fn clamp_score(score: f32) -> f32 {
    if score.is_nan() { 1.0 } else { score.clamp(0.0, 1.0) }
}

impl VerdictRule {
    /// The reason in words, for a warning or a log.
    pub fn description(self) -> &'static str {
        match self {
            Self::NoFinding => "nothing found",
            Self::Single => "one layer suspects an instruction to an agent",
            Self::Agreement => "two classifiers agree",
            Self::Solo => "one classifier is sure",
            Self::Note => "too suspicious to be kept as a note",
            Self::Canary => "a canary leaked",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ContentSurface::*, Verdict::*, VerdictRule::*, *};

    fn scores(all: [f32; 4]) -> Scores {
        let some = |score: f32| (score != 0.0).then_some(score);
        Scores {
            builtin: some(all[0]),
            onnx: some(all[1]),
            llm: some(all[2]),
            patterns: some(all[3]),
            canary: false,
        }
    }

    /// Content, second, transcript, patterns; 0 stands for a silent layer.
    const TABLE: &[([f32; 4], ContentSurface, Verdict, VerdictRule)] = &[
        ([0.00, 0.00, 0.00, 0.00], Page, Clear, NoFinding),
        ([0.39, 0.00, 0.00, 0.00], Page, Clear, NoFinding),
        ([0.40, 0.00, 0.00, 0.00], Page, Log, Single),
        ([0.74, 0.74, 0.74, 0.74], Page, Log, Single),
        ([0.75, 0.00, 0.00, 0.00], Page, Warn, Single),
        ([0.99, 0.00, 0.00, 0.00], Page, Warn, Single),
        ([0.00, 0.99, 0.00, 0.00], Page, Warn, Single),
        ([0.00, 0.00, 0.99, 0.00], Page, Warn, Single),
        ([0.99, 0.74, 0.74, 0.99], Page, Warn, Single),
        ([0.75, 0.75, 0.00, 0.00], Page, Block, Agreement),
        ([0.75, 0.00, 0.75, 0.00], Page, Block, Agreement),
        ([0.00, 0.75, 0.75, 0.00], Page, Block, Agreement),
        ([0.75, 0.75, 0.10, 0.00], Page, Block, Agreement),
        ([0.75, 0.00, 0.00, 1.00], Page, Warn, Single),
        ([0.00, 0.00, 0.00, 1.00], Page, Warn, Single),
        ([0.00, 0.00, 0.00, 1.00], NoteSave, Warn, Single),
        ([0.91, 0.00, 0.00, 0.00], ToolOutput, Warn, Single),
        ([0.92, 0.00, 0.00, 0.00], ToolOutput, Block, Solo),
        ([0.00, 0.92, 0.00, 0.00], ToolOutput, Block, Solo),
        ([0.00, 0.00, 0.00, 0.99], ToolOutput, Warn, Single),
        ([0.84, 0.00, 0.00, 0.00], NoteSave, Warn, Single),
        ([0.85, 0.00, 0.00, 0.00], NoteSave, Block, Note),
        ([0.00, 0.85, 0.00, 0.00], NoteSave, Block, Note),
        ([0.80, 0.80, 0.00, 0.00], NoteSave, Block, Agreement),
        ([0.99, 0.00, 0.00, 0.00], NoteUse, Warn, Single),
        ([0.80, 0.80, 0.00, 0.00], NoteUse, Block, Agreement),
        ([f32::NAN, 0.0, 0.0, 0.0], Page, Warn, Single),
        ([f32::NAN, f32::INFINITY, 0.0, 0.0], Page, Block, Agreement),
        ([-3.0, 0.0, 0.0, 0.0], Page, Clear, NoFinding),
    ];

    #[test]
    fn the_table_holds() {
        for (all, surface, verdict, rule) in TABLE {
            let judged = decide_verdict(&scores(*all), *surface);
            assert_eq!(judged, Judgement { verdict: *verdict, rule: *rule }, "{all:?} {surface:?}");
        }
    }

    #[test]
    fn a_canary_blocks_whatever_the_rest_says() {
        for surface in [Page, ToolOutput, NoteSave, NoteUse] {
            let judged = decide_verdict(&Scores { canary: true, ..Scores::default() }, surface);
            assert_eq!(judged, Judgement { verdict: Block, rule: Canary });
        }
    }

    #[test]
    fn a_further_layer_raises_or_confirms() {
        let steps = [0.0, 0.39, 0.4, 0.74, 0.75, 0.85, 0.92, 1.0];
        for surface in [Page, ToolOutput, NoteSave, NoteUse] {
            for content in steps {
                for added in steps {
                    let alone = Scores { builtin: Some(content), ..Scores::default() };
                    let second = Scores { onnx: Some(added), ..alone };
                    let both = Scores { llm: Some(added), ..second };
                    let judged =
                        [alone, second, both].map(|all| decide_verdict(&all, surface).verdict);
                    assert!(judged.is_sorted(), "{surface:?} {content} {added}: {judged:?}");
                }
            }
        }
    }

    #[test]
    fn only_what_is_open_is_asked_about() {
        for (all, uncertain) in [
            ([0.39, 0.00, 0.00, 0.00], false),
            ([0.40, 0.00, 0.00, 0.00], true),
            ([0.00, 0.80, 0.00, 0.00], true),
            ([0.00, 0.00, 0.00, 1.00], true),
            ([0.80, 0.80, 0.00, 0.00], false),
            // Its own score is no reason to ask it again.
            ([0.00, 0.00, 0.99, 0.00], false),
            ([0.80, 0.00, 0.99, 0.00], true),
        ] {
            assert_eq!(is_uncertain(&scores(all), Page), uncertain, "{all:?}");
        }
    }

    #[test]
    fn more_suspicion_never_makes_it_milder() {
        let steps = [0.0, 0.39, 0.4, 0.75, 0.85, 0.92, 1.0];
        for surface in [Page, ToolOutput, NoteSave, NoteUse] {
            for (low, high) in steps.iter().zip(&steps[1..]) {
                for other in steps {
                    let at = |first: f32| {
                        decide_verdict(&scores([first, other, 0.0, 0.0]), surface).verdict
                    };
                    assert!(at(*low) <= at(*high), "{surface:?} {low} {high} {other}");
                }
            }
        }
    }
}
