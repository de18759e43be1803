//! A recorded skill in TypeScript.

use std::fmt::Write as _;

use browse_proto::v1::SkillLanguage;

use crate::skills::program::{
    ArgValue, PlannedCall, PlannedOutput, ProgramPlan, ProgramWriter, ResultShape, SkillFile,
    TextPiece, camel, empty_result_message, literal, rpc_noun, split_arguments,
};

/// Writes TypeScript.
pub struct TypeScriptWriter;

impl ProgramWriter for TypeScriptWriter {
    fn language(&self) -> SkillLanguage {
        SkillLanguage::Ts
    }

    fn language_name(&self) -> &'static str {
        "TypeScript"
    }

    fn camel_case(&self) -> bool {
        true
    }

    fn files(&self, _: &str, plan: &ProgramPlan, fixture: &str) -> Vec<SkillFile> {
        let file = |name: &str, text: String| (name.to_owned(), text);
        vec![
            file("script.ts", script()),
            file("flow.ts", flow(plan)),
            file("script.test.ts", test(plan, fixture)),
        ]
    }
}

fn script() -> String {
    "import { skill } from './_lib/browse.ts';\nimport { flow } from './flow.ts';\n\nawait skill(flow);\n"
        .to_owned()
}

fn flow(plan: &ProgramPlan) -> String {
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
    for (place, output) in checked_results(plan) {
        out.push_str(&condition(&place, output));
    }
    out.push_str("}\n");
    out
}

/// The parts of the result that are checked.
fn checked_results(plan: &ProgramPlan) -> Vec<(String, &PlannedOutput)> {
    let outputs: Vec<_> = plan.outputs().map(|(_, output)| output).collect();
    let alone = outputs.len() == 1;
    let place = |output: &PlannedOutput| match alone {
        true => "result".to_owned(),
        false => format!("result.{}", variable(output)),
    };
    outputs.into_iter().map(|output| (place(output), output)).collect()
}

fn condition(place: &str, output: &PlannedOutput) -> String {
    let filled = |keys: &[String]| {
        let keys: Vec<_> = keys.iter().map(|key| literal::typescript(&camel(key))).collect();
        format!("[{}]", keys.join(", "))
    };
    let condition = match &output.shape {
        ResultShape::Text => format!("!{place}?.trim()"),
        ResultShape::Scalar => format!("{place} === null || {place} === undefined"),
        ResultShape::Records(keys) if keys.is_empty() => format!("!{place}?.length"),
        ResultShape::Records(keys) => {
            format!("!{}.every((key) => {place}?.some((record: any) => record[key]))", filled(keys))
        }
        ResultShape::Record(keys) => format!("!{}.every((key) => {place}?.[key])", filled(keys)),
    };
    format!(
        "  if ({condition}) throw new Error({});\n",
        literal::typescript(&empty_result_message(output))
    )
}

/// `result` and `args` are ours.
fn variable(output: &PlannedOutput) -> String {
    match output.name.as_str() {
        "is" => "state".to_owned(),
        name => camel(name),
    }
}

fn statement(call: &PlannedCall) -> String {
    let (positional, named) = split_arguments(call);
    let mut words: Vec<_> = positional.iter().map(|(_, given)| value(given)).collect();
    if !named.is_empty() {
        let options: Vec<_> = named
            .iter()
            .map(|(field, given)| format!("{}: {}", camel(field.name), value(given)))
            .collect();
        words.push(format!("{{ {} }}", options.join(", ")));
    }
    let name = rpc_noun(call.command);
    let (first, rest) = name.split_at(1);
    format!("browse.{}{rest}({})", first.to_lowercase(), words.join(", "))
}

fn value(given: &ArgValue) -> String {
    match given {
        ArgValue::Text(pieces) => text(pieces),
        ArgValue::Texts(texts) => {
            format!("[{}]", texts.iter().map(|pieces| text(pieces)).collect::<Vec<_>>().join(", "))
        }
        ArgValue::Scalar(value) => value.to_string(),
    }
}

fn text(pieces: &[TextPiece]) -> String {
    let part = |piece: &TextPiece| match piece {
        TextPiece::Literal(text) => literal::typescript(text),
        TextPiece::Argument(name) => argument(name),
        TextPiece::Encoded(name) => format!("encodeURIComponent({})", argument(name)),
        TextPiece::Quoted(name) => format!("JSON.stringify({})", argument(name)),
    };
    pieces.iter().map(part).collect::<Vec<_>>().join(" + ")
}

/// Names of arguments are checked words, but may hold dashes.
fn argument(name: &str) -> String {
    if name.contains('-') { format!("args['{name}']") } else { format!("args.{name}") }
}

fn test(plan: &ProgramPlan, fixture: &str) -> String {
    let mut out = format!(
        "import assert from 'node:assert/strict';\nimport {{ readFileSync }} from 'node:fs';\nimport {{ test }} from 'node:test';\nimport {{ check }} from './flow.ts';\n\nconst recorded = () => JSON.parse(readFileSync('{fixture}', 'utf8')).result;\n\ntest('the recorded result has all that is asked of it', () => {{\n  check(recorded());\n}});\n\ntest('a result without its key facts is refused', () => {{\n"
    );
    for broken in broken_results(plan) {
        let _ = writeln!(out, "  assert.throws(() => check({broken}));");
    }
    out.push_str("});\n");
    out
}

/// Results that lack something.
fn broken_results(plan: &ProgramPlan) -> Vec<String> {
    let alone = plan.outputs().count() == 1;
    let empty = |output: &PlannedOutput| match output.shape {
        ResultShape::Text => "''",
        ResultShape::Scalar => "null",
        ResultShape::Records(_) => "[]",
        ResultShape::Record(_) => "{}",
    };
    let of = |output: &PlannedOutput| match alone {
        true => empty(output).to_owned(),
        false => format!("{{ ...recorded(), {}: {} }}", variable(output), empty(output)),
    };
    let mut breaks: Vec<_> = plan.outputs().map(|(_, output)| of(output)).collect();
    for (_, output) in plan.outputs().filter(|_| alone) {
        match &output.shape {
            ResultShape::Records(keys) => breaks.extend(keys.iter().map(|key| {
                format!("recorded().map((record: any) => ({{ ...record, {}: '' }}))", camel(key))
            })),
            ResultShape::Record(keys) => {
                breaks.extend(
                    keys.iter().map(|key| format!("{{ ...recorded(), {}: '' }}", camel(key))),
                );
            }
            ResultShape::Text | ResultShape::Scalar => {}
        }
    }
    breaks
}
