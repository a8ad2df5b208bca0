"""Common words of the languages in Latin letters, by which a text's language is recognised.

Left out are words that English has too, words that stand in names (*de*, *la*, *van*, *von*) and
single letters: a list of names must not look like Spanish, nor a text about death like German.
"""

from collections.abc import Mapping

_NAMES = (
    "en:English de:German fr:French es:Spanish it:Italian pt:Portuguese nl:Dutch "
    "sv:Swedish da:Danish no:Norwegian is:Icelandic fi:Finnish et:Estonian lv:Latvian "
    "lt:Lithuanian pl:Polish cs:Czech sk:Slovak sl:Slovenian hr:Croatian hu:Hungarian "
    "ro:Romanian sq:Albanian tr:Turkish vi:Vietnamese "
    "id:Indonesian tl:Tagalog sw:Swahili ca:Catalan gl:Galician eu:Basque cy:Welsh "
    "ga:Irish af:Afrikaans eo:Esperanto la:Latin"
)

#: Names of languages by their ISO 639 codes, as model cards list them.
LANGUAGE_NAMES: Mapping[str, str] = dict(pair.split(":") for pair in _NAMES.split())

#: Other codes of the same languages, or of languages that share most function words.
LANGUAGE_ALIASES: Mapping[str, str] = {
    "nb": "no", "nn": "no", "ms": "id", "fil": "tl", "sr": "hr", "bs": "hr", "sh": "hr",
    "mo": "ro", "lb": "de", "gsw": "de", "oc": "ca", "eng": "en", "deu": "de", "fra": "fr",
    "spa": "es", "ita": "it", "por": "pt", "nld": "nl",
}  # fmt: skip

