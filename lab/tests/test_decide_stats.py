"""Statistics on simulated data: coverage, power, false GOs; and an oracle for each formula."""

from itertools import combinations

import numpy as np
import pytest

from decide_help import OURS, judge_claims, results, simulate, task
from homunculus_lab.decide.claims import tier
from homunculus_lab.decide.compare import EFFECT
from homunculus_lab.stats import (
    MAX_CLUSTERS,
    MIN_IMAGES,
    Bootstrap,
    clopper_pearson,
    holm,
    sign_test,
)

RUNS = 500
PAIR = ("foveated+scout", "grid")


def differences(seed: int, true: float, images: int = 40, each: int = 3) -> tuple[list[str], list]:
    image, values = simulate(seed, {PAIR[0]: true}, PAIR, (64,), images, each)
    return image, values[PAIR[0], 64] - values[PAIR[1], 64]


def covered(image: list[str], value: list, true: float) -> bool:
    low, high = Bootstrap(image, 999).estimates(value, -1.0, 1.0)[0].interval()
    return low <= true <= high


@pytest.fixture(scope="module")
def simulated() -> list[tuple[list[str], list]]:
    return [differences(seed, 0.05) for seed in range(1000)]


def test_intervals_cover_the_truth(simulated: list) -> None:
    share = np.mean([covered(image, value, 0.05) for image, value in simulated])
    assert 0.93 <= share <= 0.97


def test_who_ignores_that_questions_share_an_image_is_too_sure(simulated: list) -> None:
    alone = [[str(at) for at in range(len(image))] for image, _ in simulated]
    runs = zip(alone, simulated, strict=True)
    share = np.mean([covered(image, value, 0.05) for image, (_, value) in runs])
    assert share < 0.92


@pytest.mark.slow
def test_without_an_effect_a_report_says_go_at_most_once_in_twenty() -> None:
    tiers = [tier(judge_claims(results(task(seed, {})))) for seed in range(RUNS)]
    assert np.mean(np.array(tiers) > 0) <= 0.05


@pytest.mark.slow
def test_an_effect_just_as_large_as_the_bound_is_no_go_either() -> None:
    """Eight trials of exactly +3, with every other control beaten: luck alone must not do."""
    low = dict.fromkeys(("resize", "cut+blind", "cut+shuffled"), -0.4)
    low |= dict.fromkeys(("foveated+blind", "foveated+shuffled"), -0.4)
    gain = low | dict.fromkeys(OURS, EFFECT)
    tiers = [
        tier(
            judge_claims(results(task(seed, gain), task(10_000 + seed, gain, "textvqa", "scenes")))
        )
        for seed in range(RUNS // 2)
    ]
    assert np.mean(np.array(tiers) > 0) <= 0.05


def test_the_power_it_reports_is_how_often_it_sees() -> None:
    """A true +3 points, with as many images and questions as the local suites have."""
    powers, significant = [], []
    for seed in range(RUNS):
        image, value = differences(seed, EFFECT, images=60, each=2)
        one = Bootstrap(image, 999).estimates(value, -1.0, 1.0)[0]
        powers.append(one.power(EFFECT))
        significant.append(one.p() <= 0.05 and one.mean > 0)
    assert abs(np.mean(powers) - np.mean(significant)) < 0.04
    assert np.mean(significant) < 0.3, (
        "three points are too few to be seen here, and the report says so"
    )


def test_the_smallest_detectable_difference_is_seen_four_times_in_five() -> None:
    image, value = differences(0, 0.0, images=60, each=2)
    least = Bootstrap(image, 999).estimates(value, -1.0, 1.0)[0].detectable()
    significant = []
    for seed in range(300):
        image, value = differences(seed, least, images=60, each=2)
        significant.append(Bootstrap(image, 999).estimates(value, -1.0, 1.0)[0].p() <= 0.05)
    assert 0.7 <= np.mean(significant) <= 0.9


def test_an_interval_leaves_out_zero_where_its_p_is_small(simulated: list) -> None:
    for image, value in simulated[:200]:
        one = Bootstrap(image, 999).estimates(value, -1.0, 1.0)[0]
        low, high = one.interval()
        if abs(one.p() - 0.05) > 0.005:
            assert (one.p() < 0.05) == (low > 0 or high < 0)
            assert one.p_above(low) == pytest.approx(0.05, abs=0.012)  # draws tie


def test_resamples_equal_images_laid_out_one_by_one() -> None:
    image, value = differences(3, 0.1, images=12)
    bootstrap = Bootstrap(image, 50)
    one = bootstrap.estimates(value, -1.0, 1.0)[0]
    names, at = np.unique(image, return_inverse=True)
    groups = [value[at == group, 0] for group in range(len(names))]
    expected = []
    for weight in bootstrap.weight.astype(int):
        chosen = [group for group, times in zip(groups, weight, strict=True) for _ in range(times)]
        every = np.concatenate(chosen)
        off = [(group - every.mean()).sum() for group in chosen]
        error = np.sqrt(np.square(off).sum()) / len(every)
        expected.append((every.mean() - one.mean) / max(error, 1e-9))
    assert one.studentised == pytest.approx(np.sort(expected), rel=1e-6)


def test_holm_equals_the_closed_test_it_is_short_for() -> None:
    """A claim stands if Bonferroni rejects every set of claims that holds it."""
    generator = np.random.default_rng(0)
    for many in range(1, 8):
        p = [float(round(one, 2)) for one in generator.random(many) ** 3]
        sets = [s for size in range(1, many + 1) for s in combinations(range(many), size)]
        wanted = [
            max(min(1.0, len(s) * min(p[at] for at in s)) for s in sets if one in s)
            for one in range(many)
        ]
        assert holm(p) == pytest.approx(wanted)


def test_counts_equal_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="the oracle")
    for odd, images in ((0, 20), (1, 60), (5, 28), (3, 400)):
        assert clopper_pearson(odd, images, 0.025) == pytest.approx(
            stats.beta.ppf(0.975, odd + 1, images - odd), abs=1e-9
        )
    for below, above in ((0, 0), (0, 5), (2, 3), (1, 4)):
        expected = stats.binomtest(below, below + above).pvalue if below + above else 1.0
        assert sign_test(below, above) == pytest.approx(expected)


