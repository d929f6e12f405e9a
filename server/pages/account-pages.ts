import { quotedName } from '../../core/values/quoted-name.ts'
import type { Reply } from '../http/route.ts'
import { type PageButton, type PageField, pageReply } from './page.ts'

// In English alone: those who run a project read them, not the recipients of its mail.
const LANGUAGE = 'en'

/**
 * Without any referrer browsers leave out the origin of a form, too (Fetch, section 3.2), and only the host would be left
 * to know our own forms by, which some proxies change.
 */
const OWN_REFERRER = { 'referrer-policy': 'same-origin' }

const PASSWORD: PageField = {
  name: 'password',
  label: 'Password, at least 8 characters',
  type: 'password',
  autocomplete: 'new-password',
  minLength: 8,
  maxLength: 200,
  required: true,
}
const NAME: PageField = {
  name: 'name',
  label: 'Your name',
  type: 'text',
  autocomplete: 'name',
  maxLength: 200,
  required: false,
}
const EMAIL: PageField = {
  name: 'email',
  label: 'E-mail address, to log in with',
  type: 'email',
  autocomplete: 'username',
  maxLength: 254,
  required: true,
}
const CODE: PageField = {
  name: 'code',
  label: 'Code',
  type: 'text',
  autocomplete: 'one-time-code',
  maxLength: 100,
  required: true,
}

/** How many projects are named on a page. */
const MOST_NAMES = 10

interface Named {
  readonly name: string
}

/** An invitation as its page shows it. */
interface Invited {
  readonly email: string
  readonly project: string
  readonly inviter?: string
  /** Whether the person invited needs an account first. */
  readonly isNew: boolean
  /** Whether the link did not come by mail, so that who has an account logs in instead. */
  readonly isPassedOn: boolean
}

/** Asks for the first user of the server. */
export function setUpPage(problem?: string, filled?: URLSearchParams): Reply {
  const kept = [EMAIL, NAME].map((field) => ({ ...field, value: filled?.get(field.name) ?? '' }))
  const asked = { button: button('Set up this server', [...kept, PASSWORD]), problem }
  const sentence = 'This server has no user yet. Make the first account, which will own its projects.'
  return page(problem ? 422 : 200, 'Welcome to Mailwright', sentence, asked)
}

/** Says that the first user is there. */
export function welcomePage(email: string, projects: readonly Named[], dashboardUrl: string | undefined): Reply {
  const names = projects.slice(0, MOST_NAMES).map(({ name }) => `“${name}”`)
  const more = projects.length > MOST_NAMES ? `, and ${projects.length - MOST_NAMES} more` : ''
  const owned = names.length > 0 ? ` You own ${names.join(', ')}${more}.` : ''
  return accountDonePage('This server is set up', `You are logged in as ${email}.${owned}`, dashboardUrl)
}

/** For a set-up link on a server that has a user. */
export function isSetUpPage(dashboardUrl: string | undefined): Reply {
  const way = dashboardUrl === undefined ? {} : { link: { text: 'Log in', url: dashboardUrl } }
  return page(410, 'This server is set up', 'It has a user already. Log in, or ask to be invited to a project.', way)
}

/** Asks to confirm the address. */
export function verifyPage(email: string): Reply {
  const sentence = `Is ${email} your address, and did you sign up here?`
  return page(200, 'Confirm your address', sentence, { button: button('Confirm the address') })
}

/** Asks for a new password; `problem` says what was wrong with the last one. */
export function resetPage(email: string, problem?: string): Reply {
  const asked = { button: button('Set the password', [PASSWORD]), problem }
  return page(problem ? 422 : 200, 'Set a new password', `For the account of ${email}.`, asked)
}

/** Asks whether to join a project; who has no account yet fills in a name and a password. */
export function invitePage(invited: Invited, dashboardUrl: string | undefined, problem?: string): Reply {
  const { email, project, inviter, isNew, isPassedOn } = invited
  const sentence = `${email} is invited${inviter === undefined ? '' : ` by ${inviter}`} to a project called ${quotedName(project)}.`
  const hint = isPassedOn ? ' If you have an account, log in instead: the invitation waits there.' : ''
  const way = isPassedOn && dashboardUrl !== undefined ? { link: { text: 'Log in', url: dashboardUrl } } : {}
  const asked = { button: button('Accept the invitation', isNew ? [NAME, PASSWORD] : []), ...way, problem }
  return page(problem ? 422 : 200, 'Join a project', `${sentence}${hint}`, asked)
}

/** Asks for a code of the second factor. */
export function codePage(problem?: string): Reply {
  const asked = { button: button('Log in', [CODE]), problem }
  const sentence = 'Type a code of your authenticator, or a recovery code.'
  return page(problem ? 401 : 200, 'One more step', sentence, asked)
}

/** Says that something was done, with the way to the dashboard. */
export function accountDonePage(title: string, sentence: string, dashboardUrl: string | undefined): Reply {
  return page(200, title, sentence, dashboardUrl === undefined ? {} : { link: { text: 'Go on', url: dashboardUrl } })
}

/** Says what went wrong with a login. */
export function accountProblemPage(status: number, sentence: string, dashboardUrl: string | undefined): Reply {
  const way = dashboardUrl === undefined ? {} : { link: { text: 'Back', url: dashboardUrl } }
  return page(status, 'You are not logged in', sentence, way)
}

/** For a link that does not work (any more). */
export function deadLinkPage(): Reply {
  return page(404, 'This link does not work', 'It was used, has expired, or was cut off. Ask for a new one.', {})
}

interface Asked {
  readonly button?: PageButton
  readonly link?: { readonly text: string; readonly url: string }
  readonly problem?: string | undefined
}

function page(status: number, title: string, sentence: string, { problem, ...asked }: Asked): Reply {
  const text = { language: LANGUAGE, title, sentence, ...asked, ...(problem ? { notice: problem } : {}) }
  return pageReply(status, text, OWN_REFERRER)
}

function button(text: string, fields: readonly PageField[] = []): PageButton {
  return { text, name: 'confirm', value: 'yes', isQuiet: false, fields }
}
