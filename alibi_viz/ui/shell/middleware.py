"""What our middlewares share: they meet the requests for a page, and let all others pass."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send


class PageMiddleware:
    """ASGI middleware for HTML documents alone; `page` is what a kind of it does."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_page = scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", "")
        await (self.page if is_page else self.app)(scope, receive, send)

    async def page(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a page, with the help of `self.app`."""
        raise NotImplementedError
