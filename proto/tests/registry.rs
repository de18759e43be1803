//! Laws of the registry that the build script cannot state.

use std::collections::BTreeSet;

use browse_proto::{Code, Command, FieldType, MessageType, Reason, Requires, Scope};

/// The commands that a paired agent may call, of those that are built; batch,
/// redeem and whoami come on top.
const TUNNEL: &str = "goto back forward reload url wait text html links forms accessibility \
    media data snapshot eval attrs click fill type press select scroll screenshot tabs newtab \
    closetab batch redeem whoami download downloads";

/// The same, of those with a selector: what a page sends goes to who made it do so.
const TUNNEL_FILES: &[&str] = &["click --download", "downloads --clear"];

#[test]
fn tunnel_opens_only_the_pinned_commands() {
    let pinned: BTreeSet<_> =
        TUNNEL.split_whitespace().chain(TUNNEL_FILES.iter().copied()).collect();
    let open: BTreeSet<_> = Command::all().iter().filter(|c| c.tunnel).map(|c| c.name).collect();
    let built: BTreeSet<_> = Command::all().iter().map(|command| command.name).collect();
    let expected: BTreeSet<_> = pinned.intersection(&built).copied().collect();
    let differs: Vec<_> = open.symmetric_difference(&expected).collect();
    assert!(
        differs.is_empty(),
        "`tunnel: true` opens a command to paired agents on other machines; once that is decided, \
         its name goes into TUNNEL here: {differs:?}"
    );
}

/// The first words of commands that no dashboard on another machine may call, whatever its
/// scopes: they give access to others, end or restart the daemon, give out or take other
/// browsers and their cookies, trust programs, or start a shell of the owner.
const REMOTE_DASHBOARD_NEVER: &[&str] = &[
    "agent",
    "cdp",
    "cdp-url",
    "chain",
    "connect",
    "cookie-import-browser",
    "dashboard",
    "disconnect",
    "handoff",
    "pair",
    "restart",
    "stop",
    "terminal",
    "tunnel",
    "upload",
    "upgrade",
];

/// Whether no dashboard on another machine may call a command.
fn is_never_remote(command: &Command) -> bool {
    command.name == "skill trust"
        || command.words.first().is_some_and(|word| REMOTE_DASHBOARD_NEVER.contains(word))
}

#[test]
fn a_remote_dashboard_is_refused_what_is_of_the_owner_alone() {
    // The page itself is what it opens.
    let open = Command::all().iter().filter(|command| command.remote_dashboard);
    let open: Vec<_> = open.filter(|command| command.name != "dashboard page").collect();
    let wrong: Vec<_> = open.iter().filter(|c| is_never_remote(c)).map(|c| c.name).collect();
    assert!(wrong.is_empty(), "these are never called from another machine: {wrong:?}");
    assert!(open.iter().all(|command| command.scope != Scope::Public), "it has a token");
    for name in ["pair new", "cookie-import-browser", "skill trust", "stop", "terminal open"] {
        assert!(Command::by_name(name).is_some_and(is_never_remote), "{name}");
    }
}

#[test]
fn one_command_needs_no_token_and_one_any() {
    let of = |scope| -> Vec<_> {
        Command::all().iter().filter(|c| c.scope == scope).map(|c| c.name).collect()
    };
    assert_eq!(of(Scope::Public), ["redeem"], "name the RPCs that need no token here");
    assert_eq!(of(Scope::Any), ["whoami"]);
}

#[test]
fn text_that_leaves_the_daemon_is_marked_or_listed() {
    let mut unmarked = BTreeSet::new();
    for command in Command::all() {
        collect(command.response, &mut unmarked);
    }
    let list = unmarked.into_iter().collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(list);
}

fn collect(message: &'static MessageType, unmarked: &mut BTreeSet<String>) {
    for field in message.fields {
        match field.kind {
            FieldType::Message(of) => collect(of, unmarked),
            FieldType::String | FieldType::Bytes | FieldType::StringMap | FieldType::Any
                if !field.page && !field.address =>
            {
                unmarked.insert(format!("{}.{}", message.name, field.name));
            }
            _ => {}
        }
    }
}

