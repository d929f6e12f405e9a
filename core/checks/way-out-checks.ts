import { mentionsPage } from '../mail/html/mentions.ts'
import { UNSUBSCRIBE_PAGES } from '../mail/html/way-out.ts'
import { scanTemplate } from '../mail/render/scan-template.ts'
import type { FinishedMail } from '../mail/thread/mail-question.ts'
import { type CheckFinding, finding } from './check-sentences.ts'

/** Marketing mail has to show a way to unsubscribe, and where its sender is. */
export function wayOutFindings(
  { text, wayOut }: Pick<FinishedMail, 'text' | 'wayOut'>,
  body: string,
  postalAddress: string | undefined,
): readonly CheckFinding[] {
  const isOwn =
    UNSUBSCRIBE_PAGES.some((page) => body.includes(page)) &&
    scanTemplate(body).some((piece) => mentionsPage(piece, UNSUBSCRIBE_PAGES))
  return [...unsubscribing(wayOut, isOwn), ...postal(text, postalAddress)]
}

function unsubscribing({ html, text }: FinishedMail['wayOut'], isOwn: boolean): readonly CheckFinding[] {
  if (!html) return [finding('unsubscribe_missing', 'body')]
  if (!text) return [finding('unsubscribe_missing_in_text', 'body')]
  return isOwn ? [] : [finding('unsubscribe_added', 'body')]
}

function postal(text: string, address: string | undefined): readonly CheckFinding[] {
  if (address === undefined) return [finding('postal_unset', 'project')]
  return inOneLine(text).includes(inOneLine(address)) ? [] : [finding('postal_missing', 'body')]
}

/** An address may be broken into lines, with or without commas. */
function inOneLine(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s,]+/g, ' ')
    .trim()
}
