import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, newId, newProjectId, putEmail, template } from './records.ts'

/** White space and line ends are as they were written. */
const SOURCE = { format: 'MARKDOWN', text: '# A\r\n\t“{{ x }}” 🙂  \n', inlineCss: true } as const

/** The promises of a store about templates. */
export function storeTemplatesContract(fresh: () => Promise<Store>) {
  it('gives a template back as it was written, and without what it has not', async () => {
    const { templates } = await fresh()
    const projectId = newProjectId()
    const bare = template(projectId, { body: `<p>{{ '🙂' }}</p>${'x'.repeat(100_000)}` })
    const sender = { from: 'a@acme.example', fromName: 'Añà', replyTo: 'b@acme.example' }
    const design = { version: 1, blocks: [{ text: '“{{ x }}” 🙂' }, { none: null }] }
    const words = { slug: 'größe-2', description: 'd', preheader: 'P 🙂', layoutId: newId() }
    const full = template(projectId, { type: 'MARKETING', design, source: SOURCE, ...words, ...sender })
    await templates.insert(bare)
    await templates.insert(full)
    expect(await templates.find(projectId, bare.id)).toEqual(bare)
    expect(Object.keys((await templates.find(projectId, bare.id)) ?? {})).not.toContain('from')
    expect(await templates.find(projectId, full.id)).toEqual(full)
  })

  it('writes every field, and takes away what is absent', async () => {
    const { templates } = await fresh()
    const projectId = newProjectId()
    const full = template(projectId, {
      slug: 's',
      description: 'd',
      design: { a: 1 },
      source: SOURCE,
      preheader: 'P',
      layoutId: newId(),
      from: 'a@acme.example',
      fromName: 'A',
      replyTo: 'b@acme.example',
    })
    await templates.insert(full)
    const bare = { ...template(projectId, { name: 'New', type: 'MARKETING', updatedAt: at(5) }), id: full.id }
    expect(await templates.update(bare)).toBe('updated')
    expect(await templates.find(projectId, full.id)).toEqual(bare)
    expect(await templates.update(template(projectId))).toBe('missing')
  })

  it('keeps slugs apart within a project, also inside a transaction, which stays usable', async () => {
    const store = await fresh()
    const { templates } = store
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const first = template(mine, { slug: 'welcome' })
    const second = template(mine, { slug: 'receipt' })
    const bare = [template(mine), template(mine)]
    for (const each of [first, second, ...bare]) expect(await templates.insert(each)).toBe('inserted')
    expect(await templates.insert(template(mine, { slug: 'welcome' }))).toBe('slug-taken')
    expect(await templates.insert(template(theirs, { slug: 'welcome' }))).toBe('inserted')
    const after = await store.transaction(async (tx) => [
      await tx.templates.update({ ...second, slug: 'welcome' }),
      await tx.templates.update({ ...second, slug: 'bill' }),
    ])
    expect(after).toEqual(['slug-taken', 'updated'])
    expect(await templates.named(mine, 'bill')).toEqual({ ...second, slug: 'bill' })
    expect(await templates.named(mine, 'receipt')).toBeUndefined()
    expect(await templates.named(theirs, 'bill')).toBeUndefined()
    expect(await templates.takenSlugs(mine, ['bill', 'receipt', 'welcome', 'x'])).toEqual(new Set(['bill', 'welcome']))
    expect(await templates.takenSlugs(theirs, ['bill'])).toEqual(new Set())
  })

  it('pages newest first, by cursor or by number', async () => {
    const { templates } = await fresh()
    const projectId = newProjectId()
    const made = Array.from({ length: 5 }, () => template(projectId))
    for (const each of made) await templates.insert(each)
    const newest = [...made].reverse()
    expect(await templates.page(projectId, {}, { limit: 2 })).toEqual(newest.slice(0, 3))
    expect(await templates.page(projectId, {}, { limit: 2, offset: 2 })).toEqual(newest.slice(2, 5))
    expect(await templates.page(projectId, {}, { limit: 2, offset: 4 })).toEqual(newest.slice(4))
    const after = { value: '', id: newest[1]!.id }
    await templates.insert(template(projectId))
    expect(await templates.page(projectId, {}, { limit: 2, after })).toEqual(newest.slice(2, 5))
  })

  it('filters by type and by part of name or subject, letter case of any language aside', async () => {
    const { templates } = await fresh()
    const projectId = newProjectId()
    const letter = template(projectId, { name: 'Größe ÉTÉ', subject: '50%_off\\', type: 'MARKETING' })
    const receipt = template(projectId, { name: 'Receipt', subject: 'Ваш заказ' })
    for (const each of [letter, receipt]) await templates.insert(each)
    const found = async (filter: Parameters<Store['templates']['count']>[1]) => {
      const page = await templates.page(projectId, filter, { limit: 10 })
      expect(await templates.count(projectId, filter)).toBe(page.length)
      return page
    }
    expect(await found({})).toEqual([receipt, letter])
    expect(await found({ type: 'MARKETING' })).toEqual([letter])
    expect(await found({ search: 'été' })).toEqual([letter])
    expect(await found({ search: 'GRÖß' })).toEqual([letter])
    expect(await found({ search: 'заказ'.toUpperCase() })).toEqual([receipt])
    expect(await found({ search: 'RECEIPT', type: 'MARKETING' })).toEqual([])
    expect(await found({ search: '%_OFF\\' })).toEqual([letter])
    for (const search of ['r_c', '%%', "'", '"', '?', ':name']) expect(await found({ search })).toEqual([])
  })

  it('finds a template in a transaction, to be changed by nobody else', async () => {
    const store = await fresh()
    const made = template(newProjectId())
    await store.templates.insert(made)
    const found = await store.transaction(async (tx) => [
      await tx.templates.lock(made.projectId, made.id),
      await tx.templates.lock(newProjectId(), made.id),
    ])
    expect(found).toEqual([made, undefined])
  })

  it('removes a template once', async () => {
    const { templates } = await fresh()
    const projectId = newProjectId()
    const made = template(projectId)
    await templates.insert(made)
    expect(await templates.remove(projectId, made.id)).toBe(true)
    expect(await templates.remove(projectId, made.id)).toBe(false)
    expect(await templates.find(projectId, made.id)).toBeUndefined()
  })

  it('counts the mails made from a template', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = template(projectId)
    await store.templates.insert(made)
    for (const templateId of [made.id, made.id, newId()]) await putEmail(store, projectId, { templateId })
    expect(await store.templates.emailsMade(projectId, made.id)).toBe(2)
    expect(await store.templates.emailsMade(newProjectId(), made.id)).toBe(0)
  })

  it('shows no project the templates of another', async () => {
    const { templates } = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const made = template(mine)
    await templates.insert(made)
    expect(await templates.find(theirs, made.id)).toBeUndefined()
    expect(await templates.page(theirs, { search: 'w' }, { limit: 10 })).toEqual([])
    expect(await templates.count(theirs, {})).toBe(0)
    expect(await templates.update({ ...made, projectId: theirs, name: 'Mine now' })).toBe('missing')
    expect(await templates.remove(theirs, made.id)).toBe(false)
    expect(await templates.find(mine, made.id)).toEqual(made)
  })
}
