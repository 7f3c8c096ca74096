"""The checks, one file each, in the order in which plans list them."""
