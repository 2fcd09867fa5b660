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


def curry() -> Page:
    """An Indian house's take-away leaflet: three crowded columns with numbers."""
    groups = {
        "a|Starters": """
        1 Onion bhaji (3) | | 3.95
        2 Vegetable samosa (2) | | 3.75
        3 Lamb samosa (2) | | 4.25
        4 Chilli paneer | dry, with peppers | 6.50
        5 Chicken pakora | gram flour, ajwain | 5.95
        6 King prawn puri | | 7.40
        7 Seekh kebab | minced lamb, mint | 5.80
        8 Poppadom, plain or spiced | | 0.95
        9 Pickle tray | four sorts | 2.60""",
        "b|From the clay oven": """
        20 Tandoori chicken, half | | 9.95
        21 Chicken tikka | | 9.50
        22 Lamb chops | four, with ginger | 13.90
        23 Salmon tikka | dill, mustard | 13.50
        24 Paneer shashlik | | 10.20
        25 Mixed grill | for one hungry person | 15.80""",
        "c|Curries": """
        30 Korma | mild, coconut, almond | 9.20
        31 Bhuna | medium, thick, tomato | 9.20
        32 Dhansak | sweet and sour, lentils | 9.60
        33 Jalfrezi | hot, green chillies | 9.80
        34 Vindaloo | very hot, potato | 9.60
        35 Saag | spinach, garlic | 9.70
        36 Butter chicken | mild, fenugreek | 10.80
        37 Goan fish curry | hot, tamarind | 12.60
        38 Railway lamb | medium, egg, potato | 11.90
        39 Duck chettinad | hot, star anise | 13.40""",
        "d|Biryani, with raita": """
        50 Vegetable | | 9.90
        51 Chicken | | 11.20
        52 Lamb | | 11.90
        53 King prawn | | 14.60
        54 House special | everything | 15.20""",
        "e|Vegetable dishes": """
        60 Tarka dal | | 5.60
        61 Bombay aloo | | 5.40
        62 Bhindi bhaji | okra | 6.10
        63 Chana masala | chick peas | 5.70
        64 Mushroom bhaji | | 5.50
        65 Aubergine with tamarind | | 6.80""",
        "f|Rice and breads": """
        70 Boiled rice | | 3.10
        71 Pilau rice | | 3.50
        72 Lemon rice | | 3.90
        73 Naan | | 2.90
        74 Garlic naan | | 3.30
        75 Peshwari naan | coconut, raisins | 3.70
        76 Chapati | | 1.60
        77 Stuffed paratha | | 4.20""",
        "g|Set meals": """
        80 For one | 2 poppadoms, 21, 31, 71, 73 | 19.50
        81 For two | 2 starters, 2 curries, 60, 71, 74 | 38.00
        82 Vegetarian for two | 1, 24, 62, 63, 71, 76 | 33.50""",
        "h|Drinks": """
        90 Mango lassi | | 3.60
        91 Salted lassi | | 3.30
        92 Masala tea | | 2.40
        93 Lime soda | | 2.90""",
    }
    body = ""
    for name, listing in groups.items():
        key, title = name.split("|")
        body += f"<section><h2>{text(f'h-{key}', title)}</h2>{dishes(listing, key)}</section>"
    html = """
    <style>.s{width:1500px;height:940px;box-sizing:border-box;background:#fff6ea;padding:34px 44px;
    font:17px/1.27 'Open Sans Condensed','Roboto Condensed';color:#3a1405} .c{columns:3;
    column-gap:40px;margin-top:16px} .d{margin-bottom:4px;break-inside:avoid} .l{display:flex} .l
    b{font-weight:400}
    u{flex:1;border-bottom:1px dotted #a66;margin:0 6px 5px;text-decoration:none} .w{font-size:15px;
    color:#8a5a3c;padding-left:26px} h2{font:700 21px 'Roboto Condensed';color:#fff;background:
    #a4161a;margin:10px 0 6px;padding:2px 10px;break-after:avoid} .n{display:grid;margin-top:12px;
    grid-template-columns:1fr 1fr 1fr;column-gap:40px;border-top:3px solid #a4161a;padding-top:8px}
    .n span{white-space:nowrap}</style><div class="s"><div style="display:flex;align-items:end;
    justify-content:space-between"><b style="font:700 46px 'Roboto Condensed';color:#a4161a">
    [[firm|SAFFRON GATE]]</b><span>[[trade|Indian kitchen, take-away and delivery]]</span><b
    style="font-size:28px">[[tel|01555 668 412]]</b></div><div class="c">@body@</div><div class="n">
    <div>[[open-label|Open]] [[open|daily 17:00–23:00]]<br>[[last-label|Last orders for delivery]]
    [[last|22:15]]<br>[[min-label|Smallest order delivered]] [[min|£15]]</div><div>[[fee-label|
    Delivery within 3 miles]] [[fee|£2.50]]<br>[[free-label|Free from]] [[free|£35]]<br>
    [[pick-label|Collect it yourself:]] [[pick|10 % off, cash only]]</div><div>[[curry-label|Curries
    30 to 35:]] chicken, or lamb [[lamb|+1.20]], prawn [[prawn|+2.80]]<br>[[nut-label|Nuts:]]
    [[nut|30, 36 and 75]]<br>[[halal-label|Meat from]] [[halal|Bashir & Sons, halal]]</div></div>
    </div>"""
    html = fill(html.replace(" & ", " &amp; "), body=body)
    return Page("menu-8", html, 1500, 940, colours=24)


