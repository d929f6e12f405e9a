import { type Answer, divs, escaped, OLDER, quoted, wrapped } from './answer.ts'

const STYLE = 'margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex'
const ADA = 'Ada Lovelace <ada@analytical.example>'

function gmail(language: string, newText: string, header: string): Answer {
  const attr = escaped(header).replace(/&lt;(.*?)&gt;/, '&lt;<a href="mailto:$1" target="_blank">$1</a>&gt;')
  return {
    name: `Gmail, ${language}`,
    newText,
    text: `${newText}\n\n${wrapped(header)}\n\n${quoted(OLDER)}\n`,
    html: `<div dir="ltr">${divs(newText)}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">${attr}<br></div><blockquote class="gmail_quote" style="${STYLE}"><div dir="ltr">${divs(OLDER.join('\n'))}</div>\r\n</blockquote></div>\r\n`,
  }
}

export const GMAIL: readonly Answer[] = [
  gmail('en', 'On Monday.\n\nGrace', `On Tue, May 5, 2026 at 10:12 AM ${ADA} wrote:`),
  gmail('de', 'Am Montag ist er fertig.\n\nGrüße\nGrace', `Am Di., 5. Mai 2026 um 10:12 Uhr schrieb ${ADA}:`),
  gmail(
    'es',
    'El lunes estará listo.\n\nUn saludo',
    `El mar, 5 may 2026 a las 10:12, Ada Lovelace (<ada@analytical.example>) escribió:`,
  ),
  gmail('fr', 'Le moteur sera prêt lundi.', `Le mar. 5 mai 2026 à 10:12, ${ADA} a écrit :`),
  gmail('it', 'Il motore è pronto lunedì.', `Il giorno mar 5 mag 2026 alle ore 10:12 ${ADA} ha scritto:`),
  gmail('ja', '月曜日に完成します。\n\nよろしくお願いします。', `2026年5月5日(火) 10:12 ${ADA}:`),
  gmail('nl', 'Op maandag is hij klaar.', `Op di 5 mei 2026 om 10:12 schreef ${ADA}:`),
  gmail('pl', 'W poniedziałek będzie gotowy.', `wt., 5 maj 2026 o 10:12 ${ADA} napisał(a):`),
  gmail('pt', 'Em maio, na segunda-feira.', `Em ter., 5 de mai. de 2026 às 10:12, ${ADA} escreveu:`),
  gmail('zh', '星期一就好。', `${ADA} 于2026年5月5日周二 10:12写道：`),
  {
    name: 'Gmail, answers between the quotes',
    newText: 'On Monday.\n\nWe do, too.',
    text: `On Tue, May 5, 2026 at 10:12 AM Ada Lovelace <ada@analytical.example>\nwrote:\n\n> Hello Grace,\n>\n> when will the engine be ready?\n>\n\nOn Monday.\n\n\n> We ship on 12 May.\n>\n\nWe do, too.\n\n\n>\n> Ada\n>\n`,
    html: `<div dir="ltr"><br></div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Tue, May 5, 2026 at 10:12 AM Ada Lovelace &lt;<a href="mailto:ada@analytical.example">ada@analytical.example</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="${STYLE}"><div dir="ltr"><div>Hello Grace,</div><div><br></div><div>when will the engine be ready?</div></div></blockquote><div><br></div><div>On Monday.</div><div> </div><blockquote class="gmail_quote" style="${STYLE}"><div dir="ltr"><div>We ship on 12 May.</div></div></blockquote><div><br></div><div>We do, too.</div><div><br></div><blockquote class="gmail_quote" style="${STYLE}"><div dir="ltr"><div>Ada</div></div></blockquote></div>`,
  },
  {
    name: 'Gmail, an old one with its quote in gmail_extra and a signature',
    newText: 'Monday works.',
    text: `Monday works.\n\n-- \nGrace Hopper\nAnalytical Engines Ltd.\n+44 20 7946 0000\n\nOn 5 May 2026 at 10:12, Ada Lovelace <ada@analytical.example> wrote:\n\n${quoted(OLDER)}\n`,
    html: `<div dir="ltr">Monday works.<br></div><div class="gmail_extra"><br clear="all"><div><br>-- <br><div class="gmail_signature" data-smartmail="gmail_signature"><div dir="ltr">Grace Hopper<br>Analytical Engines Ltd.<br>+44 20 7946 0000</div></div></div>\n<br><div class="gmail_quote">On 5 May 2026 at 10:12, Ada Lovelace <span dir="ltr">&lt;<a href="mailto:ada@analytical.example" target="_blank">ada@analytical.example</a>&gt;</span> wrote:<br><blockquote class="gmail_quote" style="margin:0 0 0 .8ex;border-left:1px #ccc solid;padding-left:1ex">${divs(OLDER.join('\n'))}</blockquote></div><br></div>`,
  },
  {
    name: 'Gmail, forwarded with a sentence',
    newText: 'Can you answer this, please?',
    text: `Can you answer this, please?\n\n---------- Forwarded message ---------\nFrom: Ada Lovelace <ada@analytical.example>\nDate: Tue, May 5, 2026 at 10:12 AM\nSubject: The engine\nTo: <grace@navy.example>\n\n\n${OLDER.join('\n')}\n`,
    html: `<div dir="ltr">Can you answer this, please?<br><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">---------- Forwarded message ---------<br>From: <strong class="gmail_sendername" dir="auto">Ada Lovelace</strong> <span dir="auto">&lt;<a href="mailto:ada@analytical.example">ada@analytical.example</a>&gt;</span><br>Date: Tue, May 5, 2026 at 10:12 AM<br>Subject: The engine<br>To: &lt;<a href="mailto:grace@navy.example">grace@navy.example</a>&gt;<br></div><br><br>${divs(OLDER.join('\n'))}</div></div>`,
  },
  {
    name: 'Gmail, forwarded without a word',
    newText: `---------- Forwarded message ---------\nFrom: Ada Lovelace <ada@analytical.example>\nDate: Tue, May 5, 2026 at 10:12 AM\nSubject: The engine\nTo: <grace@navy.example>\n\nHello Grace,`,
    text: `---------- Forwarded message ---------\nFrom: Ada Lovelace <ada@analytical.example>\nDate: Tue, May 5, 2026 at 10:12 AM\nSubject: The engine\nTo: <grace@navy.example>\n\nHello Grace,\n`,
    html: `<div dir="ltr"><br><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">---------- Forwarded message ---------<br>From: <strong>Ada Lovelace</strong> &lt;ada@analytical.example&gt;<br>Date: Tue, May 5, 2026 at 10:12 AM<br>Subject: The engine<br>To: &lt;grace@navy.example&gt;<br></div><br>Hello Grace,</div></div>`,
  },
]
