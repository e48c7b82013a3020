"""Pictures of replayed runs: a page for the browser, a PNG for a chat or a slide."""
