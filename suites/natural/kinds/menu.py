"""Menus: restaurants, a bar, a canteen, a take-away, a screen above a counter."""

from page import Page, cells, fill, text


def dishes(listing: str, prefix: str) -> str:
    """Dishes from lines of name, description and price; ids PREFIX0-name, -what, -price."""
    made = []
    for number, (name, what, price) in enumerate(cells(listing)):
        key = f"{prefix}{number}"
        line = text(f"{key}-name", name, "b") + "<u></u>" + text(f"{key}-price", price)
        more = text(f"{key}-what", what, "div", 'class="w"') if what else ""
        made.append(f'<div class="d"><div class="l">{line}</div>{more}</div>')
    return "".join(made)


def bistro() -> Page:
    """An English bistro, two columns, serif."""
    starters = dishes(
        """
        Celeriac soup | apple, walnut oil, rye crumbs | 7.5
        Potted crab | brown butter, pickled cucumber, toast | 11
        Beetroot three ways | goat's curd, horseradish, dill | 9
        Chicken liver parfait | quince, brioche | 9.5
        Smoked eel | potato cake, bacon, mustard | 13
        """,
        "s",
    )
    mains = dishes(
        """
        Hake fillet | white beans, cockles, wild garlic | 22
        Lamb shoulder, slow cooked | for two; anchovy, greens, gratin | 46
        Mushroom and barley pie | truffle gravy, kale | 17
        Duck leg confit | lentils, orange, bitter leaves | 21
        Bavette steak 250 g | bone marrow, shallots, chips | 26
        Gnocchi | pumpkin, sage, hazelnuts | 16.5
        Whole plaice on the bone | capers, brown shrimps | 24
        """,
        "m",
    )
    sides = dishes(
        """
        Chips in dripping | | 5
        Buttered cabbage | | 4.5
        Tomato salad | | 5.5
        Bread and whipped butter | | 4
        """,
        "i",
    )
    sweets = dishes(
        """
        Treacle tart | clotted cream | 8
        Rhubarb and custard | ginger snaps | 8.5
        Dark chocolate mousse | olive oil, sea salt | 8
        Three cheeses | oatcakes, chutney | 12
        Affogato | | 6
        """,
        "e",
    )
    html = """
    <style>.s{width:1240px;height:1520px;box-sizing:border-box;background:#fbf8f1;padding:80px 90px;
    font:23px/1.35 'EB Garamond';color:#2b2118} .c{display:grid;grid-template-columns:1fr 1fr;
    column-gap:80px} h2{font:600 30px 'EB Garamond';letter-spacing:3px;margin:26px 0 10px;
    border-bottom:1px solid #2b2118} .d{margin-bottom:14px} .l{display:flex} u{flex:1;
    text-decoration:none} .w{font-style:italic;color:#6b5a48}</style><div class="s"><div
    style="text-align:center"><div style="font-size:70px">[[firm|The Gilded
    Pear]]</div>[[tag|Dinner,
    Tuesday to Saturday]] · [[street|5 Corn Market, Aldport]]</div><div class="c"><div>
    <h2>[[h-s|TO BEGIN]]</h2>@starters@<h2>[[h-i|ON THE SIDE]]</h2>@sides@<h2>[[h-w|BY THE
    GLASS]]</h2>@wine@</div><div><h2>[[h-m|MAINS]]</h2>@mains@<h2>[[h-e|AFTERS]]</h2>@sweets@</div>
    </div><p style="text-align:center;font-size:20px">[[set|Set dinner, three courses with coffee:
    [[set-price|38]], [[set-days|Tuesday and Wednesday only]].]] [[kids|Children's portions of most
    mains at [[kids-price|two thirds]] of the price.]]<br>[[service|A [[service-word|service
    charge]] of
    [[service-pc|12.5 %]] is added for tables of [[service-from|six or more]].]] [[cork|Bring your
    own
    wine on Thursdays, corkage [[cork-price|9]].]]<br>[[allergy|Please tell us about allergies; our
    kitchen uses nuts.]] [[last|Last orders [[last-time|21:45]].]]</p></div>"""
    wine = dishes(
        """
        House white, Valdoro | dry, lemon | 6
        Riesling, Kirchau | off-dry, peach | 8.5
        Rosé, Côte d'Ourse | pale, strawberry | 7
        House red, Torrealba | soft, plum | 6
        Old vines, Puente Nuevo | oak, pepper | 10.5
        Cider, Hexley | cloudy, 5 % | 5
        """,
        "w",
    )
    parts = {"starters": starters, "mains": mains, "sides": sides, "sweets": sweets, "wine": wine}
    return Page("menu-0", fill(html, **parts), 1240, 1520, colours=16)