#[test]
fn policy_reads_as_one_page() {
    let line = |c: &Command| {
        let tunnel = if c.tunnel { "tunnel" } else { "" };
        let dashboard = if c.remote_dashboard { "dashboard" } else { "" };
        let fleet = if c.fleet { "fleet" } else { "" };
        let line =
            format!("{:<22} {:<8} {tunnel:<6} {dashboard:<9} {fleet}", c.name, c.scope.name());
        line.trim_end().to_owned()
    };
    let table: Vec<_> = Command::all().iter().map(line).collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn what_needs_a_page_and_what_acts_is_said() {
    let reach = |name: &str| Command::by_name(name).expect(name).requires;
    for name in ["status", "tabs", "tab", "closetab", "stop", "activity", "session list"] {
        assert_eq!(reach(name), Requires::Daemon, "{name}");
    }
    for command in Command::all() {
        assert!(
            !command.has_side_effects || command.scope >= Scope::Write,
            "{} acts",
            command.name
        );
    }
    let silent = Command::all()
        .iter()
        .filter(|c| c.group == "input" && c.requires == Requires::Page && !c.has_side_effects);
    assert_eq!(silent.count(), 0, "input on a page acts");
}

#[test]
fn what_leaves_by_a_call_and_how_it_is_recorded_reads_as_one_page() {
    let line = |c: &Command| {
        let fields = c.request.fields.iter().filter_map(|field| {
            let sends = field.sends.map(|how| format!("{} {how:?}", field.name));
            sends.or(field.target.then(|| format!("{} target", field.name)))
        });
        let fields = fields.collect::<Vec<_>>().join(", ");
        let role = format!("{:?}", c.step_role);
        format!("{:<22} {role:<8} {fields} {}", c.name, c.unrepeatable).trim_end().to_owned()
    };
    let has_facts = |c: &&Command| {
        c.service == "BrowserService" || c.request.fields.iter().any(|f| f.sends.is_some())
    };
    let table: Vec<_> = Command::all().iter().filter(has_facts).map(line).collect();
    insta::assert_snapshot!(table.join("\n"));
}

/// Denials that no agent gets that calls from somewhere else, nor who runs a tunnel: they are
/// of commands that are not served there, or one answer stands for them all.
const ELSEWHERE_NEVER: [&str; 15] = [
    "TOKEN_EXPIRED",
    "TOKEN_FOREIGN",
    "TRUST_DENIED",
    "SKILL_UNTRUSTED",
    "CDP_DENIED",
    "APPROVAL_NEEDED",
    "FETCH_DENIED",
    "NOTE_FLAGGED",
    "NOTE_PATTERN",
    "NOTE_SECRET",
    "LIBRARY_NOTE_WITHHELD",
    // Those of a fleet are in docs/fleet.md.
    "FLEET_BUSY",
    "FLEET_DENIED",
    "FLEET_QUOTA",
    "POD_MISMATCH",
];

#[test]
fn the_guide_to_remote_access_has_every_error_of_it() {
    let guide = include_str!("../../docs/remote-access.md");
    let (_, table) = guide.split_once("\n## Errors\n").expect("the guide has a table of errors");
    let own = ["REMOTE_", "TUNNEL_", "PAIRING_", "RECEIPT", "SETUP_"];
    let shared = [Reason::CertificateUnusable, Reason::RequestInvalid, Reason::RequestSlow];
    let denies = [Code::PermissionDenied, Code::Unauthenticated, Code::ResourceExhausted];
    let mut missing = Vec::new();
    for rule in Reason::all() {
        let seen = own.iter().any(|prefix| rule.name.starts_with(prefix))
            || shared.contains(&rule.reason)
            || denies.contains(&rule.code) && !ELSEWHERE_NEVER.contains(&rule.name);
        let row = format!(" | `{}` | ", rule.name);
        let reported =
            table.lines().find_map(|line| line.split_once(&row)).map(|(_, reported)| reported);
        if seen && reported.is_none_or(|reported| reported.len() < 10) {
            missing.push(rule.name);
        }
    }
    assert!(missing.is_empty(), "say in docs/remote-access.md what to do: {missing:?}");
    for name in ELSEWHERE_NEVER {
        assert!(Reason::by_name(name).is_some(), "{name} is gone");
    }
    // What the table names is there.
    for line in table.lines().filter(|line| line.starts_with("| ")) {
        let name = line.split('`').nth(1).unwrap_or("reason");
        assert!(name == "reason" || Reason::by_name(name).is_some(), "{name} is no reason");
    }
}

#[test]
fn hints_fill_their_keys() {
    for rule in Reason::all() {
        let hint = rule.hint_with(|key| Some(format!("<{key}>")));
        assert!(!hint.contains('{'), "{}: {hint}", rule.name);
        assert!(!hint.ends_with('.'), "{}: a hint has no full stop: {hint}", rule.name);
        assert!(rule.problem.ends_with('.'), "{}: {}", rule.name, rule.problem);
        let bare = rule.hint_with(|_| None);
        let torn = bare.split('`').skip(1).step_by(2).any(|code| code.trim() != code);
        assert!(!torn && !bare.contains("``"), "{}: without values: {bare}", rule.name);
    }
}

#[test]
fn a_fleet_serves_nothing_of_the_machine() {
    let never = [
        "adopt",
        "agent",
        "cdp",
        "connect",
        "cookie-import",
        "dashboard",
        "disconnect",
        "doctor",
        "fetch",
        "handoff",
        "library",
        "pair",
        "restart",
        "resume",
        "skill",
        "state",
        "stop",
        "terminal",
        "tunnel",
        "upgrade",
        "upload",
    ];
    let is_never =
        |command: &&Command| command.words.first().is_some_and(|word| never.contains(word));
    let open = Command::all().iter().filter(|command| command.fleet);
    let wrong: Vec<_> = open.filter(is_never).map(|command| command.name).collect();
    assert!(wrong.is_empty(), "these concern a machine or other daemons: {wrong:?}");
    for name in ["goto", "snapshot", "click", "fill", "tabs", "session new", "whoami", "overview"] {
        assert!(Command::by_name(name).is_some_and(|command| command.fleet), "{name}");
    }
    // What a person does at its dashboard, as at one of a pairing.
    for name in ["control take", "control input", "talk write", "talk answer", "approve"] {
        let command = Command::by_name(name).expect(name);
        assert!(command.fleet && command.remote_dashboard, "{name}");
    }
}
