import type { Translations } from '../mail/languages/translations.ts'
import { letterHtml, letterText } from '../mail/letter.ts'

/** Placeholders for what differs between mails, so that all mails of one language share a content. */
const WHO = { email: '{{ email }}', sender: '{{ sender }}' }

/** The confirmation mail, as templates; `{{ sender }}` is a separate variable, the others every mail has. */
export function confirmationBodies({ language, confirmation }: Translations): {
  readonly subject: string
  readonly html: string
  readonly text: string
} {
  const subject = confirmation.subject(WHO.sender)
  const { button, ignore } = confirmation
  const letter = { language, subject, request: confirmation.request(WHO), button, url: '{{ subscribeUrl }}', ignore }
  return { subject, html: letterHtml(letter), text: letterText(letter) }
}
