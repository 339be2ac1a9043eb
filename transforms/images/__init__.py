"""Image references, where they are found in the archives, and what makes an image valid."""
