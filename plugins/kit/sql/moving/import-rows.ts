/* SQL by hand: every table is looked up and written by the same statements. */
import { EngineError } from '../../../../core/errors.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { nameTaken } from '../copy/add-project.ts'
import type { CopySide } from '../copy/copy-side.ts'
import type { Access } from '../engine/access.ts'
import type { Column, Table } from '../engine/table.ts'
import { recordOf } from './lines.ts'
import { type Part, partsOf } from './plan.ts'

/** A line of a file, counted from 1. */
export interface Line {
  readonly number: number
  readonly text: string
}

/** Reads the lines of a file from its beginning, a batch at a time. */
export type ReadLines = (file: string) => AsyncIterable<readonly Line[]>

/** The project in the files, and where it goes. */
export interface Wish {
  readonly from: ProjectId
  /** The project that takes it all; one that is not there is made. */
  readonly into: ProjectId
  /** The name of a project that is made. */
  readonly name: string
  /** Whether what waits goes on here. */
  readonly resume: boolean
  readonly now: Date
  /** Called after each batch with the number of its lines. */
  onLines(lines: number): void
}

/** The rows of one file: how many there were, were added, and were held. */
export interface Arrived {
  readonly file: string
  readonly lines: number
  readonly added: number
  readonly held: number
}

/** The rows of all files as they are written here. */
export class RowImport {
  readonly #to: CopySide
  readonly #wish: Wish
  readonly #lines: ReadLines
  /** The ids of the files that stand for others here: the project's, and those of things that are here already. */
  readonly #ids = new Map<string, string>()
  #isNew = true
  #isArchiveTaken = false

  constructor(to: CopySide, wish: Wish, lines: ReadLines) {
    this.#to = to
    this.#wish = wish
    this.#lines = lines
    if (wish.from !== wish.into) this.#ids.set(wish.from, wish.into)
  }

  /**
   * Reads every line once, and writes nothing. Throws EngineError: `CONFIG_INVALID` with the file and the line that is
   * wrong, `CONFLICT` when the project or an id is taken.
   */
  async check(): Promise<void> {
    await this.#findProject()
    for (const part of partsOf(this.#to.named)) {
      for await (const lines of this.#lines(part.file)) {
        const records = lines.map((line) => this.#read(part, line))
        await this.#refuseForeign(this.#to.database, part, lines, records)
        if (part.table.name === '"projects"') await this.#lookForArchive(records)
        if (!this.#isNew) for (const unique of part.table.uniques) await this.#findTaken(part.table, unique, records)
        this.#wish.onLines(lines.length)
      }
    }
  }

  /** Writes every line, in one transaction: all, or none. Call `check` before. */
  async write(): Promise<readonly Arrived[]> {
    return this.#to.database.transaction(async (inside) => {
      const all: Arrived[] = []
      for (const part of partsOf(this.#to.named)) all.push(await this.#writeFile(inside, part))
      return all
    })
  }

  async #writeFile(inside: Access, part: Part): Promise<Arrived> {
    const { file, table } = part
    let [count, added, held] = [0, 0, 0]
    for await (const lines of this.#lines(file)) {
      let waits = 0
      const records = lines.map((line) => {
        const record = this.#read(part, line)
        const arrived = part.arrived?.(record, this.#wish.now) ?? record
        const waiting = this.#wish.resume ? undefined : part.held?.(arrived, this.#wish.now)
        if (waiting) waits++
        return waiting ?? arrived
      })
      try {
        const isEvents = !this.#isNew && table.name === '"events"'
        const fresh = isEvents ? await notThere(inside, records) : []
        const written = await inside.write((session) => table.insert(session, records.map(unleased), ANEW))
        added += written
        // rows that were here already are not held
        held += Math.min(waits, written)
        if (isEvents) await forgetUntold(inside, fresh)
        await this.#refuseForeign(inside, part, lines, records)
      } catch (error) {
        if (EngineError.is(error)) throw error
        const why = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error)
        const message = `${file}, lines ${lines[0]?.number} to ${lines.at(-1)?.number}: the database refuses them: ${why}`
        throw new EngineError('CONFIG_INVALID', message, { cause: error })
      }
      count += lines.length
      this.#wish.onLines(lines.length)
    }
    return { file, lines: count, added, held }
  }

  /** Looks for the project that takes all. */
  async #findProject(): Promise<void> {
    const { into, name, resume } = this.#wish
    const { database } = this.#to
    const select = 'select "disabled", "name" from "projects" where'
    const [here] = await database.read((session) => session.all(`${select} "id" = ?`, [into]))
    this.#isNew = here === undefined
    if (here === undefined) {
      const taken = await database.read((session) => session.all(`${select} "name" = ?`, [name]))
      if (taken.length > 0) throw nameTaken(name)
    } else if (!resume && !this.#to.named.projects.record({ disabled: here.disabled }).disabled) {
      throw new EngineError(
        'CONFLICT',
        `The project "${here.name}" is enabled, so what waits in the file would go on in it at once: disable it first, or add --resume when it has stopped where it comes from. Nothing was changed.`,
      )
    }
  }

  /** The address of its public archive may be another project's here: then it arrives without one. */
  async #lookForArchive([project]: readonly { readonly archiveSlug?: string }[]): Promise<void> {
    const sql = 'select 1 from "projects" where "archive_slug" = ? and "id" <> ?'
    const params = [project?.archiveSlug ?? null, this.#wish.into]
    this.#isArchiveTaken = (await this.#to.database.read((session) => session.all(sql, params))).length > 0
  }

  #read({ table, file, needed }: Part, { number, text }: Line): object {
    try {
      const line = this.#ids.size === 0 ? text : text.replaceAll(IDS, (id) => this.#ids.get(id) ?? id)
      return this.#ofProject(table, recordOf(table, needed, line))
    } catch (error) {
      if (!EngineError.is(error)) throw error
      throw lineWrong(file, number, error.message)
    }
  }

