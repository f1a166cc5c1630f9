"""Providers of models, one module each; see `registry.Provider` for what a module defines."""
