"""What an answer in VROOM's JSON tells: its objects, their keys and the types of their values."""

# Ours alone, by the kind of object.
OURS = {"answer": {"warnings"}, "unassigned": {"reason", "detail"}}
KINDS = ("answer", "summary", "computing_times", "unassigned", "route", "start", "break", "end")


def objects(answer):
    """(kind, what it is about, the object) of everything in an answer."""
    summary = answer["summary"]
    yield "answer", None, answer
    yield "summary", None, summary
    yield "computing_times", None, summary["computing_times"]
    for row in answer["unassigned"]:
        yield "unassigned", (row["type"], row["id"]), row
    for route in answer["routes"]:
        yield "route", route["vehicle"], route
        for step in route["steps"]:
            kind = step["type"] if step["type"] in KINDS else "job"
            about = (step["type"], step.get("id"), route["vehicle"] if kind != "job" else None)
            yield kind, about, step


def type_of(value):
    """A value's type, with those of a list's elements; how many objects there are says nothing."""
    if not isinstance(value, list):
        return type(value).__name__
    within = [type_of(each) for each in value]
    return "list" if "dict" in within or not within else within


def told(answer):
    """The keys of each object with the types of their values."""
    return {
        (kind, about): {key: type_of(value) for key, value in found.items()}
        for kind, about, found in objects(answer)
    }