_WORDS = {
    "en": "the and that with this are have from which they not would there were you been "
    "their she what of to is it his her but we your my if when who could said into them "
    "only because about just than its these don't it's then him had be has by will can more "
    "how our out up should after before where very being know think those through didn't "
    "i'm doesn't did an or at any other most such does while",
    "de": "der und nicht ist mit sich auf für ein eine dem auch aus wird bei nach sind oder "
    "einen werden zum zur einer eines wie aber noch wenn nur sein ich du wir ihr sie es "
    "kann können haben wurde durch über unter um zu vom als dass daß diese dieser dieses "
    "alle mehr sehr schon immer wieder doch nichts keine kein mich mir dich uns hier dort "
    "weil gegen zwischen ohne soll müssen ihre seine denn hatte waren des das",
    "fr": "à une est dans pour pas avec sont aux cette être nous vous elle leur ont fait "
    "était même où comme qui que sur mais ou il ils je et au ces ses leurs tout tous toute "
    "sans c'est d'un d'une qu'il qu'elle qu'on n'est s'il ne peut si lorsque aussi bien "
    "avait sous entre après avant très encore chaque votre notre quand donc dont j'ai lui "
    "mon mes vos quelque quelques rien jamais toujours celui celle ceux peuvent doit faire "
    "fois moi toi soi autre autres pendant depuis vers chez ainsi alors cela ça",
    "es": "una que por para como pero sus muy también fue había cuando donde hasta esto "
    "eran otros ella este esta está están ser más si sobre entre todo todos desde porque "
    "nos qué puede pueden tiene hacer cada se su es yo eso ese esa aquí después antes "
    "siempre nunca nada mejor usted ellos así según uno unos unas quien quién cual esos "
    "estos estas tan tanto mucho muchos poco cualquier otra otro otras mismo misma vez han "
    "fueron ni sino aunque mientras debe deben hacia contra algo alguien quiere puedes eres "
    "soy tú él mí tienen",
    "it": "è che gli della sono nel alla anche questo delle dei più dalla perché nella "
    "degli loro stato una il si quando tutto tutti essere può questa ogni suo sua hanno ti "
    "ci cosa se dal sul dopo prima senza fatto molto così quello quella quindi nell dell "
    "l'altro c'è alle nei dello sempre mai chi perche qualche qualcosa nessuno ancora meno "
    "poi oggi dell'uomo dalle dai quale quali questi queste quelli tra fra mio mia tuo "
    "siamo siete hai abbiamo stata fare dire deve devono puoi un'altra c'era po piu stesso "
    "altri altro altra altre noi voi lui lei cui qui",
    "pt": "é não uma ao são pelo pela seu sua muito foi também você isso ele ela mas já nos "
    "que um para por se mais como quando ou ser está este esta pode tem dos das nas sem "
    "sobre entre até depois quem todos todo cada fazer há meu minha lhe só porque às seus "
    "suas qualquer outro outra onde assim então nem nossa nosso esse essa estes aquele "
    "nunca sempre nada tudo alguém ninguém mesmo mesma têm deve foram apenas entanto homem "
    "quanto mulher quer vai vida",
    "nl": "het een dat niet zijn voor ook naar aan deze maar wordt bij uit heeft nog geen "
    "hun en ik je wij ze hij te als worden kan kunt kunnen hebben onder tot wat wie waar "
    "moet meer veel wel dit zich uw zou werd omdat alleen altijd niets iets haar mijn zo "
    "tussen tegen welke hoe toch eens daar hier",
    "sv": "och att det som på är av för inte ett jag hade från eller också när mycket vid "
    "skulle en den med har kan du så nu ska efter över utan denna detta dessa vara blir "
    "finns måste alla många där här bara än mot mellan sitt sina din ditt mig oss",
    "da": "og det som på af ikke til et jeg havde fra eller også når meget ved skulle en "
    "den med har kan du så nu hun skal efter uden denne dette disse være bliver findes alle "
    "mange hvor hvis hvad hvordan kun mod mellem din dit mig os blev været noget nogle "
    "hvilken hver",
    "no": "og det som på av ikke til et jeg hadde fra eller også når mye ved skulle en den "
    "med har kan du så nå hun skal seg etter uten denne dette disse være blir finnes alle "
    "mange hvor hvis hva hvordan mot mellom din ditt deg meg oss ble vært noe noen hvilken "
    "hver ikkje eg ein frå",
    "is": "og að það sem ekki til eru ég við um af með fyrir en hann hún þú hefur þetta "
    "þessi þess eða ef eftir frá hafa verið verður einn mjög svo yfir hvað þegar allt mér "
    "þeir þá nú sér þar hér",
    "fi": "ja ei että se oli hän mutta ovat kun niin myös tai jos kuin mitä joka jonka "
    "jotka voi voit ole olla tämä tämän tässä sitä siitä minä sinä hänen nyt jo vielä sekä "
    "mukaan kanssa jälkeen ennen kaikki paljon hyvin enemmän koska minun sinun meidän "
    "heidän oliko olen olet olemme itse joku jotain aina koskaan mikä kuka missä kuten "
    "sitten siis joita niitä näin ihan voidaan voivat tulee pitää saa nämä eivät eikä "
    "kuinka",
    "et": "ja ei et oli aga kui ka või mis kes selle seda siis nii oma veel ning saab ära "
    "üle juba kõik väga ainult sest nagu mida olen oled olema tema minu sinu kuid võib siin "
    "pärast enne koos ilma iga kõige kus kuidas miks saate teie meie nende neid ise üks "
    "kaks ühe võimalik",
    "lv": "ir ar uz par ka kas lai vai tas tā kā ja jo nav bija pēc līdz arī tikai viņš "
    "viņa mēs jūs es tu šis šī tam būt vairāk ļoti kad kur nevar savu visi visu izmantot",
    "lt": "į ir kad yra iš su kaip ar tai jis ji jie mes jūs aš tu buvo nuo iki už apie "
    "prie tik taip dar jau labai gali galite arba jei kurie kuris kuri kai šis ši savo visi "
    "daug nėra būti tačiau",
    "pl": "nie się jest że jak przez od są był która oraz tym dla jego może już który tylko "
    "być za tak jej ich jeśli można aby ze przed bez przy lub kiedy gdy gdzie czy też "
    "bardzo wszystko było była były mnie ci jako te tego które którzy sobie ja ty wy ono "
    "więc jeszcze zawsze nigdy kto ktoś nic coś jestem masz mam mają będzie właśnie "
    "dlaczego swoje swój jednak musi nas nam wam nim niego niej jeden dwa",
    "cs": "se že je si ve jako aby už tak jsou nebo být jen když při byl byla bylo byly "
    "jsem jste jsme jeho její jejich který která které také pokud můžete může není podle "
    "před bez mezi než ještě tento tato toto všechny každý této tím mu mě já ty kde proto "
    "protože ani až od za ke ze",
    "sk": "sa že je si vo ako aby už tak sú alebo byť len keď čo pri bol bola bolo boli som "
    "ste sme jeho jej ich ktorý ktorá ktoré tiež ak môžete môže nie podľa pred bez medzi "
    "než ešte tento táto toto všetky každý tým mu ja ty kde preto pretože ani až od za ku "
    "zo",
    "sl": "je se da za ki pri kot tudi če ne bi iz pa ni bil bila bilo lahko samo še že "
    "kako kaj od brez med tega jih njegov njegova svoj vse vsi zelo biti sem ste smo sta "
    "ter tako ker kjer kateri katera nekaj nič zdaj sedaj vedno nikoli drugi druge tem teh "
    "izberite kliknite",
    "hr": "je se da za koji koja koje su kao ili ako ne bi iz pa nije bio bila bilo može "
    "možete samo još već kako što kada od bez između ovaj ova ovo taj njegov svoj sve svi "
    "vrlo biti ste smo sa te tako jer gdje nakon prije zbog nego ni ću će šta gde posle "
    "ovog",
    "hu": "az és hogy nem egy volt meg csak már mint vagy ki fel kell lehet még ez ezt azt "
    "aki ami amely akkor így úgy minden után előtt között nagyon én te ti ők nincs sem lesz "
    "volna pedig mert hol mit miért sok jó való alatt által szerint ezek azok majd ezzel "
    "amikor ahol ahogy nélkül mindig soha senki semmi valaki valami más kattintson válassza",
    "ro": "și şi să în este nu cu pe din mai sau dar fi au fost sunt prin pentru se lui ei "
    "cea cei dacă acest această aceasta când după foarte fără între poate doar decât astfel "
    "acum toate îl își ați tu noi voi ele lor unde cum",
    "sq": "dhe të një në për është nuk që nga si por ka ishte janë më kjo ky këtë mund ose "
    "edhe ajo ata kanë kur ku pas para mbi nën pa shumë vetëm tij saj çdo unë ti ne ju "
    "sepse",
    "tr": "ve bir bu için ile olarak çok daha gibi ama kadar olan sonra değil olduğu ise "
    "şey onun ne da mı en veya bunu buna biz siz onlar yok hiç nasıl neden önce göre kendi "
    "sadece ancak tüm üzerinde tarafından eğer diye artık bütün olur olduğunu oldu böyle "
    "şöyle zaman kim hem çünkü iki bazı birçok olmak etmek şekilde bana sana ona bizim "
    "sizin onların içinde eder seç",
    "vi": "và của là có không cho được với một các những trong này khi để người đã từ bạn "
    "đến về như cũng nhưng nếu vào thì hoặc sẽ trên tôi anh chị nó họ chúng rất nhiều đó "
    "theo tại sau trước phải làm đang còn bị nào gì vì",
    "id": "yang untuk dengan tidak ini itu dari dalam akan pada ke adalah atau dapat oleh "
    "sebagai juga karena ada saya anda kami kita mereka bisa sudah telah harus lebih jika "
    "ketika hanya seperti saat tetapi tapi bahwa secara setelah sebelum antara bagi agar "
    "para dia sangat belum pun setiap boleh hendak kepada daripada ialah sebuah seorang "
    "orang semua banyak apa siapa bagaimana masih lagi hal pilih gunakan ingin tersebut "
    "tanpa beberapa sedang",
    "tl": "ang ng mga sa ito ni si kung hindi para mo niya nila sila siya ako ikaw kami "
    "tayo kayo nang din rin pero dahil mayroon wala isang isa kanyang bilang kapag upang "
    "maging pa ba noong",
    "sw": "wa kwa ni za katika kuwa hii hiyo huo wao yake yao lakini kama pia au hata sana "
    "watu mtu si sisi mimi wewe yeye hapa huko kutoka ambayo ambao ili baada kabla kila "
    "bila alikuwa walikuwa ndiyo hakuna",
    "ca": "els una amb que és dels als però també més si aquest aquesta aquests són podeu "
    "quan sobre entre fins tot tots cada ser està seva seu va molt ja perquè després abans "
    "des qualsevol n'hi l'any d'un d'una vostre quin quina això aquell aquestes mateix "
    "mateixa encara mai sempre res algun alguna altres altre uns unes feu premeu",
    "gl": "unha que por para como pero seus moi tamén foi cando onde ata isto este esta "
    "está están ser máis ao aos das dos nas nos pola polo sobre entre todo todos desde "
    "porque pode poden facer cada ou se súa seu dun dunha nunha unhas uns algún algunha "
    "mesmo aínda nunca sempre nada outros outro prema faga",
    "eu": "eta da ez du dira izan zen dute baina edo hau hori horrek honen gero baino bere "
    "oso behar dago egin daiteke dezakezu duen den diren beste bezala arte gabe egiten nahi "
    "dut zuen ziren batean guztiak hauek horiek zein nola gehiago hautatu sakatu egiteko "
    "erabili bada baldin dituen zaude gara daude",
    "cy": "yn yr ar i'r y'r a'r ei mae nid oedd bod wedi gan gyda ond neu sydd hwn hyn chi "
    "fi nhw ni fel oes hefyd roedd o'r i'w mewn rhai byddai cael fod gallwch",
    "ga": "agus bhí sé sí ar ag tá níl leis dtí seo ach nó gur bhfuil mé tú siad sibh muid "
    "faoi chun ón dá nach ní ina iad aon gach féin raibh",
    "af": "en nie het te wat vir aan sy ek jy hy ons hulle dit sal kan maar ook deur uit "
    "nog baie moet hierdie daar 'n se jou wees",
    "eo": "kaj estas ne en li ŝi ni ili tio tiu kiu kiuj kio por kun sed ankaŭ aŭ ĉu ke da "
    "pri sur ĉi tiel kiel nur pli plej tre ĉiu ĉiuj sia lia ŝia oni se ankoraŭ",
    "la": "et est ut cum qui quae quod sed aut nec neque enim autem atque esse sunt hoc "
    "haec hic ille illa eius quam quoque quid nihil tamen etiam igitur erat erant fuit nam "
    "vel apud sicut quia ergo dum ita",
}

