"""Labels: nutrition, parcels, medicine, wine, cosmetics, clothes, a machine's plate, a plant."""

from page import Page, cells, fill, table


def oats() -> Page:
    """The back of a packet of muesli."""
    rows = cells(
        """
        Energy | 1,612 kJ | 645 kJ | 8 %
        | 384 kcal | 154 kcal |
        Fat | 9.6 g | 3.8 g | 5 %
        of which saturates | 1.9 g | 0.8 g | 4 %
        Carbohydrate | 58.3 g | 23.3 g | 9 %
        of which sugars | 13.7 g | 5.5 g | 6 %
        Fibre | 10.2 g | 4.1 g | –
        Protein | 11.4 g | 4.6 g | 9 %
        Salt | 0.11 g | 0.04 g | 1 %
        Iron | 3.9 mg | 1.6 mg | 11 %
        Magnesium | 117 mg | 47 mg | 13 %
        """
    )
    html = """
    <style>.s{width:1000px;height:1120px;box-sizing:border-box;background:#f3e7cf;padding:50px 60px;
    font:20px/1.38 'Open Sans';color:#2d2416} table{width:100%;border-collapse:collapse;
    background:#fffaf0;margin:14px 0} td,th{border:1.5px solid #2d2416;padding:4px 10px;
    text-align:left} .c-a,.c-b,.c-c{text-align:right} .x{border:2px solid #2d2416;padding:10px 16px;
    margin-top:12px}</style><div class="s"><div style="font:800 42px 'Open Sans'">[[name|Hexley Mill
    Muesli]]</div>[[kind|Toasted oats with apple, fig and pumpkin
    seeds]]<p>[[ing-label|Ingredients:]]
    [[ing|wholegrain [[oat|oats]] (54 %), barley flakes, dried [[fig|fig (9 %)]], dried apple (7 %),
    [[seed|pumpkin seeds (6 %)]], rapeseed oil, honey (4 %), desiccated coconut, cinnamon, sea
    salt.]] <br>[[may-label|May contain traces of]] [[may|hazelnuts and milk]].</p>@grid@<div
    style="font-size:16px">[[ref|Reference intake of an average adult (8,400 kJ / 2,000 kcal).]]
    [[pack-label|Portions in this pack:]] [[pack|about 18]]</div><div class="x">[[use-label|How to
    eat it:]] [[use|40 g with 150 ml of milk, yoghurt or juice.]] [[store|Keep dry and below
    [[store-temp|22 °C]]. Once opened, eat within [[store-weeks|six weeks]].]]</div><div class="x"
    style="display:grid;grid-template-columns:1fr 1fr">
    <span>[[net-label|Net weight]] <b>[[net|750 g]]</b></span><span>[[best-label|Best before]]
    <b>[[best|14 08 2026]]</b></span><span>[[lot-label|Lot]] [[lot|L5318 B 04]]</span><span>
    [[org-label|Organic control]] [[org|XX-ÖKO-041]]</span><span>[[from-label|Origin of the oats]]
    [[from|Nordholm]]</span><span>[[ean-label|EAN]] [[ean|0 004418 772056]]</span></div><p
    style="font-size:17px">[[maker|Made by Hexley Mill Co-operative, Mill Lane 2, Hexley HX1 4QQ.]]
    [[help-label|Complaints:]] [[help|01555 240 240]]. [[bin|Bag: [[bin-bag|plastic waste]], box:
    [[bin-box|paper]].]] [[recipe|Find 30 recipes at [[web|hexleymill.example]].]]</p></div>"""
    columns = [("what", "Nutrition"), ("a", "per 100 g"), ("b", "per 40 g"), ("c", "RI per 40 g")]
    html = fill(html, grid=table(columns, rows))
    return Page("label-0", html, 1000, 1120)


