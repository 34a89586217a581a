"""Objects at URLs, through fsspec and the libraries of stores.

stores    the schemes, their filesystems and the errors of their libraries
listing   the objects below a URL, and states of objects, none looked up twice
objects   the bytes of an object, read ahead; an object that is whole or does not exist

fsspec and the libraries of stores are imported for URLs alone.
"""
