# ruff: noqa: E501
"""Rivals inside the language model beside their authors' code, as `authors.py` has the others.

python tests/authors_inside.py fastv=CHECKOUT pyramiddrop=CHECKOUT sparsevlm=CHECKOUT -o results/rivals.json
"""

import ast
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRotaryEmbedding

import authors
from authors import Agreement, Case, Repository, functions, shared
from homunculus_lab.inside import FastV, PyramidDrop, SparseVLM
from homunculus_lab.inside.prompt import Prompt
from homunculus_lab.inside.sparsevlm import raters, split

HEADS, HEAD = 4, 16
REPOSITORIES = {
    "fastv": Repository(
        "github.com/pkunlp-icler/FastV", "none", "src/FastV/lmms-eval/fastv_kvcache.py",
        ("forward",),
    ),
    "pyramiddrop": Repository(
        "github.com/Cooperx521/PyramidDrop", "MIT", "llava/model/modeling_llama_pdrop.py",
        ("pdrop_rank_drop", "apply_rotary_pos_emb", "rotate_half"),
    ),
    "sparsevlm": Repository(
        "github.com/Gumpest/SparseVLMs", "Apache-2.0", "llava/model/language_model/score.py",
        ("attn_postprocess_topk",),
    ),
}  # fmt: skip
DIFFERENCES = {
    "fastv": "None in the choice. Theirs takes attention from an eager layer that runs twice; ours computes the one row that is needed. Theirs holds one image at fixed places; ours cuts each image of a prompt.",
    "pyramiddrop": "None in the choice. Theirs numbers the positions anew after each drop, ours keeps those of the whole prompt; theirs cuts to 50, 25 and 12.5 %, ours by equal shares to exactly K.",
    "sparsevlm": "None in raters or rows. Two tokens that are each other's nearest have the same density; theirs breaks such ties by random noise, so that with two clusters its means differ from call to call, ours takes the first. Theirs puts means at the end of the image and numbers positions anew, ours lets a mean stand where its centre stood; theirs has four lists of budgets for 576 tokens, ours equal shares to exactly K, means included.",
}


class Words:
    """A prompt of text, an image and text, at a layer of a Llama with random weights."""

    def __init__(self, case: Case, native: int, start: int, text: int) -> None:
        torch.manual_seed(case.seed)
        width, many = HEADS * HEAD, start + native + text
        config = LlamaConfig(
            hidden_size=width, intermediate_size=32, num_attention_heads=HEADS,
            num_key_value_heads=HEADS, num_hidden_layers=4, attn_implementation="eager",
        )  # fmt: skip
        self.layer: Any = LlamaDecoderLayer(config, 2)
        for name in ("q_proj", "k_proj"):  # attention with favourites
            getattr(self.layer.self_attn, name).weight.data.normal_(0, 0.3)
        self.native, self.start, self.many = native, start, many
        self.hidden = case.normal(1, many, width)
        self.cos, self.sin = LlamaRotaryEmbedding(config)(self.hidden, torch.arange(many)[None])
        self.mask = torch.full((many, many), torch.finfo(torch.float32).min).triu(1)[None, None]
        image = torch.full((many,), -1)
        image[start : start + native] = 0
        state = case.normal(many, width)
        self.prompt = Prompt(
            self.hidden[0], self.cos[0], self.sin[0], image, state, self.hidden[0], image
        )

    def weights(self) -> Tensor:
        """Attention of the layer as transformers computes it."""
        state = self.layer.input_layernorm(self.hidden)
        return self.layer.self_attn(
            state, position_embeddings=(self.cos, self.sin), attention_mask=self.mask
        )[1]


def fastv(path: Path, case: Case) -> Agreement:
    words = Words(case, 576, 35, case.whole(5, 60))  # their numbers; half of 576 are kept
    last: list[Tensor] = []

    def layer(at: int) -> Any:
        def run(state: Tensor, **given: Any) -> Any:
            last[:] = [given["position_ids"][0]]
            return state, words.weights() if at == 2 and given["output_attentions"] else None

        run.self_attn = SimpleNamespace(layer_idx=at)  # type: ignore[attr-defined]
        return run

    code = functions(
        path, ("forward",), _prepare_4d_causal_attention_mask=lambda *_: words.mask,
        BaseModelOutputWithPast=SimpleNamespace,
    )  # fmt: skip
    fake = SimpleNamespace(
        gradient_checkpointing=False, training=False, _use_flash_attention_2=False,
        _use_sdpa=False, layers=[layer(at) for at in range(4)], norm=lambda x: x,
        config=SimpleNamespace(use_return_dict=True),
    )  # fmt: skip
    code.forward(
        fake, inputs_embeds=words.hidden, use_cache=False, output_attentions=False,
        output_hidden_states=False, return_dict=True,
    )  # fmt: skip
    theirs = {int(at) for at in last[0] if 35 <= at < 611}
    ours = FastV(288).choose(words.layer, words.prompt, 0, 288).rows
    return {"kept indices": shared(set(ours.tolist()), theirs)}


