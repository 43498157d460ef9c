"""A server of each test's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime import Runtime, RuntimeConfig, websocket_session_manager
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from alibi_viz.ui.streamlit_patches.sessions import Session, install
from tests.threads import run_in_a_thread
from tests.ui.streamlit_patches.server import APP, PAGE, Reader


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """read(kind, story, page): a server with such sessions and pages, and what the coroutine `story(reader)` returns."""
    script = tmp_path / "app.py"
    script.write_text(APP)

    async def serve(story: Callable[[Reader], Any]) -> Any:
        storage, uploads = MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/uploads")
        runtime = Runtime(RuntimeConfig(str(script), media_file_storage=storage, uploaded_file_manager=uploads))
        await runtime.start()
        try:
            return await story(Reader(runtime))
        finally:
            runtime.stop()
            await runtime.stopped

    def run(kind: type[AppSession], story: Callable[[Reader], Any], page: str = PAGE) -> Any:
        for name in ("first", "second"):
            (tmp_path / f"{name}.py").write_text(page.format(name=name))
        monkeypatch.setattr(Runtime, "_instance", None)  # a process has one
        monkeypatch.setattr(websocket_session_manager, "AppSession", AppSession)
        if kind is Session:
            install()
        return run_in_a_thread(serve(story))

    return run
