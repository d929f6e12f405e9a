import type { Translations } from '../../core/mail/languages/translations.ts'
import { translationsIn } from '../../core/mail/languages/translations-in.ts'
import type { Deleted, Subscription } from '../../core/subscriptions/subscriptions.ts'
import { TRACKING_CONSENTS } from '../../core/values/tracking-consent.ts'
import type { Reply } from '../http/route.ts'
import { type PageButton, type PageChoice, pageReply } from './page.ts'

/** The field that a page's button posts, and its values. */
export const FIELD = 'subscription'
export const SUBSCRIBE = 'subscribe'
export const UNSUBSCRIBE = 'unsubscribe'

/** The field for what may be tracked. */
export const TRACKING_FIELD = 'tracking'

/** Asks before anything is done, or shows that it is already so. */
export function askPage(wish: 'subscribe' | 'unsubscribe', found: Subscription): Reply {
  if (found.contact.subscribed === (wish === 'subscribe')) return donePage(found)
  return shown(found, found.translations[wish], buttonTo(wish, found.translations[wish].button))
}

/** Shows the present state, with a button that reverses it. */
export function donePage(found: Subscription): Reply {
  const { translations, contact } = found
  const page = contact.subscribed ? translations.subscribed : translations.unsubscribed
  return shown(found, page, { ...buttonTo(contact.subscribed ? UNSUBSCRIBE : SUBSCRIBE, page.button), isQuiet: true })
}

/**
 * Shows the present state, a button to change it, and the choice of what may be tracked. `isSaved` says that a choice
 * was just saved.
 */
export function managePage(found: Subscription, isSaved = false): Reply {
  const { translations, contact } = found
  const { title, whenSubscribed, whenUnsubscribed } = translations.manage
  const other = contact.subscribed ? UNSUBSCRIBE : SUBSCRIBE
  const sentence = contact.subscribed ? whenSubscribed : whenUnsubscribed
  const notice = isSaved ? { notice: translations.manage.tracking.saved } : {}
  return shown(found, { title, sentence }, buttonTo(other, translations[other].button), {
    choice: choiceOf(found),
    ...notice,
  })
}

function choiceOf({ translations, contact, project }: Subscription): PageChoice {
  const { title, sentence, button, ...answers } = translations.manage.tracking
  return {
    title,
    sentence: sentence(project.name),
    name: TRACKING_FIELD,
    button,
    answers: TRACKING_CONSENTS.map((value) => ({ value, text: answers[value], isChosen: contact.tracking === value })),
  }
}

/** For a link whose contact was deleted: whoever wanted to unsubscribe got what they wanted. */
export function gonePage({ project, translations }: Deleted, isWanted: boolean): Reply {
  const { title, sentence } = translations.gone
  const shown = {
    language: translations.language,
    title,
    sentence: sentence(project.name),
    sender: project.name,
    look: project.look,
  }
  return pageReply(isWanted ? 200 : 410, shown)
}

/** For a mail whose text is no longer kept. */
export function mailGonePage({ project, translations }: Deleted): Reply {
  const { title, sentence } = translations.mailGone
  const { language } = translations
  const { name: sender, look } = project
  return pageReply(410, { language, title, sentence: sentence(sender), sender, look })
}

/** For an invalid link. */
export function invalidPage(languages: readonly string[]): Reply {
  const words = translationsIn(...languages)
  return pageReply(404, { language: words.language, ...words.invalid })
}

/** For any other failure. The reader can only come back later, or begin anew where the request itself was wrong. */
export function troublePage(
  status: number,
  languages: readonly string[],
  headers: Readonly<Record<string, string>>,
): Reply {
  const { language, trouble } = translationsIn(...languages)
  const isPassing = status >= 500 || status === 429
  const sentence = isPassing ? trouble.sentence : trouble.refused
  return pageReply(status, { language, title: trouble.title, sentence }, headers)
}

function shown(
  { contact, project, translations }: Subscription,
  { title, sentence }: Pick<Translations['unsubscribe'], 'title' | 'sentence'>,
  button: PageButton,
  more: { readonly choice?: PageChoice; readonly notice?: string } = {},
): Reply {
  const who = { email: contact.email, sender: project.name }
  return pageReply(200, {
    language: translations.language,
    title,
    sentence: sentence(who),
    sender: project.name,
    look: project.look,
    button,
    ...more,
  })
}

function buttonTo(value: typeof SUBSCRIBE | typeof UNSUBSCRIBE, text: string): PageButton {
  return { text, name: FIELD, value, isQuiet: false }
}
