// Serves the pages during development.
//
//   npm run dev                                     made-up data; reloads edited files
//   npm run dev -- --service http://127.0.0.1:8080  the data of a running service
//   npm run dev -- --built --port 5173              what was built, under the policy that the service sends
//   npm run dev -- --token secret                   made-up data that is guarded

import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fixture } from './fixture.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: { service: { type: 'string' }, built: { type: 'boolean' }, port: { type: 'string', default: '5173' }, token: { type: 'string' } },
});
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const POLICY = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Passes on what is asked, without the origin, which is this server's and not the service's. */
function passOn(service) {
  const target = new URL(service);
  return (incoming, outgoing) => {
    const { origin, ...headers } = incoming.headers;
    const passed = ask({ host: target.hostname, port: target.port, path: incoming.url, method: incoming.method, headers: { ...headers, host: target.host } }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.writeHead(502).end());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  };
}

function built(incoming, outgoing) {
  const path = normalize(new URL(incoming.url, 'http://here').pathname);
  const file = join(root, 'target/site', path === '/' ? 'index.html' : path);
  if (!existsSync(file) || !statSync(file).isFile()) return outgoing.writeHead(404).end();
  outgoing.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream', 'Content-Security-Policy': POLICY });
  return createReadStream(file).pipe(outgoing);
}

async function edited() {
  const { createServer: vite } = await import('vite');
  const server = await vite({ root, server: { middlewareMode: true } });
  return server.middlewares;
}

const data = values.service ? passOn(values.service) : fixture(values.token ? { token: values.token } : {});
const pages = values.built ? built : await edited();
const server = createServer((incoming, outgoing) =>
  /^\/(v1|dev)\//.test(incoming.url) ? data(incoming, outgoing) : pages(incoming, outgoing),
);
server.listen(Number(values.port), '127.0.0.1', () => {
  console.log(`The dashboard is at http://127.0.0.1:${server.address().port}/ with ${values.service ?? 'made-up data'}`);
});
