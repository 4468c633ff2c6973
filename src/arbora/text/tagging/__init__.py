"""The tagger's room: templates and dictionaries, training, tagging, files."""
