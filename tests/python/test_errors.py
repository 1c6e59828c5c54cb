"""Errors of the core as exceptions: Python names keywords, the command line names flags."""

import pytest

from graphsurgeon import DataError, GraphSurgeon, UsageError, _cli


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("--aug-dim: 0 is out of range", "aug_dim: 0 is out of range"),
        ("--seed: -1 is out of range", "random_state: -1 is out of range"),
        ("try a lower --lr, or --clip 1", "try a lower lr, or clip 1"),
        ("use '--splits random' (or --edge-drop-2).", "use 'splits random' (or edge_drop_2)."),
        ("pass --overwrite to replace it", "pass overwrite to replace it"),
        ("make them with 'data generate --nodes 9'", "make them with 'data generate --nodes 9'"),
        ("/data/run--lr/x.npz: is empty", "/data/run--lr/x.npz: is empty"),
        ("/data/--lr/x.npz: is empty", "/data/--lr/x.npz: is empty"),
        ("--lr/x.npz: is empty", "--lr/x.npz: is empty"),
        ("--lr.npz: is empty", "--lr.npz: is empty"),
    ],
)
def test_options_are_keywords_in_an_exception_and_paths_stay(message, shown):
    assert str(DataError(message)) == shown
    assert str(DataError("bad", message)) == f"bad (hint: {shown})"


def test_the_command_line_prints_the_message_of_the_core(capsys):
    def work():
        GraphSurgeon(aug_dim=0, progress=False).fit("sbm:nodes=20,features=4")

    with pytest.raises(UsageError, match="^aug_dim: 0 is out of range"):
        work()
    assert _cli.run(work, "") == 2
    assert capsys.readouterr().err.startswith("error: --aug-dim: 0 is out of range")
