"""Statements of banks, cards, a broker, and bills for power, telephone and gas."""

from page import Page, cells, fill, money, table

A4 = "width:1240px;height:1754px;box-sizing:border-box;background:#fff;position:relative;"


def running(listing: str, start: float, language: str = "en") -> tuple[list[list[object]], float]:
    """Rows of date, text and signed amount, as date, text, out, in, balance."""
    rows, balance = [], start
    for *front, amount in cells(listing):
        change = float(amount)
        balance = round(balance + change, 2)
        sides = ["", money(change, language)] if change > 0 else [money(-change, language), ""]
        rows.append([*front, *sides, money(balance, language)])
    return rows, balance


def current() -> Page:
    """A British current account, a month on a page."""
    rows, balance = running(
        """
        01 Oct | Standing order  Hollins Lettings, rent | -985.00
        01 Oct | Card payment  Brindle Grocers | -42.17
        02 Oct | Direct debit  Severnside Water | -31.60
        02 Oct | Card payment  Tramlink tickets | -18.00
        03 Oct | Contactless  Olive Branch Deli | -9.45
        03 Oct | Transfer from  J. Mortlake | 120.00
        04 Oct | Card payment  Northgate Cinema | -23.80
        06 Oct | Cash withdrawal  High Street, Aldport | -60.00
        06 Oct | Contactless  Brindle Grocers | -27.93
        07 Oct | Direct debit  Lumen Energy | -88.00
        08 Oct | Card payment  Pagecroft Books | -34.49
        09 Oct | Direct debit  Council tax, Aldport Borough | -142.00
        10 Oct | Contactless  Harbour Bakery | -6.20
        11 Oct | Card payment  Wren & Daughter Opticians | -165.00
        13 Oct | Contactless  Brindle Grocers | -51.38
        14 Oct | Refund  Pagecroft Books | 12.99
        15 Oct | Direct debit  Swiftnet Broadband | -29.00
        16 Oct | Card payment  Ferndale Garage, MOT | -54.85
        17 Oct | Contactless  Kebab Corner | -13.70
        18 Oct | Cheque paid in  000214 | 75.00
        20 Oct | Card payment  Brindle Grocers | -63.02
        21 Oct | Direct debit  Aldport Leisure, gym | -36.50
        22 Oct | Card payment  Railway ticket office | -47.10
        24 Oct | Contactless  Harbour Bakery | -4.85
        25 Oct | Transfer to  Savings 4471 | -200.00
        27 Oct | Card payment  Pet Pantry | -38.25
        28 Oct | Salary  Quillon Surveyors | 2164.73
        29 Oct | Direct debit  Life cover, Anchor Mutual | -17.92
        30 Oct | Card payment  Brindle Grocers | -44.66
        31 Oct | Interest paid | 1.08
        """,
        1312.44,
    )
    columns = [("day", "Date"), ("item", "Details"), ("out", "Paid out"), ("in", "Paid in")]
    html = """
    <style>.s{A4 padding:60px 80px;font:18px/1.4 Roboto} table{width:100%;border-collapse:collapse;
    margin-top:22px} th{text-align:left;background:#e4ecf7;padding:7px} td{padding:5px 7px;
    border-bottom:1px solid #e3e6ea} .c-out,.c-in,.c-bal{text-align:right} .r{display:flex;
    justify-content:space-between} .g{display:grid;grid-template-columns:auto auto;
    column-gap:30px;background:#f3f6fb;padding:16px 20px}</style><div class="s"><div class="r"><div
    style="font:900 40px Roboto;color:#1d3c78">[[bank|Tidewater Bank]]</div><div
    style="text-align:right">[[branch-label|Your branch]] [[branch|12 Corn Market, Aldport]]<br>
    [[help-label|Lost card, day and night]] [[help|0555 300 911]]<br>[[phone-label|Telephone
    banking]] [[phone|0555 300 400]]</div></div><div class="r" style="margin-top:40px"><div>
    [[name|Miss Freya Anand]]<br>[[street|Flat 6, 20 Weir Terrace]]<br>[[town|Aldport AP2 7XN]]
    <div style="margin-top:30px;font:500 30px Roboto">[[title|Current account statement]]</div>
    [[period|1 October 2025 to 31 October 2025]]</div><div class="g">
    [[start-label|Opening balance]] [[start|£1,312.44]] [[in-label|Money in]] [[in|£2,373.80]]
    [[out-label|Money out]] [[out|£@spent@]] <b>[[end-label|Closing balance]]</b>
    <b>[[end|£@balance@]]</b> [[od-label|Arranged overdraft]] [[od|£500.00]]
    [[acc-label|Account number]] [[acc|40917733]] [[sort-label|Sort code]] [[sort|00-55-18]]
    [[sheet-label|Sheet]] [[sheet|10 of 12]]</div></div>@grid@<p style="font-size:15px;color:#444">
    [[od-rate|Overdraft interest is [[od-pc|34.9 %]] a year, variable.]] [[dispute|If you do not
    recognise a payment, tell us within [[dispute-time|13 months]].]] [[change|From
    [[change-day|1 January 2026]] cash withdrawals abroad will cost [[change-fee|2.75 %]].]]
    [[safe|Deposits are protected up to [[safe-sum|£85,000]].]]</p></div>"""
    grid = table([*columns, ("bal", "Balance")], rows)
    spent = money(1312.44 + 2373.80 - balance)
    html = fill(html.replace("A4", A4), grid=grid, balance=money(balance), spent=spent)
    return Page("statement-0", html, 1240, 1754)


