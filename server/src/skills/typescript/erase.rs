//! The entry: source in, JavaScript or the reason why not out.

use oxc_allocator::Allocator;
use oxc_ast_visit::Visit as _;
use oxc_parser::Parser;
use oxc_span::SourceType;

use super::{eraser::Eraser, source_buffer::SourceBuffer};

/// A construct that cannot be blanked out, or no TypeScript at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct Untranslatable {
    /// The 1-based line.
    pub line: usize,
    /// What is there.
    pub problem: String,
}

/// `source` without its types. Imports of `./x.ts` become `./x.js`, which is
/// where the translation of a neighbour lies.
///
/// # Errors
/// The first place that cannot be translated.
pub fn erase(source: &str) -> Result<String, Untranslatable> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, SourceType::ts()).parse();
    let text = SourceBuffer::new(source);
    if let Some(error) = parsed.diagnostics.first() {
        let offset = error.labels.first().map_or(0, |label| label.offset());
        return Err(Untranslatable { line: text.line(offset), problem: error.message.to_string() });
    }
    let mut eraser = Eraser::new(text);
    eraser.visit_program(&parsed.program);
    let bytes = eraser.finish()?;
    Ok(String::from_utf8(bytes).expect("whole characters are blanked"))
}
