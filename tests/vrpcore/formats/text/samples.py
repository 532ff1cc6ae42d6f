"""Texts of formats that tests of several folders read."""

SOLOMON = """tiny

VEHICLE
NUMBER     CAPACITY
  2         10

CUSTOMER
CUST NO.  XCOORD.  YCOORD.  DEMAND  READY TIME  DUE DATE  SERVICE TIME

    0      0         0         0          0       99          0
    1      1         1         3          0       50          1
    2      2         3         4          0       60          1
"""
