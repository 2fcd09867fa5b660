"""Letters: from offices, a school, a bank, a clinic and a friend, on paper and as mail."""

from page import Page, cells, fill, table

SHEET = "width:1240px;height:1754px;box-sizing:border-box;position:relative;"


def landlord() -> Page:
    """A housing association tells its tenants about works and a new rent."""
    html = """
    <style>.s{SHEET background:#fff;padding:90px 120px;font:23px/1.5 'Liberation Serif'}
    .r{display:flex;justify-content:space-between} p{margin:16px 0}
    .f{position:absolute;bottom:60px;
    left:120px;right:120px;font-size:16px;border-top:1px solid #000;padding-top:8px}</style><div
    class="s"><div class="r"><b style="font-size:36px">[[firm|Millbridge Housing
    Association]]</b><span style="text-align:right">[[street|8 Guild Street]]<br>[[town|Millbridge
    MB1
    4AA]]<br>[[tel-label|Tel.]] [[tel|01555 418 000]]</span></div><div style="margin-top:60px">
    [[to|Mr and Mrs T. Adebayo-Finch]]<br>[[to-street|Flat 11, Sycamore House]]<br>[[to-town|
    Millbridge MB3 7HL]]</div><div class="r" style="margin-top:40px"><span>[[ref-label|Our ref.]]
    [[ref|SYC/11/25-R]]</span><span>[[date|3 February 2025]]</span></div>
    <p>[[hello|Dear Mr and Mrs Adebayo-Finch,]]</p><p><b>[[subject|New windows and your rent from
    April]]</b></p><p>[[p1|As we wrote in November, all flats in Sycamore House will get new windows
    this spring. The work is done by [[builder|Clearpane Ltd]] of Potterton. For your flat we have
    planned [[when|Tuesday 11 and Wednesday 12 March]]. The [[fitters|fitters]] come between
    [[fit-time|8.00 and 8.30]] and need about a day and a half.]]</p><p>[[p2|Please clear a space of
    [[space|two metres]] in front of each window and take down curtains and blinds. If you cannot
    move
    heavy furniture yourselves, ring our caretaker, [[caretaker|Mr Prendergast]], by
    [[caretaker-by|28 February]]; he will help free of charge. Pets should be kept in a closed
    room.]]</p><p>[[p3|From [[rent-from|1 April 2025]] your weekly [[rent-word|rent]] rises from
    [[rent-old|£118.40]] to [[rent-new|£123.75]]. The
    [[service-word|service charge]] stays at [[service|£14.20]]. The increase follows the consumer
    price index and was approved by the tenants' board on 16 January. If you receive housing
    benefit,
    please send a copy of this letter to the [[benefit|benefit office]].]]</p><p>[[p4|You may object
    in writing within [[object|28 days]]. A meeting for all tenants takes place on
    [[meet-day|20 February at 18.30]] in the [[meet-room|laundry room of Hazel House]]; tea will be
    served. We also remind you that bicycles in the stairwell will be [[bikes|removed after 1
    March]], as the fire brigade asked us.]]</p><p>[[p5|In an emergency at night, such as a
    [[night-word|burst pipe]], please use the number [[night|01555 418 999]]. The lift will be out
    of
    service on [[lift|6 March]].]]</p><p>[[bye|Yours sincerely,]]</p><p style="font:700 40px
    'Dancing Script';margin:0">[[scribble|Harriet Olembe]]</p><p>[[sign|Harriet Olembe]]<br>
    [[role|Tenancy manager, east district]]</p><div class="f">[[foot|Registered society no. 00417 R.
    Office hours: [[foot-hours|Monday to Thursday 9–16, Friday 9–12]]. Payments: Northmoor Bank,
    sort code 00-41-77, account [[foot-acc|55 201 988]].]]</div></div>"""
    return Page("letter-0", fill(html.replace("SHEET", SHEET)), 1240, 1754)


