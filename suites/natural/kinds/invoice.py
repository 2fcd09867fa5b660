"""Invoices, bills and a till receipt: eleven pages of eleven firms."""

from page import Page, cells, fill, money, table

SHEET = "width:1240px;height:1754px;box-sizing:border-box;background:#fff;position:relative;"


def priced(listing: str, language: str = "en", unit: str = "") -> tuple[list[list[object]], float]:
    """Rows that end in quantity and price, with the sum of each row added, and the sum of all."""
    rows, total = [], 0.0
    for row in cells(listing):
        amount = round(float(row[-2]) * float(row[-1]), 2)
        total += amount
        price = money(float(row[-1]), language)
        quantity = row[-2].replace(".", ",") if language in ("de", "fr") else row[-2]
        rows.append([*row[:-2], quantity + unit, price, money(amount, language)])
    return rows, round(total, 2)


def plumber() -> Page:
    """A British builders' merchant: fourteen lines and VAT."""
    rows, net = priced(
        """
        BT-2207 | Thermostatic bar shower mixer, chrome | 2 | 118.40
        BT-0914 | Basin mono tap with click waste | 3 | 46.75
        PP-1500 | Copper tube 15 mm x 3 m | 12 | 9.62
        PP-2200 | Copper tube 22 mm x 3 m | 6 | 17.35
        FT-0151 | Elbow 15 mm, solder ring (bag of 25) | 4 | 21.10
        FT-0222 | Equal tee 22 mm, solder ring (bag of 10) | 2 | 28.90
        VL-3080 | Radiator valve pack, angled, white | 9 | 24.15
        RD-0600 | Double panel radiator 600 x 1200 mm | 4 | 132.00
        RD-0450 | Single panel radiator 450 x 800 mm | 5 | 61.80
        SN-7711 | Close coupled WC pan and cistern | 2 | 164.25
        SN-7712 | Soft close seat for 7711 | 2 | 32.60
        CH-0040 | Inhibitor 1 litre | 6 | 13.95
        SL-0310 | Sanitary silicone, clear, 310 ml | 10 | 6.48
        DL-0001 | Delivery with tail lift | 1 | 45.00
        """
    )
    vat = round(net * 0.2, 2)
    columns = [("code", "Code"), ("item", "Description"), ("qty", "Qty"), ("price", "Unit price")]
    grid = table([*columns, ("sum", "Net amount")], rows)
    html = """
    <style>
    .s{SHEET padding:80px 90px;font:20px/1.45 'Open Sans'} h1{font-size:54px;margin:0;color:#0b4f6c}
    table{width:100%;border-collapse:collapse;margin:36px 0 20px} td{padding:7px 10px;
    border-bottom:1px solid #ccd} th{background:#0b4f6c;color:#fff;padding:9px 10px;text-align:left}
    .c-qty,.c-price,.c-sum{text-align:right} .row{display:flex;justify-content:space-between}
    .k{display:grid;grid-template-columns:190px 220px} .t{margin-left:560px;display:grid;
    grid-template-columns:1fr auto;row-gap:6px} .f{position:absolute;bottom:60px;left:90px;
    right:90px;font-size:15px;color:#555;border-top:2px solid #0b4f6c;padding-top:12px}
    </style><div class="s"><div class="row"><div><h1>[[firm|Harrow &amp; Stead]]</h1>
    [[trade|Plumbing, heating and bathroom supplies]]<br>[[street|Unit 7, Canal Wharf]]<br>
    [[town|Millbridge MB4 2QT]]<br>[[phone-label|Counter]] [[phone|01555 020 418]]</div>
    <div style="text-align:right"><div style="font-size:44px;letter-spacing:6px">[[title|INVOICE]]
    </div></div></div><div class="row" style="margin-top:50px"><div>
    <b>[[to-label|Invoice to]]</b><br>[[to|Penrose Property Care Ltd]]<br>[[to-street|41 Sable
    Street]]<br>[[to-town|Millbridge MB1 9KD]]</div><div><b>[[ship-label|Delivered to]]</b><br>
    [[ship|Site office, Larch Court]]<br>[[ship-street|Plot 16, Orchard Rise]]<br>
    [[ship-town|Neverton NV3 5LP]]</div><div class="k">[[number-label|Invoice no.]]
    [[number|HS-48213]] [[date-label|Invoice date]] [[date|14 March 2025]]
    [[order-label|Your order]] [[order|PPC/2291]] [[account-label|Account]] [[account|P0377]]
    [[rep-label|Served by]] [[rep|Colin Abara]] </div></div>@grid@<div class="t">
    [[net-label|Goods total]] [[net|£@net@]] [[vat-label|VAT at 20 %]] [[vat|£@vat@]]
    [[total-label|Invoice total]] <b>[[total|£@total@]]</b></div>
    <p>[[terms-label|Terms:]] [[terms|30 days from date of invoice.]]
    [[due-label|Please pay by]] [[due|13 April 2025]].
    [[late|Interest of [[late-rate|8 %]] a year is charged on late accounts.]]</p><p>
    [[returns|Special orders cannot be [[returns-word|returned. Other goods]] within
    [[returns-days|21 days]], unused
    and boxed; a restocking charge of [[restock|15 %]] applies.]]</p><div class="f">
    [[bank-label|Bank:]] [[bank|Northmoor Bank]] · [[sort-label|Sort code]] [[sort|00-41-77]] ·
    [[acc-label|Account no.]] [[acc|61520934]] · [[vatno-label|VAT reg.]] [[vatno|GB 000 4417 22]] ·
    [[reg-label|Company no.]] [[reg|00918274]] registered in England</div></div>"""
    html = html.replace("SHEET", SHEET)
    total = money(net + vat)
    parts = {"grid": grid, "net": money(net), "vat": money(vat), "total": total}
    return Page("invoice-0", fill(html, **parts), 1240, 1754)


