"""A stand-in for the socket on which systemd listens: prints what comes, a line each. Its name is the first argument."""

import socket
import sys

name = sys.argv[1]
listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listening.bind("\0" + name[1:] if name.startswith("@") else name)
print("listening", flush=True)
while True:
    print(listening.recv(4096).decode(), flush=True)
