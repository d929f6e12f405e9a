import type { MailContent } from '../ports/store/contents.ts'
import { isConfidential, isTest, type MailToFill } from './email.ts'
import type { TrackedHtml } from './html/tracked-html.ts'
import { translationsIn } from './languages/translations-in.ts'
import type { Links } from './links/links.ts'
import type { InjectedParts, MailVariables } from './render/scope.ts'

/**
 * The mail variables of a mail. `subscribed` is from the moment the mail was accepted. Links are signed on demand: most
 * mails use few of them.
 */
export function mailVariablesFor(
  email: MailToFill,
  content: MailContent,
  links: Links,
  tracked: () => TrackedHtml | undefined,
): MailVariables {
  const { contactId, projectId, id: emailId } = email
  const { subscribed, id: about = contactId, email: address } = email.variables
  // A test to an unknown address looks like the mail itself; its links lead to the page for invalid links.
  const reader = contactId ?? (isTest(email) ? emailId : undefined)
  let pages: ReturnType<Links['ofContact']>
  const page = () => {
    if (reader !== undefined) pages ??= links.ofContact({ projectId, contactId: reader, emailId })
    return pages
  }
  const mailVariables: MailVariables = {
    // set by a workflow for mail to somebody else about its contact; data has no key of this name
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
    get injected() {
      return injected
    },
  }
  const injected = injectedParts(email, content, links, tracked, mailVariables)
  return mailVariables
}

function injectedParts(
  email: MailToFill,
  content: MailContent,
  links: Links,
  tracked: () => TrackedHtml | undefined,
  mailVariables: MailVariables,
): InjectedParts {
  const { projectId, id: emailId, variables } = email
  let signed: ReturnType<Links['ofMail']>
  const mail = () => {
    signed ??= links.ofMail({ projectId, emailId })
    return signed
  }
  const translations = () => translationsIn(variables.locale, content.locale)
  return {
    get click() {
      return mail()?.click
    },
    get pixel() {
      return mail()?.pixel
    },
    get language() {
      return translations().language
    },
    get reason() {
      return translations().footer.reason(content.from.name ?? content.from.email)
    },
    get unsubscribe() {
      return translations().footer.unsubscribe
    },
    // signed when it is filled in, so that no table holds it
    get account() {
      const { page, token } = variables
      const known = isConfidential(email) && typeof page === 'string' && typeof token === 'string'
      return known ? links.ofAccount(page, token) : undefined
    },
    link: (number) => tracked()?.link(number, mail()?.click ?? '', variables, mailVariables) ?? '',
    linkInPlace: (place, occurrence, address) =>
      tracked()?.linkInPlace(place, occurrence, address, mail()?.click ?? '', mailVariables) ?? address,
  }
}
