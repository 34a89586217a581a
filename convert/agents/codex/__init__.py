"""Parts that the formats of Codex share.

apply_patch  patches in its form: one change for each file
outputs     what it says of a tool that ended, in the forms of its versions
tokens      the tokens of a thread
"""
