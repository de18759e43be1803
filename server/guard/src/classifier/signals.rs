//! The shape of a window: what it asks, of whom, and how it stands in its text.

use std::{collections::HashMap, ops::Range};

use super::{
    lexicon::{
        ACT, AGENT, ASSET, AUTHORITY, COGNITION, Classes, INSTRUCTION, MODAL, NEW, NOT, OVERRIDE,
        PAST, PLEASE, PRIOR, PRODUCT, REFUSE, SAY, SECOND, STRICT, TASK, TELL, URGENT, USER, WHEN,
        hash,
    },
    words::{WordKind, WordToken, mark},
};

/// Classes that are counted one by one.
const CLASS_COUNT: usize = super::lexicon::NAMES.len();

/// Signals that look at words together.
const COMPOUND_SIGNALS: &[&str] = &[
    "words",
    "override_instruction",
    "override_near",
    "imperative_start",
    "imperative_share",
    "please_verb",
    "agent_addressed",
    "agent_modal",
    "you_are_agent",
    "you_modal",
    "your_product",
    "say_with",
    "when_task",
    "tell_user",
    "send_to",
    "act_asset",
    "your_asset",
    "not_tell",
    "strict_say",
    "role_marker",
    "tag_marker",
    "header_instruction",
    "capitals",
    "capitals_known",
    "bangs",
    "bang_runs",
    "quotes",
    "urls",
    "emails",
    "numbers",
    "letters_a_word",
    "code_marks",
    "lines",
    "blank_lines",
    "rules",
    "asks",
    "colons",
    "verb_list",
    "instead",
    "new_instruction",
    "end_of",
    "if_agent",
    "past_share",
    "user_asks",
    "without_asking",
    "do_not",
    "must_act",
    "longest_imperative_run",
    "known_share",
    "third_person",
    "agent_you",
    "say_product",
    "refuse_say",
    "brand_say",
    "first_do",
    "overlap",
    "imperative_over",
    "second_over",
    "past_under",
    "class_kinds",
    "densest",
    "densest_kinds",
    "around_imperative",
    "around_second",
    "around_past",
    "around_code",
    "around_agent",
    "first_is_verb",
    "first_class",
    "capital_share",
    "verb_you",
];

/// Number of signals of a window.
pub const SIGNAL_COUNT: usize = CLASS_COUNT + COMPOUND_SIGNALS.len();

/// Name of a signal.
pub fn signal_name(signal: usize) -> String {
    match super::lexicon::NAMES.get(signal) {
        Some(class) => class.to_lowercase(),
        None => COMPOUND_SIGNALS.get(signal - CLASS_COUNT).copied().unwrap_or("").to_owned(),
    }
}

/// Verbs that an instruction begins with.
const VERB_CLASSES: Classes = SAY | ACT | OVERRIDE | COGNITION;

/// A text as a whole, against which its windows stand out.
pub struct DocumentStats {
    /// How often each longer word occurs that is of no class.
    topics: HashMap<u64, u32>,
    imperative_share: f32,
    second_person_share: f32,
    past_tense_share: f32,
}

impl DocumentStats {
    /// Looks at all words of a text.
    pub fn new(words: &[WordToken]) -> Self {
        let mut topics = HashMap::new();
        for word in words.iter().filter(|word| is_topic(word)) {
            *topics.entry(word.hash).or_insert(0) += 1;
        }
        let share = |is: &dyn Fn(&WordToken) -> bool| {
            words.iter().filter(|word| is(word)).count() as f32 / words.len().max(1) as f32
        };
        Self {
            topics,
            imperative_share: share(&|word| {
                is_sentence_start(word) && word.classes & VERB_CLASSES != 0
            }),
            second_person_share: share(&|word| word.classes & SECOND != 0),
            past_tense_share: share(&|word| word.classes & PAST != 0),
        }
    }

