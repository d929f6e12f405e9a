import { type Answer, divs, OLDER, quoted, tabbed } from './answer.ts'

const ADA = 'Ada Lovelace <ada@analytical.example>'
const older = divs(OLDER.join('\n'))

/** Other programs, and mails in which little may be taken for a quote. */
export const OTHERS: readonly Answer[] = [
  {
    name: 'Yahoo',
    newText: 'Monday.',
    text: `Monday.\n\nSent from Yahoo Mail on Android\n\n  On Tue, May 5, 2026 at 10:12, Ada Lovelace<ada@analytical.example> wrote:   Hello Grace,\nwhen will it be ready?\n`,
    html: `<div>Monday.</div> <br> <div id="ymail_android_signature"><a href="https://go.onelink.me/107872968?pid=InProduct">Sent from Yahoo Mail on Android</a></div> <br> <blockquote style="margin: 0 0 20px 0;"> <div style="font-family:Roboto, sans-serif; color:#6D00F6;"> <div>On Tue, May 5, 2026 at 10:12, Ada Lovelace</div><div>&lt;ada@analytical.example&gt; wrote:</div> </div> <div style="padding: 10px 0 0 20px; border-left: 1px solid #6D00F6;">${older}</div> </blockquote>`,
  },
  {
    name: 'Yahoo on the web',
    newText: 'Monday.',
    text: `Monday.\n\n    On Tuesday, May 5, 2026 at 10:12:00 AM GMT+2, ${ADA} wrote:  \n \n Hello Grace,\nwhen will it be ready?\n  `,
    html: `<html><head></head><body><div class="ydp1f2eyahoo-style-wrap" style="font-size:16px;"><div dir="ltr" data-setdir="false">Monday.</div><div><br></div></div><div id="yahoo_quoted_1234567890" class="yahoo_quoted"><div style="font-size:13px;color:#26282a;"><div>On Tuesday, May 5, 2026 at 10:12:00 AM GMT+2, Ada Lovelace &lt;ada@analytical.example&gt; wrote: </div><div><br></div>${older}</div></div></body></html>`,
  },
  {
    name: 'Proton',
    newText: 'Monday.\n\nGrace',
    text: `Monday.\n\nGrace\n\nSent with Proton Mail secure email.\n\nOn Tuesday, May 5th, 2026 at 10:12, ${ADA} wrote:\n\n${quoted(OLDER)}\n`,
    html: `<div style="font-family: Arial; font-size: 14px;">Monday.<br><br>Grace</div><div class="protonmail_signature_block" style="font-size: 14px;"><div class="protonmail_signature_block-proton">Sent with <a href="https://proton.me/mail/home">Proton Mail</a> secure email.</div></div><br><div class="protonmail_quote">On Tuesday, May 5th, 2026 at 10:12, Ada Lovelace &lt;ada@analytical.example&gt; wrote:<br><blockquote class="protonmail_quote" type="cite">${older}</blockquote><br></div>`,
  },
  {
    name: 'Zoho',
    newText: 'Monday.',
    text: `Monday.\n\n\n\n\n---- On Tue, 05 May 2026 10:12:00 +0200 ${ADA} wrote ---\n\n${OLDER.join('\n')}\n`,
    html: `<div style="font-family: Verdana;"><div>Monday.<br></div><br><br><div class="zmail_extra_hr" style="border-top: 1px solid rgb(204, 204, 204); height: 0px;"><br></div><div class="zmail_extra" data-zbluepencil-ignore="true"><div><br></div><div id="Zm-_Id_-Sgn1">---- On Tue, 05 May 2026 10:12:00 +0200 <b>Ada Lovelace &lt;ada@analytical.example&gt;</b> wrote ---<br></div><div><br></div><blockquote id="blockquote_zmail" style="margin: 0px;">${older}</blockquote></div></div>`,
  },
  {
    name: 'GMX, German',
    newText: 'Montag.',
    text: `Montag.\n-- \nDiese Nachricht wurde von meinem Android Mobiltelefon mit GMX Mail gesendet.\n\nAm 05.05.26, 10:12 schrieb ${ADA}:\n\n${quoted(OLDER)}\n`,
    html: `<html><head></head><body><div style="font-family: Verdana;font-size: 12.0px;"><div>Montag.</div><div>&nbsp;<div name="quote" style="margin:10px 5px 5px 10px; padding: 10px 0 10px 10px; border-left:2px solid #C3D9E5; word-wrap: break-word;"><div style="margin:0 0 10px 0;"><b>Gesendet:</b>&nbsp;Dienstag, 5. Mai 2026 um 10:12 Uhr<br><b>Von:</b>&nbsp;"Ada Lovelace" &lt;ada@analytical.example&gt;<br><b>An:</b>&nbsp;grace@navy.example<br><b>Betreff:</b>&nbsp;Motor</div><div name="quoted-content">${older}</div></div></div></div></body></html>`,
  },
  {
    name: 'WEB.DE, text alone',
    newText: 'Am Montag.',
    text: `Am Montag.\n\nGesendet: Dienstag, 5. Mai 2026 um 10:12 Uhr\nVon: "Ada Lovelace" <ada@analytical.example>\nAn: grace@navy.example\nBetreff: Motor\n\n${OLDER.join('\n')}\n`,
    html: '',
  },
  {
    name: 'Samsung, German',
    newText: 'Montag',
    text: `Montag\n\n\nVon meinem/meiner Galaxy gesendet\n\n\n-------- Ursprüngliche Nachricht --------\nVon: ${ADA}\nDatum: 05.05.26 10:12 (GMT+01:00)\nAn: grace@navy.example\nBetreff: Motor\n\n${OLDER.join('\n')}\n`,
    html: `<html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"></head><body dir="auto"><div dir="auto">Montag</div><div dir="auto"><br></div><div dir="auto"><br></div><div id="composer_signature" dir="auto"><div style="font-size:12px;color:#575757" dir="auto">Von meinem/meiner Galaxy gesendet</div></div><div dir="auto"><br></div><div><br></div><div align="left" dir="auto" style="font-size:100%;color:#000000"><div>-------- Ursprüngliche Nachricht --------</div><div>Von: Ada Lovelace &lt;ada@analytical.example&gt; </div><div>Datum: 05.05.26  10:12  (GMT+01:00) </div><div>An: grace@navy.example </div><div>Betreff: Motor </div><div><br></div></div>${older}</body></html>`,
  },
  {
    name: 'Samsung, Spanish, text alone',
    newText: 'El lunes',
    text: `El lunes\n\nEnviado desde mi Galaxy\n\n-------- Mensaje original --------\nDe: ${ADA}\nFecha: 5/5/26 10:12 (GMT+01:00)\nA: grace@navy.example\nAsunto: Motor\n\n${OLDER.join('\n')}\n`,
    html: '',
  },
  {
    name: 'Tuta',
    newText: 'Monday.',
    text: `Monday.\n\n5 May 2026, 10:12 by ada@analytical.example:\n\n${quoted(OLDER)}\n`,
    html: `<html><head></head><body><div>Monday.</div><div><br></div><div>5 May 2026, 10:12 by ada@analytical.example:</div><blockquote class="tutanota_quote" style="border-left: 1px solid #93A3B8; padding-left: 10px; margin-left: 5px;">${older}</blockquote></body></html>`,
  },
  {
    name: 'QQ, Chinese',
    newText: '星期一就好。',
    text: `星期一就好。\n\n\n------------------ 原始邮件 ------------------\n发件人: "Ada" <ada@analytical.example>;\n发送时间: 2026年5月5日(星期二) 上午10:12\n收件人: "Grace" <grace@navy.example>;\n主题: 引擎\n\n什么时候好？\n`,
    html: `<div>星期一就好。</div><div><br></div><div style="font-size: 12px;font-family: Arial Narrow;padding:2px 0 2px 0;">------------------&nbsp;原始邮件&nbsp;------------------</div><div style="font-size: 12px;background:#efefef;padding:8px;"><div><b>发件人:</b> "Ada" &lt;ada@analytical.example&gt;;</div><div><b>发送时间:</b>&nbsp;2026年5月5日(星期二) 上午10:12</div><div><b>收件人:</b>&nbsp;"Grace"&lt;grace@navy.example&gt;;</div><div><b>主题:</b>&nbsp;引擎</div></div><div><br></div><div>什么时候好？</div>`,
  },
  {
    name: 'mutt, a wrapped header and a signature',
    newText: 'Monday, if the cards arrive.',
    text: `On Tue, May 05, 2026 at 10:12:00AM +0200, Ada Lovelace of the Analytical\nSociety wrote:\n${quoted(OLDER)}\n\nMonday, if the cards arrive.\n\n-- \nGrace\n`,
    html: '',
  },
  {
    name: 's-nail and mailx, which put a quote in by a tab',
    newText: 'Monday, if the cards arrive.',
    text: `${ADA} wrote:\n\n${tabbed(OLDER)}\n\t\n\t--\n\tAda\nMonday, if the cards arrive.\n`,
    html: '',
  },
  {
    name: 'mailx, an answer above and between',
    newText: 'Hello Ada,\n\nMonday, if the cards arrive.\n\nThat is all.',
    text: `Hello Ada,\n\n${ADA} wrote:\n${tabbed(OLDER)}\n\nMonday, if the cards arrive.\n\nThat is all.\n`,
    html: '',
  },
  {
    name: 'lines that the author has put in by a tab',
    newText: 'It costs:\n\n\tcoal  5\n\twater 3\n\nIs that too much?',
    text: 'It costs:\n\n\tcoal  5\n\twater 3\n\nIs that too much?\n',
    html: '',
  },
  {
    name: 'Spark',
    newText: 'Monday.',
    text: `Monday.\n\nSent from Spark\nOn 5 May 2026 at 10:12 +0200, ${ADA}, wrote:\n${quoted(OLDER)}\n`,
    html: `<html><body><div name="messageBodySection"><div dir="auto">Monday.</div></div><div name="messageSignatureSection"><br /><div class="matchFont">Sent from <a href="https://sparkmailapp.com/source">Spark</a></div></div><div name="messageReplySection">On 5 May 2026 at 10:12 +0200, Ada Lovelace &lt;ada@analytical.example&gt;, wrote:<br /><blockquote type="cite" class="spark_quote">${older}</blockquote></div></body></html>`,
  },
  {
    name: 'a disclaimer in French, no quote',
    newText: 'Bonjour,\n\nlundi nous convient.\n\nGrace',
    text: `Bonjour,\n\nlundi nous convient.\n\nGrace\n\nCe message et toutes les pièces jointes sont confidentiels et établis à l'intention exclusive de leurs destinataires. Si vous avez reçu ce message par erreur, merci de le détruire et d'en avertir immédiatement l'expéditeur.\n`,
    html: '',
  },
  {
    name: 'a disclaimer in Japanese',
    newText: '月曜日で結構です。',
    text: `月曜日で結構です。\n\nこのメールには機密情報が含まれている場合があります。誤って受信された場合は、送信者に連絡の上、削除してください。\n`,
    html: '',
  },
  {
    name: 'a sentence that begins and ends as a header does',
    newText: `On Monday we could start. Ada wrote:\nthat is too late.\nWhat do you think?`,
    text: `On Monday we could start. Ada wrote:\nthat is too late.\nWhat do you think?\n`,
    html: '',
  },
  {
    name: 'a journey, which has From and To',
    newText: 'Please book this:\n\nFrom: Berlin\nTo: Hamburg\nDate: 5 May 2026, 10:12\n\nThank you!',
    text: 'Please book this:\n\nFrom: Berlin\nTo: Hamburg\nDate: 5 May 2026, 10:12\n\nThank you!\n',
    html: divs('Please book this:\n\nFrom: Berlin\nTo: Hamburg\nDate: 5 May 2026, 10:12\n\nThank you!'),
  },
  {
    name: 'words about a phone and about being confidential',
    newText:
      'I sent it from my iPhone.\n\nThis message is about the contract. Please treat it as confidential.\n\nWas it sent from my iPhone?',
    text: 'I sent it from my iPhone.\n\nThis message is about the contract. Please treat it as confidential.\n\nWas it sent from my iPhone?',
    html: '',
  },
  {
    name: 'a quote alone',
    newText: quoted(OLDER),
    text: `${quoted(OLDER)}\n`,
    html: '',
  },
  {
    name: 'an indented part of the author',
    newText: 'Article 3 reads:\n\nNo engine without steam.\n\nSo we need coal.',
    text: '',
    html: '<p>Article 3 reads:</p><blockquote style="margin:0 0 0 40px;border:none;padding:0px"><p>No engine without steam.</p></blockquote><p>So we need coal.</p>',
  },
]
