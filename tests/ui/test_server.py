# SPDX-License-Identifier: MIT
"""The server of `takt ui`: what the page asks for, several listeners, and requests that must be refused.

    python3 tests/ui/test_server.py build/takt build/fmus
"""
import base64
import hashlib
import html.parser
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
import xml.dom.minidom

TAKT, FMUS = None, None
# Sanitizers and loaded machines are slow.
PATIENCE = 60


class Server:
    """A server on a folder with two FMUs."""

    def __init__(self, *words):
        self.folder = tempfile.mkdtemp(prefix="takt-ui-test-")
        for name in ("LotkaVolterraPrey", "LotkaVolterraPredator", "Gain"):
            shutil.copy(os.path.join(FMUS, name + ".fmu"), self.folder)
        self.temp = tempfile.mkdtemp(prefix="takt-ui-temp-")
        environment = dict(os.environ, TMPDIR=self.temp)
        self.process = subprocess.Popen([TAKT, "ui", *(words or [self.folder]), "--no-browser"], cwd=self.folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.address, self.token = self.process.stdout.readline().strip().split("#")
        self.port = int(self.address.rsplit(":", 1)[1].strip("/"))

    def request(self, path, body=None, headers=None, raw=None):
        """Status and content."""
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        all_headers = {"X-Takt-Token": self.token}
        all_headers.update(headers or {})
        request = urllib.request.Request(self.address + path, data, {k: v for k, v in all_headers.items() if v is not None})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def get(self, path):
        status, text = self.request(path)
        assert status == 200, (path, status, text)
        return json.loads(text)

    def post(self, path, body):
        status, text = self.request(path, body)
        assert status == 200, (path, body, status, text)
        return json.loads(text)

    def refuses(self, path, body):
        """The reason why."""
        status, text = self.request(path, body)
        assert status == 400, (path, body, status, text)
        return json.loads(text)["error"]

    def edit(self, *ops):
        return self.post("api/edit", {"label": "test", "ops": list(ops)})

    def build(self):
        """Lotka-Volterra from its two FMUs."""
        self.post("api/open", {"file": "lv.ssd", "new": True})
        return self.edit({"op": "add", "name": "Prey", "value": "LotkaVolterraPrey.fmu"},
                         {"op": "add", "name": "Predator", "value": "LotkaVolterraPredator.fmu"},
                         {"op": "connect", "name": "Prey.x", "to": "Predator.x"},
                         {"op": "connect", "name": "Predator.y", "to": "Prey.y"},
                         {"op": "setting", "name": "stop-time", "value": "20"})

    def wait(self, run, *states):
        end = time.time() + PATIENCE
        while time.time() < end:
            status = [r for r in self.get("api/runs") if r["id"] == run][0]
            if status["state"] in states:
                return status
            time.sleep(0.02)
        raise AssertionError(f"run {run}: {status}")

    def close(self):
        """Ctrl-C; what it leaves."""
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=PATIENCE)
        left = os.listdir(self.temp)
        shutil.rmtree(self.folder)
        shutil.rmtree(self.temp)
        return self.process.returncode, left, errors


class ServerTest(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.end)

    def end(self):
        code, left, errors = self.server.close()
        self.assertEqual((code, left), (0, []), errors)
        self.assertNotIn("Sanitizer", errors)