def school() -> Page:
    """A school writes to parents about a trip."""
    packing = cells(
        """
        Sleeping bag | yes | rented for £6
        Walking boots | yes | no
        Waterproof jacket | yes | lent free
        Head torch | yes | no
        Swimming things | if you like | no
        Pocket money | up to £20 | –
        Mobile phone | no | –
        """
    )
    html = """
    <style>.s{SHEET background:#fffefb;padding:80px 100px;font:21px/1.5 'Open Sans'} h1{color:#174;
    margin:0;font-size:34px} table{border-collapse:collapse;width:100%} td,th{border:1px solid #9b9;
    padding:6px 12px;text-align:left} .slip{border-top:3px dashed #555;margin-top:26px;
    padding-top:12px}</style><div class="s"><div style="display:flex;justify-content:space-between">
    <h1>[[school|Neverton Middle School]]</h1><span>[[date|Friday 2 May 2025]]</span></div>
    <p>[[hello|Dear parents and carers of Year 6,]]</p><p>[[p1|We are pleased to confirm our class
    journey to [[where|Gunnet Island]] from [[from|Monday 16]] to [[until|Thursday 19 June]]. We
    [[meet-word|meet]] at the school gate at [[meet|6.45]]; the [[coach-word|coach leaves]] at
    [[coach|7.00 sharp]]
    and takes us to the ferry in Tolvean. We expect to be [[back-word|back]] on Thursday at about
    [[back|17.30]].]]</p><p>[[p2|The price of [[price|£198]] includes travel, three nights in the
    [[hostel|Puffin Bay Hostel]], all meals and the [[seal|seal-watching boat]]. A first part of
    [[first|£60]] is due by [[first-day|14 May]], the rest by [[rest-day|6 June]]. Families who
    receive free school meals pay [[less|£75]]; nobody has to stay at home for lack of money, so
    please speak to [[money-who|Mrs Ravensworth]] in confidence.]]</p><p>[[p3|With us are Mr
    Tindall, Ms Quaye and our teaching assistant [[helper|Joel]]. Children who need
    [[medicine-word|medicine]] hand it
    to [[medicine|Ms Quaye]], in its box with a signed note. Please tell us about allergies and
    about anything that may keep your child awake at night.]]</p>@packing@<p>[[p4|An
    [[evening-word|information evening]] takes place on [[evening|Wednesday 21 May, 19.00]], in the
    [[evening-room|music room]]. During the journey you can reach us in urgent cases under
    [[urgent|07555 010 346]]; photos will appear on the [[blog|class blog]] every evening after
    supper.]]</p><p>[[bye|Kind regards,]]<br>[[sign|Barnaby Tindall]], [[role|head of Year 6]]</p>
    <div class="slip"><b>[[slip|Please return by 9 May]]</b><br>My child ____________________
    [[slip1|may / may not take part]] · [[slip2|can swim 25 m: yes / no]] ·
    [[slip3|eats: everything / vegetarian / halal]]<br><br>Signature ____________________</div>
    </div>"""
    columns = [("item", "To bring"), ("need", "Needed"), ("lend", "From the school")]
    html = fill(html.replace("SHEET", SHEET), packing=table(columns, packing))
    return Page("letter-1", html, 1240, 1754, skew=-1.2, blur=0.5, colours=16)


def authority() -> Page:
    """A German town office about a parking permit."""
    html = """
    <style>.s{SHEET background:#fff;padding:80px 100px 80px 140px;font:21px/1.45 'Liberation Sans'}
    .k{position:absolute;right:90px;top:260px;width:380px;font-size:18px;line-height:1.5} p{margin:
    14px 0}</style><div class="s"><div style="text-align:right"><b style="font-size:32px">[[office|
    Stadt Kirchau]]</b><br>[[dept|Ordnungsamt, Abteilung Verkehr]]</div><div class="k">
    [[who-label|Auskunft erteilt:]] [[who|Herr Diethelm Raabe]]<br>[[room-label|Zimmer:]]
    [[room|2.17]]<br>[[tel-label|Telefon:]] [[tel|0555 77-3418]]<br>[[mail-label|E-Mail:]]
    [[mail|verkehr@kirchau.example]]<br>[[ref-label|Aktenzeichen:]] [[ref|32.4-BP-0926/25]]<br>
    [[date-label|Datum:]] [[date|18. August 2025]]</div><div style="margin-top:150px;width:420px">
    [[to|Frau]]<br>[[to-name|Annegret Pohlmeier]]<br>[[to-street|Gerberstraße 41]]<br>
    [[to-town|00412 Kirchau]]</div><p style="margin-top:90px"><b>[[subject|Bewohnerparkausweis für
    die
    Zone C, Bescheid]]</b></p><p>[[hello|Sehr geehrte Frau Pohlmeier,]]</p><p>[[p1|auf Ihren Antrag
    vom [[applied|29. Juli 2025]] erteilen wir Ihnen für das Fahrzeug mit dem Kennzeichen
    [[plate|XX-AP 417]] einen Bewohnerparkausweis. Er [[valid-word|gilt]] vom
    [[valid-from|1. September 2025]] bis zum [[valid-to|31. August 2027]] in der Zone C, nicht
    jedoch
    auf dem [[market|Marktplatz]] und nicht [[market-days|mittwochs und samstags von 6 bis 14
    Uhr]] in der Mühlgasse.]]</p><p>[[p2|Die [[fee-word|Gebühr]] beträgt [[fee|62,00 €]] und ist
    binnen zwei Wochen unter Angabe des Kassenzeichens [[kz|8810 0417 26]] zu überweisen. Nach
    Eingang
    der Zahlung senden wir Ihnen die Plakette zu. Sie ist gut sichtbar hinter der
    [[glass|Windschutzscheibe]] anzubringen.]]</p><p>[[p3|Bei einem [[change-word|Wechsel des
    Fahrzeugs]] wird der Ausweis gegen eine Gebühr von [[change|10,20 €]] umgeschrieben. Ziehen
    Sie aus
    der Zone fort, so ist er [[return|unverzüglich zurückzugeben]]; volle Monate werden erstattet.
    Für
    [[guest-word|Besucher]] erhalten Sie im Bürgerbüro Tageskarten zu [[guest|3,50 €]], höchstens
    [[guest-max|zehn im Jahr]].]]</p><p>[[p4|Ihrem zweiten Antrag, einen Stellplatz vor dem Haus
    freizuhalten, konnten wir [[refused|nicht entsprechen]], da die Gerberstraße wegen der
    [[gas|Erneuerung der Gasleitung]] voraussichtlich bis [[gas-until|März 2026]] nur einseitig
    befahrbar ist.]]</p><p><b>[[rb|Rechtsbehelfsbelehrung]]</b><br>[[p5|Gegen diesen Bescheid kann
    innerhalb [[rb-time|eines Monats]] nach Bekanntgabe Widerspruch bei der Stadt Kirchau,
    [[rb-where|Rathausplatz 1]], eingelegt werden.]]</p><p>[[bye|Mit freundlichen Grüßen]]<br>
    [[by|Im Auftrag]]</p><p style="font:700 38px 'Dancing Script';margin:0">[[scribble|Raabe]]</p>
    <p style="font-size:17px">[[encl-label|Anlage:]] [[encl|Plan der Parkzonen]] ·
    [[hours-label|Öffnungszeiten Bürgerbüro:]] [[hours|Mo–Fr 8–12, Do auch 14–18 Uhr]]</p></div>"""
    html = fill(html.replace("SHEET", SHEET))
    return Page("letter-2", html, 1240, 1754, "de", skew=0.7, blur=0.6, noise=2, jpeg=58)


