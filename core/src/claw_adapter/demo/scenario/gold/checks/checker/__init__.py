"""The program that decides an artefact by its structure: compiled scenarios carry a copy of this folder.

Standard library only, relative imports only. A copy has the folder `values` of core in the place of the module `values`.
"""
