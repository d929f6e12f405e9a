import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, HOSTILE, NOON } from './records.ts'

/** The promises of a store about the settings of the installation. */
export function storeInstallationContract(fresh: () => Promise<Store>) {
  it('keeps a setting of the installation, and of changes to one version takes a single one', async () => {
    const { installation } = await fresh()
    expect(await installation.all()).toEqual([])
    const first = { name: 'mail-servers', value: HOSTILE, version: 1, updatedAt: NOON }
    const made = await Promise.all(Array.from({ length: 5 }, () => installation.put(first)))
    expect(made.filter(Boolean)).toHaveLength(1)
    expect(await installation.all()).toEqual([first])
    const changes = Array.from({ length: 5 }, (_, i) => ({ ...first, value: { i }, version: 2, updatedAt: at(1) }))
    const changed = await Promise.all(changes.map((each) => installation.put(each)))
    expect(changed.filter(Boolean)).toHaveLength(1)
    expect(await installation.all()).toEqual([changes[changed.indexOf(true)]])
    expect(await installation.put({ ...first, version: 4 })).toBe(false)
    expect(await installation.put({ ...first, name: 'public-address', version: 2 })).toBe(false)
  })
}