def card() -> Page:
    """An American credit card with rewards."""
    rows = cells(
        """
        05/28 | 05/29 | GRANITE PEAK OUTFITTERS BOISTER ID | 184.20
        05/29 | 05/31 | SUNRISE DINER #12 ELMORE ID | 23.65
        05/30 | 06/01 | VALLEY FUEL STOP 0091 | 48.12
        05/31 | 06/01 | STREAMBOX MONTHLY | 15.99
        06/01 | 06/02 | HARVEST LANE MARKET | 112.84
        06/02 | 06/03 | PINE STREET PHARMACY | 31.07
        06/03 | 06/05 | CASCADE AIR TKT 0017734 | 412.60
        06/03 | 06/05 | CASCADE AIR BAGGAGE | 35.00
        06/05 | 06/06 | HARVEST LANE MARKET | 76.39
        06/07 | 06/08 | BLUE HERON BREWING | 54.50
        06/08 | 06/09 | MERIDIAN PARKING | 12.00
        06/09 | 06/10 | VALLEY FUEL STOP 0091 | 51.90
        06/11 | 06/12 | LITTLE OAKS DAYCARE | 640.00
        06/12 | 06/14 | THE PAPER CRANE GIFTS | 27.48
        06/13 | 06/14 | HARVEST LANE MARKET | 98.73
        06/14 | 06/16 | HOTEL MARLOWE SEABRIGHT | 358.44
        06/15 | 06/16 | SEABRIGHT KAYAK RENTAL | 90.00
        06/15 | 06/17 | SALTY PELICAN GRILL | 67.21
        06/17 | 06/18 | CITY OF ELMORE UTILITIES | 143.18
        06/18 | 06/19 | TUNGSTEN HARDWARE | 39.95
        06/19 | 06/20 | HARVEST LANE MARKET | 84.06
        06/21 | 06/22 | DR. OYELARAN DENTAL | 125.00
        06/22 | 06/23 | TUNGSTEN HARDWARE RETURN | -18.50
        06/24 | 06/25 | ELMORE YOUTH SOCCER | 85.00
        """
    )
    columns = [("day", "Trans"), ("post", "Post"), ("item", "Description"), ("sum", "Amount")]
    total = sum(float(row[3]) for row in rows)
    html = """
    <style>.s{width:1275px;height:1650px;box-sizing:border-box;background:#fff;padding:55px 70px;
    font:18px/1.4 'Open Sans'} .h{background:#4a1d6b;color:#fff;padding:22px 30px;display:flex;
    justify-content:space-between;font-size:30px} .b{display:grid;grid-template-columns:1fr 1fr 1fr;
    gap:22px;margin:24px 0} .k{border:2px solid #4a1d6b;padding:14px 18px;display:grid;
    grid-template-columns:1fr auto;row-gap:3px;font-size:17px} table{width:100%;
    border-collapse:collapse} th{text-align:left;border-bottom:2px solid #4a1d6b} td{padding:3px 0}
    .c-sum{text-align:right} tr:nth-child(odd) td{background:#f6f2fa}</style><div class="s">
    <div class="h"><b>[[bank|Sagebrush Card]]</b><span>[[name|MARTIN T. ESQUIVEL]]</span></div>
    <div class="b"><div class="k">[[prev-label|Previous balance]] [[prev|$1,846.20]]
    [[pay-label|Payment June 4]] [[pay|−$1,846.20]] [[new-label|Purchases]] [[new|$@total@]]
    [[fee-label|Fees]] [[fee|$0.00]] [[int-label|Interest]] [[int|$0.00]]
    <b>[[bal-label|New balance]]</b> <b>[[bal|$@total@]]</b></div><div class="k">
    [[due-label|Payment due date]] [[due|07/20/25]] [[min-label|Minimum payment]] [[min|$35.00]]
    [[limit-label|Credit limit]] [[limit|$9,500]] [[avail-label|Available credit]]
    [[avail|$6,706]] [[cash-label|Cash advance limit]] [[cash|$1,900]] [[close-label|Closing
    date]] [[close|06/25/25]]</div><div class="k">[[pts0-label|Points at start]] [[pts0|21,340]]
    [[pts1-label|Earned, groceries ×3]] [[pts1|1,116]] [[pts2-label|Earned, travel ×2]]
    [[pts2|1,612]] [[pts3-label|Earned, other]] [[pts3|1,529]] [[ptsx-label|Expiring Dec 31]]
    [[ptsx|2,400]] <b>[[pts-label|Points now]]</b> <b>[[pts|25,597]]</b></div></div>
    <div style="font-size:16px;margin-bottom:14px">[[late|Late payment warning: if we do not receive
    your minimum payment by the due date, you may have to pay a late fee of up to
    [[late-fee|$40]].]] [[minonly|If you make only the minimum payment, you will pay off this
    balance in about [[minonly-years|13 years]].]]</div>@grid@<div style="display:grid;
    grid-template-columns:1fr 1fr 1fr 1fr;margin-top:24px;font-size:16px;border-top:2px solid
    #4a1d6b;padding-top:10px"><b>[[rate-head|Interest rates]]</b><span>[[ratep-label|Purchases]]
    [[ratep|21.49 %]]</span><span>[[ratec-label|Cash advances]] [[ratec|28.99 %]]</span><span>
    [[rateb-label|Balance transfers]] [[rateb|17.24 %]]</span></div><p style="font-size:15px">
    [[foreign|No foreign transaction fees.]] [[mail-label|Mail payments to]] [[mail|PO Box 7718,
    Boister, ID 83000]]. [[web-label|Online:]] [[web|sagebrush.example/pay]].
    [[report-label|Lost or stolen:]] [[report|1-555-0142]]. [[auto|AutoPay is
    [[auto-state|OFF]].]]</p></div>"""
    html = fill(html, grid=table(columns, rows), total=money(total))
    return Page("statement-1", html, 1275, 1650, colours=48)


def konto() -> Page:
    """A German account statement from the printer in the bank's hall."""
    rows, balance = running(
        """
        01.08. | Miete Hausverwaltung Körber | -742.00
        01.08. | Lohn Stadtgärtnerei Auental | 2318.56
        04.08. | Kartenzahlung Edelkost Markt | -64.18
        04.08. | Lastschrift Stadtwerke Auental Abschlag | -97.00
        05.08. | Kartenzahlung Apotheke am Tor | -18.45
        06.08. | Dauerauftrag Sparbuch Lina | -50.00
        07.08. | Lastschrift Funknetz Mobil | -24.99
        08.08. | Geldautomat Bahnhofstr. | -150.00
        11.08. | Kartenzahlung Baustoffe Grell | -212.30
        12.08. | Gutschrift Krankenkasse Rückerstattung | 86.40
        13.08. | Lastschrift Kfz-Versicherung Delta | -134.75
        14.08. | Kartenzahlung Edelkost Markt | -71.02
        15.08. | Lastschrift Rundfunkbeitrag | -55.08
        18.08. | Überweisung Zahnarzt Dr. Imhoff | -189.60
        19.08. | Kartenzahlung Gasthof Krone | -46.50
        20.08. | Kindergeld Familienkasse | 255.00
        21.08. | Kartenzahlung Tankstelle Brandl | -68.91
        22.08. | Lastschrift Musikschule Auental | -62.00
        25.08. | Kartenzahlung Edelkost Markt | -58.77
        26.08. | Gutschrift Flohmarkt F. Nowak | 40.00
        27.08. | Lastschrift Sportverein 1904 | -28.00
        28.08. | Kartenzahlung Fahrrad Lenz | -119.00
        29.08. | Entgelt Kontoführung | -4.90
        """,
        486.12,
        "de",
    )
    columns = [("day", "Datum"), ("item", "Buchungstext"), ("out", "Soll"), ("in", "Haben")]
    html = """
    <style>.s{width:1240px;height:1100px;box-sizing:border-box;padding:60px 80px;background:#fdfdf8;
    font:20px/1.32 'Liberation Mono'} table{width:100%;border-collapse:collapse;margin:16px 0}
    th{text-align:left;border-bottom:2px solid #333} .c-out,.c-in,.c-bal{text-align:right}
    .r{display:flex;justify-content:space-between}</style><div class="s"><div class="r"><b
    style="font-size:28px">[[bank|VOLKSKASSE AUENTAL]]</b><span>[[title|Kontoauszug]]
    [[no|8/2025]] [[sheet-label|Blatt]] [[sheet|1]]</span></div><div class="r"
    style="margin-top:12px"><span>[[name|Bernd und Katja Wiesinger]]<br>[[iban-label|IBAN]]
    [[iban|DE00 5004 1100 0007 2231 90]]</span><span>[[old-label|Alter Kontostand]]
    [[old|486,12 H]]<br>[[limit-label|Eingeräumte Kontoüberziehung]] [[limit|3.000,00]]</span></div>
    @grid@<div class="r"><b>[[new-label|Neuer Kontostand vom 29.08.]]</b> <b>[[new|@balance@ H]]</b>
    </div><div style="font-size:17px;margin-top:12px">[[rate-label|Sollzinssatz für Überziehung]]
    [[rate|11,40 %]] p. a. · [[adv-label|Ihre Beraterin:]] [[adv|Frau Solveig Thum]], Tel.
    [[adv-tel|0555 610-27]]<br>[[close|Unsere Filiale Marktplatz bleibt vom [[close-days|8. bis 12.
    September]] wegen Umbau geschlossen.]]</div></div>"""
    grid = table([*columns, ("bal", "Saldo")], rows)
    html = fill(html, grid=grid, balance=money(balance, "de"))
    return Page("statement-2", html, 1240, 1100, "de", skew=-1.6, blur=0.5, colours=16)


