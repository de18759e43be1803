//! A recorded skill in Python.

use std::fmt::Write as _;

use browse_proto::Kind;

use super::super::inputs::Piece;
use super::super::plan::{Call, Given, Output, Plan};
use super::super::shape::Shape;
use super::{File, arguments, complaint, literal};

/// Words of the language that are names of commands or fields.
const KEYWORDS: &[&str] = &["assert", "from", "in", "is", "pass", "with"];

pub fn files(plan: &Plan, fixture: &str) -> Vec<File> {
    vec![("script.py".to_owned(), script(plan)), ("test_script.py".to_owned(), test(plan, fixture))]
}

fn script(plan: &Plan) -> String {
    let uses = |wanted: fn(&Piece) -> bool| {
        plan.calls.iter().flat_map(|call| &call.fields).any(|(_, given)| match given {
            Given::Text(pieces) => pieces.iter().any(wanted),
            Given::Texts(texts) => texts.iter().flatten().any(wanted),
            Given::Plain(_) => false,
        })
    };
    let mut imports = String::new();
    if uses(|piece| matches!(piece, Piece::Quoted(_))) {
        imports.push_str("import json\n");
    }
    if uses(|piece| matches!(piece, Piece::Encoded(_))) {
        imports.push_str("from urllib.parse import quote\n");
    }
    if !imports.is_empty() {
        imports.push('\n');
    }
    let mut out = format!(
        "\"\"\"What the recording did, step by step.\"\"\"\n\n{imports}from _lib.browse_sdk import skill\n\n\ndef check(result):\n    \"\"\"Refuses a result that lacks what the recorded one had.\"\"\"\n"
    );
    for (place, output) in places(plan) {
        out.push_str(&condition(&place, output));
    }
    out.push_str("\n\n@skill\ndef flow(args, browse):\n");
    let alone = plan.outputs().count() == 1;
    for call in &plan.calls {
        let code = statement(call);
        let _ = match &call.result {
            Some(_) if alone => writeln!(out, "    result = {}", plain(call, &code)),
            Some(output) => writeln!(out, "    {} = {}", variable(output), plain(call, &code)),
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
fn plain(call: &Call, code: &str) -> String {
    let field = call.command.result.map(|index| &call.command.response.fields[index]);
    match field {
        None => format!("{code}.to_dict()"),
        Some(field) if matches!(field.kind, Kind::Message(_)) && field.repeated => {
            format!("[record.to_dict() for record in {code}]")
        }
        Some(field) if matches!(field.kind, Kind::Message(_)) => format!("{code}.to_dict()"),
        Some(_) => code.to_owned(),
    }
}

fn places(plan: &Plan) -> Vec<(String, &Output)> {
    let outputs: Vec<_> = plan.outputs().map(|(_, output)| output).collect();
    let alone = outputs.len() == 1;
    let place = |output: &Output| match alone {
        true => "result".to_owned(),
        false => format!("result[\"{}\"]", variable(output)),
    };
    outputs.into_iter().map(|output| (place(output), output)).collect()
}

fn condition(place: &str, output: &Output) -> String {
    let filled = |keys: &[String]| {
        let keys: Vec<_> = keys.iter().map(|key| literal::python(key)).collect();
        format!("[{}]", keys.join(", "))
    };
    let condition = match &output.shape {
        Shape::Text => format!("not {place}.strip()"),
        Shape::Scalar => format!("{place} is None"),
        Shape::Records(keys) if keys.is_empty() => format!("not {place}"),
        Shape::Records(keys) => format!(
            "not all(any(record.get(key) for record in {place}) for key in {})",
            filled(keys)
        ),
        Shape::Record(keys) => format!("not all({place}.get(key) for key in {})", filled(keys)),
    };
    format!(
        "    if {condition}:\n        raise ValueError({})\n",
        literal::python(&complaint(output))
    )
}

fn variable(output: &Output) -> String {
    match output.name.as_str() {
        "is" => "state".to_owned(),
        name => name.to_owned(),
    }
}

fn identifier(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

fn statement(call: &Call) -> String {
    let (positional, named) = arguments(call);
    let mut words: Vec<_> = positional.iter().map(|(_, given)| value(given)).collect();
    words.extend(
        named.iter().map(|(field, given)| format!("{}={}", identifier(field.name), value(given))),
    );
    let function = call.command.function;
    let noun = ["get_", "list_"].into_iter().find_map(|verb| function.strip_prefix(verb));
    format!("browse.{}({})", identifier(noun.unwrap_or(function)), words.join(", "))
}

fn value(given: &Given) -> String {
    match given {
        Given::Text(pieces) => text(pieces),
        Given::Texts(texts) => {
            format!("[{}]", texts.iter().map(|pieces| text(pieces)).collect::<Vec<_>>().join(", "))
        }
        Given::Plain(serde_json::Value::Bool(value)) => {
            if *value { "True" } else { "False" }.to_owned()
        }
        Given::Plain(value) => value.to_string(),
    }
}

fn text(pieces: &[Piece]) -> String {
    let part = |piece: &Piece| match piece {
        Piece::Literal(text) => literal::python(text),
        Piece::Argument(name) => format!("args[\"{name}\"]"),
        Piece::Encoded(name) => format!("quote(args[\"{name}\"], safe=\"\")"),
        Piece::Quoted(name) => format!("json.dumps(args[\"{name}\"], ensure_ascii=False)"),
    };
    pieces.iter().map(part).collect::<Vec<_>>().join(" + ")
}

fn test(plan: &Plan, fixture: &str) -> String {
    let mut out = format!(
        "import json\nimport unittest\n\nfrom script import check\n\n\ndef recorded():\n    with open(\"{fixture}\", encoding=\"utf-8\") as file:\n        return json.load(file)[\"result\"]\n\n\nclass Script(unittest.TestCase):\n    def test_the_recorded_result_has_all_that_is_asked_of_it(self):\n        check(recorded())\n\n    def test_a_result_without_its_key_facts_is_refused(self):\n"
    );
    for broken in breaks(plan) {
        let _ = write!(
            out,
            "        with self.assertRaises(ValueError):\n            check({broken})\n"
        );
    }
    out.push_str("\n\nif __name__ == \"__main__\":\n    unittest.main()\n");
    out
}

fn breaks(plan: &Plan) -> Vec<String> {
    let alone = plan.outputs().count() == 1;
    let empty = |output: &Output| match output.shape {
        Shape::Text => "\"\"",
        Shape::Scalar => "None",
        Shape::Records(_) => "[]",
        Shape::Record(_) => "{}",
    };
    let of = |output: &Output| match alone {
        true => empty(output).to_owned(),
        false => format!("{{**recorded(), \"{}\": {}}}", variable(output), empty(output)),
    };
    let mut breaks: Vec<_> = plan.outputs().map(|(_, output)| of(output)).collect();
    for (_, output) in plan.outputs().filter(|_| alone) {
        match &output.shape {
            Shape::Records(keys) => breaks.extend(keys.iter().map(|key| {
                format!("[{{**record, {}: \"\"}} for record in recorded()]", literal::python(key))
            })),
            Shape::Record(keys) => {
                breaks.extend(
                    keys.iter()
                        .map(|key| format!("{{**recorded(), {}: \"\"}}", literal::python(key))),
                );
            }
            Shape::Text | Shape::Scalar => {}
        }
    }
    breaks
}
