import { type Answer, escaped, OLDER } from './answer.ts'

interface Words {
  readonly labels: readonly [from: string, sent: string, to: string, subject: string]
  readonly date: string
}

const WORDS: Readonly<Record<string, Words>> = {
  en: { labels: ['From:', 'Sent:', 'To:', 'Subject:'], date: 'Tuesday, May 5, 2026 10:12 AM' },
  de: { labels: ['Von:', 'Gesendet:', 'An:', 'Betreff:'], date: 'Dienstag, 5. Mai 2026 10:12' },
  es: { labels: ['De:', 'Enviado el:', 'Para:', 'Asunto:'], date: 'martes, 5 de mayo de 2026 10:12' },
  fr: { labels: ['De :', 'Envoyé :', 'À :', 'Objet :'], date: 'mardi 5 mai 2026 10:12' },
  it: { labels: ['Da:', 'Inviato:', 'A:', 'Oggetto:'], date: 'martedì 5 maggio 2026 10:12' },
  ja: { labels: ['差出人:', '送信日時:', '宛先:', '件名:'], date: '2026年5月5日火曜日 10:12' },
  nl: { labels: ['Van:', 'Verzonden:', 'Aan:', 'Onderwerp:'], date: 'dinsdag 5 mei 2026 10:12' },
  pl: { labels: ['Od:', 'Wysłano:', 'Do:', 'Temat:'], date: 'wtorek, 5 maja 2026 10:12' },
  pt: { labels: ['De:', 'Enviada em:', 'Para:', 'Assunto:'], date: 'terça-feira, 5 de maio de 2026 10:12' },
  zh: { labels: ['发件人:', '发送时间:', '收件人:', '主题:'], date: '2026年5月5日 星期二 10:12' },
  sv: { labels: ['Från:', 'Skickat:', 'Till:', 'Ämne:'], date: 'den 5 maj 2026 10:12' },
}
const VALUES = (date: string) => [
  'Ada Lovelace <ada@analytical.example>',
  date,
  'Grace Hopper <grace@navy.example>',
  'RE: The engine',
]

function header(language: string): { readonly text: string; readonly html: string } {
  const { labels, date } = WORDS[language] ?? { labels: [], date: '' }
  const rows = labels.map((label, i) => [label, VALUES(date)[i] ?? ''] as const)
  return {
    text: rows.map(([label, value]) => `${label} ${value}`).join('\n'),
    html: rows.map(([label, value]) => `<b>${label}</b> ${escaped(value)}`).join('<br>\n'),
  }
}

const mso = (text: string) =>
  text
    .split('\n')
    .map(
      (line) =>
        `<p class="MsoNormal"><span lang="EN-US" style="font-size:11.0pt">${escaped(line)}<o:p>${line ? '' : '&nbsp;'}</o:p></span></p>\n`,
    )
    .join('')

/** Outlook for Windows. */
function desktop(language: string, newText: string, after = ''): Answer {
  const { text, html } = header(language)
  return {
    name: `Outlook, ${language}${after && ', with a signature'}`,
    newText,
    text: `${newText}\n${after}\n${text}\n\n${OLDER.join('\n')}\n`,
    html: `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><style><!--\np.MsoNormal {margin:0cm; font-size:11.0pt}\n--></style></head><body lang="EN-US" link="#0563C1"><div class="WordSection1">\n${mso(newText + after)}<p class="MsoNormal"><o:p>&nbsp;</o:p></p>\n<div>\n<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">\n<p class="MsoNormal">${html}<o:p></o:p></p>\n</div>\n</div>\n<p class="MsoNormal"><o:p>&nbsp;</o:p></p>\n${mso(OLDER.join('\n'))}</div>\n</body>\n</html>\n`,
  }
}

/** Outlook on the web, with the line above. */
function web(language: string, newText: string): Answer {
  const { text, html } = header(language)
  return {
    name: `Outlook on the web, ${language}`,
    newText,
    text: `${newText}\n\n________________________________\n${text}\n\n${OLDER.join('\n')}\n`,
    html: `<html><head><style type="text/css" style="display:none;"> P {margin-top:0;margin-bottom:0;} </style></head><body dir="ltr"><div class="elementToProof" style="font-family: Aptos; font-size: 12pt;">${escaped(newText).replaceAll('\n', '<br>')}</div><div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr"><font face="Calibri, sans-serif" style="font-size:11pt" color="#000000">${html}</font><div>&nbsp;</div></div><div class="BodyFragment"><font size="2"><div class="PlainText">${OLDER.map(escaped).join('<br>\n')}</div></font></div></body></html>`,
  }
}

