import { stringify } from 'csv-stringify/sync'
import { EXPORT_COLUMNS, guarded } from '../../core/contacts/csv-cells.ts'
import type { SuppressionReason } from '../../core/ports/store/suppressions.ts'
import type { Json } from '../../core/values/json.ts'
import type { MailwrightClient } from '../client/index.ts'
import { ProgressLine } from '../process/progress.ts'
import { type BroughtContact, csvOf } from './brought-csv.ts'
import { importOne } from './import.ts'
import { RemoteProblem } from './problem.ts'
import { answered, type Called } from './with-server.ts'

/** A template or segment as another service has it: what a program of Plunk's API sends to this one. */
export type BroughtRecord = Readonly<Record<string, Json | undefined>> & { readonly name: string }

/** The counts of what was brought over. */
export interface Brought {
  contacts: number
  suppressed: number
  templates: number
  segments: number
  topics: number
  members: number
  domains: number
  /** Templates, segments and domains that were here by name. */
  left: number
  refused: number
  /** Rows that do not come over, by the reason. */
  leftOut: Record<string, number>
}

/** How records are brought over. */
export interface Bringing {
  /** Shows no progress. */
  readonly isQuiet: boolean
  /** Writes nothing, and counts what would come. */
  readonly isDry: boolean
  /** The words that contacts agreed to, kept with each topic that they get. */
  readonly consentText?: string | undefined
}

/** Rows of which each was taken or refused, by address. */
interface Outcome {
  readonly taken: number
  readonly refused: readonly { readonly email: string; readonly reason: string }[]
  /** Whether all that were refused are named. */
  readonly isWhole: boolean
}

/** As many rows of one import: it names at most 100 that it refuses. */
const ROWS = 5_000
const BYTES = 4 * 1024 * 1024
const MEMBERS = 500
/** As many are named of a list that the server answers. */
const PAGE = 100

/** The counts before anything was brought over. */
function nothingBrought(): Brought {
  const counts = { contacts: 0, suppressed: 0, templates: 0, segments: 0, topics: 0, members: 0, domains: 0 }
  return { ...counts, left: 0, refused: 0, leftOut: {} }
}

/**
 * Brings records of another service to a project, by imports where there are any. What is refused is named with the reason on
 * stderr, and the rest goes on. Throws RemoteProblem when the server cannot be asked at all.
 */
export class BringOver {
  readonly brought: Brought = nothingBrought()
  readonly #client: MailwrightClient
  readonly #signal: AbortSignal
  readonly #line: ProgressLine
  readonly #how: Bringing
  /** Topics and segments that a dry run would have made, by their names. */
  readonly #planned = new Set<string>()
  readonly #told = new Set<string>()
  readonly #refused = new Set<string>()

  constructor(client: MailwrightClient, signal: AbortSignal, how: Bringing) {
    this.#client = client
    this.#signal = signal
    this.#how = how
    this.#line = new ProgressLine(process.stderr, 'contacts')
  }

