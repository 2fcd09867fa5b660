"""Forms that somebody has filled in: on paper, by typewriter, by hand, and on a screen."""

from page import Page, cells, fill, table, text

SHEET = "width:1240px;height:1754px;box-sizing:border-box;position:relative;"


def fields(listing: str) -> str:
    """Boxes from lines of key, label, value and width in twelfths."""
    boxes = []
    for key, label, value, width in cells(listing):
        inner = text(f"{key}-label", label, "label") + text(key, value, "span", 'class="v"')
        boxes.append(f'<div class="f" style="grid-column:span {width}">{inner}</div>')
    return f'<div class="g">{"".join(boxes)}</div>'


def ticks(key: str, question: str, options: str, chosen: str) -> str:
    """A question with boxes to tick; ids KEY-label, KEY-0, KEY-1 ... and KEY for the ticked."""
    parts = []
    for number, option in enumerate(options.split(",")):
        hit = option.strip() in chosen.split(",")
        mark = "☒" if hit else "☐"
        name = key if option.strip() == chosen else f"{key}-{number}"
        parts.append(f'<span class="o"><i>{mark}</i> {text(name, option.strip())}</span>')
    return f'<div class="q">{text(key + "-label", question)} {"".join(parts)}</div>'


def tenancy() -> Page:
    """An application for a flat, filled in by hand."""
    person = fields(
        """
        title | Title | Dr | 2
        first | First name(s) | Oluwaseun Grace | 5
        last | Surname | Petherbridge | 5
        born | Date of birth | 09 / 02 / 1991 | 4
        nation | Nationality | Irish | 4
        nino | National Insurance no. | QQ 00 41 77 C | 4
        mobile | Mobile | 07555 010 882 | 4
        mail | E-mail | grace.p@postbox.example | 8
        """
    )
    home = fields(
        """
        street | Current address | 3 Lantern Court, Potterton PT1 8RR | 8
        since | Living there since | August 2022 | 4
        rent | Present rent per month | £870 | 4
        lord | Landlord or agent | Hollins Lettings | 4
        lordtel | Their telephone | 01555 880 013 | 4
        why | Reason for leaving | New job in Aldport | 12
        """
    )
    job = fields(
        """
        boss | Employer | Royal Infirmary, Aldport | 6
        role | Position | Registrar, paediatrics | 6
        start | Start date | 1 October 2025 | 4
        pay | Gross salary per year | £58,400 | 4
        hr | Contact for reference | Mrs D. Olander | 4
        """
    )
    flat = fields(
        """
        flat | Property applied for | Flat 2, 17 Weir Terrace | 6
        ask | Monthly rent | £1,025 | 3
        move | Wanted from | 27 September 2025 | 3
        who2 | Other adults moving in | Matthias Petherbridge | 6
        kids | Children (ages) | 1 (4 years) | 3
        pets | Pets | one old cat | 3
        """
    )
    html = """
    <style>.s{SHEET background:#fff;padding:60px 80px;font:18px 'Open Sans'} .g{display:grid;
    grid-template-columns:repeat(12,1fr);gap:8px} .f{border:1.5px solid #4b6584;padding:4px 10px;
    height:72px} .f label{display:block;font-size:15px;color:#4b6584} .v{font:700 29px
    'Dancing Script';color:#1a237e;white-space:nowrap} h2{background:#4b6584;color:#fff;
    font-size:20px;padding:5px 12px;margin:20px 0 8px} .q{margin:9px 0} .o{margin-left:26px}
    i{font-style:normal;font-size:22px}</style><div class="s"><div style="display:flex;
    justify-content:space-between"><b style="font-size:34px">[[form|Tenancy application]]</b><span
    style="text-align:right">[[agent|Brook &amp; Barley Lettings]]<br>[[ref-label|Office use: ref.]]
    [[ref|BB-2207]]</span></div><h2>1 About you</h2>@person@<h2>2 Where you live now</h2>@home@
    <h2>3 Your work</h2>@job@<h2>4 The property</h2>@flat@<h2>5 Please tick</h2>@t1@@t2@@t3@@t4@
    <p style="font-size:16px">[[hold|A holding deposit of [[hold-sum|£235]] is payable with this
    form. It is returned if we refuse you, within [[hold-days|7 days]].]] [[check|The credit check
    is
    free.]]</p><div style="display:flex;justify-content:space-between"><span>[[sign-label|Signed]]
    <span style="font:700 40px 'Dancing Script';color:#1a237e">[[sign|O. G. Petherbridge]]</span>
    </span><span>[[date-label|Date]] <span class="v">[[date|31 August 2025]]</span></span></div>
    </div>"""
    parts = {
        "person": person,
        "home": home,
        "job": job,
        "flat": flat,
        "t1": ticks("smoke", "Do you or anyone moving in smoke?", "Yes, No", "No"),
        "t2": ticks("late", "Rent arrears in the last three years?", "Yes, No", "No"),
        "t3": ticks("park", "Do you need a parking space?", "Yes, No", "Yes"),
        "t4": ticks("long", "Wanted term", "6 months, 12 months, 24 months", "24 months"),
    }
    return Page("form-0", fill(html.replace("SHEET", SHEET), **parts), 1240, 1754, skew=-0.8)


