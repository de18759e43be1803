//! Facts about one element.

use browse_proto::{Reason, v1};

use crate::{
    dispatch::CallContext,
    handlers::browser::{bounds::to_box, navigation},
};
use browse_base::{Error, Result};
use browse_engine::{ElementStateKind, Target};

/// Tests a state of an element.
pub async fn is(cx: &CallContext, request: v1::IsRequest) -> Result<v1::IsResponse> {
    let state = match request.state() {
        v1::ElementState::Unspecified => return Err(missing_field("state", "is")),
        v1::ElementState::Visible => ElementStateKind::Visible,
        v1::ElementState::Hidden => ElementStateKind::Hidden,
        v1::ElementState::Enabled => ElementStateKind::Enabled,
        v1::ElementState::Disabled => ElementStateKind::Disabled,
        v1::ElementState::Checked => ElementStateKind::Checked,
        v1::ElementState::Editable => ElementStateKind::Editable,
        v1::ElementState::Focused => ElementStateKind::Focused,
    };
    let target: Target = request.target.parse()?;
    let value = cx.engine().has_state(&target, state).await?;
    if request.assert && !value {
        let word = request.state().as_str_name().trim_start_matches("ELEMENT_STATE_");
        let message = format!("`{}` is not {}", request.target, word.to_lowercase());
        return Err(Error::new(Reason::AssertionFailed, message));
    }
    Ok(v1::IsResponse { value })
}

/// Reads a property of the page or of an element.
pub async fn get(cx: &CallContext, request: v1::GetRequest) -> Result<v1::GetResponse> {
    let tab = cx.tab();
    let property = request.property();
    if property == v1::Property::Title {
        return Ok(v1::GetResponse { value: navigation::title(tab.page()).await, r#box: None });
    }
    let target = request.target.as_deref().ok_or_else(|| missing_field("target", "get"))?;
    let target: Target = target.parse()?;
    let engine = &tab.engine();
    let value = match property {
        v1::Property::Unspecified | v1::Property::Title => {
            return Err(missing_field("property", "get"));
        }
        v1::Property::Value => engine.value(&target).await?,
        v1::Property::Count => engine.count(&target).await?.to_string(),
        v1::Property::Role => engine.describe(&target).await?.role,
        v1::Property::Name => engine.describe(&target).await?.name,
        v1::Property::Description => engine.describe(&target).await?.description,
        v1::Property::Box => {
            let bounds = to_box(engine.bounds(&target).await?);
            let value = format!("{},{},{},{}", bounds.x, bounds.y, bounds.width, bounds.height);
            return Ok(v1::GetResponse { value, r#box: Some(bounds) });
        }
    };
    Ok(v1::GetResponse { value, r#box: None })
}

/// Reads the attributes of an element.
pub async fn attrs(cx: &CallContext, request: v1::AttrsRequest) -> Result<v1::AttrsResponse> {
    let target: Target = request.target.parse()?;
    let attributes = cx.engine().attrs(&target).await?;
    let attributes = attributes.into_iter().map(|(name, value)| v1::Attribute { name, value });
    Ok(v1::AttrsResponse { attributes: attributes.collect() })
}

fn missing_field(field: &str, command: &str) -> Error {
    let message = format!("`{field}` is missing");
    Error::new(Reason::ArgumentInvalid, message).with("command", command)
}
