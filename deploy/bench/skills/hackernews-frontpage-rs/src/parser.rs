//! Reads the stories out of the HTML of the front page, as the bundled skill does.

const SITE: &str = "https://news.ycombinator.com/";

/// A story of the front page.
#[derive(Debug, PartialEq)]
pub struct Story {
    pub rank: u32,
    pub id: String,
    pub title: String,
    pub url: String,
    /// `None` for a job posting.
    pub points: Option<u32>,
    /// `None` for a job posting.
    pub comments: Option<u32>,
}

/// The stories of a page, in its order.
pub fn parse(html: &str) -> Vec<Story> {
    let rows = Tags::new(html, "tr").filter(|tag| !tag.closes && has_class(tag.text, "athing"));
    let rows: Vec<_> = rows.collect();
    let ends = rows.iter().skip(1).map(|row| row.start).chain([html.len()]);
    let blocks = rows.iter().zip(ends).map(|(row, end)| (row, &html[row.end..end]));
    let story =
        |(row, block): (&Tag, &str)| story(attribute(row.text, "id").unwrap_or_default(), block);
    blocks.filter_map(story).collect()
}

/// Reads a story; none for a row that is none, such as one that was hidden.
fn story(id: String, block: &str) -> Option<Story> {
    let rank = leading_number(&text_of(span(block, "rank").unwrap_or_default()))?;
    let (link, title) = links(span(block, "titleline")?).next()?;
    if id.is_empty() {
        return None;
    }
    let score = span(block, "score");
    Some(Story {
        rank,
        title: text_of(title),
        url: absolute(&attribute(link, "href").unwrap_or_default()),
        points: score.and_then(|score| leading_number(&text_of(score))),
        comments: score.map(|_| comments(block, &id)),
        id,
    })
}

/// The number in `43 comments`; a link that says `discuss` is 0.
fn comments(block: &str, id: &str) -> u32 {
    let wanted = format!("item?id={id}");
    let of_story = links(block).filter(|(tag, _)| attribute(tag, "href").as_ref() == Some(&wanted));
    let mut counts = of_story.filter_map(|(_, inner)| {
        let text = text_of(inner);
        let number = text.strip_suffix(" comments").or(text.strip_suffix(" comment"))?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok())?
    });
    counts.next().unwrap_or(0)
}

fn leading_number(text: &str) -> Option<u32> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok()
}

/// The address as the page writes it, made whole.
fn absolute(href: &str) -> String {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b))
    };
    match href.split_once(':') {
        Some((scheme, _)) if is_scheme(scheme) => href.to_owned(),
        _ if href.starts_with("//") => format!("https:{href}"),
        _ => format!("{SITE}{}", href.strip_prefix('/').unwrap_or(href)),
    }
}

// === HTML ===

struct Tag<'a> {
    text: &'a str,
    closes: bool,
    start: usize,
    end: usize,
}

/// The tags of one element.
struct Tags<'a> {
    html: &'a str,
    name: &'a str,
    at: usize,
}

impl<'a> Tags<'a> {
    fn new(html: &'a str, name: &'a str) -> Self {
        Self { html, name, at: 0 }
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            let start = self.at + self.html[self.at..].find('<')?;
            self.at = start + 1;
            let rest = &self.html[self.at..];
            let inner = rest.strip_prefix('/').unwrap_or(rest);
            let Some(name) = inner.get(..self.name.len()) else { continue };
            let next = inner.as_bytes().get(self.name.len());
            let ends = next.is_some_and(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
            if !ends || !name.eq_ignore_ascii_case(self.name) {
                continue;
            }
            let end = self.at + rest.find('>')? + 1;
            self.at = end;
            return Some(Tag {
                text: &self.html[start..end],
                closes: inner.len() < rest.len(),
                start,
                end,
            });
        }
    }
}

/// What stands between the tags of the first span of this class.
fn span<'a>(html: &'a str, name: &str) -> Option<&'a str> {
    let (mut start, mut depth) = (None, 0);
    for tag in Tags::new(html, "span") {
        match start {
            None if !tag.closes && has_class(tag.text, name) => start = Some(tag.end),
            None => {}
            Some(_) if !tag.closes => depth += 1,
            Some(_) if depth > 0 => depth -= 1,
            Some(from) => return Some(&html[from..tag.start]),
        }
    }
    None
}

/// The links: the opening tag and what stands in it.
fn links(html: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut tags = Tags::new(html, "a");
    std::iter::from_fn(move || {
        let open = tags.by_ref().find(|tag| !tag.closes)?;
        let close = tags.by_ref().find(|tag| tag.closes)?;
        Some((open.text, &html[open.end..close.start]))
    })
}

fn has_class(tag: &str, name: &str) -> bool {
    let class = attribute(tag, "class").unwrap_or_default();
    class.split(is_blank).any(|one| one == name)
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\u{c}' | '\r')
}

/// The value of an attribute, whatever its quotes and its place.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let is_name = |c: char| !is_blank(c) && !"\"'<>/=".contains(c);
    let mut rest = tag;
    loop {
        rest = rest.trim_start_matches(|c: char| !is_name(c));
        if rest.is_empty() {
            return None;
        }
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let found = &rest[..length];
        rest = &rest[length..];
        let Some(value) = rest.trim_start_matches(is_blank).strip_prefix('=') else { continue };
        let value = value.trim_start_matches(is_blank);
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => {
                let Some(value) = value[1..].split_once(quote) else { continue };
                value
            }
            None => {
                let ends = |c: char| is_blank(c) || "\"'>".contains(c);
                value.split_at(value.find(ends).unwrap_or(value.len()))
            }
        };
        rest = after;
        if found.eq_ignore_ascii_case(name) {
            return Some(decode_entities(value));
        }
    }
}

/// The text of some HTML: without tags, entities decoded, blanks folded.
fn text_of(html: &str) -> String {
    let mut plain = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        plain.push_str(&rest[..at]);
        match rest[at..].find('>') {
            Some(end) => rest = &rest[at + end + 1..],
            None => break,
        }
    }
    let plain = decode_entities(&(plain + rest));
    let words = plain.split(|c| is_blank(c) || c == '\u{a0}').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

fn decode_entities(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest[1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '#');
        let name = end.filter(|end| rest[end + 1..].starts_with(';')).map(|end| &rest[1..end + 1]);
        match name.and_then(decoded) {
            Some(letter) => {
                out.push(letter);
                rest = &rest[name.map_or(0, str::len) + 2..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn decoded(name: &str) -> Option<char> {
    let number = name.strip_prefix('#');
    let Some(number) = number else {
        let known = [
            ("amp", '&'),
            ("lt", '<'),
            ("gt", '>'),
            ("quot", '"'),
            ("apos", '\''),
            ("nbsp", '\u{a0}'),
        ];
        return known.iter().find(|(known, _)| *known == name).map(|(_, letter)| *letter);
    };
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(hex) => (hex, 16),
        None => (number, 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let code = u32::from_str_radix(digits, radix).unwrap_or(u32::MAX);
    Some(char::from_u32(code).filter(|c| *c != '\0').unwrap_or('\u{fffd}'))
}
