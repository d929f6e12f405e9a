/** A column's name by its letters and digits alone, in lower case and without accents, to compare it with known ones. */
export function plainName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/**
 * How surely a column of this name holds the address, 0 being surest; undefined when nothing says so. Exports call it
 * `Email Address`, `E-mail 1 - Value`, `Subscriber` or by a word of another language.
 */
export function addressRank(name: string): number | undefined {
  if (name.trim().toLowerCase() === 'email') return 0
  const plain = plainName(name)
  if (plain === 'email') return 1
  if (ADDRESS.test(plain) || OF_SOMEBODY.test(plain) || ABROAD.has(plain)) return 2
  if (plain === 'subscriber' || plain === 'recipient') return 3
  // "Email (work)"
  const [, bare] = /^([^([{]{3,60})[([{]/.exec(name) ?? []
  return bare !== undefined && addressRank(bare) !== undefined ? 4 : undefined
}

const ADDRESS = /^e?mails?(?:id|addr|address|adresse|adress|adres|adressen|cim)?1?(?:value|address)?$/
const OF_SOMEBODY =
  /^(?:primary|main|preferred|contact|customer|client|user|member|subscriber|recipient|person|profile|account|login|work|business|office|personal|private|home|billing|your)s?e?mail(?:id|address)?1?$/

/** Names of an e-mail address in other languages; without accents, like any plain name. */
const ABROAD: ReadonlySet<string> = new Set(
  [
    ...['E-Mail-Anschrift', 'Mailanschrift'],
    ...[
      'Adresse e-mail',
      'Adresse mail',
      'Adresse électronique',
      'Courriel',
      'Adresse courriel',
      'Adresse de courriel',
    ],
    ...['Courrier électronique', 'Adresse de messagerie', 'Mél', 'Correo', 'Correo electrónico', 'Dirección de correo'],
    ...['Dirección de correo electrónico', 'Dirección de email', 'Dirección email', 'Dirección electrónica'],
    ...['Correu electrònic', 'Indirizzo e-mail', 'Indirizzo email', 'Indirizzo mail', 'Posta elettronica'],
    ...['Indirizzo di posta elettronica', 'Endereço de e-mail', 'Endereço email', 'Correio eletrônico'],
    ...['Correio electrónico', 'Endereço eletrônico', 'E-postadress', 'E-postadresse', 'E-post', 'Epost', 'E-postadr'],
    ...['Adres e-mail', 'Adres email', 'Poczta elektroniczna', 'E-mailová adresa', 'Emailová adresa', 'Sähköposti'],
    ...['Sähköpostiosoite', 'E-posta', 'E-posta adresi', 'Adresă de e-mail', 'Adresă email', 'El. paštas', 'E-pasts'],
    ...['Email cím', 'E-naslov', 'Netfang', 'Электронная почта', 'Адрес электронной почты', 'Эл. почта', 'Почта'],
    ...[
      'Електронна пошта',
      'Имейл',
      'Ηλεκτρονικό ταχυδρομείο',
      'Διεύθυνση email',
      'メールアドレス',
      'メール',
      'Eメール',
    ],
    ...[
      '电子邮件',
      '电子邮箱',
      '邮箱',
      '邮件地址',
      '电子邮件地址',
      '電子郵件',
      '電子郵件地址',
      '이메일',
      '이메일 주소',
    ],
    ...['דואר אלקטרוני', 'البريد الإلكتروني'],
  ].map(plainName),
)

/** A key that `{{ }}` prints. */
const USABLE = /^[\p{L}_][\p{L}\p{N}_-]*$/u

/** The name as a key that a template can print: `First Name` becomes `firstName`. `position` counts columns from 1. */
export function usableKey(name: string, position: number): string {
  if (USABLE.test(name)) return name
  const words =
    name
      .normalize('NFC')
      .replace(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}_]+/gu) ?? []
  const joined = words.map((word, i) => (i === 0 ? lowered(word) : capital(word))).join('')
  if (joined === '') return `column${position}`
  return USABLE.test(joined) ? joined : `_${joined}`
}

/** Words in capitals, such as ZIP, are words like others. */
function lowered(word: string): string {
  return isShouted(word) ? word.toLowerCase() : word.charAt(0).toLowerCase() + word.slice(1)
}

function capital(word: string): string {
  const rest = word.slice(1)
  return word.charAt(0).toUpperCase() + (isShouted(word) ? rest.toLowerCase() : rest)
}

function isShouted(word: string): boolean {
  return word.length > 1 && word === word.toUpperCase()
}
