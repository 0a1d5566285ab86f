"""Tests against a real service at HEADGATE_URL, which has the rules of clients/rules.yaml."""

import asyncio
import json
import os
import re
import socket
import threading
import unittest
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from headgate import AsyncHeadgate, Headgate, HeadgateMiddleware, HeadgateRejected

URL = os.environ["HEADGATE_URL"]
TOKEN = os.environ["HEADGATE_TOKEN"]


def unique(prefix):
    return f"{prefix}{uuid.uuid4()}"


def client(cls=Headgate, url=URL, **options):
    options = {"deadline": 30, "fail_open": False, "token": TOKEN, **options}
    return cls(url, **options)


class Scripted:
    """A server whose responses a test chooses."""

    def __init__(self, body, status=200):
        self.requests = requests = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                requests.append(self.path)
                if body is None:  # closes the connection without a response
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_PATCH = do_POST

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # connections that the client cuts off
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class ClientTest(unittest.TestCase):
    def test_check_charges_until_the_limit_and_then_denies(self):
        with client() as headgate:
            key = unique("user:")
            self.assertEqual([headgate.check(key).remaining for _ in range(3)], [2, 1, 0])
            denied = headgate.check(key)
            self.assertFalse(denied.allowed)
            self.assertEqual((denied.rule, denied.source, denied.violated), ("per-user", "store", ["per-user"]))
            self.assertTrue(1100 < denied.retry_after <= 1200)
            repeated = headgate.check(key)
            self.assertEqual((repeated.allowed, repeated.source), (False, "cache"))
            self.assertLess(repeated.retry_after, denied.retry_after)

    def test_peek_charges_nothing(self):
        with client() as headgate:
            key = unique("user:")
            self.assertEqual([headgate.peek(key).remaining for _ in range(2)], [3, 3])

    def test_named_costs_and_impossible_requests(self):
        with client() as headgate:
            tenant = {"tenant": unique("t")}
            self.assertEqual(headgate.check(tenant, costs={"bytes": 400}).remaining, 600)
            self.assertEqual(headgate.check(tenant, costs={"byte": 400}).unused_costs, ["byte"])
            self.assertEqual(headgate.check(tenant, costs={"bytes": 0}).unused_costs, [])
            never = headgate.check(tenant, costs={"bytes": 1001})
            self.assertEqual((never.allowed, never.retry_after), (False, None))

    def test_denial_for_good_is_repeated_without_a_retry_time(self):
        with client() as headgate:
            key = unique("blocked:")
            self.assertEqual([headgate.check(key).source for _ in range(2)], ["store", "cache"])
            self.assertIsNone(headgate.check(key).retry_after)

    def test_exactly_the_limit_is_admitted_by_many_threads(self):
        with client() as headgate, ThreadPoolExecutor(16) as pool:
            crowd = {"crowd": unique("c")}
            allowed = pool.map(lambda _: headgate.check(crowd).allowed, range(200))
            self.assertEqual(sum(allowed), 50)

    def test_slot_is_held_until_the_end_of_the_block(self):
        with client() as headgate:
            job = {"job": unique("j")}
            with headgate.slot(job) as slot:
                self.assertTrue(slot.allowed)
                self.assertFalse(headgate.slot(job).allowed)
            with headgate.slot(job) as slot:
                self.assertTrue(slot.allowed)

    def test_wrong_token_is_rejected_and_not_shown(self):
        with client(token="wrong-secret", fail_open=True) as headgate:
            with self.assertRaises(HeadgateRejected) as raised:
                headgate.check("user:42")
            self.assertEqual(raised.exception.status, 401)
            self.assertNotIn("wrong-secret", str(raised.exception) + repr(headgate))

    def test_invalid_subject_is_rejected(self):
        with client(fail_open=True) as headgate, self.assertRaises(HeadgateRejected):
            headgate.check("line\nbreak")

    def test_failure_mode_decides_without_a_service(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with client(url=url) as headgate:
            self.assertFalse(headgate.check("user:42").allowed)
            allowed = headgate.check("user:42", fail_open=True)
            self.assertEqual((allowed.allowed, allowed.source), (True, "fallback"))
            self.assertIn("127.0.0.1", allowed.failure)

    def test_silent_service_costs_the_deadline(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            with client(url=f"http://127.0.0.1:{silent.getsockname()[1]}", deadline=0.05) as headgate:
                self.assertIsNotNone(headgate.check("user:42").failure)

    def test_unusual_responses_are_no_decision(self):
        bodies = [b"", b"<html>", b"[]", b"{}", b"null", b'{"allowed":"yes","source":"store"}', b'{"allowed":true}',
                  b"[" * 100_000, b'{"allowed":true,"source":"store","x":"' + b"x" * (2 << 20) + b'"}']
        for body in bodies:
            with self.subTest(body[:40]), Scripted(body) as server, client(url=server.url) as headgate:
                self.assertIsNotNone(headgate.check("user:42").failure)

    def test_request_without_a_response_is_not_repeated(self):
        with Scripted(None) as server, client(url=server.url) as headgate:
            self.assertFalse(headgate.check("user:42").allowed)
            self.assertEqual(server.requests, ["/v1/check"])

    def test_connection_that_the_service_closed_is_replaced(self):
        body = b'{"allowed":true,"source":"store","limits":[]}'
        with Scripted(body) as server, client(url=server.url, threads=1) as headgate:
            self.assertIsNone(headgate.check("user:1").failure)
            headgate._pool.submit(lambda: headgate._local.connection.sock.shutdown(socket.SHUT_RDWR)).result()
            self.assertIsNone(headgate.check("user:2").failure)

    def test_fields_are_those_of_the_api(self):
        api = urllib.request.urlopen(URL + "/openapi.yaml").read().decode()
        schema = api[api.index("\n    Decision:\n"):api.index("\n    Problem:\n", api.index("\n    Decision:\n"))]
        source = (Path(__file__).parent.parent / "headgate" / "client.py").read_text()
        read = set(re.findall(r'body(?:\.get\(|\[)"(\w+)"', source))
        self.assertTrue({"allowed", "retryAfterMs", "id"} <= read)
        for name in read:
            self.assertIn(f"\n        {name}:", schema)


class AsyncTest(unittest.IsolatedAsyncioTestCase):
    async def test_checks_run_concurrently_and_exactly(self):
        with client(AsyncHeadgate) as headgate:
            crowd = {"crowd": unique("c")}
            decisions = await asyncio.gather(*(headgate.check(crowd) for _ in range(100)))
            self.assertEqual(sum(d.allowed for d in decisions), 50)

    async def test_slot_is_released_at_the_end_of_the_block(self):
        with client(AsyncHeadgate) as headgate:
            job = {"job": unique("j")}
            for _ in range(2):
                async with await headgate.acquire(job) as slot:
                    self.assertTrue(slot.allowed)
                    self.assertFalse((await headgate.peek(job)).allowed)

    async def test_silent_service_costs_the_deadline(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            with client(AsyncHeadgate, url=url, deadline=0.05, fail_open=True) as headgate:
                self.assertTrue((await headgate.check("user:42")).allowed)


class MiddlewareTest(unittest.IsolatedAsyncioTestCase):
    async def request(self, app, ip, path="/login"):
        sent = []

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "path": path, "method": "POST", "client": (ip, 1), "headers": []}
        await app(scope, None, send)
        return sent

    async def test_denied_request_gets_429_and_does_not_reach_the_application(self):
        calls = []

        async def application(scope, receive, send):
            calls.append(scope["path"])
            await send({"type": "http.response.start", "status": 200, "headers": []})

        with client(AsyncHeadgate) as headgate:
            app = HeadgateMiddleware(application, headgate)
            ip = "10.%d.%d.%d" % tuple(uuid.uuid4().bytes[:3])
            statuses = [(await self.request(app, ip))[0]["status"] for _ in range(3)]
            self.assertEqual(statuses, [200, 200, 429])
            self.assertEqual(len(calls), 2)
            start, body = await self.request(app, ip)
            self.assertGreater(int(dict(start["headers"])[b"retry-after"]), 0)
            self.assertEqual(json.loads(body["body"])["violated-policies"], ["login"])

    async def test_application_holds_the_slot_while_it_runs(self):
        with client(AsyncHeadgate) as headgate:
            job = {"job": unique("j")}

            async def application(scope, receive, send):
                self.assertFalse((await headgate.peek(job)).allowed)
                raise ValueError("for the test")

            app = HeadgateMiddleware(application, headgate, subject=lambda scope: job)
            with self.assertRaises(ValueError):
                await self.request(app, "10.0.0.1")
            self.assertTrue((await headgate.peek(job)).allowed)

    async def test_starlette_application_is_limited(self):
        try:
            from starlette.applications import Starlette
        except ImportError:
            self.skipTest("Starlette is not installed")
        with client(AsyncHeadgate) as headgate:
            app = Starlette()
            app.add_middleware(HeadgateMiddleware, client=headgate)
            ip = "10.%d.%d.%d" % tuple(uuid.uuid4().bytes[:3])
            statuses = [(await self.request(app, ip))[0]["status"] for _ in range(3)]
            self.assertEqual(statuses, [404, 404, 429])


class ReadmeTest(unittest.TestCase):
    def test_examples_run(self):
        text = (Path(__file__).parent.parent / "README.md").read_text()
        blocks = re.findall(r"```python\n(.*?)```", text, re.S)
        self.assertEqual(len(blocks), 4)
        names = {}
        for block in blocks:
            block = block.replace("http://127.0.0.1:8080", URL).replace("token=None", f"token={TOKEN!r}")
            exec(block.replace(f'AsyncHeadgate("{URL}")', f'AsyncHeadgate("{URL}", token={TOKEN!r})'), names)
        names["client"].close()


if __name__ == "__main__":
    unittest.main()
