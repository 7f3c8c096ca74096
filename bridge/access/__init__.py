"""Who may use the bridge: one token for each client, and pairing, by which a client gets its token.

Guarantees:

- A token is 32 random bytes, shown once when it is created; `tokens.json` in the data folder, readable by the user
  only, keeps its SHA-256. Tokens never appear in arguments, the environment, logs or the vault.
- A client may `read`, `write` or act as `admin`, each only if its token says so. Its preset says which tools an agent
  is offered; it grants no rights.
- The file is read again when it has changed: a created or revoked token takes effect at the next request, and open
  connections of a revoked client end within a second.
- A damaged file is set aside as `tokens.damaged.json`; until tokens are created again, only the runtime token works.
- Pairing is open for two minutes, and only after a program of the user asked for it. It closes after one success or
  five wrong codes, and ends with the process. A paired client may `read` and `write`.
- A name stands for one client, regardless of case. A client that pairs under a name in use gets it with a number, so
  that no client can take another's place. Revoked names are remembered, so that a program that uses one with the
  runtime token gains no rights.
- Comparisons take constant time: codes by `hmac.compare_digest`, tokens because only their digest is looked up, which
  no attacker can steer.
"""
