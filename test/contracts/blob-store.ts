import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { BlobStore, BlobStream } from '../../core/ports/blob-store.ts'

/** The subject of the blob store contract: a fresh, empty one for every test. */
export interface BlobStoreSubject {
  readonly blobs: BlobStore
  /**
   * From now on nothing can be stored or read: a file stands where the folder was, the service cannot be reached. What
   * was stored must then not be answered as missing.
   */
  unplug(): Promise<void>
  /** The store as another process opens it, over the same place; absent for one that serves a single process. */
  readonly other?: (() => Promise<BlobStore>) | undefined
  /** Clears up. */
  close(): Promise<void>
}

/** The promises of every blob store. `setup` makes a fresh, empty one. */
export function blobStoreContract(setup: () => Promise<BlobStoreSubject>) {
  let subject: BlobStoreSubject | undefined
  const fresh = async () => {
    subject = await setup()
    return subject.blobs
  }

  afterEach(async () => {
    await subject?.close()
    subject = undefined
  })

  describe('keeping', () => {
    it.each([
      ['no bytes at all', Buffer.alloc(0)],
      ['every byte there is', Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
      ['some megabytes', randomBytes(3_000_000)],
    ])('gives back %s', async (_what, bytes) => {
      const blobs = await fresh()
      await blobs.put('some/blob.bin', bytes)
      expect((await read(blobs, 'some/blob.bin'))?.equals(bytes)).toBe(true)
    })

    it('stores the part of the memory it was given, not what lies around it', async () => {
      const blobs = await fresh()
      await blobs.put('part', new Uint8Array(Buffer.from('before PART after')).subarray(7, 11))
      expect((await read(blobs, 'part'))?.toString()).toBe('PART')
    })

    it('streams what was stored, with its size, and to many at the same time', async () => {
      const blobs = await fresh()
      const bytes = randomBytes(3_000_000)
      await blobs.put('large', bytes)
      await blobs.put('empty', Buffer.alloc(0))
      const streams = await Promise.all([1, 2, 3].map(() => blobs.stream('large')))
      for (const stream of streams) {
        expect(stream?.size).toBe(bytes.length)
        // byte by byte, the comparison of the test library takes seconds
        expect((await bytesOf(stream)).equals(bytes)).toBe(true)
      }
      const empty = await blobs.stream('empty')
      expect(empty?.size).toBe(0)
      expect(await bytesOf(empty)).toEqual(Buffer.alloc(0))
      for (const key of ['nothing', 'large/b', 'lar']) expect(await blobs.stream(key)).toBeUndefined()
    })

    it('lets a reader stop before the first piece and after it, and goes on', async () => {
      const blobs = await fresh()
      await blobs.put('large', randomBytes(1_000_000))
      for (let i = 0; i < 5; i++) {
        const unread = await blobs.stream('large')
        await unread?.bytes.cancel()
        const begun = (await blobs.stream('large'))!.bytes.getReader()
        expect((await begun.read()).value?.length).toBeGreaterThan(0)
        await begun.cancel()
      }
      expect((await bytesOf(await blobs.stream('large'))).length).toBe(1_000_000)
    })

    it('lets go of what it reads from when readers stop', async () => {
      const blobs = await fresh()
      await blobs.put('large', randomBytes(1_000_000))
      const stop = async () => (await blobs.stream('large'))?.bytes.cancel()
      await stop()
      const before = openFiles()
      for (let i = 0; i < 30; i++) await stop()
      // a few connections may be kept
      await vi.waitFor(() => expect(openFiles()).toBeLessThan(before + 20), { timeout: 3000, interval: 20 })
    })

    it('answers undefined for what is not there', async () => {
      const blobs = await fresh()
      await blobs.put('images/a.png', Buffer.from('a'))
      for (const key of ['nothing', 'images', 'images/b.png', 'images/a.png/b', 'a.png']) {
        expect(await blobs.get(key)).toBeUndefined()
      }
    })

    it('keeps a key apart from the keys below it', async () => {
      const blobs = await fresh()
      const keys = ['a', 'a/b', 'a/b/c', 'a.b', 'a-b', '.a', '-', '_', 'a/.b', 'a./b', '..a', 'a/...']
      for (const key of [...keys].reverse()) await blobs.put(key, Buffer.from(key))
      for (const key of keys) expect((await read(blobs, key))?.toString()).toBe(key)
    })

    it.each([
      ['that other stores could write alike', ALIKE],
      ['that could be those of drafts and probes', PRIVATE],
      ['that are words of the language', ['constructor', '__proto__', 'tostring', 'prototype']],
      ['that differ only behind 199 characters', ['a', 'b', 'c'].map((end) => `${'k'.repeat(199)}${end}`)],
      ['that differ only before 199 characters', ['a', 'b', 'c'].map((start) => `${start}${'k'.repeat(199)}`)],
    ])('keeps keys apart %s', async (_what, keys) => {
      const blobs = await fresh()
      for (const key of keys) expect(await blobs.get(key), key).toBeUndefined()
      for (const key of keys) await blobs.put(key, Buffer.from(`bytes of ${key}`))
      await blobs.put(keys[0]!, Buffer.from('other bytes'))
      await blobs.check()
      for (const key of keys.slice(1)) expect((await read(blobs, key))?.toString()).toBe(`bytes of ${key}`)
      expect(await blobs.remove(keys[0]!)).toBe(true)
      for (const key of keys.slice(1)) expect((await read(blobs, key))?.toString()).toBe(`bytes of ${key}`)
    })

    it('keeps its own copy: neither the bytes it was given nor those it gave change it', async () => {
      const blobs = await fresh()
      const bytes = Buffer.from('original')
      await blobs.put('k', bytes)
      bytes.fill('x')
      expect((await read(blobs, 'k'))?.toString()).toBe('original')
      ;(await blobs.get('k'))?.fill(120)
      expect((await read(blobs, 'k'))?.toString()).toBe('original')
      for await (const piece of (await blobs.stream('k'))!.bytes) piece.fill(120)
      expect((await read(blobs, 'k'))?.toString()).toBe('original')
      // nor does it change what it was given
      expect(bytes.toString()).toBe('xxxxxxxx')
    })

    it('gives a stream the old bytes to the end, or lets it fail, when they are replaced or removed meanwhile', async () => {
      const blobs = await fresh()
      for (const change of [
        () => blobs.put('k', Buffer.alloc(3_000_000, 'b')),
        () => blobs.put('k', Buffer.from('short')),
        () => blobs.remove('k'),
      ]) {
        await blobs.put('k', Buffer.alloc(3_000_000, 'a'))
        const stream = (await blobs.stream('k'))!
        const reader = stream.bytes.getReader()
        const pieces = [(await reader.read()).value ?? new Uint8Array()]
        await change()
        const isWhole = await rest(reader, pieces).catch(() => false)
        if (isWhole) expect(Buffer.concat(pieces).equals(Buffer.alloc(3_000_000, 'a'))).toBe(true)
      }
    })

    it('shows another process at once what was stored, replaced and removed', async () => {
      const blobs = await fresh()
      const other = await subject?.other?.()
      if (!other) return
      await blobs.put('k', Buffer.from('first'))
      expect((await read(other, 'k'))?.toString()).toBe('first')
      await blobs.put('k', Buffer.from('second'))
      expect((await read(other, 'k'))?.toString()).toBe('second')
      await other.remove('k')
      expect(await blobs.get('k')).toBeUndefined()
      expect(await blobs.remove('k')).toBe(false)
    })

    it('replaces the bytes of a key', async () => {
      const blobs = await fresh()
      await blobs.put('k', Buffer.from('a long first text'))
      await blobs.put('k', Buffer.from('short'))
      expect((await read(blobs, 'k'))?.toString()).toBe('short')
    })

    it('shows a reader the old or the new bytes whole, never a mixture, while several write', async () => {
      const blobs = await fresh()
      const versions = ['a', 'b', 'c'].map((letter) => Buffer.alloc(400_000, letter))
      await blobs.put('k', versions[0]!)
      let writing = true
      const writers = versions.map(async (bytes) => {
        for (let i = 0; i < 5; i++) await blobs.put('k', bytes)
      })
      const written = Promise.all(writers).finally(() => {
        writing = false
      })
      let reads = 0
      while (writing) {
        const seen = await read(blobs, 'k')
        expect(versions.some((bytes) => seen !== undefined && bytes.equals(seen))).toBe(true)
        reads++
        // a store that answers from memory would leave the writers no turn
        await new Promise((resolve) => setImmediate(resolve))
      }
      await written
      expect(reads).toBeGreaterThan(0)
    })
  })

  describe('removing', () => {
    it('removes what is there and says whether there was something', async () => {
      const blobs = await fresh()
      await blobs.put('a/b', Buffer.from('x'))
      await blobs.put('a/c', Buffer.from('y'))
      expect(await blobs.remove('a/b')).toBe(true)
      expect(await blobs.get('a/b')).toBeUndefined()
      expect(await blobs.remove('a/b')).toBe(false)
      expect(await blobs.remove('never')).toBe(false)
      expect((await read(blobs, 'a/c'))?.toString()).toBe('y')
    })

    it('does not remove what lies below a key', async () => {
      const blobs = await fresh()
      await blobs.put('a/b', Buffer.from('x'))
      expect(await blobs.remove('a')).toBe(false)
      expect((await read(blobs, 'a/b'))?.toString()).toBe('x')
    })

    it('answers true to one of several that remove the same', async () => {
      const blobs = await fresh()
      await blobs.put('k', Buffer.from('x'))
      const answers = await Promise.all([1, 2, 3, 4].map(() => blobs.remove('k')))
      expect(answers.filter(Boolean)).toHaveLength(1)
    })

    it('keeps what is stored beside it at the same time', async () => {
      const blobs = await fresh()
      for (let i = 0; i < 10; i++) {
        await blobs.put('folder/old', Buffer.from('x'))
        await Promise.all([blobs.remove('folder/old'), blobs.put('folder/new', Buffer.from(`${i}`))])
        expect((await read(blobs, 'folder/new'))?.toString()).toBe(`${i}`)
        await blobs.remove('folder/new')
      }
    })

    it('takes a key again that was removed', async () => {
      const blobs = await fresh()
      await blobs.put('k', Buffer.from('x'))
      await blobs.remove('k')
      await blobs.put('k', Buffer.from('again'))
      expect((await read(blobs, 'k'))?.toString()).toBe('again')
    })
  })

  describe('keys', () => {
    const wrong = ['', '/', '/a', 'a/', 'a//b', '.', '..', 'a/..', '../a', 'a/../b', 'a/./b', './a', 'A', 'ä', 'a b']
    const wronger = ['a\0b', 'a\nb', 'a\n', 'a\\b', 'a%2fb', 'a:b', '~', 'a+b', 'a'.repeat(201)]

    it.each([...wrong, ...wronger].map((key) => [key]))('refuses %j', async (key) => {
      const blobs = await fresh()
      await expect(blobs.put(key, Buffer.from('x'))).rejects.toThrow()
      await expect(blobs.stream(key)).rejects.toThrow()
      await expect(blobs.get(key)).rejects.toThrow()
      await expect(blobs.remove(key)).rejects.toThrow()
    })

    it('takes a key of 200 characters, in one segment and in many', async () => {
      const blobs = await fresh()
      for (const key of ['a'.repeat(200), `${'a/'.repeat(99)}bc`]) {
        await blobs.put(key, Buffer.from('x'))
        expect((await read(blobs, key))?.toString()).toBe('x')
      }
    })
  })

  it('passes the check while something can be stored, and not any more when nothing can', async () => {
    const blobs = await fresh()
    await expect(blobs.check()).resolves.toBeUndefined()
    await Promise.all([blobs.check(), blobs.check()])
    await subject?.unplug()
    await expect(blobs.check()).rejects.toThrow()
  })

  it('throws when it cannot store, and does not call a blob missing when it cannot read', async () => {
    const blobs = await fresh()
    await blobs.put('k', Buffer.from('kept'))
    await subject?.unplug()
    await expect(blobs.put('other', Buffer.from('x'))).rejects.toThrow()
    // a copy may still be at hand
    const got = await blobs.get('k').then(
      (bytes) => bytes && Buffer.from(bytes).toString(),
      () => 'kept',
    )
    expect(got, 'undefined says that there is no such blob').toBe('kept')
  })
}

/** Keys that become the same when a store writes their slashes in another way. */
const ALIKE = [
  'a/b/c',
  'a_b_c',
  'a__b__c',
  'a-b-c',
  'a--b--c',
  'a.b.c',
  'a..b..c',
  'abc',
  'a2fb2fc',
  'a/b_c',
  'a_b/c',
  'c',
]
/** Keys that a store may want for itself. */
const PRIVATE = [
  ...[
    'k',
    'k.tmp',
    '.k.tmp',
    'k.temp',
    'k.new',
    'k.part',
    'k.draft',
    'k.bak',
    'k.old',
    '.k',
    'k.lock',
    'k.meta',
    'k.json',
  ],
  ...[
    'tmp/k',
    '.tmp/k',
    'temp',
    'check',
    '.check',
    'health',
    '.health',
    'healthcheck',
    'ping',
    'probe',
    '.probe',
    'test',
  ],
]

/** Reads to the end; true when it was reached. */
async function rest(reader: ReadableStreamDefaultReader<Uint8Array>, pieces: Uint8Array[]): Promise<boolean> {
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return true
    pieces.push(value)
  }
}

/** How many files and connections this process has open; always 0 where the system does not tell. */
function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}

async function bytesOf(stream: BlobStream | undefined): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of stream!.bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function read(blobs: BlobStore, key: string): Promise<Buffer | undefined> {
  const bytes = await blobs.get(key)
  return bytes === undefined ? undefined : Buffer.from(bytes)
}
