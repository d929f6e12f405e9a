import { usualKey } from '../../../core/contacts/field-meanings.ts'
import type { components } from '../../client/schema.ts'

export type SignUpForm = components['schemas']['Form']
export type FieldType = components['schemas']['FormField']['type']

export const FIELD_TYPES = ['text', 'number', 'date', 'choice', 'consent', 'hidden'] as const satisfies FieldType[]

/** A field as it is edited. */
export interface FieldValues {
  /** Stays while the field is moved, so that it keeps the focus. */
  readonly row: number
  readonly type: FieldType
  readonly key: string
  readonly label: string
  readonly required: boolean
  /** One per line. */
  readonly options: string
  readonly value: string
}

/** A form as it is edited; lists are texts of lines. */
export interface FormValues {
  readonly name: string
  readonly active: boolean
  readonly title: string
  readonly intro: string
  readonly email: string
  readonly button: string
  readonly thanks: string
  readonly consent: string
  readonly fields: readonly FieldValues[]
  readonly topicIds: readonly string[]
  readonly doubleOptIn: boolean
  readonly origins: string
  readonly redirectUrl: string
}

export const EMPTY: FormValues = {
  name: '',
  active: true,
  title: '',
  intro: '',
  email: '',
  button: '',
  thanks: '',
  consent: '',
  fields: [],
  topicIds: [],
  doubleOptIn: true,
  origins: '',
  redirectUrl: '',
}

export function valuesOf({
  name,
  active,
  texts,
  consent,
  fields,
  doubleOptIn,
  origins,
  ...form
}: SignUpForm): FormValues {
  const { title, intro = '', email = '', button = '', thanks = '' } = texts
  return {
    name,
    active,
    title,
    intro,
    email,
    button,
    thanks,
    consent,
    doubleOptIn,
    fields: fields.map(({ type, key, label = '', required = false, options = [], value = '' }, row) => ({
      row,
      type,
      key,
      label,
      required,
      options: options.join('\n'),
      value,
    })),
    topicIds: form.topicIds,
    origins: origins.join('\n'),
    redirectUrl: form.redirectUrl ?? '',
  }
}

/** A form as it is edited, and its version. */
export function seenOf(form: SignUpForm): { readonly values: FormValues; readonly version: number } {
  return { values: valuesOf(form), version: form.version }
}

/** The body for the API. */
export function inputOf(values: FormValues) {
  const { name, active, title, intro, email, button, thanks, consent, doubleOptIn, origins, redirectUrl } = values
  return {
    name,
    active,
    consent,
    doubleOptIn,
    texts: { title, intro, email, button, thanks },
    fields: values.fields.map(({ type, key, label, required, options, value }) => ({
      type,
      key,
      required,
      ...(label === '' ? {} : { label }),
      ...(type === 'choice' ? { options: linesOf(options) } : {}),
      ...(type === 'hidden' ? { value } : {}),
    })),
    topicIds: [...values.topicIds],
    origins: linesOf(origins).map(originOf),
    redirectUrl: redirectUrl === '' ? null : redirectUrl,
  }
}

/** The origin of what people copy or type instead of it: the address of a page, or a name without a scheme. */
function originOf(line: string): string {
  const [host = ''] = line.split('/', 1)
  const address = host.includes('.') && !/[\s@:]/.test(host) ? `https://${line}` : line
  // a star before a name is for the server to judge
  if (!/^https?:/.test(address) || address.includes('*')) return line
  return URL.parse(address)?.origin ?? line
}

/** The form as its page would have it. */
export function shownOf(values: FormValues, id: string) {
  const { texts, fields, consent } = inputOf(values)
  const given = Object.entries(texts).filter(([, text]) => text !== '')
  return { id, texts: { title: texts.title, ...Object.fromEntries(given) }, fields, consent }
}

/** A field that is added: its key is free. */
export function newField(type: FieldType, fields: readonly FieldValues[]): FieldValues {
  const row = Math.max(-1, ...fields.map((field) => field.row)) + 1
  let n = fields.length + 1
  while (fields.some(({ key }) => key === `${type}${n}`)) n++
  return { row, type, key: `${type}${n}`, label: '', required: false, options: '', value: '' }
}

/**
 * The key for this label, such as `favouriteColour`, as long as the field's key was not chosen by hand; else the key it
 * has. No other field has the same.
 */
export function keyFor(
  label: string,
  { row, type, key, label: before }: FieldValues,
  fields: readonly FieldValues[],
): string {
  const isOwn = key !== '' && key !== keyIn(before) && ![type, keyIn(before)].some((plain) => isNumbered(key, plain))
  const wanted = keyIn(label)
  if (isOwn || wanted === '') return key
  const taken = new Set(fields.filter((field) => field.row !== row).map((field) => field.key))
  let free = wanted
  for (let n = 2; taken.has(free); n++) free = `${wanted}${n}`
  return free
}

/** The key by which mails usually print such values, or else the letters and digits of the label: at most 60 signs, so that a number finds room. */
function keyIn(label: string): string {
  const usual = usualKey(label)
  // what people type is no tag of a language
  if (usual !== undefined && usual !== 'locale') return usual
  const plain = label.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss')
  const [first = '', ...others] = plain.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const joined =
    first.charAt(0).toLowerCase() +
    first.slice(1) +
    others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return joined.replace(/^\d+/, '').slice(0, 60)
}

/** Whether a key is another with a number, which it got since the other was taken. */
function isNumbered(key: string, plain: string): boolean {
  return plain !== '' && key.startsWith(plain) && /^\d+$/.test(key.slice(plain.length))
}

/** The fields with one of them at another place. */
export function moved(fields: readonly FieldValues[], from: number, to: number): readonly FieldValues[] {
  const field = fields[from]
  if (field === undefined || to < 0 || to >= fields.length) return fields
  return fields.toSpliced(from, 1).toSpliced(to, 0, field)
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}
