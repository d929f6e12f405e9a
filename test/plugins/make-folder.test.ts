import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../../plugins/kit/files/make-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'mailwright-folder-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('making a folder', () => {
  it('makes all above it, and is content with one that is there', async () => {
    const path = join(folder, 'a', 'b', 'c')
    await makeFolder(path)
    await makeFolder(path)
    expect(existsSync(path)).toBe(true)
  })

  it('fails where a file stands in the way', async () => {
    writeFileSync(join(folder, 'file'), '')
    await expect(makeFolder(join(folder, 'file', 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  it('ends where nothing can be made, though every folder seems absent', async () => {
    await expect(makeFolder('/proc/mailwright/below')).rejects.toThrow(/^E/)
  })
})
