/** Longer ones are judged by their beginning. */
const MAX_LENGTH = 3000
const CONFIDENTIAL =
  /\b(?:confidential|privileged|proprietary)|vertraulich|confidentiel|confidencial|riservat|confidenzial|vertrouwelijk|poufn|機密|秘密|保密|机密/i
/** Of being confidential, of the recipient, of an error, of deleting, of forbidding. */
const TRAITS = [
  CONFIDENTIAL,
  /intended|addressee|addressed to|named recipient|bestimmt|adressat|empfänger|destinataire|destinat[aá]ri|destinatari|diretta|bestemd|geadresseerde|ontvanger|przeznaczon|adresat|odbiorc|destinad|dirigid|宛先|受信者|名宛|收件人|接收者/i,
  /\b(?:in|by) (?:error|mistake)|not the intended|irrtümlich|versehentlich|nicht der (?:richtige|beabsichtigte|vorgesehene)|par erreur|por error|por erro|por engano|per errore|ten onrechte|per abuis|abusievelijk|niet (?:de|voor u)|omyłkow|przez pomyłkę|nie są państwo|誤って|誤送信|误收|错误|誤收|并非/i,
  /\b(?:notify|inform|contact|advise|delete|destroy)\b|informieren|benachrichtigen|löschen|vernichten|supprim|détrui|avert|informer|elimin|notif|borr|destru|cancell|distrugg|avvis|inform|verwijder|vernietig|op de hoogte|usun|skasow|zniszcz|powiadom|apag|削除|破棄|連絡|删除|刪除|销毁|通知/i,
  /prohibited|unauthori[sz]ed|unlawful|without (?:prior|written)|not permitted|liab(?:le|ility)|untersagt|unbefugt|unerlaubt|nicht gestattet|verboten|haftung|interdit|responsabilit|prohibid|proibid|vietat|verboden|niet toegestaan|aansprakelijk|zabronion|zakazan|odpowiedzialnoś|proíbid|禁止|禁じ|严禁|不得|責任|责任/i,
]
/** How a disclaimer begins: with a heading, or with this mail as what it speaks of. */
const HEADING =
  /^(?:\W{0,4})(?:confidential(?:ity)?(?: notice| note)?|legal (?:notice|disclaimer)|(?:e-?mail )?disclaimer|privileged (?:and|&) confidential|important(?: notice)?|haftungsausschluss|vertraulichkeitshinweis|rechtlicher hinweis|wichtiger hinweis|hinweis|avis de confidentialité|confidentialité|avertissement|mentions légales|aviso (?:legal|de confidencialidad|de confidencialidade)|confidencial(?:idad|idade)?|avviso(?: di riservatezza)?|riservatezza|informativa(?: privacy)?|vertrouwelijkheid|klauzula (?:poufności|informacyjna)|zastrzeżenie|poufne|ご注意|注意|機密情報|免責事項|保密声明|免责声明|保密聲明|声明|重要提示)\b ?[:.–—-]/iu
/** Other headings ("Important:") are those of authors, too. */
const NOTICE =
  /notice|disclaimer|vertraulichkeitshinweis|haftungsausschluss|rechtlicher hinweis|avis de|mentions légales|aviso (?:legal|de)|avviso di|klauzula|声明|聲明|免責事項/i
const OPENINGS = [
  /^\W{0,4}(?:this|the information (?:contained |transmitted )?in this|the contents? of this|this transmission|any views) ?(?:e-?mail|message|communication|transmission|mail|document)?/i,
  /^\W{0,4}(?:diese|der inhalt dieser|die in dieser|die informationen in dieser|dieses) (?:e-?mail|nachricht|mail|information|schreiben)/i,
  /^\W{0,4}(?:ce|cet|cette|le contenu de ce|les informations contenues dans ce) ?(?:message|courriel|e-?mail|courrier|communication|transmission)/i,
  /^\W{0,4}(?:este|esta|el contenido de este|o conteúdo deste|a informação contida|la información (?:contenida|incluida)|as informações contidas) /i,
  /^\W{0,4}(?:questo|questa|il presente|la presente|il contenuto di|le informazioni contenute) /i,
  /^\W{0,4}(?:dit|deze|de informatie in|de inhoud van|de informatie verzonden) /i,
  /^\W{0,4}(?:ta wiadomość|niniejsz|informacje zawarte|treść tej|ten e-?mail|wiadomość ta)/i,
  /^\W{0,4}(?:この|本)(?:電子)?(?:メール|ﾒｰﾙ|e-?mail)/i,
  /^\W{0,4}(?:此|本|该|這|这)(?:封)?(?:电子)?(?:電子)?(?:邮件|郵件|信息|通信)/,
]
const FIRM = /amtsgericht.{1,40}\bHRB ?\d|\bHRB ?\d{3}|registered in england (?:and wales )?(?:no|number|under)/i

const HEADING_CJK = /^\W{0,4}(?:ご注意|注意|機密情報|免責事項|保密声明|免责声明|保密聲明|声明|重要提示) ?[:。\n 】]/

/** True when legal text may begin in this line. */
export function mayBeginDisclaimer(line: string): boolean {
  const words = ordinary(line.slice(0, 200))
  return hasHeading(words) || FIRM.test(words) || OPENINGS.some((opening) => opening.test(words))
}

/** True when a paragraph that may be legal text is what a firm puts under each of its mails. */
export function isDisclaimer(paragraph: string): boolean {
  const words = ordinary(paragraph.slice(0, MAX_LENGTH))
  if (FIRM.test(words) && /geschäftsführ|vorstand|sitz|office|company/i.test(words)) return true
  const traits = TRAITS.filter((trait) => trait.test(words)).length
  if (hasHeading(words) && NOTICE.test(words.slice(0, 60))) return traits >= 2
  // an author, too, asks to delete what was sent by mistake
  return traits >= (CONFIDENTIAL.test(words) ? 3 : 4)
}

/** True for a paragraph that is legal text if one is above it. */
export function mayBeDisclaimer(paragraph: string): boolean {
  const words = ordinary(paragraph.slice(0, MAX_LENGTH))
  return MAIL.test(words) && TRAITS.some((trait) => trait.test(words))
}
const MAIL =
  /e-?mail|message|nachricht|courriel|mensaje|mensagem|messagg|comunicazion|bericht|wiadomoś|virus|viren|メール|邮件|郵件/i

function hasHeading(words: string): boolean {
  return HEADING.test(words) || HEADING_CJK.test(words)
}

function ordinary(text: string): string {
  return text.replaceAll('\u00a0', ' ').replaceAll('：', ':').replaceAll('’', "'").replace(/[*_]/g, '').trim()
}
