import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { EngineError, invalidField } from '../errors.ts'
import type { Filters } from '../filters/filters.ts'
import type { Kit } from '../kit.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { BulkOperation, ContactJob, ContactJobRepository } from '../ports/store/contact-jobs.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { IdempotentRequest, type Once } from '../projects/idempotency.ts'
import { requireEnabled } from '../projects/project.ts'
import { Conflict } from '../values/conflict.ts'
import { describedBy } from '../values/described.ts'
import { isId } from '../values/id.ts'
import { type InputOf, takes, type UntrustedInput } from '../values/input.ts'
import { type Json, type JsonObject, parseJson, type Untrusted } from '../values/json.ts'
import { onlyKey } from '../values/options.ts'
import { type CursorInput, CursorQuery, type Page, pageOf, pageRequest } from '../values/page.ts'
import { noteWarnings, parse, say } from '../values/parse.ts'
import type { ProjectId } from '../values/project-id.ts'
import { TrueOrFalse } from '../values/true-or-false.ts'
import { type Doorbell, TOPICS } from '../work/doorbell.ts'
import { removeAll } from '../work/rest.ts'
import type { Claimed, ClaimRequest, Work } from '../work/work.ts'
import type { BulkContactsInput } from './bulk-contacts.ts'
import { BulkByIds, BulkByQuery, bulkContacts } from './bulk-contacts.ts'
import { DELIMITERS, recogniseCsv } from './csv-file.ts'
import { ENCODINGS } from './csv-text.ts'
import { CONSENT_LENGTH } from './csv-topics.ts'
import type { EraseContacts } from './erase-contacts.ts'
import { type GivenColumns, GivenColumnsInput, givenColumns } from './given-columns.ts'
import { importContacts } from './import-contacts.ts'
import { JOB_LEASE_MS, JobRun } from './job-run.ts'
import { type ImportPreview, previewImport } from './preview-import.ts'
import { keptRows } from './refused-rows.ts'

/** The largest file of contacts, in bytes. */
const IMPORT_BYTES = 5 * 1024 * 1024
/** How many jobs run at once in this process. */
const AT_ONCE = 4
/** How often in a row a job may fail for a reason of ours before it is given up. */
const TRIES = 5
const REMEMBERED_MS = 30 * 24 * 3600 * 1000

/** The answer to an accepted job. */
export type AcceptedJob = { readonly jobId: string; readonly message: string }

/** The kind of job a caller asks for. */
export type JobFamily = 'import' | 'bulk' | 'suppressions'

/** Works off a job with a file of a later room, as `importContacts` does one of contacts. */
export type FileJobRunner = (run: JobRun, bytes: Uint8Array, signal: AbortSignal) => Promise<void>

export interface JobOptions {
  /** 1 to 255 printable ASCII characters: the same key and input within 24 hours makes one job. */
  readonly idempotencyKey?: string | undefined
}

/** Imports and bulk changes of contacts: accepted at once, done in the background. */
export class ContactJobs implements Work {
  readonly topic = TOPICS.contactJobs
  readonly lane = 'workflow'
  readonly atOnce = AT_ONCE
  readonly leaseMs = JOB_LEASE_MS
  #runSuppressions: FileJobRunner | undefined

  constructor(
    private readonly store: Store,
    private readonly doorbell: Doorbell,
    private readonly filters: Filters,
    private readonly erasing: EraseContacts,
    private readonly kit: Kit,
  ) {}

