import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import type { Suppression } from '../ports/store/suppressions.ts'
import { requireEnabled } from '../projects/project.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import type { CursorInput } from '../values/page.ts'
import { CursorQuery, type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse, say } from '../values/parse.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { readSuppressions, type SuppressionFile } from './import-suppressions.ts'
import type { AddSuppressionInput } from './suppression.ts'
import { AddSuppression } from './suppression.ts'

/** The largest file of suppressed addresses, in bytes. */
const IMPORT_BYTES = 5 * 1024 * 1024
/** How many entries one commit writes. */
const BATCH = 1000

export const ImportBody = v.object({
  /** The bytes of the CSV file, at most 5 MB. */
  file: v.instance(Uint8Array, ({ input }) =>
    input === undefined ? say('required', 'is required') : say('invalid_type', 'must be one file, with a file name'),
  ),
})

/** A file of addresses to add to the list. */
export interface ImportSuppressionsInput extends InputOf<typeof ImportBody> {}

/** The result of an import. */
export interface SuppressionImport extends Omit<SuppressionFile, 'entries'> {
  /** How many addresses were not on the list before. */
  readonly createdCount: number
}

/** The addresses of a project that get no mail. */
@injectable()
export class Suppressions {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** One page of entries in force, newest first. */
  async list(project: Project, query: CursorInput | UntrustedInput = {}): Promise<Page<Suppression>> {
    const asked = parse(CursorQuery, query)
    const now = this.kit.now()
    const list = { projectId: project.id, name: 'suppressions' }
    const page = pageRequest(list, asked)
    const rows = await this.store.suppressions.page(project.id, now, page)
    const total = page.after ? 0 : await this.store.suppressions.count(project.id, now)
    return pageOf(list, rows, asked.limit, total, ({ id }) => ({ value: '', id }))
  }

  /** Adds an address to the list by hand. Throws EngineError `VALIDATION_ERROR`, `PROJECT_DISABLED`. */
  async add(project: Project, input: AddSuppressionInput | UntrustedInput): Promise<Suppression> {
    requireEnabled(project)
    const { email, detail, expiresAt } = parse(AddSuppression, input)
    return this.store.suppressions.put({
      id: this.kit.newId(),
      projectId: project.id,
      email,
      reason: 'MANUAL',
      ...(detail ? { detail } : {}),
      ...(expiresAt ? { expiresAt } : {}),
      createdAt: this.kit.now(),
    })
  }

  /**
   * Adds the addresses of a CSV file to the list: `input` is `{ file }` with its bytes, at most 5 MB; see
   * `readSuppressions`. An address on the list gets the row's reason, detail and expiry. Invalid rows are reported;
   * from an invalid file nothing is imported. When it is interrupted, the same call does the rest. Throws EngineError
   * `PAYLOAD_TOO_LARGE`, `VALIDATION_ERROR` on `file`, `PROJECT_DISABLED`.
   */
  async import(project: Project, input: ImportSuppressionsInput | UntrustedInput): Promise<SuppressionImport> {
    requireEnabled(project)
    const { file } = parse(ImportBody, input)
    if (file.length > IMPORT_BYTES) throw new EngineError('PAYLOAD_TOO_LARGE', 'The file must be at most 5 MB.')
    const { entries, ...counts } = await readSuppressions(file)
    const createdAt = this.kit.now()
    let createdCount = 0
    for (let start = 0; start < entries.length; start += BATCH) {
      const batch = entries.slice(start, start + BATCH)
      const rows = batch.map((entry) => ({ ...entry, id: this.kit.newId(), projectId: project.id, createdAt }))
      createdCount += await this.store.suppressions.putAll(project.id, rows)
      await yieldToLoop()
    }
    return { ...counts, createdCount }
  }

  /**
   * Removes an entry from the list, by id or address. Throws EngineError `SUPPRESSION_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async remove(project: Project, idOrEmail: string): Promise<void> {
    requireEnabled(project)
    const wanted = idOrEmail.trim().toLowerCase()
    if (await this.store.suppressions.remove(project.id, wanted)) return
    throw new EngineError('SUPPRESSION_NOT_FOUND', `${idOrEmail} is not on the suppression list.`)
  }
}
