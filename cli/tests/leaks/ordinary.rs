//! Tasks that people give agents every day: none is stopped, and none is warned of.
