import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { EngineError } from '../../core/errors.ts'
import type { BlobStore } from '../../core/ports/blob-store.ts'
import { programName } from '../../core/values/program-name.ts'
import { uploadKey } from '../../core/values/upload-key.ts'
import { FILE_MODE, giveToFolder, makePrivateFile } from '../kit/files/private-files.ts'
import { isCopyMark } from '../kit/sql/engine/copy-mark.ts'
import { MIGRATIONS, namesToday } from '../kit/sql/engine/migrate.ts'
import { migrations } from './migrations/all.ts'
import { holdFile } from './open-file.ts'
import { type SqliteClient, sqliteCode } from './sqlite-client.ts'
import { openPlain, openReadOnly } from './sqlite-driver.ts'

/*
 * A backup is one SQLite file: the database as it was at one moment, with the uploaded files in a table of their own, and
 * a table that says when it was made. Everything is in it, and any SQLite tool can look into it.
 */

/** The content of a backup. */
export interface Backup {
  readonly madeAt: Date
  readonly mails: number
  /** How many of the mails were not sent yet. */
  readonly waiting: number
  /** How many uploaded files there are. */
  readonly files: number
  /** Rows of uploaded files whose bytes were not found; 0 unless files were lost before. */
  readonly missing: number
}

/** The content that was put back. */
export interface Restored extends Backup {
  /** How many campaigns were held: paused, or made drafts again. */
  readonly held: number
  /** Where the database is that was there before. */
  readonly replaced: string | undefined
}

/**
 * Backs the database up into a new file, which is there once it is whole. The database may be in use meanwhile, and no
 * work waits for it. Throws EngineError `CONFLICT` when the file exists.
 */
