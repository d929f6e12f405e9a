import * as v from 'valibot'
import { RESERVED_KEYS } from '../../contacts/contact.ts'
import type { FieldProblem } from '../../errors.ts'
import { Form, FormField, FormTexts } from '../../ports/store/forms.ts'
import type { InputOf } from '../../values/input.ts'
import { distinct, listOf } from '../../values/list.ts'
import { CursorQuery } from '../../values/page.ts'
import { changing, creating, made } from '../../values/record.ts'
import { SEEN_VERSION } from '../../values/record-version.ts'
import { TrueOrFalse } from '../../values/true-or-false.ts'
import { isListedOrigin, isTooWide, originIn, webUrl } from './origins.ts'

/** How many forms a project has, and what each may have. */
export const FORM_LIMITS = { forms: 50, fields: 20, origins: 20, topics: 20 } as const

/** The key of the proof of work in a request, beside the answers; no field has such a key. */
const ALTCHA = 'altcha'

const KEY = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
const KEY_RULE =
  'must begin with a letter and have at most 64 letters, digits, _ and -; it is the key of the contact data'

const Field = v.pipe(
  creating(FormField, {
    key: v.pipe(
      v.string(),
      v.regex(KEY, KEY_RULE),
      v.check((key) => !RESERVED_KEYS.has(key) && key !== ALTCHA, 'is reserved; use another key'),
    ),
  }),
  v.transform((given) => withoutMeaningless(made(FormField, given))),
)
const Texts = v.pipe(
  creating(FormTexts),
  v.transform((given) => withoutEmpty(made(FormTexts, given))),
)

const ORIGIN_RULE =
  'must be the origin of your pages, such as https://www.example.com, without a path; https://*.example.com stands for all subdomains'
const WIDE_RULE = 'covers pages of other people; name a domain of yours after *., such as https://*.example.com'
const Origin = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(300),
  v.check((given) => originIn(given) !== undefined, ORIGIN_RULE),
  v.check((given) => !isTooWide(given), WIDE_RULE),
  v.transform((given) => originIn(given) ?? given),
)
const RedirectUrl = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(2000),
  v.check((given) => webUrl(given) !== undefined, 'must be an address such as https://www.example.com/thanks'),
)

const OWN = {
  texts: Texts,
  fields: listOf(Field, 0, FORM_LIMITS.fields),
  topicIds: distinct(listOf(v.pipe(v.string(), v.minLength(1), v.maxLength(64)), 0, FORM_LIMITS.topics)),
  origins: distinct(listOf(Origin, 0, FORM_LIMITS.origins)),
  redirectUrl: RedirectUrl,
}

export const CreateForm = creating(Form, OWN)

/** Every field is optional; null removes `redirectUrl`. */
export const ChangeForm = v.object({ ...changing(Form, OWN).entries, ...SEEN_VERSION })

export const ListSubmissions = v.object({
  ...CursorQuery.entries,
  /** Only those that subscribed their contact, or only the others. */
  confirmed: v.optional(TrueOrFalse),
})

/** A new form. */
export interface CreateFormInput extends InputOf<typeof CreateForm> {}

/** The fields of a form to change; null removes `redirectUrl`. */
export interface ChangeFormInput extends InputOf<typeof ChangeForm> {}

/** Narrows and pages what was sent by a form. */
export interface ListSubmissionsInput extends InputOf<typeof ListSubmissions> {}

function withoutEmpty({ title, ...texts }: FormTexts): FormTexts {
  return { title, ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')) }
}

/** Without what has no meaning for its type. */
function withoutMeaningless({ type, key, label = key, required = false, options = [], value }: FormField): FormField {
  if (type === 'hidden') return value ? { type, key, value } : { type, key }
  const field = { type, key, label, required }
  return type === 'choice' ? { ...field, options: [...new Set(options)] } : field
}

/** Problems that no field shows alone. */
export function problemsOf({
  fields,
  origins,
  redirectUrl,
}: Pick<Form, 'fields' | 'origins' | 'redirectUrl'>): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  const keys = new Set<string>()
  for (const [i, { type, key, options = [] }] of fields.entries()) {
    if (keys.has(key)) problems.push(problem(`fields.${i}.key`, 'is the key of another field, too; each has its own'))
    keys.add(key)
    if (type === 'choice' && options.length === 0)
      problems.push(problem(`fields.${i}.options`, 'must have at least one answer to choose'))
  }
  if (redirectUrl !== undefined && !isAllowed(redirectUrl, origins))
    problems.push(problem('redirectUrl', 'must lead to one of origins; add its origin there'))
  return problems
}

/** Whether a form with these origins may lead to this address. */
export function isAllowed(address: string, origins: readonly string[]): boolean {
  const url = webUrl(address)
  return url !== undefined && isListedOrigin(url.origin, origins)
}

function problem(field: string, message: string): FieldProblem {
  return { field, code: 'custom', message }
}

/** The front page of the site that a form stands on, as far as it says so. */
export function siteOf({ origins, redirectUrl }: Pick<Form, 'origins' | 'redirectUrl'>): string | undefined {
  const page = redirectUrl ?? origins.find((origin) => !origin.includes('*'))
  return page === undefined ? undefined : `${new URL(page).origin}/`
}
