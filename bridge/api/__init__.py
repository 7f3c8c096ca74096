"""How a function becomes an operation: the registry, arguments, schemas, calls and the encoding of results."""
