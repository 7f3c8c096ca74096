"""Words that say nothing of their own: articles, pronouns, particles and what questions begin with, by language."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Final

from bridge.text.fold import fold_word
from bridge.text.scripts import TONES
from bridge.text.stems import FREQUENT_WORDS

# In no language a content word: no "die", "war", "man", "son", "sin" or "comment".
_ENGLISH: Final = """
a an and are as at be been being but by can could did do does doing for from had has have having he her hers him his
how i if in into is it its itself let me more most my no nor not of on or our ours own same she should so some such
than that the their theirs them then there these they this those through to too under until up very was we were what
when where which while who whom whose why with would you your yours about shall us am
"""

_IN_ALL: Final = """
der das dem eine einer eines einem einen und oder ist sind waren wird werden wurde wurden wer wie wo wann warum welche
welcher welches welchen welchem wem wen wessen im am auf aus bei nach seit vom zu zum zur für durch über unter um ihr
sein seine haben hatte hatten nicht auch dass sich wenn worum wohin woher womit wodurch wofür woran wobei worin wonach
quanto quanta quanti quante quale quali qual quais quantos quantas cuánto cuánta cuántos cuántas combien wieviel
wieviele
le la les et des est une dans que pour pas qui au aux avec ce ces cette il elle sont ont ne nous vous quel quelle quels
quelles où quand pourquoi
el los las y en una con del se su lo al qué cuál cuáles quién cuándo dónde cómo es
di che del della dei gli uno per è
o os da dos um uma não no na ao
de het een van dat niet op met voor zijn aan er hoe wat wie waar
welk welke waarom wanneer hoeveel vad vilken vilket vilka varför när vem hvad hvilken hvilket hvorfor hvornår hvem hva
ile mennyi montako jaki jaka jakie który która które gdzie kiedy dlaczego jaký jaká jaké který která které kdo kde kdy
proč kolik
hogyan milyen mikor miért melyik hány mikä mitä missä kuka milloin miksi kuinka minkä millainen
nedir nelerdir kimdir nerede neden niçin hangi hangisi kaç nasıl kimin neler ve bir için ile olarak hangileri
cine unde când câți câte care pentru este sunt apakah siapa bagaimana mengapa berapa kapan dimana
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по кто где когда почему какой какая
какие какое сколько зачем который которая которое которые или если чтобы быть был была было были будет есть это этот
эта эти этого этой этом том тот та те того её ее их им ей ему них нему мне меня мой моя моё нас наш вас ваш свой своя
свои себя уже ещё еще только также при для от до из под над без между после перед через об о какого каким каком
которого которой котором которым которых чем чём чего чему кого кому ком кем куда откуда отчего чей чья чьё ли ни
очень более менее там тут здесь лишь
і й з від про що як який яка яке які коли де чому хто скільки це цей ця або але та є був була було були
от със че са кой коя кое кои какво какъв каква какви кога къде защо колко този тази това тези като
ποιος ποια ποιο ποιες ποιοι ποιον ποιους πότε πού γιατί πώς πόσο πόσα πόσος πόση πόσοι πόσες τι και το η ο οι τα της του
είναι ήταν να θα δεν μην με σε για από στο στη στην στον στα στους στις τον την τους τις των ένα ένας μια μία που ότι αν
αλλά ή όταν όπως αυτό αυτή αυτός αυτά αυτές αυτοί έχει έχουν είχε
ماذا متى أين اين كيف لماذا هل كم في من على إلى ما هو هي عن مع بعد قبل بين عند هذا هذه ذلك تلك التي الذي الذين كان
كانت لا لم لن أن إن أنه قد ثم أو و هم كما حيث أي أية بماذا لمن ممن عما مما منها منه عليها عليه لها له بها به فيها فيه
که این آن را از به با در است بود برای چه کجا کی چرا چگونه چند چیست
क्या कौन कहाँ कब क्यों कैसे कितने कितना कितनी किस किसने किसका में के की का को से है हैं था थी थे और ने यह वह ये वे इस
उस इन उन इसका इसकी इसके उसका उसकी उसके अपने अपनी अपना पर तक ही भी तो एक हो होता होती होते हुआ हुई हुए गया गई गए लिए
द्वारा साथ कि जो जिस जिसके जिसमें या नहीं किसी कौनसा कौनसी किन किसलिए कैसा कैसी
מה מי איפה מתי למה איך איזה איזו אילו כמה של את על זה זו זאת אלה הוא היא הם הן היה היתה הייתה היו יש אין לא כן גם כי
אם או אבל רק עם בין לפני אחרי אל מן עד אשר אותו אותה אותם כיצד מדוע היכן לאן מאין
և է են որ ինչ ով երբ որտեղ ինչու ինչպես քանի այս այդ
და რა ვინ როდის სად რატომ როგორ რამდენი რომელი არის იყო ეს ის
என்ன யார் எப்போது எங்கே ஏன் எப்படி எத்தனை எவ்வளவு எது எந்த ஒரு இந்த அந்த மற்றும் நான் நாம் என்
ምን ማን መቼ የት ለምን እንዴት ስንት የትኛው ነው ናት ናቸው ነበር እና ወይም ውስጥ ላይ ይህ
কি কী কে কখন কোথায় কেন কিভাবে কীভাবে কত এবং এই এর
"""

_IN_ONE: Final = {
    "german": """
