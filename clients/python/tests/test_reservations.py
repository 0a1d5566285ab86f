"""Tests of reservations against a real service at HEADGATE_URL, which has the rules of clients/rules.yaml."""

import asyncio
import re
import socket
import threading
import unittest
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from headgate import AsyncHeadgate, HeadgateRejected
from test_client import URL, Scripted, client, unique


def team():
    return {"team": unique("t")}


def tokens(count):
    return {"tokens": count}


def free(headgate, subject):
    """Returns the tokens of 1000 that are neither charged nor reserved."""
    return headgate.peek(subject).remaining


def closed_url():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{closed.getsockname()[1]}"


class Losing:
    """Forwards requests to the service, and closes the connection instead of each response that `loses` names."""

    def __init__(self, loses):
        self.requests = requests = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                keep = ("Content-Type", "Authorization")
                headers = {name: self.headers[name] for name in keep if name in self.headers}
                request = urllib.request.Request(URL + self.path, body or None, headers, method=self.command)
                try:
                    response = urllib.request.urlopen(request)
                except urllib.error.HTTPError as e:
                    response = e
                text = response.read()
                requests.append((self.command, self.path.rsplit("/", 1)[-1]))
                if loses(self.command, self.path, len(requests)):
                    self.close_connection = True
                    return
                self.send_response(response.status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_POST = do_PATCH = do_DELETE = forward

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Slow(Losing):
    """Forwards requests to the service, and holds back the response to a reservation until `answer` is set."""

    def __init__(self):
        self.reserved, self.answer, self.cancelled = threading.Event(), threading.Event(), threading.Event()
        super().__init__(self.hold)

    def hold(self, method, *_):
        if method == "DELETE":
            self.cancelled.set()
        else:
            self.reserved.set()
            self.answer.wait()
        return False


class ReservationTest(unittest.TestCase):
    def test_settlement_returns_the_rest_and_a_repetition_has_the_same_answer(self):
        with client() as headgate:
            subject = team()
            reservation = headgate.reserve(subject, costs=tokens(600), ttl=30)
            self.assertTrue(reservation.allowed and reservation.backed)
            self.assertEqual(reservation.reserved, {"cost": 1, "tokens": 600})
            self.assertGreater(reservation.expires_at, 1_700_000_000)
            self.assertEqual(free(headgate, subject), 400)
            first = reservation.settle(tokens(350))
            self.assertEqual((first.status, first.charged["tokens"], first.returned["tokens"]), ("settled", 350, 250))
            self.assertEqual(reservation.settle(tokens(999)), first)
            reservation.cancel()
            self.assertEqual(free(headgate, subject), 650)

    def test_update_stops_the_request_when_nothing_is_left(self):
        with client() as headgate:
            reservation = headgate.reserve(team(), costs=tokens(600))
            update = reservation.update(tokens(200))
            self.assertEqual((update.may_continue, update.status, update.reserved["tokens"]), (True, "open", 400))
            self.assertGreaterEqual(update.expires_at, reservation.expires_at)
            self.assertTrue(reservation.update(tokens(300), more=tokens(100)).grown)
            self.assertFalse(reservation.update(tokens(300), more=tokens(9000)).grown)
            self.assertFalse(reservation.update(tokens(1000)).may_continue)
            reservation.settle(tokens(1000), cost=0)
            self.assertEqual(reservation.update(tokens(1000)).status, "settled")

    def test_end_of_the_block_cancels_or_settles_the_reported_usage(self):
        with client() as headgate:
            subject = team()
            with headgate.reserve(subject, costs=tokens(600)):
                self.assertEqual(free(headgate, subject), 400)
            self.assertEqual(free(headgate, subject), 1000)
            with self.assertRaises(KeyError), headgate.reserve(subject, costs=tokens(600)) as reservation:
                reservation.update(tokens(100))
                raise KeyError("for the test")
            self.assertEqual(free(headgate, subject), 900)
            with headgate.reserve(subject, costs=tokens(600)) as reservation:
                reservation.settle(tokens(50))
            self.assertEqual(free(headgate, subject), 850)

    def test_end_of_the_block_sends_nothing_after_a_settlement_that_failed(self):
        with Losing(lambda method, path, _: path.endswith("/settle")) as proxy, client(url=proxy.url) as headgate:
            with headgate.reserve(team(), costs=tokens(600)) as reservation:
                self.assertEqual(reservation.settle(tokens(100)).status, "unavailable")
            self.assertEqual([request[0] for request in proxy.requests], ["POST"] * 3)  # and no cancellation

    def test_denied_reservation_holds_nothing(self):
        with client() as headgate:
            subject = team()
            headgate.reserve(subject, costs=tokens(600))
            with headgate.reserve(subject, costs=tokens(600)) as denied:
                self.assertEqual((denied.allowed, denied.backed, denied.id), (False, False, None))
                self.assertEqual(denied.decision.violated, ["model-tokens/tokens"])
                self.assertGreater(denied.decision.retry_after, 0)
                for use in (lambda: denied.update(tokens(1)), lambda: denied.settle(tokens(1)), denied.cancel):
                    self.assertRaisesRegex(RuntimeError, "denied", use)
            self.assertEqual(free(headgate, subject), 400)

    def test_usage_is_charged_beyond_the_limit(self):
        with client() as headgate:
            subject = team()
            self.assertTrue(headgate.report_usage(subject, costs=tokens(1200)).allowed)
            self.assertFalse(headgate.reserve(subject, costs=tokens(1)).allowed)

    def test_any_process_settles_by_the_id(self):
        with client() as headgate, client() as other:
            subject = team()
            made = headgate.reserve(subject, costs=tokens(600))
            self.assertEqual(other.reservation(made.id).settle(tokens(10)).returned["tokens"], 590)

    def test_unknown_ids_are_rejected(self):
        with client(fail_open=True) as headgate:
            made = headgate.reserve(team(), costs=tokens(1)).id
            altered = made[:-2] + ("AA" if made[-2:] != "AA" else "BB")
            for unknown in (altered, "x", "", "a/b", "../check", "..", "a?b#c", "a b\r\nX: y", "%2F", "ü" * 100, "x" * 5000):
                reservation = headgate.reservation(unknown)
                for use in (lambda: reservation.update(tokens(1)), lambda: reservation.settle(tokens(1)), reservation.cancel):
                    with self.subTest(unknown[:10]), self.assertRaises(HeadgateRejected) as raised:
                        use()
                    self.assertIn(raised.exception.status, (404, 405))

    def test_invalid_costs_are_rejected_and_charge_nothing(self):
        with client(fail_open=True) as headgate:
            subject = team()
            reservation = headgate.reserve(subject, costs=tokens(600))
            for invalid in (-1, (1 << 53) + 1, 1 << 63, 10 ** 400, 0.5, "1", None, float("inf")):
                costs = tokens(invalid)
                for use in (lambda: headgate.reserve(subject, costs=costs), lambda: headgate.report_usage(subject, costs=costs),
                            lambda: reservation.update(costs), lambda: reservation.settle(costs)):
                    with self.subTest(invalid), self.assertRaises(HeadgateRejected) as raised:
                        use()
                    self.assertEqual(raised.exception.status, 400)
            for ttl in (0, -1, 10 ** 9):
                self.assertRaises(HeadgateRejected, headgate.reserve, subject, ttl=ttl)
            self.assertEqual(free(headgate, subject), 400)

    def test_wrong_token_is_rejected(self):
        with client(token="wrong-secret", fail_open=True) as headgate:
            self.assertRaises(HeadgateRejected, headgate.reserve, team(), costs=tokens(1))
            self.assertRaises(HeadgateRejected, headgate.report_usage, team(), costs=tokens(1))

    def test_failure_mode_decides_without_a_service(self):
        with client(url=closed_url()) as headgate:
            denied = headgate.reserve(team(), costs=tokens(600))
            self.assertEqual((denied.allowed, denied.backed), (False, False))
            self.assertIn("127.0.0.1", denied.decision.failure)
            self.assertIsNotNone(headgate.report_usage(team(), costs=tokens(1)).failure)
            with headgate.reserve(team(), costs=tokens(600), fail_open=True) as local:
                self.assertEqual((local.allowed, local.backed, local.id, local.reserved), (True, False, None, {}))
                self.assertEqual((local.update(tokens(10**6)).may_continue, local.update(tokens(1)).status), (True, "local"))
                settlement = local.settle(tokens(350))
                self.assertEqual((settlement.status, settlement.charged), ("local", {}))
                self.assertIn("127.0.0.1", settlement.failure)
                local.cancel()

    def test_failure_mode_decides_updates_and_settlements_report_the_failure(self):
        with client(url=closed_url()) as headgate:
            reservation = headgate.reservation("some-id")
            update = reservation.update(tokens(1))
            self.assertEqual((update.may_continue, update.status), (False, "unavailable"))
            self.assertIn("127.0.0.1", update.failure)
            self.assertEqual(reservation.settle(tokens(1)).status, "unavailable")
            reservation.cancel()
        with client(url=closed_url(), fail_open=True) as headgate:
            self.assertTrue(headgate.reservation("some-id").update(tokens(1)).may_continue)

    def test_settlement_and_cancellation_are_repeated_once_if_the_response_is_lost(self):
        def first_end(method, path, count):
            return (path.endswith("/settle") or method == "DELETE") and count == 2

        for end in (lambda r: r.settle(tokens(100)), lambda r: r.cancel(), lambda r: r.close()):
            with Losing(first_end) as proxy, client(url=proxy.url) as headgate, client() as direct:
                subject = team()
                reservation = headgate.reserve(subject, costs=tokens(600))
                settled = end(reservation)
                self.assertEqual(len(proxy.requests), 3)
                self.assertEqual(proxy.requests[1], proxy.requests[2])
                if settled:
                    self.assertEqual((settled.status, settled.failure), ("settled", None))
                self.assertEqual(free(direct, subject), 900 if settled else 1000)

    def test_nothing_else_is_repeated(self):
        with Losing(lambda method, *_: True) as proxy, client(url=proxy.url) as headgate:
            subject = team()
            self.assertIsNotNone(headgate.reserve(subject, costs=tokens(1)).decision.failure)
            self.assertIsNotNone(headgate.report_usage(subject, costs=tokens(1)).failure)
            self.assertIsNotNone(headgate.reservation("some-id").update(tokens(1)).failure)
            self.assertEqual([request[0] for request in proxy.requests], ["POST", "POST", "PATCH"])
            self.assertEqual(headgate.reservation("some-id").settle(tokens(1)).status, "unavailable")
            self.assertEqual(len(proxy.requests), 5)  # twice, and no more

    def test_silent_service_costs_one_deadline(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            with client(url=f"http://127.0.0.1:{silent.getsockname()[1]}", deadline=0.05) as headgate:
                self.assertEqual(headgate.reservation("some-id").settle(tokens(1)).status, "unavailable")

    def test_unusual_responses_are_none_of_the_service(self):
        bodies = [b"", b"<html>", b"[]", b"{}", b"null", b'{"allowed":true,"source":"store","limits":[]}',
                  b'{"allowed":true,"source":"store","limits":[],"id":7,"reserved":{},"expiresAtMs":1}',
                  b'{"allowed":true,"source":"store","limits":[],"id":"x","reserved":{"tokens":"1"},"expiresAtMs":1}',
                  b'{"continue":"yes","status":7}', b"[" * 100_000, b'{"status":"' + b"x" * (2 << 20) + b'"}']
        for body in bodies:
            with self.subTest(body[:60]), Scripted(body) as server, client(url=server.url) as headgate:
                self.assertFalse(headgate.reserve(team()).allowed)
                self.assertFalse(headgate.reservation("x").update(tokens(1)).may_continue)
                self.assertEqual(headgate.reservation("x").settle(tokens(1)).status, "unavailable")

    def test_reservation_whose_response_comes_after_the_deadline_is_cancelled(self):
        with Slow() as proxy, client(url=proxy.url, threads=1) as headgate:
            subject = team()
            call = headgate._start_reservation(subject, 1, tokens(600), None, None)
            proxy.reserved.wait()
            late = headgate._wait(call, 0.01, headgate._not_granted(call, None))
            self.assertIsNotNone(late.decision.failure)
            proxy.answer.set()
            proxy.cancelled.wait()
            with client() as direct:
                self.assertEqual(free(direct, subject), 1000)

    def test_fields_are_those_of_the_api(self):
        api = urllib.request.urlopen(URL + "/openapi.yaml").read().decode()
        schemas = "".join(re.search(rf"\n    {name}:\n(?:     .*\n)*", api)[0]
                          for name in ("Reservation", "ReservationUpdate", "Settled"))
        source = (Path(__file__).parent.parent / "headgate" / "reservation.py").read_text()
        read = set(re.findall(r'body(?:\.get\(|\[)"(\w+)"', source))
        self.assertTrue({"continue", "reserved", "charged"} <= read)
        for name in read:
            self.assertIn(f"\n        {name}:", schemas)


class AsyncReservationTest(unittest.IsolatedAsyncioTestCase):
    async def test_reservation_is_updated_and_settled(self):
        with client(AsyncHeadgate) as headgate:
            subject = team()
            async with await headgate.reserve(subject, costs=tokens(600)) as reservation:
                self.assertEqual((await reservation.update(tokens(100))).reserved["tokens"], 500)
                self.assertEqual((await reservation.settle(tokens(350))).returned["tokens"], 250)
            self.assertEqual((await headgate.peek(subject)).remaining, 650)
            await headgate.report_usage(subject, costs=tokens(50))
            async with await headgate.reserve(subject, costs=tokens(600)):
                self.assertEqual((await headgate.peek(subject)).remaining, 0)
            async with await headgate.reserve(subject, costs=tokens(600)) as reservation:
                await reservation.update(tokens(100))
            self.assertEqual((await headgate.peek(subject)).remaining, 500)
            with self.assertRaises(HeadgateRejected):
                await headgate.reservation("x").cancel()

    async def test_exactly_the_limit_is_reserved_by_concurrent_tasks(self):
        with client(AsyncHeadgate) as headgate:
            subject = team()
            made = await asyncio.gather(*(headgate.reserve(subject, costs=tokens(100)) for _ in range(30)))
            self.assertEqual(sum(reservation.allowed for reservation in made), 10)

    async def test_settlement_of_a_cancelled_task_is_sent(self):
        with client(AsyncHeadgate, threads=1) as headgate:
            subject = team()
            reservation = await headgate.reserve(subject, costs=tokens(600))
            busy = threading.Event()
            headgate._pool.submit(busy.wait)
            task = asyncio.create_task(reservation.settle(tokens(100)))
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            busy.set()
            self.assertEqual((await headgate.peek(subject)).remaining, 900)  # sent by the same thread, afterwards

    async def test_reservation_of_a_cancelled_task_is_cancelled(self):
        with Slow() as proxy, client(AsyncHeadgate, url=proxy.url, threads=1) as headgate:
            subject = team()
            task = asyncio.create_task(headgate.reserve(subject, costs=tokens(600)))
            await asyncio.to_thread(proxy.reserved.wait)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            proxy.answer.set()
            await asyncio.to_thread(proxy.cancelled.wait)
            with client() as direct:
                self.assertEqual(free(direct, subject), 1000)

    async def test_fail_open_reservation_is_not_backed(self):
        with client(AsyncHeadgate, url=closed_url(), fail_open=True) as headgate:
            async with await headgate.reserve(team(), costs=tokens(600)) as reservation:
                self.assertEqual((reservation.allowed, reservation.backed), (True, False))
                self.assertTrue((await reservation.update(tokens(1))).may_continue)
                self.assertEqual((await reservation.settle(tokens(1))).status, "local")
