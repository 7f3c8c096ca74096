"""The kinds of change that callers can request: one record each, with how it is planned and described."""
