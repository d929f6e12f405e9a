import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import { isTest } from './email.ts'
import type { TrackedHtml } from './html/tracked-html.ts'
import { translationsIn } from './languages/translations-in.ts'
import type { Links } from './links/links.ts'
import type { Additions, Builtins } from './render/scope.ts'

/**
 * What a mail is filled in with besides the recipient's data. The subscription is that of the moment the mail was
 * accepted. Links are signed when they are asked for: most mails need few of them.
 */
export function mailBuiltins(
  email: Email,
  content: MailContent,
  links: Links,
  tracked: () => TrackedHtml | undefined,
): Builtins {
  const { contactId, projectId, id: emailId } = email
  const { subscribed, id: about = contactId, email: address } = email.variables
  // A test to somebody unknown looks like the mail itself; its links lead to the page of those that are not valid.
  const reader = contactId ?? (isTest(email) ? emailId : undefined)
  let pages: ReturnType<Links['ofContact']>
  const page = () => {
    if (reader !== undefined) pages ??= links.ofContact({ projectId, contactId: reader, emailId })
    return pages
  }
  const builtins: Builtins = {
    // no key of the data is named so: it is a mail to somebody else about the contact of a workflow
    email: typeof address === 'string' ? address : email.to,
    ...(typeof about === 'string' ? { id: about } : {}),
    ...(typeof subscribed === 'boolean' ? { subscribed } : {}),
    get unsubscribeUrl() {
      return page()?.unsubscribeUrl
    },
    get subscribeUrl() {
      return page()?.subscribeUrl
    },
    get manageUrl() {
      return page()?.manageUrl
    },
    get additions() {
      return additions
    },
  }
  const additions = mailAdditions(email, content, links, tracked, builtins)
  return builtins
}

function mailAdditions(
  email: Email,
  content: MailContent,
  links: Links,
  tracked: () => TrackedHtml | undefined,
  builtins: Builtins,
): Additions {
  const { projectId, id: emailId, variables } = email
  let signed: ReturnType<Links['ofMail']>
  const mail = () => {
    signed ??= links.ofMail({ projectId, emailId })
    return signed
  }
  const words = () => translationsIn(variables.locale, content.locale)
  return {
    get click() {
      return mail()?.click
    },
    get pixel() {
      return mail()?.pixel
    },
    get language() {
      return words().language
    },
    get reason() {
      return words().footer.reason(content.from.name ?? content.from.email)
    },
    get unsubscribe() {
      return words().footer.unsubscribe
    },
    link: (number) => tracked()?.link(number, mail()?.click ?? '', variables, builtins) ?? '',
    linkInPlace: (place, occurrence, address) =>
      tracked()?.linkInPlace(place, occurrence, address, mail()?.click ?? '', builtins) ?? address,
  }
}