class Door(ServerTest):
    def test_a_request_without_the_token_is_refused(self):
        for token in (None, "", "0" * 32, self.server.token + "0", self.server.token[:-1]):
            self.assertEqual(self.server.request("api/project", headers={"X-Takt-Token": token})[0], 401)
        self.assertEqual(self.server.request("api/events", headers={"X-Takt-Token": None})[0], 401)
        self.assertEqual(self.server.request("api/open", {"file": "x.ssd", "new": True}, {"X-Takt-Token": None})[0], 401)

    def test_other_names_of_the_server_are_refused(self):
        for host in ("evil.example", "evil.example:%d" % self.server.port, "127.0.0.1", "127.0.0.1:1", "[::1]:%d" % self.server.port):
            self.assertEqual(self.server.request("api/project", headers={"Host": host})[0], 403, host)
        self.assertEqual(self.server.request("", headers={"Host": "evil.example"})[0], 403)
        self.assertEqual(self.server.request("api/project", headers={"Host": "localhost:%d" % self.server.port})[0], 200)

    def test_a_request_with_two_hosts_or_origins_is_refused(self):
        ours = "127.0.0.1:%d" % self.server.port
        for more in ("Host: evil.example", "host: " + ours, "Origin: http://%s\r\nOrigin: http://evil.example" % ours):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as other:
                other.sendall(("GET /api/project HTTP/1.1\r\nHost: %s\r\nX-Takt-Token: %s\r\n%s\r\n\r\n"
                               % (ours, self.server.token, more)).encode())
                self.assertIn(b" 403 ", other.recv(100), more)

    def test_what_no_browser_sends_is_refused(self):
        head = "Host: 127.0.0.1:%d\r\nX-Takt-Token: %s\r\n" % (self.server.port, self.server.token)
        for text, codes in (("GET /api/project HTTP/1.1\r\n\r\n", (400, 403)),
                            ("GET http://evil.example/api/project HTTP/1.1\r\n%s\r\n" % head, (400, 403, 404)),
                            ("POST /api/undo HTTP/1.1\r\n%sContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" % head, (400,)),
                            ("POST /api/edit HTTP/1.1\r\n%sContent-Length: -5\r\n\r\n{}" % head, (400,)),
                            ("POST /api/edit HTTP/1.1\r\n%sContent-Length: 99999999999999999999\r\n\r\n" % head, (400, 413)),
                            ("PUT /api/edit HTTP/1.1\r\n%sContent-Length: 2\r\n\r\n{}" % head, (405,)),
                            ("GET /%%2e%%2e/%%2e%%2e/etc/passwd HTTP/1.1\r\n%s\r\n" % head, (404,)),
                            ("GET /%s HTTP/1.1\r\n%s\r\n" % ("a" * 100000, head), (414, 431)),
                            ("GET / HTTP/1.1\r\n%s%s\r\n" % (head, "X-A: b\r\n" * 20000), (431, 414, 413))):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as other:
                try:
                    other.sendall(text.encode())
                except OSError:
                    pass  # it may have hung up already
                answer = other.recv(100)
            self.assertIn(int(answer.split()[1]), codes, text[:80])
        self.server.get("api/project")

    def test_other_pages_are_refused(self):
        for origin in ("http://evil.example", "null", "https://127.0.0.1:%d" % self.server.port, "http://127.0.0.1"):
            self.assertEqual(self.server.request("api/project", headers={"Origin": origin})[0], 403, origin)
        self.assertEqual(self.server.request("api/project", headers={"Sec-Fetch-Site": "cross-site"})[0], 403)
        ours = "http://127.0.0.1:%d" % self.server.port
        self.assertEqual(self.server.request("api/project", headers={"Origin": ours})[0], 200)

    def test_it_listens_on_this_machine_only(self):
        with socket.socket() as other:
            other.settimeout(5)
            # Every address of 127/8 leads to this machine; only one is listened to.
            self.assertNotEqual(other.connect_ex(("127.0.0.2", self.server.port)), 0)

    def test_the_page_has_a_strict_policy(self):
        with urllib.request.urlopen(self.server.address, timeout=PATIENCE) as answer:
            policy = answer.headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)

    def test_bodies_that_are_too_large_or_no_json_are_refused(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as other:
            other.sendall(("POST /api/edit HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Takt-Token: %s\r\nContent-Length: 2097152\r\n\r\n"
                           % (self.server.port, self.server.token)).encode())
            self.assertIn(b" 413 ", other.recv(100))
        for raw in (b"", b"[]", b"{", b"null", b"\xff\xfe", b'{"a":1,"a":2}', b"[" * 100000):
            self.assertEqual(self.server.request("api/edit", raw=raw)[0], 400, raw[:20])
        self.assertEqual(self.server.request("api/nothing")[0], 404)
        self.assertEqual(self.server.request("api/edit")[0], 405)

    def test_a_body_without_a_length_ends_at_the_limit(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as other:
            other.sendall(("POST /api/edit HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Takt-Token: %s\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n" % (self.server.port, self.server.token)).encode())
            try:
                for _ in range(64):
                    other.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                answer = other.recv(100)
            except OSError:
                answer = b""
        self.assertNotIn(b"200", answer)
        self.server.get("api/project")

    def test_files_outside_of_the_folder_cannot_be_named(self):
        os.symlink("/etc/hostname", os.path.join(self.server.folder, "link.csv"))
        os.symlink("/", os.path.join(self.server.folder, "root"))
        for name in ("../secret.ssd", "/etc/passwd", "root/etc/passwd", "link.csv", "a/../../x.ssd", "", "..", ".",
                     "x" * 5000, "no/such/folder.ssd", "root/tmp/new.ssd"):
            for path, body in (("api/open", {"file": name}), ("api/open", {"file": name, "new": True}),
                               ("api/load", {"file": name})):
                self.server.refuses(path, body)
        self.server.build()
        for name in ("../x.fmu", "/etc/passwd", "link.csv"):
            self.server.refuses("api/edit", {"ops": [{"op": "add", "name": "A", "value": name}]})
            self.server.refuses("api/edit", {"ops": [{"op": "setting", "name": "scenario", "value": name}]})
            self.server.refuses("api/save", {"file": name})
        for setting in ("input-file", "scenario", "sandbox-read", "sandbox-write"):
            for name in ("..", "/etc", "link.csv", "root/tmp"):
                self.server.refuses("api/edit", {"ops": [{"op": "setting", "name": setting, "value": name}]})
        for name in ("../x.csv", ".x.csv", "a/b.csv", "x.sh", ""):
            self.assertEqual(self.server.request("api/upload?name=" + name, raw=b"1")[0], 400, name)

    def test_a_thousand_connections_do_not_stop_it(self):
        sockets = []
        for _ in range(1000):
            other = socket.socket()
            other.setblocking(False)
            other.connect_ex(("127.0.0.1", self.server.port))
            sockets.append(other)
        time.sleep(0.5)
        for other in sockets:
            other.close()
        self.server.get("api/project")

    def test_slow_senders_are_let_go_and_hold_up_nobody(self):
        slow = [socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) for _ in range(20)]
        for other in slow:
            other.sendall(b"POST /api/edit HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % self.server.port)
        begin = time.time()
        while slow and time.time() - begin < 60:
            for other in list(slow):
                try:
                    other.sendall(b"X-A: b\r\n")
                except OSError:
                    slow.remove(other)
                    other.close()
            self.server.get("api/project")
            time.sleep(1)
        self.assertEqual(slow, [])

    def test_random_requests_do_no_harm(self):
        """Bodies made of the words of the real ones, at random (SEED repeats one)."""
        seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
        r = random.Random(seed)
        names = ["Prey", "Predator", "Prey.x", "Prey.y", "Predator.y", "Predator.x", "", "A", "\u0000", "é.\U0001f600", "x" * 3000, "Prey.a"]
        values = names + ["3", "-1e400", "nan", "LotkaVolterraPrey.fmu", "Gain.fmu", "builtin:sum?inputs=3", "builtin:sum?inputs=1e9", "auto", "true", None, 5, [], {}]
        ops = ["add", "remove", "rename", "connect", "disconnect", "set", "unset", "setting", "move", "auto-connect", "x"]
        settings = [s["name"] for s in self.server.get("api/settings")]
        self.server.build()
        for _ in range(250):
            op = {"op": r.choice(ops), "name": r.choice(names + settings), "to": r.choice(values), "value": r.choice(values),
                  "box": r.choice([[0, 0, 1, 1], [1e308] * 4, [1], "x", None])}
            path = r.choice(["api/edit", "api/edit", "api/edit", "api/undo", "api/redo", "api/fits", "api/run", "api/load", "api/open"])
            body = {"label": r.choice(values), "ops": [op], "from": r.choice(values), "to": r.choice([values, values[:3], 3]),
                    "do": r.choice(["pause", "go", "step", "stop", "pace", "set", "hold", "release", "x", None]), "file": r.choice(values),
                    "name": r.choice(values), "value": r.choice(values), "factor": r.choice([1, -1, "x", 1e300])}
            status, text = self.server.request(path, body)
            self.assertIn(status, (200, 400), (seed, path, body, text))
        self.server.get("api/project")


class Project(ServerTest):
    def test_a_system_is_built_saved_and_runs_as_on_the_command_line(self):
        state = self.server.build()
        self.assertEqual([c["name"] for c in state["components"]], ["Prey", "Predator"])
        self.assertEqual(len(state["blocks"]), 1)
        self.assertTrue(state["blocks"][0]["loop"] and state["dirty"])
        run = self.server.post("api/run", {"do": "start"})["id"]
        self.server.wait(run, "finished")
        state = self.server.post("api/save", {})
        self.assertFalse(state["dirty"])
        subprocess.run([TAKT, "run", "lv.ssd", "-q", "-o", "cli.csv"], cwd=self.server.folder, check=True)
        with open(os.path.join(self.server.folder, "cli.csv"), "rb") as file:
            expected = file.read()
        self.assertEqual(self.server.request(f"api/results?run={run}")[1], expected)
        # The points of the plot are the rows of the file.
        rows = [list(map(float, line.split(","))) for line in expected.decode().splitlines()[1:]]
        data = self.server.get(f"api/data?run={run}&columns=0,1&width=5000")
        self.assertTrue(data["exact"])
        self.assertEqual([list(row) for row in zip(data["t"], *data["y"])], rows)
        # Of fewer pixels, the extremes are those of the rows, and time goes on.
        data = self.server.get(f"api/data?run={run}&columns=0,1&width=20")
        self.assertFalse(data["exact"])
        self.assertLessEqual(len(data["t"]), 44)
        self.assertEqual(data["t"], sorted(data["t"]))
        for k in (1, 2):
            self.assertEqual(max(data["y"][k - 1]), max(row[k] for row in rows))
            self.assertEqual(min(data["y"][k - 1]), min(row[k] for row in rows))
        loaded = self.server.post("api/load", {"file": "cli.csv"})
        self.assertEqual((loaded["state"], loaded["rows"]), ("loaded", len(rows)))
        self.assertEqual(self.server.get(f"api/data?run={loaded['id']}&columns=1&width=5000")["y"][0], [row[2] for row in rows])

    def test_edits_can_be_taken_back_and_made_again(self):
        before = self.server.build()
        after = self.server.edit({"op": "set", "name": "Prey.a", "value": "0.3"})
        self.assertIn("0.3", [v["value"] for v in after["values"]])
        undone = self.server.post("api/undo", {})
        self.assertEqual(undone["values"], before["values"])
        self.assertEqual((undone["undo"], undone["redo"]), (1, 1))
        self.assertEqual(self.server.post("api/redo", {})["values"], after["values"])
        for _ in range(2):
            self.server.post("api/undo", {})
        self.assertIn("nothing to undo", self.server.refuses("api/undo", {}))

    def test_edits_before_saving_can_be_taken_back(self):
        server = self.server
        path = os.path.join(server.folder, "lv.ssd")
        server.build()
        server.post("api/save", {})
        with open(path) as file:
            first = file.read()
        server.post("api/open", {"file": "lv.ssd"})  # from here on, undo goes back to this file
        self.assertEqual(server.edit({"op": "remove", "name": "Prey"})["undo"], 1)
        saved = server.post("api/save", {})
        self.assertEqual((saved["dirty"], saved["undo"], len(saved["components"])), (False, 1, 1))
        back = server.post("api/undo", {})
        self.assertEqual((back["dirty"], back["undo"], back["redo"]), (True, 0, 1))
        self.assertEqual([c["name"] for c in back["components"]], ["Prey", "Predator"])
        self.assertEqual(len(back["connections"]), 2)
        again = server.post("api/redo", {})
        self.assertEqual((again["dirty"], len(again["components"])), (False, 1))
        # Another edit in place of the one that was saved; what is saved then is the opened file with it.
        server.post("api/undo", {})
        other = server.edit({"op": "set", "name": "Prey.a", "value": "0.5"})
        self.assertEqual((other["dirty"], other["undo"], other["redo"]), (True, 1, 0))
        server.post("api/save", {})
        server.post("api/undo", {})
        server.post("api/save", {})
        with open(path) as file:
            self.assertEqual(file.read(), first)
        # Under another name the file that was opened stays.
        server.edit({"op": "rename", "name": "Prey", "to": "Hare"})
        server.post("api/save", {"file": "other.ssp"})
        self.assertEqual([c["name"] for c in server.post("api/undo", {})["components"]], ["Prey", "Predator"])
        with open(path) as file:
            self.assertEqual(file.read(), first)

    def test_what_another_program_wrote_is_not_taken_back(self):
        server = self.server
        server.build()
        server.post("api/save", {})
        path = os.path.join(server.folder, "lv.ssd")
        server.post("api/open", {"file": "lv.ssd"})
        server.edit({"op": "set", "name": "Prey.a", "value": "3"})
        with open(path, "a") as file:
            file.write("<!-- by another program -->")
        self.assertIn("changed by another program", server.refuses("api/save", {}))
        self.assertEqual(server.post("api/save", {"file": "lv.ssd"})["undo"], 0)

    def test_auto_connect_can_be_looked_at_before(self):
        server = self.server
        server.post("api/open", {"file": "lv.ssd", "new": True})
        server.edit({"op": "add", "name": "Prey", "value": "LotkaVolterraPrey.fmu"},
                    {"op": "add", "name": "Predator", "value": "LotkaVolterraPredator.fmu"})
        proposed = server.get("api/proposals")
        self.assertEqual(sorted(c[1] for c in proposed["connections"]), ["x", "y"])
        self.assertEqual(proposed["messages"], [])
        self.assertEqual(server.get("api/project")["connections"], [])
        server.edit({"op": "add", "name": "Other", "value": "LotkaVolterraPrey.fmu"})
        proposed = server.get("api/proposals")
        self.assertEqual(sorted(c[1] for c in proposed["connections"]), ["y", "y"])
        self.assertIn("Predator.x", " ".join(proposed["messages"]))

    def test_an_edit_that_fails_changes_nothing(self):
        before = self.server.build()
        self.assertIn("no component 'Wolf'", self.server.refuses("api/edit", {"ops": [
            {"op": "rename", "name": "Prey", "to": "Hare"}, {"op": "remove", "name": "Wolf"}]}))
        self.assertEqual(self.server.get("api/project")["components"], before["components"])

    def test_places_of_components_are_kept_in_the_file(self):
        self.server.build()
        self.server.edit({"op": "move", "name": "Prey", "box": [1, -2.5, 181, 60]})
        self.assertEqual(self.server.post("api/save", {})["components"][0]["box"], [1, -2.5, 181, 60])
        self.server.edit({"op": "move", "name": "Prey", "box": [5, 6, 7, 8]}, {"op": "move", "name": "Predator", "box": [0, 0, 1, 1]})
        state = self.server.post("api/save", {})
        self.assertEqual([c["box"] for c in state["components"]], [[5, 6, 7, 8], [0, 0, 1, 1]])
        with open(os.path.join(self.server.folder, "lv.ssd"), encoding="utf-8") as file:
            self.assertEqual(file.read().count("ElementGeometry"), 2)

    def test_reasons_are_given_for_what_cannot_be_connected(self):
        self.server.build()
        reasons = self.server.post("api/fits", {"from": "Prey.x", "to": ["Predator.x", "Predator.y", "No.x"]})["reasons"]
        self.assertIsNone(reasons[0])
        self.assertTrue(reasons[1] and reasons[2])

    def test_problems_do_not_hide_the_ports(self):
        self.server.build()
        state = self.server.edit({"op": "connect", "name": "Prey.x", "to": "Predator.y"})
        self.assertFalse(state["valid"])
        self.assertEqual(state["problems"][0]["severity"], "error")
        self.assertEqual(len(state["models"]["LotkaVolterraPrey.fmu"]["variables"]), 5)
        run = self.server.post("api/run", {"do": "start"})["id"]
        self.assertIn("error", self.server.wait(run, "failed"))

    def test_a_file_that_another_program_changed_is_not_overwritten(self):
        self.server.build()
        self.server.post("api/save", {})
        self.server.edit({"op": "set", "name": "Prey.a", "value": "0.3"})
        with open(os.path.join(self.server.folder, "lv.ssd"), "a", encoding="utf-8") as file:
            file.write("<!-- mine -->\n")
        self.assertTrue(self.server.get("api/project")["outdated"])
        self.assertIn("changed by another program", self.server.refuses("api/save", {}))
        self.server.post("api/save", {"file": "other.ssd"})

    def test_a_dropped_file_comes_into_the_folder_and_replaces_nothing(self):
        with open(os.path.join(FMUS, "Gain.fmu"), "rb") as file:
            content = file.read()
        self.assertEqual(self.server.request("api/upload?name=New.fmu", raw=content)[0], 200)
        self.assertIn("New.fmu", self.server.get("api/folder")["fmus"])
        self.assertEqual(self.server.request("api/upload?name=New.fmu", raw=b"other")[0], 409)
        with open(os.path.join(self.server.folder, "New.fmu"), "rb") as file:
            self.assertEqual(file.read(), content)
        self.assertEqual(sorted(os.listdir(self.server.folder)), sorted(self.server.get("api/folder")["fmus"]))


NESTED = """<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" name="nested" version="1.0">
  <ssd:System name="nested">
    <ssd:Elements>
      <ssd:Component name="Top" source="Gain.fmu"/>
      <ssd:System name="Sub">
        <!-- kept -->
        <ssd:Connectors><ssd:Connector name="in" kind="input"/></ssd:Connectors>
        <ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="p"><ssv:Parameters>
          <ssv:Parameter name="B.k"><ssv:Real value="3"/></ssv:Parameter>
        </ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>
        <ssd:Elements>
          <ssd:Component name="A" source="Gain.fmu"/>
          <ssd:Component name="B" source="Gain.fmu"/>
          <ssd:System name="Deep"><ssd:Elements><ssd:Component name="C" source="Gain.fmu"/></ssd:Elements></ssd:System>
        </ssd:Elements>
        <ssd:Connections>
          <ssd:Connection startConnector="in" endElement="A" endConnector="u"/>
          <ssd:Connection startElement="A" startConnector="y" endElement="B" endConnector="u"/>
        </ssd:Connections>
      </ssd:System>
      <ssd:Component name="Other" source="other.ssd" type="application/x-ssp-definition"/>
    </ssd:Elements>
    <ssd:Connections><ssd:Connection startElement="Top" startConnector="y" endElement="Sub" endConnector="in"/></ssd:Connections>
  </ssd:System>
  <ssd:DefaultExperiment startTime="0" stopTime="2"/>
</ssd:SystemStructureDescription>
"""


class Nested(ServerTest):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.server.folder, "nested.ssd")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(NESTED)
        with open(os.path.join(self.server.folder, "other.ssd"), "w", encoding="utf-8") as file:
            file.write('<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" name="o" version="1.0">'
                       '<ssd:System name="o"><ssd:Elements><ssd:Component name="D" source="Gain.fmu"/></ssd:Elements></ssd:System>'
                       '</ssd:SystemStructureDescription>')
        self.state = self.server.post("api/open", {"file": "nested.ssd"})

    def same_after_saving(self, state):
        """What is shown is what is saved and opened again."""
        self.server.post("api/save", {})
        again = self.server.post("api/open", {"file": "nested.ssd"})
        self.assertEqual(sorted(again["connections"]), sorted(state["connections"]))
        errors = [[p["text"] for p in one["problems"] if p["severity"] == "error"] for one in (again, state)]
        self.assertEqual(errors[0], errors[1])
        self.assertEqual(sorted((c["name"], tuple(c.get("box", ()))) for c in again["components"]),
                         sorted((c["name"], tuple(c.get("box", ()))) for c in state["components"]))
        values = [{(v.get("component") or "") + "." + v["variable"]: v["value"] for v in s["values"]} for s in (again, state)]
        self.assertEqual({k.strip("."): v for k, v in values[0].items()}, {k.strip("."): v for k, v in values[1].items()})
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("<!-- kept -->", text)
        return text

    def test_components_of_subsystems_are_added_connected_and_moved(self):
        state = self.server.edit({"op": "add", "name": "Sub.New", "value": "Gain.fmu"},
                                 {"op": "connect", "name": "Sub.B.y", "to": "Sub.New.u"},
                                 {"op": "add", "name": "Sub.Deep.E", "value": "Gain.fmu"},
                                 {"op": "connect", "name": "Sub.Deep.E.y", "to": "Sub.Deep.C.u"},
                                 {"op": "move", "name": "Sub.A", "box": [1, 2, 3, 4]},
                                 {"op": "move", "name": "Sub.New", "box": [5, 6, 7, 8]},
                                 {"op": "set", "name": "Sub.New.k", "value": "7"})
        reasons = self.server.post("api/fits", {"from": "Sub.New.y", "to": ["Sub.A.u", "Sub.A.y"]})["reasons"]
        self.assertIsNone(reasons[0])
        self.assertTrue(reasons[1])
        text = self.same_after_saving(state)
        self.assertIn('startElement="B" startConnector="y" endElement="New" endConnector="u"', text)
        self.assertIn('startElement="E" startConnector="y" endElement="C" endConnector="u"', text)
        subprocess.run([TAKT, "run", "nested.ssd", "-q", "-o", "cli.csv"], cwd=self.server.folder, check=True)

    def test_components_of_subsystems_are_renamed_disconnected_and_removed(self):
        state = self.server.edit({"op": "rename", "name": "Sub.B", "to": "Sub.Bee"})
        self.assertIn(["Sub.A", "y", "Sub.Bee", "u"], state["connections"])
        text = self.same_after_saving(state)
        self.assertIn('name="Bee.k"', text)
        state = self.server.edit({"op": "disconnect", "name": "Sub.A.y", "to": "Sub.Bee.u"}, {"op": "unset", "name": "Sub.Bee.k"})
        text = self.same_after_saving(state)
        self.assertNotIn("Bee.k", text)
        state = self.server.edit({"op": "remove", "name": "Sub.Deep.C"}, {"op": "remove", "name": "Sub.Bee"})
        self.assertNotIn('name="C"', self.same_after_saving(state))

    def test_connections_lead_through_walls_of_subsystems(self):
        state = self.server.edit({"op": "connect", "name": "Sub.B.y", "to": "Top.u"},
                                 {"op": "add", "name": "Sub.Deep.E", "value": "Gain.fmu"},
                                 {"op": "connect", "name": "Top.y", "to": "Sub.Deep.E.u"},
                                 {"op": "add", "name": "Prey", "value": "LotkaVolterraPrey.fmu"},
                                 {"op": "add", "name": "Sub.Predator", "value": "LotkaVolterraPredator.fmu"},
                                 {"op": "connect", "name": "Prey.x", "to": "Sub.Predator.x"},
                                 {"op": "connect", "name": "Sub.Predator.y", "to": "Prey.y"})
        for pair in (["Sub.B", "y", "Top", "u"], ["Top", "y", "Sub.Deep.E", "u"]):
            self.assertIn(pair, state["connections"])
        self.assertIn(["Sub.B_y", 3, "Sub.B", "y"], state["walls"])
        reasons = self.server.post("api/fits", {"from": "Top.y", "to": ["Sub.A.u", "Sub.Deep_E_u", "Other.D.u"]})["reasons"]
        self.assertIsNone(reasons[0])
        self.assertIsNone(reasons[1])
        self.assertIn("another file", reasons[2])
        run = self.server.post("api/run", {"do": "start"})["id"]
        self.server.wait(run, "finished")
        text = self.same_after_saving(state)
        self.assertIn('startConnector="Deep_E_u" endElement="Deep" endConnector="E_u"', text)
        self.assertIn('startElement="Sub" startConnector="B_y" endElement="Top" endConnector="u"', text)
        # Before it is saved and after, the results are the same, bit by bit.
        subprocess.run([TAKT, "run", "nested.ssd", "-q", "-o", "cli.csv"], cwd=self.server.folder, check=True)
        with open(os.path.join(self.server.folder, "cli.csv"), encoding="utf-8") as file:
            saved = file.read()
        columns = [sorted(zip(*(line.split(",") for line in text.splitlines()))) for text in
                   (saved, self.server.request(f"api/results?run={run}")[1].decode())]
        self.assertEqual(columns[0], columns[1])
        self.assertGreater(len(set(next(c for c in columns[0] if c[0] == "Prey.x"))), 10)
        # Taken away again, and made anew through a connector that is there.
        state = self.server.edit({"op": "disconnect", "name": "Top.y", "to": "Sub.Deep.E.u"})
        self.assertNotIn(["Top", "y", "Sub.Deep.E", "u"], state["connections"])
        self.same_after_saving(state)
        state = self.server.edit({"op": "connect", "name": "Top.y", "to": "Sub.Deep.E.u"})
        self.same_after_saving(state)

    def test_auto_connect_stays_within_a_system(self):
        state = self.server.edit({"op": "add", "name": "Prey", "value": "LotkaVolterraPrey.fmu"},
                                 {"op": "add", "name": "Sub.Predator", "value": "LotkaVolterraPredator.fmu"})
        before = state["connections"]
        added = [c for c in self.server.edit({"op": "auto-connect"})["connections"] if c not in before]
        self.assertEqual(added, [["Top", "y", "Prey", "y"]])
        self.server.edit({"op": "add", "name": "Sub.Prey", "value": "LotkaVolterraPrey.fmu"})
        state = self.server.edit({"op": "auto-connect"})
        self.assertIn(["Sub.Prey", "x", "Sub.Predator", "x"], state["connections"])
        self.same_after_saving(state)

    def test_what_would_cross_walls_or_other_files_is_refused_with_a_reason(self):
        refuse = lambda **op: self.server.refuses("api/edit", {"ops": [op]})
        self.assertIn("has no connector for it", refuse(op="connect", name="Top.y", to="Other.D.u"))
        self.assertIn("another file", refuse(op="remove", name="Other.D"))
        self.assertIn("another file", refuse(op="move", name="Other.D", box=[0, 0, 1, 1]))
        self.assertIn("stays in its system", refuse(op="rename", name="Sub.B", to="Bee"))
        self.assertIn("cannot be the name", refuse(op="add", name="Nowhere.X", value="Gain.fmu"))
        self.assertIn("cannot be the name", refuse(op="add", name="Sub.X.Y", value="Gain.fmu"))
        self.assertEqual(self.server.get("api/project")["components"], self.state["components"])


class Run(ServerTest):
    def test_a_run_is_paused_changed_and_goes_on(self):
        self.server.build()
        self.server.edit({"op": "add", "name": "G", "value": "Gain.fmu"}, {"op": "setting", "name": "record", "value": "*"})
        run = self.server.post("api/run", {"do": "start", "paused": True})["id"]
        path = f"api/run?run={run}"
        status = self.server.wait(run, "paused")
        self.assertEqual((status["time"], status["steps"]), (0, 0))
        self.server.post(path, {"do": "step"})
        end = time.time() + PATIENCE
        while self.server.wait(run, "paused")["steps"] < 1 and time.time() < end:
            time.sleep(0.02)
        self.assertGreater(self.server.wait(run, "paused")["time"], 0)
        self.server.post(path, {"do": "set", "name": "G.u", "value": "2.5"})
        self.assertIn("connection", self.server.refuses(path, {"do": "set", "name": "Prey.y", "value": "1"}))
        self.server.refuses(path, {"do": "set", "name": "G.u", "value": "many"})
        self.server.refuses(path, {"do": "set", "name": "No.u", "value": "1"})
        self.assertIn("goes on", self.server.refuses("api/run", {"do": "start"}))
        self.server.post(path, {"do": "go"})
        self.server.wait(run, "finished")
        names = [c["name"] for c in self.server.get(f"api/columns?run={run}")]
        values = self.server.get(f"api/values?run={run}")["values"]
        self.assertEqual(values[names.index("G.u")], 2.5)
        self.assertIn("G.u set to 2.5", [m["text"] for m in self.server.get(f"api/messages?run={run}")])
        details = self.server.get(f"api/details?run={run}")
        self.assertEqual(details["statistics"]["status"], "ok")
        self.assertEqual(sum(self.server.get(f"api/data?run={run}&steps=1&columns=2&width=5000")["y"][0]),
                         details["statistics"]["rejected"])
        self.assertIn("has ended", self.server.refuses(path, {"do": "set", "name": "G.u", "value": "1"}))

    def test_a_connected_input_is_held_and_released(self):
        self.server.build()
        self.server.edit({"op": "setting", "name": "record", "value": "*"}, {"op": "setting", "name": "step-size", "value": "0.5"})
        run = self.server.post("api/run", {"do": "start", "paused": True})["id"]
        path = f"api/run?run={run}"
        self.server.wait(run, "paused")
        self.server.post(path, {"do": "hold", "name": "Prey.y", "value": "3"})
        self.assertEqual(self.server.wait(run, "paused")["held"], {"Prey.y": "3"})
        self.assertIn("no input", self.server.refuses(path, {"do": "hold", "name": "Prey.x", "value": "3"}))
        self.server.refuses(path, {"do": "hold", "name": "Prey.y"})
        self.server.refuses(path, {"do": "release"})
        for _ in range(4):
            self.server.post(path, {"do": "step"})
        end = time.time() + PATIENCE
        while self.server.wait(run, "paused")["steps"] < 4 and time.time() < end:
            time.sleep(0.02)
        self.server.post(path, {"do": "release", "name": "Prey.y"})
        self.assertEqual(self.server.wait(run, "paused")["held"], {})
        self.server.post(path, {"do": "go"})
        self.server.wait(run, "finished")
        names = [c["name"] for c in self.server.get(f"api/columns?run={run}")]
        at = [names.index(n) for n in ("Prey.y", "Predator.y")]
        data = self.server.get(f"api/data?run={run}&columns={at[0]},{at[1]}&width=5000")
        rows = list(zip(data["t"], *data["y"]))
        self.assertTrue(all(held == 3 for t, held, _ in rows if 0 < t < 2), rows[:12])
        self.assertTrue(all(held != 3 for t, held, _ in rows if t > 2.1))
        texts = [m["text"] for m in self.server.get(f"api/messages?run={run}")]
        self.assertIn("Prey.y held at 3", texts)
        self.assertIn("Prey.y released", texts)

    def test_a_change_during_a_long_step_does_not_hold_up_the_pages(self):
        shutil.copy(os.path.join(FMUS, "Misbehave.fmu"), self.server.folder)
        self.server.build()
        self.server.edit({"op": "add", "name": "M", "value": "Misbehave.fmu"}, {"op": "set", "name": "M.what", "value": "slow"},
                         {"op": "set", "name": "M.delay", "value": "8"}, {"op": "set", "name": "M.when", "value": "20"})
        run = self.server.post("api/run", {"do": "start"})["id"]
        end = time.time() + PATIENCE
        while self.server.wait(run, "starting", "running")["time"] < 19 and time.time() < end:
            time.sleep(0.02)
        reason = self.server.refuses(f"api/run?run={run}", {"do": "set", "name": "M.u", "value": "1"})
        self.assertIn("M.u was not changed: the run is at a long step", reason)
        self.server.wait(run, "finished")
        texts = [m["text"] for m in self.server.get(f"api/messages?run={run}")]
        self.assertNotIn("M.u set to 1", texts)

    def test_results_that_are_loaded_do_not_end_a_run(self):
        self.server.build()
        with open(os.path.join(self.server.folder, "x.csv"), "w", encoding="utf-8") as file:
            file.write("time,x\n0,1\n1,2\n")
        run = self.server.post("api/run", {"do": "start", "paused": True})["id"]
        self.server.wait(run, "paused")
        for _ in range(25):
            self.server.post("api/load", {"file": "x.csv"})
        self.server.wait(run, "paused")
        self.assertEqual(len(self.server.get("api/runs")), 20)
        self.server.post(f"api/run?run={run}", {"do": "stop"})
        self.server.wait(run, "stopped")

    def test_a_run_keeps_pace_with_real_time_and_stops(self):
        self.server.build()
        run = self.server.post("api/run", {"do": "start", "pace": 1})["id"]
        self.server.wait(run, "running")
        time.sleep(1)
        status = self.server.post(f"api/run?run={run}", {"do": "stop"})
        status = self.server.wait(run, "stopped")
        self.assertTrue(0 < status["time"] < 15, status)
        self.assertGreater(status["rows"], 0)

    def test_all_pages_are_told(self):
        streams, seen = [], [[], []]
        for i in range(2):
            request = urllib.request.Request(self.server.address + "api/events", headers={"X-Takt-Token": self.server.token})
            streams.append(urllib.request.urlopen(request, timeout=PATIENCE))

            def listen(i=i):
                for line in streams[i]:
                    seen[i].append(line.decode().strip())
            threading.Thread(target=listen, daemon=True).start()
        self.server.build()
        run = self.server.post("api/run", {"do": "start"})["id"]
        self.server.wait(run, "finished")
        end = time.time() + PATIENCE
        while time.time() < end and not all("event: project" in s and "event: run" in s for s in seen):
            time.sleep(0.05)
        for lines in seen:
            self.assertIn("event: project", lines)
            self.assertIn("event: run", lines)

    def test_a_server_that_is_ended_ends_its_run(self):
        self.server.build()
        self.server.edit({"op": "setting", "name": "stop-time", "value": "1e6"})
        self.server.post("api/run", {"do": "start", "pace": 1})


class Report(ServerTest):
    def check(self, text):
        self.assertNotIn("<script", text)
        self.assertNotIn("http://", text.replace("http://www.w3.org", ""))
        with open(os.path.join(self.server.folder, "LotkaVolterraPrey.fmu"), "rb") as file:
            self.assertIn(hashlib.sha256(file.read()).hexdigest(), text)
        images = [base64.b64decode(part.split('"')[0]).decode() for part in text.split("data:image/svg+xml;base64,")[1:]]
        self.assertEqual(len(images), 2)
        for image in images:
            self.assertEqual(xml.dom.minidom.parseString(image).documentElement.tagName, "svg")
        self.assertIn("Prey.x", images[0])
        self.assertIn("Predator", images[1])
        html.parser.HTMLParser().feed(text)
        self.assertIn("Finished", text)
        self.assertIn("stop-time</td><td>20</td><td class=\"changed\">project", text)

    def test_the_page_gets_a_report_of_a_run_that_has_ended(self):
        self.server.build()
        self.server.post("api/save", {})
        run = self.server.post("api/run", {"do": "start", "paused": True})["id"]
        self.server.wait(run, "paused")
        self.assertIn("ended", json.loads(self.server.request(f"api/report?run={run}")[1])["error"])
        self.server.post(f"api/run?run={run}", {"do": "go"})
        self.server.wait(run, "finished")
        self.check(self.server.request(f"api/report?run={run}")[1].decode())

    def test_the_command_line_writes_a_report(self):
        self.server.build()
        self.server.post("api/save", {})
        words = [TAKT, "run", "lv.ssd", "-q", "--set", "Prey.a=0.2", "--report"]
        subprocess.run(words + ["lv.html"], cwd=self.server.folder, check=True)
        with open(os.path.join(self.server.folder, "lv.html"), encoding="utf-8") as file:
            text = file.read()
        self.check(text)
        self.assertIn("takt run lv.ssd --set=Prey.a=0.2 --report lv.html", text)
        self.assertIn("0.2</td><td></td><td class=\"changed\">command line", text)
        with open(os.path.join(self.server.folder, "lv.csv"), encoding="utf-8") as file:
            last = float(file.read().splitlines()[-1].split(",")[1])
        self.assertIn("<td class=\"n\">%.6g</td>" % last, text)
        done = subprocess.run(words + ["lv.ssd"], cwd=self.server.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        done = subprocess.run(words + ["no/such/lv.html"], cwd=self.server.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no/such/lv.html", done.stderr)


class Command(unittest.TestCase):
    def test_wrong_words_are_told(self):
        for words, code, piece in ((["no/such.ssd"], 2, "folder"), (["no.msim"], 3, "no such file"), (["--port", "70000"], 2, "--port"),
                                   (["--port", "1.5"], 2, "--port")):
            done = subprocess.run([TAKT, "ui", *words, "--no-browser"], capture_output=True, text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(piece, done.stderr)

    def test_a_port_that_is_taken_is_told(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = str(other.getsockname()[1])
            done = subprocess.run([TAKT, "ui", "--port", port, "--no-browser"], capture_output=True, text=True, timeout=PATIENCE,
                                  check=False, cwd=tempfile.gettempdir())
        self.assertEqual(done.returncode, 1)
        self.assertIn(port, done.stderr)


if __name__ == "__main__":
    TAKT, FMUS = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
