import { type Answer, divs, escaped, OLDER, quoted } from './answer.ts'

const ADA = 'Ada Lovelace <ada@analytical.example>'
const older = divs(OLDER.join('\n'))

/** Written after the rules, to try them with what they were not made for. */
export const HELD_BACK: readonly Answer[] = [
  {
    name: 'K-9 Mail, German',
    newText: 'Montag passt.',
    text: `Montag passt.\n\n-- \nDiese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.\n\nAm 5. Mai 2026 10:12:31 MESZ schrieb Ada Lovelace <ada@analytical.example>:\n>Hello Grace,\n>\n>when will it be ready?\n`,
    html: `<html><head></head><body><div dir="auto">Montag passt.<br><br></div><br><br><div class="gmail_quote"><div dir="auto">Am 5. Mai 2026 10:12:31 MESZ schrieb Ada Lovelace &lt;ada@analytical.example&gt;:</div><blockquote class="gmail_quote" style="margin: 0pt 0pt 0pt 0.8ex; border-left: 1px solid rgb(204, 204, 204); padding-left: 1ex;">\n<pre class="k9mail"><div dir="auto">Hello Grace,<br><br>when will it be ready?<br></div></pre></blockquote></div><div style='white-space: pre-wrap'><div class='k9mail-signature'>-- <br>Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.</div></div></body></html>`,
  },
  {
    name: 'FairEmail',
    newText: 'Monday is fine.',
    text: `Monday is fine.\n\n\nMay 5, 2026 10:12:31 Ada Lovelace <ada@analytical.example>:\n\n${quoted(OLDER)}\n`,
    html: `<html><head><meta charset="utf-8"></head><body><p dir="auto">Monday is fine.</p><br><div class="fairemail_quote"><p>May 5, 2026 10:12:31 Ada Lovelace &lt;ada@analytical.example&gt;:</p><blockquote type="cite">${older}</blockquote></div></body></html>`,
  },
  {
    name: 'Roundcube, German',
    newText: 'Montag passt.',
    text: `Am 2026-05-05 10:12, schrieb Ada Lovelace:\n${quoted(OLDER)}\n\nMontag passt.\n`,
    html: `<html><head></head><body style='font-size: 10pt'><p id="reply-intro">Am 2026-05-05 10:12, schrieb Ada Lovelace:</p><blockquote type="cite" style="padding: 0 0.4em; border-left: #1010ff 2px solid; margin: 0"><div>${older}</div></blockquote><p>Montag passt.</p></body></html>`,
  },
  {
    name: 'Claws Mail, French',
    newText: 'Lundi, sans doute.',
    text: `Le Tue, 5 May 2026 10:12:00 +0200,\nAda Lovelace <ada@analytical.example> a écrit :\n\n${quoted(OLDER)}\n\nLundi, sans doute.\n`,
    html: '',
  },
  {
    name: 'KMail',
    newText: 'Monday.\n\nBye\nGrace',
    text: `On Tuesday, 5 May 2026 10:12:00 CEST Ada Lovelace wrote:\n${quoted(OLDER)}\n\nMonday.\n\nBye\nGrace\n`,
    html: '',
  },
  {
    name: 'Gnus',
    newText: 'Monday.',
    text: `Ada Lovelace <ada@analytical.example> writes:\n\n${quoted(OLDER)}\n\nMonday.\n`,
    html: '',
  },
  {
    name: 'Outlook for phones, Spanish',
    newText: 'El lunes',
    text: `El lunes\n\nObtener Outlook para Android<https://aka.ms/AAb9ysg>\n\n________________________________\nDe: ${ADA}\nEnviado: martes, 5 de mayo de 2026 10:12:31\nPara: grace@navy.example <grace@navy.example>\nAsunto: Motor\n\n${OLDER.join('\n')}\n`,
    html: `<html><body><div dir="auto">El lunes</div><div id="ms-outlook-mobile-body-separator-line" dir="auto"><br></div><div class="ms-outlook-mobile-signature" id="ms-outlook-mobile-signature">Obtener <a href="https://aka.ms/AAb9ysg">Outlook para Android</a></div><div id="mail-editor-reference-message-container" class="ms-outlook-mobile-reference-message"><hr style="display: inline-block; width: 98%;"><div id="divRplyFwdMsg" dir="ltr"><strong>De:</strong> Ada<br><strong>Enviado:</strong> martes<br></div>${older}</div></body></html>`,
  },
  {
    name: 'BlueMail',
    newText: 'Monday',
    text: `Monday\n\n⁣Get BlueMail for Android ​\n\nOn May 5, 2026, 10:12, at 10:12, Ada Lovelace <ada@analytical.example> wrote:\n>Hello Grace,\n>when will it be ready?\n`,
    html: '',
  },
  {
    name: 'Gmail, pt-PT',
    newText: 'Segunda-feira.',
    text: `Segunda-feira.\n\nAda Lovelace <ada@analytical.example> escreveu (terça, 5/05/2026 à(s)\n10:12):\n\n${quoted(OLDER)}\n`,
    html: `<div dir="ltr">Segunda-feira.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">Ada Lovelace &lt;ada@analytical.example&gt; escreveu (terça, 5/05/2026 à(s) 10:12):<br></div><blockquote class="gmail_quote">${older}</blockquote></div>`,
  },
  {
    name: 'Gmail, traditional Chinese',
    newText: '星期一可以。',
    text: `星期一可以。\n\n${ADA} 於 2026年5月5日 週二 上午10:12寫道：\n\n${quoted(OLDER)}\n`,
    html: '',
  },
  {
    name: 'NetEase',
    newText: '星期一可以。',
    text: `星期一可以。\n\n\n\n---- 回复的原邮件 ----\n| 发件人 | Ada<ada@analytical.example> |\n| 日期 | 2026年05月05日 10:12 |\n| 收件人 | grace@navy.example |\n| 主题 | 引擎 |\n什么时候好？\n`,
    html: `<html><head></head><body><div style="font-family:system-ui"><div>星期一可以。</div></div><div class="ntes-mailmaster-quote" style="padding-top: 1px;"><div style="margin-top: 2em; padding-top: 1em; border-top: 1px solid #CCC;">---- 回复的原邮件 ----</div><table><tr><td>发件人</td><td>Ada</td></tr></table><div>什么时候好？</div></div></body></html>`,
  },
  {
    name: 'Samsung, Dutch',
    newText: 'Maandag',
    text: `Maandag\n\nVerzonden vanaf mijn Galaxy\n\n-------- Oorspronkelijk bericht --------\nVan: ${ADA}\nDatum: 05-05-2026 10:12 (GMT+01:00)\nAan: grace@navy.example\nOnderwerp: Motor\n\n${OLDER.join('\n')}\n`,
    html: `<html><body dir="auto"><div dir="auto">Maandag</div><div id="composer_signature" dir="auto">Verzonden vanaf mijn Galaxy</div><div><br></div><div>-------- Oorspronkelijk bericht --------</div><div>Van: Ada &lt;ada@analytical.example&gt;</div><div>Aan: grace</div>${older}</body></html>`,
  },
  {
    name: 'Gmail, Danish, which is none of the ten',
    newText: 'På mandag.',
    text: `På mandag.\n\nDen tirs. 5. maj 2026 kl. 10.12 skrev Ada Lovelace <ada@analytical.example>:\n\n${quoted(OLDER)}\n`,
    html: `<div dir="ltr">På mandag.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">Den tirs. 5. maj 2026 kl. 10.12 skrev Ada Lovelace &lt;ada@analytical.example&gt;:<br></div><blockquote class="gmail_quote">${older}</blockquote></div>`,
  },
  {
    name: 'an Italian disclaimer below a signature',
    newText: 'Buongiorno,\nva bene lunedì.\n\nGrace',
    text: `Buongiorno,\nva bene lunedì.\n\nGrace\n\n-- \nGrace Hopper\nMarina\n\nLe informazioni contenute nella presente comunicazione e i relativi allegati possono essere riservate e sono destinate esclusivamente ai destinatari. La diffusione da parte di persone diverse dal destinatario è proibita. Se avete ricevuto questo messaggio per errore, vi preghiamo di distruggerlo e di informarci immediatamente.\n`,
    html: '',
  },
  {
    name: 'a Polish disclaimer with a heading',
    newText: 'Dzień dobry,\n\nponiedziałek pasuje.\n\nPozdrawiam\nGrace',
    text: `Dzień dobry,\n\nponiedziałek pasuje.\n\nPozdrawiam\nGrace\n\n________________________________\n\nKlauzula poufności: Niniejsza wiadomość oraz załączniki mogą zawierać informacje poufne i są przeznaczone wyłącznie dla adresata. Jeżeli otrzymali Państwo tę wiadomość omyłkowo, prosimy o powiadomienie nadawcy i jej usunięcie.\n`,
    html: '',
  },
  {
    name: 'a Spanish disclaimer in an answer of Outlook',
    newText: 'De acuerdo.\n\nSaludos\nGrace',
    text: `De acuerdo.\n\nSaludos\nGrace\n\nAVISO LEGAL: Este mensaje y sus archivos adjuntos van dirigidos exclusivamente a su destinatario, pudiendo contener información confidencial. Si usted no es el destinatario, le rogamos que lo comunique al remitente y proceda a su eliminación.\n\nDe: ${ADA}\nEnviado el: martes, 5 de mayo de 2026 10:12\nPara: Grace\nAsunto: Motor\n\n${OLDER.join('\n')}\n`,
    html: '',
  },
  {
    name: 'an English disclaimer in two paragraphs and a request to save paper',
    newText: 'Monday works for us.\n\nKind regards,\nGrace Hopper',
    text: `Monday works for us.\n\nKind regards,\nGrace Hopper\n\nPlease consider the environment before printing this email.\n\nThis message contains confidential information and is intended only for the individual named. If you are not the named addressee you should not disseminate, distribute or copy this e-mail.\n\nE-mail transmission cannot be guaranteed to be secure or error-free. The sender therefore does not accept liability for any errors or omissions in the contents of this message.\n`,
    html: '',
  },
  {
    name: 'a question about a header, which the author wrote',
    newText: 'On 5 May 2026 at 10:12 you wrote:\n"we ship on 12 May".\n\nIs that still so?',
    text: 'On 5 May 2026 at 10:12 you wrote:\n"we ship on 12 May".\n\nIs that still so?\n',
    html: divs('On 5 May 2026 at 10:12 you wrote:\n"we ship on 12 May".\n\nIs that still so?'),
  },
  {
    name: 'sections with dashes between them',
    newText:
      'First part.\n\n--\n\nSecond part, about the cards.\n\n--\n\nThird part, about the steam. What do you think?',
    text: 'First part.\n\n--\n\nSecond part, about the cards.\n\n--\n\nThird part, about the steam. What do you think?\n',
    html: '',
  },
  {
    name: 'a second answer, with the first and its quote below',
    newText: 'One more thing: bring coal.',
    text: `One more thing: bring coal.\n\n${ADA} schrieb am Di., 5. Mai 2026, 10:12:\n\n> Fine.\n>\n> On Mon, May 4, 2026 at 9:00 AM Grace <grace@navy.example> wrote:\n>\n>> Monday.\n`,
    html: `<div dir="auto">One more thing: bring coal.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">${escaped(ADA)} schrieb am Di., 5. Mai 2026, 10:12:<br></div><blockquote class="gmail_quote" style="margin:0 0 0 .8ex"><div>Fine.</div><div class="gmail_quote"><div class="gmail_attr">On Mon, May 4, 2026 at 9:00 AM Grace wrote:</div><blockquote class="gmail_quote">Monday.</blockquote></div></blockquote></div>`,
  },
]
