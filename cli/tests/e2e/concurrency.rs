//! Many first commands at once start one daemon.

use std::{collections::BTreeSet, thread};

use crate::{project::Project, site::Site};

#[test]
fn fifty_first_commands_start_one_daemon_and_one_browser() {
    let site = Site::page("<title>One</title>");
    let project = Project::new();
    let (project, url) = (&project, &site.url("/"));
    thread::scope(|scope| {
        let calls: Vec<_> = (0..50)
            .map(|n| {
                let args: Vec<String> = match n % 2 {
                    0 => vec!["newtab".into(), url.clone()],
                    _ => vec!["status".into(), "--json".into()],
                };
                scope.spawn(move || {
                    let args: Vec<_> = args.iter().map(String::as_str).collect();
                    // `status` does not start a daemon; it may come too early.
                    let args = if n % 2 == 0 { args } else { vec!["tabs"] };
                    project.run(&args)
                })
            })
            .collect();
        for call in calls {
            let output = call.join().expect("no panic");
            assert_eq!(output.code, Some(0), "{output:?}");
        }
    });
    let processes = project.processes();
    let daemons: BTreeSet<_> = processes
        .iter()
        .filter(|(_, line)| line.contains("browsed") && !line.contains("guardian"))
        .collect();
    let browsers: Vec<_> = processes
        .iter()
        .filter(|(_, line)| line.contains("remote-debugging-pipe") && !line.contains("--type="))
        .collect();
    assert_eq!((daemons.len(), browsers.len()), (1, 1), "{processes:?}");
}

#[test]
fn navigations_of_one_tab_take_turns() {
    let site = Site::page("<title>One</title>");
    let project = Project::new();
    let (project, url) = (&project, &site.url("/"));
    thread::scope(|scope| {
        let calls: Vec<_> = (0..20).map(|_| scope.spawn(|| project.run(&["goto", url]))).collect();
        for call in calls {
            let output = call.join().expect("no panic");
            assert_eq!(output.code, Some(0), "{output:?}");
        }
    });
}