ich du er es wir sie mir mich dir dich uns euch ihnen ihm ihn ihre ihrer ihrem ihren ihres seiner seinem seinen seines
mein meine meiner meinem meinen dein deine unser unsere euer eure die den des war bin bist sei seid wäre wären habe
hast hat habt gehabt werde wirst werdet worden kann können konnte konnten könnte soll sollen sollte muss müssen musste
will wollen wollte darf dürfen mag man als in bis gegen ohne zwischen während wegen trotz außer mit von aber denn
sondern doch ob obwohl weil damit nachdem bevor falls dann schon noch nur sehr mehr etwa hier dort dieser diese dieses
diesem diesen jener jene alle aller allen alles jeder jede jedes jedem jeden kein keine keiner keinem keinen etwas
nichts viel viele vielen wieviel wieviele was worauf worüber wovon wozu weshalb wieso gibt so für""",
    "french": """
je tu on lui leur leurs te moi toi eux elles mon ma mes ton ta tes sa ses notre nos votre vos c d l qu j n s m t à as
ai avons avez avait avaient eu être sommes êtes était étaient fut furent sera peut peuvent pouvait doit doivent faut
ou mais donc ni si comme lorsque puisque parce alors ainsi aussi très plus moins même mêmes tout tous toute toutes
autre autres chaque quelque quelques aucun aucune rien sans sous entre vers chez par contre pendant depuis avant après
dès combien comment lequel laquelle lesquels lesquelles dont celui celle ceux celles ceci cela ça un du sur y a""",
    "spanish": """
yo tú él ella ello nosotros ustedes ellos ellas te nos le les mi mis tu tus sus nuestro nuestra nuestros nuestras este
esta esto estos estas ese esa eso esos esas aquel aquella aquellos aquellas un unos unas a ante contra desde durante
entre hacia hasta para por según sin sobre tras como cual cuales quien quienes cuando cuanto cuanta cuantos cuantas
donde cuánto cuánta cuántos cuántas quiénes adónde era eran fue fueron ser sido soy eres somos son está están estaba
estuvo ha han haber había habían hay hubo tiene tienen tenía puede pueden podía debe deben si sí ni u e pero sino
aunque porque pues también más menos muy ya aún todavía todo toda todos todas otro otra otros otras cada algún alguna
algunos algunas ningún ninguna nada algo alguien mucho mucha muchos muchas poco tan tanto así entonces me""",
    "italian": """
