"""From page to document, and from document plus images to dataset rows."""