def friend() -> Page:
    """A handwritten letter between friends."""
    html = """
    <style>.s{width:1240px;height:1600px;box-sizing:border-box;background:#fbf6e6;padding:90px
    110px;
    font:600 33px/1.5 'Dancing Script';color:#233}</style><div class="s"><div
    style="text-align:right">[[place|Hexley]], [[date|12th October]]</div><p>[[hello|My dear
    Wilhelmina,]]</p><p>[[p1|thank you for the [[jam|quince jam]], which did not survive the week! I
    am writing at the kitchen table because the study is full of [[boxes|boxes]]: yes, we are really
    moving. On the [[move-day|eighth of November]] the [[van|van]] comes, and from then on our
    address
    will be [[newaddr|Tide Cottage, Gunnet Island]]. Can you picture Edgar on a ferry with
    [[hens|eleven hens]]?]]</p><p>[[p2|The house is small but it has a [[stove|green stove]] and a
    room for guests, which we call yours. The [[neighbour|neighbour]], a retired pilot named
    [[pilot|Mr Abernethy]], has already lent us his [[boat|rowing boat]]. [[edgar-word|Edgar will
    work]] three
    days a
    week at the [[edgar-job|bird station]] and I shall teach the island's [[pupils|nine pupils]]
    after
    Christmas.]]</p><p>[[p3|Now my request. Could you look after the [[piano-word|piano]] until
    [[piano|Easter]]? The tuner says it must not cross the sea in winter. [[weight-word|It weighs]]
    [[weight|230 kilos]], so ask your [[brothers|brothers]] to help. I would pay for the
    [[tuning|tuning]] of course, Mr Lowe takes [[lowe|seventy pounds]].]]</p><p>[[p4|Come for New
    Year, won't you? The last [[boat2|boat before the holidays]] sails on the
    [[lastboat|thirtieth at noon]]. Bring warm socks and that [[book|book about lighthouses]]. Our
    [[phone-word|telephone]] there will be [[phone|01555 909 174]], though only from
    [[phone-from|the 20th]].]]</p><p>[[bye|With love, also from Edgar and the hens,]]</p><p
    style="font-size:46px;margin:0">[[sign|Rosamund]]</p><p>[[ps|P.S. Did you ever hear from
    [[felix|Felix]]? He still owes me [[owes|a bicycle]].]]</p></div>"""
    return Page("letter-3", fill(html), 1240, 1600, skew=2.1, colours=16)


