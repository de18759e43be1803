use super::*;

fn settings(flags: &[&str]) -> TunnelSettings {
    let value = |name: &str| flags.iter().find_map(|flag| flag.strip_prefix(name));
    TunnelSettings {
        home: "/h".into(),
        provider: value("--tunnel=").and_then(Provider::from_name),
        command: value("--tunnel-cmd=").map(str::to_owned),
        ..TunnelSettings::default()
    }
}

fn read(change: impl FnOnce(&mut v1::StartTunnelRequest), flags: &[&str]) -> Result<TunnelConfig> {
    let mut request = v1::StartTunnelRequest::default();
    change(&mut request);
    TunnelConfig::from_request(&request, &settings(flags), Some(Path::new("/f/g")))
}

fn cmd(text: &str) -> impl FnOnce(&mut v1::StartTunnelRequest) {
    let text = text.to_owned();
    move |request| request.tunnel_cmd = Some(text)
}

#[test]
fn the_program_is_told_where_the_listener_is() {
    let requested = read(cmd("t --to {url} 'a b' {port} {address}"), &[]).expect("good");
    let words = requested.argv("127.0.0.1:4567".parse().expect("an address"), &[]).expect("good");
    assert_eq!(words, ["t", "--to", "https://127.0.0.1:4567", "a b", "4567", "127.0.0.1:4567"]);
}

#[test]
fn a_program_is_agreed_to_by_its_whole_path() {
    for (output, agreed) in [
        ("./t --to {url}", "/f/g/t --to {url}"),
        ("../b/t 'a b'", "/f/g/../b/t 'a b'"),
        ("bin/t", "/f/g/bin/t"),
        (" ./t", "/f/g/t"),
        ("'./a b' \"c d\" e", "'/f/g/a b' 'c d' e"),
        ("./t\\ u {url}", "'/f/g/t u' '{url}'"),
        ("/a/t x", "/a/t x"),
        ("t ./x", "t ./x"),
    ] {
        let requested = read(cmd(output), &[]).expect(output);
        assert_eq!(requested.command, agreed, "{output}");
        let all = requested.argv("127.0.0.1:1".parse().expect("an address"), &[]).expect("good");
        assert_eq!(
            all[1..],
            split_command(output)
                .expect("good")
                .iter()
                .skip(1)
                .map(|word| word.replace("{url}", "https://127.0.0.1:1"))
                .collect::<Vec<_>>()[..],
            "{output}"
        );
    }
    // A setting belongs to no folder.
    let set = read(|_| (), &["--tunnel=command", "--tunnel-cmd=./t"]).expect("good");
    assert_eq!(set.command, "./t");
}

#[test]
fn what_a_hint_says_starts_the_same() {
    let again = |change: &dyn Fn(&mut v1::StartTunnelRequest)| {
        read(|request| change(request), &[]).expect("good").restart_command()
    };
    assert_eq!(
        again(&|r| r.set_provider(v1::TunnelProvider::Ngrok)),
        "`browse tunnel start --provider ngrok`"
    );
    let placed = again(&|r| {
        r.tunnel_cmd = Some("./t --url '{url}'".to_owned());
        (r.listen, r.address) = (Some("127.0.0.1:9".to_owned()), Some("a.b:1".to_owned()));
    });
    let line = placed.trim_matches('`').strip_prefix("browse tunnel start ").expect(&placed);
    let output = shlex::split(line).expect("it can be pasted");
    let wanted = ["--tunnel-cmd", "/f/g/t --url '{url}'", "--listen", "127.0.0.1:9"];
    assert_eq!(output[..4], wanted);
    assert_eq!(output[4..], ["--address", "a.b:1"]);
    let nested = again(&|r| r.tunnel_cmd = Some("sh -c \"echo 'a b'\"".to_owned()));
    assert!(nested.contains("--tunnel-cmd "), "{nested}");
    for secret in ["t --token abcdef", "sh -c 't --token abc'", "t `id`", "t \n x"] {
        let text = again(&|r| r.tunnel_cmd = Some(secret.to_owned()));
        assert_eq!(text, "the same command again", "{secret}");
    }
}

