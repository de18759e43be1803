//! States: what a session holds, sealed in a file of the home of browse.

mod gather;
mod restore;

use browse_proto::v1;
use futures::future::join_all;

pub use gather::gather_state;
pub use restore::restore_into_page;

use crate::{
    dispatch::CallContext,
    session_state::{
        Keyring, StateContents, StateName, StateStore, pack_state, seal, unpack_state,
    },
};
use browse_base::{Error, Result};

/// Saves cookies, local storage, databases and addresses of the session.
pub async fn save_state(
    cx: &CallContext,
    request: v1::SaveStateRequest,
) -> Result<v1::SaveStateResponse> {
    let name: StateName = request.name.parse()?;
    let store = StateStore::in_home(&cx.settings().home)?;
    let key = keyring(cx, &store).for_saving(cx.deadline()).await?;
    let contents = gather::gather_state(cx).await?;
    store.write(&name, &seal(&key, &pack_state(&contents)?)).await?;
    let counts = contents.counts();
    Ok(v1::SaveStateResponse {
        summary: format!("saved {name}: {counts}; key in the {}", key.location),
        cookies: counts.cookies,
        origins: counts.origins,
        databases: counts.databases,
        tabs: counts.tabs,
        not_saved: contents.omitted(),
        key: key.location.to_string(),
    })
}

/// Brings a session to what was saved.
pub async fn load_state(
    cx: &CallContext,
    request: v1::LoadStateRequest,
) -> Result<v1::LoadStateResponse> {
    let name: StateName = request.name.parse()?;
    let store = StateStore::in_home(&cx.settings().home)?;
    let contents = open_state(cx, &store, &name).await?;
    restore::restore(cx, contents, &request).await
}

/// Lists the states, and where the key of each is.
pub async fn list_states(
    cx: &CallContext,
    _: v1::ListStatesRequest,
) -> Result<v1::ListStatesResponse> {
    let store = StateStore::in_home(&cx.settings().home)?;
    let rows = store.list().await?.into_iter().map(|file| {
        let store = &store;
        async move {
            let opened = open_state(cx, store, &file.name).await;
            let place = store.key_location(&file.name).await.map(|place| place.to_string());
            let contents = opened.as_ref().ok();
            v1::State {
                name: file.name.to_string(),
                saved: file.saved,
                bytes: file.bytes,
                holds: contents.map(|contents| contents.counts().to_string()).unwrap_or_default(),
                cookies: contents.map(|contents| contents.cookies.len() as u32),
                origins: contents.map(|contents| contents.origins.len() as u32),
                databases: contents.map(|contents| contents.counts().databases),
                tabs: contents.map(|contents| contents.tabs.len() as u32),
                key: place.unwrap_or_default(),
                problem: opened.as_ref().err().map(Error::to_string).unwrap_or_default(),
            }
        }
    });
    Ok(v1::ListStatesResponse { states: join_all(rows).await })
}

/// Removes a state.
pub async fn remove_state(
    cx: &CallContext,
    request: v1::RemoveStateRequest,
) -> Result<v1::RemoveStateResponse> {
    let name: StateName = request.name.parse()?;
    StateStore::in_home(&cx.settings().home)?.remove(&name).await?;
    Ok(v1::RemoveStateResponse { name: name.to_string() })
}

async fn open_state(
    cx: &CallContext,
    store: &StateStore,
    name: &StateName,
) -> Result<StateContents> {
    let sealed = store.read(name).await?;
    let (_, contents) = keyring(cx, store).unseal(&sealed, name, cx.deadline()).await?;
    unpack_state(&contents, name)
}

fn keyring<'a>(cx: &'a CallContext, store: &'a StateStore) -> Keyring<'a> {
    let keychain = cx.settings().keychain.then(|| cx.daemon().keychain());
    Keyring { store, keychain }
}
