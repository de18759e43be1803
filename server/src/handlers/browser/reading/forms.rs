//! Forms: what could be filled in, as text and as data.

use std::fmt::Write as _;

use browse_proto::v1;

use crate::dispatch::CallContext;
use browse_base::Result;
use browse_engine::{FieldOption, FrameForms, PageForm, PageFormField};

/// Choices of a field that its line shows.
const MAX_SHOWN_OPTIONS: usize = 30;

/// Answers the forms of the page and the fields outside of any.
pub async fn forms(cx: &CallContext, request: v1::FormsRequest) -> Result<v1::FormsResponse> {
    let frames = cx.engine().read_forms(cx.filters_hidden_text()).await?;
    super::set_sources_of_all_frames(cx);
    if frames.iter().all(|frame| frame.forms.is_empty() && frame.formless_fields.is_empty()) {
        cx.add_notice("the page has no forms and no fields");
    }
    if !request.structured {
        return Ok(v1::FormsResponse { text: Some(text(&frames)), ..Default::default() });
    }
    let mut response = v1::FormsResponse::default();
    for FrameForms { frame, forms, formless_fields: loose } in frames {
        response.forms.extend(forms.into_iter().map(|form| to_form(form, &frame)));
        let place = || Some(frame.clone()).filter(|frame| !frame.is_empty());
        let loose = loose.into_iter().map(|f| v1::FormField { frame: place(), ..field(f) });
        response.fields.extend(loose);
    }
    Ok(response)
}

fn to_form(form: PageForm, frame: &str) -> v1::Form {
    v1::Form {
        name: form.name,
        label: form.label,
        method: form.method,
        action: form.action,
        frame: frame.to_owned(),
        fields: form.fields.into_iter().map(field).collect(),
    }
}

fn field(field: PageFormField) -> v1::FormField {
    let output = |text: String| Some(text).filter(|text| !text.is_empty());
    v1::FormField {
        r#ref: field.reference.map(|reference| reference.to_string()).unwrap_or_default(),
        name: field.name,
        label: field.label,
        r#type: field.kind,
        value: field.value,
        checked: field.checked,
        required: field.required,
        disabled: field.disabled,
        readonly: field.readonly,
        multiple: field.multiple,
        secret: field.secret,
        hidden: field.hidden,
        options: field.options.into_iter().map(option).collect(),
        group: output(field.group),
        placeholder: output(field.placeholder),
        description: output(field.description),
        min: output(field.min),
        max: output(field.max),
        step: output(field.step),
        pattern: output(field.pattern),
        maxlength: output(field.maxlength),
        accept: output(field.accept),
        autocomplete: output(field.autocomplete),
        problem: output(field.problem),
        frame: None,
    }
}

fn option(option: FieldOption) -> v1::FormOption {
    let FieldOption { value, label, selected, disabled } = option;
    v1::FormOption { value, label, selected, disabled }
}

/// A form a paragraph: its line, and below it those of its fields.
fn text(frames: &[FrameForms]) -> String {
    let mut paragraphs = Vec::new();
    for FrameForms { frame, forms, formless_fields: loose } in frames {
        let place = if frame.is_empty() { String::new() } else { format!(" in frame {frame:?}") };
        paragraphs.extend(forms.iter().map(|form| {
            let label = if form.label.is_empty() { &form.name } else { &form.label };
            let label = if label.is_empty() { String::new() } else { format!(" {label:?}") };
            let head = format!("form{label} {} {}", form.method, form.action);
            paragraph(&format!("{}{place}", head.trim_end()), &form.fields)
        }));
        if !loose.is_empty() {
            paragraphs.push(paragraph(&format!("outside of forms{place}"), loose));
        }
    }
    paragraphs.join("\n")
}

fn paragraph(head: &str, fields: &[PageFormField]) -> String {
    fields.iter().fold(head.to_owned(), |mut text, field| {
        let _ = write!(text, "\n  {}", line(field));
        text
    })
}

/// `@e4 email "Email" [name=mail, required, value="a@b.c"]`, as in a snapshot.
fn line(field: &PageFormField) -> String {
    let reference = field.reference.map(|reference| reference.to_string()).unwrap_or_default();
    let mut line = format!("{reference} {}", field.kind);
    if !field.label.is_empty() {
        let _ = write!(line, " {:?}", field.label);
    }
    let facts = field_details(field);
    if !facts.is_empty() {
        let _ = write!(line, " [{}]", facts.join(", "));
    }
    if !field.options.is_empty() {
        let _ = write!(line, ": {}", options(&field.options));
    }
    line
}

fn field_details(field: &PageFormField) -> Vec<String> {
    let mut facts = Vec::new();
    let mut say = |name: &str, value: &str| {
        if !value.is_empty() {
            facts.push(format!("{name}={value}"));
        }
    };
    say("name", &field.name);
    if !field.group.is_empty() {
        say("group", &format!("{:?}", field.group));
    }
    for (name, value) in [
        ("min", &field.min),
        ("max", &field.max),
        ("step", &field.step),
        ("pattern", &field.pattern),
        ("maxlength", &field.maxlength),
        ("accept", &field.accept),
    ] {
        say(name, value);
    }
    let states = [
        ("checked", field.checked == Some(true)),
        ("required", field.required),
        ("disabled", field.disabled),
        ("readonly", field.readonly),
        ("multiple", field.multiple),
        ("secret", field.secret),
        ("hidden", field.hidden),
    ];
    facts.extend(states.iter().filter(|(_, holds)| *holds).map(|(name, _)| (*name).to_owned()));
    let plain = field.checked.is_none() && field.options.is_empty();
    for (name, value) in [
        ("value", field.value.as_deref().filter(|_| plain || field.kind != "select")),
        ("placeholder", Some(field.placeholder.as_str()).filter(|text| *text != field.label)),
        ("description", Some(field.description.as_str())),
        ("problem", Some(field.problem.as_str())),
    ] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            facts.push(format!("{name}={value:?}"));
        }
    }
    facts
}

/// Labels; the chosen ones with a star. A value stands beside a label that it
/// cannot be distinguished from.
fn options(options: &[FieldOption]) -> String {
    let shown = options.iter().take(MAX_SHOWN_OPTIONS).map(|option| {
        let star = if option.selected { "*" } else { "" };
        let label = if option.label.is_empty() { &option.value } else { &option.label };
        format!("{label}{star}")
    });
    let mut text = shown.collect::<Vec<_>>().join(" | ");
    let left: Vec<_> = options.iter().skip(MAX_SHOWN_OPTIONS).collect();
    if !left.is_empty() {
        let chosen = left.iter().filter(|option| option.selected);
        let chosen = chosen.map(|option| format!("{}*", option.label)).collect::<Vec<_>>();
        let chosen =
            if chosen.is_empty() { String::new() } else { format!("{} | ", chosen.join(" | ")) };
        let _ = write!(text, " | {chosen}… {} more", left.len());
    }
    text
}
