import { translationsIn } from '../../core/mail/languages/translations-in.ts'
import type { Form } from '../../core/ports/store/forms.ts'
import { formHtml } from '../../core/subscriptions/forms/form-html.ts'
import type { ShownForm } from '../../core/subscriptions/forms/forms.ts'
import type { Sent } from '../../core/subscriptions/forms/read-answers.ts'
import type { Reply } from '../http/route.ts'
import { type PageText, pageReply } from './page.ts'

/** The parts of a form's page besides the form. */
interface FormPageOptions {
  /** The earlier answers, and the names of the fields that were wrong. */
  readonly sent?: Sent
  readonly wrong?: readonly string[]
  /** Where people leave who are on the list already. */
  readonly leaveUrl?: string | undefined
}

/** The page of a form. */
export function formPage(shown: ShownForm, { sent = {}, wrong = [], leaveUrl }: FormPageOptions = {}): Reply {
  const { form, translations } = shown
  if (!shown.isOpen) return closedPage(shown)
  const { title, intro = '' } = form.texts
  return pageReply(wrong.length > 0 ? 422 : 200, {
    ...frame(shown),
    title,
    sentence: intro,
    form: {
      html: formHtml(form, { words: translations.form, topics: shown.topics, sent, wrong }),
      script: `${form.id}/embed.js?own`,
      leadsTo: form.origins,
    },
    ...(leaveUrl === undefined ? {} : { link: { text: translations.leave.title, url: leaveUrl } }),
  })
}

/** A form that takes no submissions. */
function closedPage(shown: ShownForm): Reply {
  return pageReply(409, { ...frame(shown), ...shown.translations.form.closed })
}

/** A form that was deleted: to a visitor it is closed, in the language of the browser. */
export function goneFormPage(languages: readonly string[]): Reply {
  const { language, form } = translationsIn(...languages)
  return pageReply(404, { language, ...form.closed })
}

/** The page after a form was sent. */
export function thanksPage(shown: ShownForm): Reply {
  const { title, message } = thanksOf(shown)
  return pageReply(200, { ...frame(shown), title, sentence: message })
}

/** The same in words. It does not depend on the address, so that it says nothing about who is on the list. */
export function thanksOf({ form, translations }: ShownForm): { readonly title: string; readonly message: string } {
  const { thanks, confirm } = translations.form
  return { title: thanks, message: form.texts.thanks ?? confirmOf(form, confirm) }
}

function confirmOf({ doubleOptIn }: Form, confirm: string): string {
  return doubleOptIn ? confirm : ''
}

function frame({ project, translations }: ShownForm): Pick<PageText, 'language' | 'sender' | 'look'> {
  return { language: translations.language, sender: project.name, look: project.look }
}