    /// Share of the topic words of `window` that stand outside it, too; a
    /// passage that somebody else put there has few. Without topic words, or
    /// without an outside, one half.
    fn topic_overlap(&self, window: &[WordToken]) -> f32 {
        let mut inside: HashMap<u64, u32> = HashMap::new();
        for word in window.iter().filter(|word| is_topic(word)) {
            *inside.entry(word.hash).or_insert(0) += 1;
        }
        let outside = self.topics.values().sum::<u32>() - inside.values().sum::<u32>();
        if inside.is_empty() || outside < 10 {
            return 0.5;
        }
        let shared = inside
            .iter()
            .filter(|(word, count)| self.topics.get(word).is_some_and(|all| all > count))
            .count();
        shared as f32 / inside.len() as f32
    }
}

fn is_topic(word: &WordToken) -> bool {
    word.kind == WordKind::Word && word.length >= 5 && word.classes == 0
}

/// Whether a sentence begins with `word`.
fn is_sentence_start(word: &WordToken) -> bool {
    word.marks_before & mark::SENTENCE_START != 0
}

/// Words before and after a part that count as its surroundings.
const CONTEXT_WORDS: usize = 60;

/// The signals of the words in `part`, written into `out`.
pub fn write_signals(
    words: &[WordToken],
    part: Range<usize>,
    document: &DocumentStats,
    out: &mut [f32; SIGNAL_COUNT],
) {
    let before = &words[part.start.saturating_sub(CONTEXT_WORDS)..part.start];
    let after = &words[part.end..words.len().min(part.end + CONTEXT_WORDS)];
    let window = &words[part];
    let count =
        |is: &dyn Fn(&WordToken) -> bool| window.iter().filter(|word| is(word)).count() as f32;
    let marks =
        |bits: u32| window.iter().filter(|word| word.marks_before & bits != 0).count() as f32;
    let has = |at: usize, class: Classes| window.get(at).is_some_and(|w| w.classes & class != 0);
    let is =
        |at: usize, text: &str| window.get(at).is_some_and(|w| w.hash == hash(text.as_bytes()));
    // Whether a word of `class` is among the `within` after `at`.
    let soon = |at: usize, within: usize, class: Classes| {
        window.iter().skip(at + 1).take(within).any(|word| word.classes & class != 0)
    };
    let every = |matches: &dyn Fn(usize, &WordToken) -> bool| {
        window.iter().enumerate().filter(|(at, word)| matches(*at, word)).count() as f32
    };
    for (class, value) in out.iter_mut().take(CLASS_COUNT).enumerate() {
        *value = count(&|word| word.classes & (1 << class) != 0);
    }
    let total = window.len().max(1) as f32;
    let around = |is: &dyn Fn(&WordToken) -> bool| {
        let found = before.iter().chain(after).filter(|word| is(word)).count() as f32;
        found / (before.len() + after.len()).max(1) as f32
    };
    let sentences = marks(mark::SENTENCE_START).max(1.0);
    let imperative = |at: usize, word: &WordToken| {
        word.classes & VERB_CLASSES != 0
            && (is_sentence_start(word)
                || at > 0
                    && (has(at - 1, PLEASE)
                        || (is(at - 1, "and") || is(at - 1, "then") || is(at - 1, "to"))
                            && at > 1
                            && is_sentence_start(&window[at - 2]))
                || at > 0
                    && is_sentence_start(&window[at - 1])
                    && has(at - 1, NOT | STRICT | NEW | PLEASE))
    };
    let imperatives = every(&imperative);
    let role =
        |at: usize| has(at, AUTHORITY | USER | AGENT | INSTRUCTION | URGENT | TASK | PRODUCT);
    let next_before =
        |at: usize, bits: u32| window.get(at + 1).is_some_and(|word| word.marks_before & bits != 0);
    let (densest, kinds) = max_density(window);
    let compound: [f32; COMPOUND_SIGNALS.len()] = [
        window.len() as f32,
        every(&|at, word| word.classes & OVERRIDE != 0 && soon(at, 6, INSTRUCTION | TASK)),
        every(&|at, word| word.classes & OVERRIDE != 0 && soon(at, 3, PRIOR | INSTRUCTION | NOT)),
        imperatives,
        imperatives / sentences,
        every(&|at, word| word.classes & PLEASE != 0 && soon(at, 2, VERB_CLASSES)),
        every(&|at, word| {
            word.classes & AGENT != 0
                && (is_sentence_start(word) || at > 0 && is_sentence_start(&window[at - 1]))
                && (next_before(at, mark::COMMA | mark::COLON | mark::DASH | mark::EXCLAMATION)
                    || soon(at, 2, MODAL))
        }),
        every(&|at, word| word.classes & AGENT != 0 && soon(at, 3, MODAL)),
        every(&|at, word| {
            word.classes & SECOND != 0
                && (is(at + 1, "are") || is(at, "youre"))
                && soon(at, 6, AGENT)
        }),
        every(&|at, word| word.classes & SECOND != 0 && soon(at, 1, MODAL)),
        every(&|at, word| {
            (word.classes & SECOND != 0 || word.hash == hash(b"the")) && soon(at, 2, PRODUCT)
        }),
        every(&|at, word| {
            word.classes & SAY != 0
                && (is(at + 1, "with")
                    || is(at + 1, "by")
                    || is(at + 1, "that")
                    || soon(at, 1, STRICT)
                    || next_before(at, mark::COLON | mark::QUOTE))
        }),
        every(&|at, word| {
            word.classes & WHEN != 0
                && (soon(at, 4, SECOND | USER | AGENT) && soon(at, 5, SAY | TASK | TELL | ACT)
                    || window
                        .get(at + 1)
                        .is_some_and(|next| next.classes & (SAY | TASK | TELL | COGNITION) != 0))
        }),
        every(&|at, word| word.classes & (SAY | TELL) != 0 && soon(at, 2, USER)),
        every(&|at, word| {
            word.classes & ACT != 0
                && window
                    .iter()
                    .skip(at + 1)
                    .take(20)
                    .any(|word| matches!(word.kind, WordKind::Email | WordKind::Url))
        }),
        every(&|at, word| word.classes & ACT != 0 && soon(at, 6, ASSET)),
        every(&|at, word| word.classes & (SECOND | USER) != 0 && soon(at, 3, ASSET)),
        every(&|at, word| word.classes & NOT != 0 && soon(at, 3, TELL)),
        every(&|at, word| word.classes & STRICT != 0 && soon(at, 3, SAY | PRODUCT)),
        every(&|at, word| is_sentence_start(word) && role(at) && next_before(at, mark::COLON)),
        every(&|at, word| {
            word.marks_before & (mark::ANGLE | mark::BRACKET) != 0
                && role(at)
                && next_before(at, mark::ANGLE | mark::BRACKET)
        }),
        every(&|at, word| word.marks_before & mark::RULE != 0 && (role(at) || role(at + 1))),
        count(&|word| word.is_all_caps),
        count(&|word| word.is_all_caps && word.classes != 0),
        marks(mark::EXCLAMATION),
        marks(mark::EXCLAMATIONS),
        marks(mark::QUOTE),
        count(&|word| word.kind == WordKind::Url),
        count(&|word| word.kind == WordKind::Email),
        count(&|word| word.kind == WordKind::Number),
        window.iter().map(|word| word.length.min(20)).sum::<u32>() as f32 / total,
        marks(mark::CODE),
        marks(mark::LINE),
        marks(mark::BLANK_LINE),
        marks(mark::RULE),
        marks(mark::QUESTION),
        marks(mark::COLON),
        every(&|at, word| {
            word.classes & VERB_CLASSES != 0 && word.marks_before & mark::COMMA != 0
                || is(at, "and") && soon(at, 1, VERB_CLASSES)
        }),
        every(&|at, word| word.hash == hash(b"instead") && at > 0),
        every(&|at, word| word.classes & NEW != 0 && soon(at, 2, INSTRUCTION | TASK)),
        every(&|at, word| {
            (word.hash == hash(b"end")
                || word.hash == hash(b"begin")
                || word.hash == hash(b"start"))
                && (is(at + 1, "of") || soon(at, 3, INSTRUCTION | AUTHORITY | USER | TASK))
        }),
        every(&|at, word| word.classes & WHEN != 0 && soon(at, 5, AGENT)),
        count(&|word| word.classes & PAST != 0) / total,
        every(&|at, word| word.classes & USER != 0 && soon(at, 2, TELL | MODAL)),
        every(&|at, word| {
            word.hash == hash(b"without") && (soon(at, 3, TELL) || is(at + 1, "asking"))
        }),
        every(&|at, word| word.classes & NOT != 0 && soon(at, 2, VERB_CLASSES)),
        every(&|at, word| word.classes & MODAL != 0 && soon(at, 3, VERB_CLASSES)),
        longest_imperative_run(window, &imperative),
        count(&|word| word.classes != 0) / total,
        count(&|word| {
            matches_any(word, &["he", "she", "his", "her", "they", "their", "its", "him"])
        }),
        every(&|at, word| word.classes & AGENT != 0 && soon(at, 6, SECOND)),
        every(&|at, word| word.classes & SAY != 0 && soon(at, 4, PRODUCT)),
        every(&|at, word| word.classes & SAY != 0 && soon(at, 8, REFUSE)),
        every(&|at, word| {
            word.classes & SAY != 0
                && soon(at, 10, super::lexicon::BRAND)
                && !is_sentence_start(word)
        }),
        every(&|at, word| word.classes & NEW != 0 && soon(at, 2, ACT)),
        document.topic_overlap(window),
        imperatives / total - document.imperative_share,
        count(&|word| word.classes & SECOND != 0) / total - document.second_person_share,
        document.past_tense_share - count(&|word| word.classes & PAST != 0) / total,
        window.iter().fold(0, |all, word| all | word.classes).count_ones() as f32,
        densest,
        kinds,
        around(&|word| is_sentence_start(word) && word.classes & VERB_CLASSES != 0),
        around(&|word| word.classes & SECOND != 0),
        around(&|word| word.classes & PAST != 0),
        around(&|word| word.marks_before & mark::CODE != 0),
        around(&|word| word.classes & (AGENT | INSTRUCTION) != 0),
        f32::from(u8::from(has(0, VERB_CLASSES))),
        window.first().map_or(0.0, |word| (word.classes.trailing_zeros() % 32) as f32),
        count(&|word| word.is_capitalized && !is_sentence_start(word)) / total,
        every(&|at, word| word.classes & VERB_CLASSES != 0 && soon(at, 4, SECOND)),
    ];
    out[CLASS_COUNT..].copy_from_slice(&compound);
}

