"""A device of Thingwright with nothing but Python's own library (3.8 and later).

    DEVICE_SECRET=... python3 thingwright.py mqtt://127.0.0.1:1883 PRODUCT DEVICE
    DEVICE_SECRET=... python3 thingwright.py http://127.0.0.1:8080 PRODUCT DEVICE

As a module:

    device = Device("mqtts://iot.example:8883", "PRODUCT", "DEVICE", secret, on_command=carry_out, ca="server.pem")
    device.connect()
    device.post({"temperature": 21.5})   # returns when it is on disk
    device.loop(10)                      # waits for a command and answers it
"""

import json
import os
import random
import select
import socket
import ssl
import struct
import sys
import time
import urllib.error
import urllib.request
from collections import OrderedDict
from urllib.parse import quote, urlsplit

TIMEOUT = 30
KEEP_ALIVE = 60


class Refused(Exception):
    """Product key, number or secret: wait half a minute before the next try."""


class Lost(Exception):
    """The connection broke or nothing was answered: connect again."""


class CommandRefused(Exception):
    """Raised by a command's handler: the code (not 0) and message that the platform shows."""

    def __init__(self, code, message=""):
        super().__init__(message)
        self.code = code


class Device:
    """MQTT 3.1.1. `on_command(name, params)` gets "property/set" or "service/NAME/invoke"; what it returns is the data
    of the answer. A command that comes twice (the answer was lost) is answered twice and carried out once."""

    def __init__(self, url, product_key, device_no, secret, on_command=None, ca=None):
        parts = urlsplit(url)
        self.tls = parts.scheme == "mqtts"
        self.address = (parts.hostname, parts.port or (8883 if self.tls else 1883))
        self.user = f"{product_key}/{device_no}"
        self.prefix = f"things/{self.user}/"
        self.secret, self.on_command, self.ca = secret, on_command, ca
        self.socket = None
        self.packet_id = 0
        self.sent_at = 0.0
        self.answers = OrderedDict()

    def connect(self):
        """Connects, signs in, subscribes to commands. Raises Refused or Lost."""
        try:
            raw = socket.create_connection(self.address, TIMEOUT)
            if self.tls:
                raw = ssl.create_default_context(cafile=self.ca).wrap_socket(raw, server_hostname=self.address[0])
            self.socket = raw
        except OSError as error:
            raise Lost(str(error)) from error
        flags = 0xC2  # user name, password, clean session
        body = _text("MQTT") + bytes([4, flags]) + struct.pack(">H", KEEP_ALIVE)
        self._send(0x10, body + _text(self.user.split("/")[1]) + _text(self.user) + _text(self.secret))
        answer = self._until(0x20)
        if answer[1] != 0:
            self.close()
            raise Refused("sign-in refused")
        if self.on_command:
            for suffix in ("property/set", "service/+/invoke"):
                number = self._next_id()
                self._send(0x82, struct.pack(">H", number) + _text(self.prefix + suffix) + b"\x01")
                self._until(0x90, number)

    def post(self, values):
        """A dict of values, {"ts": ms, "values": {...}}, or a list of either; returns when it is on disk."""
        self._publish("property/post", values, wait=True)

    def event(self, identifier, params=None):
        self._publish(f"event/{identifier}/post", {"params": params or {}}, wait=True)

    def loop(self, seconds):
        """Waits for a command for so long, answers it, keeps the connection alive. True: one came."""
        until = time.monotonic() + seconds
        while True:
            if time.monotonic() - self.sent_at > KEEP_ALIVE / 2:
                self._send(0xC0, b"")
            next_ping = self.sent_at + KEEP_ALIVE / 2
            left = min(until, next_ping) - time.monotonic()
            if self._readable(max(0.0, left)):
                if self._take(*self._packet()):
                    return True
            elif time.monotonic() >= until:
                return False

    def close(self):
        if self.socket:
            try:
                self.socket.sendall(b"\xe0\x00")
            except OSError:
                pass
            self.socket.close()
            self.socket = None

    def _next_id(self):
        self.packet_id = self.packet_id % 65535 + 1
        return self.packet_id

    def _publish(self, suffix, value, wait):
        number = self._next_id()
        payload = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        self._send(0x32, _text(self.prefix + suffix) + struct.pack(">H", number) + payload)
        if wait:
            self._until(0x40, number)

    def _send(self, kind, body):
        head, rest = bytearray([kind]), len(body)
        while True:
            rest, digit = divmod(rest, 128)
            head.append(digit | (0x80 if rest else 0))
            if not rest:
                break
        try:
            self.socket.sendall(bytes(head) + body)
        except (OSError, AttributeError) as error:
            raise Lost(str(error)) from error
        self.sent_at = time.monotonic()

    def _readable(self, seconds):
        if self.tls and self.socket and self.socket.pending():
            return True
        try:
            return bool(select.select([self.socket], [], [], seconds)[0])
        except (OSError, ValueError, TypeError) as error:
            raise Lost(str(error)) from error

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            try:
                part = self.socket.recv(count - len(data))
            except (OSError, AttributeError) as error:
                raise Lost(str(error)) from error
            if not part:
                raise Lost("closed by the platform")
            data += part
        return data

    def _packet(self):
        kind = self._exactly(1)[0]
        size = shift = 0
        while True:
            byte = self._exactly(1)[0]
            size |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return kind, self._exactly(size)

    def _until(self, wanted, number=None):
        """Reads until the wanted packet is there; commands that come meanwhile are carried out."""
        until = time.monotonic() + TIMEOUT
        while self._readable(max(0.0, until - time.monotonic())):
            kind, body = self._packet()
            if kind & 0xF0 == 0x30:
                self._take(kind, body)
            elif kind == wanted and (number is None or struct.unpack(">H", body[:2])[0] == number):
                if wanted == 0x90 and body[2] > 2:
                    raise Refused("subscription refused")
                return body
        raise Lost("no answer in time")

    def _take(self, kind, body):
        if kind & 0xF0 != 0x30:
            return False
        length = struct.unpack(">H", body[:2])[0]
        topic, at = body[2 : 2 + length].decode(), 2 + length
        if kind & 0x06:
            self._send(0x40, body[at : at + 2])  # it has arrived
            at += 2
        name = topic[len(self.prefix) :]
        command = json.loads(body[at:])
        number = command.get("id")
        if number not in self.answers:
            answer = {"id": number, "code": 0}
            try:
                data = self.on_command(name, command.get("params") or {})
                if data is not None:
                    answer["data"] = data
            except CommandRefused as refusal:
                answer.update(code=refusal.code, message=str(refusal))
            except Exception as error:  # a defect of the handler is an answer too
                answer.update(code=1, message=str(error))
            self.answers[number] = answer
            if len(self.answers) > 32:
                self.answers.popitem(last=False)
        self._publish(name + "_reply", self.answers[number], wait=False)
        return True