  /**
   * Accepts a CSV file of contacts to import: `input` is `{ file, columns? }` with its bytes, at most 5 MB; delimiter,
   * encoding, the meaning and the type of each column are detected, and `columns` says otherwise. Answers when job and
   * file are stored. Throws EngineError `PAYLOAD_TOO_LARGE`, `VALIDATION_ERROR` on `file` and `columns`,
   * `PROJECT_DISABLED`, `IDEMPOTENCY_KEY_REUSED`.
   */
  async import(
    project: Project,
    input: ImportContactsInput | UntrustedInput,
    options: JobOptions = {},
  ): Promise<Once<AcceptedJob>> {
    requireEnabled(project)
    const { file, given, topic, consentText, resubscribe, encoding: named } = readFile(input)
    const { idempotencyKey } = options
    const same =
      idempotencyKey === undefined
        ? null
        : createHash('sha256')
            .update(file)
            .update(JSON.stringify([given, topic, consentText, resubscribe, ...(named ? [named] : [])]))
            .digest('hex')
    return this.#accept(project, 'import', same, options, async () => {
      const { encoding, delimiter } = recogniseCsv(file, given, named)
      const guess =
        encoding === 'windows-1252' && named === undefined ? ' It is not valid UTF-8 and is read as Windows-1252.' : ''
      const ofAll = await this.#topicOf(project, topic)
      return {
        request: {
          encoding,
          delimiter,
          columns: jsonOf(given),
          resubscribe,
          ...ofAll,
          ...(consentText ? { consentText } : {}),
        },
        file,
        message: `The import is queued.${guess}`,
      }
    })
  }

  /**
   * Reads a file as `import` would, whose input it takes, and answers what the import would do. Writes nothing. Throws
   * EngineError `PAYLOAD_TOO_LARGE`, `VALIDATION_ERROR` on `file` and `columns`.
   */
  async preview(project: Project, input: ImportContactsInput | UntrustedInput): Promise<ImportPreview> {
    const { file, given, topic, resubscribe, encoding: named } = readFile(input)
    const { encoding, delimiter } = recogniseCsv(file, given, named)
    const { topicId } = await this.#topicOf(project, topic)
    const topics = { known: await this.store.topics.all(project.id), ofAll: topicId }
    const { contacts, suppressions, topics: chosen } = this.store
    return previewImport({ bytes: file, form: { encoding, delimiter }, given, topics, resubscribe }, async (emails) => {
      const known = await contacts.findByAddress(project.id, emails)
      const unsubscribed = [...known].flatMap(([named, { subscribed, email }]) => (subscribed ? [] : [named, email]))
      const ids = topics.known.length > 0 ? [...known.values()].map(({ id }) => id) : []
      const suppressed = await suppressions.among(project.id, unsubscribed, this.kit.now())
      return { contacts: known, suppressed, choices: await chosen.choices(project.id, ids) }
    })
  }

  /**
   * Accepts a change of many contacts: `input` is `{ contactIds: 1..1000 }`, or `{ mode: 'query', filter, excludeIds?
   * }` for all contacts that match now. Throws EngineError `VALIDATION_ERROR`, `PROJECT_DISABLED`,
   * `IDEMPOTENCY_KEY_REUSED`.
   */
  async bulk(
    project: Project,
    operation: BulkOperation,
    input: BulkContactsInput | UntrustedInput,
    options: JobOptions = {},
  ): Promise<Once<AcceptedJob>> {
    requireEnabled(project)
    const isQuery = typeof input === 'object' && input !== null && 'mode' in input && input.mode === 'query'
    // a repeated call gets its warnings, too, though its answer is an earlier one
    noteWarnings(isQuery ? BulkByQuery : BulkByIds, input)
    return this.#accept(project, `bulk-${operation}`, input, options, async () => {
      if (!isQuery) {
        const { contactIds, resubscribe } = parse(BulkByIds, input)
        return {
          request: { contactIds, resubscribe },
          message: `The change of ${contactIds.length} contacts is queued.`,
        }
      }
      const { filter, excludeIds, resubscribe } = parse(BulkByQuery, input)
      const read = jsonOf(await this.filters.read(project, filter, 'filter'))
      const request = { filter: read, excludeIds, resubscribe, until: this.kit.newId() }
      return { request, message: 'The change of all contacts that match is queued.' }
    })
  }

  /** Accepts a file of suppressed addresses, which `runSuppressions` works off. */
  async suppress(project: Project, file: Uint8Array, request: JsonObject): Promise<AcceptedJob> {
    const message = 'The import is queued.'
    const { answer } = await this.#accept(project, 'suppressions', null, {}, async () => ({ request, file, message }))
    return answer
  }

  /** Sets who works off files of suppressed addresses: the room of them, which is made after this one. */
  runSuppressions(run: FileJobRunner): void {
    this.#runSuppressions = run
  }

  /** The job. Throws EngineError `JOB_NOT_FOUND`, also for a job of the other family. */
  async get(project: Project, family: JobFamily, id: string): Promise<ContactJob> {
    const job = isId(id) ? await this.store.contactJobs.find(project.id, id) : undefined
    if (job && familyOf(job.type) === family) return job
    throw new EngineError('JOB_NOT_FOUND', `There is no ${family} job ${id}.`)
  }

  /**
   * The refused rows of an import as a CSV file, in chunks of text: the columns of its file and one with the reason;
   * the first 50,000, none where there are none. Throws EngineError `JOB_NOT_FOUND` before the first chunk.
   */
  async refused(project: Project, id: string): Promise<AsyncIterable<string>> {
    const job = await this.get(project, 'import', id)
    return keptRows(this.store.contactJobs, job.id)
  }

  /**
   * One page of the project's imports, newest first; those that ended more than 30 days ago are gone. Throws EngineError
   * `VALIDATION_ERROR`, `BAD_REQUEST` for a damaged cursor.
   */
  async imports(project: Project, query: CursorInput | UntrustedInput = {}): Promise<Page<ContactJob>> {
    const asked = parse(CursorQuery, query)
    const list = { projectId: project.id, name: 'imports' }
    const page = pageRequest(list, asked)
    const rows = await this.store.contactJobs.page(project.id, 'import', page)
    const total = page.after ? 0 : await this.store.contactJobs.count(project.id, 'import')
    return pageOf(list, rows, asked.limit, total, ({ id }) => ({ value: '', id }))
  }

  /** Claims a job that waits or was abandoned, of the project with the fewest under way. */
  async claim({ now, lease, ends }: ClaimRequest): Promise<Claimed | undefined> {
    const [id] = await this.store.contactJobs.due(now, 1, lease.alone)
    if (id === undefined) return undefined
    const run = await JobRun.begin(this.store, this.kit, id, lease.token, lease.alone)
    // the rest of an import is not waited for
    return { isMore: true, running: run ? [this.#run(run, ends.stopping)] : [] }
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    return [{ name: 'forget contact jobs', cron: '41 3 * * *', run: (signal) => this.forget(signal) }]
  }

  /** Removes jobs that ended more than 30 days ago. */
  forget(signal: AbortSignal): Promise<void> {
    const before = new Date(this.kit.now().getTime() - REMEMBERED_MS)
    return removeAll((most) => this.store.contactJobs.forget(before, most), signal)
  }

  async #accept(
    project: Project,
    type: ContactJob['type'],
    input: Untrusted,
    options: JobOptions,
    read: () => Promise<{ readonly request: JsonObject; readonly file?: Uint8Array; readonly message: string }>,
  ): Promise<Once<AcceptedJob>> {
    const now = this.kit.now()
    const keyed = { project, key: onlyKey(options), operation: `contacts.${type}`, input, now }
    const asked = IdempotentRequest.of<AcceptedJob>(this.store.writeBatch, keyed)
    const earlier = await asked.earlier()
    if (earlier) return earlier
    const { request, file, message } = await read()
    const job: ContactJob = {
      id: this.kit.newId(),
      projectId: project.id,
      type,
      state: 'waiting',
      progress: 0,
      request,
      position: {},
      result: {},
      createdAt: now,
      updatedAt: now,
    }
    const once = await asked.commit({
      addresses: [],
      decide: () => ({
        contacts: [],
        contents: [],
        emails: [],
        events: [],
        jobs: [file ? { job, file } : { job }],
        answer: { jobId: job.id, message },
      }),
    })
    if (!once.replayed) this.doorbell.ring(TOPICS.contactJobs)
    return once
  }

  /** Never rejects: a job that runs into trouble is given back, and continued by a later look. */
  async #run(run: JobRun, signal: AbortSignal): Promise<void> {
    const { id, type } = run.job
    try {
      if (run.givenUp !== undefined) await this.#giveUp(run, run.givenUp)
      else if (type === 'import' || type === 'suppressions') await this.#import(run, signal)
      else await bulkContacts(run, this.#bulkTools(run.job.projectId), signal)
      if (run.job.state === 'active') await run.release()
    } catch (error) {
      if (Conflict.is(error, 'gone')) return
      this.kit.log.error('a contact job met trouble', { job: id, type, error })
      await this.#putOff(run, error).catch(() => {})
    }
  }

  #giveUp(run: JobRun, reason: string): Promise<void> {
    this.kit.log.error('a contact job is given up', { job: run.job.id, type: run.job.type, reason })
    return run.fail(`${reason} What was done stays done.`)
  }

  async #import(run: JobRun, signal: AbortSignal): Promise<void> {
    const { contactJobs } = this.store
    if (!(await contactJobs.filePiece(run.job.id, 0, 1))) return run.fail('The file of this import is gone.')
    const pieces = () => piecesOf(contactJobs, run.job.id)
    if (run.job.type === 'suppressions') {
      const all: Uint8Array[] = []
      for await (const piece of pieces()) all.push(piece)
      return this.#runSuppressions?.(run, Buffer.concat(all), signal)
    }
    const { columns: given, topicId: ofAll, consentText, resubscribe, ...form } = parse(StoredForm, run.job.request)
    const topics = { known: await this.store.topics.all(run.job.projectId), ofAll, consentText }
    await importContacts(run, { bytes: pieces, form, given, topics, resubscribe }, this.kit, signal)
  }

  /** The topic of all contacts of a file, by its id or slug. */
  async #topicOf({ id }: Project, name: string | null | undefined): Promise<{ readonly topicId?: string }> {
    if (name == null || name === '') return {}
    const { topics } = this.store
    const topic = isId(name) ? await topics.find(id, name) : await topics.named(id, name)
    if (topic === undefined) throw invalidField('topic', 'custom', 'names no topic of this project')
    return { topicId: topic.id }
  }

  #bulkTools(projectId: ProjectId) {
    const { store, filters, kit } = this
    return {
      store,
      erasing: this.erasing,
      kit,
      audience: async (stored: unknown) => {
        const project = await store.projects.find(projectId)
        if (!project) throw invalidField('filter', 'custom', 'belongs to a project that is gone')
        return filters.audience(project, await filters.read(project, stored, 'filter', { isStored: true }))
      },
    }
  }

  async #putOff(run: JobRun, error: unknown): Promise<void> {
    const { tries } = parse(Tries, run.job.position)
    const isOurs = !EngineError.is(error) || error.code !== 'SERVICE_UNAVAILABLE'
    if (isOurs && tries + 1 >= TRIES) {
      return run.fail('Something went wrong here; the error has been logged. What was done stays done.')
    }
    if (isOurs) await run.step(async () => ({ position: { ...run.job.position, tries: tries + 1 } }))
    await run.release()
  }
}

