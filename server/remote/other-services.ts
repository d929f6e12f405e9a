import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { requireLetters } from '../../core/contacts/csv-file.ts'
import { type Encoding, encodingOf, textOf } from '../../core/contacts/csv-text.ts'
import { EngineError } from '../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/values/json.ts'
import { interruptible } from '../process/interrupt.ts'
import { BringOver, type Brought, type BroughtRecord } from './bring-over.ts'
import type { BroughtContact } from './brought-csv.ts'
import { bringFiles, type VendorExport } from './files/bring-files.ts'
import { VENDORS, type VendorName } from './files/vendors.ts'
import { listIn, OtherApi } from './other-api.ts'
import { RemoteProblem } from './problem.ts'
import { readInput } from './read-input.ts'
import { Resend } from './resend.ts'
import { withServer } from './with-server.ts'

/** Which server takes what is brought over, and whether the counts are printed as JSON. */
interface Target {
  readonly url: string | undefined
  readonly json: boolean
  /** Writes nothing, and says what would come. */
  readonly dryRun: boolean
  /** The words that contacts agreed to. */
  readonly consentText?: string | undefined
}

/** A file of listmonk, and what it means. */
export interface ListmonkFile {
  readonly file: string
  /** The static segment that those who are subscribed go into. */
  readonly segment?: string | undefined
  /** The topic that those who are subscribed get, or leave when `unsubscribed` is set. */
  readonly topic?: string | undefined
  /** No one in the file is subscribed: the people who left a list. */
  readonly unsubscribed?: boolean | undefined
  /** The encoding of the file, where it is not detected. */
  readonly encoding?: Encoding | undefined
}

/** Brings contacts, templates and segments over from Plunk's API: PLUNK_KEY, PLUNK_URL. Answers the exit code. */
export function bringFromPlunk(target: Target): Promise<number> {
  return bringing(target, ['PLUNK_KEY'], async (over, { PLUNK_KEY = '', PLUNK_URL }, signal) => {
    const there = new Plunk(PLUNK_URL?.trim() || 'https://next-api.useplunk.com', PLUNK_KEY, signal)
    await over.contacts(there.contacts(), () => there.total)
    await over.templates(await there.all('/templates', ['templates', 'data'], templateOf))
    for (const segment of await there.all('/segments', ['segments', 'data'], (segment) => segment)) {
      if (signal.aborted) return
      const name = String(segment.name)
      if (segment.type !== 'STATIC') await over.segment(segmentOf(segment))
      else {
        const path = `/segments/${encodeURIComponent(String(segment.id))}/contacts`
        await over.list(name, await there.all(path, ['contacts', 'data'], ({ email }) => String(email)))
      }
    }
  })
}

/** Brings the audience, templates, sent broadcasts, suppressions and domains over from Resend's API: RESEND_API_KEY, RESEND_URL. Answers the exit code. */
export function bringFromResend(target: Target): Promise<number> {
  return bringing(target, ['RESEND_API_KEY'], async (over, { RESEND_API_KEY = '', RESEND_URL }, signal) => {
    const there = new Resend(RESEND_URL?.trim() || 'https://api.resend.com', RESEND_API_KEY, signal)
    const slugs = new Map<string, string>()
    for (const { id, name, isForAll } of await there.topics()) {
      slugs.set(id, await over.topic(name, isForAll ? 'in' : 'out'))
    }
    await over.contacts(there.contacts(slugs), () => 0)
    for await (const { name, emails } of there.segments()) await over.list(name, emails)
    for (const [reason, emails] of await there.suppressions())
      await over.suppress(emails, 'suppressed at Resend', reason)
    for await (const template of there.templates()) await over.templates([template])
    for await (const broadcast of there.broadcasts()) await over.templates([broadcast])
    for (const domain of await there.domains()) await over.domain(domain)
  })
}

/** Brings an export of another service over. Answers the exit code. */
export function bringFromFiles(target: Target, vendor: VendorName, wanted: VendorExport): Promise<number> {
  return bringing(target, [], (over) => bringFiles(over, VENDORS[vendor], wanted))
}

