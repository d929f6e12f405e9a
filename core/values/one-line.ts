/** Control characters and what begins a new line. */
const LINE_ENDS = /[\p{Cc}\u2028\u2029]+/gu

/** The text in one line, as a stranger's must be that is shown in mails. */
export function oneLine(text: string): string {
  return text.replace(LINE_ENDS, ' ').trim()
}
