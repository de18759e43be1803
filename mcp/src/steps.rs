//! The steps of `act`: words of the command line, as a list or as one line.

use browse_cli::Failure;
use browse_proto::Reason;
use serde_json::Value;

/// The most steps that one call takes.
const MAX_STEPS: usize = 100;

/// Reads the steps of a call.
///
/// # Errors
/// A step is not a list of words or a line, or there are none or too many.
pub fn read(steps: &Value) -> Result<Vec<Vec<String>>, Failure> {
    let Value::Array(steps) = steps else {
        return Err(invalid(
            "`steps` is a list, such as [[\"fill\", \"@e4\", \"Ada\"]]".to_owned(),
        ));
    };
    if steps.is_empty() || steps.len() > MAX_STEPS {
        return Err(invalid(format!("`steps` has 1 to {MAX_STEPS} steps, not {}", steps.len())));
    }
    steps.iter().enumerate().map(|(index, step)| words(index + 1, step)).collect()
}

/// The words of `value`: a list of them, or a line to be split as a shell does.
///
/// # Errors
/// It is neither.
pub fn words(number: usize, value: &Value) -> Result<Vec<String>, Failure> {
    let malformed = || {
        let message = format!("step {number} is neither a list of words nor a line");
        invalid(message).with_value("step", number)
    };
    let words: Vec<String> = match value {
        Value::String(line) => split(line).ok_or_else(|| {
            invalid(format!("step {number}: a quote is not closed")).with_value("step", number)
        })?,
        Value::Array(words) => {
            let word = |word: &Value| match word {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                Value::Bool(value) => Some(value.to_string()),
                _ => None,
            };
            words.iter().map(word).collect::<Option<_>>().ok_or_else(malformed)?
        }
        _ => return Err(malformed()),
    };
    // Models tend to write the program's name as well.
    let words = match words.first().map(String::as_str) {
        Some("browse") => words[1..].to_vec(),
        _ => words,
    };
    if words.is_empty() { Err(malformed()) } else { Ok(words) }
}

/// Splits a line as a shell does, without comments: `#id` is a selector.
fn split(line: &str) -> Option<Vec<String>> {
    let mut text = String::with_capacity(line.len() + 4);
    let (mut quote, mut is_escaped, mut begins_word) = (None, false, true);
    for character in line.chars() {
        let is_plain = quote.is_none() && !is_escaped;
        if is_plain && begins_word && character == '#' {
            text.push('\\');
        }
        match (quote, character) {
            (None, '"' | '\'') if !is_escaped => quote = Some(character),
            (Some(open), _) if open == character && !is_escaped => quote = None,
            _ => {}
        }
        is_escaped = !is_escaped && character == '\\' && quote != Some('\'');
        begins_word = is_plain && character.is_ascii_whitespace();
        text.push(character);
    }
    shlex::split(&text)
}

fn invalid(message: String) -> Failure {
    Failure::new(Reason::BatchInvalid, message)
        .with_hint("Write each step as a list of words: [\"click\", \"@e3\"]")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn lists_and_lines_are_the_same_steps() {
        let lists = read(&json!([["fill", "@e4", "Ada Lovelace"], ["click", "@e5"]])).unwrap();
        let lines = read(&json!(["browse fill @e4 'Ada Lovelace'", "click @e5"])).unwrap();
        assert_eq!(lists, lines);
        assert_eq!(read(&json!([["scroll", "down", "--by", 400]])).unwrap()[0][3], "400");
    }

    #[test]
    fn what_is_no_step_names_its_number() {
        for bad in [json!(3), json!([]), json!([["a"], {"b": 1}]), json!(["fill 'x"]), json!([[]])]
        {
            assert!(read(&bad).is_err(), "{bad}");
        }
        let failure = read(&json!([["click", "@e1"], []])).unwrap_err();
        assert!(failure.message.contains("step 2"), "{}", failure.message);
    }
}
