"""The checks of the gardener, one file each, in the order in which plans list them."""
