//! A recorded skill in TypeScript.

use std::fmt::Write as _;

use super::super::inputs::Piece;
use super::super::plan::{Call, Given, Output, Plan};
use super::super::shape::Shape;
use super::{File, arguments, bare, camel, complaint, literal};

pub fn files(plan: &Plan, fixture: &str) -> Vec<File> {
    let file = |name: &str, text: String| (name.to_owned(), text);
    vec![
        file("script.ts", script()),
        file("flow.ts", flow(plan)),
        file("script.test.ts", test(plan, fixture)),
    ]
}

fn script() -> String {
    "import { skill } from './_lib/browse.ts';\nimport { flow } from './flow.ts';\n\nawait skill(flow);\n"
        .to_owned()
}

fn flow(plan: &Plan) -> String {
    let args = if plan.inputs.all.is_empty() { "_args" } else { "args" };
    let mut out = format!(
        "// What the recording did, step by step.\n\nimport type {{ Arguments, Browse }} from './_lib/browse.ts';\n\nexport async function flow({args}: Arguments, browse: Browse): Promise<unknown> {{\n"
    );
    let alone = plan.outputs().count() == 1;
    for call in &plan.calls {
        let code = statement(call);
        let _ = match &call.result {
            Some(_) if alone => writeln!(out, "  const result = await {code};"),
            Some(output) => writeln!(out, "  const {} = await {code};", variable(output)),
            None => writeln!(out, "  await {code};"),
        };
    }
    let names: Vec<_> = plan.outputs().map(|(_, output)| variable(output)).collect();
    if names.len() > 1 {
        let _ = writeln!(out, "  const result = {{ {} }};", names.join(", "));
    }
    let _ = write!(
        out,
        "  check(result);\n  return result;\n}}\n\n/** Refuses a result that lacks what the recorded one had. */\nexport function check(result: any): void {{\n"
    );
    for (place, output) in places(plan) {
        out.push_str(&condition(&place, output));
    }
    out.push_str("}\n");
    out
}

/// The parts of the result that are checked.
fn places(plan: &Plan) -> Vec<(String, &Output)> {
    let outputs: Vec<_> = plan.outputs().map(|(_, output)| output).collect();
    let alone = outputs.len() == 1;
    let place = |output: &Output| match alone {
        true => "result".to_owned(),
        false => format!("result.{}", variable(output)),
    };
    outputs.into_iter().map(|output| (place(output), output)).collect()
}

fn condition(place: &str, output: &Output) -> String {
    let filled = |keys: &[String]| {
        let keys: Vec<_> = keys.iter().map(|key| literal::typescript(&camel(key))).collect();
        format!("[{}]", keys.join(", "))
    };
    let condition = match &output.shape {
        Shape::Text => format!("!{place}?.trim()"),
        Shape::Scalar => format!("{place} === null || {place} === undefined"),
        Shape::Records(keys) if keys.is_empty() => format!("!{place}?.length"),
        Shape::Records(keys) => {
            format!("!{}.every((key) => {place}?.some((record: any) => record[key]))", filled(keys))
        }
        Shape::Record(keys) => format!("!{}.every((key) => {place}?.[key])", filled(keys)),
    };
    format!("  if ({condition}) throw new Error({});\n", literal::typescript(&complaint(output)))
}

/// `result` and `args` are ours.
fn variable(output: &Output) -> String {
    match output.name.as_str() {
        "is" => "state".to_owned(),
        name => camel(name),
    }
}

fn statement(call: &Call) -> String {
    let (positional, named) = arguments(call);
    let mut words: Vec<_> = positional.iter().map(|(_, given)| value(given)).collect();
    if !named.is_empty() {
        let options: Vec<_> = named
            .iter()
            .map(|(field, given)| format!("{}: {}", camel(field.name), value(given)))
            .collect();
        words.push(format!("{{ {} }}", options.join(", ")));
    }
    let name = bare(call.command);
    let (first, rest) = name.split_at(1);
    format!("browse.{}{rest}({})", first.to_lowercase(), words.join(", "))
}

fn value(given: &Given) -> String {
    match given {
        Given::Text(pieces) => text(pieces),
        Given::Texts(texts) => {
            format!("[{}]", texts.iter().map(|pieces| text(pieces)).collect::<Vec<_>>().join(", "))
        }
        Given::Plain(value) => value.to_string(),
    }
}

fn text(pieces: &[Piece]) -> String {
    let part = |piece: &Piece| match piece {
        Piece::Literal(text) => literal::typescript(text),
        Piece::Argument(name) => argument(name),
        Piece::Encoded(name) => format!("encodeURIComponent({})", argument(name)),
        Piece::Quoted(name) => format!("JSON.stringify({})", argument(name)),
    };
    pieces.iter().map(part).collect::<Vec<_>>().join(" + ")
}

/// Names of arguments are checked words, but may hold dashes.
fn argument(name: &str) -> String {
    if name.contains('-') { format!("args['{name}']") } else { format!("args.{name}") }
}

fn test(plan: &Plan, fixture: &str) -> String {
    let mut out = format!(
        "import assert from 'node:assert/strict';\nimport {{ readFileSync }} from 'node:fs';\nimport {{ test }} from 'node:test';\nimport {{ check }} from './flow.ts';\n\nconst recorded = () => JSON.parse(readFileSync('{fixture}', 'utf8')).result;\n\ntest('the recorded result has all that is asked of it', () => {{\n  check(recorded());\n}});\n\ntest('a result without its key facts is refused', () => {{\n"
    );
    for broken in breaks(plan) {
        let _ = writeln!(out, "  assert.throws(() => check({broken}));");
    }
    out.push_str("});\n");
    out
}

/// Results that lack something.
fn breaks(plan: &Plan) -> Vec<String> {
    let alone = plan.outputs().count() == 1;
    let empty = |output: &Output| match output.shape {
        Shape::Text => "''",
        Shape::Scalar => "null",
        Shape::Records(_) => "[]",
        Shape::Record(_) => "{}",
    };
    let of = |output: &Output| match alone {
        true => empty(output).to_owned(),
        false => format!("{{ ...recorded(), {}: {} }}", variable(output), empty(output)),
    };
    let mut breaks: Vec<_> = plan.outputs().map(|(_, output)| of(output)).collect();
    for (_, output) in plan.outputs().filter(|_| alone) {
        match &output.shape {
            Shape::Records(keys) => breaks.extend(keys.iter().map(|key| {
                format!("recorded().map((record: any) => ({{ ...record, {}: '' }}))", camel(key))
            })),
            Shape::Record(keys) => {
                breaks.extend(
                    keys.iter().map(|key| format!("{{ ...recorded(), {}: '' }}", camel(key))),
                );
            }
            Shape::Text | Shape::Scalar => {}
        }
    }
    breaks
}
