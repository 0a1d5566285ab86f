// A real Redis that can be stopped.

import { spawn } from 'node:child_process';
import { freePort } from './service.mjs';

export async function startRedis() {
  const port = await freePort();
  let child;
  const start = () =>
    new Promise((resolve, reject) => {
      child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      child.once('error', reject);
      child.stdout.on('data', (text) => {
        if (String(text).includes('Ready to accept connections')) resolve();
      });
    });
  process.once('exit', () => child.kill('SIGKILL'));
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    kill: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', resolve);
        child.kill('SIGKILL');
      }),
  };
}