def pizza() -> Page:
    """A take-away's leaflet with three sizes."""
    rows = cells(
        """
        1 | Margherita | tomato, mozzarella, basil | 6.90 | 8.90 | 14.50
        2 | Funghi | mushrooms, parsley | 7.50 | 9.60 | 15.80
        3 | Prosciutto | cooked ham | 7.90 | 9.90 | 16.20
        4 | Diavola | hot salami, chilli | 8.20 | 10.40 | 17.00
        5 | Tonno | tuna, red onion | 8.20 | 10.40 | 17.00
        6 | Verdure | courgette, aubergine, pepper | 8.00 | 10.10 | 16.60
        7 | Quattro formaggi | four cheeses | 8.60 | 10.90 | 17.90
        8 | Capricciosa | ham, artichoke, olives | 8.80 | 11.20 | 18.40
        9 | Frutti di mare | prawns, squid, garlic | 9.90 | 12.60 | 20.50
        10 | Bufalina | buffalo mozzarella, cherry tomato | 9.40 | 11.90 | 19.60
        11 | Calzone | folded; ham, ricotta | 8.90 | 11.30 | –
        12 | Bianca | no tomato; potato, rosemary | 7.70 | 9.80 | 16.00
        13 | Norma | aubergine, salted ricotta | 8.30 | 10.50 | 17.20
        14 | Tirolese | speck, mountain cheese | 9.10 | 11.50 | 18.90
        15 | Nutella | dessert, hazelnut cream | 5.90 | – | –
        """
    )
    keys = ["no", "name", "what", "s", "m", "l"]
    lines = "".join(
        "<tr>"
        + "".join(
            text(f"p{n}-{key}", cell, "td", f'class="c-{key}"')
            for key, cell in zip(keys, row, strict=True)
        )
        + "</tr>"
        for n, row in enumerate(rows)
    )
    more = dishes(
        """
        Lasagne al forno | | 8.90
        Spaghetti carbonara | | 8.40
        Penne arrabbiata | | 7.20
        Tortelloni, spinach | | 8.80
        Mixed salad | | 4.90
        Tuna salad | | 7.60
        Garlic bread | | 3.20
        Tiramisu | | 4.50
        Cola, 0.33 l | | 2.20
        Mineral water, 0.5 l | | 1.90
        Beer, 0.5 l | | 2.80
        """,
        "q",
    )
    html = """
    <style>.s{width:1400px;height:1150px;box-sizing:border-box;background:#fff9ec;padding:50px 60px;
    font:21px/1.35 Lato} table{border-collapse:collapse;width:100%} td,th{padding:6px 8px;
    text-align:left;border-bottom:1px dotted #b33} th{white-space:nowrap}
    .c-s,.c-m,.c-l{text-align:right} .c-name{
    font-weight:700} .c{display:grid;grid-template-columns:2.2fr 1fr;column-gap:50px}
    .l{display:flex;
    gap:14px} u{flex:1} .d{padding:5px 0;border-bottom:1px dotted #b33} .d
    b{font-weight:400}</style><div class="s"><div style="display:flex;justify-content:space-between;
    color:#b00020"><span style="font:900 56px Lato">[[firm|Pronto Vesuvio]]</span><span
    style="text-align:right;font-size:34px;font-weight:700">[[tel|01555 70 70 12]]</span></div><div>
    [[hours-label|Open]] [[hours|daily 11:30–14:00 and 17:00–22:30]], [[closed-label|closed]]
    [[closed|Mondays]]</div><div class="c"><div><table><tr>@heads@</tr>@lines@</table></div><div><b
    style="color:#b00020">[[h-more|Pasta, salads, drinks]]</b>@more@<p>[[extra-label|Extra
    topping]] [[extra|1.20]]<br>[[gf-label|Gluten-free base]] [[gf|2.00]]<br>[[crust-label|Cheese
    crust]] [[crust|2.50]]</p></div></div><p>[[min|We deliver from [[min-sum|15.00]] in Aldport and
    from [[min-far|25.00]] in Neverton and Hexley; [[fee-label|delivery fee]] [[fee|2.50]].]]
    [[deal|Tuesday is family day: [[deal-what|two large pizzas and 1 l cola]] for
    [[deal-sum|32.00]].]] [[stamp|Ten stamps: one small pizza free.]]</p></div>"""
    titles = ["", "Pizza", "", "small", "medium", "family"]
    heads = "".join(
        text(f"h-{key}", title, "th", f'class="c-{key}"')
        for key, title in zip(keys, titles, strict=True)
    )
    html = fill(html, lines=lines, more=more, heads=heads)
    return Page("menu-1", html, 1400, 1150, skew=1.3, blur=0.7, noise=2, jpeg=60)


