"""Whose shape: one file per message format.  Reads messages into facts, writes edits into copies; decides nothing."""