def bank() -> Page:
    """A bank in French about a loan, scanned."""
    plan = cells(
        """
        Janvier 2026 | 412,18 | 96,40 | 508,58 | 27 587,82
        Février 2026 | 413,62 | 94,96 | 508,58 | 27 174,20
        Mars 2026 | 415,04 | 93,54 | 508,58 | 26 759,16
        Avril 2026 | 416,47 | 92,11 | 508,58 | 26 342,69
        Mai 2026 | 417,91 | 90,67 | 508,58 | 25 924,78
        Juin 2026 | 419,34 | 89,24 | 508,58 | 25 505,44
        """
    )
    html = """
    <style>.s{SHEET background:#fff;padding:85px 110px;font:22px/1.45 'EB Garamond'}
    table{width:100%;
    border-collapse:collapse;margin:14px 0} th,td{border-bottom:1px solid #777;padding:5px;
    text-align:right} .c-month{text-align:left} p{margin:13px 0}</style><div class="s"><b
    style="font-size:38px;color:#123a6b">[[firm|Crédit des Deux Rives]]</b><br>[[branch|Agence de
    Lanvézec, 2 place du Marché]]<div style="margin:50px 0 30px 560px">[[to|Madame Hortense
    Le Gallic]]<br>[[to-street|11, venelle des Moulins]]<br>[[to-town|00560 Lanvézec]]</div>
    [[place|Lanvézec]], le [[date|24 novembre 2025]]<br>[[ref-label|Nos références :]]
    [[ref|PRT-0041-7720]]<p><b>[[subject|Votre prêt travaux]]</b></p><p>[[hello|Madame,]]</p><p>
    [[p1|Nous avons le plaisir de vous accorder le prêt de [[sum|28 000 €]] que vous avez demandé
    pour
    la [[what|réfection de votre toiture]]. Le [[rate-word|taux]] est fixe, à [[rate|4,15 %]]
    l'an, hors
    assurance. Vous remboursez en [[count|60 mensualités]] de [[month|508,58 €]], prélevées le
    [[day|5 de chaque mois]], la première en janvier 2026.]]</p>@plan@<p>[[p2|Les fonds sont
    [[paid-word|versés]] sur présentation des factures, au plus tard le [[paid-by|30 avril 2026]].
    L'assurance facultative coûte [[insure|9,33 € par mois]] ; elle couvre le décès et l'invalidité.
    Les [[file-word|frais de dossier]], soit [[file|140 €]], sont offerts si vous nous retournez
    l'offre
    signée avant le [[offer|12 décembre]].]]</p><p>[[p3|Vous disposez d'un délai de
    [[withdraw-word|rétractation]] de [[withdraw|quatorze jours]] à compter de la signature. Un
    [[early-word|remboursement anticipé]] est possible à tout moment ; une indemnité de
    [[early|1 %]] s'applique au-delà de 10 000 € par an.]]</p><p>[[p4|Votre conseillère,
    [[adviser|Mme Yseult Tanguy]], vous reçoit sur rendez-vous au [[tel|02 55 50 41 18]], du mardi
    au
    samedi. Merci d'apporter une pièce d'identité et votre dernier [[bring|avis
    d'imposition]].]]</p>
    <p>[[bye|Veuillez agréer, Madame, l'expression de nos salutations distinguées.]]</p>
    <p>[[sign|Gwenaël Morvan]]<br>[[role|Directeur de l'agence]]</p></div>"""
    columns = [
        ("month", "Échéance"),
        ("capital", "Capital"),
        ("interest", "Intérêts"),
        ("total", "Mensualité"),
        ("left", "Reste dû"),
    ]
    html = fill(html.replace("SHEET", SHEET), plan=table(columns, plan))
    return Page("letter-4", html, 1240, 1754, "fr", skew=-0.9, colours=16)


def clinic() -> Page:
    """A hospital's letter to a family doctor: findings and medicines."""
    labs = cells(
        """
        Haemoglobin | 11.2 | g/dl | 12.0–15.5
        White cells | 6.8 | /nl | 4.0–10.0
        Platelets | 241 | /nl | 150–400
        Creatinine | 1.31 | mg/dl | 0.5–0.9
        Potassium | 4.9 | mmol/l | 3.5–5.1
        Sodium | 138 | mmol/l | 135–145
        Ferritin | 9 | µg/l | 15–150
        TSH | 2.4 | mU/l | 0.4–4.0
        HbA1c | 6.1 | % | below 6.5
        """
    )
    html = """
    <style>.s{SHEET background:#fff;padding:75px 95px;font:20px/1.45 'Noto Sans'} table{width:760px;
    border-collapse:collapse;margin:10px 0} th,td{border:1px solid #888;padding:3px 10px;
    text-align:left} p{margin:12px 0} .h{border-bottom:4px solid #008080;padding-bottom:10px;
    display:flex;justify-content:space-between}</style><div class="s"><div class="h"><b
    style="font-size:30px;color:#008080">[[firm|Moorside Hospital]]</b><span
    style="text-align:right">[[ward|Medical ward 4, Prof. E. Castellanos]]<br>[[tel-label|Ward]]
    [[tel|01555 660 404]] · [[fax-label|Fax]] [[fax|01555 660 499]]</span></div><p>[[to|Dr Petra
    Longstaff, Hexley Surgery]]</p><p>[[date|17 September 2025]]</p><p>[[re-label|Patient:]]
    <b>[[name|
    Edwina Marchbanks]]</b>, [[born-label|born]] [[born|8 June 1949]]; [[stay-label|in hospital
    from]]
    [[stay|9 to 16 September 2025]]</p><p><b>[[dx-label|Diagnoses:]]</b> [[dx1|iron deficiency
    anaemia
    from a gastric ulcer]]; [[dx2|high blood pressure]]; [[dx3|kidney disease, stage 3a]];
    [[dx4|fractured left wrist (2023)]].</p><p>[[hello|Dear colleague,]] [[p1|Mrs Marchbanks was
    admitted after she had [[why|fainted in the post office]]. She reported tiredness for
    [[since|six weeks]] and black stools. [[gastro-word|Gastroscopy]] on [[gastro|11 September]]
    showed an ulcer of [[size|9 mm]] without active bleeding; two biopsies were taken and
    [[biopsy|showed no malignancy]]. She received [[blood|one unit]] of red cells. An ECG was
    normal, and the echocardiogram showed an ejection fraction of [[ef|58 %]].]]</p>@labs@<p>
    <b>[[rx-label|Medicines on leaving:]]</b> [[rx1|Omeprazid 40 mg]], [[rx1-how|before breakfast,
    for
    eight weeks]]; [[rx2|Ferrolan 100 mg]], [[rx2-how|every second day]]; [[rx3|Amlodex 5 mg]],
    [[rx3-how|evenings]]; [[stop-word|stopped:]] [[stop|Ibuflam]] (probable cause of the
    ulcer).</p><p>
    [[p2|We ask you to [[check-word|check the blood count]] in [[check|two weeks]] and the kidney
    values
    in three months. A second gastroscopy is booked here for [[again|13 November at 8.15]]; she must
    not eat from [[fast|midnight]] on. Her daughter [[daughter|Cordelia]] will stay with her
    until the end of the month. A [[nurse-word|district nurse]] calls on
    [[nurse|Mondays and Thursdays]]. She should not [[drive-word|drive]] before
    [[drive|1 October]].]]</p><p>[[bye|With kind regards,]]</p><p>[[sign|Dr Ikenna Stroud]],
    [[role|senior house officer]] · [[sign2|Prof. E. Castellanos]], [[role2|consultant]]</p>
    <p style="font-size:16px">[[foot|Results that are still awaited: [[await|vitamin B12]]. Copy to
    the patient.]]</p></div>"""
    columns = [("test", "Test"), ("value", "Value"), ("unit", "Unit"), ("normal", "Normal")]
    html = fill(html.replace("SHEET", SHEET), labs=table(columns, labs))
    return Page("letter-5", html, 1240, 1754)