def parcel() -> Page:
    """A parcel's label, crumpled a little."""
    html = """
    <style>.s{width:900px;height:1300px;box-sizing:border-box;background:#fff;padding:36px 44px;
    font:22px/1.35 'Liberation Sans'} .b{border:3px solid #000;padding:12px 16px;margin-bottom:-3px}
    .r{display:flex;justify-content:space-between} .bars{height:150px;margin:14px 0;background:
    repeating-linear-gradient(90deg,#000 0 4px,#fff 4px 7px,#000 7px 15px,#fff 15px 19px,#000 19px
    21px,#fff 21px 29px)} .m{font:24px 'Liberation Mono'}</style><div class="s"><div class="b r"><b
    style="font-size:46px">[[firm|PARCEL FOX]]</b><b style="font-size:46px">[[service|EXPRESS
    24]]</b></div><div class="b"><span style="font-size:17px">[[from-label|FROM]]</span><br>
    [[from|Pagecroft Books, returns desk]]<br>[[from-street|Unit 3, Foundry Way]]<br>[[from-town|
    Potterton PT7 0ZZ]] · [[from-tel|01555 881 200]]</div><div class="b"
    style="font-size:32px"><span
    style="font-size:17px">[[to-label|TO]]</span><br>[[to|Sunniva Dahl]]<br>[[to-street|Rear
    building,
    2nd floor, 61 Tannery Lane]]<br><b>[[to-town|ALDPORT AP5 6LM]]</b></div><div class="b r"><span>
    [[weight-label|Weight]] <b>[[weight|3.74 kg]]</b></span><span>[[dim-label|Size]] <b>[[dim|40 ×
    30 ×
    18 cm]]</b></span><span>[[piece-label|Piece]] <b>[[piece|2 of 3]]</b></span></div><div
    class="b r">
    <span>[[route-label|Route]] <b style="font-size:52px">[[route|AP-07-D]]</b></span><span>
    [[depot-label|Depot]] <b style="font-size:52px">[[depot|44]]</b></span><span>[[tour-label|Tour]]
    <b style="font-size:52px">[[tour|118]]</b></span></div><div class="b"><div
    class="bars"></div><div
    class="m" style="text-align:center">[[track|PF 0044 1877 2056 91]]</div></div><div class="b r">
    <span>[[date-label|Shipped]] [[date|10 Nov 2025, 17:22]]</span><span>[[ref-label|Sender's ref.]]
    [[ref|RMA 20418]]</span></div><div class="b">[[cod-label|Cash on delivery]]
    <b>[[cod|£27.90]]</b> ·
    [[ins-label|Insured up to]] <b>[[ins|£500]]</b> · [[age-label|Age check]] <b>[[age|18+]]</b><br>
    [[note-label|Instruction:]] <b>[[note|leave with the hairdresser, no. 59]]</b></div><div
    class="b" style="font-size:18px">[[lift|Do not use hooks. This side up. If undeliverable, return
    after [[return-days|7 days]].]] [[time-label|Deliver before]] [[time|12:00]]</div></div>"""
    return Page("label-1", fill(html), 900, 1300, skew=3.2, noise=2, blur=0.6, jpeg=64)


def tablets() -> Page:
    """A pharmacy's label and a box of tablets, in German."""
    html = """
    <style>.s{width:1300px;height:700px;box-sizing:border-box;background:#fff;padding:40px 50px;
    font:21px/1.4 Roboto;border-top:34px solid #00695c} .c{display:grid;
    grid-template-columns:1.25fr 1fr;column-gap:40px} .x{border:2px solid
    #00695c;border-radius:12px;
    padding:16px 20px} p{margin:9px 0}</style><div class="s"><div class="c"><div><div
    style="font:900
    54px Roboto;color:#00695c">[[name|Cardivexin]] <span style="font-size:36px">[[dose|50
    mg]]</span>
    </div>[[form|Filmtabletten, zum Einnehmen]]<p>[[for-label|Anwendung:]] [[for|bei erhöhtem
    Blutdruck
    und nach Herzinfarkt]]</p><p>[[act-label|Wirkstoff:]] [[act|Metoprolat]]. [[aux-label|Sonstige
    Bestandteile:]] [[aux|Lactose, Maisstärke, Titandioxid]]</p><p>[[warn|Nicht anwenden bei
    [[warn-what|schwerem Asthma]]. Kann die [[drive|Reaktionsfähigkeit]] beeinträchtigen: Vorsicht
    im
    Straßenverkehr. Keinen [[grape|Grapefruitsaft]] dazu trinken.]]</p><p>[[miss|Einnahme
    [[miss-word|vergessen]]? Nicht die doppelte Menge nehmen, sondern [[miss-do|zur nächsten Zeit
    weitermachen]].]]</p><p>[[store|Nicht über [[store-temp|25 °C]] lagern. Für
    [[kids|Kinder]] unzugänglich aufbewahren.]]</p><p>[[pack-label|Packung:]] [[pack|100 Tabletten
    (N3)]] · [[pzn-label|PZN]] [[pzn|00418772]]</p></div><div class="x"><b>[[shop|Apotheke am Tor,
    Kirchau]]</b><p>[[who-label|Für:]] <b>[[who|Herrn Gerold Pohlmeier]]</b></p><p>[[how-label|
    Dosierung:]] <b style="font-size:26px">[[how|morgens 1, abends ½]]</b><br>[[how2|mit etwas
    Wasser,
    [[meal|nach dem Essen]]]]</p><p>[[doc-label|Verordnet von]] [[doc|Dr. Ilka Wernstedt]]</p><p>
    [[date-label|Abgabe am]] [[date|06.11.2025]]</p><p>[[paid-label|Zuzahlung]] [[paid|5,00
    €]]</p><p>
    [[next-label|Neues Rezept nötig ab]] [[next|12.01.2026]]</p><p>[[tel-label|Notdienst]]
    [[tel|0555 22 833]]</p></div></div><div style="display:flex;justify-content:space-between;
    border-top:2px solid #00695c;margin-top:18px;padding-top:10px"><span>[[exp-label|Verwendbar
    bis]] <b>[[exp|09.2027]]</b></span><span>[[lot-label|Ch.-B.]] [[lot|K41 8772]]</span><span>
    [[maker|Nordpharm Tannhagen GmbH]]</span></div></div>"""
    return Page("label-2", fill(html), 1300, 700, "de", skew=-1.2, blur=0.5, colours=24)


