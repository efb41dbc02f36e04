"""The real MetaClaw between any harness and its model: an overlay of claw-adapter."""