def agency() -> Page:
    """An American design studio: hours and rates, a coloured side."""
    rows, net = priced(
        """
        06/02 | Kick-off workshop, two designers on site | 7.5 | 140
        06/04 | Brand audit and competitor boards | 11 | 115
        06/09 | Logo sketches, first round (24 marks) | 18.5 | 115
        06/13 | Presentation and call with the board | 3 | 140
        06/17 | Logo refinement, second round | 9.25 | 115
        06/20 | Type and colour system | 12 | 115
        06/24 | Packaging dielines for 250 g and 1 kg bags | 14 | 98
        06/26 | Press check at the printer in Dalton | 5.5 | 140
        06/30 | Handover files and guidelines, 32 pages | 16 | 98
        """
    )
    columns = [("day", "Date"), ("item", "Work"), ("hours", "Hours"), ("rate", "Rate")]
    grid = table([*columns, ("sum", "Amount")], rows)
    html = """
    <style>.s{width:1275px;height:1650px;display:flex;font:22px/1.5 Lato;background:#fff}
    .l{width:310px;background:#2d1e2f;color:#f2e9e4;padding:70px 40px;box-sizing:border-box}
    .l b{display:block;margin-top:34px;color:#f0a6ca;font-size:17px;text-transform:uppercase}
    .m{flex:1;padding:70px 60px;position:relative} h1{font:900 64px Lato;margin:0 0 30px}
    table{width:100%;border-collapse:collapse;font-size:20px} th{border-bottom:3px solid #2d1e2f;
    text-align:left;padding:8px 4px} td{padding:13px 4px;border-bottom:1px solid #ddd}
    .c-hours,.c-rate,.c-sum{text-align:right} .t{width:430px;margin:26px 0 0 auto;display:grid;
    grid-template-columns:1fr auto;row-gap:8px} .d{font-size:30px;font-weight:900;color:#b5179e}
    </style><div class="s"><div class="l"><div style="font:700 34px Lato">[[firm|fernhollow
    studio]]</div><b>[[from-label|From]]</b>[[from|Ines Okafor-Lund]]<br>[[from-street|1180 Quarry
    Ave, Suite 3]]<br>[[from-town|Port Ellery, OR 97000]]<b>[[to-label|Billed to]]</b>[[to|Copper
    Kettle Coffee Roasters]]<br>[[to-person|Attn: Dale Whitcomb]]<br>[[to-street|77 Mill
    Race]]<br>[[to-town|Dalton, OR 97011]]<b>[[number-label|Invoice]]</b>[[number|#0142]]
    <b>[[date-label|Issued]]</b>[[date|July 1, 2025]]<b>[[due-label|Payment due]]</b>[[due|July 31,
    2025]]<b>[[project-label|Project]]</b>[[project|CKR rebrand, phase 1 of 3]]
    <b>[[pay-label|How to pay]]</b>[[pay|ACH or check]]<br>[[routing-label|Routing]]
    [[routing|000 114 902]]<br>[[acct-label|Account]] [[acct|77120 0453]]<b>[[ein-label|EIN]]</b>
    [[ein|00-3391726]]</div><div class="m"><h1>[[title|Invoice]]</h1>@grid@<div class="t">
    [[net-label|Subtotal]] [[net|$@net@]] [[discount-label|Returning client, 5 %]]
    [[discount|−$@discount@]] [[expense-label|Travel and proofs]] [[expense|$386.40]]
    [[paid-label|Deposit received May 20]] [[paid|−$2,500.00]]
    <span class="d">[[total-label|Balance]]</span> <span class="d">[[total|$@total@]]</span></div>
    <p style="font-size:18px;color:#555;position:absolute;bottom:60px;right:60px;left:60px">
    [[note|Files are released when the balance has cleared. After the due date we add
    [[fee|$35]] per started week. Unused hours of the retainer ([[left|6.5 hours]]) carry over to
    phase 2, which starts on [[next|August 11]]. Questions: [[mail|ines@fernhollow.example]]]]</p>
    </div></div>"""
    discount = round(net * 0.05, 2)
    total = net - discount + 386.40 - 2500
    parts = {"net": money(net), "discount": money(discount), "total": money(total)}
    return Page("invoice-1", fill(html, grid=grid, **parts), 1275, 1650)


def office() -> Page:
    """A German wholesaler of office goods, as a crooked scan."""
    rows, net = priced(
        """
        1 | 40118 | Kopierpapier A4 80 g, Karton à 5 × 500 Blatt | 24 | 21.90
        2 | 40122 | Kopierpapier A3 80 g, 500 Blatt | 6 | 9.85
        3 | 51730 | Tonerkassette schwarz, 7.200 Seiten | 4 | 84.50
        4 | 51733 | Tonerkassette magenta, 5.000 Seiten | 2 | 97.20
        5 | 20014 | Ordner 80 mm, blau | 60 | 1.79
        6 | 20019 | Ordner 50 mm, grau | 40 | 1.69
        7 | 20310 | Trennblätter A4, 100 Stück | 15 | 3.45
        8 | 33105 | Kugelschreiber blau, 50 Stück | 3 | 14.95
        9 | 33160 | Textmarker sortiert, 6 Farben | 12 | 5.25
        10 | 33402 | Whiteboardmarker, 4 Farben | 10 | 6.10
        11 | 61007 | Schreibtischlampe LED, silber | 5 | 47.90
        12 | 61250 | Monitorarm einfach, bis 8 kg | 7 | 58.40
        13 | 70441 | Aktenvernichter P-4, 22 l | 1 | 189.00
        14 | 70502 | Schneidemaschine A3 | 1 | 129.50
        15 | 80910 | Briefumschläge DIN lang, 500 Stück | 8 | 17.60
        16 | 80955 | Versandtaschen C4, 250 Stück | 4 | 29.75
        17 | 91003 | Kaffeebohnen kräftig, 1 kg | 18 | 13.49
        18 | 91044 | Küchenrolle, 16 Stück | 5 | 9.99
        """,
        "de",
    )
    columns = [("pos", "Pos."), ("code", "Art.-Nr."), ("item", "Bezeichnung"), ("qty", "Menge")]
    grid = table([*columns, ("price", "Einzelpreis €"), ("sum", "Gesamt €")], rows)
    html = """
    <style>.s{SHEET padding:70px 100px 70px 130px;font:19px/1.4 'Liberation Sans'}
    table{width:100%;border-collapse:collapse;font-size:18px;margin:20px 0}
    th{border-top:2px solid #000;border-bottom:2px solid #000;text-align:left;padding:6px}
    td{padding:4px 6px} .c-qty,.c-price,.c-sum,.c-pos{text-align:right} tbody tr:nth-child(even)
    {background:#eee} .k{display:grid;grid-template-columns:210px 230px;position:absolute;top:250px;
    right:80px} .t{margin-left:520px;display:grid;grid-template-columns:1fr auto;row-gap:4px}
    .f{position:absolute;bottom:60px;left:130px;right:100px;display:flex;font-size:14px;
    justify-content:space-between;border-top:1px solid #000;padding-top:8px}</style><div class="s">
    <div style="text-align:right;font:bold 42px 'Liberation Serif'">[[firm|Bürowelt Tannhagen
    GmbH]]</div><div style="font-size:14px;margin-top:90px;text-decoration:underline">
    [[sender|Bürowelt Tannhagen GmbH · Am Güterbahnhof 12 · 00471 Tannhagen]]</div><div
    style="margin-top:14px">[[to|Steuerkanzlei Ruhland &amp; Partner]]<br>[[to-person|z. Hd. Frau
    Mareike Ostwald]]<br>[[to-street|Lindenallee 88]]<br>[[to-town|00412 Kirchau]]</div>
    <div class="k">[[number-label|Rechnungs-Nr.]] [[number|2025-07716]] [[date-label|Datum]]
    [[date|22.05.2025]] [[cust-label|Kunden-Nr.]] [[cust|10 4482]] [[ship-label|Lieferschein]]
    [[ship|L-90331]] [[shipdate-label|Lieferdatum]] [[shipdate|19.05.2025]]
    [[clerk-label|Bearbeiter]] [[clerk|Herr Jannik Voss]]</div>
    <h2 style="margin:60px 0 10px">[[title|Rechnung]]</h2>
    [[intro|Wir danken für Ihren Auftrag vom 15.05.2025 und berechnen:]]@grid@<div class="t">
    [[net-label|Nettobetrag]] [[net|@net@]] [[vat-label|zzgl. 19 % MwSt.]] [[vat|@vat@]]
    <b>[[total-label|Rechnungsbetrag EUR]]</b> <b>[[total|@total@]]</b></div><p>[[skonto|Bei Zahlung
    bis [[skonto-date|05.06.2025]] gewähren wir [[skonto-rate|2 %]] [[skonto-word|Skonto]], sonst
    [[due-label|zahlbar ohne Abzug bis]] [[due|21.06.2025]].]] [[own|Die Ware bleibt bis zur
    vollständigen Bezahlung unser Eigentum.]]</p><p>[[open-label|Abholung leerer Tonerkassetten:]]
    [[open|jeden ersten Dienstag im Monat]]</p><div class="f"><div>[[ceo-label|Geschäftsführerin]]
    <br>[[ceo|Hedwig Sommerlatt]]</div><div>[[court-label|Registergericht]]<br>[[court|Tannhagen
    HRB 0815]]</div><div>[[iban-label|IBAN]]<br>[[iban|DE00 7001 2200 0041 9983 05]]</div><div>
    [[ust-label|USt-IdNr.]]<br>[[ust|DE000441902]]</div></div></div>"""
    vat = round(net * 0.19, 2)
    parts = {
        "net": money(net, "de"),
        "vat": money(vat, "de"),
        "total": money(net + vat, "de"),
    }
    html = fill(html.replace("SHEET", SHEET), grid=grid, **parts)
    return Page("invoice-2", html, 1240, 1754, "de", skew=1.4, blur=0.6, colours=16)