class HttpDevice:
    """The same over HTTP: one request is one message, 2xx means on disk; commands are asked for."""

    def __init__(self, url, product_key, device_no, secret, on_command=None, ca=None):
        self.base = f"{url.rstrip('/')}/device/v1/{quote(product_key)}/{quote(device_no)}"
        self.secret, self.on_command = secret, on_command
        self.context = ssl.create_default_context(cafile=ca) if url.startswith("https") else None

    def connect(self):
        pass

    def close(self):
        pass

    def post(self, values):
        self._call("POST", "/property", values)

    def event(self, identifier, params=None):
        self._call("POST", f"/event/{quote(identifier)}", {"params": params or {}})

    def loop(self, seconds):
        """Waits for commands for so long (55 s at most) and answers them. True: some came."""
        found = self._call("GET", f"/commands?wait={max(0, min(55, round(seconds)))}")["commands"]
        for command in found:
            name = "property/set" if command["kind"] == "property_set" else f"service/{command['identifier']}/invoke"
            answer = {"code": 0}
            try:
                data = self.on_command(name, command.get("params") or {}) if self.on_command else None
                if data is not None:
                    answer["data"] = data
            except CommandRefused as refusal:
                answer = {"code": refusal.code, "message": str(refusal)}
            self._call("POST", f"/commands/{command['id']}/reply", answer)
        return bool(found)

    def _call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method)
        request.add_header("Authorization", f"Bearer {self.secret}")
        data = None
        if body is not None:
            request.add_header("Content-Type", "application/json")
            data = json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, data, timeout=TIMEOUT + 60, context=self.context) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            if error.code in (401, 403):
                raise Refused(error.read().decode()) from error
            raise Lost(f"{error.code} {error.read().decode()}") from error
        except OSError as error:
            raise Lost(str(error)) from error


def _text(text):
    data = text.encode()
    return struct.pack(">H", len(data)) + data


def main(url, product_key, device_no, posts=None):
    """Posts a temperature every ten seconds and obeys a switch called `pump`."""
    state = {"pump": False}

    def carry_out(name, params):
        print(name, json.dumps(params), flush=True)
        if name == "property/set":
            if not isinstance(params.get("pump"), bool):
                raise CommandRefused(2, "only pump can be set")
            state["pump"] = params["pump"]
            return None
        if name == "service/flush/invoke":
            return {"litres": 12}
        raise CommandRefused(1, f"{name} is not known")

    kind = HttpDevice if url.startswith("http") else Device
    device = kind(url, product_key, device_no, os.environ["DEVICE_SECRET"], on_command=carry_out)
    left, pause = posts, 0.5
    while left != 0:
        try:
            device.connect()
            pause = 0.5
            while left != 0:
                values = {"temperature": round(20 + random.random() * 5, 1), "pump": state["pump"]}
                device.post(values)
                print("posted", json.dumps(values), flush=True)
                left = None if left is None else left - 1
                if left != 0:
                    device.loop(10)  # ends early when a command came: what it changed is posted at once
        except (Lost, Refused) as error:
            # Thousands of devices lose a server at the same moment: growing pauses, each device its own.
            print("not connected:", error, file=sys.stderr, flush=True)
            pause = max(30, pause) if isinstance(error, Refused) else pause
            time.sleep(pause * (0.5 + random.random() / 2))
            pause = min(60, pause * 2)
        finally:
            device.close()


if __name__ == "__main__":
    if len(sys.argv) < 4 or "DEVICE_SECRET" not in os.environ:
        sys.exit("DEVICE_SECRET=... python3 thingwright.py mqtt://HOST:1883 PRODUCT DEVICE [POSTS]")
    main(*sys.argv[1:4], posts=int(sys.argv[4]) if len(sys.argv) > 4 else None)
