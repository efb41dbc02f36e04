"""The program that decides generated checks; a copy of it lies in every scenario's ``gold/checks``."""
