//! The help of one command.

use browse_proto::Command;

use super::layout;

/// Everything there is to say about `command`.
pub fn text(command: &'static Command) -> String {
    let mut out = format!("{}\n\n", command.usage());
    let paragraphs: Vec<_> = command.help.split("\n\n").map(|p| layout::wrap(p, 0)).collect();
    out.push_str(&paragraphs.join("\n"));
    section(&mut out, "Arguments", &arguments(command));
    section(&mut out, "Flags", &flags(command));
    out.push_str(&format!("\nExample\n  {}\n\n", command.shell_example()));
    out.push_str(&layout::wrap(&closing_line(command), 0));
    out
}

fn section(out: &mut String, title: &str, rows: &[(String, String)]) {
    if !rows.is_empty() {
        out.push_str(&format!("\n{title}\n{}", layout::terms(rows)));
    }
}

fn arguments(command: &'static Command) -> Vec<(String, String)> {
    let own = command
        .positionals()
        .map(|positional| (positional.usage(), positional.field.explanation(true)));
    let path = command
        .takes_path()
        .then(|| (format!("[{}]", command.output_arg), command.output_help().to_owned()));
    let steps = command.request.fields.iter().filter(|_| command.takes_steps());
    let steps = steps.map(|field| ("standard input".to_owned(), field.help.to_owned()));
    own.chain(path).chain(steps).collect()
}

fn flags(command: &'static Command) -> Vec<(String, String)> {
    let own =
        command.flags().map(|field| (align_long_name(&field.usage()), field.explanation(false)));
    let saving =
        command.saving_flags().map(|(usage, help)| (align_long_name(&usage), help.to_owned()));
    let selector = command.selector_flag().zip(command.selector_short);
    let selector = selector
        .map(|(flag, letter)| (format!("-{letter}, {flag}"), "Selects this command.".to_owned()));
    selector.into_iter().chain(own).chain(saving).collect()
}

/// The usage of a flag, long names in one column.
fn align_long_name(usage: &str) -> String {
    if usage.starts_with("--") { format!("    {usage}") } else { usage.to_owned() }
}

fn closing_line(command: &Command) -> String {
    let mut closing = format!("Scope: {}.", command.scope.name());
    if command.tunnel {
        closing.push_str(" Paired agents may call it.");
    }
    if let Some(timeout) = command.timeout_ms {
        closing.push_str(&format!(" It gets {} s unless `--timeout` says more.", timeout / 1000));
    }
    if command.no_autostart {
        closing.push_str(" It starts no daemon.");
    }
    if !command.aliases.is_empty() {
        closing.push_str(&format!(" Also called: {}.", command.aliases.join(", ")));
    }
    closing
}
