//! What the files beside a model say of it.

use serde_json::Value;

use super::{CALIBRATION_FILE, CONFIG_FILE, TOKENIZER_CONFIG_FILE, labels};

/// Tokens that a window has at most, whatever the model takes: the time of one
/// run grows faster than its length.
const MAX_WINDOW_TOKENS: usize = 512;

/// A window with fewer tokens holds no sentence.
const MIN_WINDOW_TOKENS: usize = 16;

/// From here a length says that nobody set one.
const UNSET_LENGTH: u64 = 1_000_000;

/// How the numbers that a model gives become one score.
#[derive(Clone, Debug, PartialEq)]
pub enum ScoreHead {
    /// The first number, divided by a temperature, through a sigmoid.
    Sigmoid {
        /// The temperature.
        temperature: f32,
    },
    /// The share of these places among all.
    Softmax {
        /// Places of the labels that mean an injection.
        positive: Vec<usize>,
        /// How many labels there are.
        labels: usize,
    },
}

/// A model, as its files describe it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelDescription {
    /// Its kind, such as `deberta-v2`.
    pub model_type: String,
    /// How its numbers are read.
    pub head: ScoreHead,
    /// Tokens of a window, with those that every window begins and ends with.
    pub window_tokens: usize,
}

/// A file that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFileError {
    /// Its name within the folder.
    pub file: String,
    /// Why.
    pub reason: String,
}

impl ModelFileError {
    /// A problem with `file`.
    pub fn new(file: impl Into<String>, why: impl Into<String>) -> Self {
        Self { file: file.into(), reason: why.into() }
    }
}

impl ModelDescription {
    /// Reads the text of `config.json`, and of the two beside it where the
    /// folder has them.
    ///
    /// # Errors
    /// Which file cannot be used, and why.
    pub fn read(
        config: &str,
        tokenizer: Option<&str>,
        calibration: Option<&str>,
    ) -> Result<Self, ModelFileError> {
        let config = parse_object(CONFIG_FILE, config)?;
        let tokenizer =
            tokenizer.map(|text| parse_object(TOKENIZER_CONFIG_FILE, text)).transpose()?;
        let calibration =
            calibration.map(|text| parse_object(CALIBRATION_FILE, text)).transpose()?;
        let kind = config["model_type"].as_str().unwrap_or("unknown").to_owned();
        let head = match calibration {
            Some(calibration) => calibrated_head(&calibration)?,
            None => head_by_labels(&config)?,
        };
        let window = window_length(&kind, &config, tokenizer.as_ref())?;
        Ok(Self { model_type: kind, head, window_tokens: window })
    }

    /// How many numbers the model gives for a text; none where one or more
    /// will do.
    pub fn output_width(&self) -> Option<usize> {
        match &self.head {
            ScoreHead::Sigmoid { .. } => None,
            ScoreHead::Softmax { labels, .. } => Some(*labels),
        }
    }

    /// The score of one window, 0 to 1; none for numbers that are none.
    pub fn score(&self, logits: &[f32]) -> Option<f32> {
        let score = match &self.head {
            ScoreHead::Sigmoid { temperature } => {
                let logit = logits.first()?;
                1.0 / (1.0 + (-logit / temperature).exp())
            }
            ScoreHead::Softmax { positive, .. } => {
                let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let all: Vec<f32> = logits.iter().map(|logit| (logit - highest).exp()).collect();
                let share: f32 = positive.iter().filter_map(|at| all.get(*at)).sum();
                share / all.iter().sum::<f32>()
            }
        };
        (!score.is_nan()).then_some(score.clamp(0.0, 1.0))
    }
}

fn parse_object(file: &str, text: &str) -> Result<Value, ModelFileError> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| ModelFileError::new(file, error.to_string()))?;
    match value.is_object() {
        true => Ok(value),
        false => Err(ModelFileError::new(file, "it holds no JSON object")),
    }
}

fn calibrated_head(calibration: &Value) -> Result<ScoreHead, ModelFileError> {
    let temperature = match &calibration["calibration"]["temperatureT"] {
        Value::Null => 1.0,
        given => given.as_f64().unwrap_or(f64::NAN),
    };
    if !(temperature.is_finite() && temperature > 0.0) {
        return Err(ModelFileError::new(
            CALIBRATION_FILE,
            "`temperatureT` is not a number above 0",
        ));
    }
    Ok(ScoreHead::Sigmoid { temperature: temperature as f32 })
}

fn head_by_labels(config: &Value) -> Result<ScoreHead, ModelFileError> {
    let names = label_names(config)?;
    if names.len() == 1 {
        return Ok(ScoreHead::Sigmoid { temperature: 1.0 });
    }
    let positive = labels::positive_labels(&names);
    if positive.is_empty() || positive.len() == names.len() {
        let why = format!(
            "it cannot be determined which of its labels means an injection: {}",
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        );
        return Err(ModelFileError::new(CONFIG_FILE, why));
    }
    Ok(ScoreHead::Softmax { positive, labels: names.len() })
}

/// The labels in order. A configuration leaves them out where there are two
/// without names.
fn label_names(config: &Value) -> Result<Vec<String>, ModelFileError> {
    let bad = |why: &str| ModelFileError::new(CONFIG_FILE, why);
    match &config["id2label"] {
        Value::Null => {
            let count = config["num_labels"].as_u64().unwrap_or(2);
            if !(1..=64).contains(&count) {
                return Err(bad("`num_labels` is not 1 to 64"));
            }
            Ok((0..count).map(|at| format!("LABEL_{at}")).collect())
        }
        Value::Object(labels) if (1..=64).contains(&labels.len()) => (0..labels.len())
            .map(|at| {
                let name = labels.get(&at.to_string());
                let name = name.ok_or_else(|| bad("`id2label` does not count from 0"))?;
                Ok(name.as_str().map_or_else(|| name.to_string(), str::to_owned))
            })
            .collect(),
        _ => Err(bad("`id2label` does not name 1 to 64 labels")),
    }
}

