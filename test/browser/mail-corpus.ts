/** Bodies of mails as programs and people write them, all made up: what the editor has to turn into blocks without loss. */
export interface Sample {
  readonly name: string
  readonly html: string
  /** Words that no reader sees, in the source and in what is made from it. */
  readonly hidden?: string
}

const page = (body: string, head = '') =>
  `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html lang="en" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">
<head><meta charset="utf-8"><title>A mail</title>${head}</head>
<body style="margin:0;padding:0" bgcolor="#eeeeee">${body}</body>
</html>`
const link = (text: string, href = `https://example.org/${text.split(' ')[0]?.toLowerCase()}`) =>
  `<a href="${href}">${text}</a>`
const picture = (name: string, more = 'width="200" height="80"') =>
  `<img src="https://example.org/${name}.png" alt="${name}" ${more}>`
const layout = (rows: string, more = '') =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="600" ${more}>${rows}</table>`
const cell = (inside: string, more = '') => `<tr><td ${more}>${inside}</td></tr>`
const filler = '&zwnj;&nbsp;'.repeat(40)
const preheader = (style: string) => `<div style="${style}">Peek at spring ${filler}</div>`
const vml = (text: string, href: string) =>
  `<!--[if mso]><v:roundrect href="${href}" style="height:40px;width:200px"><center>${text}</center></v:roundrect><![endif]-->`

/** Ways of hiding the text that stands beside the subject in an inbox. */
const HIDING = [
  'display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden',
  'display:none !important;visibility:hidden;mso-hide:all;color:#ffffff;height:0;width:0',
  'max-height:0px;overflow:hidden;mso-hide:all',
  'visibility:hidden',
  'opacity:0;color:transparent',
].map(
  (style, at): Sample => ({
    name: `preheader ${at}`,
    html: page(
      `${preheader(style)}${layout(cell(`<h1>Spring is here</h1><p>Dear {{ firstName | default: 'friend' }}, look.</p>`))}`,
    ),
    hidden: 'Peek at spring',
  }),
)

/** Ways of drawing a button. */
const BUTTONS = [
  `<a href="https://example.org/buy" style="background:#c00;color:#fff;padding:12px 20px">Buy<br>it now</a>`,
  `<table><tr><td bgcolor="#cc0000" align="center"><a href="https://example.org/buy" style="color:#fff;text-decoration:none">Buy it now</a></td></tr></table>`,
  `${vml('Buy it now', 'https://example.org/buy')}<!--[if !mso]><!--><a class="btn" href="https://example.org/buy"><span>Buy</span> <b>it now</b></a><!--<![endif]-->`,
  `<a href="https://example.org/buy" style="border:2px solid #333;border-radius:4px"><!--[if mso]><i style="letter-spacing:25px">&nbsp;</i><![endif]--><span style="mso-text-raise:15pt">Buy it now</span></a>`,
  `<a href='{{ shop | append: "/buy" }}' style='padding:10px'>{% if plan == "pro" %}Buy it{% else %}Try it{% endif %} now</a>`,
  `<a href="https://example.org/buy" class="button"><img src="https://example.org/cart.png" width="20" alt="Cart"> Buy it now</a>`,
  `<a href="https://example.org/buy" style="display:block;padding:8px"><div>Buy it</div><div>now</div></a>`,
].map(
  (html, at): Sample => ({
    name: `button ${at}`,
    html: page(layout(cell(`<p>Before</p>${html}<p>After</p>`, 'align="center"'))),
  }),
)

const receiptRow = `<tr><td>{{ item.name }}</td><td align="right">{{ item.price }}</td></tr>`
/** Liquid in the places where it really stands. */
const LIQUID: readonly Sample[] = Object.entries({
  'around paragraphs': `{% if plan == 'pro' %}<p>Thanks, pro.</p>{% elsif plan %}<p>Move up.</p>{% else %}<p>Begin today.</p>{% endif %}<p>Bye</p>`,
  'in a line': `<p>Hi {% if firstName %}{{ firstName }}{% else %}you{% endif %}, {{ plan | upcase }}!</p>`,
  nested: `{% if plan %}<div>{% if firstName == "Ada" %}<h2>Ada</h2>{% else %}<h2>Other</h2>{% endif %}<p>{{ plan }}</p></div>{% endif %}`,
  'around rows': `<p>Order</p><table><tr><th>What</th><th>How much</th></tr>{% for item in items %}${receiptRow}{% endfor %}<tr><td>Total</td><td>{{ total }}</td></tr></table><p>Thanks</p>`,
  'around rows of a layout': layout(
    `${cell('<h1>One</h1>')}{% if plan %}${cell('<p>Two for {{ plan }}</p>')}{% endif %}${cell('<p>Three</p>')}{% unless plan %}${cell(picture('four'))}{% endunless %}`,
  ),
  'around rows in rows': layout(
    `${cell('<p>Top</p>')}{% if items %}${cell(`<table>{% for item in items %}${receiptRow}{% endfor %}</table>`)}{% endif %}${cell('<p>End</p>')}`,
  ),
  'around cells': layout(`<tr><td>Left</td>{% if plan %}<td>Middle {{ plan }}</td>{% endif %}<td>Right</td></tr>`),
  'between rows': layout(
    `${cell('<p>One</p>')}{% assign shown = plan | default: "none" %}${cell('<p>Two: {{ shown }}</p>')}`,
  ),
  'from cell to cell': layout(`<tr><td>A{% if plan %}</td><td>B</td></tr><tr><td>C{% endif %}</td></tr>`),
  'tags that open elements': `{% if plan %}<div style="color:red">{% else %}<div style="color:blue">{% endif %}<p>Inside</p></div><p>Outside</p>`,
  'assign and capture': `{% assign who = firstName | default: "you" %}{% capture line %}<b>Hello</b> {{ who }}{% endcapture %}<p>{{ line }}</p><p>Again {{ who }}</p>`,
  'before the page': `{% assign who = 'Grace' %}\n${page('<p>Hello {{ who }}</p>')}`,
  'in the head': page('<p>Hello {{ who }}</p>', `{% assign who = firstName %}<style>.x{color:{{ color }}}</style>`),
  'comment and raw': `<p>One{% comment %} not <b>this {% if %}</b>{% endcomment %} two</p>{% raw %}<p>{{ not.liquid }}</p>{% endraw %}<p>{% raw %}{{x}}{% endraw %}</p>`,
  'in attributes': `<p><a href="https://example.org/{{ plan | url_encode }}?a=1&amp;b={{ firstName | append: "'s" }}">Go</a> <a href='{{ shop }}/x'>There</a> <a href={{ shop }}>Here</a></p>`,
  'in styles': `<table bgcolor="{{ color }}"><tr><td style="color:{{ color }}"><h1 class="{{ plan }}">Title</h1><p>Words</p></td></tr></table>`,
  'that hides': `<p>See</p><div style="display:{% if plan == 'pro' %}block{% else %}none{% endif %}"><p>Pros see this</p></div><p>End</p>`,
  'as an attribute': `<p>One</p><div {% if plan %}class="a" style="color:red"{% else %}class="b"{% endif %}><div>Two</div> in</div><p>Three <a {% if plan %}href="https://example.org/p"{% else %}href="https://example.org/f"{% endif %}>four</a> five</p>`,
  'in a list': `<ul><li>First</li>{% for item in items %}<li>{{ item.name }}</li>{% endfor %}</ul><ol start="3"><li>Third <b>bold</b></li><li>Fourth<ul><li>Inner</li></ul></li></ol>`,
  'odd outputs': `<p>{{firstName}} {{- plan -}} {{ items[0].name }} {{ items.0.name }} {{ plan | default: "50% off" }} {{ plan | default: "" }} {{ data["First Name"] }} {{ "a > b" }}</p>`,
  'cycle and case': `{% for item in items %}<p style="{% cycle 'color:red', 'color:blue' %}">{{ forloop.index }}. {{ item.name }}</p>{% endfor %}{% case plan %}{% when 'pro' %}<p>P</p>{% else %}<p>F</p>{% endcase %}`,
  'around the page': `{% if plan %}${page('<p>With a plan</p>')}{% else %}${page('<p>Without</p>')}{% endif %}`,
  'over paragraphs': `<p>One {% if plan %}two</p><p>three{% endif %} four</p>`,
  'in pictures': `<a href="{{ shop }}"><img src="https://example.org/{{ plan }}.png" alt="Plan {{ plan }}" width="100%"></a><img src="https://example.org/o/{{ plan }}" width="1" height="1">`,
  'in a comment': `<p>One</p><!-- {% assign shown = 'yes' %} --><p>{{ shown }}</p><!-- plain -->`,
}).map(([name, html]) => ({ name: `Liquid ${name}`, html }))

