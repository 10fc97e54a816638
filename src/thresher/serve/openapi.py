"""The API, described (OpenAPI 3.1)."""

from __future__ import annotations

from typing import Any

from thresher.serve.options import FORMATS
from thresher.version import __version__


def _answer(text: str, **properties: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    if properties:
        schema |= {"properties": properties, "required": sorted(properties)}
    return {"description": text, "content": {"application/json": {"schema": schema}}}


_ERROR = {
    "description": "What is wrong, and what was expected.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}
_USUAL = {str(status): _ERROR for status in (400, 401, 403, 404, 405, 409, 413, 415, 422, 503)}
_WRITES = _USUAL | {"429": _ERROR, "507": _ERROR}
_INT = {"type": "integer"}
_MODEL = {
    "name": "model", "in": "path", "required": True,
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"},
}  # fmt: skip
_SEQ = {"name": "seq", "in": "path", "required": True, "schema": _INT | {"minimum": 0}}
_KEY = {
    "name": "Idempotency-Key", "in": "header", "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
    "description": "A request that is sent again under the same key is learned once.",
}  # fmt: skip
_ID = {"name": "id", "in": "query", "schema": {"type": "string", "minLength": 1, "maxLength": 200}}


def _flag(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": text,
            "schema": {"type": "string", "enum": ["0", "1"]}}  # fmt: skip


def _json_body(schema: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


_EVENTS = {
    "required": True,
    "content": {
        "application/json": {"schema": {"type": "object"}, "example": {"x": 1.5, "y": "spam"}},
        "application/x-ndjson": {"schema": {"type": "string"}},
        "text/plain": {"schema": {"type": "string"}, "example": "1 | a b:2"},
    },
}
_STANDINGS = _answer("Standings.", standings={"type": "array"})
_TEXTS = {"type": "array", "items": {"type": "string"}}
_CHALLENGER = {
    "type": "object",
    "properties": {"learner": {"type": "string"}, "settings": {"type": "object"}},
    "required": ["learner"],
    "additionalProperties": False,
}

OPENAPI: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Thresher", "version": __version__,
        "description": "Models that learn while they answer. 200 for an event means that it is on "
        "disk and will be learned exactly once, in the order of seq.",
    },
    "components": {
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        "schemas": {
            "Error": {
                "type": "object",
                "properties": {"error": {"type": "string"}},
                "required": ["error"],
            },
            "Options": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "learner": {"type": "string", "default": "experts"},
                    "settings": {"type": "object"},
                    "format": {"enum": list(FORMATS), "default": "jsonl"},
                    "id": {"type": "string"},
                    "label": {"type": "string"},
                    "weight": {"type": "string"},
                    "text": _TEXTS,
                    "categorical": _TEXTS,
                    "date": _TEXTS,
                    "ignore": _TEXTS,
                    "missing": {"enum": ["zero", "indicator"]},
                    "ngrams": _INT,
                    "char_ngrams": {"type": ["string", "integer", "array"]},
                    "weighting": {"type": "string"},
                    "cross": {"type": "array", "items": _TEXTS},
                    "hash_bits": _INT,
                    "min_count": _INT,
                    "max_features": _INT,
                    "keep_seconds": _INT,
                    "keep_most": _INT,
                },
            },
        },
    },
    "paths": {
        "/v1/models": {
            "get": {"responses": {"200": _answer("All models.", models={"type": "array"}, seq=_INT)}
                    | _USUAL},
        },
        "/v1/models/{model}": {
            "parameters": [_MODEL],
            "put": {
                "summary": "Create a model.",
                "requestBody": _json_body({"$ref": "#/components/schemas/Options"}),
                "responses": {"200": _answer("It was there, with these options."),
                              "201": _answer("It was created.")} | _WRITES,
            },
            "get": {"responses": {"200": _answer("The model.")} | _USUAL},
            "delete": {"responses": {"200": _answer("It is gone.")} | _WRITES},
        },
        "/v1/models/{model}/learn": {
            "parameters": [_MODEL, _KEY, _ID, _flag("predictions", "Also what was predicted.")],
            "post": {
                "summary": "Learn one event, or many.",
                "requestBody": _EVENTS,
                "responses": {"200": _answer("Learned.", learned=_INT, seq=_INT)} | _WRITES,
            },
        },
        "/v1/models/{model}/predict": {
            "parameters": [
                _MODEL, _ID, _flag("scores", "Also scores."),
                _flag("probabilities", "Also probabilities."),
                _flag("explain", "Also what each feature adds."),
                {"name": "min_seq", "in": "query", "schema": _INT | {"minimum": 0}},
            ],
            "post": {
                "summary": "Predict one event, or many; with an id it is kept for its label.",
                "requestBody": _EVENTS,
                "responses": {"200": _answer("Predicted.", seq=_INT)} | _WRITES | {"412": _ERROR},
            },
        },
        "/v1/models/{model}/label": {
            "parameters": [_MODEL, _KEY],
            "post": {
                "summary": "The label of an event that was predicted under an id.",
                "requestBody": _json_body({
                    "type": "object",
                    "properties": {"id": {"type": ["string", "integer"]}, "label": {},
                                   "weight": {"type": "number"}},
                    "required": ["id", "label"],
                    "additionalProperties": False,
                }),
                "responses": {"200": _answer("Learned.", learned=_INT, seq=_INT)} | _WRITES
                | {"410": _ERROR},
            },
        },
        "/v1/models/{model}/snapshots": {
            "parameters": [_MODEL],
            "get": {"responses": {"200": _answer("All.", snapshots={"type": "array"})} | _USUAL},
            "post": {"responses": {"201": _answer("Made.", seq=_INT)} | _WRITES},
        },
        "/v1/models/{model}/snapshots/{seq}": {
            "parameters": [_MODEL, _SEQ],
            "get": {
                "summary": "The model file at this seq, of a snapshot or not.",
                "responses": {
                    "200": {"description": "A model file, for `thresher predict`.",
                            "content": {"application/octet-stream": {}}}
                } | _USUAL,
            },
            "delete": {"responses": {"200": _answer("It is not kept.", removed=_INT)} | _WRITES},
        },
        "/v1/models/{model}/rollback": {
            "parameters": [_MODEL],
            "post": {
                "summary": "Back to what the model was at any seq.",
                "requestBody": _json_body({
                    "type": "object", "properties": {"seq": _INT}, "required": ["seq"],
                    "additionalProperties": False,
                }),
                "responses": {"200": _answer("The model, as it is now.")} | _WRITES,
            },
        },
        "/v1/models/{model}/race": {
            "parameters": [_MODEL],
            "get": {"responses": {"200": _STANDINGS} | _USUAL},
            "put": {
                "summary": "Challengers learn all that the model has learned, and go on with it.",
                "requestBody": _json_body({
                    "type": "object", "required": ["challengers"], "additionalProperties": False,
                    "properties": {
                        "challengers": {"type": "object", "additionalProperties": _CHALLENGER}
                    },
                }),
                "responses": {"200": _STANDINGS} | _WRITES,
            },
            "delete": {"responses": {"200": _answer("Ended.")} | _WRITES},
        },
        "/v1/models/{model}/race/promote": {
            "parameters": [_MODEL],
            "post": {
                "requestBody": _json_body({
                    "type": "object", "properties": {"name": {"type": "string"}},
                    "required": ["name"], "additionalProperties": False,
                }),
                "responses": {"200": _answer("The model, as it is now.")} | _WRITES,
            },
        },
        "/health/live": {"get": {"responses": {"200": {"description": "It runs."}}}},
        "/health/ready": {"get": {"responses": {"200": {"description": "It learns."},
                                                "503": {"description": "Not yet, or not now."}}}},
        "/metrics": {"get": {"responses": {"200": {"description": "For Prometheus."}} | _USUAL}},
        "/openapi.json": {"get": {"responses": {"200": _answer("This.")} | _USUAL}},
    },
}  # fmt: skip
