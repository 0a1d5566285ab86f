// The real service, in a process and a directory of its own.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns a free port. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

const JVM_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

export async function startService(...options) {
  const directory = mkdtempSync(join(tmpdir(), 'headgate-e2e-'));
  const port = await freePort();
  let child;

  const start = () =>
    new Promise((resolve, reject) => {
      let said = '';
      child = spawn(
        process.env.HEADGATE_JAVA,
        // No test depends on the speed of the first calls.
        [...JVM_OPTIONS, '-jar', process.env.HEADGATE_JAR, 'serve', '--port', String(port), '--warm-up', '0s', ...options],
        { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] },
      );
      const hear = (text) => {
        said += text;
        if (said.includes('listens on')) resolve();
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the service has ended (${code}): ${said}`)));
    });

  const end = (signal) =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.removeAllListeners('exit');
      child.once('exit', resolve);
      child.kill(signal);
    });

  // Also when a test ends in a way that it should not.
  process.once('exit', () => child.kill('SIGKILL'));
  // A machine that is busy enough keeps it from opening its database in time.
  await start().catch(start).catch(start);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    start,
    kill: () => end('SIGKILL'),
    async close() {
      await end('SIGTERM');
      rmSync(directory, { recursive: true, force: true });
    },
    /** Asks it, as a program would. */
    async ask(path, { method = 'GET', body, headers = {} } = {}) {
      const answer = await fetch(url + path, {
        method,
        headers: { ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await answer.text();
      return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
    },
    async check(subject, times = 1, headers = {}) {
      let last;
      for (let i = 0; i < times; i++) {
        const body = typeof subject === 'string' ? { key: subject } : { subject };
        last = await this.ask('/v1/check', { method: 'POST', body, headers });
      }
      return last;
    },
  };
}
