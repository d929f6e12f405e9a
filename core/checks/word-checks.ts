import { scanTemplate } from '../mail/render/scan-template.ts'
import type { FinishedMail } from '../mail/thread/mail-question.ts'
import { type CheckFinding, finding } from './check-sentences.ts'
import { LIQUID, type MailShape } from './mail-shape.ts'

/** Beyond this many bytes of HTML, Gmail shows "Message clipped". */
const CLIPPED = 102 * 1024
/** From this share of it on there is a warning. */
const NEAR = 0.9
/** How many characters of a subject phones show. */
const SUBJECT_LENGTH = 60
/** Fewer letters than these are no word in capitals, but perhaps a name. */
const CAPITALS = 6
/** Fewer letters than this beside a picture look like a mail of pictures alone. */
const FEW_LETTERS = 100
/** How many letters a value may be taken for. */
const VALUE_LETTERS = 10

/** The size of the HTML as it leaves. */
export function sizeFindings(htmlBytes: number): readonly CheckFinding[] {
  const kb = Math.round(htmlBytes / 102.4) / 10
  if (htmlBytes > CLIPPED) return [finding('size_clipped', 'body', { kb })]
  return htmlBytes >= CLIPPED * NEAR ? [finding('size_near_clipping', 'body', { kb })] : []
}

/** The findings about what inboxes show: the subject as it was written, and filled in; and the preheader. */
export function inboxFindings(
  written: { readonly subject: string; readonly preheader: string | undefined },
  filledIn: string,
  isFilled: boolean,
): readonly CheckFinding[] {
  const plain = scanTemplate(written.subject)
    .map(({ kind, from, to }) => (kind === 'text' ? written.subject.slice(from, to) : ''))
    .join('')
  const subject = filledIn.trim()
  // without values a subject of placeholders alone says nothing yet
  const isEmpty = subject === '' && (isFilled || plain === written.subject)
  const letters = plain.match(/\p{L}/gu) ?? []
  const isLoud = letters.length >= CAPITALS && plain === plain.toUpperCase() && plain !== plain.toLowerCase()
  const length = [...subject].length
  return [
    ...(isEmpty ? [finding('subject_empty', 'subject')] : []),
    ...(length > SUBJECT_LENGTH ? [finding('subject_long', 'subject', { count: length, limit: SUBJECT_LENGTH })] : []),
    ...(isLoud ? [finding('subject_capitals', 'subject')] : []),
    ...(written.preheader === undefined ? [finding('preheader_missing', 'preheader')] : []),
  ]
}

/** The findings about the text to read. */
export function textFindings(
  { text }: Pick<FinishedMail, 'text'>,
  { words, images }: MailShape,
): readonly CheckFinding[] {
  const values = words.split(LIQUID).length - 1
  const letters = (words.match(/[\p{L}\p{N}]/gu)?.length ?? 0) + values * VALUE_LETTERS
  if (letters === 0 || (values === 0 && text.trim() === '')) return [finding('text_empty', 'body')]
  return images.length > 0 && letters < FEW_LETTERS ? [finding('text_only_pictures', 'body')] : []
}

/** Words of unwanted mail, in English and in German. */
const SPAM_WORDS = [
  ...['act now', '100% free', 'free money', 'risk-free', 'risk free', 'click here', 'cash bonus', 'earn extra cash'],
  ...['double your income', 'lose weight', 'no obligation', 'order now', 'winner', 'you have been selected', 'viagra'],
  ...['casino', 'guaranteed income', 'make money fast', 'once in a lifetime', 'this is not spam', 'credit card debt'],
  ...['jetzt zugreifen', '100% kostenlos', '100 % kostenlos', 'garantiert gewinnen', 'geld verdienen', 'hier klicken'],
  ...[
    'schnell reich',
    'ohne risiko',
    'sie haben gewonnen',
    'abnehmen ohne',
    'kein spam',
    'nur heute',
    'gratisgeschenk',
  ],
  ...['sofortkredit', 'millionär'],
]
const SPAM = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${SPAM_WORDS.map((word) => word.replaceAll(' ', '\\s')).join('|')})(?![\\p{L}\\p{N}])`,
  'giu',
)

/** Words that spam filters weigh, in the subject and in what is seen of the mail. */
export function spamFindings(subject: string, { words }: MailShape): readonly CheckFinding[] {
  const text = `${subject}\n${words}`.replace(/\s+/g, ' ')
  const found = new Set([...text.matchAll(SPAM)].map(([word]) => word.toLowerCase()))
  return found.size === 0 ? [] : [finding('spam_words', 'body', { words: [...found].slice(0, 10).join(', ') })]
}