io tu egli lui lei noi voi loro essi mi ti ci vi li ne si con su tra fra al allo alla ai agli alle dal dallo dalla dai
dagli dalle nel nello nella nei negli nelle sul sullo sulla sui sugli sulle col dell dall nell sull all un i e ed od
ma però anche né se perché poiché quando come dove quanto quanta quanti quante quale quali qual chi cui cosa cos quest
questo questa questi queste quel quello quella quelli quelle quegli quei mio mia miei mie tuo tua suo sua suoi sue
nostro nostra nostri nostre vostro vostra sono siamo siete era erano ero fu furono essere sia siano sarà ho hai ha
abbiamo avete hanno aveva avevano avere può possono deve devono viene vengono c non più meno molto molta molti molte
poco tutto tutta tutti tutte altro altra altri altre ogni qualche alcuni alcune nessuno nessuna già ancora così dopo
durante senza fino dello degli delle l d un""",
    "portuguese": """
eu tu ele ela nós vós eles elas te lhe lhes nos vos meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos
nossas este esta isto estes estas esse essa isso esses essas aquele aquela aquilo aqueles aquelas e ou mas com sem sob
sobre entre até desde para por pelo pela pelos pelas do em nas num numa aos à às qual quais quem quando quanto quanta
quantos quantas onde como porque porquê quê é era eram foi foram ser sido sou somos são está estão estava estar há
havia houve tem têm tinha pode podem deve devem também mais menos muito muita muitos muitas já ainda todo toda todos
todas outro outra outros outras cada algum alguma alguns algumas nenhum nenhuma nada algo alguém tão tanto assim então
as""",
    "dutch": """
ik jij je wij we jullie zij ze hem haar hun hen mij me mijn jouw uw ons onze was bent geweest wordt worden werd werden
heeft hebben had hadden kan kunnen kon konden moet moeten mag wil zal zullen zou zouden bij naar uit over onder tegen
tussen tijdens door om tot sinds na zonder als dan maar of en want omdat toen terwijl deze dit die waarin ook nog al
alleen zeer veel meer geen iets niets alle elk elke andere daar hier hij is te volgens waarmee lang""",
    "swedish": """
jag du han hon den det vi ni dem mig dig oss honom henne min mitt mina din ditt dina sin sitt sina vår vårt våra är
var varit vara blir blev har hade haft kan kunde ska skall skulle måste får fick på med av till från för om över
mellan mot utan vid efter före hos och eller men att då eftersom så som inte också mycket mer mest bara redan än alla
allt annan någon något några ingen inget inga denna detta dessa varje hur varifrån ett en i många när""",
    "norwegian": """
jeg du han hun den det vi dere dem meg deg oss seg min mitt mine din ditt sin sitt sine vår vårt våre hans hennes var
vært være blir blev ble bli har hadde kan kunne skal skulle må vil ville på med av til fra om over mellom mot uten ved
etter før hos og eller men at når da fordi så som ikke ikkje også mye mer mest bare alle alt annen noen noe noko ingen
intet denne dette disse hver hvert hvor hvordan hvilke man lenge eit ei kva korleis kvifor kven en et i er""",
    "danish": """
jeg du han hun den det vi dem mig dig os sig min mit mine din dit sin sit sine vores hans hendes var været være bliver
blev blive har havde kan kunne skal skulle må vil ville på med af til fra om over mellem mod uden ved efter før hos og
eller men at da fordi så som ikke også meget mere mest kun alle alt anden andre nogen noget nogle ingen intet denne
dette disse hver hvert hvor hvordan hvorledes hvilke man længe en et i""",
    "polish": """
ja ty on ona ono my wy oni one mnie mi ci ciebie go mu jego jej ją nam nas wam was ich mój moja moje twój swój swoja
swoje nasz nasza ten ta tego tej tym te tych tymi jest są był była było byli były być będzie będą ma mają miał może
mogą w we z ze na do od za przed przy przez dla bez u pod nad między podczas według oraz i ale lub albo czy że żeby
aby gdy jeśli ponieważ bo więc także też nie tak tylko już jeszcze bardzo więcej jak jako co kto kogo komu czym kim
ile ilu czego czemu skąd dokąd jakiego jakiej jakim jakich którego której którym którzy których każdy każda inne tę
się to po""",
    "czech": """
