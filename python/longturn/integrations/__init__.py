"""One file per framework or engine, each imported only when asked for."""