def tavern() -> Page:
    """A German inn's card."""
    cold = dishes(
        """
        Brotzeitteller | Schinken, Käse, Radieschen, Bauernbrot | 12,80
        Wurstsalat mit Zwiebeln | dazu ein Bauernbrot | 9,40
        Obatzda | mit Brezn | 8,90
        Sülze vom Schwein | Remoulade, Bratkartoffeln | 11,60
        Matjes Hausfrauenart | Apfel, Gurke, Pellkartoffeln | 13,50
        """,
        "k",
    )
    warm = dishes(
        """
        Leberknödelsuppe | | 5,20
        Flädlesuppe | vegetarische Brühe | 4,90
        Schweinebraten in Dunkelbiersoße | Kartoffelknödel, Krautsalat | 14,90
        Käsespätzle | Röstzwiebeln, grüner Salat | 12,40
        Wiener Schnitzel vom Kalb | Preiselbeeren, Petersilienkartoffeln | 23,80
        Zwiebelrostbraten | Bratkartoffeln, Speckbohnen | 24,50
        Forelle Müllerin | aus dem Krebsbach, Mandelbutter | 19,70
        Rehragout | Rotkohl, Serviettenknödel | 21,30
        Semmelknödel mit Pilzrahm | frische Schwammerl der Saison | 13,60
        Kinderschnitzel | Pommes, Ketchup | 8,20
        """,
        "w",
    )
    sweet = dishes(
        """
        Apfelstrudel | Vanillesoße | 6,40
        Kaiserschmarrn | Zwetschgenröster, 20 Minuten | 10,80
        Rote Grütze | flüssige Sahne | 5,60
        """,
        "s",
    )
    drink = dishes(
        """
        Helles vom Fass 0,5 l | | 4,10
        Dunkles 0,5 l | | 4,20
        Radler 0,5 l | | 4,00
        Alkoholfreies Weizen 0,5 l | | 4,20
        Apfelschorle 0,4 l | | 3,40
        Silvaner 0,25 l | | 6,20
        Haferl Kaffee | | 3,10
        """,
        "g",
    )
    html = """
    <style>.s{width:1240px;height:1460px;box-sizing:border-box;background:#f5efe0;padding:80px 95px;
    font:22px/1.35 Vollkorn;color:#2a1c0a} .c{display:grid;grid-template-columns:1.25fr 1fr;
    column-gap:70px} h2{color:#6b3d0c;margin:20px 0 8px} .d{margin-bottom:12px} .l{display:flex;
    gap:10px} u{flex:1;border-bottom:2px dotted #a98;margin-bottom:7px} .w{font-size:19px;
    color:#5d4a31}</style><div class="s"><div style="text-align:center"><span style="font:800 58px
    Vollkorn;color:#6b3d0c">[[firm|Gasthof zur Krone]]</span><br>[[street|Marktplatz 3, Auental]] ·
    [[tel|0555 61 04 40]]</div><div class="c"><div><h2>[[h-w|Warme Küche]]</h2>@warm@</div><div>
    <h2>[[h-k|Kalte Küche]]</h2>@cold@<h2>[[h-s|Süßes]]</h2>@sweet@<h2>[[h-g|Getränke]]</h2>@drink@
    </div></div><p>[[rest-label|Ruhetag:]] [[rest|Mittwoch]] · [[kitchen-label|Warme Küche]]
    [[kitchen|11:30–14:00 und 17:30–21:00 Uhr]] · [[garden|Biergarten bei schönem Wetter bis
    [[garden-time|23 Uhr]]]]<br>[[beer|Unser Bier kommt von der
    [[brewery|Klosterbrauerei Sankt Alban]].]] [[half|Jede Hauptspeise gibt es auch als
    [[half-what|kleine Portion]], abzüglich [[half-sum|2,50 €]].]] [[card|Kartenzahlung ab
    [[card-sum|20 €]].]] [[rooms|Fremdenzimmer ab [[rooms-sum|48 €]] mit Frühstück.]]</p></div>"""
    parts = {"cold": cold, "warm": warm, "sweet": sweet, "drink": drink}
    html = fill(html, **parts)
    return Page("menu-2", html, 1240, 1460, "de", skew=-2.3, colours=16)


