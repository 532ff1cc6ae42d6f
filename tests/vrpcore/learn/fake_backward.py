"""Gradients on a CUDA device that is not there: `torch.autograd.backward` walked in Python."""

import torch


def backward(tensors, grad_tensors=None, *_, **__) -> None:
    """`torch.autograd.backward` without its engine, which wants a thread for each device."""
    tensors = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
    given = [grad_tensors] if isinstance(grad_tensors, torch.Tensor) else grad_tensors
    given = list(given or [None] * len(tensors))
    with torch.no_grad():
        given = [
            torch.ones_like(t) if g is None else g for t, g in zip(tensors, given, strict=True)
        ]
        _backward(tensors, given)


def _backward(tensors, given) -> None:
    for tensor, gradient in zip(tensors, given, strict=True):
        assert (tensor.shape, tensor.device) == (gradient.shape, gradient.device)
    roots = [torch.autograd.graph.get_gradient_edge(tensor) for tensor in tensors]
    waiting, stack = {root.node: 0 for root in roots}, [root.node for root in roots]
    seen = set(stack)
    while stack:
        for following, _ in stack.pop().next_functions:
            if following is not None:
                waiting[following] = waiting.get(following, 0) + 1
                if following not in seen:
                    seen.add(following)
                    stack.append(following)
    gradients = {}
    for root, gradient in zip(roots, given, strict=True):
        _add(gradients, root.node, root.output_nr, gradient)
    ready = [node for node in dict.fromkeys(root.node for root in roots) if not waiting[node]]
    while ready:
        node = ready.pop()
        passed = _apply(node, gradients.pop(node, {}))
        for (following, place), gradient in zip(node.next_functions, passed, strict=True):
            if following is None:
                continue
            _add(gradients, following, place, gradient)
            waiting[following] -= 1
            if not waiting[following]:
                ready.append(following)


def _add(gradients, node, place, gradient) -> None:
    if gradient is not None:
        wanted = node._input_metadata[place]
        assert wanted.device == gradient.device
        gradient = gradient.sum_to_size(wanted.shape).to(wanted.dtype)
        own = gradients.setdefault(node, {})
        own[place] = own[place] + gradient if place in own else gradient


def _apply(node, own):
    """What a node passes on, from the gradients of its outputs."""
    if hasattr(node, "variable"):
        leaf = node.variable
        if own:
            leaf.grad = own[0].detach() if leaf.grad is None else leaf.grad + own[0]
        return ()
    if not own:
        return [None] * len(node.next_functions)
    count = len(node._input_metadata)
    # Nodes written in Python have a method in place of a call.
    passed = getattr(node, "apply", node)(*(own.get(place) for place in range(count)))
    return passed if isinstance(passed, tuple) else (passed,)
