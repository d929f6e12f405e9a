import type { Translations } from '../../core/mail/languages/translations.ts'
import { translationsIn } from '../../core/mail/languages/translations-in.ts'
import type { Deleted, Subscription } from '../../core/subscriptions/subscriptions.ts'
import { TRACKING_CONSENTS } from '../../core/values/tracking-consent.ts'
import type { Reply } from '../http/route.ts'
import { type PageButton, type PageChoice, type PageSection, type PageText, pageReply } from './page.ts'

/** The reader's address, and the sender. */
interface Who {
  readonly email: string
  readonly sender: string
}

/** The field that a page's button posts, and its values. */
export const FIELD = 'subscription'
export const SUBSCRIBE = 'subscribe'
export const UNSUBSCRIBE = 'unsubscribe'
/** Unsubscribes from all marketing mail, also by the link of a mail with a topic. */
export const EVERYTHING = 'unsubscribe-all'

/** The field for what may be tracked. */
export const TRACKING_FIELD = 'tracking'
/** The fields for the topics that are chosen, and for all that the page shows. */
export const TOPIC_FIELD = 'topic'
export const SHOWN_FIELD = 'shown'
/** The field for how many days to pause; 0 ends the pause. */
export const PAUSE_FIELD = 'pause'
/** For how many days a contact may pause. */
export const PAUSES: readonly number[] = [30, 90]
/** The field for how often mail may come: one in so many days, 0 for every mail. */
export const OFTEN_FIELD = 'often'
/** In how many days a contact may ask for one mail at most; null is every mail. */
export const EVERY_DAYS: readonly (number | null)[] = [null, 7, 30]

/** Asks before anything is done, or shows that it is already so. */
export function askPage(wish: 'subscribe' | 'unsubscribe', found: Subscription): Reply {
  const { translations, asked, confirmation } = found
  const isDone = asked.length === 0 && isSubscribed(found) === (wish === 'subscribe')
  if (isDone) return donePage(found)
  if (wish === 'subscribe' && (confirmation || asked.length > 0)) {
    // in the words of the mail, so that it does not sound like another question
    const { page, topicPage, button } = translations.confirmation
    const topic = asked.join(translations.topics.between)
    const sentence = (who: Who) => (asked.length > 0 ? topicPage({ ...who, topic }) : page(who))
    return shown(found, { title: button, sentence }, buttonTo(wish, button))
  }
  const { title, button } = translations[wish]
  const sentence = wish === 'unsubscribe' && found.topic ? aboutTopic(found, 'ask') : translations[wish].sentence
  return shown(found, { title, sentence }, buttonTo(wish, button), { more: found.topic ? everything(found) : [] })
}

/** Shows the present state, with a button that reverses it; for mail with a topic also what else may be chosen. */
export function donePage(found: Subscription): Reply {
  const { translations, contact, topic, confirmation } = found
  const isOn = isSubscribed(found)
  const page = isOn ? translations.subscribed : translations.unsubscribed
  const title = isOn && confirmation ? translations.confirmation.done : page.title
  const sentence = topic && contact.subscribed ? aboutTopic(found, isOn ? 'joined' : 'left') : page.sentence
  const other = { ...buttonTo(isOn ? UNSUBSCRIBE : SUBSCRIBE, page.button), isQuiet: true }
  return shown(found, { title, sentence }, other, { ...(topic ? offerOf(found) : {}), ...backOf(found) })
}

/** The link back to the site whose form was sent. */
function backOf({ translations, confirmation }: Subscription): Pick<PageText, 'back'> {
  const { site } = confirmation ?? {}
  return site === undefined ? {} : { back: { text: translations.confirmation.back(new URL(site).host), url: site } }
}

/**
 * Shows the present state, a button to change it, and the choices of topics and of what may be tracked. `isSaved` says
 * that a choice was just saved.
 */
export function managePage(found: Subscription, isSaved = false): Reply {
  const { translations, contact, topics } = found
  const { title, whenSubscribed, whenUnsubscribed } = translations.manage
  const sentence = contact.subscribed ? whenSubscribed : whenUnsubscribed
  const notice = isSaved ? { notice: translations.manage.tracking.saved } : {}
  const often = contact.subscribed ? { often: oftenOf(found), isJoint: true } : {}
  const choice = { choice: choiceOf(found), ...often, ...notice }
  // with topics to choose, the button that ends all of them comes after these
  if (topics.length > 0 && contact.subscribed)
    return shown(found, { title, sentence }, undefined, { ...offerOf(found), ...choice })
  const button = contact.subscribed
    ? buttonTo(UNSUBSCRIBE, translations.unsubscribe.button)
    : buttonTo(SUBSCRIBE, translations.subscribe.button)
  return shown(found, { title, sentence }, button, { ...(topics.length > 0 ? offerOf(found) : {}), ...choice })
}