def mail() -> Page:
    """An e-mail in a program, with a list of others beside it."""
    others = cells(
        """
        Ottoline Brandt | Re: choir on Thursday | 16:42
        Fenway Buses | Your season ticket | 15:10
        Marek | keys?? | 14:58
        Parcel Fox | Your parcel comes tomorrow | 13:31
        Dr Nkemelu | Appointment moved | 11:07
        Library Aldport | Two books are due | 09:00
        Swiftnet | Your bill for November | Mon
        Grandpa | photo of the pumpkin | Mon
        Pagecroft Books | Order shipped | Sun
        Kite Club | Newsletter 44 | Sat
        """
    )
    lines = "".join(
        f'<div class="m"><b id="m{n}-who">{who}</b><span id="m{n}-time">{time}</span><br>'
        f'<i id="m{n}-sub">{subject}</i></div>'
        for n, (who, subject, time) in enumerate(others)
    )
    html = """
    <style>.s{width:1600px;height:1000px;background:#fff;display:grid;
    grid-template-columns:210px 400px 1fr;font:18px/1.5 Roboto;color:#222} .n{background:#27323f;
    color:#cfd8e3;padding:24px;line-height:2.2} .l{border-right:1px solid #ddd} .m{padding:12px
    18px;
    border-bottom:1px solid #eee;position:relative} .m span{position:absolute;right:18px;color:#888}
    .m i{font-style:normal;color:#555} .b{padding:26px 40px}</style><div class="s"><div class="n"><b
    style="font-size:22px">[[app|Pigeon]]</b><br>[[n1|Inbox]] [[n1-count|23]]<br>[[n2|Starred]]<br>
    [[n3|Sent]]<br>[[n4|Drafts]] [[n4-count|4]]<br>[[n5|Choir]]<br>[[n6|House]]<br>[[n7|Bills]]<br>
    [[n8|Bin]]</div><div class="l">@lines@</div><div class="b"><div style="font-size:26px">
    [[subject|Re: choir on Thursday]]</div><div style="color:#666;margin:8px 0 18px">
    [[from-label|From]] [[from|Ottoline Brandt]] · [[to-label|to]] [[to|Sunniva, altos (9)]] ·
    [[date|Tue 11 Nov 2025, 16:42]]</div><p>[[hello|Dear altos,]]</p><p>[[p1|a few changes,
    because St
    Brannoc's is being painted. On Thursday we [[where-word|rehearse]] in the
    [[where|gym of Neverton school]], entrance at the back, from [[start|19:15]] to 21:00. Please
    bring your own [[chairs|cushions]], there are only benches. [[lift-word|Lifts]] from the
    station:
    ask [[lift|Deniz]], he has [[seats|three seats]].]]</p><p>[[p2|We will work on the
    [[piece1|Fauré]]
    from bar [[bar|64]] and on the two carols. The [[folder-word|new folder]] with the carols costs
    [[folder|€7.50]]; pay in cash to [[cashier|Benedikta]]. Whoever cannot come to the
    [[concert-word|concert]] on [[concert|Sunday 14 December at 17:00]] should tell me by
    [[tellby|the 20th]], so that I can find stand-ins.]]</p><p>[[p3|Clothes: black, with something
    [[colour|dark red]]. [[solo-word|Solo]] in the second carol: [[solo|Ludmila]], and if she is
    still hoarse, Fiona.]]</p><p>[[p4|And a sad word: our pianist [[pianist|Mr Hallström]] leaves
    us in
    January for Lanvézec. We collect for a present, [[gift|an old map of the harbour]]; anything
    between 5 and 10 euros is fine.]]</p><p>[[bye|See you Thursday,]]<br>[[sign|Ottoline]]</p><p
    style="color:#777">[[foot|Attached: [[file1|carol_2_alto.pdf]] ([[file1-size|420 KB]]),
    [[file2|plan_december.xlsx]] ([[file2-size|18 KB]])]]</p></div></div>"""
    return Page("letter-6", fill(html, lines=lines), 1600, 1000)