def board() -> Page:
    """Screens above a coffee counter, dark."""
    coffee = cells(
        """
        Espresso | 2.40 | 2.90 | –
        Macchiato | 2.70 | 3.20 | –
        Flat white | 3.60 | 4.10 | 4.60
        Cappuccino | 3.50 | 4.00 | 4.50
        Latte | 3.60 | 4.20 | 4.80
        Mocha | 4.10 | 4.70 | 5.30
        Filter, daily roast | 2.60 | 3.10 | 3.60
        Cold brew | 3.90 | 4.50 | 5.10
        Chai latte | 3.80 | 4.40 | 5.00
        Hot chocolate | 3.70 | 4.30 | 4.90
        Matcha latte | 4.20 | 4.80 | 5.40
        Tea, loose leaf | 2.50 | 3.00 | –
        """
    )
    food = dishes(
        """
        Butter croissant | | 2.80
        Almond croissant | | 3.60
        Banana bread | | 3.40
        Cinnamon knot | | 3.20
        Porridge, berries | | 5.50
        Eggs on sourdough | | 7.90
        Avocado toast | | 8.40
        Halloumi bagel | | 7.20
        Ham and cheese toastie | | 6.80
        Soup of the day | | 6.20
        Carrot cake | | 4.10
        Vegan brownie | | 3.90
        """,
        "f",
    )
    keys = ["name", "s", "m", "l"]
    heads = "".join(
        text(f"h-{key}", title, "th", f'class="c-{key}"')
        for key, title in zip(keys, ["Coffee & more", "small", "medium", "large"], strict=True)
    )
    lines = "".join(
        "<tr>"
        + "".join(
            text(f"c{n}-{key}", cell, "td", f'class="c-{key}"')
            for key, cell in zip(keys, row, strict=True)
        )
        + "</tr>"
        for n, row in enumerate(coffee)
    )
    html = """
    <style>.s{width:1920px;height:1000px;box-sizing:border-box;background:#1d2421;color:#efe9dc;
    padding:50px 70px;font:29px/1.3 Cabin} .c{display:grid;grid-template-columns:1.3fr 1fr .8fr;
    column-gap:70px} table{width:100%;border-collapse:collapse} td,th{padding:8px 4px;
    text-align:right;border-bottom:1px solid #3a4540} .c-name{text-align:left} th{color:#d9a566}
    .l{display:flex} u{flex:1} .d{padding:8px 0;border-bottom:1px solid #3a4540} .d b{
    font-weight:400} h2{color:#d9a566;margin:0 0 8px;font-size:30px} .x{font-size:24px}</style><div
    class="s"><div style="font:700 52px Cabin;color:#d9a566;margin-bottom:20px">[[firm|Basket &amp;
    Bean]]</div><div class="c"><table><tr>@heads@</tr>@lines@</table><div><h2>[[h-f|From the
    oven and kitchen]]</h2>@food@</div><div class="x"><h2>[[h-x|Extras]]</h2>[[oat-label|Oat or soy
    milk]] [[oat|+0.50]]<br>[[shot-label|Extra shot]] [[shot|+0.80]]<br>[[syrup-label|Syrup:
    vanilla, hazelnut]] [[syrup|+0.60]]<br>[[decaf-label|Decaf]] [[decaf|no charge]]<br><br>
    <h2>[[h-bean|This week's beans]]</h2>[[bean|Finca La Mora, washed]]<br>[[bean-taste|apricot,
    cocoa, lime]]<br>[[bag-label|250 g bag]] [[bag|11.50]]<br><br><h2>[[h-save|Save]]</h2>[[cup|Own
    cup: [[cup-sum|0.40 off]]]]<br>[[happy|After [[happy-time|16:00]] all pastries
    [[happy-pc|half price]]]]<br>[[soup-label|Today's soup:]] [[soup|leek and potato]]<br>
    [[wifi-label|Wifi:]] [[wifi|beanguest]] / [[pass|flatwhite77]]<br>[[wc-label|Toilet code]]
    [[wc|4 1 9 6 #]]</div></div></div>"""
    html = fill(html, heads=heads, lines=lines, food=food)
    return Page("menu-3", html, 1920, 1000)


