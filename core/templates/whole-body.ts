import { EngineError, invalidField } from '../errors.ts'
import { hasTags, namesRendered, rendersSnippets } from '../mail/render/render-tag.ts'
import { hasTooManyBreaks, MAX_BREAKS } from '../mail/render/source-size.ts'
import { writtenBody } from '../mail/render/written-body.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import { isId } from '../values/id.ts'
import type { ProjectId } from '../values/project-id.ts'
import { shownId } from '../values/shown-id.ts'
import { expandSnippets, MAX_DEPTH } from './expand-snippets.ts'
import { framed } from './layout-frame.ts'
import { withPostal } from './postal.ts'

/** The reads that make a body whole. */
export type ContentReads = Pick<Repositories, 'snippets' | 'layouts'>

/** A body as it was written, and the layout around it. */
export interface WrittenBody {
  readonly body: string
  readonly layoutId?: string | null | undefined
}

/**
 * The body as compiled: with its layout around it, and with its snippets and the project's postal address in it. It is made when a mail is accepted
 * or a campaign begins, so that what was accepted stays the same when a snippet is changed. A body without either is
 * answered without a query. Throws EngineError `VALIDATION_ERROR` for `field`, `LAYOUT_NOT_FOUND`.
 */
export async function wholeBody(
  reads: ContentReads,
  { id: projectId, look }: Pick<Project, 'id' | 'look'>,
  { body, layoutId }: WrittenBody,
  field = 'body',
): Promise<string> {
  if (hasTooManyBreaks(body)) throw invalidField(field, 'too_big', `must have at most ${MAX_BREAKS} line breaks`)
  const source = writtenBody(body)
  if (layoutId == null && !(hasTags(body) && rendersSnippets(source))) return withPostal(source, look)
  const layout = layoutId == null ? undefined : await layoutOf(reads, projectId, layoutId)
  const frame = layout && writtenBody(layout.body)
  const bodies = await snippetBodies(reads, projectId, [source, frame ?? ''])
  const inner = expandSnippets(source, bodies, field)
  return withPostal(frame === undefined ? inner : expandSnippets(framed(frame, inner), bodies, field), look)
}

/** The bodies of all snippets that these written sources need. */
async function snippetBodies(
  reads: Pick<ContentReads, 'snippets'>,
  projectId: ProjectId,
  sources: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const bodies = new Map<string, string>()
  let wanted = new Set(sources.flatMap(namesRendered))
  for (let depth = 0; depth < MAX_DEPTH && wanted.size > 0; depth++) {
    const found = await reads.snippets.named(projectId, [...wanted])
    for (const { name, body } of found) bodies.set(name, body)
    wanted = new Set(found.flatMap(({ renders }) => renders).filter((name) => !bodies.has(name)))
  }
  return bodies
}

async function layoutOf(reads: ContentReads, projectId: ProjectId, id: string) {
  const layout = isId(id) ? await reads.layouts.find(projectId, id) : undefined
  return layout ?? missingLayout(id)
}

/** How much of an id that nothing has is repeated. */
const SHOWN = 100

/** The fields written under a layout, without it when it is gone: so they can be brought back, or used again. */
export async function withoutGoneLayout<Fields extends { readonly layoutId?: string | null | undefined }>(
  { layouts }: Pick<Repositories, 'layouts'>,
  projectId: ProjectId,
  fields: Fields,
): Promise<Omit<Fields, 'layoutId'> & Pick<Partial<Fields>, 'layoutId'>> {
  const { layoutId, ...others } = fields
  if (layoutId == null || (await layouts.find(projectId, layoutId))) return fields
  return others
}

/** Throws EngineError `LAYOUT_NOT_FOUND`. */
export function missingLayout(id: string): never {
  throw new EngineError('LAYOUT_NOT_FOUND', `There is no layout ${shownId(id, SHOWN)}.`)
}
