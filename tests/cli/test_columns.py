from tests.cli.runs import one_line, vrp


def test_what_columns_mean_is_written_once_and_used(tmp_path):
    stops, mine = tmp_path / "stops.csv", tmp_path / "mine.yaml"
    stops.write_text("id,lat,lon,stuff\n1,52.55,13.4,20\n2,52.5,13.45,37\n")
    how = [stops, "--depot", "52.5,13.4", "--capacity", "40"]
    said = one_line(vrp("solve", *how, code=4).stderr)
    assert f"vrp columns {stops} -o FILE writes it" in said
    assert '"stuff":  # 20, 37: demand, service, ...?;' in vrp("columns", stops).stdout
    vrp("columns", stops, "-o", mine)
    assert "already exists" in vrp("columns", stops, "-o", mine, code=8).stderr
    mine.write_text(mine.read_text().replace('"stuff":', '"stuff": demand'))
    found = vrp("solve", *how, "--columns", mine, "-o", tmp_path / "a.csv")
    assert "stops.csv: id, lat, lon, demand = stuff" in one_line(found.stderr)
    assert "routes  2" in found.stderr
    assert "demand = stuff" not in vrp("solve", *how, "--columns", mine, "--quiet").stderr