def wine() -> Page:
    """The front and back of a bottle of French wine."""
    html = """
    <style>.s{width:1300px;height:960px;display:grid;grid-template-columns:1fr 1fr;gap:40px;
    background:#3b2a2e;padding:60px;box-sizing:border-box;color:#3a1420} .a{background:#f6efdf;
    text-align:center;padding:70px 50px;font:24px/1.4 'EB Garamond'} .b{background:#f6efdf;
    padding:44px 46px;font:25px/1.42 'EB Garamond'} p{margin:11px 0}</style><div class="s"><div
    class="a"><div style="font-size:64px;line-height:1.1">[[name|Domaine de la
    Roche-Brune]]</div><div
    style="margin:34px 0;font-size:34px">[[cuvee|Les Vieilles Terrasses]]</div><div
    style="font-size:72px">[[year|2021]]</div><div style="margin-top:34px">[[aoc|Côtes d'Ourse
    contrôlée]]<br>[[bottled|Mis en bouteille au domaine]]<br>[[owner|Famille Astruc-Vidal,
    vignerons]]</div><div style="display:flex;justify-content:space-between;margin-top:60px"><span>
    [[alc|13,5 % vol.]]</span><span>[[vol|75 cl]]</span></div></div><div class="b"><p>[[p1|Nos
    vignes
    de [[age|cinquante ans]] poussent à [[high|420 mètres]], sur des terrasses de [[soil|schiste]]
    tournées vers le sud-est. Les raisins sont [[pick-word|vendangés]] à la main, fin
    [[pick|septembre]].]]</p><p>[[grape-label|Cépages :]]<br> [[grape1|grenache]] [[grape1-pc|60
    %]],
    [[grape2|syrah]] [[grape2-pc|25 %]], [[grape3|carignan]] [[grape3-pc|15 %]]</p><p>[[p2|Élevé
    [[barrel|quatorze mois]] en [[barrel-word|fûts]] de chêne. Nez de mûre et de garrigue, bouche
    ample,
    finale [[finish|poivrée]].]]</p><p>[[serve-label|À servir à]] [[serve|16–17 °C]],
    [[open|ouvrir [[open-h|deux heures]] avant]].</p><p>[[with-label|Accompagne]] [[with|gigot
    d'agneau, daube, tomme de brebis]].</p><p>[[keep-label|Garde :]] [[keep|jusqu'en 2033]]</p><p>
    [[count-label|Production :]] [[count|6 840 bouteilles]]</p><p>[[sul|Contient des
    [[sul-what|sulfites]].]] [[preg|Déconseillé aux femmes enceintes.]]</p><p
    style="font-size:18px">
    [[lot-label|Lot]] [[lot|L 21-VT-03]] · [[addr|Chemin des Restanques, 00295 La Roche-Brune]] ·
    [[visit|Caveau ouvert le [[visit-day|samedi de 10 h à 18 h]]]] · [[kcal-label|Énergie 100 ml :]]
    [[kcal|332 kJ / 80 kcal]]</p></div></div>"""
    return Page("label-3", fill(html), 1300, 960, "fr")


def cream() -> Page:
    """A tube of sun cream, unrolled."""
    html = """
    <style>.s{width:1400px;height:580px;box-sizing:border-box;background:#fff5e0;
    border-left:40px solid #ff8f00;border-right:40px solid #ff8f00;padding:36px 50px;
    font:19px/1.4 Quicksand;font-weight:600;color:#3e2723} .c{display:grid;
    grid-template-columns:1fr 1.5fr 1fr;column-gap:40px} p{margin:8px 0}</style><div class="s"><div
    class="c"><div style="text-align:center"><div style="font-size:52px;color:#e65100">
    [[name|Helio]]</div><div style="font-size:30px">[[kind|Sun milk for children]]</div><div
    style="font-size:110px;line-height:1;color:#e65100">[[spf|50+]]</div>[[spf-label|SPF]],
    [[uva|UVA protection very high]]<p style="font-size:26px">[[vol|200 ml e 6.7 fl oz]]</p>
    <p>[[water|Waterproof for [[water-min|80 minutes]]]]</p><p>[[free|No perfume, no
    colour]]</p></div>
    <div><p><b>[[use-label|Use:]]</b> [[use|Put on generously [[before|20 minutes]] before going
    out.
    [[again-word|Repeat every]] [[again|two hours]] and after bathing or towelling. Adults need
    [[amount|about six
    teaspoons]] for the whole body.]]</p><p><b>[[warn-label|Warnings:]]</b> [[warn|Do not stay in
    the
    midday sun from [[noon|11 to 15 h]]. Keep babies [[baby|under one year]] in the shade. Avoid the
    eyes; if it gets in, [[eyes|rinse with lukewarm water]]. May leave [[stain|yellow marks on
    cotton]].]]</p><p style="font-size:15px"><b>[[ing-label|Ingredients:]]</b> [[ing|Aqua,
    Homosalate-free filter blend, Zinc Oxide (nano), Glycerin, Caprylic Triglyceride, Cetearyl
    Alcohol,
    Panthenol, Tocopherol, Xanthan Gum, Phenoxyethanol, Sodium Hydroxide, Citric
    Acid.]]</p></div><div><p>[[pao-label|After opening]] <b>[[pao|12 M]]</b></p><p>[[exp-label|Use
    by]] <b>[[exp|03/2028]]</b></p><p>[[lot-label|Batch]] [[lot|H5-2291]]</p><p>[[test|Tested with
    dermatologists in [[test-where|Lanvézec]]]]</p><p>[[reef|No harm to corals]]</p><p>[[tube|Tube
    made
    of [[tube-pc|85 %]] recycled plastic]]</p><p>[[maker|Solis Care, Dock Road 9, Aldport]]</p><p>
    [[made-label|Made in]] [[made|Nordholm]]</p><p>[[ask-label|Ask us]] [[ask|0800 555 041]]</p><p>
    [[store|Not above [[store-temp|30 °C]], never in the car]]</p></div></div></div>"""
    return Page("label-4", fill(html), 1400, 580, skew=1.7, colours=32)


