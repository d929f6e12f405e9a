import { type Answer, divs, escaped, OLDER, quoted } from './answer.ts'

const ADA = 'Ada Lovelace <ada@analytical.example>'

/** Apple Mail on a Mac. */
function mac(language: string, newText: string, header: string): Answer {
  return {
    name: `Apple Mail, ${language}`,
    newText,
    text: `${newText}\n\n> ${header}\n> \n${quoted(OLDER)}\n\n`,
    html: `<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body style="overflow-wrap: break-word; -webkit-nbsp-mode: space; line-break: after-white-space;">${divs(newText)}<br id="lineBreakAtBeginningOfMessage"><div><br><blockquote type="cite"><div>${escaped(header)}</div><br class="Apple-interchange-newline"><div>${divs(OLDER.join('\n'))}</div></blockquote></div><br></body></html>`,
  }
}

/** Mail on an iPhone; the header stands before the quote. */
function iphone(language: string, newText: string, signature: string, header: string): Answer {
  return {
    name: `iPhone, ${language}`,
    newText,
    text: `${newText}\n\n${signature}\n\n> ${header}\n> \n> ${OLDER[2]}\n`,
    html: `<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body dir="auto">${escaped(newText).replaceAll('\n', '<br>')}<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">${signature}</div><div dir="ltr"><br><blockquote type="cite">${escaped(header)}<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">\ufeff${OLDER[2]}</div></blockquote></body></html>`,
  }
}

/** An older one writes the header without `>`. */
function older(language: string, newText: string, signature: string, header: string): Answer {
  return {
    name: `iPhone of before, ${language}`,
    newText,
    text: `${newText}\n\n${signature}\n\n${header}\n\n${quoted(OLDER)}\n`,
    html: `<html><body dir="auto"><div>${escaped(newText)}</div><div id="AppleMailSignature"><br>${signature}</div><div><br>${escaped(header)}<br><br></div><blockquote type="cite"><div>${divs(OLDER.join('\n'))}</div></blockquote></body></html>`,
  }
}

export const APPLE: readonly Answer[] = [
  mac('en', 'On Monday.\n\nGrace', `On 5 May 2026, at 10:12, ${ADA} wrote:`),
  mac('de', 'Am Montag.', `Am 05.05.2026 um 10:12 schrieb ${ADA}:`),
  mac('nl', 'Op maandag.', `Op 5 mei 2026, om 10:12 heeft ${ADA} het volgende geschreven:`),
  mac('pl', 'W poniedziałek.', `Wiadomość napisana przez ${ADA} w dniu 5 maj 2026, o godz. 10:12:`),
  iphone('en', 'Monday', 'Sent from my iPhone', `On May 5, 2026, at 10:12 AM, ${ADA} wrote:`),
  iphone('de', 'Montag!', 'Von meinem iPhone gesendet', `Am 05.05.2026 um 10:12 schrieb ${ADA}:`),
  iphone('fr', 'Lundi', 'Envoyé de mon iPhone', `Le 5 mai 2026 à 10:12, ${ADA} a écrit :`),
  iphone('ja', '月曜日です', 'iPhoneから送信', `2026/05/05 10:12、${ADA}のメール:`),
  iphone('zh', '星期一', '发自我的 iPhone', `2026年5月5日 10:12，${ADA} 写道：`),
  older('es', 'El lunes', 'Enviado desde mi iPhone', `El 5 may 2026, a las 10:12, ${ADA} escribió:`),
  older('it', 'Lunedì', 'Inviato da iPhone', `Il giorno 5 mag 2026, alle ore 10:12, ${ADA} ha scritto:`),
  older('pt', 'Segunda', 'Enviado do meu iPhone', `Em 5 de mai. de 2026, à(s) 10:12, ${ADA} escreveu:`),
  older('pl', 'W poniedziałek', 'Wysłane z iPhone’a', `W dniu 5 maj 2026, o godz. 10:12, ${ADA} napisał:`),
  older('nl', 'Maandag', 'Verstuurd vanaf mijn iPad', `Op 5 mei 2026 om 10:12 schreef ${ADA}:`),
  {
    name: 'Apple Mail, forwarded with a sentence, German',
    newText: 'Kannst du das übernehmen?',
    text: `Kannst du das übernehmen?\n\n> Anfang der weitergeleiteten Nachricht:\n> \n> Von: ${ADA}\n> Betreff: Motor\n> Datum: 5. Mai 2026 um 10:12:00 MESZ\n> An: grace@navy.example\n> \n${quoted(OLDER)}\n`,
    html: `<html><body><div>Kannst du das übernehmen?</div><div><br><blockquote type="cite"><div>Anfang der weitergeleiteten Nachricht:</div><br class="Apple-interchange-newline"><div><span><b>Von: </b></span>Ada Lovelace</div><div><b>Betreff: </b>Motor</div><br><div>${divs(OLDER.join('\n'))}</div></blockquote></div></body></html>`,
  },
]