const hero = layout(
  `<tr><td align="center">${link('Home', 'https://example.org/')}<br><a href="https://example.org/hero">${picture('hero', 'width="600"')}</a></td></tr>`,
)
const mjml = (inside: string) =>
  `<div style="background-color:#fff"><!--[if mso | IE]><table align="center" width="600"><tr><td style="line-height:0px"><![endif]--><div style="margin:0px auto;max-width:600px"><table align="center" border="0" role="presentation" style="width:100%"><tbody><tr><td style="direction:ltr;font-size:0px;padding:20px 0;text-align:center">${inside}</td></tr></tbody></table></div><!--[if mso | IE]></td></tr></table><![endif]--></div>`
const mjColumn = (inside: string) =>
  `<!--[if mso | IE]><td style="width:300px"><![endif]--><div class="mj-column-per-50" style="display:inline-block;width:100%;font-size:0px"><table role="presentation" width="100%"><tbody><tr><td style="font-size:0px;padding:10px 25px"><div style="font-size:14px">${inside}</div></td></tr></tbody></table></div><!--[if mso | IE]></td><![endif]-->`
const facts = `<table class="attributes"><tr><td><b>Amount</b></td><td>12&nbsp;&euro;</td></tr><tr><td><b>Due</b></td><td>May&nbsp;5</td></tr></table>`
const word = (text: string) =>
  `<p class="MsoNormal" style="margin:0cm"><span lang="EN-GB" style="font-family:Calibri">${text}<o:p></o:p></span></p>`