def cellar() -> Page:
    """A wine list with glasses, carafes and bottles."""
    groups = {
        "s|Sparkling": """
        Crémant de Vernay, brut | Vernay | NV | 8.50 | – | 42
        Cava Torrealba, brut nature | Torrealba | 2021 | 7.50 | – | 36
        Hexley Down, blanc de blancs | Hexley | 2018 | 13.00 | – | 72""",
        "w|White": """
        Grüner Hang, dry | Auental | 2023 | 6.80 | 18.50 | 33
        Riesling Klosterberg | Kirchau | 2022 | 8.20 | 23.00 | 41
        Vermentino Capo Lira | Costa Lira | 2024 | 7.40 | 20.50 | 36
        Chenin old vines | Meurcy | 2020 | 9.60 | 27.00 | 48
        Albariño Puente Nuevo | Puente Nuevo | 2023 | 8.80 | 25.00 | 44
        White Burle, premier cru | Saint-Aubry | 2019 | – | – | 96""",
        "p|Rosé and orange": """
        Pale rosé, Domaine Lanvec | Lanvézec | 2024 | 7.20 | 20.00 | 35
        Rosado de aguja | Valdoro | 2024 | 6.40 | 17.50 | 31
        Amber, eight weeks on skins | Costa Lira | 2022 | 9.90 | 28.00 | 50""",
        "r|Red": """
        House red, Tempral | Valdoro | 2023 | 5.90 | 16.00 | 28
        Spätburg, unfiltered | Auental | 2021 | 9.40 | 26.50 | 47
        Gamay Les Buis | Vernay | 2023 | 7.90 | 22.00 | 39
        Syrah Côte Noire | Saint-Aubry | 2020 | 10.20 | 29.00 | 52
        Garnacha, bush vines | Torrealba | 2019 | 8.60 | 24.00 | 43
        Malba High Terrace | Granite Peak | 2022 | 9.10 | 25.50 | 45
        Nebbia, Vigna Storta | Costa Lira | 2017 | – | – | 88
        Old Fort, library release | Meurcy | 2009 | – | – | 164""",
        "x|Sweet and fortified, 75 ml": """
        Late harvest Riesling | Kirchau | 2020 | 8.00 | – | 58
        Tawny, ten years | Porto Lima | NV | 7.20 | – | 54
        Raisin wine | Costa Lira | 2016 | 9.50 | – | 66""",
    }
    keys = ["name", "place", "year", "glass", "half", "full"]
    body = ""
    for name, listing in groups.items():
        key, title = name.split("|")
        body += f'<tr><th colspan="6">{text(f"t-{key}", title)}</th></tr>'
        for n, row in enumerate(cells(listing)):
            pairs = zip(keys, row, strict=True)
            line = (text(f"{key}{n}-{k}", v, "td", f'class="c-{k}"') for k, v in pairs)
            body += f"<tr>{''.join(line)}</tr>"
    titles = ["", "", "Vintage", "Glass 175 ml", "Carafe 500 ml", "Bottle"]
    heads = "".join(
        text(f"h-{k}", title, "td", f'class="c-{k} hd"')
        for k, title in zip(keys, titles, strict=True)
    )
    html = """
    <style>.s{width:1180px;height:1500px;box-sizing:border-box;background:#f5f0e8;padding:70px 96px;
    font:22px/1.3 'EB Garamond';color:#2c1a1d} table{width:100%;border-collapse:collapse}
    td{padding:4px 6px} th{text-align:left;font:italic 30px 'EB Garamond';color:#6d1a36;
    padding:16px 6px 2px;border-bottom:1px solid #6d1a36} .c-year,.c-glass,.c-half,.c-full{
    text-align:right} .c-place{color:#7d6a6d} .hd{font-size:17px;letter-spacing:1px;color:#6d1a36;
    white-space:nowrap} p span{white-space:nowrap}</style><div class="s"><div
    style="text-align:center;font-size:52px">[[firm|The Vaulted Room]]</div><div
    style="text-align:center;font-style:italic">[[title|wine list, autumn]]</div><table>
    <tr>@heads@</tr>@body@</table><p style="font-size:20px">Prices in pounds, VAT included. A
    [[small-word|small glass of 125 ml]] costs [[small|three quarters]] of the large one. Bring your
    own bottle on [[byo|Mondays]]; [[cork-word|corkage]] is [[cork|£14]]. Unfinished bottles may be
    [[home|taken home, sealed]]. Our [[somm-word|sommelier]] [[somm|Ludovica Brandt]] opens
    something old every [[old|first Thursday]], and her [[taste-word|tasting of five wines]] with
    cheese is [[taste|£39]] a head. All whites but one are [[vegan|vegan]]; ask us which. Sulphites
    are in everything here.</p></div>"""
    return Page("menu-9", fill(html, heads=heads, body=body), 1180, 1500, colours=24)


