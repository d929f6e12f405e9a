import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlobStore } from '../../core/ports/blob-store.ts'
import { disk } from '../../plugins/blobs-disk/index.ts'
import { blobStoreContract } from '../contracts/blob-store.ts'
import { KIT } from './kit.ts'
import { right, wrong } from './wrong.ts'

/** Blobs on the disk, changed. */
const changed = (change: (blobs: BlobStore, directory: string) => Partial<BlobStore>) =>
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
    const other = async () => (await disk({ directory }).open(KIT)).blobs
    return {
      blobs: Object.assign(same, change(blobs, directory)),
      other,
      unplug,
      close: () => rm(directory, { recursive: true }),
    }
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

/** Blobs in memory, changed; nothing in them is right beyond what a quick author writes. */
const inMemory = (change: (held: Map<string, Uint8Array>) => Partial<BlobStore>) =>
  changed((blobs) => {
    const held = new Map<string, Uint8Array>()
    const known = async (key: string) => void (await blobs.get(key))
    return {
      put: async (key, bytes) => {
        await known(key)
        held.set(key, Uint8Array.from(bytes))
      },
      get: async (key) => {
        await known(key)
        const bytes = held.get(key)
        return bytes && Uint8Array.from(bytes)
      },
      stream: async (key) => {
        await known(key)
        const bytes = held.get(key)
        return bytes && { size: bytes.length, bytes: new Blob([Uint8Array.from(bytes)]).stream() }
      },
      remove: async (key) => {
        await known(key)
        return held.delete(key)
      },
      ...change(held),
    }
  })

wrong('keeps the memory it was given', 'keeps its own copy', () =>
  inMemory((held) => ({ put: async (key, bytes) => void held.set(key, bytes) })),
)
wrong('gives away its own memory', 'keeps its own copy', () =>
  inMemory((held) => ({ get: async (key) => held.get(key) })),
)
wrong('keeps blobs in this process', 'another process', () => inMemory(() => ({})))
wrong('keeps blobs in an object', 'words of the language', () => {
  const held: Record<string, Uint8Array> = {}
  return changed((blobs) => ({
    get: async (key) => (await blobs.get(key)) ?? held[key],
  }))
})

for (const [by, word] of [
  ['_', 'other stores could write alike'],
  ['__', 'other stores could write alike'],
  ['-', 'other stores could write alike'],
  ['', 'other stores could write alike'],
] as const) {
  wrong(`writes slashes as "${by}"`, word, () => renamed((key) => key.replaceAll('/', by)))
}
wrong('cuts long keys', 'differ only behind 199 characters', () => renamed((key) => key.slice(0, 150)))
wrong('cuts long keys at the front', 'differ only before 199 characters', () => renamed((key) => key.slice(-150)))

/** Blobs under other names. */
function renamed(name: (key: string) => string): void {
  changed((blobs) => {
    const checked = async (key: string) => {
      await blobs.get(key)
      return name(key)
    }
    return {
      put: async (key, bytes) => blobs.put(await checked(key), bytes),
      get: async (key) => blobs.get(await checked(key)),
      stream: async (key) => blobs.stream(await checked(key)),
      remove: async (key) => blobs.remove(await checked(key)),
    }
  })
}

wrong('writes its drafts as blobs', 'drafts and probes', () =>
  changed((blobs) => ({
    put: async (key, bytes) => {
      await blobs.get(key)
      if (key.length < 190) {
        await blobs.put(`${key}.tmp`, bytes)
        await blobs.remove(`${key}.tmp`)
      }
      await blobs.put(key, bytes)
    },
  })),
)
wrong('checks by a blob', 'drafts and probes', () =>
  changed((blobs) => ({
    check: async () => {
      await blobs.put('health', Buffer.from('x'))
      await blobs.remove('health')
    },
  })),
)
wrong('changes a blob where it lies', 'the old bytes to the end', () =>
  changed((blobs, directory) => ({
    put: async (key, bytes) => {
      const known = await blobs.get(key)
      if (!known || key.includes('/')) return blobs.put(key, bytes)
      const file = await open(join(directory, key), 'r+')
      await file.truncate(bytes.length)
      await file.write(bytes, 0, bytes.length, 0)
      await file.close()
    },
  })),
)
wrong('removes folders that become empty', 'stored beside it', () => {
  return changed((blobs, directory) => ({
    put: async (key, bytes) => {
      await blobs.put(key, bytes)
    },
    remove: async (key) => {
      const isRemoved = await blobs.remove(key)
      const [folder, file] = key.split('/')
      if (isRemoved && file) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        await rm(join(directory, `${folder}+`), { recursive: true, force: true })
      }
      return isRemoved
    },
  }))
})
wrong('swallows what it cannot store', 'throws when it cannot store', () =>
  changed((blobs) => ({
    put: async (key, bytes) => {
      await blobs.get(key).catch((error) => {
        if (error.code === 'VALIDATION_ERROR') throw error
      })
      await blobs.put(key, bytes).catch(() => {})
    },
  })),
)
wrong('takes what it cannot read for missing', 'does not call a blob missing', () =>
  changed((blobs) => ({
    get: async (key) =>
      blobs.get(key).catch((error) => {
        if (error.code === 'VALIDATION_ERROR') throw error
        return undefined
      }),
  })),
)

/** Files that are never closed. */
const kept: unknown[] = []