  #ofProject(table: Table<object>, record: object): object {
    const { into, name, resume } = this.#wish
    const isProject = table.name === '"projects"'
    const key = isProject ? 'id' : 'projectId'
    const isOwned = table.columns.some(({ property }) => property === key)
    const given: Readonly<Record<string, unknown>> = { ...record }
    if (isOwned && given[key] !== into) throw new EngineError('CONFIG_INVALID', `belongs to another project (${key})`)
    if (!isProject) return record
    const { archiveSlug, ...project } = given
    const archive = archiveSlug === undefined || this.#isArchiveTaken ? {} : { archiveSlug }
    return { ...project, ...archive, name, ...(resume ? {} : { disabled: true }) }
  }

  /** Finds what is here already under another id: the file's stands for it from now on. */
  async #findTaken(table: Table<object>, unique: readonly Column[], records: readonly object[]): Promise<void> {
    const [project, value, ...more] = unique
    const id = table.columns.find(({ name }) => name === 'id')
    if (project?.name !== 'project_id' || value === undefined || more.length > 0 || id === undefined) return
    const ids = new Map(records.map((record) => [valueIn(record, value), String(valueIn(record, id))]))
    ids.delete(undefined)
    const { dialect } = this.#to.database
    const sql = `select "id", "${value.name}" from ${table.name} where "project_id" = ? and "${value.name}" ${dialect.listed(value.kind)}`
    const params = [this.#wish.into, dialect.list([...ids.keys()])]
    for (const row of await this.#to.database.read((session) => session.all(sql, params))) {
      const theirs = ids.get(value.decode(row[value.name]))
      if (theirs !== undefined && theirs !== row.id) this.#ids.set(theirs, String(row.id))
    }
  }

  /** Throws when an id of these rows is that of a row of another project: one row cannot be in two. */
  async #refuseForeign(
    access: Pick<Access, 'read' | 'dialect'>,
    { table, of, file }: Part,
    lines: readonly Line[],
    records: readonly object[],
  ): Promise<void> {
    const owner = of ? { table: `"${of.table}"`, by: of.by } : ownId(table)
    const column = owner && table.columns.find(({ name }) => name === owner.by)
    if (owner === undefined || column === undefined) return
    const ids = records.map((record) => valueIn(record, column))
    const other = owner.table === '"projects"' ? '"id"' : '"project_id"'
    const sql = `select "id" from ${owner.table} where "id" ${access.dialect.listed('uuid')} and ${other} <> ? limit 1`
    const params = [access.dialect.list([...new Set(ids)]), this.#wish.into]
    const [foreign] = await access.read((session) => session.all(sql, params))
    if (foreign === undefined) return
    const number = lines[ids.indexOf(foreign.id)]?.number ?? 1
    const message = `the id ${foreign.id} is taken by another project here: a project comes into a database once`
    throw new EngineError('CONFLICT', `${file}, line ${number}: ${message}. Nothing was changed.`)
  }
}

/** Rows that are here already stay as they are. */
const ANEW = 'on conflict do nothing'

/** The ids of rows in a line, wherever they stand. */
const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Tables whose rows have an id that no other project's row has. */
function ownId({ name, columns, key }: Table<object>) {
  const isAlone = key.length === 1 && key[0]?.name === 'id' && key[0].kind === 'uuid'
  return isAlone && columns.some((column) => column.name === 'project_id') ? { table: name, by: 'id' } : undefined
}

function valueIn(record: object, { property }: Column): unknown {
  return (record as Readonly<Record<string, unknown>>)[property]
}

/** A claim of a process elsewhere has run out here. */
function unleased(record: object): object {
  return 'leaseUntil' in record ? { ...record, leaseUntil: new Date(0) } : record
}

/** The ids of events that are not here yet. */
async function notThere(inside: Access, records: readonly { readonly id?: string }[]): Promise<readonly string[]> {
  const ids = records.flatMap(({ id }) => id ?? [])
  const sql = `select "id" from "events" where "id" ${inside.dialect.listed('uuid')}`
  const here = new Set((await inside.all(sql, [inside.dialect.list(ids)])).map(({ id }) => id))
  return ids.filter((id) => !here.has(id))
}

/** Events of elsewhere start nothing here; those that are still to be seen have lines of their own. */
async function forgetUntold(inside: Access, ids: readonly string[]): Promise<void> {
  await inside.run(`delete from "untold_events" where "id" ${inside.dialect.listed('uuid')}`, [
    inside.dialect.list(ids),
  ])
}

/** The line is wrong. */
function lineWrong(file: string, line: number, problem: string): EngineError {
  return new EngineError('CONFIG_INVALID', `${file}, line ${line}: it ${problem}. Nothing was changed.`)
}
