//! Commands whose answer comes in pieces that are saved.

use std::cell::RefCell;

use crate::{
    call, execute, failure::Result, globals::Globals, request::PreparedRequest,
    response::ResponseNotices, save,
};

/// Makes the call of `request`, and writes what it answers.
pub fn save(request: &PreparedRequest, globals: &Globals) -> Result<u8> {
    let command = request.invocation.command;
    save::check_output(&request.invocation, globals)?;
    execute::with_daemon(command, globals, |daemon| {
        // A failure drops it, and with it what is half written.
        let mut sink = save::open_sink(&request.invocation, globals)?;
        let notes = RefCell::new(ResponseNotices::default());
        call::send_streaming(
            request,
            globals,
            daemon,
            |reported| {
                reported.print();
                *notes.borrow_mut() = reported;
                Ok(())
            },
            |message| save::write_part(sink.as_mut(), &message, command),
            |end| {
                end.print();
                notes.borrow_mut().merge(end);
            },
        )?;
        Ok(sink.finish(notes.borrow().untrusted.as_ref())?)
    })
}