def test_rows_that_never_differ_are_not_called_equal_for_sure() -> None:
    image = [str(at) for at in range(60)]
    one = Bootstrap(image, 99).estimates(np.zeros((60, 1)), -1.0, 1.0)[0]
    low, high = one.interval()
    assert (one.p(), one.few) == (1, True)
    assert (low, high) == pytest.approx((-0.0596, 0.0596), abs=1e-3)  # the rule of three, two-sided
    assert one.detectable() > 0.1
    assert one.p_above(-0.02) > 0.05 > one.p_above(-0.07)


@pytest.mark.parametrize("sign", [1, -1])
def test_where_nearly_all_images_differ_alike_the_difference_is_sure(sign: int) -> None:
    """The odd ones are counted from the median, which is not 0 here."""
    bootstrap = Bootstrap([str(at) for at in range(16)], 999, 0)
    for odd in range(3):
        value = sign * np.where(np.arange(16) < odd, 0.0, 1.0)
        (one,) = bootstrap.estimates(value[:, None], -1.0, 1.0)
        assert one.few
        low, high = one.interval()
        assert not low <= 0 <= high
        assert one.p() < 0.02
    (one,) = bootstrap.estimates(
        (sign * np.where(np.arange(16) < 5, -1.0, 1.0))[:, None], -1.0, 1.0
    )
    assert one.p() > 0.05
    assert one.interval()[0] <= 0 <= one.interval()[1]


def test_p_is_small_wherever_the_interval_leaves_out_zero() -> None:
    """Resamples that are nearly all alike have errors near 0; the count knows better."""
    value = np.full(48, -1.0)
    value[:8] = (-0.96, -0.93, -0.6, -0.4, -0.4, -0.2, -0.1, 0.0)
    (one,) = Bootstrap([str(at) for at in range(48)], 9999, 0).estimates(value[:, None], -1.0, 1.0)
    assert not one.few
    assert one.interval()[1] < -0.5
    assert one.p() < 1e-5


def test_rare_differences_do_not_blow_the_interval_up() -> None:
    value = np.zeros((60, 1))
    value[: MIN_IMAGES + 1] = 1.0
    low, high = Bootstrap([str(at) for at in range(60)]).estimates(value, -1.0, 1.0)[0].interval()
    assert 0 < low < 7 / 60 < high < 0.25


def test_many_images_are_resampled_in_groups() -> None:
    generator = np.random.default_rng(0)
    value = generator.random((5000, 1)) - 0.45
    one = Bootstrap([f"{at:05}" for at in range(5000)], 499).estimates(value, -1.0, 1.0)[0]
    assert one.images == MAX_CLUSTERS
    low, high = one.interval()
    half = 1.96 * value.std() / np.sqrt(5000)
    assert low == pytest.approx(value.mean() - half, abs=half / 4)
    assert high == pytest.approx(value.mean() + half, abs=half / 4)


def test_the_same_seed_gives_the_same_interval() -> None:
    image, value = differences(1, 0.1)
    first, again, other = (
        Bootstrap(image, 199, seed).estimates(value, -1.0, 1.0)[0].interval() for seed in (0, 0, 1)
    )
    assert first == again != other
