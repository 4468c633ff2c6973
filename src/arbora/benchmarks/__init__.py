"""Ratios against peers, measured in one run. Speed lives here, never in a timed test."""
