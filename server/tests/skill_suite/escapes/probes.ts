// Tries to get out, one way after the other, and says which ways led out.
import { spawn, spawnSync } from 'node:child_process';
import * as dgram from 'node:dgram';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';

const at = JSON.parse(fs.readFileSync('targets.json', 'utf8'));
const found: Record<string, boolean> = {};

async function probe(name: string, act: () => unknown): Promise<void> {
  try {
    found[name] = Boolean(await act());
  } catch (error) {
    found[name] = false;
    console.error(`${name}: ${error}`);
  }
}

const reads = (file: string) => fs.readFileSync(file).length > 0;

function connects(options: net.NetConnectOpts): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(options, () => resolve(socket.destroy() !== undefined));
    socket.on('error', reject);
  });
}

function sends(): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket('udp4');
    socket.on('error', reject);
    socket.send('x', at.udp, '127.0.0.1', (error) => {
      socket.close();
      if (error) reject(error);
      else resolve(true);
    });
  });
}

function writes(file: string): boolean {
  fs.writeFileSync(file, 'x');
  fs.rmSync(file);
  return true;
}

function fills(): boolean {
  const folder = process.env['TMPDIR'] ?? '/tmp';
  const names = [0, 1, 2, 3, 4].map((number) => path.join(folder, `browse-fill-${process.pid}-${number}`));
  try {
    for (const name of names) fs.writeFileSync(name, Buffer.alloc(20 << 20));
    return true;
  } finally {
    for (const name of names) fs.rmSync(name, { force: true });
  }
}

/** Copies of this program that do nothing: no other program can be started in here. */
function forks(): Promise<boolean> {
  const idle = Array.from({ length: 140 }, () => spawn(process.execPath, ['--jitless', '-e', '0'], { stdio: 'ignore' }));
  const begun = idle.map((child) => new Promise<boolean>((resolve) => {
    child.on('spawn', () => resolve(true));
    child.on('error', () => resolve(false));
  }));
  return Promise.all(begun).then((all) => {
    for (const child of idle) child.kill('SIGKILL');
    return all.every(Boolean);
  });
}

await probe('reads_private_key', () => reads(at.key));
await probe('reads_root_token', () => reads(at.state));
await probe('reads_other_skill', () => reads(at.other));
await probe('reads_environment_of_daemon', () => reads(`/proc/${at.daemon}/environ`));
await probe('lists_home', () => fs.readdirSync(path.dirname(path.dirname(at.key))).length > 0);
await probe('writes_outside', () => writes(at.outside));
await probe('writes_own_folder', () => writes('written'));
await probe('tcp_other_port', () => connects({ host: '127.0.0.1', port: at.tcp }));
await probe('tcp_other_host', () => connects({ host: '127.0.0.2', port: at.tcp }));
await probe('udp', sends);
await probe('unix_path', () => connects({ path: at.unix }));
await probe('signals_daemon', () => process.kill(at.daemon, 0));
await probe('starts_a_shell', () => spawnSync('/bin/sh', ['-c', 'exit 0']).status === 0);
await probe('fills_scratch', fills);
await probe('forks_beyond_limit', forks);
console.log(JSON.stringify(found));