  /** Names what did not come over. */
  refuse(what: string, reason: string): void {
    this.brought.refused++
    this.#tell(
      `refused: ${what}: ${reason
        .split('\n')
        .map((line) => line.trim())
        .join('; ')}`,
    )
  }

  /** Counts a row that does not come over, although nothing is wrong with it. */
  leaveOut(reason: string): void {
    this.brought.leftOut[reason] = (this.brought.leftOut[reason] ?? 0) + 1
  }

  /**
   * Makes or changes contacts. A contact who left there leaves here, too; one who left here stays away. `total` is how
   * many there are to come, as far as it is known.
   */
  async contacts(all: AsyncIterable<BroughtContact>, total: () => number): Promise<void> {
    let rows: BroughtContact[] = []
    let bytes = 0
    this.#show(total())
    for await (const contact of all) {
      if (this.#signal.aborted) return
      rows.push(contact)
      bytes += JSON.stringify(contact.data).length * 2
      if (rows.length < ROWS && bytes < BYTES) continue
      await this.#importContacts(rows, total)
      rows = []
      bytes = 0
    }
    if (rows.length > 0) await this.#importContacts(rows, total)
    this.end()
  }

  /** Puts addresses on the suppression list. */
  async suppress(emails: readonly string[], detail: string, reason: SuppressionReason = 'MANUAL'): Promise<void> {
    for (const part of parts(emails, ROWS)) {
      if (this.#how.isDry) this.brought.suppressed += part.length
      else
        this.brought.suppressed += await this.#halving(part, plainly, (some) =>
          this.#importSuppressions(some, detail, reason),
        )
    }
  }

  /** Adds a sender domain, unless it is here. */
  async domain(domain: string): Promise<void> {
    const { projectId } = await answered(this.#client.GET('/keys/@me'))
    const path = { projectId }
    const known = await answered(this.#client.GET('/domains/project/{projectId}', { params: { path } }))
    if (known.some((each) => each.domain === domain)) this.brought.left++
    else if (await this.#make('domain', domain, () => this.#client.POST('/domains', { body: { domain } })))
      this.brought.domains++
  }

  /** Makes a template, unless there is one of this name. */
  async templates(all: readonly BroughtRecord[]): Promise<void> {
    const known = await this.#names(async (page) => {
      const query = { page, pageSize: PAGE }
      const { templates, totalPages } = await answered(this.#client.GET('/templates', { params: { query } }))
      return { names: templates.map(({ name }) => name), isLast: page >= totalPages }
    })
    for (const template of all) {
      const make = () => this.#client.POST('/templates', { body: template as never })
      if (known.has(template.name)) this.brought.left++
      else if (await this.#make('template', template.name, make)) this.brought.templates++
    }
  }

  /** Makes a dynamic segment, unless there is one of this name. */
  async segment(segment: BroughtRecord): Promise<void> {
    if ((await this.#segments()).has(segment.name)) this.brought.left++
    else if (
      await this.#make('segment', segment.name, () => this.#client.POST('/segments', { body: segment as never }))
    )
      this.brought.segments++
  }

  /** The slug of the topic of this name, which is made when there is none. Throws RemoteProblem when it is refused. */
  async topic(name: string, standing: 'in' | 'out' = 'out'): Promise<string> {
    const { data } = await answered(this.#client.GET('/topics'))
    const known = data.find((topic) => topic.name === name || topic.slug === name)
    if (known) return known.slug
    if (this.#how.isDry) {
      if (!this.#planned.has(name)) this.brought.topics++
      this.#planned.add(name)
      return name
    }
    const { slug } = await answered(this.#client.POST('/topics', { body: { name, standing } }))
    this.brought.topics++
    return slug
  }

  /** Makes a static segment of these contacts, or adds them to the one of this name. */
  async list(name: string, emails: readonly string[]): Promise<void> {
    let id = (await this.#segments()).get(name)
    const here = emails.filter((email) => !this.#refused.has(email))
    if (this.#how.isDry) {
      if (id === undefined) this.brought.segments++
      this.brought.members += here.length
      return
    }
    if (id === undefined) {
      const body = { name, type: 'STATIC' } as never
      const made = await this.#make('segment', name, () => this.#client.POST('/segments', { body }))
      if (!made || made === DRY) return
      ;({ id } = made)
      this.brought.segments++
    }
    const what = (email: string) => `member ${email} of the segment ${name}`
    for (const part of parts(here, MEMBERS))
      this.brought.members += await this.#halving(part, what, (some) => this.#addMembers(id, some))
  }

  /** Ends the line that shows the progress. */
  end(): void {
    this.#line.end()
  }

  async #importContacts(rows: readonly BroughtContact[], total: () => number): Promise<void> {
    const byEmail = new Map(rows.map((row) => [row.email, row]))
    const taken = await this.#halving([...byEmail.keys()], plainly, async (emails) => {
      const some = emails.flatMap((email) => byEmail.get(email) ?? [])
      const blob = new Blob([csvOf(some.map((row) => this.#known(row)))])
      if (this.#how.isDry) return this.#preview(blob, emails)
      const form = { blob, name: 'contacts.csv', consentText: this.#how.consentText }
      const { state, result, failedReason } = await importOne(this.#client, form, this.#signal, () => {})
      if (state === 'failed') throw new RemoteProblem(failedReason ?? 'The import failed.', 1)
      // the first are those of every export, which are not all taken
      for (const { header, note } of result?.columns?.slice(EXPORT_COLUMNS.length) ?? [])
        if (note !== undefined && !header.startsWith('topic')) this.#tellOnce(`column ${header}: ${note}`)
      const errors = result?.errors ?? []
      return {
        taken: result?.successCount ?? 0,
        refused: errors.map(({ row, email, error }) => ({ email: emails[row - 2] ?? email, reason: error })),
        isWhole: errors.length === (result?.failureCount ?? 0),
      }
    })
    this.brought.contacts += taken
    this.#show(total())
  }

  /** The contact without the topics that a dry run has not made: rows that name them would be refused. */
  #known(contact: BroughtContact): BroughtContact {
    if (this.#planned.size === 0) return contact
    const isHere = (slug: string) => !this.#planned.has(slug)
    const { topics = [], leftTopics = [] } = contact
    return { ...contact, topics: topics.filter(isHere), leftTopics: leftTopics.filter(isHere) }
  }

  /** The outcome of an import, as far as it is known before. */
  async #preview(blob: Blob, emails: readonly string[]): Promise<Outcome> {
    const body = { file: new File([blob], 'contacts.csv') }
    const preview = await answered(this.#client.POST('/contacts/import/preview', { body }))
    const refused = preview.errors.map(({ row, email, error }) => ({ email: emails[row - 2] ?? email, reason: error }))
    const taken = preview.createdCount + preview.updatedCount
    return { taken, refused, isWhole: refused.length === preview.failureCount }
  }

  async #importSuppressions(emails: readonly string[], detail: string, reason: SuppressionReason): Promise<Outcome> {
    const rows = emails.map((email) => [guarded(email), reason, detail])
    const file = new File([stringify([['email', 'reason', 'detail'], ...rows])], 'suppressions.csv')
    const result = await answered(this.#client.POST('/suppressions/import', { body: { file } }))
    // as many as there are in a part are done with the answer
    if ('jobId' in result) return { taken: emails.length, refused: [], isWhole: true }
    const { errors, failureCount, successCount } = result
    const refused = errors.map(({ row, email, error }) => ({ email: emails[row - 2] ?? email, reason: error }))
    return { taken: successCount, refused, isWhole: errors.length === failureCount }
  }

  async #addMembers(id: string, emails: readonly string[]): Promise<Outcome> {
    const body = { emails: [...emails] } as never
    const { notFound } = await answered(this.#client.POST('/segments/{id}/members', { params: { path: { id } }, body }))
    const refused = notFound.map((email) => ({ email, reason: 'there is no such contact here' }))
    return { taken: emails.length - refused.length, refused, isWhole: true }
  }

  /**
   * Does the work for all of these, and for each half of them when it is refused as a whole or does not name all that were
   * refused, so that one bad row keeps no other back. All of it may be done twice. Answers how many were taken.
   */
  async #halving(
    emails: readonly string[],
    what: (email: string) => string,
    work: (emails: readonly string[]) => Promise<Outcome>,
  ): Promise<number> {
    const [first, ...more] = emails
    if (first === undefined || this.#signal.aborted) return 0
    let outcome: Outcome | undefined
    try {
      outcome = await work(emails)
    } catch (error) {
      if (!(error instanceof RemoteProblem) || error.exitCode !== 1) throw error
      if (more.length === 0) outcome = { taken: 0, refused: [{ email: first, reason: error.message }], isWhole: true }
    }
    if (outcome?.isWhole || (outcome && more.length === 0)) {
      for (const { email, reason } of outcome.refused) {
        this.#refused.add(email)
        this.refuse(what(email), reason)
      }
      return outcome.taken
    }
    const middle = Math.ceil(emails.length / 2)
    const left = await this.#halving(emails.slice(0, middle), what, work)
    return left + (await this.#halving(emails.slice(middle), what, work))
  }

  /** The record that was made; undefined when it was refused, DRY when nothing is made. Warnings of the server are shown. */
  async #make<T>(kind: string, name: string, ask: () => Promise<Called<T>>): Promise<T | typeof DRY | undefined> {
    if (this.#how.isDry) return DRY
    try {
      const call = ask()
      const made = await answered(call)
      const { response } = await call
      const warning = response.headers.get('mailwright-warning')
      if (warning !== null) this.#tell(`${kind} ${name}: ${warning}`)
      return made
    } catch (error) {
      if (!(error instanceof RemoteProblem) || error.exitCode !== 1) throw error
      this.refuse(`${kind} ${name}`, error.message)
      return undefined
    }
  }

  async #segments(): Promise<ReadonlyMap<string, string>> {
    const all = await answered(this.#client.GET('/segments'))
    return new Map(all.map(({ id, name }) => [name, id]))
  }

  async #names(
    read: (page: number) => Promise<{ readonly names: readonly string[]; readonly isLast: boolean }>,
  ): Promise<ReadonlySet<string>> {
    const all = new Set<string>()
    for (let page = 1; ; page++) {
      const { names, isLast } = await read(page)
      for (const name of names) all.add(name)
      if (isLast) return all
    }
  }

  #show(total: number): void {
    const done = this.brought.contacts + this.#refused.size
    // before the first, nothing may be known of how many there are
    if (!this.#how.isQuiet && total > 0) this.#line.show({ what: 'brought over', done, total: Math.max(done, total) })
  }

  #tell(text: string): void {
    this.#line.end()
    process.stderr.write(`${text}\n`)
  }

  #tellOnce(text: string): void {
    if (this.#told.has(text)) return
    this.#told.add(text)
    this.#tell(text)
  }
}

/** In the place of a record that a dry run did not make. */
const DRY = Symbol('dry run')

function plainly(email: string): string {
  return email
}

function parts<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(all.length / size)
  return Array.from({ length: count }, (_, i) => all.slice(i * size, (i + 1) * size))
}
