import type { ContactFieldRepository } from '../ports/store/contact-fields.ts'
import { FIELDS_OF_CONTACT } from '../values/fields-of-contact.ts'
import { nearest } from '../values/nearest.ts'
import type { ProjectId } from '../values/project-id.ts'
import { MAX_WARNINGS, type Warning } from '../values/unknown-keys.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import type { NamedField } from './read-filter.ts'

/** Among how many fields the one that was meant is looked for: those that most contacts have. */
const CANDIDATES = 1000

/** Warnings about the fields of these that no contact of the project has, with what was probably meant. */
export async function unknownFields(
  fields: Pick<ContactFieldRepository, 'known' | 'list'>,
  projectId: ProjectId,
  named: readonly NamedField[],
): Promise<readonly Warning[]> {
  const keys = new Set(named.flatMap(({ paths }) => paths.flatMap(([key]) => key ?? [])))
  if (keys.size === 0) return []
  const known = await fields.known(projectId, [...keys])
  const unknown = named.filter(({ paths }) => !paths.some(([key]) => key !== undefined && known.has(key)))
  if (unknown.length === 0) return []
  const listed = (await fields.list(projectId, CANDIDATES)).fields.map(({ key }) => key)
  const warnings: Warning[] = []
  for (const { paths, place } of unknown.slice(0, MAX_WARNINGS)) {
    const meant = meantBy(paths, listed)
    const hint = meant === undefined ? ' yet' : ` (did you mean ${meant}?)`
    warnings.push({ field: place, message: `is a field that no contact has${hint}` })
    await yieldToLoop()
  }
  return warnings
}

/** The field with the nearest name, or the nearest key with the rest of the path after it. */
function meantBy([key = [], path]: NamedField['paths'], keys: readonly string[]): string | undefined {
  const [name = ''] = key
  const whole = nearest(name, [...keys, ...FIELDS_OF_CONTACT])
  if (whole !== undefined) return keys.includes(whole) ? `data.${whole}` : whole
  const [first, ...rest] = path ?? []
  const begun = first === undefined || rest.length === 0 ? undefined : nearest(first, keys)
  return begun === undefined ? undefined : ['data', begun, ...rest].map(escaped).join('.')
}

function escaped(key: string): string {
  return key.replace(/[\\.]/g, '\\$&')
}
