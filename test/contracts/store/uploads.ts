import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import type { Upload } from '../../../core/ports/store/uploads.ts'
import { NOON, newId, newProjectId } from './records.ts'

/** The promises of a store about uploaded images. */
export function storeUploadsContract(fresh: () => Promise<Store>) {
  const made = (projectId: Upload['projectId'], fields: Partial<Upload> = {}): Upload => ({
    ...{ id: newId(), projectId, hash: 'a'.repeat(64), contentType: 'image/png', width: 1, height: 2, size: 3 },
    ...{ createdAt: NOON },
    ...fields,
  })

  it('gives an image back to its project, and adds up what a project has', async () => {
    const { uploads } = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    expect(await uploads.total(mine)).toEqual({ count: 0, bytes: 0 })
    const image = made(mine)
    await uploads.insert(image)
    await uploads.insert(made(mine, { hash: 'b'.repeat(64), size: 2_000_000_000 }))
    await uploads.insert(made(mine, { hash: 'c'.repeat(64), size: 2_000_000_000 }))
    await uploads.insert(made(theirs, { size: 9 }))
    expect(await uploads.find(mine, image.hash)).toEqual(image)
    expect(await uploads.find(mine, 'd'.repeat(64))).toBeUndefined()
    expect(await uploads.find(theirs, 'b'.repeat(64))).toBeUndefined()
    expect(await uploads.total(mine)).toEqual({ count: 3, bytes: 4_000_000_003 })
    await expect(uploads.insert(made(mine))).rejects.toThrow()
  })

  it('lists a project’s images newest first, and forgets one', async () => {
    const { uploads } = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const [first, second, third] = ['a', 'b', 'c'].map((sign) => made(mine, { hash: sign.repeat(64), name: sign }))
    for (const each of [first!, second!, third!, made(theirs)]) await uploads.insert(each)
    expect(await uploads.page(mine, { limit: 2 })).toEqual([third, second, first])
    const after = { value: '', id: third!.id }
    expect(await uploads.page(mine, { limit: 1, after })).toEqual([second, first])
    expect(await uploads.page(mine, { limit: 2, after: { value: '', id: first!.id } })).toEqual([])
    expect(await uploads.byId(mine, second!.id)).toEqual(second)
    expect(await uploads.byId(theirs, second!.id)).toBeUndefined()
    expect(await uploads.remove(theirs, second!.hash)).toBe(false)
    expect(await uploads.remove(mine, second!.hash)).toBe(true)
    expect(await uploads.remove(mine, second!.hash)).toBe(false)
    expect(await uploads.page(mine, { limit: 2 })).toEqual([third, first])
  })
}