def till() -> Page:
    """A till receipt of a garden shop."""
    listing = """
    COMPOST PEAT FREE 50L | 4 | 7.99
    TOMATO PLANT 'RED ROBIN' | 6 | 2.49
    LAVENDER 2L POT | 3 | 5.50
    TERRACOTTA POT 24CM | 2 | 8.75
    BAMBOO CANE 180CM PK10 | 1 | 6.25
    GARDEN TWINE GREEN | 2 | 2.10
    SLUG COLLARS PK5 | 1 | 9.40
    HOSE CONNECTOR 1/2" | 3 | 3.35
    SECATEURS BYPASS | 1 | 18.99
    GLOVES MEDIUM | 2 | 4.60
    BIRD SEED MIX 5KG | 1 | 11.20
    FAT BALLS TUB 50 | 1 | 8.80
    WATERING CAN 9L | 1 | 12.75
    TEA & SCONE (CAFE) | 2 | 4.95
    """
    rows, net = priced(listing)
    lines = "".join(
        f'<div class="i"><span id="r{number}-item">{item}</span>'
        f'<span id="r{number}-sum">{amount}</span></div>'
        + (
            f'<div class="q"><span id="r{number}-qty">{quantity}</span> @ '
            f'<span id="r{number}-price">{price}</span></div>'
            if quantity != "1"
            else ""
        )
        for number, (item, quantity, price, amount) in enumerate(rows)
    ).replace(" & ", " &amp; ")
    html = """
    <style>.s{width:620px;height:1560px;box-sizing:border-box;padding:36px 44px;background:#f7f5ee;
    font:22px/1.3 'Courier Prime'} .c{text-align:center} .i{display:flex;
    justify-content:space-between} .q{padding-left:40px} hr{border:0;border-top:2px dashed #555}
    </style><div class="s"><div class="c" style="font-size:38px;font-weight:bold">[[firm|GREENSLEEVE
    ]]</div><div class="c">[[trade|GARDEN CENTRE &amp; CAFE]]<br>[[street|Old Turnpike,
    Wexcombe]]<br>[[phone-label|Tel]] [[phone|01555 770 216]]<br>[[hours|Open daily 9-5.30,
    Sun 10.30-4.30]]</div><hr><div class="i"><span>[[date|18/05/25]] [[time|14:37]]</span>
    <span>[[till-label|TILL]] [[till|03]]</span></div><div class="i"><span>[[cashier-label|CASHIER]]
    [[cashier|MARGO]]</span><span>[[slip-label|RECEIPT]] [[slip|0091822]]</span></div><hr>
    @lines@<hr><div class="i">[[sub-label|SUBTOTAL]] [[sub|@sub@]]</div><div class="i">
    [[off-label|GARDEN CLUB 10% PLANTS]] [[off|-@off@]]</div><div class="i"
    style="font-size:32px;font-weight:bold">[[total-label|TO PAY]] [[total|£@total@]]</div><div
    class="i">[[cash-label|GIFT CARD ****6120]] [[cash|50.00]]</div><div class="i">
    [[card-label|DEBIT CARD ****2249]] [[card|@card@]]</div><hr><div class="i">
    [[left-label|GIFT CARD LEFT]] [[left|0.00]]</div><div class="i">[[points-label|POINTS
    TODAY]] [[points|161]]</div><div class="i">[[balance-label|POINTS BALANCE]]
    [[balance|1,248]]</div><div class="i">[[items-label|ITEMS]] [[items|30]]</div><hr>
    <div class="c">[[refund|Plants are guaranteed for [[refund-years|2 years]].]]<br>[[refund2|Keep
    this slip. Refunds within [[refund-days|28 days]].]]<br>[[next|Next event: [[event|Tomato
    tasting]], [[event-day|Sat 7 June]]]]<br>[[vat-label|VAT No]] [[vat|000 8812 40]]</div></div>"""
    off = round(0.1 * (6 * 2.49 + 3 * 5.5), 2)
    parts = {
        "lines": lines,
        "sub": money(net),
        "off": money(off),
        "total": money(net - off),
        "card": money(net - off - 50),
    }
    html = fill(html, **parts)
    return Page("invoice-3", html, 620, 1560, skew=-1.1, noise=2, jpeg=66)


def vet() -> Page:
    """A bill of an animal clinic, with three animals."""
    listing = """
    03 Feb | Biscuit (dog) | Consultation, limping left hind leg | 58.00
    03 Feb | Biscuit (dog) | X-ray, two views, sedation | 214.50
    03 Feb | Biscuit (dog) | Anti-inflammatory tablets, 20 | 31.80
    05 Feb | Olive (cat) | Annual vaccination | 62.00
    05 Feb | Olive (cat) | Microchip and registration | 29.50
    05 Feb | Olive (cat) | Worming paste | 11.25
    12 Feb | Biscuit (dog) | Check-up, second visit | 36.00
    12 Feb | Biscuit (dog) | Joint supplement, 90 chews | 44.90
    17 Feb | Pepper (rabbit) | Dental burr under anaesthetic | 148.00
    17 Feb | Pepper (rabbit) | Overnight stay, one night | 52.00
    17 Feb | Pepper (rabbit) | Recovery feed, 6 sachets | 15.60
    20 Feb | Pepper (rabbit) | Nurse appointment, weight check | 18.00
    24 Feb | Olive (cat) | Blood test, senior panel | 97.75
    """
    rows = cells(listing)
    total = sum(float(row[3]) for row in rows)
    columns = [("day", "Date"), ("pet", "Patient"), ("item", "Treatment"), ("sum", "EUR")]
    html = """
    <style>.s{SHEET padding:90px 100px;font:23px/1.45 'EB Garamond'} table{width:100%;
    border-collapse:collapse;margin:40px 0} th{text-align:left;font-variant:small-caps;
    border-bottom:1px solid #395} td{padding:9px 0;border-bottom:1px dotted #999}
    .c-sum{text-align:right} .b{background:#edf6ee;padding:24px 30px;display:flex;
    justify-content:space-between} .g{display:grid;grid-template-columns:auto auto;column-gap:40px}
    </style><div class="s"><div style="text-align:center"><div style="font-size:50px;color:#264;">
    [[firm|Willowbank Animal Clinic]]</div>[[vets|Dr. Tomasz Birk · Dr. Aoife Lennard]]<br>
    [[street|9 Ferry Lane, Ballycarrow]] · [[phone-label|Emergencies]] [[phone|01 555 0199]]</div>
    <div style="display:flex;justify-content:space-between;margin-top:60px"><div>[[to|Ms Roisin
    Halloran]]<br>[[to-street|Rose Cottage, 3 Abbey Road]]<br>[[to-town|Ballycarrow]]</div>
    <div class="g">[[number-label|Bill number]] [[number|25-0318]] [[date-label|Bill date]]
    [[date|28 February 2025]] [[client-label|Client since]] [[client|2016]]</div></div>@grid@
    <div class="b"><div class="g">[[dog-label|Biscuit]] [[dog|385.20]] [[cat-label|Olive]]
    [[cat|200.50]] [[rabbit-label|Pepper]] [[rabbit|233.60]]</div><div class="g">
    [[sum-label|Sum of treatments]] [[sum|@sum@]] [[ins-label|Paid by Pawsure insurance]]
    [[ins|−250.00]] <b>[[total-label|Amount payable]]</b> <b>[[total|€@total@]]</b></div></div>
    <p>[[next-label|Next appointments:]] [[next-dog|Biscuit, 14 March, 09:20]]; [[next-cat|Olive,
    [[cat-when|booster on 5 March]], 16:40]].</p><p>[[how|Please settle within 14 days at reception
    or by transfer to Carrow Credit Union, [[iban-label|IBAN]] [[iban|IE00 CCUB 0000 7731 24]].]]
    [[plan|Bills over €300 can be paid in [[rates|three monthly instalments]]; ask
    [[desk|Fionnuala]] at the desk.]]</p><p>[[closed|We are closed on [[closed-day|Monday 17
    March]].]] [[claim|Your [[claim-label|insurer's claim number]] is
    [[claim-no|PS-558-1402]].]]</p>
    <p style="font-size:17px;color:#555">[[small|Prices include VAT at 13.5 %, on food and
    supplements 23 %. Unused medicines may be handed in for safe disposal. Repeat prescriptions need
    [[notice|48 hours]] notice.]]</p></div>"""
    html = html.replace("SHEET", SHEET)
    parts = {"sum": money(total), "total": money(total - 250)}
    grid = table(columns, rows)
    return Page("invoice-4", fill(html, grid=grid, **parts), 1240, 1754, skew=-2.2, colours=16)


