import type { Reply } from '../route.ts'
import { type PageButton, type PageField, pageReply } from './page.ts'

// In English alone: those who run a project read them, not the recipients of its mail.
const LANGUAGE = 'en'

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
const CODE: PageField = {
  name: 'code',
  label: 'Code',
  type: 'text',
  autocomplete: 'one-time-code',
  maxLength: 100,
  required: true,
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
export function invitePage(email: string, project: string, isNew: boolean, problem?: string): Reply {
  const asked = { button: button('Accept the invitation', isNew ? [NAME, PASSWORD] : []), problem }
  return page(problem ? 422 : 200, 'Join a project', `${email} is invited to the project ${project}.`, asked)
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
  return pageReply(status, { language: LANGUAGE, title, sentence, ...asked, ...(problem ? { notice: problem } : {}) })
}

function button(text: string, fields: readonly PageField[] = []): PageButton {
  return { text, name: 'confirm', value: 'yes', isQuiet: false, fields }
}
