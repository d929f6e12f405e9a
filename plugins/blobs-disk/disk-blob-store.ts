import { randomUUID } from 'node:crypto'
import { access, constants, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { BlobStore, BlobStream } from '../../core/ports/blob-store.ts'
import { errorCode } from '../../core/values/error-code.ts'
import { requireKey } from '../kit/blobs/require-key.ts'
import { makeFolder } from '../kit/files/make-folder.ts'
import { FILE_MODE, giveToFolder } from '../kit/files/private-files.ts'

const HOUR = 3_600_000

/** Keeps each blob in a file; see `index.ts` for the layout. */
export class DiskBlobStore implements BlobStore {
  readonly #directory: string
  /**
   * Half-written files, which are moved to their place once they are whole. On the same file system, or
   * the move would be a copy.
   */
  readonly #drafts: string
  /** Whether the directory is still to be made. */
  #isMissing = false

  private constructor(directory: string) {
    this.#directory = directory
    this.#drafts = join(directory, '+drafts')
  }

  /** The directory is made with the first file. Throws when it could not be. */
  static async open(directory: string): Promise<DiskBlobStore> {
    const store = new DiskBlobStore(directory)
    const drafts = await ifThere(readdir(store.#drafts))
    if (drafts === undefined) await store.#prepare()
    else await store.#removeForgotten(drafts)
    return store
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = this.#path(key)
    const draft = await this.#write(bytes)
    try {
      await makeFolder(dirname(path))
      await rename(draft, path)
      // A name is durable only once the directory that holds it is synced, and the same goes for that directory's own
      // name. It may have been made by this call or by another one at the same time, so all of them are synced.
      for (let folder = dirname(path); ; folder = dirname(folder)) {
        await syncDirectory(folder)
        if (folder === this.#directory) break
      }
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return ifThere(readFile(this.#path(key)))
  }

  async stream(key: string): Promise<BlobStream | undefined> {
    const file = await ifThere(open(this.#path(key), 'r'))
    if (file === undefined) return undefined
    try {
      const found = await file.stat()
      if (found.isFile()) {
        const bytes = Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>
        return { size: found.size, bytes }
      }
    } catch (error) {
      await file.close()
      throw error
    }
    await file.close()
    return undefined
  }

  async remove(key: string): Promise<boolean> {
    const removed = unlink(this.#path(key)).then(() => true)
    return (await ifThere(removed)) ?? false
  }

  async check(): Promise<void> {
    await unlink(await this.#write(Buffer.from('Can anything be stored here?\n')))
  }

  /** The path of a key's file. Keys follow the port's rule, which leaves no way out of the directory. */
  #path(key: string): string {
    requireKey(key)
    const segments = key.split('/')
    const name = segments.pop() ?? ''
    return join(this.#directory, ...segments.map((segment) => `${segment}+`), name)
  }

  /** Writes a draft and syncs it, so that it is on the disk and not only in the system's memory. */
  async #write(bytes: Uint8Array): Promise<string> {
    const draft = join(this.#drafts, randomUUID())
    if (this.#isMissing) await makeFolder(this.#drafts)
    this.#isMissing = false
    const file = await open(draft, 'wx', FILE_MODE)
    try {
      await giveToFolder(file, draft)
      await file.writeFile(bytes)
      await file.sync()
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    } finally {
      await file.close()
    }
    return draft
  }

  /** Looks whether the directory can be made. One that was there and is gone is not made again: its disk is away. */
  async #prepare(): Promise<void> {
    this.#isMissing = true
    for (let folder = this.#drafts; ; folder = dirname(folder)) {
      const found = await ifThere(stat(folder))
      if (found === undefined) continue
      if (!found.isDirectory()) throw Object.assign(new Error(`${folder} is no folder`), { code: 'ENOTDIR' })
      return access(folder, constants.W_OK | constants.X_OK)
    }
  }

  /** Removes what a crash left behind. Another process may be writing here, so only drafts an hour old. */
  async #removeForgotten(drafts: readonly string[]): Promise<void> {
    for (const name of drafts) {
      const draft = join(this.#drafts, name)
      const found = await ifThere(stat(draft))
      if (found !== undefined && found.mtimeMs < Date.now() - HOUR) await rm(draft, { force: true })
    }
  }
}

/** Undefined when the file is not there. */
async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory, and makes names durable without it.
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