def cloud() -> Page:
    """An invoice for rented computers on a dark screen."""
    listing = """
    compute-xl · Frankfurt | 744 h | 0.3120
    compute-m · Frankfurt | 1,488 h | 0.0780
    compute-m · Toronto | 412 h | 0.0810
    Managed Postgres, 4 vCPU | 744 h | 0.2450
    Object storage, standard | 8,210 GB | 0.0210
    Object storage, archive | 31,400 GB | 0.0036
    Block volumes, SSD | 2,048 GB | 0.0950
    Outgoing traffic | 5,912 GB | 0.0450
    Load balancer | 744 h | 0.0252
    Container registry | 140 GB | 0.1000
    Domain names | 6 | 1.2500
    E-mail delivery, per 1,000 | 88 | 0.1200
    Support plan "Business" | 1 | 149.0000
    """
    rows, net = [], 0.0
    for item, used, price in cells(listing):
        amount = round(float(used.split()[0].replace(",", "")) * float(price), 2)
        net += amount
        rows.append([item, used, price, money(amount)])
    columns = [("item", "Service"), ("used", "Usage"), ("price", "Unit, USD"), ("sum", "USD")]
    html = """
    <style>.s{width:1600px;height:1000px;background:#10141c;color:#d6deeb;font:17px/1.4 Roboto;
    display:flex} .n{width:230px;background:#171d29;padding:26px 24px;box-sizing:border-box;
    line-height:2.5} .m{flex:1;padding:28px 40px} table{width:100%;border-collapse:collapse}
    th{text-align:left;color:#7f8ea3;font-weight:400;border-bottom:1px solid #2c3648;padding:8px}
    td{padding:9px 8px;border-bottom:1px solid #1e2636} .c-used,.c-price,.c-sum{text-align:right}
    .g{display:grid;grid-template-columns:auto auto;row-gap:9px;column-gap:20px}
    .p{width:330px;padding:28px 30px;background:#141a25} .p i{color:#7f8ea3;font-style:normal}
    </style><div class="s"><div class="n"><b style="font-size:24px;color:#5ec8a8">[[firm|nimbury]]
    </b><br>[[nav1|Overview]]<br>[[nav2|Machines]]<br>[[nav3|Storage]]<br>[[nav4|Network]]<br>
    <span style="color:#5ec8a8">[[nav5|Billing]]</span><br>[[nav6|Members (14)]]<br>[[nav7|API
    keys]]<br>[[nav8|Audit log]]<br><br><span style="font-size:14px">[[user|lena@tidewerk.example]]
    <br>[[role|Finance admin]]</span></div><div class="m"><div style="font-size:28px">
    [[title|Invoice NB-2025-09-3387]]</div><div style="color:#7f8ea3;margin:6px 0 18px">
    [[period-label|Billing period]] [[period|1–30 September 2025]] · [[status-label|Status]]
    <span style="color:#f3b562">[[status|Open]]</span> · [[project-label|Project]]
    [[project|tidewerk-prod]]</div>@grid@</div><div class="p"><div class="g">
    <i>[[net-label|Subtotal]]</i> [[net|@net@]] <i>[[credit-label|Start-up credit]]</i>
    [[credit|−200.00]] <i>[[sla-label|Outage refund, 11 Sep]]</i> [[sla|−18.75]]
    <i>[[tax-label|VAT, reverse charge]]</i> [[tax|0.00]] <b>[[total-label|Due]]</b>
    <b style="font-size:22px">[[total|USD @total@]]</b></div><hr style="border-color:#2c3648">
    <div class="g"><i>[[due-label|Charge date]]</i> [[due|10 Oct 2025]]
    <i>[[card-label|Card]]</i> [[card|•••• 7093]] <i>[[exp-label|Expires]]</i> [[exp|11/27]]
    <i>[[backup-label|Backup card]]</i> [[backup|none]] <i>[[po-label|PO number]]</i>
    [[po|TW-6100]] <i>[[taxid-label|Customer tax ID]]</i> [[taxid|DE000771234]]</div>
    <hr style="border-color:#2c3648"><div style="color:#f3b562">[[warn|Spending alert: you passed
    80 % of your monthly limit of [[limit|USD 1,500]] on [[warn-day|23 September]].]]</div><br>
    <i>[[prev-label|Earlier invoices]]</i><div class="g" style="margin-top:8px">[[aug-label|August]]
    [[aug|1,104.18]] [[jul-label|July]] [[jul|987.40]] [[jun-label|June]] [[jun|1,012.66]]
    [[may-label|May]] [[may|948.02]] [[apr-label|April]] [[apr|1,131.75]]</div><br><i>[[help|Wrong
    amount? Open a ticket within [[help-days|60 days]].]]</i></div></div>"""
    parts = {"net": money(net), "total": money(net - 218.75), "grid": table(columns, rows)}
    return Page("invoice-5", fill(html, **parts), 1600, 1000)


