"""For tests of adapters: a scripted model endpoint, a trial context over a folder, and harnesses with a planted bug.

How they fit together is in docs/testing.md.
"""

from claw_adapter.testing.context import FolderContext, Listening
from claw_adapter.testing.endpoint import ScriptedEndpoint
from claw_adapter.testing.planted import PlantedConversation, planted

__all__ = ["FolderContext", "Listening", "PlantedConversation", "ScriptedEndpoint", "planted"]
