//! Which steps of a trace a skill is made from: numbers and ranges, such as `2-9,12`.

use std::{ops::RangeInclusive, str::FromStr};

use browse_proto::Reason;

use browse_base::{Error, Result};

/// Ranges of numbers, with both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRanges(Vec<RangeInclusive<u32>>);

impl FromStr for StepRanges {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        text.split(',').map(str::trim).map(parse_range).collect::<Result<_>>().map(Self)
    }
}

impl StepRanges {
    /// Whether the step is one of them.
    pub fn contains(&self, number: u32) -> bool {
        self.0.iter().any(|range| range.contains(&number))
    }

    /// Refuses ends of ranges that are not steps of the trace, which has `numbers`.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`.
    pub fn check(&self, trace: u64, numbers: &[u32]) -> Result<()> {
        let mut ends = self.0.iter().flat_map(|range| [*range.start(), *range.end()]);
        let Some(missing) = ends.find(|end| !numbers.contains(end)) else { return Ok(()) };
        let steps = match (numbers.first(), numbers.last()) {
            (Some(first), Some(last)) => format!("which has steps {first} to {last}"),
            _ => "which has no steps".to_owned(),
        };
        Err(invalid(format!("`--steps`: step {missing} is not in trace {trace}, {steps}")))
    }
}

fn parse_range(part: &str) -> Result<RangeInclusive<u32>> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    match (parse_number(first), parse_number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err(invalid(format!(
            "`--steps`: `{part}` is neither a step nor a range of steps, such as `2-9,12`"
        ))),
    }
}

/// A number of a step, which are counted from 1.
fn parse_number(text: &str) -> Option<u32> {
    let text = text.trim();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse::<u32>().ok().filter(|number| is_plain && *number > 0)
}

fn invalid(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "skill record save")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_choose_steps() {
        for (text, chosen) in [
            ("3", vec![3]),
            ("2-4", vec![2, 3, 4]),
            ("1,3-4", vec![1, 3, 4]),
            (" 2 - 3 , 5 ", vec![2, 3, 5]),
            ("4,1-2,2", vec![1, 2, 4]),
            ("5-5", vec![5]),
        ] {
            let ranges: StepRanges = text.parse().expect("it is well formed");
            let found: Vec<_> = (1..=6).filter(|number| ranges.contains(*number)).collect();
            assert_eq!(found, chosen, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_range_is_refused_by_name() {
        for (text, part) in [
            ("", ""),
            ("2,", ""),
            ("0", "0"),
            ("0-3", "0-3"),
            ("5-3", "5-3"),
            ("1-", "1-"),
            ("-4", "-4"),
            ("1-2-3", "1-2-3"),
            ("+4", "+4"),
            ("2,x", "x"),
            ("4294967296", "4294967296"),
        ] {
            let error = text.parse::<StepRanges>().expect_err("it is not well formed");
            assert_eq!(error.reason(), Reason::ArgumentInvalid);
            assert!(error.to_string().contains(&format!("`{part}`")), "{text}: {error}");
        }
    }

    #[test]
    fn steps_that_are_not_there_are_refused_by_number() {
        let ranges: StepRanges = "2-3,7".parse().expect("it is well formed");
        assert!(ranges.check(1, &[1, 2, 3, 5, 7]).is_ok());
        for (numbers, part) in [
            (&[1, 2, 3][..], "step 7 is not in trace 4, which has steps 1 to 3"),
            (&[3, 7][..], "step 2 is not"),
            (&[][..], "step 2 is not in trace 4, which has no steps"),
        ] {
            let error = ranges.check(4, numbers).expect_err("one is not there");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