#[test]
fn what_ngrok_lacks_is_said_before_anything_starts() {
    let requested = |token: &str| {
        let change = |request: &mut v1::StartTunnelRequest| {
            request.set_provider(v1::TunnelProvider::Ngrok);
            let set = [("NGROK_AUTHTOKEN", token), ("MY_PASSWORD", "x")];
            request.environment =
                set.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        };
        read(change, &[]).expect("good")
    };
    assert_eq!(requested("t").command, "browse-ngrok");
    assert_eq!(requested("t").environment.len(), 1, "it gets nothing else");
    // A test is not a daemon: nothing lies beside it.
    let missing = requested("t").check_prerequisites().expect_err("it is missing");
    assert_eq!(missing.reason(), Reason::NgrokProgramMissing);
    assert!(missing.hint().contains("ngrok http {url}"), "{}", missing.hint());
    assert!(requested("t").argv("127.0.0.1:1".parse().expect("an address"), &[0; 32]).is_err());
    assert!(read(cmd("/bin/sh"), &[]).expect("good").check_prerequisites().is_ok());
    let missing =
        read(cmd("./t"), &[]).expect("good").check_prerequisites().expect_err("it is missing");
    assert_eq!(missing.reason(), Reason::TunnelProgramMissing);
}

#[test]
fn what_does_not_go_together_is_refused() {
    use v1::TunnelProvider::{Command, Ngrok, None};
    let with = |provider: v1::TunnelProvider, command: Option<&str>, address: Option<&str>| {
        let change = |request: &mut v1::StartTunnelRequest| {
            request.set_provider(provider);
            request.tunnel_cmd = command.map(str::to_owned);
            request.address = address.map(str::to_owned);
        };
        read(change, &[]).map(|requested| requested.provider)
    };
    for (provider, command, address) in [
        (Command, Option::None, Option::None),
        (Command, Some("'"), Option::None),
        (Command, Some(" "), Option::None),
        (Command, Some(""), Option::None),
        (None, Some("t"), Option::None),
        (Ngrok, Some("t"), Option::None),
        (Ngrok, Option::None, Some("a.example:1")),
        (None, Option::None, Some("a.example")),
    ] {
        let refused = with(provider, command, address).expect_err("it is refused");
        assert_eq!(refused.reason(), Reason::ArgumentInvalid);
    }
    assert!(read(|_| (), &[]).is_err(), "something has to be reported");
    assert_eq!(read(|_| (), &["--tunnel=none"]).expect("good").provider, Provider::None);
    let named = read(|_| (), &["--tunnel=command", "--tunnel-cmd=t {port}"]).expect("good");
    assert_eq!((named.provider, named.command.as_str()), (Provider::Command, "t {port}"));
    // An argument has precedence over a setting.
    let output = read(cmd("u"), &["--tunnel=ngrok", "--tunnel-cmd=t"]).expect("good");
    assert_eq!((output.provider, output.command.as_str()), (Provider::Command, "u"));
}

#[test]
fn a_command_that_cannot_be_shown_whole_is_refused() {
    let evil = |letters: usize| format!("sh -c 'echo {}; touch EVIL'", "x".repeat(letters));
    let text = read(cmd(&evil(300)), &[]).expect("good").consent_statement(Path::new("/p"));
    assert!(text.contains(&evil(300)), "{text}");
    for command in [&evil(450), &evil(9999), "sh -c 'a\nb'", "sh -c 'a \u{202e}b'"] {
        let refused = read(cmd(command), &[]).expect_err("it is refused");
        assert_eq!(refused.reason(), Reason::ArgumentInvalid, "{command}");
        assert!(refused.hint().contains("script"), "{}", refused.hint());
    }
}

#[test]
fn what_is_agreed_to_names_all_that_counts_and_no_secret() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let requested = read(cmd(&format!("t --token {token}")), &[]).expect("good");
    let text = requested.consent_statement(Path::new("/p"));
    assert!(text.contains("`/p`") && text.contains("t --token"), "{text}");
    assert!(!text.contains(&token), "{text}");
    let text = read(cmd("t --authtoken=yyyy"), &[]).expect("good").redacted_command();
    assert!(!text.contains("yyyy"), "{text}");
    let wide = |request: &mut v1::StartTunnelRequest| {
        request.set_provider(v1::TunnelProvider::None);
        request.listen = Some("0.0.0.0:1".to_owned());
        request.address = Some("a.example:1".to_owned());
    };
    let text = read(wide, &[]).expect("good").consent_statement(Path::new("/p"));
    assert!(text.contains("every network that reaches 0.0.0.0:1"), "{text}");
}