def power() -> Page:
    """An electricity bill with readings, tariffs and a year of use."""
    months = cells(
        """
        Nov 24 | 412 | 388 | 5.1
        Dec 24 | 467 | 451 | 3.2
        Jan 25 | 489 | 502 | 1.4
        Feb 25 | 431 | 440 | 2.0
        Mar 25 | 376 | 391 | 6.6
        Apr 25 | 318 | 342 | 10.3
        May 25 | 274 | 301 | 14.8
        Jun 25 | 251 | 262 | 18.1
        Jul 25 | 263 | 270 | 20.4
        Aug 25 | 259 | 284 | 19.7
        Sep 25 | 287 | 279 | 15.9
        Oct 25 | 344 | 356 | 11.2
        """
    )
    charges = cells(
        """
        Day units | 612 kWh | 28.40 p | 173.81
        Night units | 319 kWh | 14.10 p | 44.98
        Standing charge | 92 days | 53.20 p | 48.94
        Green levy | 931 kWh | 0.85 p | 7.91
        Smart meter rental | 3 months | 150.00 p | 4.50
        """
    )
    readings = cells(
        """
        Day | 31 Jul 2025 | 48 207 | 31 Oct 2025 | 48 819
        Night | 31 Jul 2025 | 20 114 | 31 Oct 2025 | 20 433
        """
    )
    html = """
    <style>.s{A4 padding:70px 80px;font:20px/1.42 Quicksand;font-weight:500} .h{color:#0a7d4b;
    font:700 48px Quicksand} .r{display:flex;justify-content:space-between;gap:30px} table{
    width:100%;border-collapse:collapse} th{text-align:left;color:#0a7d4b;border-bottom:2px solid
    #0a7d4b} td{padding:5px 0;border-bottom:1px solid #d6eadf} .x{background:#e8f6ee;
    border-radius:18px;padding:22px 28px} .g{display:grid;grid-template-columns:1fr auto;
    column-gap:24px} h3{margin:22px 0 6px} .c-sum,.c-this,.c-last,.c-temp{text-align:right}</style>
    <div class="s"><div class="r"><span class="h">[[firm|Lumen Energy]]</span><span
    style="text-align:right">[[web|lumen-energy.example]]<br>[[fault-label|Power cut? Call]]
    [[fault|105 55]]<br>[[ask-label|Questions]] [[ask|0555 880 220]]</span></div><div class="r"
    style="margin-top:30px"><div>[[name|Mr Desmond Achterberg]]<br>[[street|52 Kiln Row]]<br>
    [[town|Potterton PT6 1EW]]<br><br>[[acc-label|Account]] [[acc|7700 4182 55]]<br>
    [[date-label|Bill date]] [[date|4 November 2025]]<br>[[mpan-label|Supply number]]
    [[mpan|20 0055 1948 330]]<br>[[meter-label|Meter]] [[meter|E18-Z-40021]]</div><div class="x g"
    style="width:560px">[[before-label|Balance of last bill]] [[before|£12.36 in credit]]
    [[paid-label|Direct debits, 3 × £88.00]] [[paid|£264.00]] [[new-label|New charges]]
    [[new|£280.14]] [[vat-label|VAT at 5 %]] [[vat|£14.01]] <b>[[end-label|Balance now]]</b>
    <b>[[end|£17.79 in debit]]</b> [[dd-label|Your monthly debit stays at]] [[dd|£88.00]]
    [[next-label|Next bill]] [[next|early February 2026]]</div></div><h3>[[h3a|Your meter
    readings]]</h3>@readings@<h3>[[h3b|Charges, 1 August to 31 October 2025]]</h3>@charges@
    <div class="r"><div style="flex:1"><h3>[[h3c|Your use by month]]</h3>@months@</div><div
    class="x" style="width:430px;margin-top:30px"><b>[[tariff-label|Your tariff]]</b><br>
    [[tariff|Lumen Fixed Two-Rate]]<br>[[end-t-label|Ends on]] [[end-t|14 May 2026]]<br>
    [[exit-label|Exit fee]] [[exit|£35 per fuel]]<br><br>[[night|[[night-label|Night units]] count
    from
    [[night-time|00:30 to 07:30]].]]<br><br>[[save|You could save [[save-sum|£61 a year]] on
    [[save-tariff|Lumen Tracker]].]]<br><br>[[prio|Ill, elderly or with small children? Join the
    [[prio-name|Priority Register]]: [[prio-tel|0555 880 118]].]]</div></div></div>"""
    parts = {
        "readings": table(
            [
                ("rate", "Rate"),
                ("d0", "Previous"),
                ("v0", "Reading"),
                ("d1", "Latest"),
                ("v1", "Reading (smart)"),
            ],
            readings,
            "m",
            head="hm",
        ),
        "charges": table(
            [("item", "Item"), ("use", "Used"), ("price", "Price"), ("sum", "£")],
            charges,
            "c",
            head="hc",
        ),
        "months": table(
            [
                ("month", "Month"),
                ("this", "kWh"),
                ("last", "Year before"),
                ("temp", "Outdoors °C"),
            ],
            months,
        ),
    }
    return Page("statement-3", fill(html.replace("A4", A4), **parts), 1240, 1754)


