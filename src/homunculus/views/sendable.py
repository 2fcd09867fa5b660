"""What views are sent as: parts of messages for each API."""

from abc import abstractmethod
from typing import Any

from homunculus.messages import ANTHROPIC, CHAT, GEMINI, RESPONSES, ollama
from homunculus.messages.pictures import Bundle


class Sendable:
    """Pictures with their lines, ready for any API."""

    @abstractmethod
    def bundle(self, number: int | None = None) -> Bundle:
        """The pictures as files, each with its line (`labels`): what every API is given."""

    def openai(self, number: int | None = None) -> list[dict[str, Any]]:
        """As parts of a message for OpenAI's chat completions, and for all who speak alike.

        ``number`` says which of several pictures of a request this is, as in `labels`.
        """
        return CHAT.parts(self.bundle(number))

    def responses(self, number: int | None = None) -> list[dict[str, Any]]:
        """As parts of a message for OpenAI's responses."""
        return RESPONSES.parts(self.bundle(number))

    def anthropic(self, number: int | None = None) -> list[dict[str, Any]]:
        """As parts of a message for Anthropic's messages."""
        return ANTHROPIC.parts(self.bundle(number))

    def gemini(self, number: int | None = None) -> list[dict[str, Any]]:
        """As parts of a content for Gemini."""
        return GEMINI.parts(self.bundle(number))

    def ollama(self, number: int | None = None) -> dict[str, Any]:
        """As `content` and `images` of a message for Ollama; your question goes behind them."""
        return ollama.message(self.bundle(number))
