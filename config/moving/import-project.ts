import { createHash } from 'node:crypto'
import { EngineError } from '../../core/errors.ts'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { OpenPlugins } from '../../core/start/open-plugins.ts'
import { isId } from '../../core/values/id.ts'
import { asProjectId, type ProjectId } from '../../core/values/project-id.ts'
import { uploadKey } from '../../core/values/upload-key.ts'
import type { CopySide } from '../../plugins/kit/sql/copy/copy-side.ts'
import { type Arrived, type Line, RowImport } from '../../plugins/kit/sql/moving/import-rows.ts'
import { partsOf } from '../../plugins/kit/sql/moving/plan.ts'
import { openStore } from '../add-projects.ts'
import type { LoadedConfig } from '../load.ts'
import { CSV_FILES, MANIFEST, type Manifest, readManifest } from './archive.ts'
import { openZip, type ZipIn } from './zip-in.ts'

/** Where an archive goes, and how. */
export interface ImportWish {
  /** The project that takes it, by its id or name; undefined: the one it was. */
  readonly project?: string | undefined
  /** The name of the project that is made; undefined: the one it had. */
  readonly name?: string | undefined
  /** Mails and campaigns that wait go on here. */
  readonly resume: boolean
  /** Called while lines are read, each twice. */
  onProgress(done: number, total: number): void
}

/** The content of an import. */
export interface Imported {
  readonly project: Manifest['project']
  readonly files: readonly Arrived[]
  /** How many uploaded files. */
  readonly uploads: number
}

/**
 * Brings the project of an archive into the configured store: all of it, or nothing. It may be run again: what is there
 * stays. Throws EngineError, with nothing changed; what is wrong with a line names its file and number.
 */
export async function importProject(
  path: string,
  loaded: Pick<LoadedConfig, 'engine' | 'given'>,
  wish: ImportWish,
): Promise<Imported> {
  const zip = await openZip(path)
  try {
    const manifest = readManifest(await manifestText(path, zip))
    const to = await openStore(loaded, 'into')
    try {
      refuseUnknown(zip, manifest, to)
      return await importInto(zip, manifest, to, loaded, wish)
    } finally {
      await to.close()
    }
  } finally {
    await zip.close()
  }
}

async function importInto(
  zip: ZipIn,
  { project, files }: Manifest,
  to: CopySide,
  { engine }: Pick<LoadedConfig, 'engine'>,
  { project: named, name = project.name, resume, onProgress }: ImportWish,
): Promise<Imported> {
  const from = asProjectId(project.id)
  if (from === undefined) throw wrong(`${MANIFEST}: project.id: it must be an id in lower case.`)
  const into = named === undefined ? from : await idOf(to, named)
  const total = 2 * Object.values(files).reduce((sum, count) => sum + count, 0)
  let done = 0
  const onLines = (lines: number) => {
    done += lines
    onProgress(done, total)
  }
  const wishes = { from, into, name, resume, now: systemClock.now(), onLines }
  const rows = new RowImport(to, wishes, (file) => counted(zip, file, files[file] ?? 0))
  await rows.check()
  // before the rows, so that none names a file that is missing; without them they are found by nothing
  const uploads = await putUploads(zip, engine, into)
  const arrived = await rows.write()
  return { project: { id: into, name }, files: arrived, uploads }
}

async function manifestText(path: string, zip: ZipIn): Promise<string> {
  if (!zip.names.includes(MANIFEST)) throw wrong(`${path} is no export of a project: it has no ${MANIFEST}.`)
  return (await bytesOf(zip, MANIFEST, MAX_MANIFEST)).toString()
}

/** Throws when the archive lacks a file, or has one that nothing reads. */
function refuseUnknown({ names }: ZipIn, { files }: Manifest, { named }: CopySide): void {
  const known = new Set(partsOf(named).map(({ file }) => file))
  for (const file of Object.keys(files)) {
    if (!known.has(file)) throw wrong(`${MANIFEST}: files: ${file.slice(0, 100)} is no file of an export.`)
    if (!names.includes(file)) throw wrong(`${file} is missing: the manifest names it.`)
  }
  for (const name of names) {
    const isKnown = name === MANIFEST || name in CSV_FILES || UPLOAD.test(name) || Object.hasOwn(files, name)
    if (!isKnown) throw wrong(`${name.slice(0, 200)} is no file of an export, or the manifest does not name it.`)
  }
}

/** The lines of a file. Throws when there are not as many as there should be. */
async function* counted(zip: ZipIn, file: string, wanted: number): AsyncGenerator<readonly Line[]> {
  let found = 0
  for await (const lines of zip.lines(file)) {
    found += lines.length
    yield lines
  }
  if (found !== wanted) throw wrong(`${file} has ${found} lines; the manifest says ${wanted}: something was cut off.`)
}

async function idOf({ database, named }: CopySide, project: string): Promise<ProjectId> {
  const by = isId(project) ? '"id"' : '"name"'
  const rows = await database.read((session) => session.all(`select "id" from "projects" where ${by} = ?`, [project]))
  const [first, ...more] = rows.map((row) => asProjectId(String(named.projects.record(row).id)))
  if (first !== undefined && more.length === 0) return first
  const why = first === undefined ? `There is no project ${project}` : `Several projects have the name ${project}`
  throw new EngineError('PROJECT_NOT_FOUND', `${why}: give --project the id of one.`)
}

/** Stores the uploaded files, and answers how many there were. */
async function putUploads(zip: ZipIn, engine: LoadedConfig['engine'], projectId: string): Promise<number> {
  const names = zip.names.filter((name) => UPLOAD.test(name))
  if (names.length === 0) return 0
  const plugins = new OpenPlugins({ log: silentLog, clock: systemClock })
  try {
    const { blobs } = await plugins.open('blobs', engine.blobs)
    for (const name of names) {
      const bytes = await bytesOf(zip, name, MAX_UPLOAD)
      const hash = createHash('sha256').update(bytes).digest('hex')
      if (name !== `uploads/${hash}`) throw wrong(`${name} has other bytes than its name says.`)
      await blobs.put(uploadKey(projectId, hash), bytes)
    }
  } finally {
    await plugins.close()
  }
  return names.length
}

async function bytesOf(zip: ZipIn, name: string, most: number): Promise<Buffer> {
  if (zip.size(name) > most) throw wrong(`${name} has ${zip.size(name)} bytes; it may have ${most}.`)
  const chunks: Buffer[] = []
  for await (const chunk of zip.bytes(name)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const UPLOAD = /^uploads\/[0-9a-f]{64}$/
const MAX_MANIFEST = 1024 * 1024
const MAX_UPLOAD = 100 * 1024 * 1024

function wrong(message: string): EngineError {
  return new EngineError('CONFIG_INVALID', `${message} Nothing was changed.`)
}