def jacket() -> Page:
    """The sewn-in labels of a jacket, four languages of materials, photographed."""
    rows = cells(
        """
        Outer | 68 % recycled polyester, 32 % cotton
        Lining | 100 % viscose
        Padding | 80 % duck down, 20 % feathers
        Cuffs | 95 % wool, 5 % elastane
        Hood trim | 100 % acrylic
        """
    )
    html = """
    <style>.s{width:1000px;height:1180px;box-sizing:border-box;background:#20262e;padding:70px
    110px}
    .w{background:#f4f4f1;padding:34px 44px;font:23px/1.4 'Noto Sans';margin-bottom:26px;color:#111}
    table{width:100%;border-collapse:collapse} td{padding:4px 0;vertical-align:top} th{display:none}
    .c-part{width:150px;font-weight:700}</style><div class="s"><div class="w"
    style="text-align:center"><span style="font:400 64px 'Bebas Neue';letter-spacing:6px">[[brand|
    GRANITE PEAK]]</span><br>[[model-label|Style]] [[model|Fellrunner parka]] ·
    [[colour-label|Colour]] [[colour|moss 314]]<br><b style="font-size:40px">[[size|M]]</b>
    [[sizes|EU 50 · UK 40 · IT 52]]</div><div class="w">@grid@<div style="margin-top:10px">[[animal|
    Contains non-textile parts of animal origin.]]</div></div><div class="w">[[wash-label|Wash:]]
    [[wash|30 °C, gentle, inside out]]<br>[[bleach|Do not bleach.]] [[iron-label|Iron:]]
    [[iron|cool,
    max. 110 °C, not the print]]<br>[[dry-label|Dry:]] [[dry|tumble low with two tennis balls]]<br>
    [[clean|Do not dry clean.]] [[wax|Renew the water-repellent finish after
    [[wax-count|eight washes]].]] [[zip|Close all zips before washing.]]</div><div class="w"
    style="font-size:20px">[[made-label|Made in]] [[made|Valdoro]] · [[rn-label|RN]] [[rn|00417]] ·
    [[order-label|Order]] [[order|GP-77-1182]]<br>[[season-label|Season]] [[season|AW 25]] ·
    [[import-label|Imported by]] [[import|Tungsten Trading, Boister]]<br>[[fix|Repairs are free for
    [[fix-years|five years]]: [[fix-web|granitepeak.example/mend]]]]</div></div>"""
    html = fill(html, grid=table([("part", ""), ("what", "")], rows))
    return Page("label-5", html, 1000, 1180, skew=-3.6, blur=0.7, noise=2, jpeg=62)