def canteen() -> Page:
    """A canteen's week, a table."""
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
    meals = cells(
        """
        Lentil stew, bread | 4.20 | Chicken korma, rice | 5.60 | Carrot and ginger
        Spinach lasagne | 4.40 | Beef goulash, noodles | 5.90 | Tomato
        Potato pancakes, apple sauce | 4.10 | Baked cod, potatoes | 6.40 | Pea and mint
        Falafel bowl, hummus | 4.60 | Pork schnitzel, chips | 5.80 | Onion
        Vegetable paella | 4.50 | Fish fingers, mash, spinach | 5.40 | Leek
        """
    )
    codes = ["a, i", "a, c, g", "a, d", "a, k", "d, b"]
    sweets = ["Rice pudding", "Fruit jelly", "Chocolate cake", "Yoghurt with figs", "Plum crumble"]
    kcal = [(510, 720), (640, 780), (590, 560), (620, 910), (540, 690)]
    lines = ""
    for n, (veg, price, meat, dear, soup) in enumerate(meals):
        row = {
            "day": days[n],
            "soup": soup,
            "veg": veg,
            "vegkcal": f"{kcal[n][0]} kcal",
            "vegprice": price,
            "meat": meat,
            "meatkcal": f"{kcal[n][1]} kcal",
            "meatprice": dear,
            "sweet": sweets[n],
            "code": codes[n],
        }
        lines += "<tr>" + "".join(text(f"d{n}-{k}", v, "td") for k, v in row.items()) + "</tr>"
    titles = {
        "day": "",
        "soup": "Soup 1.80",
        "veg": "Green line",
        "vegkcal": "",
        "vegprice": "€",
        "meat": "Classic line",
        "meatkcal": "",
        "meatprice": "€",
        "sweet": "Dessert 1.60",
        "code": "Allergens",
    }
    heads = "".join(text(f"h-{key}", title, "th") for key, title in titles.items())
    html = """
    <style>.s{width:1600px;height:900px;box-sizing:border-box;background:#fff;padding:50px 60px;
    font:20px/1.35 'Open Sans'} table{border-collapse:collapse;width:100%;margin:20px 0} td,th{
    border:1px solid #7aa;padding:13px 9px;text-align:left} th{background:#d8efe9}
    td:nth-child(4),td:nth-child(7){white-space:nowrap} td:first-child{
    font-weight:700}</style><div class="s"><div style="display:flex;justify-content:space-between">
    <b style="font-size:36px">[[firm|Canteen "Kettle"]]</b><span
    style="font-size:26px">[[week|Week 47,
    17 to 21 November]]</span></div><table><tr>@heads@</tr>@lines@</table><div style="display:grid;
    grid-template-columns:1fr 1fr 1fr;column-gap:40px"><div>[[allerg|a gluten · b crustaceans · c
    egg ·
    d fish · g milk · i celery · k sesame]]</div><div>[[guest-label|Guests pay]] [[guest|€2.10
    more]]<br>[[salad-label|Salad bar, 100 g]] [[salad|€1.15]]<br>[[coffee-label|Coffee]]
    [[coffee|€1.20]]<br>[[card-label|Top up your card at]] [[card|the till or the machine in the
    lobby]]</div><div>[[open-label|Open]] [[open|11:15–14:00]], [[friday|on Fridays until
    [[friday-time|13:30]]]]<br>[[grill|Grill evening for all departments on
    [[grill-day|Thursday 20 November, 17:00]].]]<br>[[chef-label|Head cook]] [[chef|Renata
    Winkelmann]]</div></div></div>"""
    return Page("menu-4", fill(html, heads=heads, lines=lines), 1600, 900)