def patient() -> Page:
    """A patient's form in a clinic."""
    person = fields(
        """
        name | Patient name | Whitcomb, Dale R. | 6
        born | Date of birth | 11/23/1968 | 3
        sex | Sex | M | 3
        addr | Address | 77 Mill Race, Dalton, OR 97011 | 8
        tel | Phone | (555) 010-4471 | 4
        kin | Emergency contact | Lorna Whitcomb | 4
        rel | Relationship | sister | 4
        kintel | Contact phone | (555) 010-9920 | 4
        plan | Insurance plan | Cascade Health Silver | 5
        member | Member ID | CH7-330-418-02 | 4
        group | Group no. | 00551 | 3
        doctor | Family doctor | Dr. Oyelaran | 5
        pharm | Pharmacy | Pine Street Pharmacy | 4
        copay | Copay | $30 | 3
        """
    )
    drugs = cells(
        """
        Lisinorel | 10 mg | once a day, morning | 2019
        Metfordine | 500 mg | twice a day with food | 2021
        Atorvex | 20 mg | at bedtime | 2021
        Vitamin D | 1,000 IU | Sundays | 2023
        Salbuterin spray | 2 puffs | when needed | 2008
        """
    )
    vitals = fields(
        """
        height | Height | 5 ft 11 in | 3
        weight | Weight | 203 lb | 3
        bp | Blood pressure | 138 / 86 | 3
        temp | Temperature | 98.4 °F | 3
        pulse | Pulse | 76 | 3
        oxy | Oxygen | 97 % | 3
        sugar | Glucose, fasting | 121 mg/dl | 3
        nurse | Taken by | K. Ito, RN | 3
        """
    )
    columns = [("drug", "Medicine"), ("dose", "Dose"), ("when", "How taken"), ("since", "Since")]
    html = """
    <style>.s{width:1275px;height:1650px;box-sizing:border-box;background:#fff;padding:60px 75px;
    font:19px/1.35 'Liberation Sans'} .g{display:grid;grid-template-columns:repeat(12,1fr)}
    .f{border:1px solid #000;padding:3px 8px;height:58px} .f label{display:block;font-size:14px}
    .v{font:22px 'Courier Prime'} h3{margin:22px 0 6px;border-bottom:3px solid #000}
    table{width:100%;border-collapse:collapse;font:21px 'Courier Prime'} th,td{border:1px solid
    #000;text-align:left;padding:5px 8px} th{font:15px 'Liberation Sans'} .q{margin:7px 0}
    .o{margin-left:20px;white-space:nowrap} i{font-style:normal;font-size:22px}</style><div
    class="s"><div style="display:flex;justify-content:space-between"><b style="font-size:30px">
    [[form|NEW PATIENT INTAKE]]</b><span style="text-align:right">[[clinic|Elmore Heart &amp; Lung
    Clinic]]<br>[[visit-label|Visit]] [[visit|08/14/2025, 9:40 AM]] · [[mrn-label|MRN]]
    [[mrn|00-88-2174]]</span></div><h3>A. Person</h3>@person@<h3>B. Today</h3>@vitals@
    <h3>C. Medicines</h3>@drugs@<h3>D. History</h3>@t1@@t2@@t3@@t4@@t5@
    <div class="q">[[surg-label|Operations and year:]] <span class="v">[[surg|appendix 1984, left
    knee 2012]]</span></div><div class="q">[[allergy-label|Allergies and reaction:]] <span
    class="v">[[allergy|penicillin (rash), shellfish]]</span></div><div class="q">
    [[family-label|Illness in the family:]] <span class="v">[[family|father: stroke at 71]]</span>
    </div><div class="q">[[why-label|Why are you here today?]] <span class="v">[[why|short of breath
    on stairs for 3 weeks]]</span></div><div style="position:absolute;top:1560px;left:75px;
    font-size:15px">[[privacy|Form 12-B rev. 03/2024. Copies of this record cost
    [[privacy-fee|$0.25 a page]].]]</div></div>"""
    parts = {
        "person": person,
        "vitals": vitals,
        "drugs": table(columns, drugs),
        "t1": ticks("smoke", "Tobacco:", "never, stopped, daily", "stopped"),
        "t2": ticks("drink", "Alcohol, drinks a week:", "0, 1–7, 8–14, more", "1–7"),
        "t3": ticks("sleep", "Hours of sleep:", "under 5, 5–6, 7–8, over 8", "5–6"),
        "t4": ticks("move", "Exercise:", "none, weekly, several times a week", "weekly"),
        "t5": ticks("flu", "Flu shot this season:", "yes, no, not sure", "not sure"),
    }
    return Page("form-1", fill(html, **parts), 1275, 1650, skew=1.1, blur=0.6, colours=16)


def club() -> Page:
    """A German sports club's application."""
    person = fields(
        """
        name | Name | Osterkamp | 4
        first | Vorname | Jule Marie | 4
        born | geboren am | 17.04.2014 | 4
        street | Straße, Hausnummer | Heideweg 23 a | 6
        plz | PLZ, Ort | 00412 Kirchau | 6
        tel | Telefon (Eltern) | 0555 / 32 90 18 | 6
        mail | E-Mail | osterkamp@postfach.example | 6
        parent | Erziehungsberechtigte | Sabine Osterkamp | 6
        entry | Eintritt zum | 01.10.2025 | 6
        """
    )
    bank = fields(
        """
        holder | Kontoinhaber | Sabine Osterkamp | 6
        iban | IBAN | DE00 5004 1100 0009 1182 44 | 6
        bic | Kreditinstitut | Volkskasse Auental | 6
        mandate | Mandatsreferenz | SV-2025-317 | 6
        """
    )
    fees = cells(
        """
        Kinder bis 6 Jahre | 36 € | 20 €
        Kinder und Jugendliche bis 17 | 60 € | 32 €
        Auszubildende, Studierende | 78 € | 41 €
        Erwachsene | 120 € | 62 €
        Familien | 210 € | 108 €
        Ab 67 Jahren | 84 € | 44 €
        Passive Mitglieder | 30 € | –
        """
    )
    html = """
    <style>.s{SHEET background:#fff;padding:70px 90px;font:20px/1.4 Roboto} .g{display:grid;
    grid-template-columns:repeat(12,1fr);gap:10px} .f{border-bottom:2px solid #777} .f label{
    display:block;font-size:15px;color:#555} .v{font:600 30px 'Dancing Script';color:#0d2c84}
    h3{color:#a4161a;margin:26px 0 10px} .q{margin:8px 0} .o{margin-left:24px;white-space:nowrap}
    i{font-style:normal;font-size:23px} table{border-collapse:collapse;width:100%} td,th{border:1px
    solid #aaa;padding:6px 10px;text-align:left}</style><div class="s"><div style="display:flex;
    justify-content:space-between"><span style="font:900 40px Roboto;color:#a4161a">[[firm|SV
    Auental
    1904 e. V.]]</span><span style="text-align:right">[[office|Geschäftsstelle: Am Stadion 2]]<br>
    [[hours|Di 16–18 Uhr, Do 10–12 Uhr]]</span></div><h2>[[form|Aufnahmeantrag]]</h2>@person@
    <h3>Abteilung</h3>@t1@@t2@<h3>Lastschrift</h3>@bank@@t3@<h3>Beiträge</h3>@fees@<p>
    [[once|Aufnahmegebühr einmalig [[once-sum|15 €]].]] [[leave|Kündigung schriftlich zum
    [[leave-day|30. Juni oder 31. Dezember]], Frist [[leave-weeks|sechs Wochen]].]]
    [[work|Mitglieder
    ab 16 leisten [[work-hours|vier Arbeitsstunden]] im Jahr oder zahlen [[work-sum|12 € je
    Stunde]].]]</p>@t4@@t5@<p>[[place|Kirchau]], <span class="v">[[date|12.09.2025]]</span>
    <span class="v" style="margin-left:120px">[[sign|S. Osterkamp]]</span></p></div>"""
    columns = [("who", "Gruppe"), ("year", "jährlich"), ("half", "halbjährlich")]
    parts = {
        "person": person,
        "bank": bank,
        "fees": table(columns, fees),
        "t1": ticks("sport", "Ich trete ein in:", "Turnen, Handball, Leichtathletik, Judo", "Judo"),
        "t2": ticks("group", "Gruppe:", "Mo 15 Uhr, Mi 16:30 Uhr, Fr 17 Uhr", "Mi 16:30 Uhr"),
        "t3": ticks("rhythm", "Zahlung:", "jährlich, halbjährlich", "halbjährlich"),
        "t4": ticks("photo", "Fotos auf der Webseite erlaubt?", "ja, nein", "nein"),
        "t5": ticks("swim", "Mein Kind kann schwimmen:", "ja, nein, etwas", "etwas"),
    }
    html = fill(html.replace("SHEET", SHEET), **parts)
    return Page("form-2", html, 1240, 1754, "de", noise=2, blur=0.5, jpeg=60)


