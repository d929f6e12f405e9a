import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import type { TemplateDraft, TemplateVersion } from '../../../core/ports/store/template-versions.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { at, NOON, newId, newProjectId } from './records.ts'

const FIELDS = {
  name: 'N',
  subject: 'S 🙂',
  body: `<p>{{ "ä" }}</p>${'x'.repeat(100_000)}`,
  type: 'MARKETING',
} as const
const ADA = { authorType: 'user', authorId: newId(), authorName: 'ada@example.org' } as const

export function version(projectId: ProjectId, templateId: string, number: number): TemplateVersion {
  const made = { id: newId(), projectId, templateId, number, fields: FIELDS, changed: ['subject'], createdAt: NOON }
  return { ...made, authorType: 'engine', authorName: 'engine' }
}

export function draft(projectId: ProjectId, templateId: string, fields: Partial<TemplateDraft> = {}): TemplateDraft {
  const words = { subject: 'Half {{', from: null, design: { blocks: [{ none: null }] } }
  return { templateId, projectId, fields: words, version: 1, revision: newId(), updatedAt: NOON, ...ADA, ...fields }
}

/** The promises of a store about versions and drafts of templates. */
export function storeTemplateVersionsContract(fresh: () => Promise<Store>) {
  it('gives versions back as they were written, and lists them without what they say', async () => {
    const { templateVersions } = await fresh()
    const [mine, theirs, id] = [newProjectId(), newProjectId(), newId()]
    const design = { version: 1, blocks: [{ text: '“{{ x }}” 🙂' }, { none: null }] }
    const first = version(mine, id, 1)
    const second = { ...version(mine, id, 2), ...ADA, fields: { ...FIELDS, design }, restoredFrom: 1, changed: [] }
    for (const each of [first, second, version(mine, newId(), 3)]) await templateVersions.insert(each)
    expect(await templateVersions.find(mine, id, 1)).toEqual(first)
    expect(await templateVersions.find(mine, id, 2)).toEqual(second)
    expect(await templateVersions.find(mine, id, 3)).toBeUndefined()
    expect(await templateVersions.find(theirs, id, 1)).toBeUndefined()
    const [listed, ...others] = await templateVersions.page(mine, id, { limit: 5 })
    expect(Object.keys(listed ?? {})).not.toContain('fields')
    expect({ ...listed, fields: second.fields }).toEqual(second)
    expect(others).toHaveLength(1)
    expect(await templateVersions.page(theirs, id, { limit: 5 })).toEqual([])
    expect([await templateVersions.count(mine, id), await templateVersions.count(theirs, id)]).toEqual([2, 0])
  })

  it('keeps the first of two versions with a number, pages newest first and forgets the oldest', async () => {
    const { templateVersions } = await fresh()
    const [mine, id] = [newProjectId(), newId()]
    const made = [1, 2, 3, 4, 5].map((number) => version(mine, id, number))
    for (const each of made) await templateVersions.insert(each)
    await templateVersions.insert({ ...version(mine, id, 5), authorName: 'late' })
    expect((await templateVersions.find(mine, id, 5))?.authorName).toBe('engine')
    const numbers = async (page: Parameters<typeof templateVersions.page>[2]) =>
      (await templateVersions.page(mine, id, page)).map(({ number }) => number)
    expect(await numbers({ limit: 2 })).toEqual([5, 4, 3])
    expect(await numbers({ limit: 2, after: { value: '', id: made[2]!.id } })).toEqual([2, 1])
    await templateVersions.removeUpTo(newProjectId(), id, 5)
    await templateVersions.removeUpTo(mine, id, 3)
    expect(await numbers({ limit: 5 })).toEqual([5, 4])
  })

  it('keeps one draft of a template, as it was typed', async () => {
    const { templateDrafts } = await fresh()
    const [mine, theirs, id] = [newProjectId(), newProjectId(), newId()]
    const first = draft(mine, id)
    await templateDrafts.put(first)
    expect(await templateDrafts.find(mine, id)).toEqual(first)
    const { authorId: _, ...written } = draft(mine, id, { fields: {}, version: 7, updatedAt: at(5) })
    const second: TemplateDraft = { ...written, authorType: 'engine', authorName: 'engine' }
    await templateDrafts.put(second)
    expect(await templateDrafts.find(mine, id)).toEqual(second)
    await templateDrafts.put(draft(theirs, id))
    const other = draft(mine, newId(), { fields: { layoutId: id, body: 'x'.repeat(10_000) } })
    await templateDrafts.put(other)
    expect(await templateDrafts.mentioning(mine, id)).toEqual([other])
    expect(await templateDrafts.mentioning(theirs, id)).toEqual([])
    await templateDrafts.remove(theirs, id)
    expect(await templateDrafts.find(theirs, id)).toBeUndefined()
    expect(await templateDrafts.find(mine, id)).toEqual(second)
    await templateDrafts.remove(mine, id)
    await templateDrafts.remove(mine, id)
    expect(await templateDrafts.find(mine, id)).toBeUndefined()
  })
}
