"""What the reference shows of signatures beyond what stands in them; an extension of griffe.

Keywords that a function takes as a whole (`**values: Unpack[T]`) are shown one by one, as `help`
shows them. Options are shown by their types, without what the command line makes of them, and
defaults that are constants by their values.
"""

import inspect
import pydoc
from contextlib import suppress

import griffe


class Reference(griffe.Extension):
    """Rewrites types and defaults before the page is made."""

    def on_attribute_instance(self, *, attr, **_):
        """Takes the type out of `Annotated`."""
        found = attr.annotation
        if isinstance(found, griffe.ExprSubscript) and str(found.left) == "Annotated":
            attr.annotation = found.slice.elements[0]

    def on_package(self, *, pkg, **_):
        """Completes the functions, once all of them are known."""
        self._complete(pkg)

    def _complete(self, within):
        for member in within.members.values():
            if member.is_alias:
                continue
            if member.is_function:
                _unpack(member)
                _evaluate(member)
            elif member.is_module or member.is_class:
                self._complete(member)


def _unpack(function):
    """Replaces keywords that are taken as a whole, unless the docstring explains them so."""
    for whole in [each for each in function.parameters if each.kind.value == "variadic keyword"]:
        mentioned = function.docstring is not None and "**" in function.docstring.value
        if not mentioned and str(whole.annotation).startswith("Unpack["):
            del function.parameters[whole.name]
            if function.docstring is not None:  # it gets what keywords mean when it is loaded
                function.docstring.value = inspect.getdoc(pydoc.locate(function.canonical_path))
            declared = function.modules_collection[whole.annotation.slice.canonical_path]
            for attribute in declared.attributes.values():
                function.parameters.add(_keyword(attribute))


def _keyword(attribute):
    """The parameter of a key; `...` stands for the default of one that may be left out."""
    kind, needed = attribute.annotation, str(attribute.annotation).startswith("Required[")
    return griffe.Parameter(
        attribute.name,
        annotation=kind.slice if needed else kind,
        kind=griffe.ParameterKind.keyword_only,
        default=None if needed else "...",
    )


def _evaluate(function):
    """Shows constants by their values."""
    for parameter in function.parameters:
        if isinstance(name := parameter.default, griffe.ExprName) and name.name.isupper():
            with suppress(KeyError):  # of another library
                parameter.default = function.modules_collection[name.canonical_path].value
