import { expect, it } from 'vitest'
import type { ApiKey } from '../../../core/ports/store/projects.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { at, NOON, newId, newProjectId, project } from './records.ts'

/** The promises of a store about projects and their keys. */
export function storeProjectsContract(fresh: () => Promise<Store>) {
  it('gives a project back as it was saved', async () => {
    const { projects } = await fresh()
    const acme = project({
      name: 'Ünïcode 🙂 "quoted"',
      trustedDomains: ['a.example', 'müller.example'],
      disabled: true,
    })
    await projects.save(acme)
    expect(await projects.find(acme.id)).toEqual(acme)
    expect(await projects.find(newProjectId())).toBeUndefined()
  })

  it('brings a saved project up to date', async () => {
    const { projects } = await fresh()
    const acme = project()
    await projects.save(acme)
    const changed = {
      ...acme,
      name: 'New',
      tracking: 'DISABLED',
      trackingConsent: 'none',
      publicData: 'new',
      trustedDomains: [],
    } as const
    await projects.save(changed)
    expect(await projects.find(acme.id)).toEqual(changed)
    expect(await projects.list()).toEqual([changed])
  })

  it('keeps a language and a double opt-in, and takes them away when the project has them no longer', async () => {
    const { projects } = await fresh()
    const acme = project()
    const more = {
      ...acme,
      locale: 'pt-BR',
      timeZone: 'Asia/Kolkata',
      frequencyCap: { mails: 3, days: 7 },
      quotas: { daily: 0 },
      doubleOptIn: { from: 'news@example.com', fromName: 'News' },
      mode: 'members',
      allowedRecipients: ['qa@example.com', 'example.org'],
    } as const
    await projects.save(more)
    expect(await projects.find(acme.id)).toEqual(more)
    await projects.save(acme)
    expect(await projects.find(acme.id)).toEqual(acme)
    expect(await projects.list()).toEqual([acme])
  })

  it('finds the project of an archive, whose name no other can take', async () => {
    const { projects } = await fresh()
    const [acme, other] = [project(), project()]
    const open = { ...acme, archiveSlug: 'acme', signUpUrl: 'https://acme.example/' }
    await projects.save(open)
    expect(await projects.ofArchive('acme')).toEqual(open)
    expect(await projects.ofArchive('other')).toBeUndefined()
    await expect(projects.save({ ...other, archiveSlug: 'acme' })).rejects.toThrow()
    await projects.save(acme)
    expect(await projects.ofArchive('acme')).toBeUndefined()
    await projects.save({ ...other, archiveSlug: 'acme' })
    expect((await projects.ofArchive('acme'))?.id).toBe(other.id)
  })

  it('lists projects oldest first, whatever their ids', async () => {
    const { projects } = await fresh()
    const [late, early, middle] = [
      project({ createdAt: at(9) }),
      project({ createdAt: at(1) }),
      project({ createdAt: at(5) }),
    ]
    for (const each of [late, early, middle]) await projects.save(each)
    expect(await projects.list()).toEqual([early, middle, late])
  })

  it('finds an unrevoked key by its hash, with its project', async () => {
    const { projects } = await fresh()
    const acme = project()
    await projects.save(acme)
    const key = apiKey(acme.id, 'h1')
    expect(await projects.addKey(key)).toBe('added')
    expect(await projects.findKey('h1')).toEqual({ key, project: acme })
    expect(await projects.findKey('h2')).toBeUndefined()
  })

  it('says whose a key already is, and keeps the first', async () => {
    const { projects } = await fresh()
    const [acme, other] = [project(), project()]
    await projects.save(acme)
    await projects.save(other)
    const key = apiKey(acme.id, 'h1')
    await projects.addKey(key)
    expect(await projects.addKey(apiKey(acme.id, 'h1', { name: 'again' }))).toBe('exists')
    expect(await projects.addKey(apiKey(other.id, 'h1'))).toBe('taken')
    expect((await projects.findKey('h1'))?.key).toEqual(key)
  })

  it('lets one of many simultaneous additions of a key win', async () => {
    const { projects } = await fresh()
    const acme = project()
    await projects.save(acme)
    const answers = await Promise.all(Array.from({ length: 20 }, () => projects.addKey(apiKey(acme.id, 'h1'))))
    expect(answers.filter((answer) => answer === 'added')).toHaveLength(1)
    expect(answers.filter((answer) => answer === 'exists')).toHaveLength(19)
  })

  it('revokes the keys of a name but for those to keep, once, and of one project alone', async () => {
    const { projects } = await fresh()
    const [acme, other] = [project(), project()]
    await projects.save(acme)
    await projects.save(other)
    for (const hash of ['old', 'older', 'current']) await projects.addKey(apiKey(acme.id, hash))
    await projects.addKey(apiKey(acme.id, 'named', { name: 'by hand' }))
    await projects.addKey(apiKey(other.id, 'theirs'))
    expect(await projects.revokeKeys(acme.id, 'config', ['current'], at(5))).toBe(2)
    expect(await projects.revokeKeys(acme.id, 'config', ['current'], at(6))).toBe(0)
    expect(await projects.findKey('old')).toBeUndefined()
    for (const hash of ['current', 'named', 'theirs']) expect(await projects.findKey(hash)).toBeDefined()
    expect(await projects.revokeKeys(acme.id, 'config', [], at(7))).toBe(1)
  })

  it('gives a key back with its scopes and its end, and lists the unrevoked ones of one project, newest first', async () => {
    const { projects } = await fresh()
    const [acme, other] = [project(), project()]
    await projects.save(acme)
    await projects.save(other)
    const first = apiKey(acme.id, 'h1', { scopes: ['send', 'read'], expiresAt: at(-60) })
    const second = apiKey(acme.id, 'h2', { kind: 'public', name: 'web', scopes: ['track'], expiresAt: at(60) })
    for (const key of [first, second, apiKey(acme.id, 'h3'), apiKey(other.id, 'h4')]) await projects.addKey(key)
    await projects.revokeKeys(acme.id, 'config', ['h1'], at(1))
    expect(await projects.keys(acme.id)).toEqual([second, first])
    expect((await projects.findKey('h1'))?.key).toEqual(first)
  })

  it('revokes one key of a project, once, and takes it back when it is added again', async () => {
    const { projects } = await fresh()
    const [acme, other] = [project(), project()]
    await projects.save(acme)
    await projects.save(other)
    const [key, beside] = [apiKey(acme.id, 'h1'), apiKey(acme.id, 'h2')]
    await projects.addKey(key)
    await projects.addKey(beside)
    expect(await projects.changeKey(other.id, key.id, { revokedAt: at(1) })).toBe(false)
    expect(await projects.changeKey(acme.id, key.id, { name: 'renamed' })).toBe(true)
    expect((await projects.findKey('h1'))?.key).toEqual({ ...key, name: 'renamed' })
    expect(await projects.changeKey(acme.id, key.id, { name: key.name })).toBe(true)
    const answers = await Promise.all([1, 2, 3].map((i) => projects.changeKey(acme.id, key.id, { revokedAt: at(i) })))
    expect(answers.filter(Boolean)).toHaveLength(1)
    expect(await projects.findKey('h1')).toBeUndefined()
    expect(await projects.keys(acme.id)).toEqual([beside])
    expect(await projects.changeKey(acme.id, key.id, { name: 'late' })).toBe(false)
    expect(await projects.addKey(apiKey(other.id, 'h1'))).toBe('taken')
    expect(await projects.findKey('h1')).toBeUndefined()
    expect(await projects.addKey(apiKey(acme.id, 'h1', { name: 'again' }))).toBe('exists')
    expect((await projects.findKey('h1'))?.key).toEqual(key)
  })

  it('notes when a key was used', async () => {
    const { projects } = await fresh()
    const acme = project()
    await projects.save(acme)
    const key = apiKey(acme.id, 'h1')
    await projects.addKey(key)
    await projects.touchKey(key.id, at(60))
    expect((await projects.findKey('h1'))?.key).toEqual({ ...key, lastUsedAt: at(60) })
  })
}

function apiKey(projectId: ProjectId, hash: string, fields: Partial<ApiKey> = {}): ApiKey {
  return {
    id: newId(),
    projectId,
    kind: 'secret',
    name: 'config',
    scopes: ['full'],
    hash,
    prefix: 'sk_12345',
    createdAt: NOON,
    ...fields,
  }
}
