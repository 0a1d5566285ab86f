// Tests against a real service at HEADGATE_URL, which has the rules of clients/rules.yaml.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { after, test } from "node:test";
import { Headgate, HeadgateRejected, limit } from "../dist/index.js";
import { digest } from "../generate.mjs";

const url = process.env.HEADGATE_URL;
const token = process.env.HEADGATE_TOKEN;
const patient = { token, deadlineMs: 30_000, failOpen: false };
const service = new Headgate(url, patient);
const servers = [];
after(async () => {
  servers.forEach((server) => (server.closeAllConnections?.(), server.close()));
  await globalThis[Symbol.for("undici.globalDispatcher.1")]?.destroy(); // or idle connections delay the exit
});

async function listen(server) {
  servers.push(server);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

/** A server whose responses a test chooses. */
const scripted = (answer) => listen(createServer((request, response) => request.resume().on("end", () => answer(request, response))));

test("check charges until the limit and then denies", async () => {
  const key = `user:${randomUUID()}`;
  for (const left of [2, 1, 0]) assert.equal((await service.check(key)).remaining, left);
  const denied = await service.check(key);
  assert.deepEqual([denied.allowed, denied.rule, denied.source, denied.violated], [false, "per-user", "store", ["per-user"]]);
  assert.ok(denied.retryAfterMs > 1_100_000);
  const repeated = await service.check(key);
  assert.deepEqual([repeated.allowed, repeated.source], [false, "cache"]);
  assert.ok(repeated.retryAfterMs <= denied.retryAfterMs);
});

test("peek charges nothing", async () => {
  const key = `user:${randomUUID()}`;
  for (let i = 0; i < 2; i++) assert.equal((await service.peek(key)).remaining, 3);
});

test("named costs are charged, and a cost above the capacity is impossible", async () => {
  const tenant = { tenant: randomUUID() };
  assert.equal((await service.check(tenant, { costs: { bytes: 400 } })).remaining, 600);
  assert.deepEqual((await service.check(tenant, { costs: { byte: 400 } })).unusedCosts, ["byte"]);
  const never = await service.check(tenant, { costs: { bytes: 1001 } });
  assert.deepEqual([never.allowed, never.impossible, never.retryAfterMs], [false, true, null]);
});

test("exactly the limit is admitted by concurrent checks", async () => {
  const crowd = { crowd: randomUUID() };
  const decisions = await Promise.all(Array.from({ length: 200 }, () => service.check(crowd)));
  assert.equal(decisions.filter((decision) => decision.allowed).length, 50);
});

test("slot is held until it is disposed of", async () => {
  const job = { job: randomUUID() };
  for (let i = 0; i < 2; i++) {
    const slot = await service.acquire(job);
    assert.ok(slot.allowed);
    assert.equal((await service.acquire(job)).allowed, false);
    await slot[Symbol.asyncDispose]();
  }
});

test("wrong token is rejected in every failure mode, and not shown", async () => {
  const client = new Headgate(url, { token: "wrong-secret", deadlineMs: 30_000, failOpen: true });
  await assert.rejects(client.check("user:42"), (e) => {
    assert.ok(e instanceof HeadgateRejected);
    assert.equal(e.status, 401);
    return !e.message.includes("wrong-secret") && !JSON.stringify(client).includes("wrong-secret");
  });
});

test("failure mode decides without a service", async () => {
  const server = createTcpServer();
  const gone = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  const client = new Headgate(gone, patient);
  assert.equal((await client.check("user:42")).allowed, false);
  const open = await client.check("user:42", { failOpen: true });
  assert.deepEqual([open.allowed, open.source], [true, "fallback"]);
  assert.match(open.failure, /127\.0\.0\.1/);
});

test("silent service costs the deadline", async () => {
  const sockets = [];
  const client = new Headgate(await listen(createTcpServer((socket) => sockets.push(socket))), { deadlineMs: 50 });
  assert.ok((await client.check("user:42")).failure);
  sockets.forEach((socket) => socket.destroy());
});

test("unusual responses are no decision", async () => {
  const bodies = ["", "<html>", "[]", "{}", "null", '{"allowed":"yes","source":"store","limits":[]}', '{"allowed":true}',
    "[".repeat(100_000), `{"allowed":true,"source":"store","limits":[],"x":"${"x".repeat(2 << 20)}"}`];
  for (const body of bodies) {
    const client = new Headgate(await scripted((_, response) => response.end(body)), patient);
    assert.ok((await client.check("user:42")).failure, body.slice(0, 40));
  }
});

test("redirect is not followed", async () => {
  let followed = 0;
  const elsewhere = await scripted((_, response) => (followed++, response.end("{}")));
  const client = new Headgate(await scripted((_, response) => response.writeHead(307, { Location: elsewhere }).end()), patient);
  assert.ok((await client.check("user:42")).failure);
  assert.equal(followed, 0);
});

test("request without a response is not repeated", async () => {
  let requests = 0;
  const client = new Headgate(await scripted((request) => (requests++, request.socket.destroy())), patient);
  assert.equal((await client.check("user:42")).allowed, false);
  assert.equal(requests, 1);
});

test("middleware denies and holds slots", async () => {
  const job = { job: randomUUID() };
  let inside;
  const middleware = limit(service, (request) => (request.url === "/free" ? undefined : job));
  const address = await scripted((request, response) =>
    middleware(request, response, async () => {
      inside = await service.peek(job);
      response.end("done");
    }));
  for (let i = 0; i < 2; i++) {
    assert.equal((await fetch(address)).status, 200);
    assert.equal(inside.allowed, false);
    while (!(await service.peek(job)).allowed); // released when the response is closed
  }
  const held = await service.acquire(job);
  const denied = await fetch(address);
  assert.equal(denied.status, 429);
  assert.ok(Number(denied.headers.get("Retry-After")) > 0);
  assert.deepEqual((await denied.json())["violated-policies"], ["jobs"]);
  assert.equal((await fetch(`${address}/free`)).status, 200);
  await held.release();
});

test("generated types are those of the API", async () => {
  const api = await (await fetch(`${url}/openapi.yaml`)).text();
  const types = await readFile(new URL("../src/openapi.ts", import.meta.url), "utf8");
  assert.ok(types.split("\n", 1)[0].endsWith(` ${digest(api)}`), "npm run generate makes src/openapi.ts anew");
  assert.notEqual(digest(api.replace("delayMs: { type", "delay: { type")), digest(api));
});

test("examples of the page run", async () => {
  const page = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/```js\n(.*?)```/gs)].map((match) => match[1].replace(/^import .*$/gm, ""));
  assert.equal(blocks.length, 3);
  const code = blocks.join("\n").replace("http://127.0.0.1:8080", url).replace("token: undefined", `token: "${token}"`);
  const run = new Function("Headgate", "limit", "console", `return (async () => {${code}})()`);
  const printed = [];
  await run(Headgate, limit, { log: (text) => printed.push(text) });
  assert.deepEqual(printed, ["one report at a time", "4 tokens"]);
});