def crepes() -> Page:
    """A French crêperie."""
    salty = dishes(
        """
        La Nature | beurre salé | 3,80
        La Complète | jambon, œuf, emmental | 9,20
        La Forestière | champignons, crème, persil | 10,40
        La Chèvre-miel | chèvre, noix, salade | 10,90
        La Bigoudène | andouille, oignons confits, moutarde | 11,60
        La Marine | saint-jacques, poireaux | 15,80
        La Saumon | saumon fumé, aneth, citron | 13,90
        La Végétale | ratatouille maison | 9,80
        La Savoyarde | reblochon, lardons, pommes de terre | 12,70
        """,
        "g",
    )
    sweet = dishes(
        """
        Sucre | | 3,20
        Beurre-sucre | | 3,60
        Citron | | 4,10
        Caramel au beurre salé | | 5,40
        Chocolat maison | | 5,20
        Pomme-cannelle | | 6,30
        Poire Belle-Hélène | glace vanille, amandes | 8,20
        Suzette, flambée | orange, Grand Ours | 9,40
        """,
        "c",
    )
    drink = dishes(
        """
        Cidre brut, bolée | | 3,90
        Cidre doux, bolée | | 3,90
        Cidre, bouteille 75 cl | | 13,50
        Lait ribot | | 3,20
        Jus de pomme fermier | | 3,60
        Chouchen, 5 cl | | 4,80
        Café | | 2,00
        """,
        "b",
    )
    html = """
    <style>.s{width:1240px;height:1320px;box-sizing:border-box;background:#f2f7fb;padding:80px 90px;
    font:22px/1.35 Carlito;color:#12263a} .c{display:grid;grid-template-columns:1.2fr 1fr;
    column-gap:70px} h2{font:700 34px Carlito;color:#0b4a8f;margin:18px 0 10px} .d{
    margin-bottom:13px} .l{display:flex;gap:8px} u{flex:1} .w{font-style:italic;color:#456}
    #child-word{white-space:nowrap}</style>
    <div class="s"><div style="display:flex;justify-content:space-between;align-items:end"><span
    style="font:700 60px Carlito;color:#0b4a8f">[[firm|Crêperie du Phare]]</span><span>[[street|quai
    des Tanneurs, Lanvézec]]</span></div><div class="c"><div><h2>[[h-g|Galettes de sarrasin]]</h2>
    @salty@</div><div><h2>[[h-c|Crêpes sucrées]]</h2>@sweet@<h2>[[h-b|Boissons]]</h2>@drink@</div>
    </div><p>[[formula|Formule midi, du lundi au vendredi : [[formula-what|une complète, une
    beurre-sucre, une bolée]], [[formula-sum|15,50]].]] [[child|[[child-word|Menu moussaillon
    jusqu'à 10 ans]],
    [[child-sum|8,90]], avec sirop.]]</p><p>[[extra-label|Supplément œuf ou fromage]]
    [[extra|1,30]] ·
    [[glu|Toutes nos galettes sont [[glu-what|sans gluten]].]] [[flour|Farine du moulin de
    [[mill|Kergoat]].]]</p><p>[[close|Fermé le [[close-day|dimanche soir et le lundi]]. Terrasse
    ouverte d'avril à [[terrace|octobre]]. Chiens acceptés, chèques vacances aussi, chèques
    [[cheque|non]].]] [[book-label|Réservations :]] [[book|02 55 50 33 90]]</p></div>"""
    html = fill(html, salty=salty, sweet=sweet, drink=drink)
    return Page("menu-5", html, 1240, 1320, "fr", colours=24)


