// What the person does, as an event for `SendInput`.

import type { InputEvent } from '../rpc/contract.ts';

/** The members that its kind does not have are left out. */
export type PersonInput = InputEvent & Required<Pick<InputEvent, 'kind'>>;
