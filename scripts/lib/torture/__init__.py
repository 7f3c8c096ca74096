"""Stress tests of everything that must never lose a byte."""
