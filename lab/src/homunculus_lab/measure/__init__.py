# pyright: basic
"""What the kept tokens can still show: rebuild the page from them, let a reader read, score it.

>>> from homunculus_lab.measure.metric import inside
>>> inside("TOTAL: RM 9.00", ["9.00"])
1.0
"""
