//! Argv as words and flags.

/// A cursor over argv.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    rest: &'a [String],
    /// Whether `--` was read: all that follows are words.
    words_only: bool,
}

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A word.
    Word(&'a str),
    /// A flag as it is spelled, dashes included, and its value after `=`.
    Flag(&'a str, Option<&'a str>),
}

impl<'a> Tokens<'a> {
    /// Starts at the first word.
    pub fn new(words: &'a [String]) -> Self {
        Self { rest: words, words_only: false }
    }

    /// The next token, without taking it.
    pub fn peek(&self) -> Option<Token<'a>> {
        self.clone().next()
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Option<Token<'a>> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        if !self.words_only && first == "--" {
            self.words_only = true;
            return self.next();
        }
        if self.words_only || !is_flag(first) {
            return Some(Token::Word(first));
        }
        match first.split_once('=') {
            Some((spelling, value)) => Some(Token::Flag(spelling, Some(value))),
            None => Some(Token::Flag(first, None)),
        }
    }

    /// Takes the value of a flag: the next word, unless that is a flag.
    pub fn value(&mut self) -> Option<&'a str> {
        let (first, rest) = self.rest.split_first()?;
        if self.words_only || is_flag(first) || first == "--" {
            return None;
        }
        self.rest = rest;
        Some(first)
    }

    /// Takes everything that is left, as it is.
    pub fn take_all(&mut self) -> Vec<String> {
        std::mem::take(&mut self.rest).to_vec()
    }

    /// The flags that are left, without their values.
    pub fn flags(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut tokens = self.clone();
        std::iter::from_fn(move || tokens.next()).filter_map(|token| match token {
            Token::Flag(spelling, _) => Some(spelling),
            Token::Word(_) => None,
        })
    }
}

/// Whether `word` is a flag: `-` alone is standard input, and `-5` a number.
fn is_flag(word: &str) -> bool {
    let Some(rest) = word.strip_prefix('-') else {
        return false;
    };
    let number = rest.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit());
    !rest.is_empty() && !number && word != "--"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_end_at_two_dashes_and_numbers_are_words() {
        let words = ["-i", "--depth=3", "-5", "-", "-.5", "--", "--x"].map(str::to_owned);
        let mut tokens = Tokens::new(&words);
        let all: Vec<_> = std::iter::from_fn(|| tokens.next()).collect();
        assert_eq!(
            all,
            [
                Token::Flag("-i", None),
                Token::Flag("--depth", Some("3")),
                Token::Word("-5"),
                Token::Word("-"),
                Token::Word("-.5"),
                Token::Word("--x"),
            ]
        );
    }
}
