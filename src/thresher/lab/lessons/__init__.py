"""A course in the views: a few sentences per screen, something to predict first."""

QUESTIONS = {"list": "screens:listed", "screen": "screens:screen"}