def gelato() -> Page:
    """An ice-cream parlour's poster, coloured boxes, photographed at a slant."""
    cups = dishes(
        """
        Bellini cup | peach, white peach sorbet, prosecco jelly | 8.40
        Black Forest | cherries, chocolate, kirsch, cream | 8.90
        Spaghetti ice | vanilla strands, strawberry sauce, white chocolate | 7.60
        Nutcracker | hazelnut, walnut, pistachio, caramel | 8.70
        After Eight O'Clock | mint, dark chocolate, wafer | 7.90
        Copacabana | banana, coconut, pineapple, rum | 9.20
        Forest floor | blueberry, blackberry, yoghurt ice | 8.20
        Affogato | one scoop of vanilla, double espresso | 4.90
        Pinocchio | two scoops, gummy nose, for children | 4.60
        Dog's delight | rice milk and carrot, no sugar | 3.00
        """,
        "k",
    )
    sorts = cells(
        """
        Vanilla | m, e
        Stracciatella | m
        Pistachio | m, n
        Salted caramel | m
        Malt and biscuit | m, g
        Rum and raisin | m, e
        Liquorice | m
        Lemon | vegan
        Blood orange | vegan
        Raspberry | vegan
        Dark chocolate | vegan
        Oat and cinnamon | vegan, g
        Peanut crunch | m, p
        Yoghurt and honey | m
        """
    )
    list_ = "".join(
        f"<div class='l'>{text(f'f{n}', name)}<u></u>{text(f'f{n}-code', code)}</div>"
        for n, (name, code) in enumerate(sorts)
    )
    html = """
    <style>.s{width:1120px;height:1120px;box-sizing:border-box;background:#e0f4f1;padding:100px;
    font:20px/1.32 Quicksand;font-weight:500;color:#174a4a} .c{display:grid;
    grid-template-columns:1.35fr 1fr;gap:24px} .b{background:#fff;border-radius:20px;padding:14px
    22px} .p{background:#d9416f;color:#fff;border-radius:20px;padding:14px 22px;margin-bottom:20px}
    h2{margin:0 0 8px;font:700 27px Quicksand;color:#d6336c} .d{margin-bottom:9px} .l{display:flex}
    u{flex:1} .w{font-size:17px;color:#5b7f7f} .p h2{color:#fff} p span{white-space:nowrap}</style>
    <div class="s"><div style="text-align:center;font:700 56px 'Dancing Script';color:#d6336c">
    [[firm|Gelateria Due Lune]]</div><div style="text-align:center;margin-bottom:18px">[[street|
    Promenade 40, Seabright]] · [[since|since 1974]]</div><div class="c"><div class="b"><h2>[[h-k|
    Sundaes]]</h2>@cups@</div><div><div class="p"><h2>[[h-p|By the scoop]]</h2><div class="l">
    [[one-label|1 scoop]]<u></u>[[one|1.90]]</div><div class="l">[[two-label|2 scoops]]<u></u>
    [[two|3.60]]</div><div class="l">[[three-label|3 scoops]]<u></u>[[three|5.10]]</div><div
    class="l">[[cream-label|whipped cream]]<u></u>[[cream|0.90]]</div><div class="l">[[cone-label|
    waffle cone]]<u></u>[[cone|0.70]]</div><div class="l">[[box-label|box to take home, 1
    litre]]<u></u>[[box|15.50]]</div></div><div class="b"><h2>[[h-f|Today's flavours]]</h2>@list@
    </div></div></div><p>m milk · e egg · n nuts · p peanut · g gluten. Gluten-free wafers: please
    ask. [[card-label|Loyalty card:]] [[card|the eleventh scoop is free]]. [[open-label|Open]]
    [[open|11–22]], in [[winter|October until 18]]; [[shut-word|closed]] from [[shut|2 November to
    the end of February]]. [[party-word|Ice-cream cart for parties]]: [[party|£180 for two hours]].
    Tables at the [[terrace-word|sea side]] with [[terrace|waiter service only]].</p></div>"""
    html = fill(html, cups=cups, list=list_)
    return Page("menu-10", html, 1120, 1120, skew=-3.3, blur=0.7, noise=2, jpeg=58)


def pages() -> list[Page]:
    """All menus."""
    return [
        bistro(),
        pizza(),
        tavern(),
        board(),
        canteen(),
        crepes(),
        bar(),
        daily(),
        curry(),
        cellar(),
        gelato(),
    ]