def phone() -> Page:
    """A French telephone bill with calls outside the plan."""
    rows = cells(
        """
        02/09 | 08:14 | 0 890 555 017 | Numéro spécial | 3 min 20 | 2,67
        03/09 | 19:42 | +41 555 0188 | Suisse mobile | 11 min 05 | 4,99
        05/09 | 12:01 | 0 826 555 400 | Renseignements | 1 min 48 | 1,35
        07/09 | 21:30 | +212 555 0101 | Maroc fixe | 24 min 12 | 14,52
        09/09 | 10:26 | SMS +1 555 0177 | SMS Canada | 3 envois | 0,90
        11/09 | 17:55 | +41 555 0188 | Suisse mobile | 6 min 31 | 2,93
        12/09 | 09:03 | 0 890 555 017 | Numéro spécial | 1 min 02 | 0,83
        14/09 | 20:17 | MMS groupe | MMS hors forfait | 4 envois | 1,40
        16/09 | 13:38 | Données | Itinérance Andorre | 180 Mo | 9,00
        16/09 | 22:50 | Données | Itinérance Andorre | 65 Mo | 3,25
        19/09 | 18:09 | +212 555 0101 | Maroc fixe | 8 min 44 | 5,24
        21/09 | 11:11 | Vote télé 7 55 00 | SMS surtaxé | 2 envois | 1,98
        24/09 | 15:27 | Parking Verdaine | Achat par SMS | 1 ticket | 3,40
        27/09 | 19:59 | +41 555 0188 | Suisse mobile | 2 min 16 | 1,02
        29/09 | 07:45 | 0 826 555 400 | Renseignements | 2 min 30 | 1,88
        """
    )
    keys = ["day", "time", "to", "kind", "long", "sum"]
    titles = ["Date", "Heure", "Correspondant", "Nature", "Durée / quantité", "€ TTC"]
    html = """
    <style>.s{A4 padding:75px 85px;font:20px/1.45 Carlito} .h{border-bottom:10px solid #ff7f11;
    display:flex;justify-content:space-between;padding-bottom:14px} table{width:100%;
    border-collapse:collapse;margin:12px 0} th{text-align:left;background:#ffe8d3;padding:6px}
    td{padding:6px;border-bottom:1px solid #eee} .c-sum{text-align:right} .g{display:grid;
    grid-template-columns:1fr auto;row-gap:5px;column-gap:40px}</style><div class="s"><div
    class="h"><b style="font-size:46px">[[firm|Ondéo Mobile]]</b><span style="text-align:right">
    [[title|Facture n°]] [[number|0925-4471820]]<br>[[date-label|du]] [[date|1er octobre
    2025]]</span></div><div style="display:flex;justify-content:space-between;margin:36px 0"><div>
    [[line-label|Ligne]] <b>[[line|06 55 50 12 84]]</b><br>[[client-label|Référence client]]
    [[client|OM-338 204]]<br>[[puk-label|Code PUK]] [[puk|41827730]]<br>[[plan-label|Forfait]]
    [[plan|Horizon 80 Go]]<br>[[commit-label|Engagement jusqu'au]] [[commit|17 mars 2026]]</div>
    <div style="font-size:23px">[[name|M. Anselme Kérivel]]<br>[[street|8, quai des Tanneurs]]<br>
    [[town|00560 Lanvézec]]</div></div><div class="g">[[sub-label|Abonnement Horizon 80 Go, du 1er
    au 31 octobre]] [[sub|24,99 €]] [[multi-label|Option Multi-SIM]] [[multi|5,00 €]]
    [[tel-label|Téléphone, mensualité 7 sur 24]] [[tel|12,50 €]] [[loyal-label|Remise couplage
    box]] [[loyal|−8,00 €]] [[extra-label|Consommations hors forfait]] [[extra|55,36 €]]
    <b>[[total-label|Montant TTC]]</b> <b>[[total|89,85 €]]</b> [[ofvat-label|dont TVA 20 %]]
    [[ofvat|14,98 €]]</div><p>[[debit|Ce montant sera [[debit-word|prélevé]] le [[debit-day|13
    octobre 2025]] sur
    le compte FR00 …[[debit-acc|4402]].]]</p><h3 style="margin:18px 0 0">[[h-extra|Détail hors
    forfait de septembre]]</h3>@grid@<div class="g" style="width:560px">[[used-label|Données
    utilisées]] [[used|61,4 Go sur 80]] [[calls-label|Appels en France]] [[calls|7 h 12]]
    [[texts-label|SMS envoyés]] [[texts|338]]</div><p style="font-size:16px;color:#555">
    [[help|Service client : [[help-no|700 55]], gratuit depuis votre ligne, de [[help-time|8 h à
    20 h]] du lundi au samedi.]] [[claim|Réclamation possible pendant [[claim-time|un an]].]]
    [[roam|Andorre n'est pas incluse dans l'itinérance européenne : pass 2 Go à
    [[roam-price|9,99 €]].]]</p></div>"""
    grid = table(list(zip(keys, titles, strict=True)), rows)
    html = fill(html.replace("A4", A4), grid=grid)
    return Page("statement-4", html, 1240, 1754, "fr", skew=0.9, noise=2, blur=0.6, jpeg=60)