/** Whole mails in the manner of the programs that write them. */
const STYLES: readonly Sample[] = Object.entries({
  'hybrid tables': page(
    `<center role="article" style="width:100%"><!--[if mso]><table width="600"><tr><td><![endif]-->${hero}${layout(`<tr><td valign="top" width="50%"><h2>Left</h2><p>One</p></td><td valign="top" width="50%"><h2>Right</h2><p>Two ${link('More')}</p></td></tr>`)}<!--[if mso]></td></tr></table><![endif]--></center>`,
  ),
  MJML: page(
    mjml(mjColumn('Left <strong>bold</strong>') + mjColumn(`Right ${link('Read')}`)) +
      mjml(picture('wide', 'width="auto" style="width:100%"')),
  ),
  transactional: page(
    `<span class="preheader">Peek at spring</span><table class="email-wrapper" width="100%"><tr><td><h1>Hi, {{ firstName }}</h1><p>Your bill.</p>${facts}<p>Ask ${link('us', 'mailto:help@example.org?subject=Bill')}.</p></td></tr></table>`,
    `<style>@media only screen { .x { display: none } } .preheader { display: none !important; visibility: hidden } a:hover { color: red }</style>`,
  ),
  'action mail': `<table class="body-wrap"><tr><td></td><td class="container" width="600"><div class="content"><table class="main"><tr><td class="alert">Warning: over your limit.</td></tr><tr><td><table><tr><td>You have <strong>1 free</strong> left.</td></tr><tr><td><a class="btn-primary" href="https://example.org/up">Upgrade</a></td></tr></table></td></tr></table></div></td><td></td></tr></table>`,
  modules: page(
    `<table class="es-wrapper" width="100%"><tbody><tr><td><table class="es-content" align="center"><tbody><tr><td><a target="_blank" href="https://example.org/card"><table><tr><td><h3>A card</h3><p>all of it a link</p></td></tr></table></a></td></tr></tbody></table></td></tr></tbody></table>`,
  ),
  'newsletter export': page(
    `<!--[if !gte mso 9]><!----><span class="mcnPreviewText" style="display:none;font-size:0px">Peek at spring</span><!--<![endif]--><table id="bodyTable"><tr><td><!-- // BEGIN TEMPLATE --><table class="mcnTextBlock"><tbody><tr><td class="mcnTextContent" style="text-align:right"><h4>News</h4>Loose text<br><br>after breaks<div>and a div</div>tail</td></tr></tbody></table></td></tr></table>`,
  ),
  Word: page(
    `<div class="WordSection1">${word('Dear all,')}${word('&nbsp;')}${word('see <b>this</b> and <a href="https://example.org/w">that</a>.')}<p class="MsoListParagraph" style="text-indent:-18pt">&middot;<span style="font:7pt">&nbsp;&nbsp;&nbsp; </span>First</p><!--[if gte vml 1]><v:shape><v:imagedata src="cid:1"/></v:shape><![endif]--><![if !vml]>${picture('chart')}<![endif]></div>`,
  ),
  'webmail draft': `<div dir="ltr">Hi there,<div><br></div><div>one <i>line</i> &amp; another</div><div><br></div><blockquote class="gmail_quote"><div>They wrote:</div><blockquote>first</blockquote></blockquote>-- <br><div class="gmail_signature"><font color="#888888">Ada</font></div></div>`,
  paragraphs: `<p>Hello {{ firstName }},</p>\r\n<p>first &lt;tag&gt; &copy; 2024&nbsp;Ltd.</p>\r\n\r\n<p>second ${link('link')}, <em>third</em>.</p>`,
  'text alone': 'Hello {{ firstName }},\n\nthis is only text & some more.\n\nBye',
  'editor output': `<h1>Welcome</h1><p></p><p><strong>Bold</strong> <em><u>both</u></em> <code>code</code> <s>gone</s> <b><strong><code>all</code></strong></b></p><ul><li><p>One</p></li><li><p>Two</p></li></ul><blockquote><p>Said</p></blockquote><pre><code>a  = 1\n b</code></pre><hr><img src="https://example.org/p.png">`,
  'old times': `<CENTER><FONT COLOR=red SIZE=4>Big <B>sale</B></FONT><BR><A HREF="https://example.org/s">Shop</A><P>First<P>Second<UL><LI>One<LI>Two</UL><IMG SRC="https://example.org/old.gif" WIDTH=80></CENTER>`,
  unclosed: `<div><p>One <b>two<p>three</b> four<table><tr><td>five<td>six<tr><td>seven</table><div>eight <i>nine`,
  'right to left': `<html dir="rtl" lang="he"><body><p dir="rtl">שלום {{ firstName }}, מה שלומך?</p><p align="right">תודה</p><table dir="rtl"><tr><td>אחד</td><td>שתיים</td></tr></table></body></html>`,
  entities: `<p>&ldquo;Quotes&rdquo; &mdash; &hellip; &#128512; &#x2713; 5 &lt; 6 &amp;amp; a&nbsp;b &shy;soft&zwnj;join</p>`,
  'icons in a line': `<p>Follow ${['x', 'y', 'z'].map((name) => `<a href="https://example.org/${name}">${picture(name, 'width="24"')}</a>`).join('&nbsp;')} or ${picture('icon', 'width="16"')} write <a href="tel:+4912">call ${picture('phone')} us</a> now</p>`,
  'pictures in headings': `<h1>Our ${picture('logo')} story</h1><a name="top"></a><h2><a href="https://example.org/h">Linked <span>title</span></a></h2>`,
  'forms and media': `<p>Vote</p><form action="https://example.org/v"><input name="a" value="1"><button>Send</button></form><video src="https://example.org/v.mp4" controls></video><svg width="10" height="10"><title>dot</title></svg><p>Done</p>`,
  'image map': `<p>Map</p>${picture('map', 'usemap="#m"')}<map name="m"><area href="https://example.org/area" shape="rect" coords="0,0,9,9"></map><p>End</p>`,
  'hidden parts': `<p>Shown <span style="display:none">secret</span> more</p>${layout(`<tr style="display:none"><td>gone row</td></tr><tr><td>kept</td><td style="display: none">gone cell</td></tr>`)}<div hidden>gone</div><img src="https://example.org/dark.png" style="display:none">`,
  'definition list': `<dl><dt>Term</dt><dd>What it is</dd></dl><address>Street 1<br>Town</address><figure>${picture('fig')}<figcaption>Caption</figcaption></figure><table><caption>Top</caption><tr><td>only</td></tr></table>`,
  'machine data': `<script type="application/ld+json">{"order": "{{ total }}"}</script><p>Order {{ total }}</p><noscript>No script</noscript>`,
  menu: layout(`<tr>${['A', 'B', 'C', 'D', 'E'].map((name) => `<td>${link(name)}</td>`).join('')}</tr>`),
  'weekly plan': `<table border="1"><thead><tr><th>Day</th><th>What</th></tr></thead><tbody><tr><td>Monday</td><td>${link('Talk')}</td></tr></tbody></table>`,
}).map(([name, html]) => ({
  name,
  html,
  ...(/Peek at spring/.test(html) ? { hidden: 'Peek at spring' } : {}),
}))

const HUGE: Sample = {
  name: 'huge',
  html: page(
    layout(
      Array.from({ length: 420 }, (_, at) =>
        cell(
          `<h2>Part ${at}</h2><p>{% if plan %}For {{ plan }}: {% endif %}words <a href="https://example.org/${at}?u={{ firstName }}">here ${at}</a> and ${'more '.repeat(20)}</p>`,
        ),
      ).join(''),
    ),
  ),
}

export const CORPUS: readonly Sample[] = [...HIDING, ...BUTTONS, ...LIQUID, ...STYLES, HUGE]
