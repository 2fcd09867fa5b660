"""`homunculus train`: the network that finds the question's words."""

import argparse

from homunculus.commands.command import Command, fail


def flags(parser: argparse.ArgumentParser) -> None:
    """The flags of its room."""
    from homunculus_lab.train import command

    command.flags(parser)


def run(arguments: argparse.Namespace) -> int:
    from homunculus_lab.measure.command import suite_folder
    from homunculus_lab.measure.parts import training_part
    from homunculus_lab.measure.suite import read
    from homunculus_lab.train.command import describe_resources, train

    suites = [training_part(read(suite_folder(name))) for name in arguments.suite]
    real = [question for suite in suites for question in suite]
    resources, *warnings = describe_resources()
    print(resources)
    for warning in warnings:
        fail("train", warning)
    print("wrote", train(arguments, [(entry.path, entry.text, entry.boxes) for entry in real]))
    return 0


COMMAND = Command(
    "train",
    "train the network that finds the question's words",
    "word-scout --out weights",
    flags,
    run,
)
