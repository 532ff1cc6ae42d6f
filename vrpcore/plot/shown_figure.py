"""A figure that notebooks show as the value of a cell."""

import io
import warnings

from matplotlib.figure import Figure

DPI = 110


class ShownFigure(Figure):
    """A figure that shows itself in a notebook.

    Pyplot does not know it, so it is not shown a second time when the cell ends. A plain figure
    shows itself only where pyplot is in use.
    """

    def _repr_png_(self) -> bytes:
        """The picture for a notebook."""
        return self.png()

    def png(self) -> bytes:
        """The picture as the content of a file."""
        picture = io.BytesIO()
        with warnings.catch_warnings():
            # Letters that no font here has are shown as boxes.
            warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
            self.savefig(picture, format="png", dpi=DPI)
        return picture.getvalue()
