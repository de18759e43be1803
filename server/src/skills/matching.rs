//! How well a skill fits what somebody wants: words and hosts, no model. The
//! same words give the same order.

use std::collections::BTreeSet;

use super::manifest::SkillManifest;

/// Fits that are not worth a line.
const MIN_SCORE: u32 = 25;

/// Words that say nothing of what is wanted.
const STOP_WORDS: &[&str] = &[
    "a", "all", "an", "and", "are", "as", "at", "browse", "by", "can", "data", "do", "each", "for",
    "from", "get", "give", "i", "in", "is", "it", "its", "json", "me", "my", "of", "on", "or",
    "page", "please", "read", "show", "site", "tell", "that", "the", "this", "to", "us", "want",
    "web", "website", "what", "which", "with", "you",
];

/// From 0 to 100. A phrase of the triggers that is in `intent` counts most, then
/// the words of name and description, then a host that is named.
pub fn score(manifest: &SkillManifest, intent: &str) -> Option<u32> {
    let wanted = words(intent);
    if wanted.is_empty() {
        return None;
    }
    let triggers = manifest.triggers.iter().map(|trigger| {
        let trigger = words(trigger);
        overlap(&trigger, &wanted)
    });
    // A word in common is little: half of a phrase counts a quarter.
    let trigger = triggers.fold(0.0, f64::max).powi(2);
    let about = words(&format!("{} {}", manifest.name, manifest.description));
    let about = overlap(&wanted, &about);
    let host = manifest.host_patterns.iter().any(|host| {
        let labels: Vec<_> = host.trim_start_matches("*.").split(['.', ':']).collect();
        // The label before the ending: `ycombinator` of news.ycombinator.com.
        let own = labels.iter().rev().nth(1).copied().filter(|label| label.len() > 2);
        let named = intent.to_lowercase().contains(host.trim_start_matches("*."));
        named || own.is_some_and(|label| wanted.contains(&stem(label)))
    });
    let score = 60.0 * trigger + 30.0 * about + if host { 10.0 } else { 0.0 };
    // Rounded towards the middle, so that no order depends on the last bit.
    let score = score.round() as u32;
    (score >= MIN_SCORE).then_some(score)
}

/// The share of `these` that is among `those`.
fn overlap(these: &BTreeSet<String>, those: &BTreeSet<String>) -> f64 {
    if these.is_empty() {
        return 0.0;
    }
    these.intersection(those).count() as f64 / these.len() as f64
}

fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.filter(|word| !STOP_WORDS.contains(word)).map(stem).collect()
}

/// Without the ending of a plural.
fn stem(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(one) if one.len() > 2 && !one.ends_with('s') => one.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(intent: &str) -> u32 {
        let yaml = "name: hackernews-frontpage\nhost: news.ycombinator.com\n\
            description: Reads the front page of Hacker News as JSON.\n\
            triggers: [hacker news front page, top stories on hacker news]\n";
        let manifest = SkillManifest::read(yaml, "hackernews-frontpage").expect("a manifest");
        score(&manifest, intent).unwrap_or(0)
    }

    #[test]
    fn a_trigger_in_other_words_fits() {
        assert!(
            fit("get the top stories on Hacker News") >= 75,
            "{}",
            fit("get the top stories on Hacker News")
        );
        assert!(fit("hacker news front page as json") >= 85);
        assert!(fit("what is on news.ycombinator.com") >= 25);
    }

    #[test]
    fn something_else_does_not() {
        for intent in ["weather in Oslo", "the front door of my house", "buy a lamp", "", "the of"]
        {
            assert_eq!(fit(intent), 0, "{intent}");
        }
    }

    #[test]
    fn the_same_words_in_another_order_fit_alike() {
        assert_eq!(fit("stories top hacker news"), fit("hacker news top stories"));
    }
}