def broker() -> Page:
    """A savings plan with funds."""
    rows = cells(
        """
        Alder Global Equity | Shares | 412.881 | 38.214 | 15,777.84 | 31.9 % | +9.4 %
        Alder Small Companies | Shares | 96.204 | 51.870 | 4,990.10 | 10.1 % | −2.8 %
        Borealis Nordic | Shares | 61.550 | 74.330 | 4,575.01 | 9.2 % | +12.7 %
        Cinder Commodities | Raw materials | 210.007 | 11.046 | 2,319.74 | 4.7 % | +3.1 %
        Dunmore Gilt Index | Bonds | 1,904.300 | 1.402 | 2,669.83 | 5.4 % | +0.6 %
        Dunmore Short Bond | Bonds | 3,377.125 | 1.118 | 3,775.63 | 7.6 % | +2.2 %
        Everley Property | Property | 288.400 | 9.905 | 2,856.60 | 5.8 % | −4.5 %
        Fathom Clean Water | Shares | 140.612 | 22.871 | 3,215.94 | 6.5 % | +6.0 %
        Garnet Asia ex-Japan | Shares | 77.330 | 45.120 | 3,489.13 | 7.1 % | +5.3 %
        Hale Infrastructure | Property | 190.010 | 14.662 | 2,785.93 | 5.6 % | +1.9 %
        Cash reserve | Cash | – | – | 3,024.25 | 6.1 % | +3.8 %
        """
    )
    keys = ["fund", "class", "units", "price", "value", "share", "year"]
    titles = ["Fund", "Class", "Units", "Price £", "Value £", "Share", "1 year"]
    moves = cells(
        """
        08 Jul | Monthly payment in | 350.00
        15 Jul | Dividend, Everley Property | 41.18
        08 Aug | Monthly payment in | 350.00
        21 Aug | Sold 40 Borealis Nordic | 2,891.20
        22 Aug | Bought 126 Alder Global Equity | −4,702.60
        08 Sep | Monthly payment in | 350.00
        12 Sep | Tax relief received | 262.50
        30 Sep | Platform charge, quarter | −30.91
        30 Sep | Adviser charge, quarter | −61.82
        """
    )
    html = """
    <style>.s{width:1500px;height:1500px;box-sizing:border-box;background:#fffdf7;padding:70px 80px;
    font:21px/1.45 Vollkorn;color:#222} table{width:100%;border-collapse:collapse;margin:14px 0}
    th{text-align:left;border-bottom:2px solid #b08d3c;font-weight:600} td{padding:7px 0;
    border-bottom:1px solid #e8dfc8} .c-units,.c-price,.c-value,.c-share,.c-year,.c-sum{
    text-align:right} .r{display:flex;justify-content:space-between;gap:60px}</style><div
    class="s"><div class="r"><span style="font-size:46px;color:#7a5c12">[[firm|Marrable &amp;
    Keene]]</span><span style="text-align:right">[[plan-label|Pension plan]] [[plan|MK-55-20417]]
    <br>[[period|Quarterly statement, 1 July to 30 September 2025]]</span></div><div class="r"><div>
    [[name|Dr Leonie Stavros]]<br>[[age-label|Chosen retirement age]] [[age|66]]<br>
    [[heir-label|Beneficiary]] [[heir|Theo Stavros]]</div><div>[[v0-label|Value on 1 July]]
    [[v0|£47,112.08]]<br>[[in-label|Paid in]] [[in|£1,312.50]]<br>[[value-label|Value on 30
    September]] <b>[[value|£49,480.00]]</b></div><div>[[risk-label|Risk level]] [[risk|5 of
    7]]<br>[[adv-label|Adviser]] [[adv|Gideon Prowse]]<br>[[fore-label|Forecast yearly income]]
    [[fore|£11,900]]</div></div>@grid@<div class="r"><div style="flex:1.3"><b>
    [[moves-label|Movements in the quarter]]</b>@moves@</div><div style="flex:1;font-size:19px;
    padding-top:10px">[[fee|Platform charge [[fee-pc|0.25 %]] and adviser charge [[adv-pc|0.50 %]] a
    year of the value.]]<br><br>[[limit|[[limit-word|You may still pay in]] [[limit-sum|£54,320]]
    this tax year
    with
    relief.]]<br><br>[[review|Your yearly review is on [[review-day|19 November 2025]], by video
    call.]]<br><br>[[move|Everley Property has stopped trading; sales may take
    [[move-days|up to 30 days]].]]</div></div></div>"""
    grid = table(list(zip(keys, titles, strict=True)), rows)
    columns = [("day", "Date"), ("item", "Movement"), ("sum", "£")]
    html = fill(html, grid=grid, moves=table(columns, moves, "m", head="hm"))
    return Page("statement-5", html, 1500, 1500)


def online() -> Page:
    """An account in a browser, dark, with filters and pots."""
    rows = cells(
        """
        Today | Pip's Noodle Bar | Eating out | −14.60
        Today | Metroline top-up | Transport | −20.00
        Yesterday | Larkspur Florist | Gifts | −32.50
        Yesterday | Basket & Bean | Groceries | −58.14
        Sun 9 Nov | Mara Lindqvist, concert tickets | Transfer | +76.00
        Sun 9 Nov | Fernside Petrol | Car | −61.77
        Sat 8 Nov | Toolshed Direct | Home | −119.99
        Sat 8 Nov | Basket & Bean | Groceries | −23.08
        Fri 7 Nov | Childcare, Bumble Nursery | Family | −412.00
        Fri 7 Nov | Pip's Noodle Bar | Eating out | −11.25
        Thu 6 Nov | Glasshouse Gym | Health | −34.00
        Wed 5 Nov | Aurora Insurance, home | Bills | −27.43
        Wed 5 Nov | Skyreach Airways refund | Travel | +188.20
        Tue 4 Nov | Dr Nkemelu, physiotherapy | Health | −65.00
        Mon 3 Nov | Basket & Bean | Groceries | −71.36
        """
    )
    columns = [("day", "Day"), ("item", "Who"), ("cat", "Category"), ("sum", "Amount")]
    html = """
    <style>.s{width:1440px;height:960px;background:#121212;color:#e8e8e8;font:17px/1.4 'Open Sans';
    display:grid;grid-template-columns:300px 1fr 320px} .l,.p{background:#1b1b1f;padding:28px}
    .m{padding:24px 30px} table{width:100%;border-collapse:collapse} th{color:#888;text-align:left;
    font-weight:400;padding-bottom:8px} td{padding:10px 0;border-top:1px solid #2a2a2e}
    .c-sum{text-align:right} .c-day,.c-cat{color:#9a9aa5} .g{display:grid;
    grid-template-columns:1fr auto;row-gap:10px} .l div{margin-bottom:16px}</style><div class="s">
    <div class="l"><div style="font-size:26px;color:#ffb86b">[[bank|juniper]]</div><div
    style="color:#999">[[acc-label|Joint account]] [[acc|·· 8820]]</div><div
    style="font-size:34px">[[bal|€1,904.37]]</div><div>[[avail-label|Available until payday]]
    [[avail|€642.10]]</div><div>[[payday-label|Payday in]] [[payday|16 days]]</div>
    <div style="color:#999">[[pots-label|Pots]]</div><div class="g">[[p1-label|Holiday Crete]]
    [[p1|€1,250.00]] [[p2-label|New boiler]] [[p2|€3,480.00]] [[p3-label|Rainy day]]
    [[p3|€820.55]] [[p4-label|Birthday Ida]] [[p4|€95.00]]</div><div style="color:#999">
    [[cards-label|Cards]]</div><div class="g">[[c1-label|Sunniva]] [[c1|·· 3341]]
    [[c2-label|Marek]] [[c2|·· 9027, frozen]]</div></div><div class="m"><div
    style="font-size:22px;margin-bottom:16px">[[title|Activity]] <span style="color:#888;
    font-size:16px">[[filter|Last 14 days · all categories]]</span></div>@grid@</div><div
    class="p"><div style="font-size:20px;margin-bottom:14px">[[spend-label|Spent in
    November]]</div><div class="g">[[s1-label|Family]] [[s1|412.00]] [[s2-label|Groceries]]
    [[s2|152.58]] [[s3-label|Home]] [[s3|119.99]] [[s4-label|Health]] [[s4|99.00]]
    [[s5-label|Car]] [[s5|61.77]] [[s6-label|Gifts]] [[s6|32.50]] [[s7-label|Bills]] [[s7|27.43]]
    [[s8-label|Eating out]] [[s8|25.85]] [[s9-label|Transport]] [[s9|20.00]]</div><hr
    style="border-color:#333"><div style="font-size:20px;margin:10px 0">[[up-label|Coming
    up]]</div><div class="g">[[u1-label|Rent, 15 Nov]] [[u1|−1,120.00]] [[u2-label|Phone, 17
    Nov]] [[u2|−18.00]] [[u3-label|Piano lessons, 20 Nov]] [[u3|−96.00]] [[u4-label|Salary Marek,
    27 Nov]] [[u4|+2,740.00]]</div><hr style="border-color:#333"><div style="color:#9a9aa5">
    [[tip|Your groceries budget is [[tip-sum|€400 a month]]. You are €36 below last
    month.]]</div></div></div>"""
    return Page("statement-6", fill(html, grid=table(columns, rows)), 1440, 960)