def notice() -> Page:
    """A typed letter of notice from an employer, photographed."""
    html = """
    <style>.s{SHEET background:#f7f4ee;padding:110px 130px;font:24px/1.45 'Courier Prime'}
    #hours-word{white-space:nowrap}
    p{margin:16px 0}</style><div class="s"><div>[[firm|QUILLON SURVEYORS]]<br>[[street|Harbour
    Chambers, 30 Dock Road]]<br>[[town|Aldport AP1 3DF]]</div><div style="margin:44px 0">[[date|24
    June
    2025]]<br><br>[[to|Mr Lucan Farthingale]]<br>[[to-street|6 Mariner's Row]]<br>[[to-town|Aldport
    AP4 9BB]]</div><p>[[hello|Dear Lucan,]]</p><p>[[subject|OFFER OF EMPLOYMENT: SENIOR
    SURVEYOR]]</p>
    <p>[[p1|Further to your interviews on 5 and 12 June we are delighted to offer you the post named
    above. You would [[start-word|begin]] on [[start|1 September 2025]] and report to
    [[boss|Verity Lockwood]], head of marine works.]]</p><p>[[p2|Your [[pay-word|salary]] will be
    [[pay|£46,800]] a year, paid on the [[payday|25th]] of each month. After a [[trial-word|trial
    period]] of [[trial|four months]] it will be reviewed. The [[hours-word|working week]] is
    [[hours|36 hours]]; work on Saturdays is paid at [[saturday|one and a half times]] the usual
    rate. You are entitled to [[leave|27 days]] of [[leave-word|holiday]] besides bank
    holidays.]]</p><p>[[p3|We contribute [[pension|7 %]] to your [[pension-word|pension]]. A
    company van is provided; private use is limited to [[miles|3,000 miles]] a year. Tools up to
    [[tools|£350]] are refunded against receipts.]]</p><p>[[p4|During the trial period either side
    may
    give [[notice-word|notice]] of [[notice|two weeks]], thereafter [[notice2|three
    months]].]]</p><p>
    [[p5|The offer depends on two references and a [[medical|diving medical]], which we have
    arranged
    with Dr Salter on [[medical-day|9 July]]. Please sign the copy and return it by
    [[reply|4 July]].]]</p><p>[[bye|Yours sincerely,]]</p><p style="font:700 42px 'Dancing Script'">
    [[scribble|Ambrose Quillon]]</p><p>[[sign|Ambrose Quillon]], [[role|managing partner]]</p><p
    style="font-size:19px">[[enc-label|Enc.]] [[enc|staff handbook, parking map]]</p></div>"""
    html = fill(html.replace("SHEET", SHEET))
    return Page("letter-7", html, 1240, 1754, skew=-3.1, noise=2, blur=0.6, jpeg=58)


def renewal() -> Page:
    """An insurer's letter about a motor policy: last year's figures beside this year's."""
    rows = cells(
        """
        Premium, comprehensive cover | £412.60 | £448.15
        Insurance premium tax, 12 % | £49.51 | £53.78
        Breakdown cover, home and abroad | £58.00 | £61.50
        Legal expenses | £24.00 | £24.00
        Courtesy car | included | £18.90
        No-claims discount | 5 years, 55 % | 6 years, 60 %
        Compulsory excess | £250 | £300
        Voluntary excess | £150 | £150
        Excess for windscreen, repair | £10 | £25
        Excess for windscreen, new glass | £75 | £115
        Annual mileage | 8,000 miles | 10,000 miles
        Value of the car | £9,200 | £8,050
        """
    )
    html = """
    <style>.s{width:1190px;height:1684px;box-sizing:border-box;background:#fff;padding:70px 96px;
    font:20px/1.48 Carlito} .r{display:flex;justify-content:space-between} p{margin:12px 0}
    p span{white-space:nowrap} table{width:100%;border-collapse:collapse;margin:14px 0} td,th{
    padding:5px 12px;text-align:right;border-bottom:1px solid #c6cede} th{background:#e9edf6}
    td:first-child,th:first-child{text-align:left} .x{border-left:6px solid #3f51b5;background:
    #f4f6fc;padding:10px 20px}</style><div class="s"><div class="r"><div style="font:300 44px Lato;
    color:#3f51b5">[[firm|Larkspur Mutual]]</div><div style="text-align:right;font-size:17px">
    [[street|Fountain House, 200 Guild Street]]<br>[[town|Millbridge MB1 1LM]]<br>[[hours-label|
    Lines open]] [[hours|Mon–Fri 8–20, Sat 9–14]]</div></div><div style="margin-top:30px">[[to|Mrs
    Theodora Lascelles]]<br>[[to-street|The Old Forge, 2 Green Lane]]<br>[[to-town|Brackendale BK6
    4DE]]</div><div class="r" style="margin-top:24px"><span>[[pol-label|Policy]] [[pol|LM-M
    7740912]] · [[car-label|Vehicle]] [[car|blue estate, BK19 VTR]]</span><span>[[date|17 October
    2025]]</span></div><p>Dear Mrs Lascelles,</p><p><b>[[subject|Your motor insurance ends on 14
    November]]</b></p><p>Thank you for having been with us since [[since|2016]]. If you do nothing,
    we shall renew your policy at [[renew|00:01 on 15 November]] and take the yearly price of
    <b>[[price|£606.33]]</b> from the card ending [[card|2087]]. In [[rates-word|ten
    instalments]] it would be [[rates|£64.90 a month]]. This is how it is made up, and what you paid
    before:</p>@grid@<p>Why has it gone up? Repairs now cost on average a [[why|fifth more]] than
    two years ago, and you told us that you drive further since you began to work in Aldport. Two
    things bring the price down: a [[track-word|tracking box]] saves you [[track|£39]], and a
    [[garage-word|locked garage]] at night [[garage|£22]].</p><div class="x">Named drivers:
    [[d1|Theodora Lascelles]], [[d2|Hugo Lascelles]] and, since [[d3-when|March]], your daughter
    [[d3|Clementine (20)]]. An accident with a [[young-word|driver under 25]] has an extra excess of
    [[young|£400]].</div><p>The car is covered abroad for [[abroad|90 days a year]]; no green card
    is needed. If you [[lend-word|lend the car]] to somebody who is not named, the cover shrinks to
    [[lend|third party only]]. Tools and goods for work are insured up to [[tools|£500]], a
    [[child-word|child seat]] is replaced [[child|without limit]] after any accident. Please check
    the enclosed sheet; a [[wrong-word|wrong answer]] can cost you the cover.</p><p>You can
    [[stop-word|stop the renewal]] until [[stop|12 November]] by telephone, on
    [[phone|0555 808 1200]], or online. Should you change your mind later, you have [[cool|14 days]]
    and pay only for the days used and a fee of [[cool-fee|£30]]. Claims are taken day and night on
    [[claim|0555 808 1999]].</p><p>Yours sincerely,</p><p style="font:700 36px 'Dancing Script';
    margin:0">[[scribble|Ottoline Baird]]</p><p>[[sign|Ottoline Baird]], [[role|head of customer
    service]]</p></div>"""
    columns = [("item", "Your cover"), ("old", "Until 14 November"), ("new", "From 15 November")]
    return Page("letter-8", fill(html, grid=table(columns, rows)), 1190, 1684)