def plate() -> Page:
    """The rating plate and energy label of a washing machine."""
    rows = cells(
        """
        Eco 40–60 | 3:28 | 9 | 0.71 | 52
        Cotton 60 | 2:15 | 9 | 1.34 | 74
        Cotton 90 | 2:40 | 9 | 2.18 | 78
        Easy care 40 | 1:30 | 4 | 0.62 | 55
        Delicates 30 | 1:02 | 2.5 | 0.31 | 61
        Wool, cold | 0:42 | 2 | 0.12 | 58
        Quick 30 | 0:20 | 3 | 0.24 | 36
        Down 40 | 2:05 | 2 | 0.80 | 69
        Drum clean | 1:50 | 0 | 1.60 | 48
        """
    )
    html = """
    <style>.s{width:1300px;height:840px;box-sizing:border-box;background:#d7dadd;padding:46px 56px;
    font:20px/1.4 'Roboto Condensed';color:#111} .c{display:grid;grid-template-columns:1fr 1.25fr;
    column-gap:40px} table{border-collapse:collapse;width:100%;background:#eef0f1} td,th{border:1px
    solid #555;padding:5px 8px;text-align:left} .c-time,.c-kg,.c-kwh,.c-l{text-align:right}
    .g{display:grid;grid-template-columns:1fr auto;row-gap:4px;border:2px solid #111;padding:14px
    18px;background:#eef0f1} .e{background:#fff;border:2px solid #111;padding:12px 18px;
    margin-top:16px}</style><div class="s"><div
    style="display:flex;justify-content:space-between"><b
    style="font-size:44px">[[brand|WELLENBACH]]</b><span style="font-size:28px">[[kind|Automatic
    washing
    machine]]</span></div><div class="c"><div><div class="g">[[model-label|Model]] [[model|WB 9140
    F]] [[pnc-label|Product no.]] [[pnc|914 550 041]] [[ser-label|Serial no.]]
    [[ser|52 30 7718]] [[volt-label|Supply]] [[volt|220–240 V ~ 50 Hz]] [[watt-label|Power]]
    [[watt|2,050 W]] [[fuse-label|Fuse]] [[fuse|10 A]] [[spin-label|Spin]] [[spin|1,400 rpm]]
    [[press-label|Water pressure]] [[press|0.05–0.8 MPa]] [[mass-label|Mass]] [[mass|71 kg]]
    [[ip-label|Protection]] [[ip|IPX4]] [[built-label|Built]] [[built|week 30, 2025]]</div><div
    class="e">[[class-label|Energy class]] <b style="font-size:44px">[[class|B]]</b><br>
    [[hundred-label|100 cycles]] [[hundred|71 kWh]]<br>[[noise-label|Noise, spinning]] [[noise|73
    dB]]<br>[[spinclass-label|Spin class]] [[spinclass|B]]</div></div><div>@grid@<div class="e">
    [[hose|Remove the [[bolts|four transport bolts]] before use. The hose must not hang lower than
    [[hose-cm|60 cm]] and not higher than [[hose-max|100 cm]].]]<br>[[filter|Clean the
    [[filter-word|lint filter]] [[filter-when|every two months]]; it is behind the flap at the lower
    [[filter-where|right]].]]<br>[[err|Error codes: [[e1|E10 no water]] · [[e2-code|E20]]
    [[e2|does not drain]] ·
    [[e4|E40 door open]] · [[e9|E91 electronics]]]]</div></div></div><p>[[serv-label|Service]]
    [[serv|0555 914 914]], [[serv-h|weekdays 7–20 h]] · [[guar-label|Guarantee]] [[guar|2 years,
    motor
    10 years]] · [[spare|Spare parts are kept for [[spare-y|15 years]].]] [[addr|Wellenbach AG,
    Kanalstr.
    9, 00470 Tannhagen]]</p></div>"""
    columns = [
        ("prog", "Programme"),
        ("time", "h:min"),
        ("kg", "kg"),
        ("kwh", "kWh"),
        ("l", "Litres"),
    ]
    html = fill(html, grid=table(columns, rows))
    return Page("label-6", html, 1300, 840, colours=24)


def cheese() -> Page:
    """A Spanish cheese with a scale's sticker."""
    rows = cells(
        """
        Valor energético | 1.689 kJ / 407 kcal
        Grasas | 34,1 g
        de las cuales saturadas | 23,8 g
        Hidratos de carbono | 0,9 g
        de los cuales azúcares | 0,5 g
        Proteínas | 24,3 g
        Sal | 1,7 g
        Calcio | 812 mg
        """
    )
    html = """
    <style>.s{width:1100px;height:920px;box-sizing:border-box;background:#fdf3d7;padding:50px 60px;
    font:21px/1.4 Cabin;color:#3b2a10} .c{display:grid;grid-template-columns:1fr
    1fr;column-gap:40px}
    table{border-collapse:collapse;width:100%} td,th{border-bottom:1px solid #3b2a10;padding:5px
    2px;
    text-align:left} .c-v{text-align:right} .k{background:#fff;border:2px solid #222;padding:16px
    20px;font:22px/1.4 'Liberation Mono';color:#111}</style><div class="s"><div
    style="text-align:center"><span style="font:700 56px Cabin">[[name|Queso Peña Alta]]</span><br>
    [[kind|Oveja, curado, de leche cruda]]</div><p>[[ing-label|Ingredientes:]] [[ing|leche cruda de
    oveja, cuajo, sal, [[lyso|lisozima (de huevo)]].]] [[rind|Corteza
    [[rind-what|no comestible]], untada con [[rind-oil|aceite de oliva]].]]</p><div class="c"><div>
    <b>[[nut-label|Por 100 g]]</b>@grid@<p>[[age-label|Curación mínima]] [[age|7 meses]]</p><p>
    [[fat-label|Grasa sobre extracto seco]] [[fat|56 %]]</p></div><div><div class="k">[[shop|MERCADO
    DEL VALLE, puesto 12]]<br>[[pack-label|Envasado]] [[pack|04.11.25]]<br>[[best-label|Consumir
    antes]] [[best|19.12.25]]<br>[[kg-label|Peso kg]] [[kg|0,412]]<br>[[price-label|€/kg]]
    [[price|23,90]]<br><b style="font-size:30px">[[sum-label|Importe €]] [[sum|9,85]]</b><br>
    [[scale-label|Balanza]] [[scale|3]] [[seller-label|Vend.]] [[seller|08]]<br>[[code|2 004187
    720568]]</div><p>[[temp-label|Conservar entre]] [[temp|4 y 8 °C]]. [[take|Sacar de la nevera
    [[take-min|una hora]] antes de servir.]]</p><p>[[with-label|Va bien con]] [[with|membrillo y
    nueces]]</p></div></div><p style="font-size:18px">[[maker|Quesería Hermanos Arrizabal, Camino
    de la
    Majada s/n, 00219 Puente Nuevo.]] [[lot-label|Lote]] [[lot|PA-25-118]] · [[rs-label|R. S.]]
    [[rs|15.00417/X]] · [[prize|Medalla de plata, feria de [[prize-where|Torrealba]]
    [[prize-year|2024]].]] [[herd|Leche de un solo rebaño de [[herd-count|640
    ovejas]].]]</p></div>"""
    html = fill(html, grid=table([("w", ""), ("v", "")], rows))
    return Page("label-7", html, 1100, 920, "es", skew=2.2, blur=0.6, noise=2, jpeg=62)


