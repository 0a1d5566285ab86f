// Tests of reservations against a real service at HEADGATE_URL, which has the rules of clients/rules.yaml.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { after, test } from "node:test";
import { Headgate, HeadgateRejected } from "../dist/index.js";

const url = process.env.HEADGATE_URL;
const token = process.env.HEADGATE_TOKEN;
const patient = { token, deadlineMs: 30_000, failOpen: false };
const service = new Headgate(url, patient);
const servers = [];
after(async () => {
  servers.forEach((server) => (server.closeAllConnections?.(), server.close()));
  await globalThis[Symbol.for("undici.globalDispatcher.1")]?.destroy(); // or idle connections delay the exit
});

const team = () => ({ team: randomUUID() });

/** The tokens of 1000 that are neither charged nor reserved. */
const free = async (subject) => (await service.peek(subject)).remaining;

async function listen(server) {
  servers.push(server);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

async function unreachable() {
  const server = createTcpServer();
  const address = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return address;
}

/** Forwards requests to the service, and ends the connection instead of each response that `loses` selects. */
async function losing(loses) {
  const requests = [];
  const address = await listen(createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { "content-type": type, authorization } = request.headers;
    const headers = { ...(type ? { "Content-Type": type } : {}), Authorization: authorization };
    const body = parts.length ? Buffer.concat(parts) : undefined;
    const answer = await fetch(url + request.url, { method: request.method, headers, body });
    const text = await answer.text();
    requests.push(request.method);
    if (loses(requests.length)) request.socket.destroy();
    else response.writeHead(answer.status).end(text);
  }));
  return { client: new Headgate(address, patient), requests };
}

test("settlement returns the rest, and a repetition has the same answer", async () => {
  const subject = team();
  const reservation = await service.reserve(subject, { costs: { tokens: 600 }, ttlMs: 30_000 });
  assert.ok(reservation.allowed && reservation.backed && reservation.expiresAtMs > 1_700_000_000_000);
  assert.deepEqual(reservation.reserved, { cost: 1, tokens: 600 });
  assert.equal(await free(subject), 400);
  const first = await reservation.settle({ tokens: 350 });
  assert.deepEqual([first.status, first.charged.tokens, first.returned.tokens], ["settled", 350, 250]);
  assert.deepEqual(await reservation.settle({ tokens: 999 }), first);
  await reservation.cancel();
  assert.equal(await free(subject), 650);
});

test("update stops the request when nothing is left", async () => {
  const reservation = await service.reserve(team(), { costs: { tokens: 600 } });
  const update = await reservation.update({ tokens: 200 });
  assert.deepEqual([update.continue, update.status, update.reserved.tokens], [true, "open", 400]);
  assert.ok(update.expiresAtMs >= reservation.expiresAtMs);
  assert.equal((await reservation.update({ tokens: 300 }, { more: { tokens: 100 } })).grown, true);
  assert.equal((await reservation.update({ tokens: 1000 })).continue, false);
  await reservation.settle({ tokens: 1000 }, { cost: 0 });
  assert.equal((await reservation.update({ tokens: 1000 })).status, "settled");
});

test("disposing cancels, or settles the usage that was reported", async () => {
  const subject = team();
  const unused = await service.reserve(subject, { costs: { tokens: 600 } });
  assert.equal(await free(subject), 400);
  await unused[Symbol.asyncDispose]();
  assert.equal(await free(subject), 1000);
  const reported = await service.reserve(subject, { costs: { tokens: 600 } });
  await reported.update({ tokens: 100 });
  await reported.close();
  assert.equal(await free(subject), 900);
  const settled = await service.reserve(subject, { costs: { tokens: 600 } });
  await settled.settle({ tokens: 50 });
  await settled.close();
  assert.equal(await free(subject), 850);
});

test("disposing sends nothing after a settlement that failed", async () => {
  const { client, requests } = await losing((count) => count > 1);
  const reservation = await client.reserve(team(), { costs: { tokens: 600 } });
  assert.equal((await reservation.settle({ tokens: 100 })).status, "unavailable");
  await reservation.close();
  assert.deepEqual(requests, ["POST", "POST", "POST"]); // and no cancellation
});

