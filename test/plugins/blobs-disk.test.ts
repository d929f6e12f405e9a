import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Log } from '../../core/ports/log.ts'
import { disk } from '../../plugins/blobs-disk/index.ts'
import { blobStoreContract } from '../contracts/blob-store.ts'

describe('blobs on the disk', () => {
  blobStoreContract(async () => {
    const { blobs, directory } = await open()
    const unplug = async () => {
      await rm(directory, { recursive: true })
      await writeFile(directory, 'in the way')
    }
    return { blobs, unplug, close: () => rm(directory, { recursive: true }) }
  })

  it('makes its directory and writes readable paths', async () => {
    const { blobs, directory } = await open('deep/inside')
    await blobs.put('uploads/2030/cat.png', Buffer.from('meow'))
    expect(await readFile(join(directory, 'uploads+', '2030+', 'cat.png'), 'utf8')).toBe('meow')
  })

  it('writes nothing outside its directory, whatever the key', async () => {
    const { blobs, directory } = await open('inside')
    for (const key of ['../escape', 'a/../../escape', '/tmp/escape', '..', '..\\escape']) {
      await expect(blobs.put(key, Buffer.from('x'))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
      await expect(blobs.get(key)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
      await expect(blobs.remove(key)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    }
    // nor its directory, before there is something for it
    expect(await readdir(join(directory, '..'))).toEqual([])
    await blobs.put('a', Buffer.from('x'))
    expect(await readdir(join(directory, '..'))).toEqual(['inside'])
    expect(await files(directory)).toEqual(['a'])
  })

  it('leaves no draft behind, neither of a blob nor of a check', async () => {
    const { blobs, directory } = await open()
    await blobs.put('a', Buffer.from('x'))
    await blobs.check()
    // The name is that of a directory, so that the last step fails.
    await blobs.put('b/c', Buffer.from('x'))
    await rm(join(directory, 'b+'), { recursive: true })
    await writeFile(join(directory, 'b+'), 'in the way')
    await expect(blobs.put('b/c', Buffer.from('x'))).rejects.toThrow()
    expect(await files(directory)).toEqual(['a', 'b+'])
  })

  it('fails the check when nothing can be written', async () => {
    const { blobs, directory } = await open()
    await blobs.check()
    // its disk is away: what is stored in its place now would be hidden when it comes back
    await rm(directory, { recursive: true })
    await expect(blobs.check()).rejects.toThrow('ENOENT')
  })

  it('removes at the next start what a crash left half written, but not what is being written', async () => {
    const { blobs, directory } = await open()
    await blobs.check()
    const [old, young] = ['old', 'young'].map((name) => join(directory, '+drafts', name)) as [string, string]
    await writeFile(old, 'half')
    await writeFile(young, 'half')
    const yesterday = Date.now() / 1000 - 86_400
    await utimes(old, yesterday, yesterday)
    await plugin(directory)
    expect([existsSync(old), existsSync(young)]).toEqual([false, true])
  })

  it('cannot be opened where a file stands in the way', async () => {
    const { directory } = await open()
    await writeFile(join(directory, 'file'), '')
    await expect(plugin(join(directory, 'file'))).rejects.toThrow()
  })

  it('names wrong options', () => {
    expect(disk({ directory: '' }).problems()).toMatchObject([{ field: 'directory', message: 'is required' }])
    expect(disk().problems()).toEqual([])
  })
})

const made: string[] = []
afterEach(() => Promise.all(made.splice(0).map((path) => rm(path, { recursive: true, force: true }))))

async function open(below = '') {
  const root = await mkdtemp(join(tmpdir(), 'mailwright-blobs-'))
  made.push(root)
  const directory = join(root, below)
  const { blobs } = await plugin(directory)
  return { blobs, directory }
}

function plugin(directory: string) {
  const log: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => log }
  return disk({ directory }).open({ log, clock: { now: () => new Date() } })
}

/** All files below a directory, by name. */
async function files(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}
