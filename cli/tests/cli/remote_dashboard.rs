//! What the page of the dashboard calls is open to a dashboard on another machine, or is named
//! here as what it does without there.

use std::{collections::BTreeSet, fs, path::Path};

use browse_proto::Command;

/// Methods that the page calls on the machine of the daemon alone.
const ONLY_THERE: &[&str] = &[
    "BrowserService/ImportBrowserCookies",
    "DaemonService/SecurityScan",
    "DashboardService/OfferTerminal",
    "DashboardService/OpenTerminal",
    "DashboardService/WriteTerminal",
    "PairService/ListPairings",
    "PairService/NewPairing",
    "PairService/RevokePairing",
    "SkillService/TrustSkill",
];

#[test]
fn what_the_page_calls_works_on_another_machine() {
    let mut methods = BTreeSet::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/dashboard/src");
    collect(&source, &mut methods);
    assert!(methods.len() > 40, "only {} methods were found", methods.len());
    for method in &methods {
        let path = format!("/browse.v1.{method}");
        let command = Command::by_path(&path).unwrap_or_else(|| panic!("there is no {method}"));
        let is_there_only = ONLY_THERE.contains(&method.as_str());
        assert!(
            command.remote_dashboard != is_there_only,
            "{method}: either `remote_dashboard: true` in the contract, or a line in ONLY_THERE"
        );
    }
    for method in ONLY_THERE {
        assert!(methods.contains(*method), "the page does not call {method}");
    }
}

/// Adds the methods that the sources below `folder` name: `'DaemonService/Status'`.
fn collect(folder: &Path, methods: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, methods);
            continue;
        }
        // The types of all methods, which is generated.
        if path.ends_with("rpc/contract.ts") {
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for quoted in text.split('\'') {
            let named = quoted.split_once("Service/").is_some_and(|(service, method)| {
                let is_word = |word: &str| word.chars().all(|c| c.is_ascii_alphabetic());
                is_word(service) && !service.is_empty() && is_word(method) && !method.is_empty()
            });
            if named {
                methods.insert(quoted.to_owned());
            }
        }
    }
}