def tax() -> Page:
    """A tax return with numbered lines."""
    lines = cells(
        """
        1 | Wages and salaries (attach slips) | 61,208
        2 | Tips not shown on slips | 1,140
        3 | Interest from savings | 386
        4 | Dividends | 2,051
        5 | Income from rented rooms | 4,800
        6 | Profit or loss from a business | −917
        7 | Pension and annuities | 0
        8 | Unemployment benefit | 0
        9 | Prizes and lottery | 250
        10 | Other income: jury duty | 90
        11 | Total income (add lines 1 to 10) | 69,008
        12 | Paid to a pension plan | 3,600
        13 | Student loan interest | 742
        14 | Tools and uniforms | 318
        15 | Moving to a new job | 1,275
        16 | Adjusted income | 63,073
        17 | Personal allowance | 12,950
        18 | Gifts to charity | 430
        19 | Medical costs above the limit | 0
        20 | Taxable income | 49,693
        21 | Tax from the table | 6,511
        22 | Child credit | 2,000
        23 | Credit for solar panels | 1,188
        24 | Tax after credits | 3,323
        25 | Tax withheld by employer | 4,907
        26 | Paid in advance | 0
        27 | Overpaid: refund to you | 1,584
        28 | Amount you owe | 0
        """
    )
    person = fields(
        """
        name | Name | RUTHANNE M. BOLLINGER | 6
        id | Taxpayer number | 000-47-1182 | 3
        status | Filing as | head of household | 3
        addr | Address | 318 TAMARACK ST APT 4, BOISTER | 6
        job | Occupation | dental hygienist | 3
        county | County code | 27 | 3
        """
    )
    kids = cells(
        """
        Theodora Bollinger | 000-61-0094 | daughter | 2014 | 12
        August Bollinger | 000-61-0377 | son | 2017 | 12
        Pearl Haskins | 000-12-5530 | mother | 1946 | 7
        """
    )
    html = """
    <style>.s{width:1275px;height:1650px;box-sizing:border-box;background:#fff;padding:55px 70px;
    font:18px/1.3 'Liberation Sans'} .g{display:grid;grid-template-columns:repeat(12,1fr)}
    .f{border:1px solid #000;padding:2px 8px;height:52px} .f label{display:block;font-size:13px}
    .v{font:20px 'Liberation Mono'} table{width:100%;border-collapse:collapse;margin-top:14px}
    td,th{border:1px solid #666;padding:3px 8px;text-align:left} .c-no{width:36px;font-weight:700}
    .c-sum{text-align:right;font:19px 'Liberation Mono';width:150px} th{font-size:14px}
    .r{display:flex;justify-content:space-between}</style><div class="s"><div class="r"
    style="border-bottom:4px solid #000"><b style="font-size:44px">[[form|R-40]]</b><span
    style="font-size:24px">[[title|Resident income tax return]]</span><b style="font-size:44px">
    [[year|2024]]</b></div>@person@@kids@@lines@<div class="r" style="margin-top:14px"><span>
    [[bank-label|Refund by transfer to routing]] <span class="v">[[routing|000 118 447]]</span>
    [[acct-label|account]] <span class="v">[[acct|5520 1187]]</span></span></div><div class="r"
    style="margin-top:10px"><span>[[prep-label|Prepared by]] <span class="v">[[prep|Alpine Tax
    Desk, J. Ferro]]</span></span><span>[[preptel-label|Preparer's phone]] <span class="v">
    [[preptel|555-0163]]</span></span><span>[[date-label|Date]] <span class="v">[[date|03/28/2025]]
    </span></span></div><p style="font-size:14px">[[mail|Mail to: State Revenue Office, PO Box 90,
    Boister. Returns are due on [[due|April 15, 2025]]; an extension to [[ext|October 15]] needs
    form [[extform|R-48]].]]</p></div>"""
    columns = [
        ("who", "Dependent"),
        ("id", "Number"),
        ("rel", "Relation"),
        ("born", "Born"),
        ("months", "Months with you"),
    ]
    parts = {
        "person": person,
        "kids": table(columns, kids, "k", head="hk"),
        "lines": table([("no", ""), ("item", "Line"), ("sum", "Whole dollars")], lines),
    }
    return Page("form-3", fill(html, **parts), 1275, 1650, colours=16)


