import * as v from 'valibot'
import { RESERVED_KEYS } from '../../contacts/contact.ts'
import type { FieldProblem } from '../../errors.ts'
import { FORM_FIELD_TYPES, type Form, type FormField, type FormTexts } from '../../ports/store/forms.ts'
import type { InputOf } from '../../values/input.ts'
import { listOf } from '../../values/list.ts'
import { CursorQuery } from '../../values/page.ts'
import { SEEN_VERSION } from '../../values/record-version.ts'
import { TrueOrFalse } from '../../values/true-or-false.ts'
import { isListedOrigin, isTooWide, originIn, webUrl } from './origins.ts'

/** How many forms a project has, and what each may have. */
export const FORM_LIMITS = { forms: 50, fields: 20, options: 50, origins: 20, topics: 20 } as const

/** What a request says beside the answers; no field has such a key. */
const ALTCHA = 'altcha'

const KEY = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
const KEY_RULE =
  'must begin with a letter and have at most 64 letters, digits, _ and -; it is the key of the contact data'

const Field = v.object({
  /** What it asks for. */
  type: v.picklist(FORM_FIELD_TYPES),
  /** The key of the contact's data. */
  key: v.pipe(
    v.string(),
    v.regex(KEY, KEY_RULE),
    v.check((key) => !RESERVED_KEYS.has(key) && key !== ALTCHA, 'is reserved; use another key'),
  ),
  /** What people read beside it. */
  label: v.nullish(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(500))),
  /** Whether it must be filled in. */
  required: v.optional(v.boolean(), false),
  /** The answers of a choice. */
  options: v.nullish(listOf(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)), 1, FORM_LIMITS.options)),
  /** What a hidden field says. */
  value: v.nullish(v.pipe(v.string(), v.maxLength(500))),
})

const text = (max: number) => v.nullish(v.pipe(v.string(), v.trim(), v.maxLength(max)))

const Texts = v.object({
  /** The heading. */
  title: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
  /** What stands below the heading. */
  intro: text(2000),
  /** The label of the address. */
  email: text(200),
  /** The text of the button. */
  button: text(100),
  /** Shown after it was sent. */
  thanks: text(1000),
})

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

const fields = {
  /** The name in lists. */
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(255)),
  /** What people read. */
  texts: Texts,
  /** What people agree to by sending it. */
  consent: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(4000)),
  /** The fields beside the address, in order. */
  fields: v.optional(listOf(Field, 0, FORM_LIMITS.fields), []),
  /** The topics to choose from, each by its id or its slug. */
  topicIds: v.optional(listOf(v.pipe(v.string(), v.minLength(1), v.maxLength(64)), 0, FORM_LIMITS.topics), []),
  /** Whether people confirm by mail. */
  doubleOptIn: v.optional(v.boolean(), true),
  /** The origins of pages with the form. */
  origins: v.optional(listOf(Origin, 0, FORM_LIMITS.origins), []),
  /** Where people are led afterwards; null for the page of this service. */
  redirectUrl: v.nullish(RedirectUrl),
  /** Whether it takes submissions. */
  active: v.optional(v.boolean(), true),
}

export const CreateForm = v.object(fields)

/** Every field is optional; null removes `redirectUrl`. */
export const ChangeForm = v.object({ ...v.partial(v.object(fields)).entries, ...SEEN_VERSION })

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

/** What people decide about a form. */
export type FormSettings = Omit<
  Form,
  'id' | 'projectId' | 'version' | 'createdAt' | 'updatedAt' | 'shown' | 'submitted' | 'confirmed' | 'attackedAt'
>

/** The form after a change; without the fields that are empty. */
export function withChange(before: Partial<FormSettings>, wanted: v.InferOutput<typeof ChangeForm>): FormSettings {
  const redirectUrl = wanted.redirectUrl === undefined ? before.redirectUrl : (wanted.redirectUrl ?? undefined)
  return {
    name: wanted.name ?? before.name ?? '',
    active: wanted.active ?? before.active ?? true,
    texts: wanted.texts ? textsOf(wanted.texts) : (before.texts ?? { title: '' }),
    fields: wanted.fields ? wanted.fields.map(fieldOf) : (before.fields ?? []),
    consent: wanted.consent ?? before.consent ?? '',
    topicIds: wanted.topicIds ? [...new Set(wanted.topicIds)] : (before.topicIds ?? []),
    doubleOptIn: wanted.doubleOptIn ?? before.doubleOptIn ?? true,
    origins: wanted.origins ? [...new Set(wanted.origins)] : (before.origins ?? []),
    ...(redirectUrl === undefined ? {} : { redirectUrl }),
  }
}

function textsOf({ title, ...rest }: v.InferOutput<typeof Texts>): FormTexts {
  const given = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return Object.assign({ title }, Object.fromEntries(given))
}

/** Without what has no meaning for its type. */
function fieldOf({ type, key, label, required, options, value }: v.InferOutput<typeof Field>): FormField {
  if (type === 'hidden') return value ? { type, key, value } : { type, key }
  const field = { type, key, label: label ?? key, required }
  return type === 'choice' ? { ...field, options: [...new Set(options ?? [])] } : field
}

/** What no field can say alone. */
export function problemsOf({ fields, origins, redirectUrl }: FormSettings): readonly FieldProblem[] {
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
