"""nginx in front of the replicas: each reader stays with one replica, as long as that one lives.

Notable choices:
- A cookie says which replica a reader is with. Not the address: a class behind one router has one. Who has no cookie goes
  to the replica with the fewest connections, so replicas are even.
- A replica that refuses connections is left out for some seconds. Its readers reach another one, which their cookie then
  names; their page is in the address, so it opens there as it was.
- Only an answer that cannot be had is asked for elsewhere: a replica that is slow keeps its readers.
- Streamlit compares the websocket's origin with the host that was asked, so the host is passed on. Pages of other hosts are
  refused here: Streamlit would look up its own public address in the network to judge them.
- nginx runs as the reader's account and writes into one temporary folder.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

COOKIE = "alibi_viz_replica"
OUT_FOR = 5  # seconds that a replica is left out
LARGEST_BODY = 6  # MB; server.maxUploadSize, and what surrounds it
PLACES = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin")  # beside the PATH: Debian's is for root alone
MISSING = (
    "nginx is needed to share readers out among several servers. On Debian or Ubuntu: sudo apt install nginx-light. "
    "Without it, one server serves all: make run, or alibi-viz."
)


def find() -> str:
    """The path of nginx. Raises ValueError if there is none."""
    found = shutil.which("nginx") or shutil.which("nginx", path=os.pathsep.join(PLACES))
    if found is None:
        raise ValueError(MISSING)
    return found


def command(folder: Path) -> list[str]:
    """Run in the foreground, with all its files in `folder`."""
    return [find(), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"]


def configuration(host: str, port: int, replicas: Sequence[int], folder: Path) -> str:
    """nginx.conf. replicas: their ports on this machine. folder: for temporary files."""
    listen = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    servers = [f"server 127.0.0.1:{number} max_fails=1 fail_timeout={OUT_FOR}s" for number in replicas]
    groups = [_upstream("any", "least_conn;", *(f"{server};" for server in servers))]
    for own, number in zip(servers, replicas, strict=True):
        others = (f"{other} backup;" for other in servers if other != own)
        groups.append(_upstream(f"r{number}", f"{own};", *others))
    temporary = "\n".join(
        f"  {kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return TEMPLATE.format(
        user=user(),
        folder=folder,
        temporary=temporary,
        groups="\n".join(groups),
        chosen=" ".join(f"r{number} r{number};" for number in replicas),
        served=" ".join(f"~:{number}$ r{number};" for number in replicas),
        cookie=COOKIE,
        largest=LARGEST_BODY,
        listen=listen,
    )


def user() -> str:
    """The line that names nginx's own account: root's nginx would take one that cannot read its folder."""
    return "user root;" if hasattr(os, "geteuid") and os.geteuid() == 0 else ""


def _upstream(name: str, *lines: str) -> str:
    return f"  upstream {name} {{ {' '.join(lines)} }}"


TEMPLATE = """\
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  server_tokens off;
  client_max_body_size {largest}m;
{temporary}
{groups}
  # From the cookie to the replica, and from the replica that answered to the cookie.
  map $cookie_{cookie} $replica {{ default any; {chosen} }}
  map $upstream_addr $served_by {{ {served} }}
  map $served_by $set_cookie {{ default "{cookie}=$served_by; Path=/; HttpOnly; SameSite=Lax"; "" ""; }}
  map $http_upgrade $upgrading {{ default upgrade; "" ""; }}
  # A page of another host may open no websocket.
  map "$http_origin $http_host" $foreign {{ default 1; "~^ " ""; "~^https?://(?<asked>[^ ]+) \\k<asked>$" ""; }}
  server {{
    listen {listen};
    location / {{
      if ($foreign) {{ return 403; }}
      proxy_pass http://$replica;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $upgrading;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_next_upstream error;
      proxy_read_timeout 1h;
      proxy_send_timeout 1h;
      add_header Set-Cookie $set_cookie always;
    }}
  }}
}}
"""
