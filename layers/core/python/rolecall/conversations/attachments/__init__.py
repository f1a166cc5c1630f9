"""Files that a person attaches to a message: uploaded, checked by their bytes, shown to the model, and again later."""