/** Brings the subscribers of an export of listmonk over. Answers the exit code. */
export function bringFromListmonk(
  target: Target,
  { file, segment, topic: name, unsubscribed, encoding: named }: ListmonkFile,
): Promise<number> {
  return bringing(target, [], async (over) => {
    const bytes = await bytesOf(file)
    const encoding = encodingIn(bytes, named)
    const [blocked, subscribed]: [string[], string[]] = [[], []]
    const total = linesIn(bytes)
    const topic = name === undefined ? undefined : await over.topic(name)
    const rows = async function* (): AsyncGenerator<BroughtContact> {
      for await (const row of listmonkRows(textOf(bytes, encoding), over)) {
        const { email, status } = row
        if (status === 'blocklisted') blocked.push(email)
        const contact = contactOf(row, unsubscribed === true && topic === undefined)
        if ('problem' in contact) over.refuse(`row ${row.line} (${email})`, contact.problem)
        else {
          if (contact.subscribed) subscribed.push(email)
          yield topic === undefined ? contact : { ...contact, ...ofTopic(contact, topic, unsubscribed === true) }
        }
      }
    }
    await over.contacts(rows(), () => total)
    await over.suppress(blocked, 'on the blocklist of listmonk')
    if (segment !== undefined) await over.list(segment, subscribed)
  })
}

/** A person who left a list left its topic, and nothing else. */
function ofTopic({ subscribed }: BroughtContact, topic: string, isLeft: boolean): Partial<BroughtContact> {
  if (isLeft) return { leftTopics: [topic] }
  return subscribed ? { topics: [topic] } : {}
}

/** As much may a file have, all of which is held in memory. */
const MEGABYTES = 500

/** The bytes, without what they were read into. */
async function bytesOf(file: string): Promise<Uint8Array> {
  const blob = await readInput(file, MEGABYTES, 'split it, each part with the header')
  return new Uint8Array(await blob.arrayBuffer())
}

function encodingIn(bytes: Uint8Array, named: Encoding | undefined): Encoding {
  const encoding = encodingOf(bytes, named)
  try {
    requireLetters(bytes, encoding, named)
  } catch (error) {
    if (!EngineError.is(error)) throw error
    throw new RemoteProblem(`${error.message.replace(/^file: /, 'The file ')}. Nothing was brought over.`, 1)
  }
  return encoding
}

/** About as many as it has rows. */
function linesIn(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) count++
  return Math.max(0, count - 1)
}

const LINE_END = 10

type Variables = Readonly<Record<string, string | undefined>>

async function bringing(
  target: Target,
  needed: readonly string[],
  work: (over: BringOver, variables: Variables, signal: AbortSignal) => Promise<void>,
): Promise<number> {
  const { url, json, dryRun, consentText } = target
  return withServer(
    url,
    (client, variables) =>
      interruptible(async (signal, exitCode) => {
        const over = new BringOver(client, signal, { isQuiet: json, isDry: dryRun, consentText })
        let failure: RemoteProblem | undefined
        try {
          await work(over, variables, signal)
        } catch (error) {
          if (!(error instanceof RemoteProblem)) throw error
          failure = error
        } finally {
          over.end()
        }
        const isStopped = signal.aborted || failure !== undefined
        if (failure && !signal.aborted) process.stderr.write(`${failure.message}\n`)
        if (isStopped) process.stderr.write('Not all was brought over; it may be run again.\n')
        print(over.brought, target)
        if (signal.aborted) return exitCode()
        return failure?.exitCode ?? Number(over.brought.refused > 0)
      }),
    { needed, isPatient: true },
  )
}

function print(brought: Brought, { json, dryRun }: Target): void {
  if (json) return void process.stdout.write(`${JSON.stringify(dryRun ? { dryRun, ...brought } : brought)}\n`)
  const { contacts, suppressed, templates, segments, topics, members, domains, left, leftOut, refused } = brought
  const counts = [
    `${contacts} contacts`,
    `${templates} templates`,
    `${segments} segments with ${members} members added`,
    ...(topics === 0 ? [] : [`${topics} topics`]),
    ...(domains === 0 ? [] : [`${domains} domains`]),
    `${suppressed} addresses suppressed`,
    `${left} left as they were here`,
    `${refused} refused`,
  ]
  process.stdout.write(`${dryRun ? 'Would bring ' : ''}${counts.join(', ')}\n`)
  for (const [reason, rows] of Object.entries(leftOut)) process.stdout.write(`left out: ${rows} rows, ${reason}\n`)
  if (dryRun) process.stdout.write('Nothing was written.\n')
}

function templateOf(template: JsonObject): BroughtRecord {
  const { name, description, subject, body, from, fromName, replyTo, type } = template
  const given = { name, description, subject, body, from, fromName, replyTo, type }
  return { ...withoutNothing(given), name: String(name) }
}

