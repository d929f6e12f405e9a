/**
 * Marks of answers and forwards before a subject, as mail programs write them: `Re:`, `AW:` (German), `SV:` (Nordic),
 * `RV:` and `RE:` (Spanish), `RIF:` (Italian), `Odp:` (Polish), `Antw:` (Dutch), `ENC:` (Portuguese), `TR:` and `RÉF:`
 * (French), `回复` and `返信`, also with a number as in `Re[2]:`.
 */
const MARK =
  /^(?:re|aw|antw|sv|vs|r|rif|odp|res|ref|réf|rép|rv|fw|fwd|wg|tr|enc|pd|doorst|i|inoltra|回复|答复|转发|返信|転送)(?:\[\d{1,3}\]|\(\d{1,3}\))?\s{0,3}[:：]\s{0,10}/iu
/** How many marks are taken off: nothing has more by itself. */
const MOST_MARKS = 20
/** How much of a subject is compared, in characters. */
const COMPARED = 200

/** The subject without marks of answers, as it is compared: in lower case, with single spaces. */
export function subjectKey(subject: string): string {
  return withoutMarks(subject).text.toLowerCase().replace(/\s+/g, ' ').slice(0, COMPARED).trim().toWellFormed()
}

/** Whether the subject says that the message answers or forwards another one. */
export function isMarked(subject: string): boolean {
  return withoutMarks(subject).isMarked
}

/** The subject of an answer or of a forward. */
export function markedSubject(mark: 'Re' | 'Fwd', subject: string): string {
  return `${mark}: ${withoutMarks(subject).text}`.slice(0, 998).toWellFormed()
}

function withoutMarks(subject: string): { readonly text: string; readonly isMarked: boolean } {
  let text = subject.slice(0, 2_000).trim()
  let isMarked = false
  for (let left = MOST_MARKS; left > 0; left--) {
    const mark = MARK.exec(text)
    if (mark === null) break
    text = text.slice(mark[0].length)
    isMarked = true
  }
  return { text: text.trim(), isMarked }
}
