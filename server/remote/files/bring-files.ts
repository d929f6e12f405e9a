import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { openZip } from '../../../config/moving/zip-in.ts'
import { EngineError } from '../../../core/errors.ts'
import type { SuppressionReason } from '../../../core/ports/store/suppressions.ts'
import type { BringOver, BroughtRecord } from '../bring-over.ts'
import type { BroughtContact } from '../brought-csv.ts'
import { RemoteProblem } from '../problem.ts'
import { readInput } from '../read-input.ts'
import { type Known, knownFile, type NamedFile, type Reading, type VendorRow } from './vendor-rows.ts'
import type { Standing, Vendor } from './vendors.ts'

/** An export of another service, and what it means here. */
export interface VendorExport extends Reading {
  /** A CSV file, or a zip of them. */
  readonly file: string
  /** The kind of thing that groups become; undefined: as this service has them. */
  readonly groupsAre?: 'topics' | 'segments' | undefined
}

/** As much may the files have together, all of which is held in memory. */
const MEGABYTES = 500
/** As many groups may the files have. */
const MAX_GROUPS = 1_000

/** Brings an export over: contacts, groups, suppressions, and the templates and past campaigns of a zip. */
export async function bringFiles(over: BringOver, vendor: Vendor, wanted: VendorExport): Promise<void> {
  const { tables, pages } = await filesIn(wanted.file)
  // who left in one file and not in another has left
  const known = tables.map((file) => knownFile(vendor, file, wanted)).toSorted((a, b) => rankOf(a) - rankOf(b))
  const people = new People(over, vendor, wanted.groupsAre ?? vendor.groupsAre)
  await over.contacts(people.all(known), () => 0)
  await people.end()
  await over.templates(pages.map(templateOf(vendor)))
}

const ORDER: readonly (Standing | undefined)[] = [
  undefined,
  'subscribed',
  'unconfirmed',
  'unsubscribed',
  'bounced',
  'complained',
]

function rankOf({ standing }: Known): number {
  return ORDER.indexOf(standing)
}

/** The states of people who get no mail at all. */
const SUPPRESSED: Partial<Readonly<Record<Standing, SuppressionReason>>> = {
  bounced: 'BOUNCE',
  complained: 'COMPLAINT',
}

/** Why rows stay behind. */
const LEFT_OUT: Partial<Readonly<Record<Standing, string>>> = {
  unconfirmed: 'never confirmed, and so agreed to nothing',
  deleted: 'was deleted there',
}

/** The people of all files, and what is done for them after their contacts are made. */
class People {
  readonly #over: BringOver
  readonly #vendor: Vendor
  readonly #groupsAre: 'topics' | 'segments'
  readonly #suppressed = new Map<SuppressionReason, string[]>()
  readonly #members = new Map<string, string[]>()
  readonly #slugs = new Map<string, string | undefined>()
  /** Addresses that a row has as unsubscribed: another row of the same files subscribes none of them. */
  readonly #left = new Set<string>()

  constructor(over: BringOver, vendor: Vendor, groupsAre: 'topics' | 'segments') {
    this.#over = over
    this.#vendor = vendor
    this.#groupsAre = groupsAre
  }

  async *all(files: readonly Known[]): AsyncGenerator<BroughtContact> {
    for (const file of files) {
      for await (const row of file.rows()) {
        if (row.kind === 'wrong') this.#over.refuse(row.what, row.problem)
        else {
          const why = LEFT_OUT[row.standing]
          if (why === undefined) yield await this.#contactOf(row)
          else this.#over.leaveOut(why)
        }
      }
    }
  }

