import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { ApiError, type FieldProblem } from '../api/api-error.ts'
import { APP_PATH } from '../api/base.ts'
import { useProjectId } from '../api/project.tsx'
import { toProject } from '../shell/to-app.ts'
import { useFirstTexts } from '../texts/texts.tsx'
import type { FirstTexts } from '../texts/types.ts'

/**
 * Words for programs: endpoints, JSON, settings and variables of the environment. The dashboard has buttons instead.
 */
const FOR_PROGRAMS = /\b(GET|POST|PUT|PATCH|DELETE) [/{]|[{}`]|\b[A-Z]+_[A-Z_]+\b|\b[a-z]+[A-Z]\w*\b|\.md\b/

/** The problem in a sentence, and what to do about it. */
export interface Words {
  readonly message: string
  readonly suggestion?: string
}

/** The words for a refusal: the API's, but by its code where those speak to programs. */
export function wordsOf(error: Error, t: FirstTexts): Words {
  if (error.name === 'Unreachable') return { message: t.anywhere.unreachable }
  if (!(error instanceof ApiError)) return { message: error.message }
  const own = t.refusals.byCode[error.code]
  if (own !== undefined) return own
  if (isOfSteps(error)) {
    const said = error.fields.map(({ message, code }) => t.refusals.problem(message, code).replace(/\.$/, ''))
    return { message: said.map((each) => `${each.charAt(0).toUpperCase()}${each.slice(1)}.`).join(' ') }
  }
  const { suggestion } = error
  const row = wordsOfRow(error.message, t)
  const message = row === error.message ? t.refusals.sentence(error.message, error.code) : row
  // advice is English, too: it stays with the words that it belongs to
  const isTranslated = message !== row
  return suggestion === undefined || isTranslated || FOR_PROGRAMS.test(suggestion)
    ? { message }
    : { message, suggestion }
}

/** Whether the problems are those of a workflow's steps, which name their step and so need no field before them. */
function isOfSteps({ fields }: ApiError): boolean {
  return (
    fields.length > 0 && fields.every(({ field, message }) => /^steps\./.test(field) && /^the step "/.test(message))
  )
}

/** The server's own words, where others are shown instead of all of them. */
function originalOf(error: Error, t: FirstTexts): readonly string[] {
  if (!(error instanceof ApiError) || t.refusals.byCode[error.code] !== undefined) return []
  const { message, suggestion, fields } = error
  if (isOfSteps(error)) return []
  if (fields.length > 0) {
    const isSame = fields.every(
      (each) => t.refusals.problem(each.message, each.code) === t.refusals.problem(each.message),
    )
    return isSame ? [] : fields.map((each) => `${each.field}: ${each.message}`)
  }
  if (t.refusals.sentence(message, error.code) === message) return []
  return [message, ...(suggestion === undefined || FOR_PROGRAMS.test(suggestion) ? [] : [suggestion])]
}

/** The words for what is wrong with a field. */
export function wordsOfField({ message, code }: Pick<FieldProblem, 'message' | 'code'>, t: FirstTexts): string {
  return message.includes('trustedDomains') ? t.refusals.sender : t.refusals.problem(message, code)
}

/** The labels of fields, by their names in the API. */
export type Labels = Readonly<Record<string, string | undefined>>

/** The refusal of one field, by the label that it has on the page. */
export function labelled(error: Error, labels: Labels, t: FirstTexts): string {
  const [first] = error instanceof ApiError ? error.fields : []
  const label = labels[first?.field.split('.')[0] ?? '']
  return first === undefined || label === undefined ? wordsOf(error, t).message : `${label}: ${wordsOfField(first, t)}`
}

/** The words for a problem that names its field: "subject: must have at least 1 character". */
export function wordsOfRow(problem: string, t: FirstTexts): string {
  const [, field = '', message] = /^([\w.]+): (.*)$/s.exec(problem) ?? []
  if (message === undefined) return t.refusals.problem(problem)
  return `${field}: ${t.refusals.problem(message)}`
}

/** Whether there is anything for `Suggestion` to show. */
export function hasAdvice(error: Error, t: FirstTexts): boolean {
  return wordsOf(error, t).suggestion !== undefined || originalOf(error, t).length > 0
}

/**
 * The advice about a refusal, with a link to the page where it is followed; or else the server's own words to be
 * opened, where others are shown instead. `project` is for what stands outside of its pages.
 */
export function Suggestion({ error, project }: { readonly error: Error; readonly project?: string | undefined }) {
  const t = useFirstTexts()
  const here = useProjectId()
  const { suggestion } = wordsOf(error, t)
  const original = originalOf(error, t)
  const id = project ?? here
  if (suggestion === undefined && original.length === 0) return null
  if (suggestion === undefined)
    return (
      <Text size="sm" component="details">
        <summary>{t.refusals.details}</summary>
        {original.map((line) => (
          <div key={line} lang="en">
            {line}
          </div>
        ))}
      </Text>
    )
  return (
    <Text size="sm">
      {suggestion}
      {error instanceof ApiError && error.code === 'DOMAIN_NOT_VERIFIED' && id !== '' ? (
        <>
          {' '}
          {project === undefined ? (
            <Anchor component={Link} href={toProject(id, '/domains')}>
              {t.refusals.toDomains}
            </Anchor>
          ) : (
            <Anchor href={`${APP_PATH}/p/${id}/domains`}>{t.refusals.toDomains}</Anchor>
          )}
        </>
      ) : null}
    </Text>
  )
}
