"""Objects at URLs, through fsspec and the libraries of stores.

stores    the schemes, their filesystems and the errors of their libraries
objects   the objects below a URL and their states, none looked up twice; the bytes of
          an object, read ahead; an object that is whole or does not exist

fsspec and the libraries of stores are imported only for URLs.
"""
