import { expect, it } from 'vitest'
import type { Layout } from '../../../core/ports/store/layouts.ts'
import type { Snippet } from '../../../core/ports/store/snippets.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { at, campaign, NOON, newId, newProjectId, template } from './records.ts'

function layout(projectId: ProjectId, fields: Partial<Layout> = {}): Layout {
  return {
    id: newId(),
    projectId,
    name: 'Frame',
    body: '{{ content }}',
    version: 1,
    createdAt: NOON,
    updatedAt: NOON,
    ...fields,
  }
}

function snippet(projectId: ProjectId, fields: Partial<Snippet> = {}): Snippet {
  const written = { name: 'footer', body: '<p>Acme</p>', renders: [], version: 1, createdAt: NOON, updatedAt: NOON }
  return { id: newId(), projectId, ...written, ...fields }
}

/** The promises of a store about snippets and layouts. */
export function storeReusedContentContract(fresh: () => Promise<Store>) {
  it('gives them back as they were written, and takes away what is absent', async () => {
    const { snippets, layouts } = await fresh()
    const projectId = newProjectId()
    const body = `<p>{{ '🙂' }}</p>${'x'.repeat(100_000)}`
    const [piece, frame] = [
      snippet(projectId, { body, renders: ['a', 'b', 'a'], description: 'ДД' }),
      layout(projectId),
    ]
    expect(await snippets.insert(piece)).toBe('inserted')
    await layouts.insert({ ...frame, body, description: 'ДД' })
    expect(await snippets.find(projectId, piece.id)).toEqual(piece)
    expect(await layouts.find(projectId, frame.id)).toEqual({ ...frame, body, description: 'ДД' })
    const bare = { ...snippet(projectId, { name: 'end', updatedAt: at(5) }), id: piece.id }
    expect([await snippets.update(bare), await layouts.update(frame)]).toEqual(['updated', true])
    expect([await snippets.find(projectId, piece.id), await layouts.find(projectId, frame.id)]).toEqual([bare, frame])
    expect([await snippets.update(snippet(projectId)), await layouts.update(layout(projectId))]).toEqual([
      'missing',
      false,
    ])
    for (const removed of [true, false]) {
      expect(await snippets.remove(projectId, piece.id)).toBe(removed)
      expect(await layouts.remove(projectId, frame.id)).toBe(removed)
    }
  })

  it('has each name once in a project, and shows no project those of another', async () => {
    const { snippets, layouts } = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const [own, other] = [snippet(mine), snippet(mine, { name: 'header' })]
    for (const each of [own, other, snippet(theirs)]) expect(await snippets.insert(each)).toBe('inserted')
    expect(await snippets.insert(snippet(mine))).toBe('name-taken')
    expect(await snippets.update({ ...other, name: 'footer' })).toBe('name-taken')
    expect(await snippets.named(mine, ['footer', 'none'])).toEqual([own])
    const frame = layout(mine)
    await layouts.insert(frame)
    expect(await snippets.find(theirs, own.id)).toBeUndefined()
    expect(await snippets.update({ ...own, projectId: theirs, name: 'x' })).toBe('missing')
    expect(await snippets.remove(theirs, own.id)).toBe(false)
    expect([await layouts.find(theirs, frame.id), await layouts.count(theirs, {})]).toEqual([undefined, 0])
    expect(await layouts.remove(theirs, frame.id)).toBe(false)
  })

  it('pages them newest first, narrowed by name or description', async () => {
    const { snippets, layouts } = await fresh()
    const projectId = newProjectId()
    const pieces = ['a', 'b', 'c'].map((name) => snippet(projectId, { name }))
    const frames = ['a', 'b', 'c'].map((name) => layout(projectId, { name, description: `ÉTÉ %${name}` }))
    for (const each of pieces) await snippets.insert(each)
    for (const each of frames) await layouts.insert(each)
    for (const [list, made] of [
      [snippets, pieces],
      [layouts, frames],
    ] as const) {
      const newest = [...made].reverse()
      expect(await list.page(projectId, {}, { limit: 1 })).toEqual(newest.slice(0, 2))
      expect(await list.page(projectId, {}, { limit: 2, offset: 1 })).toEqual(newest.slice(1))
      const after = { value: '', id: newest[0]!.id }
      expect(await list.page(projectId, {}, { limit: 1, after })).toEqual(newest.slice(1))
      expect(await list.page(projectId, { search: 'B' }, { limit: 9 })).toEqual([newest[1]])
      expect([await list.count(projectId, {}), await list.count(projectId, { search: 'c' })]).toEqual([3, 1])
    }
    expect(await layouts.count(projectId, { search: 'été %b' })).toBe(1)
  })

  it('holds them in a transaction, so that nobody removes what is about to be used', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [piece, frame] = [snippet(projectId, { body: '🙂', renders: ['x'] }), layout(projectId)]
    await store.snippets.insert(piece)
    await store.layouts.insert(frame)
    let removed = false
    let begin = () => {}
    const begun = new Promise<void>((done) => {
      begin = done
    })
    const removing = begun.then(() =>
      store.transaction(async (other) => {
        await other.snippets.lock(projectId, piece.id)
        await other.snippets.remove(projectId, piece.id)
        removed = true
      }),
    )
    await store.transaction(async (tx) => {
      expect(await tx.snippets.hold(projectId, ['footer', 'none'])).toEqual(new Set(['footer']))
      const held = [await tx.layouts.hold(projectId, frame.id), await tx.layouts.hold(projectId, newId())]
      expect(held).toEqual([true, false])
      begin()
      await new Promise((done) => setTimeout(done, 100))
      expect(removed).toBe(false)
    })
    await removing
    expect(await store.snippets.find(projectId, piece.id)).toBeUndefined()
    await store.snippets.insert(piece)
    await store.transaction(async (tx) => {
      expect(await tx.layouts.lock(projectId, frame.id)).toEqual(frame)
      const links = { id: piece.id, name: 'footer', renders: ['x'], bytes: 4 }
      expect(await tx.snippets.lockAll(projectId)).toEqual([links])
    })
  })

  it('finds what may render a snippet, and what has a layout', async () => {
    const { snippets, layouts, templates, campaigns } = await fresh()
    const projectId = newProjectId()
    const body = `${'x'.repeat(1_100_000)}{% render 'footer' %}`
    const layoutId = newId()
    const mail = template(projectId, { body, layoutId })
    const [news, over] = [
      campaign(projectId, { body, layoutId }),
      campaign(projectId, { body, layoutId, status: 'FAILED' }),
    ]
    const varied = campaign(projectId, {
      variants: [{ layoutId }, { body: '{% render "footer" %}' }, { subject: 'B' }],
    })
    const [piece, frame] = [snippet(projectId, { name: 'other', body }), layout(projectId, { body })]
    for (const each of [
      mail,
      template(projectId, { body: 'footer render' }),
      template(newProjectId(), { body, layoutId }),
    ])
      await templates.insert(each)
    for (const each of [news, over, varied, campaign(projectId)]) await campaigns.insert(each)
    await snippets.insert(piece)
    await layouts.insert(frame)
    expect(await snippets.mayRender(projectId, 'footer')).toEqual([
      { kind: 'template', id: mail.id, name: mail.name, body },
      { kind: 'campaign', id: varied.id, name: varied.name, status: varied.status, body: varied.body },
      { kind: 'campaign', id: varied.id, name: varied.name, status: varied.status, body: '{% render "footer" %}' },
      { kind: 'campaign', id: over.id, name: over.name, status: 'FAILED', body },
      { kind: 'campaign', id: news.id, name: news.name, status: news.status, body },
      { kind: 'snippet', id: piece.id, name: 'other', body },
      { kind: 'layout', id: frame.id, name: 'Frame', body },
    ])
    expect(await layouts.users(projectId, layoutId)).toEqual({
      templates: [{ id: mail.id, name: mail.name }],
      campaigns: [varied, news].map(({ id, name, status }) => ({ id, name, status })),
    })
  })
}
