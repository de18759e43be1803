//! The commands in a hint go where the command went that failed: to the browser
//! that `--remote` named.

use browse_proto::Command;

/// `hint`, with `--remote name` in each command that a remote agent can call.
pub fn with_remote_flag(hint: &str, name: &str) -> String {
    let aimed = hint.split('`').enumerate().map(|(at, part)| match part.strip_prefix("browse ") {
        Some(rest) if at % 2 == 1 && is_remote_command(rest) => {
            format!("browse --remote {name} {rest}")
        }
        _ => part.to_owned(),
    });
    aimed.collect::<Vec<_>>().join("`")
}

fn is_remote_command(words: &str) -> bool {
    let first = words.split(' ').next().unwrap_or_default();
    Command::by_name(first).is_some_and(|command| command.tunnel && command.function != "redeem")
}

#[cfg(test)]
mod tests {
    use super::with_remote_flag;

    #[test]
    fn what_goes_through_a_tunnel_is_aimed_and_nothing_else() {
        for (hint, aimed) in [
            (
                "Run `browse tabs` to see yours, or `browse newtab`",
                "Run `browse --remote a tabs` to see yours, or `browse --remote a newtab`",
            ),
            (
                "Run `browse snapshot -i` and use a ref",
                "Run `browse --remote a snapshot -i` and use a ref",
            ),
            ("have the owner run `browse approve 3`", "have the owner run `browse approve 3`"),
            ("Ask the owner: `browse pair new <name>`", "Ask the owner: `browse pair new <name>`"),
            ("Run `browse redeem <link>`", "Run `browse redeem <link>`"),
            ("browse tabs", "browse tabs"),
            ("", ""),
        ] {
            assert_eq!(with_remote_flag(hint, "a"), aimed);
        }
    }
}