test("denied reservation holds nothing", async () => {
  const subject = team();
  await service.reserve(subject, { costs: { tokens: 600 } });
  const denied = await service.reserve(subject, { costs: { tokens: 600 } });
  assert.deepEqual([denied.allowed, denied.backed, denied.id], [false, false, undefined]);
  assert.deepEqual(denied.decision.violated, ["model-tokens/tokens"]);
  assert.ok(denied.decision.retryAfterMs > 0);
  for (const use of [() => denied.update({ tokens: 1 }), () => denied.settle({ tokens: 1 }), () => denied.cancel()]) {
    await assert.rejects(use, /denied/);
  }
  await denied.close();
  assert.equal(await free(subject), 400);
});

test("usage is charged beyond the limit", async () => {
  const subject = team();
  assert.ok((await service.reportUsage(subject, { costs: { tokens: 1200 } })).allowed);
  assert.equal((await service.reserve(subject, { costs: { tokens: 1 } })).allowed, false);
});

test("any process settles by the id", async () => {
  const { id } = await service.reserve(team(), { costs: { tokens: 600 } });
  assert.equal((await new Headgate(url, patient).reservation(id).settle({ tokens: 10 })).returned.tokens, 590);
});

test("exactly the limit is reserved by concurrent calls", async () => {
  const subject = team();
  const made = await Promise.all(Array.from({ length: 30 }, () => service.reserve(subject, { costs: { tokens: 100 } })));
  assert.equal(made.filter((reservation) => reservation.allowed).length, 10);
});

test("unknown ids are rejected in every failure mode", async () => {
  const open = new Headgate(url, { ...patient, failOpen: true });
  const { id } = await open.reserve(team(), { costs: { tokens: 1 } });
  const altered = id.slice(0, -2) + (id.endsWith("AA") ? "BB" : "AA");
  for (const unknown of [altered, "x", "", "a/b", "../check", "..", "a?b#c", "a b\r\nX: y", "%2F", "ü".repeat(100), "x".repeat(5000)]) {
    const reservation = open.reservation(unknown);
    for (const use of [() => reservation.update({ tokens: 1 }), () => reservation.settle({ tokens: 1 }), () => reservation.cancel()]) {
      await assert.rejects(use, (e) => e instanceof HeadgateRejected && e.status > 400, unknown.slice(0, 10));
    }
  }
});

test("invalid costs are rejected and charge nothing", async () => {
  const open = new Headgate(url, { ...patient, failOpen: true });
  const subject = team();
  const reservation = await open.reserve(subject, { costs: { tokens: 600 } });
  const rejected = (e) => e instanceof HeadgateRejected && e.status === 400;
  for (const tokens of [-1, 2 ** 53 + 2, 1e300, 0.5, NaN, Infinity, "1", null]) {
    await assert.rejects(open.reserve(subject, { costs: { tokens } }), rejected, String(tokens));
    await assert.rejects(open.reportUsage(subject, { costs: { tokens } }), rejected, String(tokens));
    await assert.rejects(reservation.update({ tokens }), rejected, String(tokens));
    await assert.rejects(reservation.settle({ tokens }), rejected, String(tokens));
  }
  await assert.rejects(reservation.settle({ tokens: 1n }), TypeError);
  for (const ttlMs of [0, -1, 1e12]) await assert.rejects(open.reserve(subject, { ttlMs }), rejected);
  assert.equal(await free(subject), 400);
});