/** Whether the contact gets what the link is about. */
function isSubscribed({ contact, topic }: Subscription): boolean {
  return contact.subscribed && (topic?.subscribed ?? true)
}

/** A sentence about the topic of the link. */
function aboutTopic({ translations, topic }: Subscription, what: 'ask' | 'left' | 'joined') {
  const name = topic?.topic.name ?? ''
  return (who: Who) => translations.topics[what]({ ...who, topic: name })
}

/** The topics to choose from, how often mail may come, the pause, and the way out of everything. */
function offerOf(found: Subscription): Pick<PageText, 'list' | 'often' | 'isJoint' | 'more'> {
  const { translations, contact, topics } = found
  const list = {
    title: translations.topics.choice,
    name: TOPIC_FIELD,
    allName: SHOWN_FIELD,
    items: topics.map(({ topic: { id, name, description }, subscribed }) => ({
      id,
      text: name,
      description,
      isChosen: contact.subscribed && subscribed,
    })),
    button: translations.manage.tracking.button,
  }
  if (!contact.subscribed) return { list }
  return { list, often: oftenOf(found), isJoint: true, more: [pauseOf(found), ...everything(found)] }
}

/** How often mail may come. What the sender set and the page does not offer is shown beside the rest. */
function oftenOf({ translations, contact, project }: Subscription): PageChoice {
  const { title, sentence, every, week, month, days } = translations.often
  const { everyDays = null } = contact
  const offered = EVERY_DAYS.includes(everyDays) ? EVERY_DAYS : [...EVERY_DAYS, everyDays]
  const textOf = (each: number | null) => {
    if (each === null) return every
    return each === 7 ? week : each === 30 ? month : days(each)
  }
  return {
    title,
    sentence: sentence(project.name),
    name: OFTEN_FIELD,
    button: translations.manage.tracking.button,
    answers: offered.map((each) => ({ value: String(each ?? 0), text: textOf(each), isChosen: each === everyDays })),
  }
}

function pauseOf({ translations, contact, project, seenAt }: Subscription): PageSection {
  const { title, sentence, days, until, end } = translations.pause
  const { pausedUntil } = contact
  if (pausedUntil === undefined || pausedUntil <= seenAt) {
    const buttons = PAUSES.map((each) => pauseButton(each, days(each)))
    return { title, sentence: sentence(project.name), buttons }
  }
  const day = new Intl.DateTimeFormat(translations.language, { dateStyle: 'long', timeZone: 'UTC' })
  return { title, sentence: until(day.format(pausedUntil)), buttons: [pauseButton(0, end)] }
}

function pauseButton(days: number, text: string): PageButton {
  return { text, name: PAUSE_FIELD, value: String(days), isQuiet: true }
}

function everything({ translations, contact }: Subscription): readonly PageSection[] {
  if (!contact.subscribed) return []
  return [{ buttons: [{ ...buttonTo(EVERYTHING, translations.topics.everything), isQuiet: true }] }]
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

/** For a link whose contact was deleted: a person who wanted to unsubscribe got what they wanted. */
export function gonePage({ project, translations }: Deleted, isWanted: boolean, leaveUrl?: string): Reply {
  const { title, sentence } = translations.gone
  const shown = {
    language: translations.language,
    title,
    sentence: sentence(project.name),
    sender: project.name,
    look: project.look,
    ...linkToLeave(translations, leaveUrl),
  }
  return pageReply(isWanted ? 200 : 410, shown)
}

/** For a mail whose text is no longer kept. */
export function mailGonePage({ project, translations }: Deleted, leaveUrl?: string): Reply {
  const { title, sentence } = translations.mailGone
  const { language } = translations
  const { name: sender, look } = project
  return pageReply(410, {
    language,
    title,
    sentence: sentence(sender),
    sender,
    look,
    ...linkToLeave(translations, leaveUrl),
  })
}

/** For an invalid link; with the page on which its reader can leave all the same, where its project is known. */
export function invalidPage(languages: readonly string[], leaveUrl?: string): Reply {
  const words = translationsIn(...languages)
  return pageReply(404, { language: words.language, ...words.invalid, ...linkToLeave(words, leaveUrl) })
}

function linkToLeave({ leave }: Translations, url: string | undefined): Pick<PageText, 'link'> {
  return url === undefined ? {} : { link: { text: leave.title, url } }
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
  button: PageButton | undefined,
  more: Pick<PageText, 'choice' | 'notice' | 'list' | 'often' | 'more' | 'back'> = {},
): Reply {
  const who = { email: contact.email, sender: project.name }
  return pageReply(200, {
    language: translations.language,
    title,
    sentence: sentence(who),
    sender: project.name,
    look: project.look,
    ...(button ? { button } : {}),
    ...more,
  })
}

function buttonTo(value: typeof SUBSCRIBE | typeof UNSUBSCRIBE | typeof EVERYTHING, text: string): PageButton {
  return { text, name: FIELD, value, isQuiet: false }
}
