import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { TemplateRepository } from '../ports/store/templates.ts'
import { isId } from '../values/id.ts'
import { say } from '../values/parse.ts'
import type { ProjectId } from '../values/project-id.ts'
import { cutSlug, numberedSlugs, slugOf } from '../values/slug.ts'

/** How many characters a slug may have. */
export const SLUG_LENGTH = 100
/** The highest number behind a slug that is made from a name. */
const LAST_NUMBER = 100

/** A name for a template in requests instead of its id, such as `welcome-mail`. */
export const Slug = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(SLUG_LENGTH),
  v.check(
    (slug) => slugOf(slug) === slug,
    say('invalid_string', 'must be lower-case words joined by hyphens, such as welcome-mail'),
  ),
  v.check((slug) => !isId(slug), say('invalid_string', 'must not look like an id')),
)

/** The slug of a template with this name; letters of every script stay. */
export function slugFor(name: string): string {
  const slug = slugOf(name)
  return cutSlug(isId(slug) ? `template-${slug}` : slug, SLUG_LENGTH)
}

/**
 * A slug for this name that no template of the project has: `welcome`, else `welcome-2` and so on. Behind the last
 * number comes the end of the template's id, so that no request waits for a search among very many copies.
 */
export async function freeSlug(
  templates: Pick<TemplateRepository, 'takenSlugs'>,
  { projectId, name, id }: { readonly projectId: ProjectId; readonly name: string; readonly id: string },
): Promise<string> {
  const slug = slugFor(name)
  const wanted = numberedSlugs(slug, SLUG_LENGTH, LAST_NUMBER)
  const taken = await templates.takenSlugs(projectId, wanted)
  return wanted.find((each) => !taken.has(each)) ?? cutSlug(slug, SLUG_LENGTH, `-${id.slice(-12)}`)
}

/** Throws EngineError `CONFLICT`. */
export function slugTaken(slug: string): never {
  throw new EngineError('CONFLICT', `Another template of this project has the slug "${slug}".`, {
    fields: [{ field: 'slug', code: 'custom', message: `"${slug}" is the slug of another template` }],
    suggestion: 'Choose another slug, or change that of the other template first.',
  })
}
