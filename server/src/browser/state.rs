//! States: what a session holds, sealed in a file of the home of browse.

mod contents;
mod gather;
mod key;
mod name;
mod restore;
mod seal;
mod store;

use browse_proto::v1;
use futures::future::join_all;

pub use contents::Contents;
pub use gather::gather;
pub use key::{Key, Keyring, Place};
pub use name::StateName;
pub use restore::give;
pub use store::Store;

use crate::{
    dispatch::Context,
    error::{Error, Result},
};

/// Saves cookies, local storage and addresses of the session.
pub async fn save_state(
    cx: &Context,
    request: v1::SaveStateRequest,
) -> Result<v1::SaveStateResponse> {
    let name: StateName = request.name.parse()?;
    let store = Store::of(cx.settings())?;
    let key = keyring(cx, &store).for_saving(cx.deadline()).await?;
    let contents = gather::gather(cx).await?;
    store.write(&name, &seal::seal(&key, &contents.pack()?)).await?;
    Ok(v1::SaveStateResponse {
        summary: format!("saved {name}: {}; key in the {}", contents.words(), key.place),
        cookies: contents.cookies.len() as u32,
        origins: contents.origins.len() as u32,
        tabs: contents.tabs.len() as u32,
        key: key.place.to_string(),
    })
}

/// Brings a session to what was saved.
pub async fn load_state(
    cx: &Context,
    request: v1::LoadStateRequest,
) -> Result<v1::LoadStateResponse> {
    let name: StateName = request.name.parse()?;
    let store = Store::of(cx.settings())?;
    let contents = opened(cx, &store, &name).await?;
    restore::restore(cx, contents, &request).await
}

/// Lists the states, and where the key of each is.
pub async fn list_states(cx: &Context, _: v1::ListStatesRequest) -> Result<v1::ListStatesResponse> {
    let store = Store::of(cx.settings())?;
    let rows = store.list().await?.into_iter().map(|file| {
        let store = &store;
        async move {
            let opened = opened(cx, store, &file.name).await;
            let place = store.place(&file.name).await.map(|place| place.to_string());
            let contents = opened.as_ref().ok();
            v1::State {
                name: file.name.to_string(),
                saved: file.saved,
                bytes: file.bytes,
                holds: contents.map(Contents::words).unwrap_or_default(),
                cookies: contents.map(|contents| contents.cookies.len() as u32),
                origins: contents.map(|contents| contents.origins.len() as u32),
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
    cx: &Context,
    request: v1::RemoveStateRequest,
) -> Result<v1::RemoveStateResponse> {
    let name: StateName = request.name.parse()?;
    Store::of(cx.settings())?.remove(&name).await?;
    Ok(v1::RemoveStateResponse { name: name.to_string() })
}

async fn opened(cx: &Context, store: &Store, name: &StateName) -> Result<Contents> {
    let sealed = store.read(name).await?;
    let header = seal::header(&sealed, name)?;
    let key = keyring(cx, store).for_loading(header.place, cx.deadline()).await?;
    Contents::unpack(&seal::open(&key, &sealed, name)?, name)
}

fn keyring<'a>(cx: &'a Context, store: &'a Store) -> Keyring<'a> {
    let keychain = cx.settings().keychain.then(|| cx.daemon().keychain());
    Keyring { store, keychain }
}