def garage() -> Page:
    """A French garage: parts, labour and a note about the next service."""
    rows, net = priced(
        """
        Main-d'œuvre mécanique T2 | 3.5 | 68.00
        Main-d'œuvre diagnostic électronique | 0.5 | 75.00
        Kit de distribution avec pompe à eau | 1 | 286.40
        Courroie d'accessoires | 1 | 34.90
        Liquide de refroidissement, bidon 5 l | 2 | 19.75
        Plaquettes de frein avant (jeu) | 1 | 58.30
        Disques de frein avant | 2 | 63.15
        Huile moteur 5W-30, litre | 5 | 11.20
        Filtre à huile | 1 | 12.60
        Filtre d'habitacle au charbon | 1 | 24.80
        Balais d'essuie-glace (paire) | 1 | 29.90
        Traitement des déchets | 1 | 4.50
        """,
        "fr",
    )
    columns = [("item", "Désignation"), ("qty", "Qté"), ("price", "P.U. HT"), ("sum", "Total HT")]
    html = """
    <style>.s{SHEET padding:80px 90px;font:21px/1.45 Cabin} table{width:100%;border:2px solid #933;
    border-collapse:collapse;margin:26px 0} th{background:#f6e3de;padding:9px;border:1px solid #933}
    td{padding:9px 12px;border-left:1px solid #933;border-right:1px solid #933}
    .c-qty,.c-price,.c-sum{text-align:right} .b{border:1px solid #933;padding:16px 20px}
    .g{display:grid;grid-template-columns:auto auto;column-gap:26px}</style><div class="s">
    <div style="display:flex;justify-content:space-between"><div><div style="font:bold 46px Cabin;
    color:#933">[[firm|Garage Vautrel]]</div>[[street|14, route des Étangs]]<br>[[town|00290
    Saint-Aubry]]<br>[[phone-label|Tél.]] [[phone|01 55 50 07 31]]<br>[[hours|Lun–ven 8 h–18 h 30,
    sam 9 h–12 h]]</div><div class="b"><b>[[to|Mme Clémence Duroy]]</b><br>[[to-street|3, impasse du
    Lavoir]]<br>[[to-town|00295 Meurcy]]</div></div><h2>[[title|FACTURE]] [[number|F25-1907]]</h2>
    <div class="b" style="display:flex;justify-content:space-between"><div class="g">
    [[date-label|Date]] [[date|6 juin 2025]] [[in-label|Entrée atelier]] [[in|4 juin 2025]]
    [[mech-label|Mécanicien]] [[mech|Yanis B.]]</div><div class="g">[[car-label|Véhicule]]
    [[car|Break diesel 2017]] [[plate-label|Immatriculation]] [[plate|ZZ-418-QK]]
    [[km-label|Kilométrage]] [[km|148 362]]</div></div>@grid@<div style="display:flex;
    justify-content:space-between"><div class="b" style="width:520px">[[next-label|À prévoir :]]
    [[next|pneus arrière (2,1 mm)]], [[next2|amortisseurs avant]].<br>[[revision-label|Prochaine
    révision :]] [[revision|163 000 km ou juin 2026]].<br>[[ct-label|Contrôle technique avant le]]
    [[ct|19 septembre 2025]]</div><div class="g" style="font-size:23px">[[net-label|Total HT]]
    [[net|@net@ €]] [[disc-label|Remise fidélité]] [[disc|−25,00 €]] [[vat-label|TVA 20 %]]
    [[vat|@vat@ €]] <b>[[total-label|Net à payer]]</b> <b>[[total|@total@ €]]</b></div></div>
    <p>[[paid-label|Règlement :]] [[paid|carte bancaire]], [[paid-date|le 6 juin 2025]].
    [[warranty|[[warranty-label|Pièces garanties]] [[warranty-months|24 mois]], main-d'œuvre
    [[warranty-work|12 mois]].]] [[old|Les pièces remplacées sont tenues à votre disposition
    pendant [[old-days|huit jours]].]]</p><p style="font-size:15px;color:#666">[[legal|SARL au
    capital de [[capital|8 000 €]] · RCS Saint-Aubry 000 418 772 · TVA FR00 000418772 · En cas de
    litige : médiateur de l'automobile, 00100 Vernay.]] [[fee|Indemnité forfaitaire pour frais de
    recouvrement entre professionnels : [[fee-sum|40 €]].]]</p></div>"""
    vat = round((net - 25) * 0.2, 2)
    parts = {
        "net": money(net, "fr"),
        "vat": money(vat, "fr"),
        "total": money(net - 25 + vat, "fr"),
        "grid": table(columns, rows),
    }
    html = fill(html.replace("SHEET", SHEET), **parts)
    return Page("invoice-6", html, 1240, 1754, "fr", skew=0.8, blur=0.7, noise=2, jpeg=60)


