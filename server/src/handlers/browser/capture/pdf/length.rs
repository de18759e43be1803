//! Lengths on paper.

/// Longest side, in inches: PDF has no longer one.
const MAX_INCHES: f64 = 200.0;

/// Reads `2.5cm`, `1in`, `10mm`, `96px` or `0`, and answers inches.
///
/// # Errors
/// What is wrong, in words.
pub fn parse_inches(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let plain = |c: char| c.is_ascii_digit() || c == '.';
    let number = number.trim_end();
    let value: Option<f64> = number.chars().all(plain).then(|| number.parse().ok()).flatten();
    let value = value.ok_or_else(|| format!("`{text}` is not a length, such as 2cm"))?;
    let in_an_inch = match unit.to_ascii_lowercase().as_str() {
        "in" => 1.0,
        "cm" => 2.54,
        "mm" => 25.4,
        "px" => 96.0,
        "" if value == 0.0 => 1.0,
        "" => return Err(format!("`{text}` has no unit: in, cm, mm or px")),
        _ => return Err(format!("`{unit}` is not a unit: use in, cm, mm or px")),
    };
    let inches = value / in_an_inch;
    if inches > MAX_INCHES {
        return Err(format!("`{text}` is longer than {MAX_INCHES} inches"));
    }
    Ok(inches)
}

#[cfg(test)]
mod tests {
    use super::parse_inches;

    #[test]
    fn units() {
        assert_eq!(parse_inches("1in"), Ok(1.0));
        assert_eq!(parse_inches(" 2.54 CM "), Ok(1.0));
        assert_eq!(parse_inches("25.4mm"), Ok(1.0));
        assert_eq!(parse_inches("48px"), Ok(0.5));
        assert_eq!(parse_inches("0"), Ok(0.0));
    }

    #[test]
    fn what_is_no_length_is_told() {
        for text in
            ["", "1", "-1cm", "1em", "cm", "1cmcm", "1e3mm", "NaN", "inf", "9999in", "1,5cm"]
        {
            assert!(parse_inches(text).is_err(), "{text}");
        }
    }
}
