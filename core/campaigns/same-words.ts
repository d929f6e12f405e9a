/** How many characters of a refusal are compared. */
const COMPARED = 300

/**
 * The text of a refusal without what differs from mail to mail: the recipient, other addresses, host names, numbers and
 * ids. Two refusals of the same cause have the same words.
 */
export function wordsOf(refusal: string, recipient: string): string {
  const [local = '', domain = ''] = recipient.toLowerCase().split('@')
  const own: ReadonlySet<string> = new Set([local, domain, recipient.toLowerCase()])
  return refusal
    .slice(0, 4 * COMPARED)
    .split(/[\s<>()[\]{}"'`“”‘’,;:=]+/)
    .map((word) => word.replace(/(?<![.!?])[.!?]+$/, ''))
    .filter((word) => word !== '')
    .map((word) => (own.has(word.toLowerCase()) || DIFFERS.some((pattern) => pattern.test(word)) ? '#' : word))
    .join(' ')
    .replace(/#(?: #)+/g, '#')
    .toLowerCase()
    .slice(0, COMPARED)
}

/** Words that are no words: with a digit, an address, a host name or path, and mixed letters such as ids have. */
const DIFFERS = [/\d/, /@/, /[^.]\.[^.]/, /[a-z][A-Z]\S*[a-z][A-Z]/]

/** Whether it was given up after tries that might have succeeded: that says nothing about the mail. */
export function isTemporary(refusal: string): boolean {
  return /^(?:4\d\d\b|4\.\d+\.\d+\b|expired: |The mail server (?:could not be|refuses the login|answered))/.test(
    refusal,
  )
}
