# pyright: basic
"""Wordings of questions: by a printed label, by another word for it, by row and column."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from homunculus_lab.train import language, people
from homunculus_lab.train.language import Phrase
from homunculus_lab.train.people import phrase_of

PLAIN_ASK = (
    "What is the {}?", "what is the {}?", "What is the {} mentioned in the document?", "{}?",
    "What is the {} given?", "Tell me the {}.", "Find the {}.", "What is written in the {} field?",
    "What is the value of {}?", "Which {} is given?", "what is {}",
)  # fmt: skip
ASK = {
    language.WORD: ("Who is the {}?", "What is the name of the {}?", "Who is mentioned as {}?"),
    language.NUMBER: ("How many {}?", "What is the number of {}?", "How many {} are there?"),
    language.MONEY: ("How much is the {}?", "What is the amount of {}?", "What is the {} amount?",
        "How much {}?"),
    language.DATE: ("When is the {}?", "What is the {} date?", "On what date was the {}?",
        "What is the date of {}?"),
    language.TIME: ("At what time is the {}?", "What time is {}?"),
    language.CODE: ("What is the {} number?", "What is the {} code?", "What is the {} no.?"),
    language.PERCENT: ("What percentage is {}?", "What is the percentage of {}?",
        "What % is the {}?"),
    language.PHONE: ("What is the phone number of {}?", "What is the {} telephone number?"),
}  # fmt: skip
TAILS = (
    " mentioned in the document?", " in this page?", " as per the document?", " in the table?",
    " mentioned in the letter?", " given in the report?", " according to the form?", " here?",
)  # fmt: skip
CELL_ASK = (
    "What is the {col} for {row}?", "What is the {col} of {row}?", "What is the {row} {col}?",
    "What is the value of {row} in {col}?", "what is the {col} in {row}?",
    "How many {col} for {row}?",
    "What was the {row} in {col}?", "How much is the {col} for the {row}?", "{row} {col}?",
)  # fmt: skip


def label_text(phrase: Phrase, rng: Random) -> str:
    """A label as a question says it: mostly in lower case, at times without one of its words."""
    words = [text.strip(" :,.()\"'") for text, _ in phrase]
    if len(words) > 1 and rng.random() < 0.15:
        words.pop(rng.randrange(len(words)))
    text = " ".join(words)
    return text if rng.random() < 0.35 else text.lower()


def label_question(phrase: Phrase, kind: int, rng: Random) -> str:
    """A question for the value beside a label, worded for the kind of value."""
    forms = ASK[kind] if rng.random() < 0.45 else PLAIN_ASK
    question = rng.choice(forms).format(label_text(phrase, rng))
    return question if rng.random() < 0.65 else question.rstrip("?.") + rng.choice(TAILS)


def page_name(rng: Random) -> str:
    """What a question calls the page."""
    return rng.choice(("letter", "document", "memo", "page", "form", "report", "given document"))


class FormField(NamedTuple):
    """Ways to print a label, ways to ask for its value, and a generator of values."""

    labels: tuple[str, ...]
    wordings: tuple[str, ...]
    make: Callable[[Random], Phrase]


FIELDS = (
    FormField(("Tel", "Tel. No.", "Ph.", "Phone", "Telephone", "Tel #", "Phone No."),
        ("phone number", "telephone number", "tel no.", "contact number", "telephone"),
        language.phone),
    FormField(("Fax", "Fax No.", "Facsimile", "Fax #", "FAX"),
        ("fax number", "fax no.", "facsimile number", "fax"), language.phone),
    FormField(("No.", "Number", "#", "Nr.", "Ref. No.", "Ref", "Reference"),
        ("number", "reference number", "document number", "ref no."), language.code),
    FormField(("Invoice No.", "Invoice #", "Inv. No.", "INVOICE"),
        ("invoice number", "invoice no.", "bill number"), language.code),
    FormField(("P.O. No.", "PO #", "Purchase Order", "P.O. Number", "Order No."),
        ("PO number", "purchase order number", "order number"), language.code),
    FormField(("Acct. No.", "Account #", "A/C No.", "Account Number"),
        ("account number", "account no.", "a/c number"), language.code),
    FormField(("Qty", "Qty.", "Quantity", "Pcs", "Units"),
        ("quantity", "number of units", "qty"), language.number),
    FormField(("Amt", "Amt.", "Amount", "Amt. Due", "Total"),
        ("amount", "total amount", "amount due", "amount to be paid"), language.money),
    FormField(("Wt.", "Weight", "Net Wt.", "Gr. Wt."),
        ("weight", "net weight"), language.number),
    FormField(("Dept.", "Department", "Div.", "Division"),
        ("department", "name of the department", "division"), language.label),
    FormField(("Attn", "Attn.", "Attention", "ATTN"),
        ("person to whose attention it is sent", "attention", "Who is it for the attention of?"),
        people.person),
    FormField(("Sr. No.", "S. No.", "Serial No.", "Sl. No."),
        ("serial number", "sr. no.", "s. no."), language.number),
    FormField(("Bldg.", "Bldg", "Building"), ("building", "building name", "name of the building"),
        language.label),
    FormField(("D.O.B.", "DOB", "Date of Birth", "Born"),
        ("date of birth", "birth date", "When was the person born?"), language.date),
    FormField(("Exp.", "Exp. Date", "Expires", "Valid until"),
        ("expiry date", "expiration date", "When does it expire?"), language.date),
    FormField(("Eff. Date", "Effective", "Effective Date"),
        ("effective date", "When does it become effective?"), language.date),
    FormField(("Due", "Due Date", "Payable by", "Payment due"),
        ("due date", "When is the payment due?", "last date of payment"), language.date),
    FormField(("Date", "Dated", "Dt."), ("date", "When is it dated?", "date mentioned"),
        language.date),
    FormField(("Time", "Hrs.", "At"), ("time", "At what time is it?", "time mentioned"),
        language.time),
    FormField(("Name", "Full Name", "Applicant", "Name (print)"),
        ("name", "name of the person", "name of the applicant", "Whose name is given?"),
        people.person),
    FormField(("By", "Prepared by", "Signed", "Submitted by", "Author"),
        ("name of the author", "Who prepared it?", "Who submitted it?", "Who signed it?"),
        people.person),
    FormField(("Approved", "Approved by", "OK'd by", "App'd"),
        ("name of the approver", "Who approved it?", "By whom is it approved?"), people.person),
    FormField(("Title", "Position", "Designation", "Job Title"),
        ("designation", "title", "position", "job title"), people.role),
    FormField(("Company", "Employer", "Firm", "Co.", "Organization"),
        ("company name", "name of the company", "organisation", "employer"), people.body),
    FormField(("Addr.", "Address", "Street", "Mailing Address"),
        ("address", "mailing address", "street address"), people.road),
    FormField(("Zip", "ZIP", "Zip Code", "Postal Code"),
        ("zip code", "zip", "postal code", "pin code"),
        lambda rng: people.town(rng)[2]),
    FormField(("City", "Town"), ("city", "name of the city", "town"),
        lambda rng: phrase_of(people.town(rng)[0][0][0].rstrip(","))),
    FormField(("Subj.", "Subject", "Re", "RE", "Regarding"),
        ("subject", "What is it about?", "subject of the document", "What is it regarding?"),
        people.topic),
    FormField(("cc", "CC", "Copy to", "c.c."),
        ("cc", "Who is copied?", "To whom is the copy sent?", "name in cc"), people.person),
    FormField(("Temp.", "Temperature"), ("temperature",), language.number),
    FormField(("Pct.", "%", "Percent", "Rate"), ("percentage", "rate", "percent"),
        language.percent),
    FormField(("Pg.", "Page", "Pages", "No. of pages"), ("number of pages", "page number"),
        lambda rng: [(str(rng.randint(1, 40)), language.NUMBER)]),
    FormField(("Web", "Website", "URL", "Visit"), ("website", "web address", "url"),
        people.website),
    FormField(("Brand", "Brand Name", "Make"), ("brand", "brand name", "Which brand is it?"),
        language.name),
    FormField(("Mfr.", "Manufacturer", "Mfg. by"), ("manufacturer", "Who is the manufacturer?"),
        people.body),
    FormField(("Avg.", "Average", "Mean"), ("average", "mean value"), language.number),
    FormField(("Max.", "Maximum", "Min."), ("limit", "extreme value"), language.number),
    FormField(("Est. Cost", "Budget", "Total Cost", "Cost"),
        ("estimated cost", "cost", "budget", "How much does it cost?"), language.money),
)  # fmt: skip
FIELD_ASK = (
    "What is the {}?", "What is the {}?", "what is the {}?", "What is the {} mentioned in the {}?",
    "What is the {} given in the {}?", "{}?", "Mention the {}.", "what {} is mentioned in the {}?",
    "What is the {} in the {}?",
)  # fmt: skip


def form_field(rng: Random) -> tuple[Phrase, Phrase, str]:
    """A label, its value, and a question that may use other words than the label."""
    one = rng.choice(FIELDS)
    wording = rng.choice(one.wordings)
    question = (
        wording if wording[-1] == "?" else rng.choice(FIELD_ASK).format(wording, page_name(rng))
    )
    return phrase_of(rng.choice(one.labels)), one.make(rng), question


def phrase_text(words: Phrase) -> str:
    """A phrase as a question quotes it."""
    return " ".join(part for part, _ in words).strip(" :,.()\"'")