já ty on ona ono my vy oni mně mi mne ti tě ho mu jej jí ji nám nás vám vás jim je jejich jeho můj moje tvůj svůj svá
své náš ten ta to tom toho té tu tím těch jsou byl byla bylo byli byly být bude budou má mají měl může mohou v ve z ze
od do po za před při pro bez u pod nad mezi během podle i ale nebo či že aby když jestli protože tak také též jen už
ještě velmi více jako co koho komu čím kým čeho čemu odkud kam jakého jakou jakým jak kterých kterého kterou kterým
kteří každý se s k jaké""",
    "hungarian": """
én te ő ti ők az egy ez azt ezt annak ennek ezek azok van vannak volt voltak lesz lenni nincs és vagy de hanem hogy ha
mert mint is sem nem már még csak nagyon több ki kik kit mi mit miben mivel mennyi mennyire hol hová honnan melyek
amely amelyek aki akik ami amit ahol így itt ott minden más által alatt után előtt között szerint""",
    "finnish": """
minä sinä hän te he minun sinun hänen ne sen niiden sitä niitä siinä tämä tämän tässä tätä nämä tuo ei eivät en emme
on ovat oli olivat olla ollut olisi voi voivat ja tai mutta vaan että jos kun koska kuin kuten niin myös vain jo vielä
hyvin enemmän mitkä mihin mistä ketkä kenen kenelle montako joka jotka jonka jossa jota kaikki muut sekä ilman kanssa
jälkeen ennen aikana mukaan se mikä""",
    "turkish": """
bu şu o ben sen biz siz onlar bunun onun bana sana ona bunlar de ki mi mı mu mü ama fakat veya ya ise çok daha en her
hiç değil var yok idi olan oldu olduğu olur ne kim kime neyi neye nereye nereden kadar gibi göre sonra önce üzere
ancak bile tüm bütün tarafından arasında hakkında kaçtır da hangi nasıl neden nerede kaç""",
    "romanian": """
eu tu ea noi voi ei ele mă te îl vă îi mi ți își lui lor ai ale meu mea mei mele tău ta său sa sale nostru noastră
acest această acești aceste acesta aceasta acel acea acei acele un unui unei unor în din cu fără sub peste între până
după înainte despre prin spre către și sau dar ci iar să dacă deoarece căci nu mai foarte tot toate toți fost fi era
erau e avea avut va vor poate pot trebuie ce cui căruia cărei cât câtă cum pe de""",
    "catalan": """
jo tu ell ella nosaltres vosaltres ells elles em et ens us li els un uns unes als dels pel pels a amb per sense sobre
entre fins i però què quin quina quins quines quan on com perquè quant quanta quants quantes és era eren fou van va
ser són està hi ha havia té tenen pot poden aquest aquesta aquests aquestes aquell aquella això també més menys molt
ja tot tota tots totes altre altra altres cada""",
    "indonesian": """
saya kamu anda dia ia mereka kami kita yang ini itu ke dari pada dalam dengan untuk oleh tentang antara karena dan
atau tetapi tapi bahwa jika kalau ketika jam perlu harus dapat bisa boleh adalah ialah merupakan akan telah sudah
sedang belum tidak bukan juga hanya
saja sangat lebih paling banyak apa mana seorang sebuah suatu para tersebut""",
    "lithuanian": """
aš tu jis ji mes jūs jie jos ir bet ar arba kad jei kai nes taip į iš su be apie po prie nuo už iki kas ką kam kur
kada kaip kodėl kiek koks kokia kokie kokios kuris kuri kurie kurios yra buvo būti bus šis ši šie tas tie""",
    "estonian": """
mina ma sina sa tema ta meie me teie te nemad nad ja või aga et kui sest ka ei on oli olid olla see need selle nende
mis mida mille kes keda kelle kus kuhu kust millal miks kuidas milline millised mitu palju oma""",
    "serbian": """
ja ti on ona ono mi vi oni je su sam si smo ste bio bila bilo biti u sa iz od do za po pri pred pod nad kroz među i
ili ali ako kad jer kao što šta tko ko koga kome čega čime koji koja koje kojem kojoj kojih kojim gdje gde kada kako
zašto koliko kakav kakva kakvo ovaj ova ovo taj ta to onaj nije nisu se će šta ја ти он она оно ми ви они је су сам си
смо сте био била било бити у са из од до за по при пред под над кроз међу и или али ако кад јер као што шта ко кога
коме чега чиме који која које којем којој којих којим где када како зашто колико какав каква какво овај ова ово тај та
то онај није нису се ће на да""",
    "swahili": """
