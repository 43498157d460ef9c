"""What the machine is asked: settings of its environment, its devices, and at which addresses others reach it."""

import socket
from types import SimpleNamespace

import psutil
import pytest
import torch

from alibi_viz import device
from alibi_viz.checks import setting
from alibi_viz.classroom import network


def test_a_setting_is_read_has_its_default_or_is_refused(monkeypatch):
    for value, read in (("", 10), (" 7 ", 7), ("0", 0), ("19", 19)):
        monkeypatch.setenv("ALIBI_VIZ_X", value)
        assert setting("ALIBI_VIZ_X", 10, 0, 19) == read
    for value in ("20", "-1", "1.5", "many", "٣٣", "²", "9" * 5000, "0" * 5000 + "7"):
        monkeypatch.setenv("ALIBI_VIZ_X", value)
        with pytest.raises(ValueError, match="ALIBI_VIZ_X must be a whole number between 0 and 19"):
            setting("ALIBI_VIZ_X", 10, 0, 19)


def test_a_gpu_comes_first_the_cpu_is_the_last_resort_and_no_other_is_taken(monkeypatch):
    assert device.pick("cpu").cores >= 1
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Some GPU")
    assert device.pick() == device.Device("cuda", "Some GPU")
    assert device.available()[-1].name == "cpu"
    for absent in ("tpu", "", "CPU"):
        with pytest.raises(ValueError, match="no device"):
            device.pick(absent)


CARDS = {"lo": ["127.0.0.1", "::1"], "wifi": ["192.168.1.5", "fe80::1"], "vpn": ["10.0.0.2", "169.254.3.4"]}


@pytest.mark.parametrize(
    ("host", "listens_on", "expected"),
    [
        ("class.example", "127.0.0.1", ["class.example"]),
        ("127.0.0.1", "127.0.0.1", []),
        ("localhost", "localhost", []),
        ("127.0.0.1", "192.168.1.5", ["192.168.1.5"]),
        ("localhost", "0.0.0.0", ["10.0.0.2", "192.168.1.5"]),
        ("::1", None, ["10.0.0.2", "192.168.1.5"]),
    ],
)
def test_what_a_phone_can_open(host, listens_on, expected, monkeypatch):
    def card(address):
        return SimpleNamespace(address=address, family=socket.AF_INET6 if ":" in address else socket.AF_INET)

    cards = {name: [card(address) for address in addresses] for name, addresses in CARDS.items()}
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: cards)
    assert network.reachable(host, listens_on) == expected