def customs() -> Page:
    """A declaration for a traveller's goods, on thin green paper, typed."""
    person = fields(
        """
        name | 1. Family name | LINDQVIST | 6
        given | 2. Given names | MARA ELISABET | 6
        pass | 3. Passport number | XA 5510387 | 4
        issued | Issued by | Ministry, Nordholm | 4
        expiry | Valid until | 30 JUN 2029 | 4
        flight | 4. Flight / vessel | SK 0442 | 3
        seat | Seat | 23F | 3
        from | 5. Arriving from | Torrealba | 3
        days | 6. Days of stay | 19 | 3
        stay | 7. Address during stay | Hotel Marlowe, 4 Pier Road, Seabright | 8
        purpose | 8. Purpose | family visit | 4
        """
    )
    goods = cells(
        """
        a | Olive oil, own production | 6 l | 54
        b | Ham, vacuum packed | 1.2 kg | 38
        c | Ceramic bowls (gift) | 4 | 120
        d | Violin, used, with bow | 1 | 2,400
        e | Laptop computer | 1 | 950
        f | Cash in notes (EUR) | | 3,500
        g | Wine, red | 3 bottles | 45
        h | Prescription medicine | 60 tablets | 22
        """
    )
    html = """
    <style>.s{width:1100px;height:1150px;box-sizing:border-box;background:#e9f3e6;padding:60px 70px;
    font:18px/1.35 'Noto Sans'} .g{display:grid;grid-template-columns:repeat(12,1fr)}
    .f{border:1px solid #2f5d3a;padding:3px 8px;height:60px} .f label{display:block;font-size:14px;
    color:#2f5d3a} .v{font:23px 'Courier Prime'} table{width:100%;border-collapse:collapse;
    margin:16px 0} td,th{border:1px solid #2f5d3a;padding:6px 8px;text-align:left} td{font:21px
    'Courier Prime'} th{color:#2f5d3a;font-size:15px} .q{margin:9px 0} .o{margin-left:24px}
    i{font-style:normal;font-size:22px}</style><div class="s"><div style="display:flex;
    justify-content:space-between"><b style="font-size:28px;color:#2f5d3a">[[form|TRAVELLER'S
    DECLARATION]]</b><span>[[no-label|No.]] [[no|C 0091448]]</span></div>@person@@t1@@t2@@t3@@t4@
    <b>[[goods-label|Goods carried (attach a sheet if needed)]]</b>@goods@<div>[[free|Duty-free
    allowance for adults: goods up to [[free-sum|€430]], wine up to [[free-wine|4 litres]]. Cash of
    [[free-cash|€10,000]] or more must be reported.]]</div><div style="margin-top:20px">
    [[date-label|Date]] <span class="v">[[date|21 DEC 2025]]</span> [[office-label|Officer's
    stamp]] <b style="color:#8a1c1c;font-size:26px;border:3px solid #8a1c1c;padding:2px 10px">
    [[stamp|CLEARED, GATE 7]]</b> [[duty-label|Duty paid]] <span class="v">[[duty|€ 61.00]]</span>
    </div></div>"""
    columns = [("no", ""), ("item", "Description"), ("qty", "Quantity"), ("eur", "Value EUR")]
    parts = {
        "person": person,
        "goods": table(columns, goods),
        "t1": ticks("food", "9. Do you carry plants, meat or milk products?", "Yes, No", "Yes"),
        "t2": ticks("farm", "10. Were you on a farm in the last 14 days?", "Yes, No", "No"),
        "t3": ticks("trade", "11. Do you carry goods for sale?", "Yes, No", "No"),
        "t4": ticks("bags", "12. Bags sent separately", "none, 1, 2 or more", "1"),
    }
    return Page("form-4", fill(html, **parts), 1100, 1150, skew=2.6, blur=0.6, noise=2, jpeg=62)


def claim() -> Page:
    """An insurance claim on a screen, half filled in."""
    one = fields(
        """
        policy | Policy number | AH-2210-55-884 | 6
        kind | Type of damage | Burst pipe | 6
        when | Date of damage | 12 January 2026 | 4
        time | Time noticed | 06:20 | 4
        found | Noticed by | Tenant | 4
        room | Rooms affected | Kitchen, hall, cellar | 6
        cause | Cause | Frost, pipe under the sink | 6
        """
    )
    two = cells(
        """
        1 | Oak floor, 18 m² | 2009 | 2,340 | Photo added
        2 | Fridge-freezer | 2021 | 680 | Receipt added
        3 | Base units, kitchen | 2015 | 1,900 | Estimate pending
        4 | Rug, wool | 2018 | 410 | Photo added
        5 | Tumble dryer in cellar | 2023 | 529 | Receipt added
        6 | Drying out, hired machines | 2026 | 760 | Invoice added
        """
    )
    html = """
    <style>.s{width:1440px;height:1000px;background:#f4f6f8;font:17px/1.4 Roboto;color:#1f2933}
    .top{background:#103c5a;color:#fff;padding:16px 40px;display:flex;justify-content:space-between}
    .w{display:grid;grid-template-columns:250px 1fr 300px;gap:26px;padding:24px 40px} .c{
    background:#fff;border-radius:8px;padding:18px 22px;margin-bottom:16px} .g{display:grid;
    grid-template-columns:repeat(12,1fr);gap:12px} .f label{display:block;font-size:14px;color:#667}
    .v{display:block;border:1px solid #b8c2cc;border-radius:5px;padding:7px 10px;background:#fff}
    table{width:100%;border-collapse:collapse} td,th{text-align:left;padding:7px 6px;
    border-bottom:1px solid #dde} .q{margin-top:12px} .o{margin-left:20px} i{font-style:normal}
    </style><div class="s"><div class="top"><b style="font-size:22px">[[firm|Aurora
    Insurance]]</b><span>[[user|Signed in: Halvard Thorne]] · [[out|Log out]]</span></div><div
    class="w"><div class="c" style="line-height:2.3"><b>[[form|Home claim]]</b><br>✓ [[s1|1 What
    happened]]<br>✓ [[s2|2 Damaged things]]<br><b style="color:#0b7285">● [[s3|3 Check]]</b><br>○
    [[s4|4 Bank details]]<br>○ [[s5|5 Send]]<br><span style="color:#667;font-size:15px">
    [[saved|Draft saved 18:52]]<br>[[keep|Drafts are kept [[keep-days|30 days]].]]</span></div><div>
    <div class="c"><b>[[h1|What happened]]</b>@one@@t1@@t2@</div><div class="c"><b>[[h2|Damaged
    things]]</b>@two@</div></div><div><div class="c">[[no-label|Claim no.]] <b>[[no|HC-77-20418]]
    </b><br>[[sum-label|Claimed so far]] <b>[[sum|€6,619]]</b><br>[[excess-label|Your excess]]
    [[excess|€300]]<br>[[cover-label|Contents cover]] [[cover|€60,000]]<br>[[until-label|Report
    within]] [[until|14 days of the damage]]</div><div class="c">[[who-label|Your handler]]<br>
    <b>[[who|Philippa Anand-Roe]]</b><br>[[whotel|0555 300 771]]<br>[[whotime|weekdays 8:30–16:30]]
    </div><div class="c" style="background:#fff4d6">[[warn|Please do not throw anything away until
    our assessor has called on [[warn-day|Monday 19 January, 10–12]].]]</div><div class="c">
    [[up-label|Files]]<br>[[up1|floor_before.jpg, 2.1 MB]]<br>[[up2|fridge_receipt.pdf, 310
    KB]]<br>[[up3|plumber.pdf, 188 KB]]</div></div></div></div>"""
    columns = [
        ("no", ""),
        ("item", "Thing"),
        ("year", "Bought"),
        ("eur", "Value €"),
        ("proof", "Proof"),
    ]
    parts = {
        "one": one,
        "two": table(columns, two),
        "t1": ticks("shut", "Was the main tap shut off?", "Yes, No, Don't know", "Yes"),
        "t2": ticks("live", "Can you still live there?", "Fully, Partly, No", "Partly"),
    }
    return Page("form-5", fill(html, **parts), 1440, 1000)