/** How much of a file is read in one go: PostgreSQL's driver needs eight times as much for it, which is garbage then. */
const PIECE_BYTES = 512 * 1024

/** The file of a job, read as it is worked off, so that neither it nor that garbage is there as a whole. */
async function* piecesOf(jobs: ContactJobRepository, id: string): AsyncGenerator<Uint8Array> {
  for (let from = 0; ; from += PIECE_BYTES) {
    const piece = await jobs.filePiece(id, from, PIECE_BYTES)
    // it goes when the job ends, so another process has worked it off
    if (piece === undefined) throw new Conflict('gone')
    yield piece
    if (piece.length < PIECE_BYTES) return
  }
}

export const ImportBody = v.object({
  /** The bytes of the CSV file, at most 5 MB. */
  file: v.instance(Uint8Array, ({ input }) =>
    input === undefined ? say('required', 'is required') : say('invalid_type', 'must be one file, with a file name'),
  ),
  /**
   * The meaning of columns, by their names in the header, as JSON: a key, `email`, `subscribed` or `tracking`; null
   * leaves one out; `{"key": …, "type": …}` sets its type (`string`, `number`, `boolean`), too.
   */
  columns: v.optional(describedBy(takes<GivenColumns | string>()(v.unknown()), v.string())),
  /** The id or the slug of a topic that every contact of the file gets, unless it left the topic or is unsubscribed. */
  topic: v.nullish(v.pipe(v.string(), v.maxLength(100))),
  /** The words that every contact of the file agreed to, kept with each topic it gets by the file. */
  consentText: v.nullish(v.pipe(v.string(), v.maxLength(CONSENT_LENGTH))),
  /** Whether contacts that left here come back where the file has them as subscribed; otherwise they stay away. */
  resubscribe: v.optional(TrueOrFalse, false),
  /** The encoding of the file where it is known; otherwise it is detected, of these UTF-8, UTF-16 and Windows-1252. */
  encoding: v.nullish(v.picklist(ENCODINGS, `must be one of ${ENCODINGS.join(', ')}, or left out to detect it`)),
})
/** These may stand in the query as well. */
export const ImportQuery = v.pick(ImportBody, ['columns', 'topic', 'consentText', 'resubscribe', 'encoding'])
/** A file of contacts. */
export interface ImportContactsInput extends InputOf<typeof ImportBody> {}

function readFile(input: ImportContactsInput | UntrustedInput) {
  const { file, columns, topic, consentText, resubscribe, encoding } = parse(ImportBody, input)
  if (file.length > IMPORT_BYTES) throw new EngineError('PAYLOAD_TOO_LARGE', 'The file must be at most 5 MB.')
  const given = givenColumns(columns)
  return { file, given, topic, consentText: consentText?.trim(), resubscribe, encoding: encoding ?? undefined }
}

function familyOf(type: ContactJob['type']): JobFamily {
  return type === 'import' || type === 'suppressions' ? type : 'bulk'
}

const Tries = v.object({ tries: v.optional(v.number(), 0) })
const StoredForm = v.object({
  encoding: v.picklist(ENCODINGS),
  delimiter: v.picklist(DELIMITERS),
  columns: v.optional(GivenColumnsInput, {}),
  topicId: v.optional(v.string()),
  resubscribe: v.optional(v.boolean()),
  consentText: v.optional(v.string()),
})

function jsonOf(record: object): Json {
  return parseJson(JSON.stringify(record)) as Json
}
