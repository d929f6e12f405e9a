import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import type { WriteBatchOutcome } from '../../../core/ports/store/write-batch.ts'
import type { Json } from '../../../core/values/json.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { at, email, HOSTILE, NOON, newProjectId, put, request } from './records.ts'

/** The promises of a store about idempotency keys. */
export function storeIdempotencyContract(fresh: () => Promise<Store>) {
  it('answers a repeated key with the first answer and writes nothing more', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    expect(await send(store, projectId, 'key', { answer: HOSTILE })).toEqual({ outcome: 'taken', answer: HOSTILE })
    const again = await send(store, projectId, 'key', { answer: 'second' })
    expect(again).toEqual({ outcome: 'replayed', answer: HOSTILE })
    expect(JSON.stringify(again)).toBe(JSON.stringify({ outcome: 'replayed', answer: HOSTILE }))
    expect(await store.emails.count(projectId, {})).toBe(1)
  })

  it.each<[Json]>([
    ['text'],
    [0],
    [-0.1],
    [1e21],
    [true],
    [null],
    [[]],
    [{}],
    ['123'],
    ['{"a":'],
  ])('gives back the answer %j as it was', async (answer) => {
    const store = await fresh()
    const projectId = newProjectId()
    await send(store, projectId, 'key', { answer })
    expect(await send(store, projectId, 'key', { answer: 'other' })).toEqual({ outcome: 'replayed', answer })
    expect(await store.writeBatch.remembered(projectId, 'key', NOON)).toEqual({ fingerprint: 'print', answer })
  })

  it('refuses a key with another fingerprint and writes nothing', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    await send(store, projectId, 'key', { answer: 1 })
    expect(await send(store, projectId, 'key', { answer: 2, fingerprint: 'other' })).toEqual({ outcome: 'key-reused' })
    expect(await store.emails.count(projectId, {})).toBe(1)
    expect(await send(store, projectId, 'key', { answer: 3 })).toEqual({ outcome: 'replayed', answer: 1 })
  })

  it('takes one of many requests with one key at the same time', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        send(store, projectId, 'key', { answer: i, fingerprint: i === 20 ? 'x' : 'print' }),
      ),
    )
    const taken = outcomes.filter(({ outcome }) => outcome === 'taken')
    expect(taken).toHaveLength(1)
    const [first] = taken
    const answer = first && 'answer' in first ? first.answer : undefined
    const rest = outcomes.filter(({ outcome }) => outcome === 'replayed')
    expect(rest).toEqual(Array.from({ length: 48 }, () => ({ outcome: 'replayed', answer })))
    expect(outcomes.filter(({ outcome }) => outcome === 'key-reused')).toHaveLength(1)
    expect(await store.emails.count(projectId, {})).toBe(1)
  })

  it('keeps the keys of projects apart, and every character of a key counts', async () => {
    const store = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    await send(store, mine, 'key', { answer: 'mine' })
    const others = [
      [theirs, 'key'],
      [mine, 'KEY'],
      [mine, 'key '],
      [mine, 'kéy'],
      [mine, ''],
    ] as const
    for (const [projectId, key] of others) {
      expect(await send(store, projectId, key, { answer: key })).toEqual({ outcome: 'taken', answer: key })
    }
    expect(await store.writeBatch.remembered(newProjectId(), 'key', NOON)).toBeUndefined()
  })

  it('keeps the keys of projects apart that use them at the same time', async () => {
    const store = await fresh()
    const projects = Array.from({ length: 10 }, () => newProjectId())
    const outcomes = await Promise.all(
      projects.map((projectId) => send(store, projectId, 'key', { answer: projectId })),
    )
    expect(outcomes).toEqual(projects.map((answer) => ({ outcome: 'taken', answer })))
  })

  it('counts an answer from before `since` as forgotten, and the new one takes its place', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    await send(store, projectId, 'key', { answer: 'old', now: NOON })
    const late = { now: at(100), since: NOON }
    expect(await send(store, projectId, 'key', { ...late, answer: 'x' })).toEqual({
      outcome: 'replayed',
      answer: 'old',
    })
    const later = { now: at(100), since: at(0.001), fingerprint: 'new' }
    expect(await send(store, projectId, 'key', { ...later, answer: 'new' })).toEqual({
      outcome: 'taken',
      answer: 'new',
    })
    expect(await send(store, projectId, 'key', { ...later, answer: 'x' })).toEqual({
      outcome: 'replayed',
      answer: 'new',
    })
    expect(await store.emails.count(projectId, {})).toBe(2)
  })

  it('keeps no answer of a request that was refused', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const refused = request<string>(
      projectId,
      () => {
        throw new Error('no')
      },
      { idempotency: { key: 'key', fingerprint: 'print', since: NOON } },
    )
    await expect(store.writeBatch.commit(refused)).rejects.toThrow('no')
    expect(await store.writeBatch.remembered(projectId, 'key', NOON)).toBeUndefined()
    expect(await send(store, projectId, 'key', { answer: 'yes' })).toEqual({ outcome: 'taken', answer: 'yes' })
  })

  it('tells what it remembers since a moment', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    await send(store, projectId, 'key', { answer: [1] })
    expect(await store.writeBatch.remembered(projectId, 'key', NOON)).toEqual({ fingerprint: 'print', answer: [1] })
    expect(await store.writeBatch.remembered(projectId, 'key', at(0.001))).toBeUndefined()
    expect(await store.writeBatch.remembered(projectId, 'other', NOON)).toBeUndefined()
  })

  it('forgets answers from before a date and says how many', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    for (const seconds of [0, 1, 2])
      await send(store, projectId, `key${seconds}`, { answer: seconds, now: at(seconds) })
    expect(await store.writeBatch.forget(at(2), 1)).toBe(1)
    expect(await store.writeBatch.forget(at(2), 9)).toBe(1)
    expect(await store.writeBatch.forget(at(2), 9)).toBe(0)
    expect(await store.writeBatch.remembered(projectId, 'key1', NOON)).toBeUndefined()
    expect(await store.writeBatch.remembered(projectId, 'key2', NOON)).toBeDefined()
  })

  it('replaces and removes an answer for as long as it is the one that is stored', async () => {
    const store = await fresh()
    const [projectId, other] = [newProjectId(), newProjectId()]
    const under = { key: 'key', fingerprint: 'print', since: NOON }
    const mark = { reserved: HOSTILE }
    for (const each of [projectId, other]) {
      expect(await store.answers.saveIfAbsent(each, under, mark, NOON)).toBeUndefined()
    }
    const next = { answer: { kept: HOSTILE }, now: at(100) }
    expect(await store.answers.replace(projectId, 'key', { reserved: 'else' }, next)).toBe(false)
    expect(await store.answers.replace(projectId, 'other', mark, next)).toBe(false)
    expect(await store.answers.replace(projectId, 'key', mark, next)).toBe(true)
    expect(await store.answers.replace(projectId, 'key', mark, undefined)).toBe(false)
    // its time counts from now
    const kept = await store.writeBatch.remembered(projectId, 'key', at(100))
    expect(kept).toEqual({ fingerprint: 'print', answer: { kept: HOSTILE } })
    expect(await store.answers.replace(other, 'key', mark, undefined)).toBe(true)
    expect(await store.writeBatch.remembered(other, 'key', NOON)).toBeUndefined()
  })

  it('reserves no key for requests without one', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mail = email(projectId)
    await put(store, projectId, { emails: [mail] })
    expect(await store.writeBatch.forget(at(1000), 9)).toBe(0)
  })
}

/** Takes a request that stores one mail, under this key. */
function send(
  store: Store,
  projectId: ProjectId,
  key: string,
  given: { readonly answer: Json; readonly fingerprint?: string; readonly now?: Date; readonly since?: Date },
): Promise<WriteBatchOutcome<Json>> {
  const { answer, fingerprint = 'print', now = NOON, since = NOON } = given
  const decide = () => ({ contacts: [], contents: [], emails: [email(projectId)], events: [], answer })
  return store.writeBatch.commit(request(projectId, decide, { now, idempotency: { key, fingerprint, since } }))
}