def export() -> Page:
    """A commercial invoice for the customs: many columns, small print."""
    listing = """
    1 | 6912.00 | Stoneware dinner plate 27 cm, grey | PT | 40 | 22.4 | 480 | 3.85
    2 | 6912.00 | Stoneware side plate 20 cm, grey | PT | 30 | 14.1 | 480 | 2.60
    3 | 6912.00 | Stoneware bowl 16 cm, sand | PT | 36 | 17.8 | 432 | 3.10
    4 | 6912.00 | Espresso cup with saucer, sand | PT | 25 | 11.6 | 600 | 2.95
    5 | 6911.10 | Porcelain teapot 1.2 l, white | PT | 18 | 12.9 | 144 | 11.40
    6 | 6911.10 | Porcelain milk jug, white | PT | 12 | 8.2 | 192 | 4.75
    7 | 7013.37 | Water glass 33 cl, recycled | ES | 50 | 19.5 | 900 | 1.42
    8 | 7013.28 | Wine glass 45 cl | ES | 48 | 15.0 | 576 | 2.18
    9 | 7013.49 | Glass carafe 1 l with cork | ES | 20 | 13.7 | 160 | 5.90
    10 | 4419.90 | Olive wood board 40 cm | TN | 14 | 16.3 | 112 | 9.80
    11 | 4419.90 | Olive wood salad servers | TN | 10 | 6.4 | 240 | 3.65
    12 | 6302.51 | Linen tablecloth 150 x 250 cm | LT | 16 | 10.8 | 128 | 18.50
    13 | 6302.51 | Linen napkin, set of 4 | LT | 12 | 7.7 | 288 | 8.25
    14 | 6304.92 | Cotton table runner, striped | IN | 8 | 5.9 | 160 | 5.40
    15 | 8215.99 | Steel cutlery set, 24 pieces | PT | 22 | 20.6 | 132 | 27.30
    16 | 8211.91 | Table knife, serrated, set of 6 | PT | 9 | 7.2 | 108 | 12.10
    17 | 3406.00 | Beeswax candle 25 cm, box of 4 | PT | 15 | 9.1 | 300 | 6.15
    18 | 4602.19 | Seagrass bread basket | PT | 11 | 4.3 | 220 | 3.20
    19 | 6913.90 | Earthenware vase, blue glaze | PT | 13 | 11.5 | 104 | 7.95
    20 | 4823.69 | Paper napkins printed, pack of 20 | PT | 17 | 5.2 | 850 | 0.88
    """
    rows, net = priced(listing)
    keys = ["no", "hs", "item", "origin", "cartons", "weight", "qty", "price", "sum"]
    titles = [
        "No.",
        "HS code",
        "Goods",
        "Origin",
        "Cartons",
        "kg/ctn",
        "Pieces",
        "EUR",
        "Value EUR",
    ]
    html = """
    <style>.s{width:1754px;height:1240px;box-sizing:border-box;padding:50px 60px;background:#fff;
    font:17px/1.35 Caladea} table{width:100%;border-collapse:collapse;margin:16px 0;font-size:17px}
    th,td{border:1px solid #444;padding:3px 7px;text-align:left} th{background:#ddd}
    .c-cartons,.c-weight,.c-qty,.c-price,.c-sum{text-align:right} .b{display:grid;
    grid-template-columns:repeat(4,1fr);border:1px solid #444} .b div{padding:8px 12px;
    border-right:1px solid #444} .b i{font-size:13px;display:block}</style><div class="s">
    <div style="display:flex;justify-content:space-between;font-size:30px"><b>[[firm|Mesa Clara,
    Lda.]]</b><span>[[title|COMMERCIAL INVOICE]]</span></div><div class="b"><div><i>[[from-label|
    Exporter]]</i>[[from|Mesa Clara, Lda.]]<br>[[from-street|Rua do Forno 210]]<br>[[from-town|
    0450 Vilar de Moinhos]]</div><div><i>[[to-label|Consignee]]</i>[[to|Tablemakers Inc.]]<br>
    [[to-street|2200 Pier Road, Dock 9]]<br>[[to-town|Port Ellery, OR]]</div><div>
    <i>[[notify-label|Notify party]]</i>[[notify|Brightwater Customs Brokers]]<br>
    [[notify-phone|+1 555 0134]]</div><div><i>[[number-label|Invoice / date]]</i>[[number|
    MC 0925/118]]<br>[[date|9 September 2025]]<br></div><div><i>[[vessel-label|Vessel]]</i>
    [[vessel|MV Calder Star, voyage 044W]]</div><div><i>[[load-label|Port of loading]]</i>
    [[load|Leixal]]</div><div><i>[[dis-label|Port of discharge]]</i>[[dis|Port Ellery]]</div><div>
    <i>[[terms-label|Terms of delivery]]</i>[[terms|CIF Port Ellery]]</div><div>
    <i>[[box-label|Container / seal]]</i>[[box|MCLU 449021-7]] / [[seal|PT88214]]</div><div>
    <i>[[bl-label|Bill of lading]]</i>[[bl|CSL-70914]]</div><div><i>[[lc-label|Letter of credit]]
    </i>[[lc|LC 25/0077, Harbor State Bank]]</div><div><i>[[etd-label|Sailing / arrival]]</i>
    [[etd|14 Sept]] / [[eta|2 October 2025]]</div></div>@grid@<div style="display:flex;
    justify-content:space-between"><div style="width:900px;font-size:15px">[[decl|We certify that
    this invoice is true and correct and that the goods are of the origin shown.]] [[pack|All wooden
    items were heat-treated on [[heat|28 August 2025]] under certificate [[cert|PT-HT-3391]].]]
    [[damage|Claims for breakage must reach us within [[claim-days|ten working days]] of unloading,
    with photographs.]]<br>[[sign|Beatriz Falcão Nunes]], [[sign-role|export manager]]</div>
    <div style="display:grid;grid-template-columns:auto auto;column-gap:30px">
    [[ctn-label|Total cartons]] [[ctn|426]] [[freight-label|Sea freight]] [[freight|1,940.00]]
    [[ins-label|Insurance]] [[ins|118.60]] <b>[[total-label|Total CIF EUR]]</b>
    <b>[[total|@total@]]</b></div></div></div>"""
    parts = {"total": money(net + 1940 + 118.6)}
    grid = table(list(zip(keys, titles, strict=True)), rows)
    return Page("invoice-7", fill(html, grid=grid, **parts), 1754, 1240, colours=16)


def hotel() -> Page:
    """A hotel's folio: charges and payments of two rooms, day by day."""
    rows = cells(
        """
        02 Nov | 70412 | Deposit by bank transfer, thank you | 412 | | 300.00
        02 Nov | 70455 | Room, double, lake side | 412 | 189.00 |
        02 Nov | 70456 | Room, single, courtyard | 309 | 118.00 |
        02 Nov | 70461 | Brasserie, dinner, 3 covers | 412 | 126.40 |
        02 Nov | 70463 | Visitors' levy, 3 persons | 412 | 7.50 |
        03 Nov | 70502 | Breakfast, packed | 309 | 11.00 |
        03 Nov | 70517 | Boat house, rowing boat 2 h | 412 | 34.00 |
        03 Nov | 70530 | Laundry, 4 shirts, express | 309 | 27.60 |
        03 Nov | 70544 | Room, double, lake side | 412 | 189.00 |
        03 Nov | 70545 | Room, single, courtyard | 309 | 118.00 |
        03 Nov | 70551 | Minibar | 309 | 9.20 |
        03 Nov | 70552 | Visitors' levy, 3 persons | 412 | 7.50 |
        04 Nov | 70588 | Garage, one car, per night | 412 | 16.00 |
        04 Nov | 70590 | Seminar room Heron, half day | 309 | 145.00 |
        04 Nov | 70591 | Coffee and cake, 11 persons | 309 | 104.50 |
        04 Nov | 70604 | Thermal bath, massage 50 min | 412 | 82.00 |
        04 Nov | 70611 | Room, double, lake side | 412 | 189.00 |
        04 Nov | 70612 | Room, single, courtyard | 309 | 118.00 |
        04 Nov | 70619 | Night porter's sandwiches | 309 | 17.80 |
        04 Nov | 70620 | Visitors' levy, 3 persons | 412 | 7.50 |
        05 Nov | 70633 | Broken lamp shade | 309 | 48.00 |
        05 Nov | 70640 | Allowance, noise from lift works | 412 | | 60.00
        05 Nov | 70641 | Taxi to Seabright station | 412 | 38.00 |
        05 Nov | 70644 | Gift voucher no. 0091 | 412 | | 150.00
        """
    )
    sums = [sum(float(row[n] or 0) for row in rows) for n in (4, 5)]
    titles = ["Date", "Voucher", "Description", "Room", "Charges EUR", "Credits EUR"]
    grid = table(list(zip(["day", "no", "item", "room", "out", "in"], titles, strict=True)), rows)
    html = """
    <style>.s{width:1160px;height:1400px;box-sizing:border-box;background:#fdfcf8;padding:56px 70px;
    font:19px/1.36 Vollkorn;color:#2a2a2a} h1{font:600 46px Vollkorn;margin:0;text-align:center;
    color:#7a5c1e} table{width:100%;border-collapse:collapse;margin:18px 0;font-size:18px}
    th{font-weight:600;border-bottom:2px solid #7a5c1e;text-align:left} td{padding:2.5px 4px}
    .c-out,.c-in,.c-room{text-align:right} .k{display:grid;grid-template-columns:repeat(3,auto 1fr);
    gap:2px 14px;border:1px solid #c9b37e;padding:12px 18px;font-size:17px} .k b{font-weight:600}
    .m{display:flex;justify-content:space-between;gap:40px} .t{display:grid;width:390px;
    grid-template-columns:1fr auto;text-align:right;gap:3px 20px} p span{white-space:nowrap}
    </style><div class="s"><h1>[[firm|Hotel Weissenried]]</h1><div style="text-align:center;
    margin-bottom:22px">[[street|Promenade 3, 00631 Seewil]] · [[tel|+00 555 63 10 10]]</div><div
    class="m"><div>[[to|Dr Philippa Marchetti]]<br>[[to-firm|Institute for Inland Waters]]<br>
    [[to-street|90 Kiln Road]]<br>[[to-town|Aldport AP1 3TT]]</div><div style="font-size:34px">
    [[title|Guest folio]] [[number|F-25/3381]]</div></div><div class="k" style="margin-top:16px">
    <b>[[in-label|Arrival]]</b>[[in|2 November 2025, 15:20]]<b>[[out-label|Departure]]</b>[[out|5
    November 2025]]<b>[[nights-label|Nights]]</b>[[nights|3]]<b>[[rooms-label|Rooms]]</b>[[rooms|412
    and 309]]<b>[[pers-label|Persons]]</b>[[pers|2 + 1]]<b>[[rate-label|Rate plan]]</b>[[rate|Lake
    Week, breakfast included]]<b>[[book-label|Booked through]]</b>[[book|Institute portal]]
    <b>[[plate-label|Car]]</b>[[plate|AP 77 KRL]]<b>[[clerk-label|Checked out by]]</b>
    [[clerk|Severin]]</div>@grid@<div class="m"><div style="font-size:16px;width:560px">
    <b>[[tax-label|Included VAT]]</b><br>[[tax1-label|Lodging 3.8 %]] [[tax1|€33.72]]<br>
    [[tax2-label|Food and drink 8.1 %]] [[tax2|€20.15]]<br>[[tax3-label|Other services 8.1 %]]
    [[tax3|€29.27]]</div><div class="t">[[charge-label|Total charges]] [[charge|@a@]]
    [[credit-label|Total credits]] [[credit|−@b@]] <b>[[total-label|Balance due]]</b>
    <b>[[total|@c@]]</b>[[card-label|Debited to card]] [[card|•••• 5520]]</div></div><p
    style="font-size:16px">[[lost-word|Forgotten items]] are kept for [[lost|three months]] and
    posted for
    [[post|€12]]. Late check-out until [[late|16:00]] can be had for [[late-sum|€45]], if the room
    is free. The [[shuttle-word|hotel bus]] leaves for the station at [[shuttle|08:10, 10:40 and
    17:25]]. Stay five nights in winter and [[winter|the fifth is ours]].</p></div>"""
    parts = dict(zip("abc", map(money, (*sums, sums[0] - sums[1])), strict=True))
    return Page("invoice-8", fill(html, grid=grid, **parts), 1160, 1400)


