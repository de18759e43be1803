//! Which label of a classifier means an injection.

/// Parts of the names that mean one.
const POSITIVE_NAME_PARTS: [&str; 7] =
    ["inject", "jailbreak", "malicious", "attack", "unsafe", "harmful", "adversarial"];

/// Words that turn a name around: `NOT_INJECTION`, `no injection`.
const NEGATIONS: [&str; 4] = ["no", "not", "non", "without"];

/// The places of the labels that mean an injection; none where no name says so.
///
/// Two labels without names are `0` for a text that is fine and `1` for one
/// that is not, as classifiers are exported.
pub fn positive_labels(labels: &[String]) -> Vec<usize> {
    let named: Vec<usize> = (0..labels.len()).filter(|at| means_injection(&labels[*at])).collect();
    let nameless = |at: usize| {
        let name = labels[at].to_ascii_lowercase();
        name.strip_prefix("label_").unwrap_or(&name) == at.to_string()
    };
    match named.is_empty() && labels.len() == 2 && (0..2).all(nameless) {
        true => vec![1],
        false => named,
    }
}

fn means_injection(label: &str) -> bool {
    let label = label.to_ascii_lowercase();
    let mut words = label.split(|letter: char| !letter.is_ascii_alphanumeric());
    let is_turned = words.any(|word| NEGATIONS.contains(&word));
    POSITIVE_NAME_PARTS.iter().any(|part| label.contains(part)) && !is_turned
}

#[cfg(test)]
mod tests {
    use super::positive_labels;

    #[test]
    fn names_are_understood() {
        let cases: &[(&[&str], &[usize])] = &[
            (&["SAFE", "INJECTION"], &[1]),
            (&["injection", "legit"], &[0]),
            (&["0", "1"], &[1]),
            (&["LABEL_0", "LABEL_1"], &[1]),
            (&["benign", "jailbreak"], &[1]),
            (&["unsafe", "safe"], &[0]),
            (&["NO_INJECTION", "INJECTION"], &[1]),
            (&["injection", "not-injection"], &[0]),
            (&["BENIGN", "INJECTION", "JAILBREAK"], &[1, 2]),
            (&["1", "0"], &[]),
            (&["POSITIVE", "NEGATIVE"], &[]),
            (&["LABEL_0", "LABEL_1", "LABEL_2"], &[]),
        ];
        for (labels, wanted) in cases {
            let labels: Vec<_> = labels.iter().map(|label| (*label).to_owned()).collect();
            assert_eq!(positive_labels(&labels), *wanted, "{labels:?}");
        }
    }
}