na ya wa la za cha vya kwa katika ni si au lakini pia kama hii hiyo huyu hizi yangu wangu langu nini nani wapi lini
ngapi gani vipi upi ipi kuna iko ina je""",
    "slovenian": """
jaz ti on ona mi vi oni je so sem si smo ste bil bila bilo biti bo bodo v s z iz od do za po pri pred pod nad med in
ali če ko ker kot kaj kdo koga komu čim kateri katera katero katerem kateri kje kam kdaj kako zakaj koliko kakšen
kakšna ta tista to ni niso se na da ki lahko moram mora smem sme imam ima""",
    "latvian": """
es tu viņš viņa mēs jūs viņi ir bija būs būt nav un vai bet ja ka kad jo kā kas ko kam kur kurš kura kurā kāpēc cik
cikos kāds kāda no uz ar par pie pēc pirms līdz pa tas tā šis šī arī tikai jau vēl drīkst var""",
    "icelandic": """
ég þú hann hún það við þið þeir þær mig þig sig er eru var voru vera verður verða hefur hafa að og eða en ef þegar sem
til frá af á í um með við yfir undir fyrir eftir hvað hver hvar hvenær hvernig hve margar mörg margir marga mikið
hvaða hversu hvers ekki líka bara þarf má get getur þessi þetta þess maður""",
    "welsh": """
y yr i o a ac yn ar at am gan gyda gyda'r o'r i'r a'r i'n o'n a'n ym yng phryd fe dros heb er fy dy ei ein eich eu mae
ydy yw oedd bydd roedd fydd sydd sy'n mae'n
ydw ydych beth pwy ble pryd sut pam faint pa mha rhaid hyn hwn hon hynny ond neu os pan fel""",
    "basque": """
eta edo baina da dira zen ziren du dute zuen dut ditut ditu dituzte dago daude egon izan izango naiz zara bat hori hau
hura hauek zer nor nork noren non noiz nola zergatik zein zenbat zeri dela den ere ez bai baino bezala zuten zituen
zidan behar""",
    "filipino": """
ang ng sa mga ay at o si ni kay na pa ba ko mo niya namin natin nila ako ikaw siya kami tayo sila ito iyan iyon nito
para ayon gaano ibig kung kapag dahil pero hindi wala may mayroon ano sino saan saang kailan paano bakit ilan ilang
alin aling gaano
anong dapat puwede mula hanggang kaya""",
    "zulu": """
futhi kodwa noma uma ukuthi ngoba yini ubani kuphi nini kanjani kungani kangaki ngakanani amangaki mangaki yiliphi
yimuphi kuliphi akuliphi yiphi ngo ku kakhulu kuphela kufanele lokhu lo leli""",
    "vietnamese": """
là của và các có được cho trong không một những này đã với để về khi như ở tại từ đến theo bởi vì nhưng hoặc hay rằng
thì mà cũng rất nhiều bao nhiêu nào gì ai đâu sao thế mấy phải cần nên bị lúc""",
    "bulgarian": """
аз ти той тя то ние вие те ми му ѝ ни ви им ме те го я ги мой моя мое мои твой негов неин наш ваш е са съм си сме сте бе
беше бяха бил била било били ще има имат имам няма може могат трябва в във на за от до по при с със из над под пред
след през между без и или но че ако като че ли не се да това този тази тези онзи един една едно кой коя кое кои кого
чий чия какво какъв каква какви кога къде как защо колко също още вече само""",
    "persian": """
من تو او ما شما آنها ایشان ام ات اش مان تان شان خود همه هر هیچ یک دو این آن همین همان که و یا اما ولی اگر تا چون پس نیز
هم از به با بر در برای را روی زیر بین بدون پیش بعد چه چی چیست کی کیست کسی کدام کجا کجاست چرا چگونه چطور چقدر چند زمانی
است هست نیست بود بودند باشد باید شاید توان می‌توان شد شده می‌شود شود کرد کرده کنم کند کنیم کنید کنند می‌کند می‌کنم
خواهد خواهم خواهند دارد دارم دارند داشت""",
    "bengali": """