def gas() -> Page:
    """A Spanish gas bill as a photo of a sheet."""
    rows = cells(
        """
        Término fijo | 61 días | 0,2713 €/día | 16,55
        Consumo de gas | 1.284 kWh | 0,0589 €/kWh | 75,63
        Impuesto de hidrocarburos | 1.284 kWh | 0,0023 €/kWh | 2,95
        Alquiler de contador | 2 meses | 0,87 €/mes | 1,74
        Servicio de mantenimiento | 2 meses | 4,95 €/mes | 9,90
        Descuento por domiciliación | | | −2,40
        """
    )
    past = cells(
        """
        Ene–Feb 2025 | 2.911 | 188,40
        Mar–Abr 2025 | 1.860 | 131,22
        May–Jun 2025 | 742 | 66,95
        Jul–Ago 2025 | 398 | 45,10
        Sep–Oct 2025 | 1.284 | 126,29
        """
    )
    html = """
    <style>.s{width:1240px;height:1340px;box-sizing:border-box;padding:80px 90px;background:#faf8f5;
    font:22px/1.5 'Noto Sans'} .r{display:flex;justify-content:space-between;gap:40px} table{
    width:100%;border-collapse:collapse;margin:14px 0 24px} th{background:#1f3b57;color:#fff;
    text-align:left;padding:7px 10px} td{padding:7px 10px;border-bottom:1px solid #c9c3b8}
    .c-sum,.c-kwh,.c-eur{text-align:right} .b{border-left:8px solid #e0a526;padding:6px 20px}
    </style><div class="s"><div class="r"><b style="font-size:40px;color:#1f3b57">[[firm|Gas del
    Valle]]</b><span>[[title|Factura]] [[number|GV-25-091183]]<br>[[date-label|Fecha de
    emisión]] [[date|7 de noviembre de 2025]]</span></div><div class="r" style="margin:34px 0">
    <div class="b">[[name-label|Titular]] [[name|Remedios Ybarra Coll]]<br>[[street|Calle del
    Aljibe 31, 2.º B]]<br>[[town|00214 Torrealba]]<br>[[contract-label|Contrato]]
    [[contract|60 4471 882]]</div><div class="b">[[period-label|Periodo]] [[period|1 de
    septiembre a 31 de octubre]]<br>[[l0-label|Lectura anterior]] [[l0|4.618 m³]]<br>
    [[l1-label|Lectura actual]] [[l1|4.728 m³]]<br>[[cups-label|CUPS]] [[cups|ES00 0217 4400
    91]]</div></div>@grid@<div class="r"><div>[[h-past|Sus últimas facturas]]@past@</div><div
    style="min-width:420px"><div class="r">[[base-label|Base imponible]] [[base|104,37 €]]</div>
    <div class="r">[[iva-label|IVA 21 %]] [[iva|21,92 €]]</div><div class="r"
    style="font-size:30px"><b>[[total-label|Total a pagar]]</b><b>[[total|126,29 €]]</b></div>
    <p>[[charge|Se cargará en su cuenta el [[charge-day|21 de noviembre]].]]</p></div></div>
    <p>[[urgent-label|Urgencias y olor a gas, 24 h:]] <b>[[urgent|900 555 112]]</b> ·
    [[client-label|Atención al cliente:]] [[client|900 555 340]]</p><p>[[check|La inspección
    obligatoria de su instalación vence en [[check-when|marzo de 2027]].]] [[self|Puede comunicar su
    lectura entre los días [[self-days|20 y 25]] de cada mes.]]</p><p style="font-size:17px">
    [[rise|A partir del 1 de enero de 2026 el término fijo será de [[rise-sum|0,2850 €/día]].]]
    [[bono|Solicite el bono social térmico en el ayuntamiento antes del [[bono-day|31 de
    diciembre]].]]</p></div>"""
    columns = [("item", "Concepto"), ("use", "Cantidad"), ("price", "Precio"), ("sum", "Euros")]
    earlier = [("when", "Periodo"), ("kwh", "kWh"), ("eur", "Euros")]
    parts = {"grid": table(columns, rows), "past": table(earlier, past, "p", head="hp")}
    return Page(
        "statement-7", fill(html, **parts), 1240, 1340, "es", skew=-2.7, blur=0.7, noise=2, jpeg=62
    )


def mortgage() -> Page:
    """A year of a mortgage: interest and repayment, and what may be overpaid."""
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    extra = {"Mar": 500.0, "Jun": 1500.0, "Nov": 250.0}
    left, paid, rows = 168420.55, [0.0, 0.0, 0.0], []
    for number, month in enumerate(months):
        rate = 4.29 if number < 7 else 3.84
        due = 1021.30 if number < 7 else 984.75
        fee = 15.0 if month == "Sep" else 0.0
        interest, more = round(left * rate / 1200, 2), extra.get(month, 0.0)
        start, left = left, round(left + interest + fee - due - more, 2)
        paid = [was + now for was, now in zip(paid, (interest, due, more), strict=True)]
        line = [money(value) if value else "–" for value in (start, interest, fee, due, more, left)]
        rows.append([f"{month} 2025", f"{rate} %", *line])
    keys = ["month", "rate", "start", "int", "fee", "due", "more", "left"]
    titles = ["Month", "Rate", "Opening", "Interest", "Fees", "Instalment", "Overpaid", "Closing"]
    html = """
    <style>.s{width:1300px;height:1240px;box-sizing:border-box;background:#fff;padding:50px 64px;
    font:20px/1.45 Caladea;border-left:22px solid #1f3d36} table{width:100%;margin:20px 0;
    border-collapse:collapse;font-size:19px} td,th{text-align:right;padding:6px 8px;
    border-bottom:1px solid #bcc9c4} th{color:#1f3d36} .c-month{text-align:left} .r{display:flex;
    justify-content:space-between;gap:40px} .k{display:grid;grid-template-columns:auto auto;
    column-gap:26px;background:#eef3f1;padding:14px 20px} p{margin:10px 0} p span{white-space:
    nowrap}</style><div class="s"><div class="r"><div style="font-size:38px;color:#1f3d36">
    [[bank|Wherrydale & Thorne Building Society]]</div><div>[[date|8 January 2026]]</div></div>
    <div class="r"><div style="padding-top:16px">[[name|Ms Imogen Achterberg]]<br>[[name2|Mr Rafiq
    Achterberg]]<br>[[street|27 Cooper's Row]]<br>[[town|Neverton NV1 2GH]]<p
    style="font-size:30px">
    [[title|Your mortgage in 2025]]</p></div><div class="k">[[acc-label|Mortgage account]]
    [[acc|MT 0082 4417]] [[home-label|Property]] [[home|27 Cooper's Row]] [[type-label|Type]]
    [[type|repayment]] [[prod-label|Product]] [[prod|Fixed until 31 July 2030]] [[svr-label|Our
    standard variable rate]] [[svr|7.15 %]] [[term-label|Remaining term]] [[term|22 years 7
    months]] [[end-label|Last instalment]] [[end|31 July 2048]] [[val-label|Valuation, May 2025]]
    [[val|£262,000]]</div></div>@grid@<div class="r"><div style="width:650px"><p>You may pay back up
    to [[over|10 %]] of the balance each year without a charge; beyond that the [[erc-word|early
    repayment charge]] is [[erc|3 % until July 2027]], then [[erc2|1.5 %]]. If you want to
    [[let-word|let the property]], ask us first; our consent costs [[let|£110]] a year.</p><p>Your
    [[ins-word|buildings insurance]] with Anchor Mutual must show our interest; we last saw the
    policy on [[ins|2 June 2024]]. [[trouble-word|Worried about payments?]] Talk to our team on
    [[trouble|0555 600 177]], Monday to Saturday.</p></div><div class="k"
    style="height:fit-content">
    [[t1-label|Balance 1 January]] [[t1|£168,420.55]] [[t2-label|Interest charged]] [[t2|£@a@]]
    [[t3-label|Fees]] [[t3|£15.00]] [[t4-label|Instalments paid]] [[t4|£@b@]] [[t5-label|
    Overpayments]] [[t5|£@c@]] <b>[[t6-label|Balance 31 December]]</b> <b>[[t6|£@d@]]</b></div>
    </div><p style="font-size:17px">[[feenote|Fee of 8 September: copy of deeds.]] Instalments are
    taken on the [[day|first working day]] of the month from Tidewater Bank, account ending
    [[from|7733]]. To [[redeem-word|redeem the mortgage]] in full you need a figure from us, valid
    for [[redeem|28 days]]; the [[close-word|closing fee]] is [[close|£125]]. The annual meeting
    takes place on [[agm|24 April 2026]] in the Corn Exchange.</p></div>"""
    parts = {key: money(value) for key, value in zip("abcd", (*paid, left), strict=True)}
    grid = table(list(zip(keys, titles, strict=True)), rows)
    html = fill(html.replace(" & ", " &amp; "), grid=grid, **parts)
    return Page("statement-8", html, 1300, 1240)