def kibble() -> Page:
    """The back of a bag of dog food: what to feed by weight and age."""
    feed = cells(
        """
        2 kg | 45 g | 40 g | 35 g | 30 g
        5 kg | 95 g | 85 g | 75 g | 65 g
        10 kg | 165 g | 145 g | 125 g | 110 g
        15 kg | 225 g | 200 g | 170 g | 150 g
        20 kg | 280 g | 245 g | 210 g | 185 g
        25 kg | 330 g | 290 g | 250 g | 220 g
        30 kg | 380 g | 335 g | 285 g | 250 g
        40 kg | 470 g | 415 g | 355 g | 310 g
        50 kg | 555 g | 490 g | 420 g | 370 g
        """
    )
    parts = cells(
        """
        Crude protein | 26.5 %
        Crude fat | 15.0 %
        Crude fibre | 2.8 %
        Crude ash | 6.9 %
        Moisture | 9.0 %
        Calcium | 1.35 %
        Phosphorus | 0.95 %
        Omega 3 | 0.60 %
        Omega 6 | 2.10 %
        """
    )
    adds = cells(
        """
        Vitamin A | 18,000 IU
        Vitamin D3 | 1,500 IU
        Vitamin E | 320 mg
        Taurine | 1,000 mg
        L-carnitine | 150 mg
        Zinc (chelate) | 92 mg
        Copper | 11 mg
        Iodine | 1.9 mg
        Glucosamine | 410 mg
        """
    )
    html = """
    <style>.s{width:1280px;height:730px;box-sizing:border-box;background:#f0ede4;padding:34px 44px;
    font:16.5px/1.36 'Noto Sans';color:#1d2a1f} .c{display:grid;grid-template-columns:1.5fr 1fr 1fr;
    column-gap:26px} table{width:100%;border-collapse:collapse;background:#fff} td,th{border:1px
    solid #6b7d5c;padding:3px 9px;text-align:right} td:first-child,th:first-child{text-align:left}
    th{background:#40573a;color:#fff;font-size:15px} h3{margin:12px 0 5px;font-size:18px}
    p{margin:9px 0} p span{white-space:nowrap} .z{background:#40573a;color:#fff;padding:10px 18px;
    display:grid;grid-template-columns:repeat(4,auto);gap:3px 26px;margin-top:12px}</style>
    <div class="s"><div style="display:flex;justify-content:space-between;align-items:end"><b
    style="font:700 44px Cabin;color:#40573a">[[name|Fell Runner]]</b><b style="font-size:23px">
    [[kind|Complete food for adult dogs, lamb and barley]]</b></div><p>[[comp-label|Composition:]]
    dried [[lamb|lamb (22 %)]], [[barley|barley (21 %)]], rice, maize gluten, poultry fat, dried
    [[beet|beet pulp (4 %)]], fresh lamb (4 %), peas, linseed, hydrolysed liver, brewer's yeast,
    salmon oil (1 %), chicory, [[mussel|green-lipped mussel (0.1 %)]], rosemary. No wheat, no soya,
    no colouring. [[kcal-label|Energy:]] [[kcal|371 kcal per 100 g]].</p><div class="c"><div>
    <h3>[[feed-label|Grams a day]]</h3>@feed@</div><div><h3>[[part-label|Analysis]]</h3>@part@</div>
    <div><h3>[[add-label|Additives per kg]]</h3>@add@</div></div><p>[[new-word|Changing over:]] mix
    with the old food during [[new|seven to ten days]]. Divide the ration into [[meals|two meals]]
    and always leave fresh water, about [[water|60 ml per kg]] of the dog. [[soak-word|Dogs with few
    teeth:]] soak in [[soak|lukewarm water for 15 minutes]]. Not for [[puppy-word|puppies]] under
    [[puppy|12 months]]; they get Fell Runner Junior, in the [[blue|blue bag]]. Bitches that suckle
    may eat [[suck|as much as they like]] from the fourth week. One [[cup-word|measuring cup]] holds
    [[cup|110 g]].</p><p>Keep cool, dry and closed. Once open, use within [[open|eight weeks]].
    [[sick-word|If your dog does not like it,]] send us the receipt within [[sick|30 days]] and you
    get your money back. Questions: [[vet-word|our vet, Dr Amrit Sohal,]] on [[vet|0555 770 6060]],
    [[vet-hours|Tue and Thu 14–17]].</p><div class="z"><span>[[net-label|Net weight]] [[net|12
    kg]]</span><span>[[best-label|Best before]] [[best|02 / 2027]]</span><span>[[lot-label|Batch]]
    [[lot|FR 5281 C]]</span><span>[[made-label|Packed]] [[made|08 Aug 2025]]</span><span>
    [[reg-label|Approval]] [[reg|XX 418 E 0077]]</span><span>[[bag-label|Bag]] [[bag|soft plastics
    bin]]</span><span>[[maker|Fellside Feeds, Hexley]]</span><span>[[size-label|Also in]] [[size|2.5
    kg and 6 kg]]</span></div></div>"""
    columns = [("kg", "Dog weighs"), ("run", "Very active"), ("norm", "Normal"), ("old", "Over 8")]
    tables = {
        "feed": table([*columns, ("fat", "Too fat")], feed),
        "part": table([("what", "Contains"), ("pc", "Share")], parts, "a", head="ha"),
        "add": table([("what", "Added"), ("dose", "Amount")], adds, "v", head="hv"),
    }
    return Page("label-8", fill(html, **tables), 1280, 730, colours=24)


