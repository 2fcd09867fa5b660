"""Common words of documents, for eye charts and rendered pages."""

COMMON = tuple(
    """
    the of and to in is for on that by this with you it not or be are from at as your all have
    new more an was we will home can us about if page my has no what which date total name
    address company number tax cash change invoice amount price qty item tel fax report year
    table per due account balance receipt order sales ltd inc street city state phone
    description unit rate percent figure section board director committee meeting research
    project program study data results office department general manager president service
    services product products market sale cost costs budget expense income net gross average low
    high annual monthly weekly plan subject attention reference dear sincerely regards copy file
    memo memorandum letter form application request approved signature signed title position
    employee supervisor contact person email website street avenue road north south east west
    january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday first second third one two three four five
    six seven eight nine ten time times day days week month hour hours university college school
    hospital medical health food drug tobacco cigarette brand test sample method analysis
    summary conclusion introduction schedule agenda member members group world people children
    water energy growth share value index population country europe asia africa america union
    kingdom states exit entrance open closed sale stop parking bus train platform shop store
    restaurant cafe bar hotel bank pharmacy station level floor lift room toilets please mind
    gap push pull
    """.split()  # noqa: SIM905 (read as prose)
)
"""Frequent words; those from the 60th on name fields, rows and columns too."""
