"""How much: text, JSON and messages to tokens.  Knows nothing of budgets."""
