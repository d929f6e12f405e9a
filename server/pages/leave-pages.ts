import type { LeavePage } from '../../core/subscriptions/leaving.ts'
import type { Reply } from '../http/route.ts'
import { pageReply } from './page.ts'

/** The field of the address. */
const ADDRESS = 'email'

/** Asks for the address; `wrong` is one that is none. */
export function leavePage({ project, translations }: LeavePage, wrong?: string): Reply {
  const { language, leave, form } = translations
  const email = { name: ADDRESS, label: form.email, type: 'email', autocomplete: 'email' } as const
  const fields = [{ ...email, maxLength: 254, required: true, value: wrong ?? '' }]
  return pageReply(wrong === undefined ? 200 : 422, {
    language,
    title: leave.title,
    sentence: leave.sentence(project.name),
    sender: project.name,
    look: project.look,
    button: { text: leave.button, name: 'leave', value: 'yes', isQuiet: false, fields },
    ...(wrong === undefined ? {} : { notice: `${form.check} ${form.email}` }),
  })
}

/** After it was sent. It does not depend on the address, so that it says nothing about who is on the list. */
export function leaveSentPage(page: LeavePage): Reply {
  const { project, translations } = page
  const { title, message } = leaveSentWords(page)
  const { language } = translations
  return pageReply(200, { language, title, sentence: message, sender: project.name, look: project.look })
}

/** The same in words. */
export function leaveSentWords({ project, translations: { leave } }: LeavePage): {
  readonly title: string
  readonly message: string
} {
  return { title: leave.sent, message: leave.done(project.name) }
}
