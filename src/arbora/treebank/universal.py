"""The inventories of Universal Dependencies, version 2: tags, relations, features and their values.

As https://universaldependencies.org/u/ lists them. Languages extend relations by subtypes, and features and
their values by their own; tags are the same for all.
"""

from __future__ import annotations

_TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
_RELATIONS = """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated
    expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root
    vocative xcomp
"""
_FEATURES = {
    "Abbr": "Yes",
    "Animacy": "Anim Hum Inan Nhum",
    "Aspect": "Hab Imp Iter Perf Prog Prosp",
    "Case": "Abe Abl Abs Acc Add Ade All Ben Cau Cmp Cns Com Dat Del Dis Ela Equ Erg Ess Gen Ill Ine Ins Lat "
    "Loc Nom Par Per Sbe Sbl Spl Sub Sup Tem Ter Tra Voc",
    "Clusivity": "Ex In",
    "Definite": "Com Cons Def Ind Spec",
    "Degree": "Abs Aug Cmp Dim Equ Pos Sup",
    "Deixis": "Abv Bel Even Med Nvis Prox Remt",
    "DeixisRef": "1 2",
    "Evident": "Fh Nfh",
    "ExtPos": _TAGS,
    "Foreign": "Yes",
    "Gender": "Com Fem Masc Neut",
    "Mood": "Adm Cnd Des Imp Ind Int Irr Jus Nec Opt Pot Prp Qot Sub",
    "NounClass": " ".join([*(f"Bantu{n}" for n in range(1, 24)), *(f"Wol{n}" for n in range(1, 13))]),
    "NumType": "Card Dist Frac Mult Ord Range Sets",
    "Number": "Coll Count Dual Grpa Grpl Inv Pauc Plur Ptan Sing Tri",
    "Person": "0 1 2 3 4",
    "Polarity": "Neg Pos",
    "Polite": "Elev Form Humb Infm",
    "Poss": "Yes",
    "PronType": "Art Dem Emp Exc Ind Int Neg Prs Rcp Rel Tot",
    "Reflex": "Yes",
    "Tense": "Fut Imp Past Pqp Pres",
    "Typo": "Yes",
    "VerbForm": "Conv Fin Gdv Ger Inf Part Sup Vnoun",
    "Voice": "Act Antip Bfoc Cau Dir Inv Lfoc Mid Pass Rcp",
}

TAGS = frozenset(_TAGS.split())
RELATIONS = frozenset(_RELATIONS.split())
FEATURES = {name: frozenset(values.split()) for name, values in _FEATURES.items()}
"""The values that every feature may have."""