fn matches_any(word: &WordToken, texts: &[&str]) -> bool {
    texts.iter().any(|text| word.hash == hash(text.as_bytes()))
}

/// Classes that mark an instruction, and few honest sentences in one.
const INSTRUCTION_CLASSES: Classes = OVERRIDE
    | INSTRUCTION
    | AGENT
    | SECOND
    | SAY
    | ACT
    | ASSET
    | STRICT
    | NOT
    | URGENT
    | AUTHORITY
    | TASK
    | TELL
    | USER
    | PLEASE;

/// Most telling words of any 16 in a row, and most kinds of them.
fn max_density(window: &[WordToken]) -> (f32, f32) {
    let (mut most, mut kinds) = (0, 0);
    for at in (0..window.len()).step_by(4) {
        let part = &window[at..window.len().min(at + 16)];
        let found = part.iter().filter(|word| word.classes & INSTRUCTION_CLASSES != 0).count();
        let all = part.iter().fold(0, |all, word| all | word.classes & INSTRUCTION_CLASSES);
        most = most.max(found);
        kinds = kinds.max(all.count_ones());
    }
    (most as f32, kinds as f32)
}

/// Most sentences in a row that begin with an instruction.
fn longest_imperative_run(
    window: &[WordToken],
    imperative: &dyn Fn(usize, &WordToken) -> bool,
) -> f32 {
    let (mut longest, mut run) = (0, 0);
    for (at, word) in window.iter().enumerate() {
        if imperative(at, word) {
            run += 1;
            longest = longest.max(run);
        } else if is_sentence_start(word)
            && !window.get(at + 1).is_some_and(|next| imperative(at + 1, next))
        {
            run = 0;
        }
    }
    longest as f32
}