আমি আমার আমাদের তুমি তোমার আপনি আপনার সে তার তাদের তিনি আমরা তারা এ এই ও ওই সেই এটা এটি যা যে যার কে কি কী কার কাকে কোন
কোনটি কখন কবে কোথায় কেন কীভাবে কিভাবে কেমন কত কতটা কয়টা কটায় এবং আর বা কিন্তু যদি তবে জন্য থেকে সাথে সঙ্গে দিয়ে
মধ্যে
উপর পরে আগে না নেই হয় হবে হলো হয়েছে হতে ছিল আছে ছিলেন করে করা করতে যায় যাবে একটি এক দরকার""",
    "kazakh": """
мен сен ол біз сіз олар менің сенің оның біздің сіздің олардың маған саған оған бұл сол осы және мен бен пен да де та те
немесе бірақ егер үшін туралы дейін кейін бұрын бірге арқылы сияқты емес жоқ бар еді екен болды болады болған бола керек
мүмкін қашан қайда қай қандай қалай қанша неше кім кімнің кімге не нені неге неліктен жерде тұр жүр отыр""",
    "malayalam": """
ഞാൻ എന്റെ എനിക്ക് നീ നിന്റെ നിങ്ങൾ അവൻ അവൾ അവർ അത് ഇത് ഈ ആ ഒരു എന്ത് എന്താണ് ഏത് ഏതു ഏതാണ് എപ്പോൾ എന്ന് എവിടെ എവിടെയാണ്
എങ്ങനെ എത്ര എന്തുകൊണ്ട് ആര് ആരാണ് ആരെ ആരുടെ ഉം അല്ലെങ്കിൽ പക്ഷേ വേണ്ടി മുതൽ വരെ കൊണ്ട് ആണ് ആയിരുന്നു ഉണ്ട് ഇല്ല അല്ല
വേണം""",
}
"""Words that mean something in another language, such as German `war` and Italian `come`."""

_MEANT_OTHERWISE: Final = frozenset({"fur", "jake", "mika", "nar"})
"""What words would be without their accents, such as German `für`, and what English says."""

_WITHOUT_TONES: Final = dict.fromkeys(map(ord, TONES))

MIN_WORDS: Final = 2
"""Function words of a language by which a text is taken for one in it."""


def _fold_all(text: str) -> frozenset[str]:
    words = text.split()
    return frozenset((*words, *map(fold_word, words)))


FUNCTION_WORDS: Final = (_fold_all(_ENGLISH) | _fold_all(_IN_ALL)) - _MEANT_OTHERWISE
"""Words that say nothing of their own in any language, in lower case, as written and folded."""


ELISION: Final = re.compile(
    r"\b(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu|gl|un|cos|com|dov|(?:co|de|a|da|ne|su|que)ll|quest)['’](?=[^\W\d_])",
    re.IGNORECASE,
)
"""A French, Italian, Catalan or Portuguese function word written together with the next one, as in `dell'acqua`."""

UNSPACED_FUNCTION: Final = re.compile(
    "请问|告诉我|为什么|什么样|什么时候|什么|怎么样|怎么办|(?:怎么|怎样|如何)(?:才能?)?|为何|何时|何处|何地|哪里|哪儿|哪些|哪一?[个年位种天]"
    "|哪|谁|多少钱?|有?多[久大高长远重快]|有?几[个位年天次岁点根]|^给|有没有|是不是|能不能|可不可以|可以|应该|应当|需要|能够|能否|是否|主要"
    "|我们|你们|他们|她们|它们|[我你他她它]的?|这[个些种]?|那[个些种]|之间|(?<!目)的(?!士|确)|(?<!为)了(?!解)|吗|呢|吧"
    "|(?<!总)是|(?<![现存所])在|(?<![温总饱])和(?![平谐])|[与及把被]|有(?=$)|会(?=$)|做(?=$)"
    "|ですか|でしょうか|でしたか|てい(?:ますか|ましたか)|(?<=[ぁ-ん])の[はがを](?=$|なぜ)|ますか|ましたか|ませんか|とは|何年|何人|何時|何|いつ|どこ|どれ|どの|どう|なぜ|いくつ|いくら|誰|だれ"
    "|(?<=[一-鿿々ァ-ヺー])(?:から|まで|より|には|では|[はがをにでとのもへか])"
    "|(?<=[ぁ-ん])[はがをの](?=[一-鿿ァ-ヺ])"
    "|무엇|언제|어디|누구|누가|어느|어떻게|얼마나|몇|(?<=[가-힣])(?:해야|것은|곳은)|인가요|입니까|습니까|하나요|나요$"
)
"""Function words, and what questions begin and end with, of Chinese, Japanese and Korean."""


KOREAN_PARTICLES: Final = re.compile(
    "(?:은|는|이|가|을|를|의|에서?|에게서?|께서?|한테서?|이?랑|와|과|하고|으?로[서써]?|도|만|까지|부터|마다|처럼|같이|보다|조차|마저|이?나|밖에|뿐"
    "|대로|아|이?야|씨|님|들|이다|입니다|이에요|예요|이?라[고는]){1,4}(?![\\w\u1100-\u11ff])"
)
"""What Korean writes together with the noun before it, up to the end of the word."""

_HAS: Final = re.compile("(?<![所拥没还只])有$")


def content_runs(run: str) -> list[str]:
    """Return the parts of a run of a script without spaces that say something."""
    parts = (_HAS.sub("", part) for part in UNSPACED_FUNCTION.split(run))
    return [part for part in parts if len(part) > 1]


@cache
def function_words(language: str | None) -> frozenset[str]:
    """Return the function words of texts in a language, in lower case, as written and folded."""
    return FUNCTION_WORDS | _fold_all(_IN_ONE.get(language or "", ""))


def content_words(words: Sequence[str]) -> tuple[str, ...]:
    """Drop the function words of the language that some words are in, unless nothing would be left."""
    folded = [*map(_fold_tones, words)]
    left_out = FUNCTION_WORDS.union(*map(function_words, _languages(folded)))
    return tuple(word for word, own in zip(words, folded, strict=True) if own not in left_out) or tuple(words)


def drop_function_words(words: Sequence[str], languages: Iterable[str], question: Sequence[str]) -> tuple[str, ...]:
    """Drop from words of a question that is not in English its function words, and those of some languages.

    Unless nothing would be left.
    """
    if _is_english(question):
        return tuple(words)
    left_out = frozenset[str]().union(*map(function_words, {*languages, *question_languages(question)}))
    return tuple(word for word in words if _fold_tones(word) not in left_out) or tuple(words)


def question_languages(question: Iterable[str]) -> list[str]:
    """Return the languages in which a question that is not in English may be, by its function words."""
    words = [*question]
    return [] if len(words) <= MIN_WORDS or _is_english(words) else _languages(map(_fold_tones, words), least=1)


def _is_english(words: Iterable[str]) -> bool:
    """Return whether one of some words is a function word of English alone."""
    return any(_languages_by_word().get(_fold_tones(word)) == ["english"] for word in words)


def _fold_tones(word: str) -> str:
    return word.casefold().translate(_WITHOUT_TONES)


def _languages(words: Iterable[str], least: int = MIN_WORDS) -> list[str]:
    found = spoken_languages(words, least)
    return [] if "english" in found else found


def spoken_languages(words: Iterable[str], least: int = 1) -> list[str]:
    """Return the languages that have the most of some folded words as function words; none if they have too few."""
    counts = Counter(chain.from_iterable(_languages_by_word().get(word, ()) for word in words))
    best = max(counts.values(), default=0)
    return [language for language, count in counts.items() if count == best] if best >= least else []


@cache
def _languages_by_word() -> dict[str, list[str]]:
    languages: dict[str, list[str]] = {}
    for language, text in {"english": _ENGLISH, **_IN_ONE}.items():
        for word in _fold_all(f"{text} {FREQUENT_WORDS.get(language, '')}"):
            languages.setdefault(word, []).append(language)
    return languages