def party() -> Page:
    """A Spanish firm that hires out tents, tables and sound: days and discounts; a crooked scan."""
    listing = cells(
        """
        C-118 | Carpa blanca 10 × 15 m, con laterales | 1 | 3 | 310 | 0
        C-120 | Carpa pagoda 5 × 5 m | 4 | 3 | 72 | 10
        C-402 | Tarima de madera, m² | 150 | 3 | 1.9 | 15
        M-010 | Mesa redonda Ø 180 cm | 18 | 2 | 6.5 | 10
        M-022 | Mesa alta de cóctel | 12 | 2 | 5.2 | 10
        M-031 | Silla plegable blanca | 170 | 2 | 1.35 | 20
        M-055 | Trona infantil | 6 | 2 | 4 | 0
        V-201 | Mantel redondo, color piedra | 18 | 2 | 5.9 | 0
        V-207 | Servilleta de lino | 180 | 2 | 0.65 | 0
        K-300 | Cubertería completa, 10 servicios | 17 | 2 | 8.4 | 5
        K-311 | Copa de cava, caja de 36 | 5 | 2 | 11.7 | 5
        K-350 | Cámara frigorífica sobre remolque | 1 | 3 | 95 | 0
        S-601 | Equipo de sonido 2 × 800 W | 1 | 2 | 140 | 0
        S-615 | Micrófono inalámbrico | 3 | 2 | 18 | 0
        L-702 | Guirnalda de luces cálidas, 20 m | 9 | 3 | 7.8 | 10
        L-720 | Generador insonorizado 30 kVA | 1 | 3 | 128 | 0
        W-800 | Aseo portátil con lavabo | 3 | 3 | 46 | 0
        T-900 | Transporte, montaje y desmontaje | 1 | 1 | 480 | 0
        """
    )
    rows, net = [], 0.0
    for number, (code, item, *rest) in enumerate(listing):
        count, days, price, off = (float(cell) for cell in rest)
        amount = round(count * days * price * (1 - off / 100), 2)
        net += amount
        less = f"{off:.0f} %" if off else ""
        front = [number + 1, code, item, rest[0], rest[1]]
        rows.append([*front, money(price, "es"), less, money(amount, "es")])
    keys = ["no", "code", "item", "qty", "days", "price", "off", "sum"]
    titles = ["", "Ref.", "Concepto", "Uds.", "Días", "€/día", "Dto.", "Importe"]
    html = """
    <style>.s{SHEET padding:90px 100px;font:18px/1.5 'Noto Sans'} table{width:100%;margin:26px 0;
    border-collapse:collapse} th{background:#c8553d;color:#fff;padding:5px 7px;text-align:left}
    td{padding:4px 7px;border-bottom:1px dotted #999} .c-qty,.c-days,.c-price,.c-off,.c-sum{
    text-align:right} .r{display:flex;justify-content:space-between} .t{display:grid;width:400px;
    grid-template-columns:1fr auto;row-gap:4px;margin-left:auto} .b{background:#faeee9;padding:14px
    20px;line-height:1.6} p span{white-space:nowrap}</style><div class="s"><div class="r"><div>
    <b style="font-size:40px;color:#c8553d">[[firm|Fiestas Almazara, S. L.]]</b><br>[[firm-street|
    Polígono El Romeral, nave 14 · 00877 Villar del Soto]]<br>[[firm-nif-label|NIF]]
    [[firm-nif|B00417726]] · [[tel-label|Tel.]] [[tel|955 550 661]]</div><div style="text-align:
    right"><b style="font-size:30px">[[title|FACTURA]]</b><br>[[number|A-2025/0614]]<br>[[date|23 de
    junio de 2025]]</div></div><div class="r" style="margin-top:30px"><div class="b">[[to-label|
    Cliente]]<br><b>[[to|Amparo Quiroga Llanes]]</b><br>[[to-street|Camino de la Noria, 8]]<br>
    [[to-town|00870 Montalera]]<br>[[to-nif-label|DNI]] [[to-nif|00441877-K]]</div><div class="b">
    [[what-label|Acto]] [[what|boda, 168 invitados]]<br>[[where-label|Lugar]] [[where|Finca Los
    Alcornoques]]<br>[[up-label|Montaje]] [[up|jueves 19 de junio, 9:00]]<br>[[down-label|Recogida]]
    [[down|domingo 22 de junio, 11:00]]<br>[[boss-label|Encargado]] [[boss|Nicanor Bueno]]</div>
    </div>@grid@<div class="t">[[net-label|Base imponible]] [[net|@a@ €]] [[vat-label|IVA 21 %]]
    [[vat|@b@ €]] [[sum-label|Total factura]] [[sum|@c@ €]] [[paid-label|Señal pagada el 3 de
    marzo]] [[paid|−1.200,00 €]] <b>[[total-label|Pendiente]]</b> <b>[[total|@d@ €]]</b></div>
    <p><b>[[dep-label|Fianza]]</b> [[dep|600,00 €]], que se devuelve en [[dep-days|diez días]] si no
    falta nada. Cada [[glass-word|copa rota]] se cobra a [[glass|2,80 €]], cada silla a
    [[chair|24,00 €]]. Los
    manteles se entregan sin lavar; las [[wax|manchas de cera]] tienen un recargo de [[wax-sum|9,50
    €]]. Páguese por transferencia antes del [[due|7 de julio de 2025]] a la cuenta [[iban|ES00 7714
    0025 8800 4417]].</p><p style="font-size:16px">En caso de viento de más de [[wind|70 km/h]] la
    carpa grande se cierra sin derecho a devolución. Seguro de responsabilidad civil incluido hasta
    [[ins|300.000 €]].</p></div>"""
    gross = round(net * 1.21, 2)
    sums = (net, gross - net, gross, gross - 1200)
    parts = {key: money(value, "es") for key, value in zip("abcd", sums, strict=True)}
    grid = table(list(zip(keys, titles, strict=True)), rows)
    html = fill(html.replace("SHEET", SHEET), grid=grid, **parts)
    return Page("invoice-9", html, 1240, 1754, "es", skew=-1.7, blur=0.6, noise=2, jpeg=60)


