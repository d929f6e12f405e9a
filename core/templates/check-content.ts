import { EngineError } from '../errors.ts'
import type { CompiledMails } from '../mail/compiled-mails.ts'
import { hasTags, namesRendered, rendersSnippets } from '../mail/render/render-tag.ts'
import { writtenBody } from '../mail/render/written-body.ts'
import type { TemplateSource } from '../mail/thread/mail-question.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import { isId } from '../values/id.ts'
import type { Untrusted } from '../values/json.ts'
import { refused } from '../values/parse.ts'
import type { ProjectId } from '../values/project-id.ts'
import { type ContentReads, missingLayout, type WrittenBody, wholeBody } from './whole-body.ts'

interface Checked {
  readonly projectId: ProjectId
  /** The layout around the bodies. */
  readonly layoutId?: string | null | undefined
  /** The source of the body, which its mistakes are named by. */
  readonly source?: object | null | undefined
  /** The request that the sources are from, which is warned of what is odd in them. */
  readonly input?: Untrusted
}

/**
 * As `CompiledMails.check`, for sources that may render snippets: first each as its author wrote it, so that mistakes
 * are named by their line and column, then each body with its snippets and its layout. Do not call it inside a
 * transaction. Throws EngineError `VALIDATION_ERROR`, `LAYOUT_NOT_FOUND`.
 */
export async function checkContent(
  mails: CompiledMails,
  reads: ContentReads,
  sources: readonly TemplateSource[],
  { projectId, layoutId, source: writtenAs, input }: Checked,
): Promise<void> {
  const isMade = ({ kind, source }: TemplateSource) =>
    (kind === 'mail' || kind === 'html') &&
    (layoutId != null || (hasTags(source) && rendersSnippets(writtenBody(source))))
  const made = sources.filter(isMade)
  // the text part can be made only once the snippets are in
  try {
    await mails.check(
      sources.map((each) => (isMade(each) ? { ...each, kind: 'html' } : each)),
      input,
    )
    for (const { source, field } of made) {
      const whole = await wholeBody(reads, { id: projectId }, { body: source, layoutId }, field)
      await mails.check([{ kind: 'mail', source: whole, field }])
    }
  } catch (error) {
    throw writtenAs == null ? error : namedByItsSource(error)
  }
}

/** The error with the source instead of the body that was made of it, without places in that body: the caller has not seen it. */
function namedByItsSource(error: unknown): unknown {
  if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR') return error
  return refused(
    error.fields.map(({ field, code, message }) =>
      field === 'body'
        ? { field: 'source.text', code, message: message.replace(/ \(line \d+, column \d+\)$/, '') }
        : { field, code, message },
    ),
  )
}

/**
 * As `wholeBody`, for a body that was not checked: mistakes are named by their place in it as it was written. Throws
 * EngineError `VALIDATION_ERROR`, `LAYOUT_NOT_FOUND`.
 */
export async function checkedBody(
  mails: CompiledMails,
  reads: ContentReads,
  project: Pick<Project, 'id' | 'look'>,
  written: WrittenBody,
): Promise<string> {
  const { body } = written
  if (written.layoutId != null || (hasTags(body) && rendersSnippets(writtenBody(body))))
    await mails.check([{ kind: 'html', source: body, field: 'body' }])
  return wholeBody(reads, project, written)
}

/** The things that a mail, a step or another snippet takes from elsewhere. */
interface Needs {
  readonly body?: string | null | undefined
  readonly layoutId?: string | null | undefined
}

/**
 * Makes sure inside a transaction that the snippets and the layout are there, and stay until it ends. Throws EngineError
 * `VALIDATION_ERROR` for `field`, `LAYOUT_NOT_FOUND`.
 */
export async function holdContent(
  tx: Pick<Repositories, 'snippets' | 'layouts'>,
  projectId: ProjectId,
  { body, layoutId }: Needs,
  field = 'body',
): Promise<void> {
  if (layoutId != null && !(isId(layoutId) && (await tx.layouts.hold(projectId, layoutId)))) missingLayout(layoutId)
  const names = [...new Set(namesRendered(writtenBody(body ?? '')))]
  if (names.length === 0) return
  const held = await tx.snippets.hold(projectId, names)
  const missing = names.filter((name) => !held.has(name))
  if (missing.length === 0) return
  throw refused(missing.map((name) => ({ field, code: 'custom', message: `there is no snippet "${name}"` })))
}