def council() -> Page:
    """A Spanish town's form for works at home, filled in by hand."""
    person = fields(
        """
        name | Nombre y apellidos | Leocadia Montalbán Prieto | 8
        dni | DNI | 00 418 772 X | 4
        street | Domicilio | Calle Horno Viejo 6, bajo | 8
        tel | Teléfono | 655 501 274 | 4
        rep | Representante | Gestoría Aldama | 6
        mail | Correo electrónico | leo.montalban@correo.example | 6
        """
    )
    work = fields(
        """
        place | Emplazamiento de la obra | Calle Horno Viejo 6 | 8
        cad | Referencia catastral | 00417-A-22 | 4
        what | Descripción | Cambio de ventanas y tejado del patio | 12
        start | Fecha de inicio | 3 de febrero de 2026 | 4
        long | Duración | 5 semanas | 4
        cost | Presupuesto | 11.480 € | 4
        firm | Empresa constructora | Tejados Rincón S. L. | 6
        tech | Técnico responsable | Arq. Nicanor Freire | 6
        metres | Ocupación de la vía pública | 14 m² | 6
        skip | Contenedor de escombros | 1, de 5 m³ | 6
        """
    )
    fees = cells(
        """
        Tasa de tramitación | 42,00 €
        Impuesto de obras (3 %) | 344,40 €
        Ocupación de la vía pública | 98,00 €
        Fianza de residuos (se devuelve) | 150,00 €
        """
    )
    html = """
    <style>.s{SHEET background:#fdfcf7;padding:75px 85px;font:20px/1.4 Carlito} .g{display:grid;
    grid-template-columns:repeat(12,1fr);gap:8px} .f{border:1px solid #7a5c3e;padding:4px 10px;
    height:74px} .f label{display:block;font-size:16px;color:#7a5c3e} .v{font:600 29px
    'Dancing Script';color:#111b6e;white-space:nowrap} h3{background:#efe3d0;padding:5px 10px;
    margin:22px 0 8px} .q{margin:8px 0} .o{margin-left:22px} i{font-style:normal;font-size:23px}
    table{width:640px;border-collapse:collapse} td,th{padding:5px 8px;border-bottom:1px solid
    #c9b79c;text-align:left}</style><div class="s"><div style="display:flex;
    justify-content:space-between"><b style="font-size:32px">[[town|Ayuntamiento de
    Torrealba]]</b><span style="text-align:right">[[reg-label|Registro de entrada]]<br>
    [[reg|2025/18834, 9 dic. 2025]]</span></div><h2>[[form|Solicitud de licencia de obra
    menor]]</h2><h3>Solicitante</h3>@person@<h3>Obra</h3>@work@@t1@@t2@@t3@<h3>Tasas</h3>@fees@<p>
    [[pay|Pago en la caja municipal o en [[pay-bank|Caja Rural del Valle]], antes de presentar la
    solicitud.]] [[term|Si en [[term-days|un mes]] no recibe respuesta, la licencia se entiende
    concedida.]] [[noise|[[noise-label|Horario de obras ruidosas:]] [[noise-time|de 8 a 15 h]],
    nunca en
    festivos.]] [[ask-label|Consultas:]] [[ask|Negociado de Urbanismo, ventanilla 4]].</p><p>
    <span class="v">[[sign|Leocadia Montalbán]]</span></p></div>"""
    parts = {
        "person": person,
        "work": work,
        "fees": table([("item", "Concepto"), ("eur", "Importe")], fees),
        "t1": ticks("scaf", "¿Necesita andamio?", "Sí, No", "Sí"),
        "t2": ticks("prot", "¿Edificio protegido?", "Sí, No", "No"),
        "t3": ticks("cut", "¿Corte de tráfico?", "No, Parcial, Total", "Parcial"),
    }
    html = fill(html.replace("SHEET", SHEET), **parts)
    return Page("form-6", html, 1240, 1754, "es", skew=-1.5, colours=16)


