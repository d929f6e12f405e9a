import { EngineError } from '../errors.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Template } from '../ports/store/templates.ts'
import { isId } from '../values/id.ts'
import { requireText, shownId } from '../values/shown-id.ts'
import { SLUG_LENGTH } from './slug.ts'

/**
 * The template that a request names by its id or its slug: one query, whichever it is. Throws EngineError
 * `TEMPLATE_NOT_FOUND`.
 */
export async function namedTemplate(
  { templates }: Pick<Repositories, 'templates'>,
  { id: projectId }: Pick<Project, 'id'>,
  name: string,
): Promise<Template> {
  requireText(name, 'id')
  if (isId(name)) return (await templates.find(projectId, name)) ?? missingTemplate(name)
  const found = name.length > SLUG_LENGTH ? undefined : await templates.named(projectId, name)
  return found ?? missingTemplate(name)
}

/** Throws EngineError `TEMPLATE_NOT_FOUND` that names what was asked for. */
export function missingTemplate(name: string): never {
  throw new EngineError('TEMPLATE_NOT_FOUND', `There is no template ${shownId(name, 2 * SLUG_LENGTH)}.`)
}
