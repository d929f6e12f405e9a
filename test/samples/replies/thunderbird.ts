import { type Answer, divs, escaped, OLDER, quoted } from './answer.ts'

function thunderbird(language: string, newText: string, prefix: string): Answer {
  return {
    name: `Thunderbird, ${language}`,
    newText,
    text: `${newText}\n\n${prefix}\n${quoted(OLDER)}\n`,
    html: `<!DOCTYPE html>\n<html>\n  <head>\n    <meta http-equiv="Content-Type" content="text/html; charset=UTF-8">\n  </head>\n  <body>\n    <p>${escaped(newText).replaceAll('\n\n', '</p>\n    <p>').replaceAll('\n', '<br>\n    ')}</p>\n    <div class="moz-cite-prefix">${escaped(prefix)}<br>\n    </div>\n    <blockquote type="cite" cite="mid:a@analytical.example">\n      <pre class="moz-quote-pre" wrap="">${OLDER.map(escaped).join('\n')}\n</pre>\n    </blockquote>\n    <br>\n  </body>\n</html>\n`,
  }
}

export const THUNDERBIRD: readonly Answer[] = [
  thunderbird('en', 'Monday.\n\nGrace', 'On 5/5/26 10:12, Ada Lovelace wrote:'),
  thunderbird('de', 'Am Montag.\n\nGrüße\nGrace', 'Am 05.05.26 um 10:12 schrieb Ada Lovelace:'),
  thunderbird('es', 'El lunes.', 'El 5/5/26 a las 10:12, Ada Lovelace escribió:'),
  thunderbird('fr', 'Lundi.', 'Le 05/05/2026 à 10:12, Ada Lovelace a écrit :'),
  thunderbird('it', 'Lunedì.', 'Il 05/05/26 10:12, Ada Lovelace ha scritto:'),
  thunderbird('ja', '月曜日です。', 'On 2026/05/05 10:12, Ada Lovelace wrote:'),
  thunderbird('nl', 'Maandag.', 'Op 05-05-2026 om 10:12 schreef Ada Lovelace:'),
  thunderbird('pl', 'W poniedziałek.', 'W dniu 5.05.2026 o 10:12, Ada Lovelace pisze:'),
  thunderbird('pt', 'Segunda-feira.', 'Às 10:12 de 05/05/2026, Ada Lovelace escreveu:'),
  thunderbird('zh', '星期一。', '在 2026/5/5 10:12, Ada Lovelace 写道:'),
  {
    name: 'Thunderbird, below the quote and with a signature',
    newText: 'Monday, I think.\n\nGrace',
    text: `On 5/5/26 10:12, Ada Lovelace wrote:\n${quoted(OLDER)}\n\nMonday, I think.\n\nGrace\n\n-- \nGrace Hopper\nhttps://navy.example\n`,
    html: `<html><body><div class="moz-cite-prefix">On 5/5/26 10:12, Ada Lovelace wrote:<br></div><blockquote type="cite" cite="mid:a@b.example">${divs(OLDER.join('\n'))}</blockquote><p>Monday, I think.</p><p>Grace<br></p><div class="moz-signature">-- <br>Grace Hopper<br><a href="https://navy.example">https://navy.example</a></div></body></html>`,
  },
  {
    name: 'Thunderbird, answers between the quotes, text alone',
    newText: 'Monday.\n\nSo do we.',
    text: '> when will the engine be ready?\n\nMonday.\n\n> We ship on 12 May.\n> Ada\nSo do we.\n',
    html: '',
  },
  {
    name: 'Thunderbird, forwarded with a sentence',
    newText: 'Please have a look.',
    text: `Please have a look.\n\n\n-------- Forwarded Message --------\nSubject: \tThe engine\nDate: \tTue, 5 May 2026 10:12:00 +0200\nFrom: \tAda Lovelace <ada@analytical.example>\nTo: \tgrace@navy.example\n\n\n\n${OLDER.join('\n')}\n`,
    html: `<html><body><p>Please have a look.<br></p><div class="moz-forward-container"><br><br>-------- Forwarded Message --------<table class="moz-email-headers-table" cellspacing="0" cellpadding="0" border="0"><tbody><tr><th valign="BASELINE" nowrap="nowrap" align="RIGHT">Subject: </th><td>The engine</td></tr><tr><th>Date: </th><td>Tue, 5 May 2026 10:12:00 +0200</td></tr></tbody></table><br><br>${divs(OLDER.join('\n'))}</div></body></html>`,
  },
]
