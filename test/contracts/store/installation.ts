import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, HOSTILE, NOON, newProjectId } from './records.ts'

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

  it("keeps a project's mail servers apart from those of others, and of changes to one version takes a single one", async () => {
    const { projectServers } = await fresh()
    const [one, other] = [{ id: newProjectId() }, { id: newProjectId() }]
    expect(await projectServers.versions()).toEqual([])
    const first = { projectId: one.id, value: HOSTILE, version: 1, updatedAt: NOON }
    const made = await Promise.all(Array.from({ length: 5 }, () => projectServers.put(first)))
    expect(made.filter(Boolean)).toHaveLength(1)
    expect(await projectServers.put({ ...first, projectId: other.id, value: {} })).toBe(true)
    const changes = Array.from({ length: 5 }, (_, i) => ({ ...first, value: { i }, version: 2, updatedAt: at(1) }))
    const changed = await Promise.all(changes.map((each) => projectServers.put(each)))
    expect(changed.filter(Boolean)).toHaveLength(1)
    expect(await projectServers.among([one.id])).toEqual([changes[changed.indexOf(true)]])
    expect(await projectServers.among([])).toEqual([])
    const versions = new Map((await projectServers.versions()).map(({ projectId, version }) => [projectId, version]))
    expect(versions).toEqual(new Map([[one.id, 2] as const, [other.id, 1] as const]))
    expect(await projectServers.put({ ...first, version: 4 })).toBe(false)
  })
}