def flat() -> Page:
    """A German landlord's account of the running costs of a flat."""
    listing = cells(
        """
        Grundsteuer | 4318.20 | Wohnfläche | 1240 | 68.5
        Wasserversorgung | 6120.44 | Wasserzähler m³ | 2108 | 81.3
        Entwässerung | 5377.90 | Wasserzähler m³ | 2108 | 81.3
        Niederschlagswasser | 1122.60 | Wohnfläche | 1240 | 68.5
        Heizung, Grundkosten 30 % | 7461.18 | Wohnfläche | 1240 | 68.5
        Heizung, Verbrauch 70 % | 17409.42 | Einheiten | 38412 | 1764
        Warmwasser | 8233.07 | Warmwasser m³ | 702 | 27.4
        Aufzug: Wartung und Strom | 3984.15 | Wohnungen | 18 | 1
        Straßenreinigung | 940.32 | Wohnungen | 18 | 1
        Müllabfuhr | 4872.00 | Personen | 39 | 2
        Treppenhausreinigung | 5616.00 | Wohnungen | 18 | 1
        Gartenpflege | 2895.75 | Wohnfläche | 1240 | 68.5
        Winterdienst | 1310.00 | Wohnfläche | 1240 | 68.5
        Allgemeinstrom | 1477.36 | Wohnungen | 18 | 1
        Schornsteinfeger | 288.90 | Wohnungen | 18 | 1
        Gebäudeversicherung | 6204.55 | Wohnfläche | 1240 | 68.5
        Haftpflichtversicherung | 733.10 | Wohnfläche | 1240 | 68.5
        Hauswart | 9840.00 | Wohnfläche | 1240 | 68.5
        Kabelanschluss | 0 | entfällt seit 07/24 | 18 | 1
        Rauchmelder, Prüfung | 394.20 | Melder | 73 | 4
        """
    )
    rows, total = [], 0.0
    for item, cost, key, every, mine in listing:
        share = round(float(cost) * float(mine) / float(every), 2)
        total += share
        counts = [f"{float(n):,.1f}".removesuffix(".0") for n in (every, mine)]
        counts = [n.translate(str.maketrans(",.", ".,")) for n in counts]
        rows.append([item, money(float(cost), "de"), key, *counts, money(share, "de")])
    keys = ["item", "cost", "key", "all", "mine", "share"]
    titles = ["Kostenart", "Haus gesamt €", "Schlüssel", "Haus", "Ihr Anteil", "Ihre Kosten €"]
    html = """
    <style>.s{width:1180px;height:1310px;box-sizing:border-box;background:#fff;padding:54px 80px;
    font:18px/1.42 'DejaVu Sans Condensed','DejaVu Sans'} table{width:100%;border-collapse:collapse;
    margin:18px 0;font-size:17px} td,th{border:1px solid #888;padding:5px 8px;text-align:left}
    th{background:#ddd;font-size:15px} .c-cost,.c-all,.c-mine,.c-share{text-align:right}
    .r{display:flex;justify-content:space-between} .t{display:grid;grid-template-columns:1fr auto;
    width:560px;margin-left:auto;row-gap:4px} p{margin:12px 0} p span{white-space:nowrap}</style>
    <div class="s"><div class="r"><div>[[to|Frau Tülay Bergander]]<br>[[to-street|Färbergasse 19, 3.
    OG links]]<br>[[to-town|00418 Auental]]</div><div style="text-align:right"><b>[[firm|
    Wohnbau Auental eG]]</b><br>[[clerk|Sachbearbeitung: Herr Knoblich]]<br>[[tel-label|Tel.]]
    [[tel|0555 41 80 27]]<br>[[date|12. September 2025]]</div></div><p style="font-size:26px">
    <b>[[title|Betriebskostenabrechnung 2024]]</b></p><div class="r"><span>[[flat-label|Wohnung]]
    [[flat|0419-03-2]]</span><span>[[span-label|Zeitraum]] [[span|01.01.–31.12.2024]]</span><span>
    [[size-label|Wohnfläche]] [[size|68,5 m²]]</span><span>[[pers-label|Personen]] [[pers|2]]</span>
    </div>@grid@<div class="t">[[sum-label|Summe Ihrer Kosten]] [[sum|@a@ €]] [[pre-label|Ihre
    Vorauszahlungen (12 × 215,00 €)]] [[pre|2.580,00 €]] <b>[[more-label|Nachzahlung]]</b>
    <b>[[more|@b@ €]]</b></div><p>Bitte überweisen Sie den Betrag bis zum [[due|15. Oktober 2025]]
    auf das Konto [[iban|DE00 5104 0077 0012 3345 90]]. Ab dem [[new-day|1. November 2025]] beträgt
    die [[new-word|monatliche Vorauszahlung]] [[new|240,00 €]]. Die Grundmiete von [[rent|612,40 €]]
    ändert sich nicht.</p><p>Die [[bill-word|Belege]] können Sie nach Anmeldung [[bill|dienstags von
    14 bis 17 Uhr]] einsehen. [[obj-word|Einwände]] sind binnen [[obj|zwölf Monaten]] schriftlich zu
    erheben. Davon absetzbar sind [[tax-word|haushaltsnahe Dienstleistungen]] in Höhe von
    [[tax|1.087,44 €]]. Der Ableser kommt wieder am [[read|14. Januar 2026, 8–10 Uhr]].</p></div>"""
    parts = {"a": money(total, "de"), "b": money(total - 2580, "de")}
    grid = table(list(zip(keys, titles, strict=True)), rows)
    return Page("statement-9", fill(html, grid=grid, **parts), 1180, 1310, "de", colours=16)


