"""What a developer runs; nothing here is installed with the product."""
