"""Images from the network: guarded transport, polite scheduling, img2dataset's downloader over both (images.md 5 to 7)."""
