"""nginx in front of the replicas: each reader stays with one replica, as long as that one lives.

Notable choices:
- A cookie says which replica a reader is with. Not the address: a class behind one router has one. Who opens a page
  without a cookie goes to the replica whose turn it is, so replicas are even. Only pages take turns. What else comes
  without a cookie (the question whether we are alive, every few seconds) would take the turns of readers.
- A replica that refuses connections is left out for some seconds. Its readers reach another one, which their cookie then
  names; their page is in the address, so it opens there as it was.
- Only an answer that cannot be had is asked for elsewhere: a replica that is slow keeps its readers.
- Streamlit compares the websocket's origin with the host that was asked, so the host is passed on. Pages of other hosts are
  refused here: Streamlit would look up its own public address in the network to judge them.
- nginx runs as the reader's account and writes into one temporary folder.
- A reader takes two descriptors here. When they run out nginx would drop connections without a word, so it says that it is
  full before. A replica that is full says so itself.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from alibi_viz.classroom import full_page

COOKIE = "alibi_viz_replica"
OUT_FOR = 5  # seconds that a replica is left out
LARGEST_BODY = 6  # MB; server.maxUploadSize, and what surrounds it
MOST_CONNECTIONS = 4096  # of nginx, to readers and to replicas
SPARE = 48  # descriptors for its own files, and for those whom it turns away
FULL = "full.html"
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


def prepare(host: str, port: int, replicas: Sequence[int], folder: Path, files: int | None) -> None:
    """Write nginx's configuration, and the page for those whom it turns away, into `folder`: see `configuration`."""
    (folder / FULL).write_text(full_page.html(), encoding="utf-8")
    (folder / "nginx.conf").write_text(configuration(host, port, replicas, folder, files), encoding="utf-8")


def configuration(host: str, port: int, replicas: Sequence[int], folder: Path, files: int | None = None) -> str:
    """nginx.conf. replicas: their ports on this machine. folder: for temporary files. files: most that it may open."""
    connections = MOST_CONNECTIONS if files is None else min(MOST_CONNECTIONS, files)
    listen = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    servers = [f"server 127.0.0.1:{number} max_fails=1 fail_timeout={OUT_FOR}s" for number in replicas]
    groups = [_upstream(name, "least_conn;", *(f"{server};" for server in servers)) for name in ("any", "other")]
    for own, number in zip(servers, replicas, strict=True):
        others = (f"{other} backup;" for other in servers if other != own)
        groups.append(_upstream(f"r{number}", f"{own};", *others))
    temporary = "\n".join(
        f"  {kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return TEMPLATE.format(
        user=user(),
        folder=folder,
        files="" if files is None else f"worker_rlimit_nofile {files};",
        connections=connections,
        places=(connections - SPARE) // 2,
        full=FULL,
        retry=full_page.RETRY_AFTER,
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
{files}
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections {connections}; }}
http {{
  access_log off;
  server_tokens off;
  client_max_body_size {largest}m;
{temporary}
{groups}
  # From the cookie to the replica, and from the replica that answered to the cookie.
  map $http_accept $no_cookie {{ default other; ~text/html any; }}
  map $cookie_{cookie} $replica {{ default $no_cookie; {chosen} }}
  map $upstream_addr $served_by {{ {served} }}
  # Nobody answered, or a replica that is full: who was turned away may come to another one.
  map $status$served_by $set_cookie {{
    default "{cookie}=$served_by; Path=/; HttpOnly; SameSite=Lax";
    ~^503 "";
    ~^\\d+$ "";
  }}
  map $http_upgrade $upgrading {{ default upgrade; "" ""; }}
  # A page of another host may open no websocket.
  map "$http_origin $http_host" $foreign {{ default 1; "~^ " ""; "~^https?://(?<asked>[^ ]+) \\k<asked>$" ""; }}
  # All are counted together, but for the question whether we are alive: a proxy that is full is.
  map $uri $counted {{ default all; /_stcore/health ""; }}
  limit_conn_zone $counted zone=readers:64k;
  server {{
    listen {listen};
    limit_conn readers {places};
    limit_conn_status 503;
    error_page 503 @full;
    location @full {{
      root {folder};
      try_files /{full} =503;
      add_header Retry-After {retry} always;
      add_header Cache-Control no-store always;
    }}
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
