"""The bench of servers, on a model so small that its figures mean nothing."""

from homunculus.bench.model import Scale
from homunculus.bench.vllm import Plan, served, table

TINY = Scale(
    "tiny",
    text={
        "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2, "head_dim": 32,
        "num_key_value_heads": 1, "intermediate_size": 64, "vocab_size": 300,
        "max_position_embeddings": 4096,
        "rope_parameters": {
            "rope_type": "default", "rope_theta": 1e4,
            "mrope_section": [8, 4, 4], "mrope_interleaved": True,
        },
    },
    sight={
        "depth": 1, "hidden_size": 64, "num_heads": 2, "intermediate_size": 64,
        "deepstack_visual_indexes": [0], "patch_size": 16, "temporal_patch_size": 2,
        "spatial_merge_size": 2, "out_hidden_size": 64, "num_position_embeddings": 64,
    },
    tokens=20, bare=(4, 5),
)  # fmt: skip
PLAN = Plan(ours=6, stock=4, small=4, rounds=2, at_once=2, words=2, questions=4, readers=2,
            native=(8, 8), threads=1, ways=("stock", "after"))  # fmt: skip


def test_the_bench_of_servers_tells_what_it_should():
    found = served(scale=TINY, plan=PLAN)
    load = found["load"]
    assert [row["errors"] for row in load["rows"].values()] == [0, 0, 0]
    assert [row["requests"] for row in load["rows"].values()] == [6, 4, 4]
    assert load["kept_exactly"]
    text = load["rows"]["ours"]["prompt_tokens"][0] - 20
    assert load["rows"]["stock"]["prompt_tokens"][0] == text + 64
    assert set(found["one_image"]["against_stock"]) == {"stock", "after"}
    assert "against stock" in table(found)
