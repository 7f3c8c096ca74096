"""Who may use the bridge: a token for each client, and pairing, by which a client gets one.

What holds:

- A token is 32 random bytes. It is shown once, when it is made; `tokens.json` in the data folder, readable by the user
  only, keeps its SHA-256. Tokens are never in arguments, the environment, logs or the vault.
- A client may `read`, `write` or do what an `admin` does, each only when its token says so. Its preset says which tools
  an agent is offered; it is no right.
- The file is read again when it changed: a token that a command made or revoked counts, or no longer counts, at the
  next request, and what a revoked client still has open ends within a second.
- A damaged file is set aside as `tokens.damaged.json`; until tokens are made again only the runtime token gets in.
- Pairing is open for two minutes and only when a program of the user asked for it. It closes after one success and
  after five wrong codes, and ends with the process. Whoever pairs may `read` and `write`.
- A name stands for one client, whatever its case. One that pairs under a name in use gets it with a number: no client
  can take another's place. A revoked name is remembered, so that no program that goes by it through the runtime token
  may more than before.
- Comparing takes the same time however much is right: of a code by its comparison, of a token because only its digest
  is looked up, which nobody can steer.
"""