def pyramiddrop(path: Path, case: Case) -> Agreement:
    words = Words(case, case.cells, case.whole(1, 40), case.whole(5, 60))
    many = words.many
    code = functions(
        path, REPOSITORIES["pyramiddrop"].names, nn=nn, math=math, IGNORE_INDEX=-100,
        _prepare_4d_causal_attention_mask=lambda *_, **__: words.mask,
    )  # fmt: skip
    own = words.layer.self_attn
    look = SimpleNamespace(
        num_heads=HEADS, num_key_value_heads=HEADS, head_dim=HEAD, q_proj=own.q_proj,
        k_proj=own.k_proj, v_proj=own.v_proj,
        rotary_emb=lambda *_, **__: (words.cos[0], words.sin[0]),
    )  # fmt: skip
    layer = SimpleNamespace(self_attn=look, input_layernorm=words.layer.input_layernorm)
    fake = SimpleNamespace(
        config=SimpleNamespace(), training=False, layers=[layer], image_tokens=[words.native],
        image_token_ratio_list=[1.0, (case.slots + 0.5) / words.native],
        image_token_posi=[words.start], prompt_len=[many - words.native],
    )  # fmt: skip
    at = torch.arange(many)[None]
    _, _, features, _ = code.pdrop_rank_drop(fake, 0, 0, words.hidden, at, None, None)
    index = torch.cdist(features[0], words.hidden[0]).argmin(1).tolist()
    theirs = {one for one in index if words.prompt.image[one] == 0}
    ours = PyramidDrop(case.slots).choose(words.layer, words.prompt, 0, case.slots).rows
    return {"kept indices": shared(set(ours.tolist()), theirs)}


def assignments(path: Path, names: tuple[str, ...], **known: Any) -> dict[str, Any]:
    """Run the assignments to these names, in the order of the file, up to the first of the last."""
    tree = ast.parse(path.read_text("utf-8"))
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in names
    ]
    found.sort(key=lambda node: node.lineno)
    ends = [at for at, node in enumerate(found) if ast.unparse(node.targets[0]) == names[-1]]
    found = found[: ends[0] + 1]
    room = {"torch": torch, **known}
    exec(compile(ast.Module(found, []), str(path), "exec"), room)
    return room


def sparsevlm(path: Path, case: Case) -> Agreement:
    words = Words(case, case.cells, case.whole(1, 40), case.whole(5, 60))
    end = words.start + words.native
    tokens = max(case.slots, 3 + words.native // 25)  # enough that some can be means
    whole = split(words.native, tokens)
    room = assignments(
        path.with_name("modelling_sparse_llama.py"), ("v_t", "t_t", "m_v_t", "t_token_idx"),
        hidden_states=words.hidden, v_token_start=words.start, text_token_start=end,
    )  # fmt: skip
    chosen = room["t_token_idx"]
    mine = raters(words.prompt.embed, words.prompt.first, 0).nonzero()[:, 0]
    code = functions(
        path, ("attn_postprocess_topk",), sparse_token_dict={0: [whole]}, layer_dict={2: 0},
        RETAIN_TOKN=0,
    )  # fmt: skip
    mask, _, weight = code.attn_postprocess_topk(
        words.weights(), words.start, words.native, end, chosen, 2
    )
    theirs = {words.start + int(at) for at in mask[0].nonzero()[:, 0]}
    keep = SparseVLM(tokens).choose(words.layer, words.prompt, 0, tokens)
    assert keep.hidden is not None
    same = (keep.hidden == words.prompt.state[keep.rows]).all(1)
    found = {"raters": shared(set(mine.tolist()), set(chosen[1].tolist()))}
    found["kept indices"] = shared(set(keep.rows[same].tolist()), theirs)
    first, again = (_means(path, words, mask, weight) for _ in "ab")
    found["merged tokens"] = _near(first, keep.hidden)
    return found | {"their merged tokens with themselves": _near(first, again)}


def _means(path: Path, words: Words, mask: Tensor, weight: Tensor) -> Tensor:
    """Their means of the rows that they drop and merge; each call draws new noise."""
    ein = SimpleNamespace(
        rearrange=lambda x, how: x[:, :, None] if how.endswith("l () r") else x[:, None]
    )
    code = functions(path.with_name("utils.py"), ("index_points", "cluster_and_merge"), ein=ein)
    dropped = (~mask[0]).nonzero()[:, 0]
    many = int(len(dropped) * 0.3) + 1
    best = weight[0, dropped].topk(many).indices
    state = words.prompt.state[words.start + dropped[best]]
    return code.cluster_and_merge(state[None], int(many / 10) + 1)[0]


def _near(theirs: Tensor, ours: Tensor) -> float:
    """The share of rows that the other has as well."""
    return float((torch.cdist(theirs.double(), ours.double()).amin(1) < 1e-4).float().mean())


if __name__ == "__main__":
    authors.REPOSITORIES |= REPOSITORIES
    authors.DIFFERENCES |= DIFFERENCES
    authors.CHECKS |= {"fastv": fastv, "pyramiddrop": pyramiddrop, "sparsevlm": sparsevlm}
    authors.main()
