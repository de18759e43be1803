//! Saved sessions: somebody with write access to the bucket gives one to another tenant.

use serde_json::{Value, json};

use super::played::VAULT;
use crate::{
    real_pods::{RealPod, state_variables},
    s3::S3,
    support::{Answer, World, eventually, send},
};

const OF_ACME: &str = "/bucket/fleet/acme/vault";

async fn call(world: &World, tenant: &str, session: &str, command: &str, body: &Value) -> Answer {
    send(world.replicas[0].address, tenant, session, command, body, &[]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn no_attempt_at_the_store_opens_a_session_of_another_tenant() {
    let world = World::restoring(10).await;
    let store = S3::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("key");
    std::fs::write(&key, "5a".repeat(32)).expect("written");
    let variables = state_variables(&store, &key);
    let (victim, attacker) = tokio::join!(
        RealPod::start("stored-acme", &world.pod_identity, &variables),
        RealPod::start("stored-beta", &world.pod_identity, &variables),
    );
    world.cluster.add_pod(victim.record.clone());
    // The first save may have begun before a cookie; the next one has not.
    for count in 0..2 {
        let before = store.object(OF_ACME);
        for cookie in ["vaultcookie=1".to_owned(), format!("count={count}")] {
            let cookie = json!({ "cookie": cookie, "domain": "example.com", "expires": "30d" });
            assert_eq!(call(&world, "acme", VAULT, "cookie", &cookie).await.reason(), "ok");
        }
        eventually(|| (store.object(OF_ACME) != before).then_some(())).await;
    }
    let object = store.object(OF_ACME).expect("it is saved");
    world.cluster.add_pod(attacker.record.clone());
    assert_eq!(call(&world, "beta", "work", "cookies", &json!({})).await.reason(), "ok");
    let rows = [
        ("its object under the same name", "vault", "STATE_FOREIGN"),
        ("its object under another name", "mail", "STATE_FOREIGN"),
        // What is not there opens an empty session.
        ("a name that is not there", "other", "ok"),
    ];
    for session in ["vault", "mail"] {
        store.put(&format!("/bucket/fleet/beta/{session}"), object.clone());
    }
    for (name, session, reason) in rows {
        let answer = call(&world, "beta", session, "cookies", &json!({})).await;
        assert_eq!(answer.reason(), reason, "{name}: {answer:?}");
        assert!(!answer.body.to_string().contains("vaultcookie"), "{name}: {answer:?}");
    }
    for session in ["..", "../acme/vault", "..%2Facme%2Fvault"] {
        let answer = call(&world, "beta", session, "cookies", &json!({})).await;
        assert!(answer.status.is_client_error(), "{session}: {answer:?}");
        assert!(!answer.body.to_string().contains("vaultcookie"), "{session}: {answer:?}");
    }
    // The object itself was good: another pod of its tenant opens it.
    let third = RealPod::start("stored-third", &world.pod_identity, &variables).await;
    world.cluster.add_pod(third.record.clone());
    world.cluster.remove_pod(&victim.record.name);
    drop(victim);
    let restored = call(&world, "acme", VAULT, "cookies", &json!({})).await;
    assert!(restored.body.to_string().contains("vaultcookie"), "{restored:?}");
}