def inspection() -> Page:
    """A check of a used car, with ratings and remarks."""
    rows = cells(
        """
        1 | Bodywork, rust | B | bubble at rear left arch
        2 | Doors and locks | A |
        3 | Windscreen | C | chip 8 mm, driver's side
        4 | Wipers | A |
        5 | Headlamps | B | right one cloudy
        6 | Tyres, front | A | 6.1 mm
        7 | Tyres, rear | D | 2.2 mm, replace
        8 | Brake discs, front | B | 70 % left
        9 | Brake discs, rear | C | scored
        10 | Hand brake | A |
        11 | Shock absorbers | B |
        12 | Exhaust | C | rusty flange, no leak
        13 | Engine oil | A | changed at 61,800 km
        14 | Coolant | B | topped up 0.4 l
        15 | Timing belt | D | due since May
        16 | Battery | B | 12.3 V, made 2021
        17 | Air conditioning | C | 14 °C at the vent
        18 | Seat belts | A |
        19 | Upholstery | B | dog hair
        20 | Radio, camera | A |
        21 | Spare wheel and jack | D | jack missing
        22 | Road test | B | pulls slightly to the left
        """
    )
    head = fields(
        """
        car | Vehicle | Hatchback 1.4, silver | 4
        plate | Registration | LK 55 RWD | 4
        vin | VIN ends in | …0G4471 | 4
        km | Odometer | 68,914 km | 4
        year | First registered | 06/2018 | 4
        owners | Previous owners | 2 | 4
        seller | Seller | Ferndale Garage | 4
        buyer | Inspected for | Miss F. Anand | 4
        date | Date, place | 5 Nov 2025, Aldport | 4
        """
    )
    html = """
    <style>.s{SHEET background:#fff;padding:65px 80px;font:19px/1.35 'Open Sans'} .g{display:grid;
    grid-template-columns:repeat(12,1fr)} .f{border:1px solid #999;padding:4px 9px} .f label{
    display:block;font-size:14px;color:#d35400} .v{font:600 21px 'Open Sans'} table{width:100%;
    border-collapse:collapse;margin:18px 0} td,th{border:1px solid #bbb;padding:5px 9px;
    text-align:left} .c-mark{text-align:center;font-weight:700} th{background:#fdebd0}</style><div
    class="s"><div style="display:flex;justify-content:space-between"><b style="font-size:34px">
    [[form|Used car check]]</b><span style="text-align:right">[[firm|Autoclear Inspectors]]<br>
    [[by-label|Inspector]] [[by|Winifred Castell]], [[id-label|no.]] [[id|0318]]</span></div>@head@
    @rows@<div>[[key|A very good · B usual wear · C repair within a year · D repair now]]</div><p>
    [[cost-label|Estimated cost of all D items]] <b>[[cost|£745]]</b> · [[ccost-label|of all C
    items]] <b>[[ccost|£510]]</b> · [[worth-label|Fair price]] <b>[[worth|£7,900]]</b> ·
    [[asked-label|Asking price]] <b>[[asked|£8,695]]</b></p><p>[[mot|The next roadworthiness test is
    due in [[mot-when|February 2026]].]] [[keys|Only [[keys-count|one key]] was handed over.]]
    [[book|Service book complete up to [[book-when|2023]].]] [[valid|This report is valid for
    [[valid-days|14 days or 500 km]].]]</p></div>"""
    columns = [("no", ""), ("item", "Part"), ("mark", "Mark"), ("note", "Remark")]
    html = fill(html.replace("SHEET", SHEET), head=head, rows=table(columns, rows))
    return Page("form-7", html, 1240, 1754)


def holiday() -> Page:
    """A French town's form for its children's holiday centre, filled in by hand, scanned."""
    child = fields(
        """
        last | Nom de l'enfant | KERVELLA-DIOP | 5
        first | Prénom | Inès | 4
        sex | Sexe | F | 3
        born | Né(e) le | 21 / 04 / 2017 | 4
        where | À | Saint-Aubry | 4
        class | Classe en septembre | CE2 | 4
        school | École | Les Tilleuls | 6
        teach | Enseignant(e) | Mme Baudry | 6
        """
    )
    people = fields(
        """
        p1 | Responsable légal 1 | Awa Diop | 5
        p1job | Profession | infirmière | 3
        p1tel | Portable | 06 55 50 18 42 | 4
        p2 | Responsable légal 2 | Loïc Kervella | 5
        p2job | Profession | menuisier | 3
        p2tel | Portable | 06 55 50 77 09 | 4
        addr | Adresse | 14, venelle du Lavoir, 00290 Saint-Aubry | 8
        quot | Quotient familial | 684 | 4
        caf | N° d'allocataire | 0418 772 K | 4
        mail | Courriel | awa.diop@courrier.example | 8
        fetch | Autre personne autorisée à venir chercher l'enfant | Odette Kervella, grand-mère | 8
        fetchtel | Téléphone | 02 55 50 61 13 | 4
        """
    )
    health = fields(
        """
        doc | Médecin traitant | Dr Morvan, Meurcy | 5
        tetan | Dernier rappel DTP | mars 2023 | 3
        weight | Poids | 24 kg | 2
        shoe | Pointure | 33 | 2
        allergy | Allergies | noix de cajou, piqûres de guêpe | 7
        kit | Trousse d'urgence remise | oui, stylo dans le sac | 5
        """
    )
    rows = cells(
        """
        7 – 11 juillet | × | | × | × | 62,50
        15 – 18 juillet | × | × | × | × | 54,00
        21 – 25 juillet | | | | | –
        28 juillet – 1er août | × | × | × | | 62,50
        18 – 22 août | × | × | × | × | 66,90
        25 – 29 août | | | × | | 18,40
        """
    )
    html = """
    <style>.s{SHEET background:#fff;padding:80px 96px;font:17px/1.35 'Liberation Sans'} .g{
    display:grid;grid-template-columns:repeat(12,1fr);gap:4px 10px} .f{border-bottom:1.5px dotted
    #333;padding:2px 4px;height:58px} .f label{display:block;font-size:14px;color:#333} .v{font:600
    27px 'Dancing Script';color:#0b2f8a;white-space:nowrap} h2{font-size:19px;margin:20px 0 4px;
    border:2px solid #b3235a;border-radius:18px;color:#b3235a;padding:2px 16px} table{width:100%;
    border-collapse:collapse;margin-top:8px} td,th{border:1px solid #b3235a;padding:4px 10px;
    text-align:center} .c-week{text-align:left} .q{margin:6px 0} .o{margin-left:22px} i{font-style:
    normal;font-size:21px} p span{white-space:nowrap}</style><div class="s"><div
    style="display:flex;justify-content:space-between"><div><b style="font-size:31px;color:#b3235a">
    [[title|Centre de loisirs, été 2025]]</b><br>[[town|Ville de Saint-Aubry, service
    enfance]]</div>
    <div>[[file-label|Dossier n°]] [[file|25-0387]]<br>[[back-label|À rendre avant le]] <b>[[back|30
    mai 2025]]</b></div></div><h2>L'enfant</h2>@child@<h2>La famille</h2>@people@<h2>La santé</h2>
    @health@<h2>Les semaines demandées</h2>@weeks@<div style="text-align:right;margin:8px 10px">
    [[sum-label|Total à régler]] <b>[[sum|264,30 €]]</b></div>@t1@@t2@@t3@@t4@<p>Un goûter est
    fourni. L'accueil ouvre à [[open|7 h 45]] ; les enfants sont repris avant [[shut|18 h 15]], tout
    quart d'heure de [[late-word|retard]] est facturé [[late|5 €]]. Une [[cancel-word|annulation]]
    est remboursée jusqu'à [[cancel|huit jours]] avant, ensuite seulement sur certificat
    médical.</p>
    <div style="display:flex;justify-content:space-between"><span>[[day-label|Fait le]]
    <span class="v">[[day|12 mai 2025]]</span></span><span>[[sign-label|Signature]] <span class="v">
    [[sign|A. Diop]]</span></span></div></div>"""
    columns = [("week", "Semaine"), ("am", "Matin"), ("eat", "Repas"), ("pm", "Après-midi")]
    columns += [("eve", "Garderie"), ("eur", "Tarif €")]
    parts = {
        "child": child,
        "people": people,
        "health": health,
        "weeks": table(columns, rows),
        "t1": ticks("swim", "Sait nager", "oui, non, un peu", "un peu"),
        "t2": ticks("diet", "Repas", "ordinaire, sans porc, végétarien", "végétarien"),
        "t3": ticks("alone", "Peut rentrer seule", "oui, non", "non"),
        "t4": ticks("photo", "Photos pour le journal municipal", "accord, refus", "refus"),
    }
    html = fill(html.replace("SHEET", SHEET), **parts)
    return Page("form-8", html, 1240, 1754, "fr", skew=1.6, blur=0.6, noise=2, jpeg=58)


