"""How a function becomes an operation: the registry, arguments, schemas, calls and the form of answers."""
