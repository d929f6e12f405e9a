import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlobStore } from '../../core/ports/blob-store.ts'
import { disk } from '../../plugins/blobs-disk/index.ts'
import { blobStoreContract } from '../contracts/blob-store.ts'
import { KIT } from './kit.ts'
import { right, wrong } from './wrong.ts'

/** Blobs on the disk, changed. */
const changed = (change: (blobs: BlobStore) => Partial<BlobStore>) =>
  blobStoreContract(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'wrong-blobs-'))
    const { blobs } = await disk({ directory }).open(KIT)
    const same: BlobStore = {
      put: (key, bytes) => blobs.put(key, bytes),
      get: (key) => blobs.get(key),
      stream: (key) => blobs.stream(key),
      remove: (key) => blobs.remove(key),
      check: () => blobs.check(),
    }
    const unplug = async () => {
      await rm(directory, { recursive: true })
      await writeFile(directory, 'in the way')
    }
    return { blobs: Object.assign(same, change(blobs)), unplug, close: () => rm(directory, { recursive: true }) }
  })

right(() => changed(() => ({})))

wrong('has a check that checks nothing', 'passes the check while something can be stored', () =>
  changed(() => ({ check: async () => {} })),
)
wrong('reads any key', 'refuses', () => changed((blobs) => ({ get: (key) => blobs.get(key).catch(() => undefined) })))
wrong('removes any key', 'refuses', () =>
  changed((blobs) => ({ remove: (key) => blobs.remove(key).catch(() => false) })),
)
wrong('keeps its file open when a reader stops', 'lets go of what it reads from', () =>
  changed((blobs) => ({
    stream: async (key) => {
      const found = await blobs.stream(key)
      if (found) kept.push(await open('/dev/null'))
      return found
    },
  })),
)
wrong('never answers a reader that stops', 'lets a reader stop', () =>
  changed((blobs) => ({
    stream: async (key) => {
      const found = await blobs.stream(key)
      if (!found) return undefined
      const reader = found.bytes.getReader()
      const bytes = new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: async () => {
          await reader.cancel()
          throw new Error('it cannot be cancelled')
        },
      })
      return { size: found.size, bytes }
    },
  })),
)
wrong('mixes old and new bytes', 'never a mixture', () =>
  changed((blobs) => ({
    put: async (key, bytes) => {
      await blobs.put(key, bytes.subarray(0, bytes.length / 2))
      await blobs.put(key, bytes)
    },
  })),
)

/** Files that are never closed. */
const kept: unknown[] = []
