"""Mosquitto's own driver (msg_sequence_test.py) against a broker that already listens.

    python3 mosquitto-driver.py TEST_BROKER_DIR HOST PORT

Two things are relaxed, because they are Mosquitto's and not the standard's: the CONNACK of a sequence's default
CONNECT may name other properties (it must accept), and the broker is ours to start. Everything else is the driver's:
a byte before an expected close counts as a failure.
"""
import os
import sys

folder, host, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.chdir(folder)
sys.path.insert(0, folder)
source = open("msg_sequence_test.py").read()
namespace = {"__name__": "driver", "__file__": os.path.join(folder, "msg_sequence_test.py")}
# What follows starts Mosquitto itself.
exec(compile(source[: source.index('\nhostname = "localhost"')], "msg_sequence_test.py", "exec"), namespace)

mosq_test = namespace["mosq_test"]
connect_only = mosq_test.client_connect_only


def connect_here(*_args, **options):
    options.update(hostname=host, port=port)
    return connect_only(**options)


mosq_test.client_connect_only = connect_here
sequence = namespace["MsgSequence"]
recv_message = sequence._recv_message


def whole_packet(sock):
    first, length, shift = sock.recv(1), 0, 0
    while first:
        byte = sock.recv(1)
        if not byte:
            break
        length |= (byte[0] & 127) << shift
        shift += 7
        if byte[0] < 128:
            break
    body = b""
    while first and len(body) < length:
        part = sock.recv(length - len(body))
        if not part:
            break
        body += part
    return first, body


def recv_relaxed(self, sock, message):
    if message.comment != "default connack":
        return recv_message(self, sock, message)
    first, body = whole_packet(sock)
    if first != b"\x20" or len(body) < 2 or body[1] != 0:
        raise ValueError("default connack: %r %r" % (first, body))


sequence._recv_message = recv_relaxed
sys.exit(namespace["do_test"](host, port))