export async function backUp(file: string, blobs: BlobStore, target: string, force: boolean): Promise<Backup> {
  if (!force && (await isThere(target))) {
    throw new EngineError('CONFLICT', `${target} exists already: name another file, or write over it with --force.`)
  }
  const draft = `${target}.part`
  await rm(draft, { force: true })
  await makePrivateFile(draft).catch((cause: Error) => {
    throw new EngineError('CONFIG_INVALID', `${target} cannot be made: ${cause.message}`, { cause })
  })
  try {
    const madeAt = new Date()
    const source = openReadOnly(file, BUSY_MS)
    try {
      // in one step: begun again after each commit of others, it would never end while they write
      await source.backup(draft, { progress: () => ALL_PAGES })
    } finally {
      source.close()
    }
    const copy = openPlain(draft)
    let made: Backup
    try {
      copy.pragma('journal_mode = delete')
      made = { madeAt, ...(await addFiles(copy, blobs, madeAt)), ...countsOf(copy) }
    } finally {
      copy.close()
    }
    await moveDurably(draft, target)
    return made
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/**
 * Puts a backup in the place of the database, and its files into the blob store. The database that was there is kept under
 * another name, which the answer tells. Unless `resume` is set, campaigns are held that would go on by themselves: much of
 * them may have been sent since the backup. Throws EngineError, with nothing changed: `CONFIG_INVALID` when the file is not a
 * whole backup, `STORE_NEWER` when a newer version made it, `STORE_LOCKED` while a server runs, `CONFLICT` when there is a
 * database already and `force` is false.
 */
export async function restore(
  backup: string,
  file: string,
  blobs: BlobStore,
  { force, resume }: { readonly force: boolean; readonly resume: boolean },
): Promise<Restored> {
  const found = await checked(backup)
  const held = await holdFile(file)
  const draft = `${held.path}.restored`
  try {
    const isEmpty = (await stat(held.path)).size === 0
    if (!isEmpty && !force) {
      throw new EngineError(
        'CONFLICT',
        `${held.path} holds a database already. With --force it is moved aside, and the backup takes its place.`,
      )
    }
    await rm(draft, { force: true })
    // not copyFile, which also takes over the owner and the mode of the backup
    const made = await open(draft, 'wx', FILE_MODE)
    await giveToFolder(made, draft)
    await pipeline(createReadStream(backup), made.createWriteStream())
    const copy = openPlain(draft)
    let heldCampaigns = 0
    try {
      if (!resume) heldCampaigns = holdCampaigns(copy, Date.now())
      await takeFiles(copy, blobs)
    } finally {
      copy.close()
    }
    const replaced = isEmpty ? undefined : `${held.path}.before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
    if (replaced !== undefined) await moveDatabase(held.path, replaced)
    await moveDurably(draft, held.path)
    return { ...found, held: heldCampaigns, replaced }
  } finally {
    await rm(draft, { force: true })
    await held.release()
  }
}

/** How long it waits for a lock, in milliseconds. */
const BUSY_MS = 5_000
/** As many as one step can take. */
const ALL_PAGES = 0x7f_ff_ff_ff

const TABLES = `create table "backup_about" ("made_at" integer not null, "missing" integer not null);
  create table "backup_files" ("key" text primary key, "bytes" blob not null)`

/** Adds the files that rows of the copy name. */
async function addFiles(
  copy: SqliteClient,
  blobs: BlobStore,
  madeAt: Date,
): Promise<{ files: number; missing: number }> {
  copy.exec(TABLES)
  const add = copy.prepare('insert or ignore into "backup_files" ("key", "bytes") values (?, ?)')
  let [files, missing] = [0, 0]
  for (const { project_id, hash } of copy.prepare('select "project_id", "hash" from "uploads"').all([])) {
    const key = uploadKey(String(project_id), String(hash))
    const bytes = await blobs.get(key)
    if (bytes === undefined) missing++
    else files += add.run([key, bytes]).changes
  }
  copy.prepare('insert into "backup_about" values (?, ?)').run([madeAt.getTime(), missing])
  return { files, missing }
}

/** Stores the files of the copy, and takes them and all else that makes it a backup out of it. */
async function takeFiles(copy: SqliteClient, blobs: BlobStore): Promise<void> {
  const read = copy.prepare('select "bytes" from "backup_files" where "key" = ?')
  for (const { key } of copy.prepare('select "key" from "backup_files"').all([])) {
    const [row] = read.all([key])
    await blobs.put(String(key), row?.bytes as Uint8Array)
  }
  copy.exec('drop table "backup_files"; drop table "backup_about"')
}

/**
 * Pauses what was being sent and series whose issue may have been made since, and makes drafts of what was scheduled for a
 * time that has passed. Answers how many.
 */
function holdCampaigns(copy: SqliteClient, now: number): number {
  const paused = copy
    .prepare(
      `update "campaigns" set "status" = 'PAUSED', "status_reason" = ?, "updated_at" = ? where "status" = 'SENDING'`,
    )
    .run(['Restored from a backup: some of its mails may have been sent since it was made.', now])
  const drafts = copy
    .prepare(
      `update "campaigns" set "status" = 'DRAFT', "scheduled_at" = null, "updated_at" = ?
      where "status" = 'SCHEDULED' and "scheduled_at" <= ?`,
    )
    .run([now, now])
  return paused.changes + drafts.changes + holdSeries(copy, now)
}

/** A backup of an earlier version has no series. */
function holdSeries(copy: SqliteClient, now: number): number {
  const tables = copy.prepare(`select "name" from sqlite_master where "name" = 'campaign_series'`).all([])
  if (tables.length === 0) return 0
  return copy
    .prepare(`update "campaign_series" set "next_at" = null, "problem" = ?, "updated_at" = ? where "next_at" <= ?`)
    .run(['Restored from a backup: an issue may have been sent since it was made. Resume the series.', now, now])
    .changes
}

/** Counts those that wait by indexes of nothing else, which takes no time in an old ledger, and all by an index of all. */
function countsOf(client: SqliteClient): { readonly mails: number; readonly waiting: number } {
  const waiting = [`= 'QUEUED' and "campaign_id" is null`, `= 'QUEUED' and "campaign_id" is not null`, `= 'SENDING'`]
  const sums = waiting.map((which) => `(select count(*) from "emails" where "status" ${which})`).join(' + ')
  const [row] = client.prepare(`select (select count(*) from "emails") as "mails", ${sums} as "waiting"`).all([])
  return { mails: Number(row?.mails), waiting: Number(row?.waiting) }
}

/** The content of the file. Throws unless it is a whole backup that this version understands. */
async function checked(backup: string): Promise<Backup> {
  const found = await stat(backup).catch(() => undefined)
  if (!found?.isFile()) throw new EngineError('CONFIG_INVALID', `There is no file ${resolve(backup)}.`)
  let client: ReturnType<typeof openReadOnly> | undefined
  try {
    client = openReadOnly(backup, BUSY_MS)
    const tables = new Set(
      client
        .prepare(`select "name" from sqlite_master`)
        .all([])
        .map(({ name }) => name),
    )
    if (!tables.has('backup_about') || !tables.has('backup_files')) throw notOurs(backup)
    const [health] = client.prepare('pragma quick_check(1)').all([])
    if (health?.quick_check !== 'ok') throw damaged(backup)
    const executed = client
      .prepare(`select "name" from "${MIGRATIONS}"`)
      .all([])
      .map(({ name }) => String(name))
    namesToday(
      executed.filter((name) => !isCopyMark(name)),
      migrations,
    )
    const [about] = client.prepare('select "made_at", "missing" from "backup_about"').all([])
    const [files] = client.prepare('select count(*) as "n" from "backup_files"').all([])
    const madeAt = new Date(Number(about?.made_at))
    return { madeAt, missing: Number(about?.missing), files: Number(files?.n), ...countsOf(client) }
  } catch (error) {
    const code = sqliteCode(error)
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CANTOPEN') throw notOurs(backup)
    throw code?.startsWith('SQLITE_CORRUPT') ? damaged(backup) : error
  } finally {
    client?.close()
  }
}

function notOurs(backup: string): EngineError {
  return new EngineError('CONFIG_INVALID', `${backup} is not a backup made by \`${programName()} backup\`.`)
}

function damaged(backup: string): EngineError {
  return new EngineError(
    'CONFIG_INVALID',
    `${backup} is damaged or not whole: use another backup. Nothing was changed.`,
  )
}

async function moveDatabase(from: string, to: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) if (await isThere(from + end)) await rename(from + end, to + end)
}

/** Moves a file so that a power cut leaves the old or the new one, whole. */
async function moveDurably(from: string, to: string): Promise<void> {
  await synced(from)
  await rename(from, to)
  if (process.platform !== 'win32') await synced(dirname(resolve(to)))
}

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
