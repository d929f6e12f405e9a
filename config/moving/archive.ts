import * as v from 'valibot'
import { EngineError } from '../../core/errors.ts'
import { migrations } from '../../plugins/store-sqlite/migrations/all.ts'

/** The file that says what the archive is. */
export const MANIFEST = 'manifest.json'

/** Files for people and spreadsheets, which are not read again, and what each has. */
export const CSV_FILES = {
  'contacts.csv': 'Contacts as `export` prints them, with their topics and data; `import` reads it, too.',
  'suppressions.csv': 'Suppressed addresses, as `POST /suppressions/import` reads them.',
  'campaigns.csv': 'Campaigns with their results.',
} as const

/** The kind of the archive, and how many lines each of its files has. */
export const Manifest = v.object({
  format: v.literal('mailwright-project', 'format: it is no archive of a project'),
  version: v.literal(1, 'version: this version of Mailwright reads version 1 alone'),
  schema: v.string('schema: it must be a text'),
  exportedAt: v.pipe(v.string('exportedAt: it must be a text'), v.isoTimestamp('exportedAt: it must be a date')),
  project: v.object(
    {
      id: v.pipe(v.string('project.id: it must be an id'), v.uuid('project.id: it must be an id')),
      name: v.pipe(v.string('project.name: it must be a text'), v.minLength(1, 'project.name: it must not be empty')),
    },
    'project: it must be an object with id and name',
  ),
  files: v.record(
    v.string(),
    v.pipe(v.number('files: each must be a number of lines'), v.safeInteger(), v.minValue(0)),
    'files: it must be an object',
  ),
})
export type Manifest = v.InferOutput<typeof Manifest>

/** The last change of the tables that this version knows. */
export function schemaToday(): string {
  return migrations.at(-1)?.name ?? ''
}

/** The manifest in this text. Throws EngineError `CONFIG_INVALID`, `STORE_NEWER` when a newer version wrote it. */
export function readManifest(text: string): Manifest {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new EngineError('CONFIG_INVALID', `${MANIFEST}: it is no JSON.`)
  }
  const read = v.safeParse(Manifest, json)
  if (!read.success) throw new EngineError('CONFIG_INVALID', `${MANIFEST}: ${read.issues[0].message}.`)
  if (migrations.some(({ name }) => name === read.output.schema)) return read.output
  const message = `${MANIFEST}: a newer version of Mailwright wrote it (${read.output.schema.slice(0, 100)}): bring this one up to date.`
  throw new EngineError('STORE_NEWER', message)
}