def paint() -> Page:
    """A tin of metal paint with warnings, unrolled, dirty and askew."""
    rows = cells(
        """
        Smooth steel | 12 m² | 2 | brush, roller
        Rusty steel, brushed | 8 m² | 3 | brush
        Galvanised, washed | 11 m² | 2 | brush, spray
        Aluminium, primed | 13 m² | 2 | roller, spray
        Cast iron | 9 m² | 2 | brush
        Old paint, sanded | 12 m² | 1 | brush, roller
        """
    )
    html = """
    <style>.s{width:1420px;height:640px;box-sizing:border-box;background:#dfe3e6;padding:76px 80px;
    font:17px/1.36 'Roboto Condensed';color:#14181c} .c{display:grid;column-gap:26px;
    grid-template-columns:.8fr 1.15fr 1fr} table{width:100%;border-collapse:collapse} td,th{border:
    1px solid #14181c;padding:3px 8px;text-align:left} .w{border:4px solid #c1121f;background:#fff;
    padding:10px 14px} .n{background:#0b3c49;color:#fff;padding:18px 20px} p{margin:7px 0}
    p span{white-space:nowrap} .d{display:inline-block;width:44px;height:44px;border:4px solid
    #c1121f;transform:rotate(45deg);margin:8px 14px}</style><div class="s"><div class="c"><div
    class="n"><div style="font:400 62px/1 'Bebas Neue'">[[name|IRONHIDE]]</div><div
    style="font-size:22px">[[kind|Metal paint, one pot system]]</div><div style="background:#1f5c4d;
    height:110px;margin:14px 0;border:3px solid #fff"></div>[[col-label|Colour]] <b>[[col|Bottle
    green, satin]]</b><br>[[ral-label|Shade no.]] <b>[[ral|6107]]</b><br>[[net-label|Contents]]
    <b style="font-size:26px">[[net|2.5 litres]]</b><br>[[lot-label|Batch]] [[lot|IH 25-0918-4]]<br>
    [[made-label|Filled]] [[made|18.09.2025]]<br>[[life-label|Unopened, keeps]] [[life|36
    months]]<br>[[ean-label|EAN]] [[ean|0 418772 904417]]</div><div><b>[[cover-label|How far it
    goes]]</b>@grid@<p>[[touch-label|Touch dry]] [[touch|2 h]] · [[coat-label|Next coat after]]
    [[coat|6 h, at most 20 h]] · [[hard-label|Fully hard]] [[hard|7 days]]</p><p>Stir well. Do not
    paint below [[cold|8 °C]] or in [[damp|more than 80 % humidity]]. For [[spray-word|spraying]]
    thin with up to [[spray|10 % thinner T7]]; brushes are [[clean-word|cleaned]] with
    [[clean|white spirit]]. Do not use on [[hot-word|stoves or exhausts]]: the paint withstands
    [[hot|110 °C]]. [[water-word|Drinking troughs]] may be filled again after [[water|four
    weeks]].</p><p>[[tip-word|Skin on the paint?]] Lift it off, [[tip|never stir it in]]; sieve the
    rest through an old stocking.</p></div><div class="w"><span class="d"></span><span class="d">
    </span><span class="d"></span><br><b style="font-size:24px">[[signal|DANGER]]</b><p>
    [[h1|Flammable liquid and vapour.]] [[h2|May cause drowsiness.]] [[h3|Harmful to aquatic
    life.]]</p><p>Contains [[sub|naphtha, cobalt salt]]. Keep away from flames. Wear
    [[glove-word|gloves]] of [[glove|nitrile]]. If on [[skin-word|skin]]: [[skin|soap and water, no
    thinner]]. If in [[eye-word|eyes]]: rinse for [[eye|15 minutes]]. If [[eat-word|swallowed]]: do
    not make the person vomit, call [[eat|0555 112 600]].</p><p>[[voc-label|VOC limit A/i 500 g/l;
    this product]] [[voc|462 g/l]]</p><p>[[un-label|Transport]] [[un|UN 1263, class 3]]</p><p>Empty
    tins: [[bin|scrap metal]]; leftovers: [[bin2|depot for hazardous waste]].</p><p>[[maker|Corvane
    Coatings, Dock Road, Port Ellery]]</p></div></div></div>"""
    columns = [("on", "On"), ("area", "Per litre"), ("coats", "Coats"), ("by", "Apply by")]
    html = fill(html, grid=table(columns, rows))
    return Page("label-9", html, 1420, 640, skew=2.7, blur=0.6, noise=4, jpeg=55)


