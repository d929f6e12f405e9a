import * as v from 'valibot'
import type { FieldProblem } from '../../errors.ts'
import type { Form, FormField, FormSubmission } from '../../ports/store/forms.ts'
import type { Topic } from '../../ports/store/topics.ts'
import { EmailAddress } from '../../values/email-address.ts'
import { isStorableText, type Json, type JsonObject, jsonObject } from '../../values/json.ts'
import { oneLine } from '../../values/one-line.ts'
import { refused } from '../../values/parse.ts'
import { isAllowed } from './form.ts'
import { FORM_NAMES, topicName } from './form-html.ts'

/** How many characters an answer may have. */
const TEXT_LENGTH = 1000
/** The values of a ticked box, from browsers and from scripts. */
const TICKED: ReadonlySet<unknown> = new Set([true, 'true', 'on', 'yes', '1'])
/** The name under which a script may list the topics that were ticked. */
const LIST = 'topics'
/** A number, with a point or a comma. */
const NUMBER = /^[+-]?\d{1,16}(?:[.,]\d{1,16})?$/
/** The days that a date may have. */
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** A submission, read. */
export interface Answers {
  readonly email: string
  readonly answers: JsonObject
  readonly topics?: FormSubmission['topics']
  readonly redirectUrl?: string
}

/** The values of a submission by name. */
export type Sent = Readonly<Record<string, unknown>>

/** Whether a program filled in what people do not see. */
export function isTrapped(sent: Sent): boolean {
  const trap = sent[FORM_NAMES.trap]
  return trap !== undefined && trap !== null && trap !== ''
}

/** Reads a submission by the fields of its form. Throws EngineError `VALIDATION_ERROR` by the names of the fields. */
export function readAnswers({ fields, origins, redirectUrl }: Form, topics: readonly Topic[], sent: Sent): Answers {
  const problems: FieldProblem[] = []
  const address = v.safeParse(EmailAddress, typeof sent.email === 'string' ? sent.email.slice(0, TEXT_LENGTH) : '')
  if (!address.success)
    problems.push({
      field: 'email',
      code: 'invalid_string',
      message: 'must be an e-mail address such as ada@example.com',
    })
  const answers = new Map<string, Json>()
  for (const field of fields) {
    const read = readAnswer(field, sent[field.key])
    if (typeof read === 'object') problems.push(read)
    else if (read !== undefined) answers.set(field.key, read)
  }
  const wanted = sent[FORM_NAMES.redirect]
  const isNamed = wanted !== undefined && wanted !== null && wanted !== ''
  if (isNamed && !(typeof wanted === 'string' && wanted.length <= 2000 && isAllowed(wanted, origins)))
    problems.push({
      field: FORM_NAMES.redirect,
      code: 'custom',
      message: 'must lead to one of the origins of the form; add its origin there',
    })
  if (problems.length > 0 || !address.success) throw refused(problems)
  const led = isNamed ? String(wanted) : redirectUrl
  // a script may list them, unless the form asks something else under this name
  const listed = fields.some(({ key }) => key === LIST) ? undefined : sent[LIST]
  const ticks = topics.map((topic) => [topic.id, isTicked(topic, topics, sent) || isListed(topic, listed)] as const)
  return {
    email: address.output,
    answers: jsonObject(answers),
    ...(ticks.length === 0 ? {} : { topics: Object.fromEntries(ticks) }),
    ...(led === undefined ? {} : { redirectUrl: led }),
  }
}

/** Whether the box of the topic is ticked; a page that was made before the topic got another slug has the old one. */
function isTicked({ slug, formerSlugs = [] }: Topic, topics: readonly Topic[], sent: Sent): boolean {
  const former = formerSlugs.filter((each) => !topics.some((topic) => topic.slug === each))
  return [slug, ...former].some((each) => TICKED.has(sent[topicName({ slug: each })]))
}

/** Whether a list of topics has this one, by its id or its slug. */
function isListed({ id, slug }: Topic, listed: unknown): boolean {
  return (Array.isArray(listed) ? listed : [listed]).some((each) => each === id || each === slug)
}

/** The answer to one field, undefined for none, or what is wrong with it. */
function readAnswer(field: FormField, sent: unknown): string | number | boolean | undefined | FieldProblem {
  const { type, key, required = false, options = [], value } = field
  if (type === 'consent') {
    if (TICKED.has(sent)) return true
    return required ? wrong(key, 'must be ticked') : false
  }
  const given = typeof sent === 'number' ? String(sent) : sent
  const isEmpty = given === undefined || given === null || given === ''
  if (isEmpty && type === 'hidden') return value
  if (isEmpty) return required ? { field: key, code: 'required', message: 'is required' } : undefined
  if (typeof given !== 'string') return { field: key, code: 'invalid_type', message: 'must be a text' }
  const text = oneLine(given)
  if (text === '') return required ? { field: key, code: 'required', message: 'is required' } : undefined
  if (text.length > TEXT_LENGTH)
    return { field: key, code: 'too_big', message: `must have at most ${TEXT_LENGTH} characters` }
  if (!isStorableText(given)) return wrong(key, 'must not contain NUL or unpaired surrogates')
  if (type === 'number') return numberIn(text) ?? wrong(key, 'must be a number')
  if (type === 'date' && !isDay(text)) return wrong(key, 'must be a date such as 2026-03-31')
  if (type === 'choice' && !options.includes(text)) return wrong(key, 'must be one of the answers of the form')
  return text
}

function numberIn(text: string): number | undefined {
  const number = Number(text.replace(',', '.'))
  return NUMBER.test(text) && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return DAY.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function wrong(field: string, message: string): FieldProblem {
  return { field, code: 'custom', message }
}