def bar() -> Page:
    """A cocktail card, dark, tall and narrow."""
    drinks = dishes(
        """
        Harbour Fog | gin, elderflower, cucumber, tonic foam | 12
        Lamplighter | rye, burnt orange, bitters, smoke | 14
        Salt & Thistle | tequila, grapefruit, thistle honey, salt rim | 13
        The Widow's Garden | vodka, basil, strawberry, pepper | 12
        Copper Bell | dark rum, ginger, lime, clove | 11
        Midnight Ferry | mezcal, blackberry, cacao | 14
        Last Tram | cognac, cold coffee, oat cream | 13
        Paper Moon | sake, yuzu, egg white | 13
        Orchard Ghost | apple brandy, rosemary, lemon | 12
        Quarryman | blended whisky, beer syrup, nutmeg | 11
        """,
        "d",
    )
    free = dishes(
        """
        Rain Check | verbena, pear, soda | 8
        Nanny State | spiced cranberry, orange | 8
        Dry Dock | seaweed cordial, lime, tonic | 9
        """,
        "n",
    )
    snack = dishes(
        """
        Smoked almonds | | 5
        Padrón peppers | | 7
        Oysters, each | | 4
        Cheese on rye | | 9
        """,
        "s",
    )
    html = """
    <style>.s{width:900px;height:1660px;box-sizing:border-box;background:#0f0d14;color:#e9dfc9;
    padding:70px 80px;font:23px/1.35 Quicksand} .d{margin-bottom:15px}
    .l{display:flex;color:#e8b45a}
    u{flex:1} .w{font-size:20px;color:#b9ae98} h2{font:500 26px Quicksand;letter-spacing:6px;
    border-bottom:1px solid #e8b45a;padding-bottom:4px}</style><div class="s"><div
    style="text-align:center;font:400 70px 'Bebas Neue';letter-spacing:8px">[[firm|THE TIN
    LANTERN]]</div><h2>[[h-d|COCKTAILS]]</h2>@drinks@<h2>[[h-n|WITHOUT ALCOHOL]]</h2>@free@<h2>
    [[h-s|TO NIBBLE]]</h2>@snack@<p style="font-size:19px">[[happy|[[happy-word|Happy hour]]
    [[happy-time|17:00–18:30]]: every cocktail [[happy-sum|9]].]] [[music|Live piano on
    [[music-day|Wednesdays]].]] [[tap|Tap water is free.]] [[door|Doors close at
    [[door-time|01:30]]; on Sundays we sleep.]] [[tip|Cards only, no cash.]]</p></div>"""
    html = fill(html, drinks=drinks, free=free, snack=snack)
    return Page("menu-6", html, 900, 1660, skew=-1.4, blur=0.6, jpeg=66)


def daily() -> Page:
    """A Spanish house's menu of the day on a chalk board."""
    html = """
    <style>.s{width:1100px;height:1350px;box-sizing:border-box;background:#26302b;color:#f4f1e6;
    padding:80px 90px;border:22px solid #6b4a2b;font:600 33px/1.4 'Dancing Script'} h2{
    color:#f7d774;font:600 38px 'Dancing Script';margin:20px 0 4px}
    .i{display:flex;justify-content:space-between}</style><div class="s"><div
    style="text-align:center;font-size:58px">[[firm|Casa Higinio]]</div><div
    style="text-align:center">[[title|Menú del día]] · [[date|jueves 16 de octubre]]</div>
    <h2>[[h-1|Primeros]]</h2>[[a1|Gazpacho de remolacha]]<br>[[a2|Judías con chorizo]]<br>[[a3|
    Ensalada de naranja y bacalao]] [[a3-more|(+1,50)]]<br>[[a4|Arroz caldoso de verduras]]<h2>
    [[h-2|Segundos]]</h2>[[b1|Carrilleras al vino tinto]]<br>[[b2|Merluza a la plancha]]<br>[[b3|
    Huevos rotos con setas]]<br>[[b4|Chuletón para dos]] [[b4-more|(+9 por persona)]]<h2>
    [[h-3|Postres]]</h2>[[c1|Arroz con leche]] · [[c2|Flan de castañas]] · [[c3|Fruta]]<h2>
    [[h-4|Precios]]</h2><div class="i">[[full-label|Menú completo, pan y bebida]] [[full|14,90 €]]
    </div><div class="i">[[half-label|Medio menú]] [[half|10,50 €]]</div><div class="i">
    [[ter-label|En la terraza]] [[ter|+1,00 €]]</div><div class="i">[[take-label|Para llevar]]
    [[take|12,00 €]]</div><div class="i">[[coffee-label|Café]] [[coffee|1,40 €]]</div><p
    style="font-size:28px">[[time|Cocina abierta de [[time-h|13:15 a 16:00]].]] [[tomorrow|Mañana,
    viernes: [[paella|paella por encargo]].]] [[closed|Cerramos del [[closed-days|27 de octubre al 3
    de noviembre]].]]</p></div>"""
    return Page("menu-7", fill(html), 1100, 1350, "es", skew=2.8, blur=0.6, noise=2, jpeg=60)


def pages() -> list[Page]:
    """All menus."""
    return [bistro(), pizza(), tavern(), board(), canteen(), crepes(), bar(), daily()]