def seeds() -> Page:
    """A box of vegetable seeds: a calendar of months and tips for each sort."""
    rows = cells(
        """
        Broad bean 'Aurel' | Feb–Apr | – | 20 × 45 cm | 5 cm | Jun–Jul | 40
        Beetroot 'Cherub' | Apr–Jul | – | 10 × 30 cm | 2 cm | Jul–Oct | 250
        Carrot 'Long Tom' | Mar–Jun | – | 5 × 25 cm | 1 cm | Jul–Nov | 900
        Chard 'Carnival' | Apr–Jul | – | 25 × 40 cm | 2 cm | Jun–Nov | 120
        Courgette 'Baton' | May–Jun | April | 90 × 90 cm | 3 cm | Jul–Oct | 8
        Cucumber 'Brisk' | – | April | 60 × 100 cm | 2 cm | Jul–Sep | 7
        Kale 'Moorland' | Apr–Jun | March | 45 × 60 cm | 1 cm | Oct–Mar | 180
        Leek 'Anchor' | Apr | Feb–Mar | 15 × 30 cm | 1 cm | Sep–Feb | 300
        Lettuce 'Frill' | Mar–Aug | February | 25 × 30 cm | 0.5 cm | May–Oct | 700
        Pea 'Hedgerow' | Mar–May | – | 6 × 60 cm | 4 cm | Jun–Aug | 160
        Pumpkin 'Lantern' | – | April | 150 × 200 cm | 3 cm | Sep–Oct | 6
        Radish 'Jester' | Mar–Sep | – | 4 × 15 cm | 1 cm | Apr–Oct | 500
        Runner bean 'Scarlet Kite' | May–Jun | April | 20 × 60 cm | 5 cm | Jul–Oct | 35
        Spinach 'Galleon' | Mar–Apr | – | 15 × 30 cm | 2 cm | May–Jun | 350
        Sweetcorn 'Gilt' | – | April | 40 × 50 cm | 3 cm | Aug–Sep | 30
        Tomato 'Little Drum' | – | Feb–Mar | 50 × 70 cm | 0.5 cm | Jul–Oct | 15
        """
    )
    keys = ["sort", "out", "in", "gap", "deep", "crop", "count"]
    titles = ["Sort", "Sow outside", "Sow indoors", "Spacing", "Depth", "Harvest", "Seeds"]
    html = """
    <style>.s{width:1200px;height:910px;box-sizing:border-box;background:#fbf7e6;padding:36px 46px;
    font:18px/1.34 Caladea;color:#2b2b14;border:14px solid #7b9e3c} table{width:100%;margin:12px 0;
    border-collapse:collapse} td{padding:3px 8px;border-bottom:1px dashed #a9b77f} th{text-align:
    left;padding:3px 8px;background:#7b9e3c;color:#fff} .c-count{text-align:right} .r{display:flex;
    justify-content:space-between;gap:30px} p{margin:8px 0} p span{white-space:nowrap}</style>
    <div class="s"><div class="r" style="align-items:end"><span
    style="font:700 50px 'Dancing Script';color:#4f6b1c">[[name|The Allotment
    Box]]</span><span>[[kind|16 sorts of vegetable seed,
    untreated]]</span></div>@grid@<p>Sow the [[kale|kale]] and leeks first in a tray and
    [[plant-word|plant them out]] when they are as thick as [[plant|a pencil]]. Soak
    [[soak-word|peas
    and beans]] for [[soak|one night]]. [[warm-word|Tomatoes germinate]] at [[warm|20 to 24 °C]] and
    need a sill with sun. [[frost-word|Pumpkins and courgettes]] go out after the last frost, with
    us about [[frost|20 May]]. Against [[slug-word|slugs]] use [[slug|sheep's wool]], and water in
    the [[when|morning]].</p><p>Do not sow [[rot-word|carrots]] after [[rot|parsley or dill]]; wait
    for [[years|four years]]. [[save-word|Save your own seed]] of everything but the [[save|
    sweetcorn, an F1 hybrid]]. Leftover seed keeps for [[keep|two to three years]] in a
    [[jar|screw-top jar, cool and dark]].</p><div class="r" style="background:#e9edcf;padding:10px
    18px;font-size:17px"><span>[[until-label|Sow by]] [[until|end of 2027]]<br>[[lot-label|Lot]]
    [[lot|AB-16-0334]]</span><span>[[test-label|Germination tested]] [[test|November 2025]]<br>
    [[rate-label|Average]] [[rate|91 %]]</span><span>[[area-label|Enough for]] [[area|45 m²]]<br>
    [[price-label|Price]] [[price|£24.50]]</span><span>[[org-label|Organic control]] [[org|
    XX-ORG-07]]<br>[[pass-label|Plant passport]]
    [[pass|XX-418-2056]]</span><span>[[maker|Greensleeve
    Seeds, Wexcombe]]<br>[[help-label|Garden line]] [[help|01555 770 299]]</span></div></div>"""
    html = fill(html, grid=table(list(zip(keys, titles, strict=True)), rows))
    return Page("label-10", html, 1200, 910, colours=24)


def pages() -> list[Page]:
    """All labels."""
    return [
        oats(),
        parcel(),
        tablets(),
        wine(),
        cream(),
        jacket(),
        plate(),
        cheese(),
        kibble(),
        paint(),
        seeds(),
    ]
