"""One process of a command that torchrun started as several.

It joins the process group of torch.distributed and runs the command in it. The first rank prints
and writes; the others are silent unless they fail by themselves.
"""

from __future__ import annotations

import os
import socket
import sys
from datetime import timedelta

os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # what fails is reported here, in one line
if "OMP_WAIT_POLICY" not in os.environ:  # as in src/cli/main.cpp
    os.environ.setdefault("GOMP_SPINCOUNT", "2000")

from ._load import core  # checks the version of torch, which comes after it

import torch.distributed as dist  # isort: skip

COMMANDS = ("train", "embed")
TIMEOUT = 600  # seconds; as the option's default
GONE = 4  # the exit code for a rank that is missing


def main(words: list[str]) -> int:
    """Runs the command and ends the process with its exit code."""
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    if words[:1] not in [[command] for command in COMMANDS]:
        what = words[0] if words else "this"
        return complain(rank, 2, f"{what} runs in one process", "start it without torchrun")
    try:
        group = join(rank, size, timeout_of(words))
    except Problem as problem:
        code = complain(0, GONE, f"rank {rank}: {problem}", problem.hint)
    else:
        if rank > 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        words = ["graphsurgeon", *with_defaults(words, rank, group)]
        code = core.main(words, int(os.environ.get("LOCAL_RANK", rank)) == 0)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # a group that lost a rank cannot be taken down


class Problem(Exception):
    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.hint = hint


def complain(rank: int, code: int, text: str, hint: str) -> int:
    if rank == 0:
        print(f"error: {text}", file=sys.stderr)
        if hint:
            print(f"hint: {hint}", file=sys.stderr)
    return code


def timeout_of(words: list[str]) -> float:
    """The value of --timeout. One that is no number is the program's to refuse."""
    for i, word in enumerate(words):
        name, _, value = word.partition("=")
        if name == "--timeout":
            try:
                return max(1.0, float(value or words[i + 1]))
            except (IndexError, ValueError):
                return TIMEOUT
    return TIMEOUT


def with_defaults(words: list[str], rank: int, group: str) -> list[str]:
    """The words that the program gets in this process."""
    words = list(words)
    if words[0] == "train" and int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")) > 0:
        # A rank was lost and all are started again: the run goes on.
        words = [word for word in words if word not in ("--overwrite", "--resume")]
        words.append("--resume")
    if not any(word.partition("=")[0] == "--threads" for word in words):
        here = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
        words += ["--threads", str(max(1, len(os.sched_getaffinity(0)) // here))]
    if rank > 0 and "--quiet" not in words:
        words.append("--quiet")
    return [*words, "--process-group", group]


def join(rank: int, size: int, seconds: float) -> str:
    """Joins the group of all ranks and returns its name."""
    wait = timedelta(seconds=seconds)
    where = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
    try:
        store = find_store(rank, size, wait)
        store = dist.PrefixStore(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"), store)
        store.set(f"host/{rank}", f"{host()} {address()}")
        missing = list(range(size))
        try:
            store.wait([f"host/{r}" for r in missing], wait)
        except RuntimeError:
            missing = [r for r in missing if not store.check([f"host/{r}"])]
            names = ", ".join(map(str, missing))
            raise Problem(f"rank {names} of {size} did not start in {seconds:g} s") from None
        check_addresses([store.get(f"host/{r}").decode() for r in range(size)])
        dist.init_process_group("gloo", store=store, rank=rank, world_size=size, timeout=wait)
    except RuntimeError as error:
        reason = str(error).splitlines()[0][:200]
        raise Problem(
            f"cannot join the other ranks at {where}: {reason}",
            "check that every host reaches that address; GLOO_SOCKET_IFNAME names the interface",
        ) from None
    return str(dist.group.WORLD.group_name)  # type: ignore[union-attr]


def find_store(rank: int, size: int, wait: timedelta) -> dist.Store:
    """The store of torchrun's agent; without an agent, one that the first rank holds."""
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True":
        return next(dist.rendezvous("env://", rank, size, timeout=wait))[0]
    address, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    return dist.TCPStore(address, port, size, rank == 0, wait, wait_for_workers=False)


def host() -> str:
    """Names this host, or this network namespace of it."""
    return f"{socket.gethostname()}/{os.stat('/proc/self/ns/net').st_ino}"


def address() -> str:
    """The address at which Gloo offers this process to the others."""
    if name := os.environ.get("GLOO_SOCKET_IFNAME"):
        return f"interface:{name}"
    try:
        return socket.gethostbyname(socket.gethostname())
    except OSError:
        return "127.0.0.1"  # as Gloo does


def check_addresses(ranks: list[str]) -> None:
    """Refuses ranks on several hosts of which one offers a loopback address."""
    hosts = {rank.split()[0] for rank in ranks}
    for rank, text in enumerate(ranks):
        offered = text.split()[1]
        if len(hosts) > 1 and (offered.startswith("127.") or offered == "interface:lo"):
            raise Problem(
                f"rank {rank} offers the loopback address to ranks on other hosts",
                "set GLOO_SOCKET_IFNAME to the network interface between the hosts, such as eth0",
            )
