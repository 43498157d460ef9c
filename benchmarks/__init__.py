"""Measurements: `make bench`. Ratios against peers and limits, in one run, as a table and as JSON under out/.

Notable choices:
- Every figure is a ratio of two things measured in turn, A B A B, in the same run; the median is quoted. Single times on a
  shared machine say little.
- A limit that is missed is printed as missed; nothing here is a test and nothing here changes what the project claims.
"""
