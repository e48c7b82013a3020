"""What to send: pure decisions over numbers.  Knows no provider and no text."""