function segmentOf({ name, description, condition, filters, trackMembership }: JsonObject): BroughtRecord {
  const filter = condition ? { condition } : { filters }
  return {
    ...withoutNothing({ description, ...filter }),
    name: String(name),
    trackMembership: trackMembership === true,
  }
}

function withoutNothing(record: Readonly<Record<string, Json | undefined>>): Record<string, Json> {
  return Object.fromEntries(Object.entries(record).flatMap(([key, value]) => (value == null ? [] : [[key, value]])))
}

/** Plunk's interface, as far as it lists. */
class Plunk {
  readonly #api: OtherApi
  readonly #signal: AbortSignal
  /** How many contacts there are, as far as it has said. */
  total = 0

  constructor(url: string, key: string, signal: AbortSignal) {
    const variables = { urlVariable: 'PLUNK_URL', keyVariable: 'PLUNK_KEY' }
    this.#api = new OtherApi({ name: 'Plunk', url, key, ...variables }, signal)
    this.#signal = signal
  }

  async *contacts(): AsyncGenerator<BroughtContact> {
    let cursor = ''
    do {
      const page = await this.#api.get(`/contacts?limit=${PAGE}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
      const { total, hasMore, cursor: next } = isJsonObject(page) ? page : {}
      if (typeof total === 'number') this.total = total
      for (const contact of listIn(page, ['data', 'contacts'])) {
        const { email, subscribed, data } = contact
        yield { email: String(email), subscribed: subscribed !== false, data: isJsonObject(data) ? data : {} }
      }
      cursor = hasMore === true && typeof next === 'string' ? next : ''
    } while (cursor !== '' && !this.#signal.aborted)
  }

  async all<T>(path: string, names: readonly string[], read: (record: JsonObject) => T): Promise<readonly T[]> {
    const all: T[] = []
    for (let page = 1; !this.#signal.aborted; page++) {
      const answer = await this.#api.get(`${path}?page=${page}&pageSize=${PAGE}`)
      const records = listIn(answer, names)
      all.push(...records.map(read))
      const pages = isJsonObject(answer) && typeof answer.totalPages === 'number' ? answer.totalPages : 1
      if (page >= pages || records.length === 0) break
    }
    return all
  }
}

const PAGE = 100
/** A row of listmonk's export. */
interface ListmonkRow {
  readonly line: number
  readonly email: string
  readonly name: string
  readonly attributes: string
  readonly status: string
}

/** The columns of its export: uuid, email, name, attributes (JSON), status, created_at, updated_at. */
const COLUMNS = ['email', 'status'] as const

async function* listmonkRows(text: AsyncIterable<string>, over: BringOver): AsyncGenerator<ListmonkRow> {
  const parser = parse({
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    skip_records_with_error: true,
    columns: (header: string[]) => {
      const names = header.map((name) => name.trim().toLowerCase())
      const missing = COLUMNS.filter((name) => !names.includes(name))
      if (missing.length > 0)
        throw new RemoteProblem(
          `The file is no export of listmonk: it has no column ${missing.join(' and none ')}. Others are for \`import\`.`,
          1,
        )
      return names
    },
    on_skip: (error: CsvError | undefined) => {
      over.refuse(`line ${error?.lines ?? '?'}`, error?.message ?? 'it cannot be read')
      return undefined
    },
  })
  const rows = Readable.from(text).pipe(parser)
  for await (const { record, info } of rows as AsyncIterable<{
    record: Readonly<Record<string, string | undefined>>
    info: { lines: number }
  }>) {
    const { email = '', name = '', attributes = '', status = '' } = record
    if (email.trim() === '') over.refuse(`row at line ${info.lines}`, 'it has no address')
    else
      yield {
        line: info.lines,
        email: email.trim(),
        name: name.trim(),
        attributes,
        status: status.trim().toLowerCase(),
      }
  }
}

function contactOf(
  { email, name, attributes, status }: ListmonkRow,
  isUnsubscribed: boolean,
): BroughtContact | { readonly problem: string } {
  const data = attributesIn(attributes)
  if (data === undefined) return { problem: `its attributes are no object in JSON: ${attributes.slice(0, 100)}` }
  const subscribed = status === 'enabled' && !isUnsubscribed
  return { email, subscribed, data: { ...(name === '' ? {} : { name }), ...data } }
}

function attributesIn(text: string): JsonObject | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return value === null ? {} : isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