fn window_length(
    kind: &str,
    config: &Value,
    tokenizer: Option<&Value>,
) -> Result<usize, ModelFileError> {
    // Those of the RoBERTa family count places from 2.
    let first = if kind.contains("roberta") || kind == "camembert" { 2 } else { 0 };
    let places =
        config["max_position_embeddings"].as_u64().map(|count| count.saturating_sub(first));
    let length = tokenizer.and_then(|tokenizer| tokenizer["model_max_length"].as_u64());
    let length = length.filter(|length| *length < UNSET_LENGTH);
    let least = places.into_iter().chain(length).min().unwrap_or(MAX_WINDOW_TOKENS as u64);
    let window = usize::try_from(least).unwrap_or(MAX_WINDOW_TOKENS).min(MAX_WINDOW_TOKENS);
    match window >= MIN_WINDOW_TOKENS {
        true => Ok(window),
        false => Err(ModelFileError::new(
            CONFIG_FILE,
            format!("it takes {window} tokens, which is too few"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROTECTAI: &str = r#"{"model_type": "deberta-v2", "max_position_embeddings": 512,
        "id2label": {"0": "SAFE", "1": "INJECTION"}}"#;

    fn read(config: &str) -> Result<ModelDescription, String> {
        ModelDescription::read(config, None, None).map_err(|problem| problem.reason)
    }

    #[test]
    fn labels_say_what_is_an_injection() {
        let found = read(PROTECTAI).expect("it is good");
        assert_eq!(found.head, ScoreHead::Softmax { positive: vec![1], labels: 2 });
        assert_eq!((found.window_tokens, found.output_width()), (512, Some(2)));
        let turned = r#"{"id2label": {"0": "INJECTION", "1": "SAFE"}}"#;
        let turned = read(turned).expect("it is good").head;
        assert_eq!(turned, ScoreHead::Softmax { positive: vec![0], labels: 2 });
        let three = r#"{"id2label": {"0": "BENIGN", "1": "INJECTION", "2": "JAILBREAK"}}"#;
        let three = read(three).expect("it is good").head;
        assert_eq!(three, ScoreHead::Softmax { positive: vec![1, 2], labels: 3 });
        assert_eq!(read("{}").expect("two without names").output_width(), Some(2));
        let one = read(r#"{"num_labels": 1}"#).expect("it is good").head;
        assert_eq!(one, ScoreHead::Sigmoid { temperature: 1.0 });
    }

    #[test]
    fn what_cannot_be_told_is_a_problem() {
        for (config, why) in [
            (r#"{"id2label": {"0": "POSITIVE", "1": "NEGATIVE"}}"#, "`POSITIVE`, `NEGATIVE`"),
            (r#"{"id2label": {"1": "SAFE", "2": "INJECTION"}}"#, "count from 0"),
            (r#"{"id2label": {}}"#, "1 to 64"),
            (r#"{"num_labels": 5}"#, "`LABEL_0`"),
            (r#"{"max_position_embeddings": 4}"#, "too few"),
            ("[]", "no JSON object"),
            ("{", "EOF"),
        ] {
            let found = read(config).expect_err(config);
            assert!(found.contains(why), "{config}: {found}");
        }
        let bad = r#"{"calibration": {"temperatureT": 0}}"#;
        let found = ModelDescription::read("{}", None, Some(bad)).expect_err("no temperature");
        assert_eq!(found.file, CALIBRATION_FILE);
    }

    #[test]
    fn the_shortest_length_holds() {
        let of = |config: &str, tokenizer: &str| {
            ModelDescription::read(config, Some(tokenizer), None)
                .expect("they are good")
                .window_tokens
        };
        assert_eq!(of(PROTECTAI, r#"{"model_max_length": 256}"#), 256);
        assert_eq!(of(PROTECTAI, r#"{"model_max_length": 1000000000000000019884624838656}"#), 512);
        let roberta = r#"{"model_type": "xlm-roberta", "max_position_embeddings": 130}"#;
        assert_eq!(of(roberta, "{}"), 128);
        assert_eq!(of(r#"{"max_position_embeddings": 8192}"#, "{}"), MAX_WINDOW_TOKENS);
    }

    #[test]
    fn numbers_become_a_score() {
        let softmax = read(PROTECTAI).expect("it is good");
        let close = |score: Option<f32>, wanted: f32| {
            assert!((score.expect("a score") - wanted).abs() < 1e-3, "{score:?} {wanted}");
        };
        close(softmax.score(&[0.0, 0.0]), 0.5);
        close(softmax.score(&[-4.0, 4.0]), 0.9997);
        close(softmax.score(&[500.0, -500.0]), 0.0);
        assert_eq!(softmax.score(&[f32::NAN, 0.0]), None);
        let calibration = r#"{"calibration": {"temperatureT": 2.0}}"#;
        let sigmoid = ModelDescription::read("{}", None, Some(calibration)).expect("it is good");
        close(sigmoid.score(&[2.0, 99.0]), 0.7311);
        assert_eq!(sigmoid.score(&[]), None);
    }
}
