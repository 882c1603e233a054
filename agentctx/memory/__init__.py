"""Versioned memory of what agents did: COMMIT, BRANCH, MERGE and CONTEXT over git.

Source: Git-Context-Controller, https://arxiv.org/abs/2508.00031 (v3).
"""
