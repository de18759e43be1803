// The little that differs between node, bun and deno.
//
// `process` is a native part of node and of bun. deno loads it at first use, in
// 15 ms, so nothing here touches it there. Nor is `process.stdout` used: bun
// needs 14 ms to make it a stream, and `console.log` writes the same bytes.

interface Deno {
  env: { get(name: string): string | undefined };
  exitCode: number;
}

const { Bun, Deno } = globalThis as { Bun?: object; Deno?: Deno };

/** Whether this is bun. */
export const isBun: boolean = Bun !== undefined;

/** Whether this is deno. */
export const isDeno: boolean = Deno !== undefined;

/** A variable of the environment. */
export function variable(name: string): string | undefined {
  return Deno ? Deno.env.get(name) : process.env[name];
}

/** Sets what the process will exit with. */
export function exitWith(code: number): void {
  if (Deno) Deno.exitCode = code;
  else process.exitCode = code;
}