def market() -> Page:
    """A fruit wholesaler's invoice from a needle printer, wide and dense."""
    listing = cells(
        """
        1107 | Apples Braeside, loose | Kentfold | I | 14 | 12.0 | 1.18
        1112 | Apples Russet, tray | Kentfold | I | 6 | 7.5 | 1.64
        1140 | Pears Conway | Holmark | II | 8 | 10.0 | 1.05
        1203 | Plums Victoria | Kentfold | I | 10 | 5.0 | 2.10
        1255 | Grapes white seedless | Valdoro | I | 12 | 8.2 | 2.46
        1301 | Oranges juice | Torrealba | II | 20 | 15.0 | 0.82
        1304 | Lemons unwaxed | Torrealba | I | 9 | 6.0 | 1.77
        1322 | Clementines leafy | Torrealba | Extra | 11 | 8.0 | 1.93
        1410 | Bananas | Costa Lira | I | 16 | 18.1 | 0.97
        2008 | Potatoes Maris, washed | Fenholm | II | 25 | 20.0 | 0.44
        2011 | Potatoes new, soil | Holmark | I | 7 | 12.5 | 1.12
        2034 | Onions brown 60/80 | Fenholm | II | 18 | 20.0 | 0.39
        2035 | Onions red | Fenholm | II | 6 | 10.0 | 0.71
        2050 | Shallots banana | Lanvézec | I | 3 | 5.0 | 2.85
        2102 | Carrots bunched | Fenholm | I | 15 | 6.0 | 1.36
        2120 | Parsnips | Fenholm | II | 5 | 10.0 | 0.92
        2144 | Beetroot cooked, vac | Holmark | I | 4 | 6.0 | 1.58
        2207 | Tomatoes vine | Valdoro | I | 13 | 5.0 | 2.22
        2210 | Tomatoes plum | Valdoro | II | 9 | 6.0 | 1.49
        2231 | Peppers mixed | Valdoro | I | 8 | 5.0 | 2.67
        2262 | Courgettes | Kentfold | I | 7 | 5.0 | 1.71
        2301 | Spinach baby, washed | Kentfold | I | 10 | 1.5 | 5.40
        2318 | Rocket wild | Kentfold | I | 6 | 1.0 | 6.25
        2340 | Mushrooms chestnut | Moorside | I | 12 | 2.5 | 3.30
        2377 | Garlic dried | Lanvézec | I | 2 | 5.0 | 4.15
        2409 | Pumpkin Hokkaido | Holmark | II | 5 | 12.0 | 0.88
        """
    )
    rows, net, weight = [], 0.0, 0.0
    for *front, count, each, price in listing:
        kilos = float(count) * float(each)
        net, weight = net + round(kilos * float(price), 2), weight + kilos
        rows.append([*front, count, each, f"{kilos:.1f}", price, money(kilos * float(price))])
    keys = ["code", "item", "from", "cls", "qty", "each", "kg", "price", "sum"]
    titles = [
        "CODE",
        "PRODUCT",
        "ORIGIN",
        "CLASS",
        "CASES",
        "KG/CASE",
        "KG NET",
        "PER KG",
        "AMOUNT",
    ]
    html = """
    <style>.s{width:1460px;height:990px;box-sizing:border-box;padding:34px 64px;font:18px/1.32
    Inconsolata;color:#223;background:repeating-linear-gradient(#fff 0 48px,#e9f3ea 48px 96px);
    border:solid #fff;border-width:0 26px} table{width:100%;border-collapse:collapse;margin:12px 0}
    th{border-top:1px dashed #223;border-bottom:1px dashed #223;text-align:left;font-weight:400}
    .c-qty,.c-each,.c-kg,.c-price,.c-sum{text-align:right} .c-cls{padding-left:14px}
    .r{display:flex;justify-content:space-between} .e{text-align:right}</style><div class="s"><div
    class="r"><div>[[firm|PENHALLOW & SONS, FRUIT AND VEGETABLES]]<br>[[street|STANDS 22-25, NEW
    MARKET HALL, POTTERTON PT2 6MH]]<br>[[tel-label|ORDERS BEFORE 22:00]] [[tel|01555 882
    640]]</div><div>[[to-label|SOLD TO]] [[to|THE OAKEN LADLE, 5 BELL YARD]]<br>[[drop-label|DROP
    AT]] [[drop|KITCHEN DOOR, REAR LANE]]<br>[[win-label|WINDOW]] [[win|05:30 - 06:15]]</div><div
    class="e">[[number-label|INVOICE]] [[number|118 402]]<br>[[date-label|DATE]] [[date|09 OCT
    2025]]<br>[[page-label|PAGE]] [[page|1 OF 1]]</div></div>@grid@<div class="r"
    style="border-top:1px dashed #223;padding-top:8px"><div>[[van-label|VAN]] [[van|4]]
    &nbsp; [[driver-label|DRIVER]] [[driver|LUBOMIR]]<br>[[crate-label|GREEN CRATES OUT]]
    [[crate|41]]<br>[[back-label|CRATES RETURNED]] [[back|36]]<br>[[cratefee-label|DEPOSIT PER
    CRATE]] [[cratefee|3.50]]</div><div>[[short-label|NOT DELIVERED TODAY:]] [[short|FIGS, ROMANESCO
    (RAIN)]]<br>[[claim-label|CLAIMS FOR QUALITY]] [[claim|BY 11:00 ON THE DAY]]<br>[[acc-label|
    ACCOUNT]] [[acc|OAK07]] &nbsp; [[limit-label|CREDIT LIMIT]] [[limit|4,000.00]]<br>[[old-label|
    OVERDUE FROM SEPTEMBER]] [[old|612.35]]</div><div class="e">[[kg-label|TOTAL KG]] [[kg|@kg@]]
    <br>[[net-label|GOODS, ZERO RATED]] [[net|@net@]]<br>[[crates-label|CRATE BALANCE 5 X 3.50]]
    [[crates|17.50]]<br>[[total-label|TO PAY GBP]] [[total|@total@]]</div></div></div>"""
    parts = {"kg": f"{weight:,.1f}", "net": money(net), "total": money(net + 17.5)}
    grid = table(list(zip(keys, titles, strict=True)), rows)
    html = fill(html.replace(" & ", " &amp; "), grid=grid, **parts)
    return Page("invoice-10", html, 1460, 990, colours=24)


def pages() -> list[Page]:
    """All invoices."""
    return [
        plumber(),
        agency(),
        office(),
        till(),
        vet(),
        cloud(),
        garage(),
        export(),
        hotel(),
        party(),
        market(),
    ]
