//! The shape of a window: what it asks, of whom, and how it stands in its text.

use std::{collections::HashMap, ops::Range};

use super::{
    lexicon::{
        ACT, AGENT, ASSET, AUTHORITY, COGNITION, Classes, INSTRUCTION, MODAL, NEW, NOT, OVERRIDE,
        PAST, PLEASE, PRIOR, PRODUCT, REFUSE, SAY, SECOND, STRICT, TASK, TELL, URGENT, USER, WHEN,
        hash,
    },
    words::{Kind, Word, mark},
};

/// Classes that are counted one by one.
const CLASSES: usize = super::lexicon::NAMES.len();

/// Signals that look at words together.
const COMPOUND: &[&str] = &[
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
pub const COUNT: usize = CLASSES + COMPOUND.len();

/// Name of a signal.
pub fn name(signal: usize) -> String {
    match super::lexicon::NAMES.get(signal) {
        Some(class) => class.to_lowercase(),
        None => COMPOUND.get(signal - CLASSES).copied().unwrap_or("").to_owned(),
    }
}

/// Verbs that an instruction begins with.
const VERB: Classes = SAY | ACT | OVERRIDE | COGNITION;

/// A text as a whole, against which its windows stand out.
pub struct Document {
    /// How often each longer word occurs that is of no class.
    topics: HashMap<u64, u32>,
    imperative: f32,
    second: f32,
    past: f32,
}

impl Document {
    /// Looks at all words of a text.
    pub fn new(words: &[Word]) -> Self {
        let mut topics = HashMap::new();
        for word in words.iter().filter(|word| is_topic(word)) {
            *topics.entry(word.hash).or_insert(0) += 1;
        }
        let share = |is: &dyn Fn(&Word) -> bool| {
            words.iter().filter(|word| is(word)).count() as f32 / words.len().max(1) as f32
        };
        Self {
            topics,
            imperative: share(&|word| begins(word) && word.classes & VERB != 0),
            second: share(&|word| word.classes & SECOND != 0),
            past: share(&|word| word.classes & PAST != 0),
        }
    }

    /// Share of the topic words of `window` that stand outside it, too; a
    /// passage that somebody else put there has few. Without topic words, or
    /// without an outside, one half.
    fn overlap(&self, window: &[Word]) -> f32 {
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

fn is_topic(word: &Word) -> bool {
    word.kind == Kind::Word && word.length >= 5 && word.classes == 0
}

/// Whether a sentence begins with `word`.
fn begins(word: &Word) -> bool {
    word.before & mark::START != 0
}

/// Words before and after a part that count as its surroundings.
const AROUND: usize = 60;

/// The signals of the words in `part`, written into `out`.
pub fn signals(words: &[Word], part: Range<usize>, document: &Document, out: &mut [f32; COUNT]) {
    let before = &words[part.start.saturating_sub(AROUND)..part.start];
    let after = &words[part.end..words.len().min(part.end + AROUND)];
    let window = &words[part];
    let count = |is: &dyn Fn(&Word) -> bool| window.iter().filter(|word| is(word)).count() as f32;
    let marks = |bits: u32| window.iter().filter(|word| word.before & bits != 0).count() as f32;
    let has = |at: usize, class: Classes| window.get(at).is_some_and(|w| w.classes & class != 0);
    let is =
        |at: usize, text: &str| window.get(at).is_some_and(|w| w.hash == hash(text.as_bytes()));
    // Whether a word of `class` is among the `within` after `at`.
    let soon = |at: usize, within: usize, class: Classes| {
        window.iter().skip(at + 1).take(within).any(|word| word.classes & class != 0)
    };
    let every = |matches: &dyn Fn(usize, &Word) -> bool| {
        window.iter().enumerate().filter(|(at, word)| matches(*at, word)).count() as f32
    };
    for (class, value) in out.iter_mut().take(CLASSES).enumerate() {
        *value = count(&|word| word.classes & (1 << class) != 0);
    }
    let total = window.len().max(1) as f32;
    let around = |is: &dyn Fn(&Word) -> bool| {
        let found = before.iter().chain(after).filter(|word| is(word)).count() as f32;
        found / (before.len() + after.len()).max(1) as f32
    };
    let sentences = marks(mark::START).max(1.0);
    let imperative = |at: usize, word: &Word| {
        word.classes & VERB != 0
            && (begins(word)
                || at > 0
                    && (has(at - 1, PLEASE)
                        || (is(at - 1, "and") || is(at - 1, "then") || is(at - 1, "to"))
                            && at > 1
                            && begins(&window[at - 2]))
                || at > 0 && begins(&window[at - 1]) && has(at - 1, NOT | STRICT | NEW | PLEASE))
    };
    let imperatives = every(&imperative);
    let role =
        |at: usize| has(at, AUTHORITY | USER | AGENT | INSTRUCTION | URGENT | TASK | PRODUCT);
    let next_before =
        |at: usize, bits: u32| window.get(at + 1).is_some_and(|word| word.before & bits != 0);
    let (densest, kinds) = densest(window);
    let compound: [f32; COMPOUND.len()] = [
        window.len() as f32,
        every(&|at, word| word.classes & OVERRIDE != 0 && soon(at, 6, INSTRUCTION | TASK)),
        every(&|at, word| word.classes & OVERRIDE != 0 && soon(at, 3, PRIOR | INSTRUCTION | NOT)),
        imperatives,
        imperatives / sentences,
        every(&|at, word| word.classes & PLEASE != 0 && soon(at, 2, VERB)),
        every(&|at, word| {
            word.classes & AGENT != 0
                && (begins(word) || at > 0 && begins(&window[at - 1]))
                && (next_before(at, mark::COMMA | mark::COLON | mark::DASH | mark::BANG)
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
                    .any(|word| matches!(word.kind, Kind::Email | Kind::Url))
        }),
        every(&|at, word| word.classes & ACT != 0 && soon(at, 6, ASSET)),
        every(&|at, word| word.classes & (SECOND | USER) != 0 && soon(at, 3, ASSET)),
        every(&|at, word| word.classes & NOT != 0 && soon(at, 3, TELL)),
        every(&|at, word| word.classes & STRICT != 0 && soon(at, 3, SAY | PRODUCT)),
        every(&|at, word| begins(word) && role(at) && next_before(at, mark::COLON)),
        every(&|at, word| {
            word.before & (mark::ANGLE | mark::BRACKET) != 0
                && role(at)
                && next_before(at, mark::ANGLE | mark::BRACKET)
        }),
        every(&|at, word| word.before & mark::RULE != 0 && (role(at) || role(at + 1))),
        count(&|word| word.capitals),
        count(&|word| word.capitals && word.classes != 0),
        marks(mark::BANG),
        marks(mark::BANGS),
        marks(mark::QUOTE),
        count(&|word| word.kind == Kind::Url),
        count(&|word| word.kind == Kind::Email),
        count(&|word| word.kind == Kind::Number),
        window.iter().map(|word| word.length.min(20)).sum::<u32>() as f32 / total,
        marks(mark::CODE),
        marks(mark::LINE),
        marks(mark::BLANK_LINE),
        marks(mark::RULE),
        marks(mark::ASK),
        marks(mark::COLON),
        every(&|at, word| {
            word.classes & VERB != 0 && word.before & mark::COMMA != 0
                || is(at, "and") && soon(at, 1, VERB)
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
        every(&|at, word| word.classes & NOT != 0 && soon(at, 2, VERB)),
        every(&|at, word| word.classes & MODAL != 0 && soon(at, 3, VERB)),
        longest_run(window, &imperative),
        count(&|word| word.classes != 0) / total,
        count(&|word| {
            matches_any(word, &["he", "she", "his", "her", "they", "their", "its", "him"])
        }),
        every(&|at, word| word.classes & AGENT != 0 && soon(at, 6, SECOND)),
        every(&|at, word| word.classes & SAY != 0 && soon(at, 4, PRODUCT)),
        every(&|at, word| word.classes & SAY != 0 && soon(at, 8, REFUSE)),
        every(&|at, word| {
            word.classes & SAY != 0 && soon(at, 10, super::lexicon::BRAND) && !begins(word)
        }),
        every(&|at, word| word.classes & NEW != 0 && soon(at, 2, ACT)),
        document.overlap(window),
        imperatives / total - document.imperative,
        count(&|word| word.classes & SECOND != 0) / total - document.second,
        document.past - count(&|word| word.classes & PAST != 0) / total,
        window.iter().fold(0, |all, word| all | word.classes).count_ones() as f32,
        densest,
        kinds,
        around(&|word| begins(word) && word.classes & VERB != 0),
        around(&|word| word.classes & SECOND != 0),
        around(&|word| word.classes & PAST != 0),
        around(&|word| word.before & mark::CODE != 0),
        around(&|word| word.classes & (AGENT | INSTRUCTION) != 0),
        f32::from(u8::from(has(0, VERB))),
        window.first().map_or(0.0, |word| (word.classes.trailing_zeros() % 32) as f32),
        count(&|word| word.capital && !begins(word)) / total,
        every(&|at, word| word.classes & VERB != 0 && soon(at, 4, SECOND)),
    ];
    out[CLASSES..].copy_from_slice(&compound);
}

fn matches_any(word: &Word, texts: &[&str]) -> bool {
    texts.iter().any(|text| word.hash == hash(text.as_bytes()))
}

/// Classes that mark an instruction, and few honest sentences in one.
const TELLING: Classes = OVERRIDE
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
fn densest(window: &[Word]) -> (f32, f32) {
    let (mut most, mut kinds) = (0, 0);
    for at in (0..window.len()).step_by(4) {
        let part = &window[at..window.len().min(at + 16)];
        let found = part.iter().filter(|word| word.classes & TELLING != 0).count();
        let all = part.iter().fold(0, |all, word| all | word.classes & TELLING);
        most = most.max(found);
        kinds = kinds.max(all.count_ones());
    }
    (most as f32, kinds as f32)
}

/// Most sentences in a row that begin with an instruction.
fn longest_run(window: &[Word], imperative: &dyn Fn(usize, &Word) -> bool) -> f32 {
    let (mut longest, mut run) = (0, 0);
    for (at, word) in window.iter().enumerate() {
        if imperative(at, word) {
            run += 1;
            longest = longest.max(run);
        } else if begins(word) && !window.get(at + 1).is_some_and(|next| imperative(at + 1, next)) {
            run = 0;
        }
    }
    longest as f32
}
