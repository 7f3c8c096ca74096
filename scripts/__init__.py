"""Commands for developers; nothing here is installed with the product."""