def toll() -> Page:
    """A toll account: passages of three vehicles, printed small and photographed."""
    rows = cells(
        """
        09/02 06:48 | Gull Bridge, northbound | 2 | BLT 4471 | Tag | 3.20
        09/02 17:31 | Gull Bridge, southbound | 5 | BLT 4471 | Tag | 4.85
        09/03 06:52 | Gull Bridge, northbound | 1 | BLT 4471 | Tag | 3.20
        09/03 09:15 | Mesa Tunnel | 4 | RDV 0928 | Tag | 2.75
        09/03 18:04 | Gull Bridge, southbound | 4 | BLT 4471 | Tag | 4.85
        09/05 07:10 | Harbor Express, Exit 3 to 11 | – | KTX 7130 | Plate | 6.90
        09/05 19:46 | Harbor Express, Exit 11 to 3 | – | KTX 7130 | Plate | 6.90
        09/06 11:20 | Pine Ridge Parkway | 2 | RDV 0928 | Tag | 1.60
        09/06 16:02 | Pine Ridge Parkway | 3 | RDV 0928 | Tag | 1.60
        09/08 06:50 | Gull Bridge, northbound | 2 | BLT 4471 | Tag | 3.20
        09/08 17:28 | Gull Bridge, southbound | 6 | BLT 4471 | Tag | 4.85
        09/09 22:37 | Mesa Tunnel | 1 | BLT 4471 | Tag | 1.90
        09/11 08:33 | Harbor Express, Exit 3 to 7 | – | RDV 0928 | Tag | 3.45
        09/12 06:49 | Gull Bridge, northbound | 2 | BLT 4471 | Tag | 3.20
        09/12 13:05 | Gull Bridge, southbound | 3 | KTX 7130 | Plate | 6.35
        09/15 06:55 | Gull Bridge, northbound | 1 | BLT 4471 | Tag | 3.20
        09/15 07:58 | Airport Connector | 7 | BLT 4471 | Tag | 2.10
        09/18 23:50 | Airport Connector | 2 | BLT 4471 | Tag | 1.40
        09/20 10:12 | Pine Ridge Parkway | 2 | RDV 0928 | Tag | 1.60
        09/20 14:44 | Elk Valley Turnpike, full length | – | RDV 0928 | Tag | 14.25
        09/21 15:30 | Elk Valley Turnpike, full length | – | RDV 0928 | Tag | 14.25
        09/23 06:51 | Gull Bridge, northbound | 2 | BLT 4471 | Tag | 3.20
        09/23 17:40 | Gull Bridge, southbound | 5 | BLT 4471 | Tag | 4.85
        09/26 12:27 | Mesa Tunnel | 3 | KTX 7130 | Plate | 4.25
        09/29 06:47 | Gull Bridge, northbound | 2 | BLT 4471 | Tag | 3.20
        09/29 17:33 | Gull Bridge, southbound | 5 | BLT 4471 | Tag | 4.85
        """
    )
    spent = sum(float(row[-1]) for row in rows)
    keys = ["when", "where", "lane", "plate", "how", "sum"]
    titles = ["Date and time", "Facility", "Lane", "Plate", "Read by", "Toll $"]
    html = """
    <style>.s{width:1320px;height:1310px;box-sizing:border-box;background:#fbfbf9;padding:80px 90px;
    font:18px/1.4 Cabin} table{width:100%;border-collapse:collapse;margin:16px 0;font-size:17px}
    th{text-align:left;background:#23395d;color:#fff;padding:5px 8px} td{padding:2.5px 8px}
    tr:nth-child(even) td{background:#eaeef5} .c-sum,.c-lane{text-align:right} .r{display:flex;
    justify-content:space-between;gap:36px} .k{display:grid;grid-template-columns:auto auto;
    gap:0 22px;border-top:4px solid #e07a1f;padding-top:8px;flex:1;align-content:start}
    p span{white-space:nowrap} .k span:nth-child(even){text-align:right}</style><div class="s">
    <div class="r"><b style="font-size:36px;color:#23395d">[[firm|ZipGate Toll Account]]</b><span
    style="text-align:right">[[name|Leopold Hargreave-Nunez]]<br>[[street|208 Juniper Loop, Port
    Ellery]]</span></div><div class="r" style="margin-top:16px"><div class="k">[[acc-label|Account]]
    [[acc|40 118 2]] [[month-label|Statement for]] [[month|September 2025]] [[tags-label|Active
    tags]] [[tags|2]] [[pin-label|Phone PIN]] [[pin|7719]]</div><div class="k">[[a-label|Balance
    Sept 1]] [[a|$31.40]] [[b-label|Tolls]] [[b|−$@b@]] [[c-label|Replenished Sept 12, card 0338]]
    [[c|$50.00]] [[d-label|Replenished Sept 21, card 0338]] [[d|$50.00]] [[e-label|Balance Sept 30]]
    [[e|$@e@]]</div><div class="k">[[low-label|Refill when below]] [[low|$20.00]] [[auto-label|
    Refill amount]] [[auto|$50.00]] [[disc-label|Commuter discount]] [[disc|from 30 trips]]
    [[trip-label|Your trips]] [[trip|26]]</div></div>@grid@<p>Passages read by plate cost
    [[plate-more|$1.50 more]] than by tag. [[off-word|Off-peak prices]] apply from [[off|9 p.m. to 5
    a.m.]] A [[lost-word|lost or broken tag]] is replaced for [[lost|$12]]; return old tags to any
    Pine Street Pharmacy. [[rent-word|Rental car?]] Add its plate up to [[rent|48 hours]] after the
    trip. Disputes: [[disp|60 days]] from the passage, on zipgate.example or at (555) 010-3000. The
    Mesa Tunnel is [[shut|closed on the nights of Oct 14 to 17]].</p></div>"""
    parts = {"b": money(spent), "e": money(131.40 - spent)}
    grid = table(list(zip(keys, titles, strict=True)), rows)
    html = fill(html, grid=grid, **parts)
    return Page("statement-10", html, 1320, 1310, skew=2.3, blur=0.7, noise=3, jpeg=55)


def pages() -> list[Page]:
    """All statements."""
    return [
        current(),
        card(),
        konto(),
        power(),
        phone(),
        broker(),
        online(),
        gas(),
        mortgage(),
        flat(),
        toll(),
    ]
