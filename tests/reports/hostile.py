"""What an attacker, or an accident, may put into texts and names."""

#: Every text of the hostile system has one of these, and a script.
HOSTILE = [
    "<img src=x onerror=\"document.title='run'\">",
    "</p></details></style><style>body{display:none}</style>",
    "<!-- ]]> &lt;b&gt; &amp; \" ' `",
    "\x1b[31mred\x1b[0m bell \x07 null \x00 backspace \x08",
    "\u202egnp.exe\u202c \u2066isolate \u200fmark",
    "lone \ud800 and \udfff",
    "{{ 7 * 7 }} {% raw %} ${alert(1)}",
    "line\r\nbreak\n\ttab\u2028separator",
    "שלום עולם, مرحبا بالعالم",
    "👩\u200d👩\u200d👧 می\u200cخواهم 日本語 Zͫ̓a̴̙̤͉l͚̯̞g̠͍o",
    "long " + "word" * 5_000,
]
SCRIPT = "<script>document.title='run'</script>"
EVIL = f"{SCRIPT} $x_1$ \u202e\x1b[31m"  # a name
