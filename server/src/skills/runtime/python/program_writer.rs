//! A recorded skill in Python.

use std::fmt::Write as _;

use browse_proto::{FieldType, v1::SkillLanguage};

use crate::skills::program::{
    ArgValue, PlannedCall, PlannedOutput, ProgramPlan, ProgramWriter, ResultShape, SkillFile,
    TextPiece, empty_result_message, literal, split_arguments,
};

/// Words of the language that are names of commands or fields.
const KEYWORDS: &[&str] = &["assert", "from", "in", "is", "pass", "with"];

/// Writes Python.
pub struct PythonWriter;

impl ProgramWriter for PythonWriter {
    fn language(&self) -> SkillLanguage {
        SkillLanguage::Py
    }

    fn language_name(&self) -> &'static str {
        "Python"
    }

    fn files(&self, _: &str, plan: &ProgramPlan, fixture: &str) -> Vec<SkillFile> {
        vec![
            ("script.py".to_owned(), script(plan)),
            ("test_script.py".to_owned(), test(plan, fixture)),
        ]
    }
}

fn script(plan: &ProgramPlan) -> String {
    let uses = |wanted: fn(&TextPiece) -> bool| {
        plan.calls.iter().flat_map(|call| &call.fields).any(|(_, given)| match given {
            ArgValue::Text(pieces) => pieces.iter().any(wanted),
            ArgValue::Texts(texts) => texts.iter().flatten().any(wanted),
            ArgValue::Scalar(_) => false,
        })
    };
    let mut imports = String::new();
    if uses(|piece| matches!(piece, TextPiece::Quoted(_))) {
        imports.push_str("import json\n");
    }
    if uses(|piece| matches!(piece, TextPiece::Encoded(_))) {
        imports.push_str("from urllib.parse import quote\n");
    }
    if !imports.is_empty() {
        imports.push('\n');
    }
    let mut out = format!(
        "\"\"\"What the recording did, step by step.\"\"\"\n\n{imports}from _lib.browse_sdk import skill\n\n\ndef check(result):\n    \"\"\"Refuses a result that lacks what the recorded one had.\"\"\"\n"
    );
    for (place, output) in checked_results(plan) {
        out.push_str(&condition(&place, output));
    }
    out.push_str("\n\n@skill\ndef flow(args, browse):\n");
    let alone = plan.outputs().count() == 1;
    for call in &plan.calls {
        let code = statement(call);
        let _ = match &call.result {
            Some(_) if alone => writeln!(out, "    result = {}", to_plain_data(call, &code)),
            Some(output) => {
                writeln!(out, "    {} = {}", variable(output), to_plain_data(call, &code))
            }
            None => writeln!(out, "    {code}"),
        };
    }
    let names: Vec<_> = plan.outputs().map(|(_, output)| variable(output)).collect();
    if names.len() > 1 {
        let pairs: Vec<_> = names.iter().map(|name| format!("\"{name}\": {name}")).collect();
        let _ = writeln!(out, "    result = {{{}}}", pairs.join(", "));
    }
    let _ = write!(out, "    check(result)\n    return result\n");
    out
}

/// The answer as plain data.
fn to_plain_data(call: &PlannedCall, code: &str) -> String {
    let field = call.command.result.map(|index| &call.command.response.fields[index]);
    match field {
        None => format!("{code}.to_dict()"),
        Some(field) if matches!(field.kind, FieldType::Message(_)) && field.repeated => {
            format!("[record.to_dict() for record in {code}]")
        }
        Some(field) if matches!(field.kind, FieldType::Message(_)) => format!("{code}.to_dict()"),
        Some(_) => code.to_owned(),
    }
}

fn checked_results(plan: &ProgramPlan) -> Vec<(String, &PlannedOutput)> {
    let outputs: Vec<_> = plan.outputs().map(|(_, output)| output).collect();
    let alone = outputs.len() == 1;
    let place = |output: &PlannedOutput| match alone {
        true => "result".to_owned(),
        false => format!("result[\"{}\"]", variable(output)),
    };
    outputs.into_iter().map(|output| (place(output), output)).collect()
}

