"""Readers of saved sessions: one file per kind, one protocol for all."""
