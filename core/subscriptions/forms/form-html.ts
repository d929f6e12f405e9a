import type { FormWords } from '../../mail/languages/translations.ts'
import type { Form, FormField } from '../../ports/store/forms.ts'
import type { Topic } from '../../ports/store/topics.ts'

/** The fields that a page sends beside the answers. The names begin with a sign that no key of a field has. */
export const FORM_NAMES = {
  /** Empty unless a program filled it in: people do not see it. */
  trap: '_website',
  /** Where the visitor is led afterwards. */
  redirect: '_redirect',
} as const

/** The name of the box for a topic. */
export function topicName({ slug }: Pick<Topic, 'slug'>): string {
  return `_topic_${slug}`
}

/** How a form is written out. */
interface FormOptions {
  readonly words: FormWords
  /** The topics to choose from. */
  readonly topics?: readonly Pick<Topic, 'slug' | 'name' | 'description'>[]
  /** Where it is sent to; absent: to the address of the page it stands on. */
  readonly action?: string
  /** The earlier answers, and the names of the fields that were wrong. */
  readonly sent?: Readonly<Record<string, unknown>>
  readonly wrong?: readonly string[]
  /** With its heading and its introduction, which a page of its own has outside of it. */
  readonly isHeaded?: boolean
}

/**
 * The form as HTML, the same on the page of this server, on pages of others and in the dashboard. It works without a
 * script and without style.
 */
export function formHtml(
  form: Pick<Form, 'id' | 'texts' | 'fields' | 'consent'>,
  { words, topics = [], action, sent = {}, wrong = [], isHeaded = false }: FormOptions,
): string {
  const to = action === undefined ? '' : ` action="${escaped(action)}"`
  // this server's own page has it in its style, and allows no other
  const hidden = action === undefined ? '' : ' style="position:absolute;left:-9999px"'
  const isWrong = (name: string) => wrong.includes(name)
  const email = { type: 'text', key: 'email', label: form.texts.email ?? words.email, required: true } as const
  const address = line(email, 'type="email" autocomplete="email" maxlength="254"', words, sent.email, isWrong('email'))
  const fields = form.fields.map((field) => fieldHtml(field, words, sent[field.key], isWrong(field.key)))
  const labels = [email, ...form.fields].filter(({ key }) => isWrong(key)).map(({ key, label = key }) => label)
  const notice = labels.length === 0 ? '' : `${words.check} ${labels.join(', ')}`
  const { title, intro = '' } = form.texts
  const more = intro === '' ? '' : `<p class="intro">${escaped(intro)}</p>\n`
  const head = isHeaded ? `<h2 class="heading">${escaped(title)}</h2>\n${more}` : ''
  return `<form method="post"${to} class="mailwright-form" data-mailwright="${form.id}" accept-charset="utf-8">
${head}<p class="wrong" role="alert"${notice === '' ? ' hidden' : ''}>${escaped(notice)}</p>
${address}${fields.join('')}${topics.map((topic) => topicHtml(topic, sent[topicName(topic)])).join('')}<div class="trap"${hidden} aria-hidden="true"><label>Website <input name="${FORM_NAMES.trap}" tabindex="-1" autocomplete="off"></label></div>
<p class="consent">${linked(form.consent)}</p>
<button type="submit">${escaped(form.texts.button ?? words.button)}</button>
</form>
`
}

function fieldHtml(field: FormField, words: FormWords, sent: unknown, isWrong: boolean): string {
  const { type, key, label = key, required = false, options = [], value = '' } = field
  const given = sent === undefined ? undefined : String(sent)
  if (type === 'hidden') return `<input type="hidden" name="${key}" value="${escaped(given ?? value)}">\n`
  if (type === 'consent') {
    const ticked = given === undefined ? '' : ' checked'
    return `<label><input type="checkbox" name="${key}" value="yes"${ticked}${bounds(required, isWrong)}> <span>${linked(label)}</span></label>\n`
  }
  if (type !== 'choice') return line(field, BY_TYPE[type], words, sent, isWrong)
  const answers = options.map((option) => `<option${option === given ? ' selected' : ''}>${escaped(option)}</option>`)
  return `<label class="field">${named(label, required, words)}
<select name="${key}"${bounds(required, isWrong)}><option value="">${escaped(words.choose)}</option>${answers.join('')}</select></label>
`
}

function topicHtml(topic: Pick<Topic, 'slug' | 'name' | 'description'>, sent: unknown): string {
  const ticked = sent === undefined ? '' : ' checked'
  const more = topic.description ? ` <span class="optional">${escaped(topic.description)}</span>` : ''
  return `<label><input type="checkbox" name="${topicName(topic)}" value="yes"${ticked}> <span>${escaped(topic.name)}${more}</span></label>\n`
}

const BY_TYPE = {
  text: 'type="text" maxlength="1000"',
  number: 'type="number" step="any"',
  date: 'type="date"',
} as const

function line(field: FormField, what: string, words: FormWords, sent: unknown, isWrong: boolean): string {
  const { key, label = key, required = false } = field
  const value = sent === undefined || sent === '' ? '' : ` value="${escaped(String(sent).slice(0, 1000))}"`
  return `<label class="field">${named(label, required, words)}
<input name="${key}" ${what}${value}${bounds(required, isWrong)}></label>
`
}

function named(label: string, required: boolean, { optional }: FormWords): string {
  return required ? escaped(label) : `${escaped(label)} <span class="optional">(${escaped(optional)})</span>`
}

function bounds(required: boolean, isWrong: boolean): string {
  return `${required ? ' required' : ''}${isWrong ? ' aria-invalid="true"' : ''}`
}

/** Escaped, and its web addresses as links, since a consent names the page of the privacy policy. */
function linked(text: string): string {
  const parts = text.split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)])/)
  return parts
    .map((part, i) =>
      i % 2 === 0 ? escaped(part) : `<a href="${escaped(part)}" target="_blank" rel="noopener">${escaped(part)}</a>`,
    )
    .join('')
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
