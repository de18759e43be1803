//! Keeps the program running: starts it, hands it one text after the other, and
//! starts it again when it dies, a few times.

use std::{sync::Arc, time::Duration};

use browse_guard::second::Begun;
use tokio::{
    sync::mpsc::Receiver,
    time::{Instant, sleep, timeout},
};

use super::{
    program::Program,
    second::{Job, PATIENCE, Shared, State},
};

/// Time to load a model: a large one comes off a slow disk.
const LOAD: Duration = Duration::from_secs(120);

/// Time beyond its own that the program gets for an answer.
const GRACE: Duration = Duration::from_secs(12);

/// Deaths within [`SPAN`] after which it stays dead.
const MOST_DEATHS: usize = 4;
const SPAN: Duration = Duration::from_secs(600);

/// Rest before it is started again, longer by each death.
const REST: Duration = Duration::from_millis(500);

/// Runs until nobody has a text any more.
pub(super) async fn work(shared: Arc<Shared>, mut jobs: Receiver<Job>) {
    let mut deaths: Vec<Instant> = Vec::new();
    let why = loop {
        let died = match run(&shared, &mut jobs).await {
            End::Unwanted => return,
            End::Unusable(why) => break why,
            End::Died(why) => why,
        };
        tracing::warn!(why = died, "the program of the second classifier ended");
        deaths.retain(|death| death.elapsed() < SPAN);
        deaths.push(Instant::now());
        if deaths.len() >= MOST_DEATHS {
            break format!("its program ended {MOST_DEATHS} times: {died}");
        }
        {
            let mut seen = shared.seen();
            seen.state = State::Loading;
            seen.restarts += 1;
        }
        sleep(REST * deaths.len() as u32).await;
    };
    tracing::error!(why, "the second classifier does not work");
    shared.seen().state = State::Failed(why);
    // Dropping a job answers it.
    while jobs.recv().await.is_some() {}
}

/// How a program came to its end.
enum End {
    /// Nobody wants it any more.
    Unwanted,
    /// The model cannot be used: to start it again changes nothing.
    Unusable(String),
    /// It died, or had to be ended.
    Died(String),
}

async fn run(shared: &Shared, jobs: &mut Receiver<Job>) -> End {
    let mut program = match Program::start(&shared.plan) {
        Ok(program) => program,
        Err(error) => {
            let program = shared.plan.program.display();
            return End::Unusable(format!("`{program}` cannot be started: {error}"));
        }
    };
    let pid = program.pid();
    if let (Some(guardian), Some(pid)) = (&shared.guardian, pid) {
        guardian.kill(pid);
    }
    shared.seen().pid = pid;
    let end = serve(shared, jobs, &mut program).await;
    let last = program.end().await;
    shared.seen().pid = None;
    if let (Some(guardian), Some(pid)) = (&shared.guardian, pid) {
        guardian.forget_kill(pid);
    }
    match end {
        End::Died(why) => End::Died(format!("{why}: {last}")),
        end => end,
    }
}

async fn serve(shared: &Shared, jobs: &mut Receiver<Job>, program: &mut Program) -> End {
    match timeout(LOAD, program.begun()).await {
        Ok(Ok(Begun::Ready(ready))) => shared.seen().state = State::Ready(ready),
        Ok(Ok(Begun::Failed { file, why })) => return End::Unusable(format!("`{file}`: {why}")),
        Ok(Err(_)) => return End::Died("it ended while it loaded".to_owned()),
        Err(_) => return End::Died(format!("it did not load in {} s", LOAD.as_secs())),
    }
    loop {
        let job = tokio::select! {
            job = jobs.recv() => job,
            _ = program.ended() => return End::Died("it ended".to_owned()),
        };
        let Some(Job { ask, reply }) = job else { return End::Unwanted };
        match timeout(PATIENCE + GRACE, program.ask(&ask)).await {
            Ok(Ok(said)) => {
                if let Some(problem) = &said.problem {
                    tracing::warn!(problem, "the second classifier has no score for a text");
                }
                let _ = reply.send(Some(said));
            }
            // The text may be what it died of: it is not tried again.
            Ok(Err(_)) => return End::Died("it ended at a text".to_owned()),
            Err(_) => return End::Died("it gave no answer".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::models::{Plan, Second};

    /// A program that does what `script` says; `$1` is `folder`. It is a shell
    /// that reads the script: a file that was just written may be busy.
    fn second(folder: &Path, script: &str) -> Second {
        let program = folder.join("script");
        fs::write(&program, script).expect("a file");
        let (name, runtime) = ("stub".to_owned(), folder.to_owned());
        Second::start(Plan { name, folder: program, runtime, program: "/bin/sh".into() }, None)
    }

    async fn failure(second: &Second) -> String {
        let wait = async {
            loop {
                if let State::Failed(why) = second.status().expect("it is wanted").state {
                    return why;
                }
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(60), wait).await.expect("it fails")
    }

    #[tokio::test]
    async fn one_that_cannot_load_is_not_started_again() {
        let folder = tempfile::tempdir().expect("a folder");
        // The frame of 44 bytes that a program sends which cannot load.
        let script = r#"printf '\054\000\000\000{"failed":{"file":"model.onnx","why":"bad"}}'"#;
        let second = second(folder.path(), script);
        assert_eq!(failure(&second).await, "`model.onnx`: bad");
        assert!(second.has_failed() && second.score("a text", None).await.is_none());
        let status = second.status().expect("it is wanted");
        assert_eq!((status.restarts, status.unanswered, status.pid), (0, 1, None));
    }

    #[tokio::test]
    async fn one_that_dies_is_started_again_a_few_times() {
        let folder = tempfile::tempdir().expect("a folder");
        let second =
            second(folder.path(), "echo began >> \"$1/log\"; echo out of luck >&2; exit 3");
        let why = failure(&second).await;
        assert!(why.contains("4 times") && why.ends_with("out of luck"), "{why}");
        let began = fs::read_to_string(folder.path().join("log")).expect("a log");
        assert_eq!(began.lines().count(), MOST_DEATHS);
        assert_eq!(second.status().expect("it is wanted").restarts, MOST_DEATHS as u64 - 1);
    }

    #[tokio::test]
    async fn a_text_that_it_dies_of_has_no_score_and_the_next_one_has() {
        let folder = tempfile::tempdir().expect("a folder");
        let ready = r#"{"ready":{"kind":"a","sha256":"b","bytes":1,"window":2,"load_ms":3,"runtime":"","held":""}}"#;
        let said = r#"{"score":0.5,"windows":1,"unread":2,"problem":null}"#;
        // Dies of its first text; the second time it answers.
        let script = format!(
            "printf '\\{:03o}\\000\\000\\000%s' '{ready}'\nhead -c 4 > /dev/null\n\
             if [ ! -e \"$1/died\" ]; then touch \"$1/died\"; kill -SEGV $$; fi\n\
             printf '\\{:03o}\\000\\000\\000%s' '{said}'\ncat > /dev/null",
            ready.len(),
            said.len()
        );
        let second = second(folder.path(), &script);
        assert!(second.score("the first", None).await.is_none());
        let answer = second.score("the second", None).await.expect("it has a score");
        assert_eq!((answer.score, answer.unread), (Some(0.5), 2));
        let status = second.status().expect("it is wanted");
        assert_eq!((status.scored, status.unanswered, status.cut, status.restarts), (1, 1, 1, 1));
    }
}
