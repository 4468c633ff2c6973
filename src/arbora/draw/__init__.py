"""Trees as text and SVG."""
