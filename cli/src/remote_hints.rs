//! The commands in a hint go where the command went that failed: to the browser
//! that `--remote` named.

use browse_proto::Command;

/// `hint`, with `--remote name` in each command that is called there.
pub fn with_remote_flag(hint: &str, name: &str, is_called: fn(&Command) -> bool) -> String {
    let aimed = hint.split('`').enumerate().map(|(at, part)| match part.strip_prefix("browse ") {
        Some(rest) if at % 2 == 1 && named(rest).is_some_and(is_called) => {
            format!("browse --remote {name} {rest}")
        }
        _ => part.to_owned(),
    });
    aimed.collect::<Vec<_>>().join("`")
}

/// Whether a remote agent can call it.
pub fn is_called_by_pairing(command: &Command) -> bool {
    command.tunnel && command.function != "redeem"
}

/// Whether a fleet serves it.
pub fn is_called_in_fleet(command: &Command) -> bool {
    command.fleet
}

/// The command that the first words name.
fn named(words: &str) -> Option<&'static Command> {
    let words: Vec<&str> = words.split(' ').collect();
    let lengths = (1..=words.len().min(MAX_NAME_WORDS)).rev();
    lengths.map(|length| words[..length].join(" ")).find_map(|name| Command::by_name(&name))
}

/// Words of the longest name of a command.
const MAX_NAME_WORDS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(with_remote_flag(hint, "a", is_called_by_pairing), aimed);
        }
    }

    #[test]
    fn what_a_fleet_serves_is_aimed_at_it() {
        for (hint, aimed) in [
            (
                "Close one with `browse session close <name>`",
                "Close one with `browse --remote a session close <name>`",
            ),
            ("Run `browse snapshot`", "Run `browse --remote a snapshot`"),
            ("Run `browse restart`", "Run `browse restart`"),
            ("Run `browse login https://a.b` again", "Run `browse login https://a.b` again"),
        ] {
            assert_eq!(with_remote_flag(hint, "a", is_called_in_fleet), aimed);
        }
    }
}
