"""Takes out of a loop what does not change in it."""

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto

# Arithmetic of shapes, which the conversion leaves where a shape is used.
_SHAPE_OPS = {"Shape", "Gather", "Unsqueeze", "Concat", "Mul", "Div", "Cast", "Greater"}
# Out of a branch only what cannot fail where the branch is not taken.
_SAFE_OPS = {"Unsqueeze", "Concat"}


def hoist_invariants(model: ModelProto) -> None:
    """Moves shape arithmetic on values from outside a `Loop` in front of it.

    Args:
        model: Changed in place.
    """
    nodes: list[NodeProto] = []
    for node in model.graph.node:
        if node.op_type == "Loop":
            (body,) = _graphs(node)
            nodes += _lift(body, {value.name for value in body.input}, _SHAPE_OPS)
        nodes.append(NodeProto.FromString(node.SerializeToString()))
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _lift(graph: GraphProto, changing: set[str], movable: set[str]) -> list[NodeProto]:
    """Removes movable nodes that read nothing that changes; constants stay at hand."""
    lifted: list[NodeProto] = []
    kept: list[NodeProto] = []
    results = {value.name for value in graph.output}
    for node in graph.node:
        for branch in _graphs(node):
            lifted += _lift(branch, set(changing), _SAFE_OPS)
        fixed = not (_reads(node) & changing or set(node.output) & results)
        if fixed and node.op_type in movable | {"Constant"}:
            lifted.append(NodeProto.FromString(node.SerializeToString()))
        else:
            kept.append(NodeProto.FromString(node.SerializeToString()))
            changing |= set(node.output)
    del graph.node[:]
    graph.node.extend(kept)
    return lifted


def _reads(node: NodeProto) -> set[str]:
    names = set(node.input)
    for graph in _graphs(node):
        names |= {value.name for value in graph.output}
        for inner in graph.node:
            names |= _reads(inner)
    return names


def _graphs(node: NodeProto) -> list[GraphProto]:
    return [each.g for each in node.attribute if each.type == AttributeProto.GRAPH]
