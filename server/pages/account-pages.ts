import type { Reply } from '../http/route.ts'
import type { AccountWords, Invited as InvitedWords } from './account-words.ts'
import { type PageButton, type PageField, pageReply } from './page.ts'

/**
 * Without any referrer browsers leave out the origin of a form, too (Fetch, section 3.2), and only the host would be left
 * to know our own forms by, which some proxies change.
 */
const OWN_REFERRER = { 'referrer-policy': 'same-origin' }

type Field = Omit<PageField, 'label'> & { readonly name: keyof AccountWords['fields'] }

const PASSWORD: Field = {
  name: 'password',
  type: 'password',
  autocomplete: 'new-password',
  minLength: 8,
  maxLength: 200,
  required: true,
}
const NAME: Field = { name: 'name', type: 'text', autocomplete: 'name', maxLength: 200, required: false }
const EMAIL: Field = { name: 'email', type: 'email', autocomplete: 'username', maxLength: 254, required: true }
const CODE: Field = { name: 'code', type: 'text', autocomplete: 'one-time-code', maxLength: 100, required: true }

/** How many projects are named on a page. */
const MOST_NAMES = 10

interface Named {
  readonly name: string
}

/** An invitation as its page shows it. */
interface Invited extends InvitedWords {
  /** Whether the person invited needs an account first. */
  readonly isNew: boolean
  /** Whether the link did not come by mail, so that who has an account logs in instead. */
  readonly isPassedOn: boolean
}

/** Asks for the first user of the server. */
export function setUpPage(words: AccountWords, problem?: string, filled?: URLSearchParams): Reply {
  const kept = [EMAIL, NAME].map((field) => ({ ...field, value: filled?.get(field.name) ?? '' }))
  const { title, sentence, button: text } = words.setUp
  const asked = { button: button(words, text, [...kept, PASSWORD]), problem }
  return page(words, problem ? 422 : 200, title, sentence, asked)
}

/** Says that the first user is there. */
export function welcomePage(
  words: AccountWords,
  email: string,
  projects: readonly Named[],
  dashboardUrl: string | undefined,
): Reply {
  const names = projects.slice(0, MOST_NAMES).map(({ name }) => name)
  const { title, sentence, owns } = words.welcome
  const owned = names.length > 0 ? [owns(names, Math.max(0, projects.length - MOST_NAMES))] : []
  return accountDonePage(words, title, [sentence(email), ...owned].join(' '), dashboardUrl)
}

/** For a set-up link on a server that has a user. */
export function isSetUpPage(words: AccountWords, dashboardUrl: string | undefined): Reply {
  const way = dashboardUrl === undefined ? {} : { link: { text: words.logIn, url: dashboardUrl } }
  return page(words, 410, words.isSetUp.title, words.isSetUp.sentence, way)
}

/** Asks to confirm the address. */
export function verifyPage(words: AccountWords, email: string): Reply {
  const { title, sentence, button: text } = words.verify
  return page(words, 200, title, sentence(email), { button: button(words, text) })
}

/** Asks for a new password; `problem` says what was wrong with the last one. */
export function resetPage(words: AccountWords, email: string, problem?: string): Reply {
  const { title, sentence, button: text } = words.reset
  const asked = { button: button(words, text, [PASSWORD]), problem }
  return page(words, problem ? 422 : 200, title, sentence(email), asked)
}

/** Asks whether to join a project; who has no account yet fills in a name and a password. */
export function invitePage(
  words: AccountWords,
  invited: Invited,
  dashboardUrl: string | undefined,
  problem?: string,
): Reply {
  const { isNew, isPassedOn } = invited
  const { title, sentence, hint, button: text } = words.invite
  const said = [sentence(invited), ...(isPassedOn ? [hint] : [])]
  const way = isPassedOn && dashboardUrl !== undefined ? { link: { text: words.logIn, url: dashboardUrl } } : {}
  const asked = { button: button(words, text, isNew ? [NAME, PASSWORD] : []), ...way, problem }
  return page(words, problem ? 422 : 200, title, said.join(' '), asked)
}

/** Asks for a code of the second factor. */
export function codePage(words: AccountWords, problem?: string): Reply {
  const { title, sentence, button: text } = words.code
  return page(words, problem ? 401 : 200, title, sentence, { button: button(words, text, [CODE]), problem })
}

/** Says that something was done, with the way to the dashboard. */
export function accountDonePage(
  words: AccountWords,
  title: string,
  sentence: string,
  dashboardUrl: string | undefined,
): Reply {
  const way = dashboardUrl === undefined ? {} : { link: { text: words.goOn, url: dashboardUrl, isNext: true } }
  return page(words, 200, title, sentence, way)
}

/** Says what went wrong with a login. */
export function accountProblemPage(
  words: AccountWords,
  status: number,
  sentence: string,
  dashboardUrl: string | undefined,
): Reply {
  const way = dashboardUrl === undefined ? {} : { link: { text: words.back, url: dashboardUrl } }
  return page(words, status, words.notLoggedIn, sentence, way)
}

/** For a client whose request cannot be used. */
export function refusedClientPage(words: AccountWords, status: number, reason: string): Reply {
  return page(words, status, words.client.title, `${words.client.sentence} ${reason}`, {})
}

/** For a link that does not work (any more), such as that of an invitation which was accepted. */
export function deadLinkPage(words: AccountWords, dashboardUrl: string | undefined): Reply {
  const way = dashboardUrl === undefined ? {} : { link: { text: words.goOn, url: dashboardUrl } }
  return page(words, 404, words.dead.title, words.dead.sentence, way)
}

interface Asked {
  readonly button?: PageButton
  readonly link?: { readonly text: string; readonly url: string; readonly isNext?: boolean }
  readonly problem?: string | undefined
}

function page(
  { language }: AccountWords,
  status: number,
  title: string,
  sentence: string,
  { problem, ...asked }: Asked,
): Reply {
  const text = { language, title, sentence, ...asked, ...(problem ? { notice: problem } : {}) }
  return pageReply(status, text, OWN_REFERRER)
}

function button(words: AccountWords, text: string, fields: readonly Field[] = []): PageButton {
  const labelled = fields.map((field) => ({ ...field, label: words.fields[field.name] }))
  return { text, name: 'confirm', value: 'yes', isQuiet: false, fields: labelled }
}
