"""The pieces of an explanation: the steps of a path, remarks, leaves reached, contributions, the text.

One idea: an explanation is facts first; `texts` puts them into words.
"""
