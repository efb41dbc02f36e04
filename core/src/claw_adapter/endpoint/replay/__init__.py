"""Answering from a recording: the transcript of an earlier run, found again by normalised requests."""

from claw_adapter.endpoint.replay.model import ReplayModel, replay_model
from claw_adapter.endpoint.replay.recording import Miss, Recording

__all__ = ["Miss", "Recording", "ReplayModel", "replay_model"]
