//! Pictures of a page with its refs drawn into them. The page itself is not
//! touched: what is drawn exists in the picture only.

pub mod canvas;
pub mod ref_boxes;
