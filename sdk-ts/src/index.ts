// What the package offers. The order of these lines is that of the bundle.

export * from './generated/commands.ts';
export { type Browse, browse, connect } from './browse.ts';
export { type Options } from './client.ts';
export { BrowseError } from './error.ts';
export { redeem, remote, type RemoteOptions } from './remote.ts';
export { type Saved, type SavedFolder } from './save.ts';
export { type Arguments, skill } from './skill.ts';
