import type { components } from '../api/client.ts'
import type { Seen } from '../parts/joint-form.tsx'

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
export function seenOf(form: SignUpForm): Seen<FormValues> {
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
    origins: linesOf(origins),
    redirectUrl: redirectUrl === '' ? null : redirectUrl,
  }
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