/** Outlook on a phone. */
function phone(language: string, newText: string, signature: string): Answer {
  const { text, html } = header(language)
  return {
    name: `Outlook for phones, ${language}`,
    newText,
    text: `${newText}\n\n${signature}<https://aka.ms/o0ukef>\n________________________________\n${text}\n\n${OLDER.join('\n')}\n`,
    html: `<html><head></head><body><div dir="auto">${escaped(newText).replaceAll('\n', '<br>')}</div><div dir="auto"><br></div><div id="ms-outlook-mobile-signature" dir="auto"><a href="https://aka.ms/o0ukef">${signature}</a></div><hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr">${html}<div>&nbsp;</div></div>${OLDER.map((line) => `<p>${escaped(line)}</p>`).join('')}</body></html>`,
  }
}

export const OUTLOOK: readonly Answer[] = [
  desktop('en', 'It is ready on Monday.\n\nBest regards\nGrace'),
  desktop('de', 'Er ist am Montag fertig.\n\nViele Grüße\nGrace'),
  desktop('es', 'Estará listo el lunes.'),
  desktop('fr', 'Il sera prêt lundi.\n\nCordialement'),
  desktop('it', 'È pronto lunedì.'),
  desktop('ja', '月曜日に完成します。'),
  desktop('nl', 'Hij is maandag klaar.'),
  desktop('pl', 'Będzie gotowy w poniedziałek.'),
  desktop('pt', 'Fica pronto na segunda-feira.'),
  desktop('zh', '星期一就好。'),
  desktop('sv', 'Den är klar på måndag.'),
  desktop(
    'en',
    'It is ready on Monday.\n\nGrace',
    '\n\nThis e-mail and any attachments are confidential and intended solely for the addressee. If you have received it in error, please notify the sender and delete it.\n',
  ),
  desktop(
    'de',
    'Er ist am Montag fertig.',
    '\n\nDiese E-Mail kann vertrauliche und/oder rechtlich geschützte Informationen enthalten. Wenn Sie nicht der richtige Adressat sind oder diese E-Mail irrtümlich erhalten haben, informieren Sie bitte sofort den Absender und vernichten Sie diese Mail.\n',
  ),
  web('en', 'Monday.\n\nGrace'),
  web('fr', 'Lundi.'),
  web('ja', '月曜日です。'),
  web('sv', 'På måndag.'),
  phone('en', 'Monday', 'Get Outlook for iOS'),
  phone('de', 'Montag', 'Outlook für Android beziehen'),
  phone('it', 'Lunedì', 'Ottieni Outlook per iOS'),
  phone('pt', 'Segunda-feira', 'Obter o Outlook para Android'),
  {
    name: 'Outlook, old, with "Original Message", text alone',
    newText: 'Monday.',
    text: `Monday.\r\n\r\n-----Original Message-----\r\nFrom: Ada Lovelace [mailto:ada@analytical.example] \r\nSent: Tuesday, May 05, 2026 10:12 AM\r\nTo: Grace Hopper\r\nSubject: The engine\r\n\r\n${OLDER.join('\r\n')}\r\n`,
    html: '',
  },
  {
    name: 'Outlook, old, German, with its header in HTML alone',
    newText: 'Montag.',
    text: '',
    html: `<div class=Section1><p class=MsoNormal>Montag.</p><p class=MsoNormal>&nbsp;</p><div class="OutlookMessageHeader" lang="de" dir="ltr" align="left"><hr tabindex="-1"><b>Von:</b> Ada Lovelace<br><b>Gesendet:</b> Dienstag, 5. Mai 2026 10:12<br><b>An:</b> Grace<br><b>Betreff:</b> Motor<br></div><p class=MsoNormal>Wann ist er fertig?</p></div>`,
  },
  {
    name: 'Outlook for Mac',
    newText: 'Monday.\n\nGrace',
    text: `Monday.\n\nGrace\n\nOn 05/05/2026, 10:12, "Ada Lovelace" <ada@analytical.example> wrote:\n\n    Hello Grace,\n    when will it be ready?\n`,
    html: `<html><body><div class="WordSection1"><p class="MsoNormal">Monday.</p><p class="MsoNormal">&nbsp;</p><p class="MsoNormal">Grace</p><p class="MsoNormal">&nbsp;</p><div style="border:none;border-top:solid #B5C4DF 1.0pt;padding:3.0pt 0in 0in 0in"><p class="MsoNormal"><b><span style="font-size:12.0pt">From: </span></b>Ada Lovelace &lt;ada@analytical.example&gt;<br><b>Date: </b>Tuesday, 5 May 2026 at 10:12<br><b>To: </b>Grace Hopper<br><b>Subject: </b>The engine</p></div><p class="MsoNormal">Hello Grace, when will it be ready?</p></div></body></html>`,
  },
]
