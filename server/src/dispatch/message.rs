//! Requests and responses without their types, so that what is done around the handler of every
//! command is compiled once and not for each of them.

use std::any::Any;

use browse_proto::{PageDerived, SentData};

/// A request of any command.
pub trait RequestMessage: SentData + Send + Sync {
    /// Its protobuf encoding.
    fn encoded(&self) -> Vec<u8>;

    /// Bytes of its encoding.
    fn byte_len(&self) -> usize;
}

impl<Q: prost::Message + SentData> RequestMessage for Q {
    fn encoded(&self) -> Vec<u8> {
        self.encode_to_vec()
    }

    fn byte_len(&self) -> usize {
        self.encoded_len()
    }
}

/// A response of any command.
pub trait ResponseMessage: PageDerived + Any + Send + Sync {
    /// Its protobuf encoding.
    fn encoded(&self) -> Vec<u8>;

    /// Bytes of its encoding.
    fn byte_len(&self) -> usize;
}

impl<R: prost::Message + PageDerived + 'static> ResponseMessage for R {
    fn encoded(&self) -> Vec<u8> {
        self.encode_to_vec()
    }

    fn byte_len(&self) -> usize {
        self.encoded_len()
    }
}