def neighbours() -> Page:
    """A Spanish manager of a block of flats calls its owners to a meeting."""
    rows = cells(
        """
        Bajo A (local) | 9,40 % | 2.961,00 € | 493,50 €
        Bajo B | 5,10 % | 1.606,50 € | 267,75 €
        1.º A | 7,85 % | 2.472,75 € | 412,13 €
        1.º B | 6,90 % | 2.173,50 € | 362,25 €
        2.º A | 7,85 % | 2.472,75 € | 412,13 €
        2.º B | 6,90 % | 2.173,50 € | 362,25 €
        3.º A | 8,00 % | 2.520,00 € | 420,00 €
        3.º B | 7,05 % | 2.220,75 € | 370,13 €
        4.º A | 8,15 % | 2.567,25 € | 427,88 €
        4.º B | 7,20 % | 2.268,00 € | 378,00 €
        Ático | 12,60 % | 3.969,00 € | 661,50 €
        Garajes (13) | 13,00 % | 4.095,00 € | 682,50 €
        """
    )
    html = """
    <style>.s{SHEET background:#fff;padding:84px 120px;font:20px/1.46 'Noto Serif'} p{margin:12px 0}
    p span,li span{white-space:nowrap} table{width:86%;margin:12px auto;border-collapse:collapse;
    font-size:18px} td,th{border:1px solid #666;padding:3px 12px;text-align:right} td:first-child,
    th:first-child{text-align:left} li{margin:3px 0} .r{display:flex;justify-content:space-between}
    </style><div class="s"><div class="r"><div><b style="font-size:26px">[[firm|Fincas
    Belmonte]]</b><br>[[job|Administración de comunidades]]<br>[[street|C/ Tejedores, 31, 1.º]]<br>
    [[town|00455 Montalera]]</div><div style="text-align:right">[[tel-label|Tel.]] [[tel|955 550
    274]]<br>[[open-label|Atención]] [[open|lunes a jueves, 10–13 h]]<br>[[date|Montalera, a 6 de
    octubre de 2025]]</div></div><p style="margin-top:26px">[[to|A los propietarios de la calle
    Olmos, 12]]</p><p>Estimados vecinos:</p><p>Por encargo de su presidenta, [[pres|D.ª Remedios
    Arnáiz]], les convoco a la [[kind|junta extraordinaria]] que se celebrará el [[when|jueves 23 de
    octubre]] en el [[where|portal de la finca]], a las [[first|19:00]] en primera convocatoria y a
    las [[second|19:30]] en [[second-word|segunda]], con este orden del día:</p><ol><li>Instalación
    de un ascensor
    y elección del presupuesto.</li><li>Derrama y forma de pago.</li><li>Humedades en el
    [[damp|garaje, plaza 7]].</li><li>Ruegos y preguntas.</li></ol><p>Se han recibido tres ofertas:
    [[o1|Elevadores Tajuña]] por [[o1-sum|68.400 €]], [[o2|Verticalia]] por [[o2-sum|63.000 €]] y
    [[o3|Hermanos Lucio]] por [[o3-sum|71.950 €]]. La segunda es la que recomienda el arquitecto,
    [[arch|D. Jacobo Sanchís]]. La obra duraría [[long|catorce semanas]]; durante
    [[stairs|nueve días]] la escalera tendrá paso alternativo por el patio. La Junta
    [[grant-word|subvenciona]] la [[grant|mitad del coste]], de modo que quedan por pagar 31.500 €,
    repartidos así, en [[months|seis recibos]] a partir de [[start|enero de 2026]]:</p>@grid@<p>El
    local de la planta baja ha pedido [[shop-word|quedar exento]]; harían falta los votos de
    [[shop|tres quintas partes]]. Quien no pueda asistir puede [[proxy-word|delegar su voto]] con el
    volante adjunto, que se entrega a la [[proxy|portera, Herminia]], hasta la víspera. Los
    propietarios con [[debt-word|recibos pendientes]] (a día de hoy, [[debt|dos]]) tienen voz pero
    no voto.</p><p>Aprovecho para recordarles que el [[boiler-word|encendido de la calefacción]]
    será el [[boiler|3 de noviembre]], que la [[bulk-word|recogida de muebles]] pasa los
    [[bulk|primeros martes de mes]] y que las [[keys-word|llaves nuevas de la azotea]] cuestan
    [[keys|6 €]] la copia.</p><p>Atentamente,</p><p style="font:600 34px 'Dancing Script';margin:0">
    [[scribble|Fermín Belmonte]]</p><p>[[sign|Fermín Belmonte Oria]], [[role|administrador, col. n.º
    0418]]</p></div>"""
    columns = [("who", "Piso"), ("part", "Cuota"), ("sum", "Total"), ("rate", "Recibo mensual")]
    html = fill(html.replace("SHEET", SHEET), grid=table(columns, rows))
    return Page("letter-9", html, 1240, 1754, "es", colours=16)