# Common words of these languages that English has too, or that stand in names: they count
# where words of the list above stand beside them.
_SHARED = {
    "de": "von im man in an was so war die den bin hat am will also",
    "fr": "ce plus le la les de des du en un son ma car par on",
    "es": "con sin ya lo le un al mi el la los las de del en no y ha me he",
    "it": "un lo per non con ma come ha mi la le di da in all era solo ai dove del al io te",
    "pt": "com em na no eu de do da os as me a o e",
    "nl": "van op met dan om er door over al die de is of was in had we me hem",
    "sv": "till om man de vi men han hon var sig under sin dig i mer",
    "da": "at er om man vi men han sig over dig de i for have under",
    "no": "at er om man vi men han over bare de i for under",
    "is": "er á var vera í",
    "fi": "on sen vain",
    "et": "on see ta pole need mind seal",
    "lv": "un no bet var to pie",
    "lt": "bet per po be",
    "pl": "po na do to w z ale co pod nad mi go ten ta my i o a",
    "cs": "na to pro ale by po co pod nad ho my do a v s o i",
    "sk": "na to pre ale by po pod nad ho ma my do a v s o i",
    "sl": "in na so ali po ko do pod nad ta to jim v s o",
    "hr": "i na po do pod nad ta to sam pre u s o a",
    "hu": "van ha de is el mi a",
    "ro": "la care ca ce o un ale cel am ai era eu de a",
    "sq": "me do ai jam e i",
    "tr": "ben de mi her ya o sen var bile",
    "vi": "ra em ta hay",
    "id": "dan di lain",
    "tl": "na ay at ko lang may po",
    "sw": "na ya la wake",
    "ca": "les per del com no ha han pot hi ho on el la de en un i al",
    "gl": "os con non sen ten nun de do da na no en o a e",
    "eu": "bat ere",
    "cy": "eu am hon pan i y",
    "ga": "an go sin mar is don i a",
    "af": "die is van om met op was as word na my of al in",
    "eo": "la al mi vi de el jam",
    "la": "non ad ab ex ac inter in si me",
}


#: Common words of each language by its name.
FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    LANGUAGE_NAMES[code]: frozenset(words.split()) for code, words in _WORDS.items()
}

#: Words that they share with English or with names, by the name of the language.
SHARED_WORDS: Mapping[str, frozenset[str]] = {
    LANGUAGE_NAMES[code]: frozenset(words.split()) for code, words in _SHARED.items()
}