test("failure mode decides reservations and updates without a service", async () => {
  const gone = new Headgate(await unreachable(), patient);
  const denied = await gone.reserve(team(), { costs: { tokens: 600 } });
  assert.deepEqual([denied.allowed, denied.backed], [false, false]);
  assert.match(denied.decision.failure, /127\.0\.0\.1/);
  assert.ok((await gone.reportUsage(team(), { costs: { tokens: 1 } })).failure);
  const local = await gone.reserve(team(), { costs: { tokens: 600 }, failOpen: true });
  assert.deepEqual([local.allowed, local.backed, local.id, local.reserved], [true, false, undefined, {}]);
  const update = await local.update({ tokens: 1e6 });
  assert.deepEqual([update.continue, update.status], [true, "local"]);
  const settled = await local.settle({ tokens: 350 });
  assert.equal(settled.status, "local");
  assert.match(settled.failure, /127\.0\.0\.1/);
  await local.cancel();
  await local.close();

  const known = gone.reservation("some-id");
  const stopped = await known.update({ tokens: 1 });
  assert.deepEqual([stopped.continue, stopped.status], [false, "unavailable"]);
  assert.equal((await known.settle({ tokens: 1 })).status, "unavailable");
  const open = new Headgate(await unreachable(), { ...patient, failOpen: true });
  assert.equal((await open.reservation("some-id").update({ tokens: 1 })).continue, true);
});

test("settlement and cancellation are repeated once if the response is lost", async () => {
  for (const [end, left] of [[(r) => r.settle({ tokens: 100 }), 900], [(r) => r.cancel(), 1000], [(r) => r.close(), 1000]]) {
    const { client, requests } = await losing((count) => count === 2);
    const subject = team();
    const settled = await end(await client.reserve(subject, { costs: { tokens: 600 } }));
    assert.equal(requests.length, 3);
    assert.equal(requests[1], requests[2]);
    if (settled) assert.deepEqual([settled.status, settled.failure], ["settled", undefined]);
    assert.equal(await free(subject), left);
  }
});

test("nothing else is repeated", async () => {
  const { client, requests } = await losing(() => true);
  assert.ok((await client.reserve(team(), { costs: { tokens: 1 } })).decision.failure);
  assert.ok((await client.reportUsage(team(), { costs: { tokens: 1 } })).failure);
  assert.ok((await client.reservation("some-id").update({ tokens: 1 })).failure);
  assert.deepEqual(requests, ["POST", "POST", "PATCH"]);
  assert.equal((await client.reservation("some-id").settle({ tokens: 1 })).status, "unavailable");
  assert.equal(requests.length, 5); // twice, and no more
});

test("silent service costs a settlement the deadline", async () => {
  const sockets = [];
  const client = new Headgate(await listen(createTcpServer((socket) => sockets.push(socket))), { deadlineMs: 50 });
  assert.equal((await client.reservation("some-id").settle({ tokens: 1 })).status, "unavailable");
  sockets.forEach((socket) => socket.destroy());
});

test("unusual responses are no reservation", async () => {
  const bodies = ["", "<html>", "[]", "{}", "null", '{"allowed":true,"source":"store","limits":[]}',
    '{"allowed":true,"source":"store","limits":[],"id":7,"reserved":{},"expiresAtMs":1}',
    '{"allowed":true,"source":"store","limits":[],"id":"x","reserved":{"tokens":"1"},"expiresAtMs":1}',
    '{"allowed":true,"source":"store","limits":[],"id":"x","reserved":null,"expiresAtMs":1}',
    '{"continue":"yes","status":7}', "[".repeat(100_000), `{"status":"${"x".repeat(2 << 20)}"}`];
  for (const body of bodies) {
    const address = await listen(createServer((request, response) => request.resume().on("end", () => response.end(body))));
    const client = new Headgate(address, patient);
    assert.equal((await client.reserve(team())).allowed, false, body.slice(0, 60));
    assert.equal((await client.reservation("x").update({ tokens: 1 })).continue, false, body.slice(0, 60));
    assert.equal((await client.reservation("x").settle({ tokens: 1 })).status, "unavailable", body.slice(0, 60));
  }
});

test("client needs nothing but fetch, so that it runs in browsers", async () => {
  const folder = new URL("../dist/", import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith(".js"));
  assert.ok(files.includes("reservation.js"));
  for (const name of files) {
    const code = await readFile(new URL(name, folder), "utf8");
    for (const [, module] of code.matchAll(/(?:from|import)\s*\(?\s*["']([^"']+)["']/g)) assert.match(module, /^\.\//, name);
    assert.doesNotMatch(code, /\b(?:require\(|process\.|Buffer\b)/, name);
  }
});