def permit() -> Page:
    """A permit for hot work on a building site: boxes, checks, gas readings and names."""
    head = fields(
        """
        no | Permit no. | HW-0926 | 3
        site | Site | Old Maltings, block C | 5
        date | Valid on | 6 November 2025 | 4
        from | From | 08:30 | 3
        till | Until | 15:00 | 3
        watch | Fire watch until | 17:00 | 3
        level | Level | 4th floor | 3
        firm | Contractor | Brasswell Pipework Ltd | 4
        boss | Supervisor in charge | Delroy Kemp | 4
        crew | Operatives | J. Sowande, P. Ilic | 4
        job | Description of work | Brazing of chilled water pipes, riser 7 | 8
        tool | Equipment | oxy-propane torch | 4
        """
    )
    checks = cells(
        """
        1 | Combustible materials removed within 10 m | Yes | DK | pallets moved to yard
        2 | Openings in floors and walls covered | Yes | DK | fire blanket, 2 layers
        3 | Sprinklers in working order | No | MS | drained until 20 Nov
        4 | Smoke detectors isolated, this zone only | Yes | MS | zone 14
        5 | Two extinguishers at hand | Yes | DK | 1 CO₂, 1 foam
        6 | Hose reel run out and tested | Yes | DK | stair B
        7 | Gas bottles upright and chained | Yes | DK | –
        8 | Flashback arrestors fitted | Yes | PI | tested Aug 2025
        9 | Void behind the wall inspected | Yes | JS | mineral wool
        10 | Goggles, gloves, apron worn | Yes | PI | shade 5 lenses
        11 | Ventilation sufficient | Yes | MS | fan on ladder landing
        12 | Neighbouring trades told | Yes | DK | painters on level 3
        """
    )
    gas = cells(
        """
        08:20 | 20.8 | 0 | 2 | MS
        10:00 | 20.7 | 0 | 6 | MS
        11:30 | 20.6 | 3 | 11 | DK
        13:15 | 20.8 | 0 | 4 | DK
        14:45 | 20.7 | 0 | 5 | MS
        """
    )
    foot = fields(
        """
        issue | Issued by (print name) | Margit Solheim | 4
        issued | Time of issue | 08:25 | 2
        take | Accepted by | Delroy Kemp | 4
        radio | Radio channel | 5 | 2
        done | Work finished at | 14:40 | 3
        look1 | First check after work | 15:10, all cold | 3
        look2 | Second check | 16:55, all cold | 3
        close | Permit closed by | M. Solheim | 3
        """
    )
    html = """
    <style>.s{width:1200px;height:1370px;box-sizing:border-box;background:#fff7e8;padding:40px 50px;
    font:17px/1.35 Roboto} .g{display:grid;grid-template-columns:repeat(12,1fr);border:2px solid
    #b23a00} .f{border:1px solid #b23a00;padding:3px 8px;height:54px} .f label{display:block;
    font-size:13px;color:#8a2d00;text-transform:uppercase} .v{font:21px 'Courier Prime'}
    h3{background:#b23a00;color:#fff;margin:16px 0 0;padding:4px 10px;font-size:17px} table{width:
    100%;border-collapse:collapse;background:#fff} td,th{border:1px solid #b23a00;padding:3px 8px;
    text-align:left} .c-ok,.c-by,.c-no{text-align:center} .c-note,.c-ok,.c-by{
    font:19px 'Courier Prime'} th{font:13px Roboto!important}
    .d{display:grid;grid-template-columns:1.1fr 1fr;
    column-gap:20px} li{margin:2px 0} li span{white-space:nowrap}</style><div class="s"><div
    style="display:flex;justify-content:space-between;align-items:center"><b style="font-size:40px;
    color:#b23a00">[[title|HOT WORK PERMIT]]</b><span style="text-align:right">[[owner|Corvane
    Developments]]<br>[[rev|Form S-17, rev. 4]]</span></div>@head@<h3>Before work
    starts</h3>@checks@
    <div class="d"><div><h3>Gas readings</h3>@gas@</div><div><h3>In an emergency</h3><ul
    style="margin:8px 0;padding-left:22px"><li>[[alarm-label|Site alarm:]] [[alarm|red button at
    hoist 2]]</li><li>[[tel-label|Gatehouse:]] [[tel|07555 010 119]]</li><li>[[meet-label|Assembly
    point:]] [[meet|car park, lamp post 6]]</li><li>[[aid-label|First aider:]] [[aid|Yetunde
    Price]]</li><li>[[wash-label|Burns:]] [[wash|cool 20 minutes, sink in 4.02]]</li></ul></div>
    </div><h3>Issue and closure</h3>@foot@<p style="font-size:15px">[[rule|This permit ends when the
    alarm sounds. Stop work if oxygen is below [[o2|19.5 %]] or carbon monoxide above [[co|20
    ppm]].]] Copies: white [[white|site office]], yellow [[yellow|contractor]], pink [[pink|at the
    place of work]]. Keep for [[keep|three years]].</p></div>"""
    columns = [("no", ""), ("item", "Check"), ("ok", "Yes/No"), ("by", "Init."), ("note", "Note")]
    meters = [("at", "Time"), ("o2", "O₂ %"), ("lel", "LEL %"), ("co", "CO ppm"), ("by", "Init.")]
    parts = {
        "head": head,
        "checks": table(columns, checks),
        "gas": table(meters, gas, "g", head="hg"),
        "foot": foot,
    }
    return Page("form-9", fill(html, **parts), 1200, 1370, colours=24)


