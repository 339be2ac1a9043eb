"""Training and measuring the model of main content (main_content.md)."""
