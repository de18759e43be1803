//! One computed property.

use browse_proto::v1;

use crate::dispatch::CallContext;
use browse_base::Result;
use browse_engine::Target;

/// Answers the computed value of a property.
pub async fn css(cx: &CallContext, request: v1::CssRequest) -> Result<v1::CssResponse> {
    let target: Target = request.target.parse()?;
    let pseudo = request.pseudo.as_deref();
    let value = cx.engine().computed(&target, &request.property, pseudo).await;
    let value = value.map_err(|error| browse_base::Error::from(error).with("target", &target))?;
    Ok(v1::CssResponse { value })
}