def museum() -> Page:
    """A museum writes on a typewriter about the loan of a painting; photographed askew."""
    html = """
    <style>.s{SHEET background:#f6f1e4;padding:130px 150px;font:21px/1.5 'Courier Prime';color:#222}
    p{margin:15px 0} p span{white-space:nowrap}</style><div class="s"><div style="text-align:center;
    letter-spacing:3px"><b style="font-size:28px">[[firm|PELLWORTH MUSEUM OF THE SEA]]</b><br>
    [[street|Customs Quay, Pellworth PW1 1CQ]]<br>[[tel|Telephone Pellworth 418]]</div><p
    style="margin-top:34px">[[date|2 February 2025]]</p><p>[[to|Miss Ursula Tregarthen]]<br>
    [[to-house|Signal House]]<br>[[to-town|St Brannoc]]</p><p>Dear Miss Tregarthen,</p><p>
    [[subject|Loan of "The Wreck of the Amaranth", oil, 1871]]</p><p>We were delighted by your
    letter of [[yours|19 January]] and by your offer to lend us your great-grandfather's picture for
    our exhibition "[[show|Salt and Timber]]". It will be open from [[open|10 May]] to [[shut|28
    September]]. After that the picture may travel to [[next|Nordholm]], but only if you agree;
    please say so on the green sheet.</p><p>Our driver, [[driver|Mr Pascoe]], would call on
    [[fetch|Tuesday 8 April at about eleven]], with an assistant and a padded case. The way down
    your cliff path is too narrow for the van, so they will carry it as far as the [[carry|chapel
    gate]]. Kindly leave it on the wall until they come: it should not be [[lean-word|leaned against
    a radiator]], not even for an hour.</p><p>The picture is [[ins-word|insured]] from nail to nail
    for [[ins|£18,500]]. Miss Adair, who will [[clean-word|clean the frame]], reckons that this
    takes [[clean|three weeks]]; the [[tear-word|small tear]] at the lower edge she would mend at
    our expense, for about [[tear|£340]]. In the show it will hang in [[room|Room 4]], beside the
    [[bell|ship's bell]], at 50 lux and behind [[glass|plain glass]].</p><p>As a [[thanks-word|
    thank-you]] we should like to give you [[thanks|twelve tickets]] and a [[copy-word|full-size
    copy]] for the empty place [[fire-word|over your fireplace]], which [[copy|Mr Oduya]] prints in
    our workshop.
    The [[label-word|label]] will say "[[label|Private collection]]", unless you prefer your
    name.</p><p>One question remains. On the back we saw, in pencil, the number [[pencil|77 B]] and
    the name of a [[dealer-word|dealer]], [[dealer|Lorrimer of Aldport]]. Do you know when your
    family bought it? Our archive has his books only for the years [[books|1868 to 1874]].</p><p>
    Please return [[sheet-word|both sheets, signed]], by [[sheet|1 March]]. I can be reached any
    morning but [[off|Thursday]].</p><p>Yours very truly,</p><p
    style="font:700 40px 'Dancing Script';margin:4px 0">[[scribble|J.
    Penrose-Hale]]</p><p>[[sign|Josceline Penrose-Hale]]<br>
    [[role|Keeper of Paintings]]</p></div>"""
    html = fill(html.replace("SHEET", SHEET))
    return Page("letter-10", html, 1240, 1754, skew=3.6, blur=0.7, noise=3, jpeg=56)


def pages() -> list[Page]:
    """All letters."""
    return [
        landlord(),
        school(),
        authority(),
        friend(),
        bank(),
        clinic(),
        mail(),
        notice(),
        renewal(),
        neighbours(),
        museum(),
    ]
