"""Settings, rules, models, clients and pairing."""
