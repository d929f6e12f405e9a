import * as v from 'valibot'
import type { AcceptedJob } from '../contacts/contact-jobs.ts'
import { Contacts } from '../contacts/contacts.ts'
import type { JobRun } from '../contacts/job-run.ts'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import type { ContactJob } from '../ports/store/contact-jobs.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import { Suppression } from '../ports/store/suppressions.ts'
import { requireEnabled } from '../projects/project.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse, say } from '../values/parse.ts'
import { made } from '../values/record.ts'
import { requireText } from '../values/shown-id.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { readSuppressions, type SuppressionFile } from './import-suppressions.ts'
import {
  AddSuppression,
  type AddSuppressionInput,
  Reason,
  SuppressionQuery,
  type SuppressionQueryInput,
} from './suppression.ts'

/** The largest file of suppressed addresses, in bytes. */
const IMPORT_BYTES = 5 * 1024 * 1024
/** As many addresses are written before the answer; more are left to a job. */
const AT_ONCE = 5000
/** How many entries one commit writes. */
const BATCH = 1000

export const ImportBody = v.object({
  /** The bytes of the CSV file, at most 5 MB. */
  file: v.instance(Uint8Array, ({ input }) =>
    input === undefined ? say('required', 'is required') : say('invalid_type', 'must be one file, with a file name'),
  ),
  /** The reason of rows that name none: MANUAL by default. */
  reason: v.optional(Reason),
})

const Request = v.object({ reason: v.optional(Reason) })
const Position = v.object({ done: v.optional(v.number(), 0), createdCount: v.optional(v.number(), 0) })

/** A file of addresses to add to the list. */
export interface ImportSuppressionsInput extends InputOf<typeof ImportBody> {}

/** The result of an import. */
export interface SuppressionImport extends Omit<SuppressionFile, 'entries' | 'isWhole'> {
  /** How many addresses were not on the list before. */
  readonly createdCount: number
}

/** The addresses of a project that get no mail. */
@injectable()
export class Suppressions {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Contacts) private readonly contacts: Contacts,
    @inject(Kit) private readonly kit: Kit,
  ) {
    contacts.jobs.runSuppressions((run, bytes, signal) => this.#run(run, bytes, signal))
  }

  /** One page of entries in force, newest first. */
  async list(project: Project, query: SuppressionQueryInput | UntrustedInput = {}): Promise<Page<Suppression>> {
    const { reason, email: emails, ...asked } = parse(SuppressionQuery, query)
    const now = this.kit.now()
    const wanted = { reason, emails }
    const list = { projectId: project.id, name: 'suppressions' }
    const page = pageRequest(list, asked)
    const rows = await this.store.suppressions.page(project.id, now, page, wanted)
    const total = page.after ? 0 : await this.store.suppressions.count(project.id, now, wanted)
    return pageOf(list, rows, asked.limit, total, ({ id }) => ({ value: '', id }))
  }

  /** Adds an address to the list. Throws EngineError `VALIDATION_ERROR`, `PROJECT_DISABLED`. */
  async add(project: Project, input: AddSuppressionInput | UntrustedInput): Promise<Suppression> {
    requireEnabled(project)
    const { detail, reason, ...wanted } = parse(AddSuppression, input)
    return this.store.suppressions.put({
      id: this.kit.newId(),
      projectId: project.id,
      ...made(Suppression, { ...wanted, detail: detail || null }),
      reason,
      createdAt: this.kit.now(),
    })
  }

  /**
   * Adds the addresses of a CSV file to the list: `input` is `{ file, reason? }` with its bytes, at most 5 MB; see
   * `readSuppressions`. An address on the list gets the row's reason, detail and expiry. Invalid rows are reported;
   * from an invalid file nothing is imported. Up to 5,000 addresses are on the list with the answer, and when that is
   * interrupted, the same call does the rest; more are a job, see `job`. Throws EngineError `PAYLOAD_TOO_LARGE`,
   * `VALIDATION_ERROR` on `file` and `reason`, `PROJECT_DISABLED`.
   */
  async import(
    project: Project,
    input: ImportSuppressionsInput | UntrustedInput,
  ): Promise<SuppressionImport | AcceptedJob> {
    requireEnabled(project)
    const { file, reason } = parse(ImportBody, input)
    if (file.length > IMPORT_BYTES) throw new EngineError('PAYLOAD_TOO_LARGE', 'The file must be at most 5 MB.')
    const { entries, isWhole, ...counts } = await readSuppressions(file, reason, AT_ONCE)
    // a longer one is read to its end by its job
    if (!isWhole) return this.contacts.jobs.suppress(project, file, reason === undefined ? {} : { reason })
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

  /** The job of an import of many addresses. Throws EngineError `JOB_NOT_FOUND`. */
  job(project: Project, id: string): Promise<ContactJob> {
    return this.contacts.jobs.get(project, 'suppressions', id)
  }

  /** Adds the addresses of a job's file, after those already done; the file says the same each time it is read. */
  async #run(run: JobRun, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const { projectId, request, createdAt } = run.job
    const read = await readSuppressions(bytes, parse(Request, request).reason).catch(whyInvalid)
    if (typeof read === 'string') return run.fail(read)
    const { entries, isWhole: _, ...counts } = read
    let { done, createdCount } = parse(Position, run.job.position)
    do {
      const batch = entries.slice(done, done + BATCH)
      await run.step(async (tx) => {
        const rows = batch.map((entry) => ({ ...entry, id: this.kit.newId(), projectId, createdAt }))
        const created = createdCount + (await tx.suppressions.putAll(projectId, rows))
        const after = done + batch.length
        const isLast = after === entries.length
        return {
          position: { done: after, createdCount: created },
          result: { ...counts, createdCount: created },
          progress: isLast ? 100 : Math.floor((100 * after) / entries.length),
          state: isLast ? 'completed' : 'active',
        }
      })
      ;({ done, createdCount } = parse(Position, run.job.position))
      await yieldToLoop()
    } while (run.job.state === 'active' && !signal.aborted)
  }

  /**
   * Removes an entry from the list, by id or address. Throws EngineError `SUPPRESSION_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async remove(project: Project, idOrEmail: string): Promise<void> {
    requireEnabled(project)
    requireText(idOrEmail, 'idOrEmail')
    const wanted = idOrEmail.trim().toLowerCase()
    if (await this.store.suppressions.remove(project.id, wanted)) return
    throw new EngineError('SUPPRESSION_NOT_FOUND', `${idOrEmail} is not on the suppression list.`)
  }
}

/** Why a job fails whose file is invalid somewhere. */
function whyInvalid(error: unknown): string {
  if (EngineError.is(error) && error.kind === 'invalid') return `The file ${error.fields[0]?.message ?? error.message}.`
  throw error
}
