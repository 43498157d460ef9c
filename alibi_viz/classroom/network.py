"""At which addresses the phones of a class reach this machine."""

import ipaddress
import socket

import psutil

EVERYWHERE = ("0.0.0.0", "::")  # every network of the machine


def is_loopback(host: str | None) -> bool:
    """Whether a host means this machine alone. None and "" mean every address that it has."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


def own_addresses() -> list[str]:
    """The IPv4 addresses of this machine in its networks, without loopback and those that no router gave."""
    cards = psutil.net_if_addrs().values()
    addresses = [ipaddress.ip_address(a.address) for card in cards for a in card if a.family == socket.AF_INET]
    return [str(address) for address in sorted(set(addresses)) if not (address.is_loopback or address.is_link_local)]


def reachable(host: str, listens_on: str | None) -> list[str]:
    """Hosts by which others reach a server that was opened as `host`, the best first; empty if none can.

    listens_on: the address that the server was told to listen on; None: every one.
    """
    if not is_loopback(host):
        return [host]
    place = listens_on or EVERYWHERE[0]
    if place in EVERYWHERE:
        return own_addresses()
    return [] if is_loopback(place) else [place]