def adoption() -> Page:
    """An application for a dog from a shelter on a screen, dark, with a card of the dog."""
    you = fields(
        """
        name | Full name | Casimir Oyelade-Brandt | 6
        age | Age | 44 | 2
        job | Occupation | piano tuner, self-employed | 4
        addr | Address | 9 Otter Bank, Hexley HX3 0PB | 8
        tel | Phone | 07555 010 663 | 4
        home | Type of home | Terraced house, rented | 4
        lord | Landlord's consent | letter uploaded 2 Oct | 4
        yard | Garden | 60 m², wall 1.7 m | 4
        people | Household | 2 adults, 1 child (11) | 4
        pets | Other animals | 2 guinea pigs, 1 old cat | 4
        had | Dogs before | Labrador, until 2023 | 4
        alone | Alone per day, at most | 3 hours | 4
        night | Where will it sleep? | landing, own basket | 4
        walk | Walks per day | 3, about 2 hours in all | 4
        sick | If I am ill or away | my sister in Neverton | 6
        vetname | Your vet | Weir Terrace Animal Clinic | 6
        """
    )
    dog = cells(
        """
        name | Name | Biscuit
        no | Shelter no. | D-2025-118
        breed | Breed | Spaniel cross
        born | Born | about May 2021
        kg | Weight | 13.4 kg
        chip | Chip | 00 0981 4477 2056
        in | With us since | 11 July 2025
        why | Came because | owner moved to a care home
        cats | With cats | after slow introduction
        kids | With children | from 8 years
        fear | Afraid of | lorries, umbrellas
        food | Food | 190 g dry, twice a day
        med | Medicine | ear drops until 20 October
        fee | Adoption fee | £240
        """
    )
    card = "".join(
        f"<div>{text(f'd-{key}-label', label)}</div><div>{text(f'd-{key}', value, 'b')}</div>"
        for key, label, value in dog
    )
    html = """
    <style>.s{width:1540px;height:830px;box-sizing:border-box;background:#15202b;color:#e8eef4;
    padding:28px 40px;font:17px/1.4 Lato;display:grid;grid-template-columns:1fr 470px;
    column-gap:36px} .g{display:grid;grid-template-columns:repeat(12,1fr);gap:10px} .f{background:
    #1e2d3b;border:1px solid #38536b;border-radius:8px;padding:6px 12px;height:50px} .f label{
    display:block;font-size:13px;color:#8fb1cc} .v{font-size:19px} .k{background:#223446;
    border-radius:12px;padding:20px 24px} .k>div{display:grid;grid-template-columns:150px 1fr;
    row-gap:5px} .q{margin:8px 0} .o{margin-left:20px} i{font-style:normal;color:#ffb454}
    p span{white-space:nowrap}</style><div class="s"><div><div style="font-size:28px">[[title|
    Application to adopt]] <span style="font-size:16px;color:#8fb1cc;margin-left:18px">[[step|Step 3
    of 4: check your answers]]</span></div><p style="margin:6px 0 14px">[[ref-label|Reference]]
    [[ref|WHA-4471]] · [[draft-label|Draft kept until]] [[draft|19 October, 23:59]]</p>@you@<div
    style="margin-top:14px">@t1@@t2@@t3@@t4@</div><p>[[free-label|Message]] [[free|We met Biscuit
    twice on Sunday walks and she fell asleep on my daughter's coat.]]</p><p style="color:#8fb1cc">
    The [[visit-word|home visit]] takes about [[visit|45 minutes]]; our volunteer [[vol|Benedikta]]
    rings you within [[call|four days]]. If it does not work out, you can bring the dog back at any
    time; in the first [[refund-days|30 days]] we [[refund-word|repay the fee]].</p></div><div
    class="k"><b style="font-size:30px;color:#ffb454">[[who|Biscuit]]</b><p style="margin:2px 0
    12px">[[shelter|Whinmoor Home for Animals]]</p><div>@card@</div><p style="font-size:15px">
    [[open-label|Visiting hours]] [[open|Wed–Sun 13:00–16:30]]<br>[[desk-label|Office]] [[desk|01555
    377 020]]<br>[[bring-label|Bring with you]] [[bring|passport, lead, a towel]]</p></div></div>"""
    parts = {
        "you": you,
        "card": card,
        "t1": ticks("fence", "Can the dog leave the garden?", "Yes, No", "No"),
        "t2": ticks("car", "Travels by", "car, train, on foot only", "train"),
        "t3": ticks("train", "Dog school", "booked, planned, not needed", "planned"),
        "t4": ticks("ins", "Liability insurance", "in place, from adoption", "from adoption"),
    }
    return Page("form-10", fill(html, **parts), 1540, 830, colours=48)


def pages() -> list[Page]:
    """All forms."""
    return [
        tenancy(),
        patient(),
        club(),
        tax(),
        customs(),
        claim(),
        council(),
        inspection(),
        holiday(),
        permit(),
        adoption(),
    ]
