"""The tokenizer: from raw text to sentences, tokens and words."""
