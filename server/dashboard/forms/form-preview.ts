import { translationsIn } from '../../../core/mail/languages/translations-in.ts'
import { formCss } from '../../../core/subscriptions/forms/form-css.ts'
import { formHtml } from '../../../core/subscriptions/forms/form-html.ts'
import type { Project } from '../api/project.tsx'
import { type FormValues, shownOf } from './form-values.ts'
import { chosenOf, type Topic } from './topics.ts'

/** The form as its script puts it into a page, in the project's language and colour: a document of its own. */
export function formPreview(values: FormValues, topics: readonly Topic[], { locale, look }: Project): string {
  const { form: words } = translationsIn(locale)
  const chosen = chosenOf(topics, values.topicIds)
  const html = formHtml(shownOf(values, ''), { words, topics: chosen, action: '', isHeaded: true })
  const color = look?.color ?? undefined
  const css = formCss(color === undefined ? {} : { color })
  return `<head><style>body{font:1rem/1.6 system-ui,sans-serif;margin:1rem;background:#fff;color:#1f2937}${css}</style></head><body>${html}</body>`
}
