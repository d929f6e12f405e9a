import type { Answer } from './answer.ts'

const QUOTE = '> when will it be ready?\n>\n> Ada'
const ADA = 'Ada Lovelace <ada@analytical.example>'
const t = (name: string, text: string, newText: string, html = ''): Answer => ({ name, text, html, newText })

/** Written later still, after the rules had been mended by the first. */
export const HELD_BACK_AGAIN: readonly Answer[] = [
  t(
    'Gmail de-CH, short',
    `Ja.\n\nAm Di, 5. Mai 2026 um 10:12 schrieb Ada Lovelace <\nada@analytical.example>:\n\n${QUOTE}\n`,
    'Ja.',
  ),
  t(
    'Apple es-MX',
    `El lunes.\n\nEnviado desde mi iPad\n\n> El 5 may 2026, a la(s) 10:12 a.m., ${ADA} escribió:\n> \n${QUOTE}\n`,
    'El lunes.',
  ),
  t(
    'Outlook fr, desktop text with Cc and bold',
    `Bonjour,\n\nlundi.\n\nGrace\n\n*De :* Ada Lovelace <ada@analytical.example>\n*Envoyé :* mardi 5 mai 2026 10:12\n*À :* Grace\n*Cc :* Charles\n*Objet :* Moteur\n\nBonjour\n`,
    'Bonjour,\n\nlundi.\n\nGrace',
  ),
  t(
    'Outlook it forward with words',
    `Puoi rispondere tu?\n\nDa: Ada Lovelace <ada@analytical.example>\nData: martedì, 5 maggio 2026 alle ore 10:12\nA: Grace\nOggetto: Motore\n\nCiao\n`,
    'Puoi rispondere tu?',
  ),
  t(
    'Huawei phone English',
    `ok monday\n\nSent from my Huawei phone\n\n-------- Original message --------\nFrom: Ada <ada@analytical.example>\nDate: Tue, 5 May 2026, 10:12\nTo: grace@navy.example\nSubject: engine\nhello\n`,
    'ok monday',
  ),
  t(
    'a Portuguese disclaimer',
    `Bom dia,\nsegunda serve.\n\nEsta mensagem pode conter informação confidencial e destina-se exclusivamente ao seu destinatário. Se a recebeu por engano, por favor informe o remetente e elimine-a de imediato.\n`,
    'Bom dia,\nsegunda serve.',
  ),
  t(
    'a Dutch disclaimer',
    `Prima.\n\nDit e-mailbericht is uitsluitend bestemd voor de geadresseerde en kan vertrouwelijke informatie bevatten. Als u dit bericht ten onrechte heeft ontvangen, verzoeken wij u de afzender op de hoogte te stellen en het bericht te verwijderen.\n`,
    'Prima.',
  ),
  t(
    'a Chinese disclaimer',
    `可以。\n\n保密声明：本邮件及其附件含有保密信息，仅限于发送给上面地址中列出的收件人。如果您错收了本邮件，请立即通知发件人并删除本邮件。\n`,
    '可以。',
  ),
  t(
    'a list after a date, no quote',
    'On 5 May 2026 at 10:00 please write to ada@analytical.example:\n- what you need\n- when\n',
    'On 5 May 2026 at 10:00 please write to ada@analytical.example:\n- what you need\n- when',
  ),
  t(
    'a note on deleting',
    'Hi,\n\nthis message was meant for the whole team; please delete it if you got it by mistake, and contact me.\n',
    'Hi,\n\nthis message was meant for the whole team; please delete it if you got it by mistake, and contact me.',
  ),
  t(
    'an important hint in German',
    'Hallo,\n\nWichtiger Hinweis: Bitte informieren Sie den Empfänger vor der Lieferung.\n',
    'Hallo,\n\nWichtiger Hinweis: Bitte informieren Sie den Empfänger vor der Lieferung.',
  ),
  t(
    'below an old quote of Yahoo without marks',
    `Thanks, that helps.\n\nYahoo Mail: Search, Organize, Conquer\n\n  On Tue, May 5, 2026 at 10:12 AM, ${ADA} wrote:\n\n  Hello Grace\n`,
    'Thanks, that helps.',
  ),
  t(
    'Lotus Notes',
    `Monday.\n\n\n\nFrom:   Ada Lovelace/Society\nTo:     Grace Hopper/Navy\nDate:   05/05/2026 10:12\nSubject:        Engine\n\n\nHello\n`,
    'Monday.',
  ),
  t(
    'an answer with a mention of Python',
    `Type this:\n\nimport engine\nengine.run()\n\nOn Tue, May 5, 2026 at 10:12 AM ${ADA} wrote:\n\n${QUOTE}\n`,
    'Type this:\n\nimport engine\nengine.run()',
  ),
  t(
    'Apple Mail, text answer between quotes',
    `> On 5 May 2026, at 10:12, ${ADA} wrote:\n> \n> Hello\n> ready?\n\nMonday.\n\n> Coal?\n\nYes, two tons.\n\n-- \nGrace\n`,
    'Monday.\n\nYes, two tons.',
  ),
  t(
    'Gmail HTML, signature above the quote, no text',
    '',
    'Fine.',
    `<div dir="ltr"><div>Fine.</div><div><br></div><span class="gmail_signature_prefix">-- </span><br><div dir="ltr" class="gmail_signature"><div>Grace</div></div></div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Tue, May 5, 2026 at 10:12 AM Ada &lt;ada@x.example&gt; wrote:<br></div><blockquote class="gmail_quote"><div>q</div></blockquote></div>`,
  ),
  t(
    'Outlook HTML, OWA signature',
    '',
    'Fine.\n\nGrace',
    `<div class="elementToProof">Fine.</div><div class="elementToProof"><br></div><div class="elementToProof">Grace</div><div id="Signature"><p>Navy</p><p>+44 20</p></div><div id="appendonsend"></div><hr style="width:98%"><div id="divRplyFwdMsg"><b>Från:</b> Ada</div><div>q</div>`,
  ),
  t(
    'a picture as an answer',
    '',
    '[screen.png]',
    `<div dir="ltr"><img src="cid:a" alt="screen.png" width="300"></div><br><div class="gmail_quote"><div class="gmail_attr">On Tue, May 5, 2026 at 10:12 AM Ada &lt;ada@x.example&gt; wrote:<br></div><blockquote class="gmail_quote">q</blockquote></div>`,
  ),
  t(
    'two dashes before a name',
    `Monday.\n--\nGrace Hopper\nNavy\n\nOn Tue, May 5, 2026 at 10:12 AM ${ADA} wrote:\n> q\n`,
    'Monday.',
  ),
  t('a sentence about a phone in Chinese', '你好，\n\n来自手机的订单有问题。\n', '你好，\n\n来自手机的订单有问题。'),
]