fn condition(place: &str, output: &PlannedOutput) -> String {
    let filled = |keys: &[String]| {
        let keys: Vec<_> = keys.iter().map(|key| literal::python(key)).collect();
        format!("[{}]", keys.join(", "))
    };
    let condition = match &output.shape {
        ResultShape::Text => format!("not {place}.strip()"),
        ResultShape::Scalar => format!("{place} is None"),
        ResultShape::Records(keys) if keys.is_empty() => format!("not {place}"),
        ResultShape::Records(keys) => format!(
            "not all(any(record.get(key) for record in {place}) for key in {})",
            filled(keys)
        ),
        ResultShape::Record(keys) => {
            format!("not all({place}.get(key) for key in {})", filled(keys))
        }
    };
    format!(
        "    if {condition}:\n        raise ValueError({})\n",
        literal::python(&empty_result_message(output))
    )
}

fn variable(output: &PlannedOutput) -> String {
    match output.name.as_str() {
        "is" => "state".to_owned(),
        name => name.to_owned(),
    }
}

fn identifier(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

fn statement(call: &PlannedCall) -> String {
    let (positional, named) = split_arguments(call);
    let mut words: Vec<_> = positional.iter().map(|(_, given)| value(given)).collect();
    words.extend(
        named.iter().map(|(field, given)| format!("{}={}", identifier(field.name), value(given))),
    );
    let function = call.command.function;
    let noun = ["get_", "list_"].into_iter().find_map(|verb| function.strip_prefix(verb));
    format!("browse.{}({})", identifier(noun.unwrap_or(function)), words.join(", "))
}

fn value(given: &ArgValue) -> String {
    match given {
        ArgValue::Text(pieces) => text(pieces),
        ArgValue::Texts(texts) => {
            format!("[{}]", texts.iter().map(|pieces| text(pieces)).collect::<Vec<_>>().join(", "))
        }
        ArgValue::Scalar(serde_json::Value::Bool(value)) => {
            if *value { "True" } else { "False" }.to_owned()
        }
        ArgValue::Scalar(value) => value.to_string(),
    }
}

fn text(pieces: &[TextPiece]) -> String {
    let part = |piece: &TextPiece| match piece {
        TextPiece::Literal(text) => literal::python(text),
        TextPiece::Argument(name) => format!("args[\"{name}\"]"),
        TextPiece::Encoded(name) => format!("quote(args[\"{name}\"], safe=\"\")"),
        TextPiece::Quoted(name) => format!("json.dumps(args[\"{name}\"], ensure_ascii=False)"),
    };
    pieces.iter().map(part).collect::<Vec<_>>().join(" + ")
}

fn test(plan: &ProgramPlan, fixture: &str) -> String {
    let mut out = format!(
        "import json\nimport unittest\n\nfrom script import check\n\n\ndef recorded():\n    with open(\"{fixture}\", encoding=\"utf-8\") as file:\n        return json.load(file)[\"result\"]\n\n\nclass Script(unittest.TestCase):\n    def test_the_recorded_result_has_all_that_is_asked_of_it(self):\n        check(recorded())\n\n    def test_a_result_without_its_key_facts_is_refused(self):\n"
    );
    for broken in broken_results(plan) {
        let _ = write!(
            out,
            "        with self.assertRaises(ValueError):\n            check({broken})\n"
        );
    }
    out.push_str("\n\nif __name__ == \"__main__\":\n    unittest.main()\n");
    out
}

fn broken_results(plan: &ProgramPlan) -> Vec<String> {
    let alone = plan.outputs().count() == 1;
    let empty = |output: &PlannedOutput| match output.shape {
        ResultShape::Text => "\"\"",
        ResultShape::Scalar => "None",
        ResultShape::Records(_) => "[]",
        ResultShape::Record(_) => "{}",
    };
    let of = |output: &PlannedOutput| match alone {
        true => empty(output).to_owned(),
        false => format!("{{**recorded(), \"{}\": {}}}", variable(output), empty(output)),
    };
    let mut breaks: Vec<_> = plan.outputs().map(|(_, output)| of(output)).collect();
    for (_, output) in plan.outputs().filter(|_| alone) {
        match &output.shape {
            ResultShape::Records(keys) => breaks.extend(keys.iter().map(|key| {
                format!("[{{**record, {}: \"\"}} for record in recorded()]", literal::python(key))
            })),
            ResultShape::Record(keys) => {
                breaks.extend(
                    keys.iter()
                        .map(|key| format!("{{**recorded(), {}: \"\"}}", literal::python(key))),
                );
            }
            ResultShape::Text | ResultShape::Scalar => {}
        }
    }
    breaks
}