  /** Suppresses those whose mail bounced or who complained, and fills the segments. */
  async end(): Promise<void> {
    for (const [reason, emails] of this.#suppressed) {
      const what = reason === 'BOUNCE' ? 'bounced' : 'complained'
      await this.#over.suppress([...new Set(emails)], `${what} at ${this.#vendor.name}`, reason)
    }
    for (const [name, emails] of this.#members) await this.#over.list(name, [...new Set(emails)])
  }

  async #contactOf({ email: given, standing, isRefused, data, groups }: VendorRow): Promise<BroughtContact> {
    const email = given.toLowerCase()
    const reason = SUPPRESSED[standing]
    if (reason) grouped(this.#suppressed, reason).push(email)
    const subscribed = standing === 'subscribed' && !isRefused && !this.#left.has(email)
    if (!subscribed) {
      this.#left.add(email)
      return { email, subscribed, data }
    }
    if (this.#groupsAre === 'segments') {
      for (const name of groups) if (this.#mayHave(name, this.#members)) grouped(this.#members, name).push(email)
      return { email, subscribed, data }
    }
    const topics: string[] = []
    for (const name of groups) {
      const slug = await this.#slugOf(name)
      if (slug !== undefined) topics.push(slug)
    }
    return { email, subscribed, data, topics }
  }

  /** The topic of a group; a group that is refused is named once, and its people come without it. */
  async #slugOf(name: string): Promise<string | undefined> {
    if (this.#slugs.has(name) || !this.#mayHave(name, this.#slugs)) return this.#slugs.get(name)
    try {
      const slug = await this.#over.topic(name)
      this.#slugs.set(name, slug)
      return slug
    } catch (error) {
      if (!(error instanceof RemoteProblem) || error.exitCode !== 1) throw error
      this.#over.refuse(`group ${name}`, error.message)
      this.#slugs.set(name, undefined)
      return undefined
    }
  }

  #mayHave(name: string, known: ReadonlyMap<string, unknown>): boolean {
    if (known.has(name) || known.size < MAX_GROUPS) return true
    throw new RemoteProblem(`The files have more than ${MAX_GROUPS} groups: is the column of groups the right one?`, 1)
  }
}

function grouped<Key>(map: Map<Key, string[]>, key: Key): string[] {
  const list = map.get(key) ?? []
  map.set(key, list)
  return list
}

/** A page of HTML in a zip: a template, or the text of a campaign that was sent. */
interface Page extends NamedFile {
  readonly isCampaign: boolean
}

interface Files {
  readonly tables: readonly NamedFile[]
  readonly pages: readonly Page[]
}

async function filesIn(file: string): Promise<Files> {
  if (file === '-' || !(await isZip(file))) {
    const blob = await readInput(file, MEGABYTES, 'split it, each part with the header')
    return {
      tables: [
        { name: file === '-' ? 'The standard input' : basename(file), bytes: new Uint8Array(await blob.arrayBuffer()) },
      ],
      pages: [],
    }
  }
  try {
    return await unpacked(file)
  } catch (error) {
    if (EngineError.is(error)) throw new RemoteProblem(error.message, 1)
    throw error
  }
}

async function unpacked(file: string): Promise<Files> {
  const zip = await openZip(file)
  try {
    const [tables, pages]: [NamedFile[], Page[]] = [[], []]
    const wanted = zip.names.filter(
      (name) => /\.(?:csv|txt|html?)$/i.test(name) && !/(?:^|\/)(?:__MACOSX|\.)/.test(name),
    )
    const size = wanted.reduce((sum, name) => sum + zip.size(name), 0)
    if (size > MEGABYTES * 1024 * 1024)
      throw new RemoteProblem(`The files in ${file} have more than ${MEGABYTES} MB together.`, 1)
    for (const name of wanted) {
      const chunks: Buffer[] = []
      for await (const chunk of zip.bytes(name)) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      if (!/\.html?$/i.test(name)) tables.push({ name, bytes })
      else pages.push({ name, bytes, isCampaign: /(?:^|\/)campaigns?/i.test(name) })
    }
    if (tables.length + pages.length === 0) throw new RemoteProblem(`${file} has no CSV file in it.`, 1)
    return { tables, pages }
  } finally {
    await zip.close()
  }
}

/** Whether a file begins as a zip does; one that cannot be read does not. */
async function isZip(path: string): Promise<boolean> {
  if (/\.zip$/i.test(path)) return true
  const file = await open(path, 'r').catch(() => undefined)
  if (file === undefined) return false
  try {
    const start = Buffer.alloc(4)
    await file.read(start, 0, start.length, 0)
    return start.toString('latin1') === 'PK\u0003\u0004'
  } catch {
    return false
  } finally {
    await file.close()
  }
}

function templateOf({ name: service, keys, ours }: Vendor) {
  return ({ name: path, bytes, isCampaign }: Page): BroughtRecord => {
    const name = basename(path)
      .replace(/\.html?$/i, '')
      .slice(0, 80)
    const html = ours(new TextDecoder().decode(bytes), keys)
    const title = /<title>([^<]{1,200})<\/title>/i.exec(html)?.[1]?.trim()
    const description = isCampaign ? `A campaign that was sent with ${service}.` : `A template of ${service}.`
    const called = isCampaign ? `${service}: ${name}` : name
    return { name: called, description, subject: title || name, body: html, type: 'MARKETING' }
  }
}
