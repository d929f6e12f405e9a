import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { definePlugin, EngineError } from 'mailwright'
import * as v from 'valibot'

/** The form of blob keys; the engine uses no others. */
const KEY = /^(?=.{1,200}$)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[a-z0-9._-]+(?:\/[a-z0-9._-]+)*$/

/** Keeps files in one folder, each under the hash of its key, so that no key can name another place. */
export const folderBlobs = definePlugin({
  name: 'blobs-folder',
  provides: ['blobs'],
  options: v.strictObject({ directory: v.string() }),
  async open({ directory }) {
    await mkdir(directory, { recursive: true })
    const fileOf = (key: string) => {
      if (!KEY.test(key)) throw new EngineError('VALIDATION_ERROR', 'key: this is not a key of a blob')
      return join(directory, createHash('sha256').update(key).digest('hex'))
    }
    /** Writes beside the file and takes its place, so that readers see the old or the new bytes. */
    const write = async (file: string, bytes: Uint8Array) => {
      const draft = join(directory, `.${randomUUID()}`)
      try {
        const handle = await open(draft, 'wx')
        await handle.writeFile(bytes)
        await handle.sync()
        await handle.close()
        await rename(draft, file)
      } catch (error) {
        await rm(draft, { force: true }).catch(() => {})
        throw error
      }
    }
    return {
      blobs: {
        put: async (key, bytes) => write(fileOf(key), bytes),
        get: async (key) => readFile(fileOf(key)).catch(unlessMissing),
        async stream(key) {
          const handle = await open(fileOf(key)).catch(unlessMissing)
          if (handle === undefined) return undefined
          const { size } = await handle.stat()
          // closes the file at its end, and when a reader stops
          const bytes = Readable.toWeb(handle.createReadStream()) as ReadableStream<Uint8Array>
          return { size, bytes }
        },
        async remove(key) {
          const removing = unlink(fileOf(key)).then(() => true)
          return (await removing.catch(unlessMissing)) ?? false
        },
        async check() {
          const file = join(directory, `.${randomUUID()}`)
          await write(file, new Uint8Array())
          await rm(file)
        },
      },
    }
  },
})

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}
