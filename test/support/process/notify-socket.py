"""A stand-in for the socket on which systemd listens: prints what comes, a line each. Its path is the first argument."""

import socket
import sys

listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listening.bind(sys.argv[1])
print("listening", flush=True)
while True:
    print(listening.recv(4096).decode(), flush=True)
