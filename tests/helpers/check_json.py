#!/usr/bin/python3
"""Check pfmstat's JSON Lines: every line against the schema, and rules that no schema can express.

usage: check_json.py SCHEMA [FILE]      (standard input without FILE)

Keys must not repeat, no key may be unknown to the schema, the first record is the start and the last the end,
unless all are those of --check.
Exit status 0 if all is well, 1 with a line for each defect.
"""
import json
import sys

import jsonschema


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def refuse_repeated(pairs):
    keys = [key for key, _ in pairs]
    repeated = {key for key in keys if keys.count(key) > 1}
    if repeated:
        raise ValueError(f"repeated keys: {', '.join(sorted(repeated))}")
    return dict(pairs)


def definition_of(record):
    kind = record.get("kind")
    return kind if kind in ("start", "process", "end", "check") else "row"


def validators_of(schema):
    """A validator for each kind of record: oneOf would only report that none fits."""
    return {
        name: jsonschema.Draft7Validator(
            {"definitions": schema["definitions"], "allOf": [{"$ref": f"#/definitions/{name}"}]}
        )
        for name in ("start", "row", "process", "end", "check")
    }


def unknown_keys(record, schema):
    kind = record.get("kind")
    definition = schema["definitions"][definition_of(record)]
    for key in record.keys() - definition["properties"].keys():
        yield f"unknown key {key}"
    for event in record.get("events", []) if kind == "start" else []:
        for key in event.keys() - schema["definitions"]["event"]["properties"].keys():
            yield f"unknown key {key} of an event"


def defects(data, schema):
    if not data.endswith(b"\n"):
        yield "the last line does not end"
    validators = validators_of(schema)
    kinds = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        try:
            record = json.loads(
                line.decode("utf-8"),
                object_pairs_hook=refuse_repeated,
                parse_constant=refuse_constant,
            )
        except ValueError as error:
            yield f"line {number}: {error}"
            continue
        kinds.append(record.get("kind"))
        for error in validators[definition_of(record)].iter_errors(record):
            yield f"line {number}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
        for defect in unknown_keys(record, schema):
            yield f"line {number}: {defect}"
    if kinds and set(kinds) == {"check"}:
        return
    if kinds[:1] != ["start"] or kinds.count("start") != 1:
        yield "the first record, and no other, must be the start"
    if kinds[-1:] != ["end"] or kinds.count("end") != 1:
        yield "the last record, and no other, must be the end"


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        schema = json.load(f)
    jsonschema.Draft7Validator.check_schema(schema)
    if len(sys.argv) > 2:
        with open(sys.argv[2], "rb") as f:
            data = f.read()
    else:
        data = sys.stdin.buffer.read()
    found = list(defects(data, schema))
    for defect in found:
        print(defect)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
