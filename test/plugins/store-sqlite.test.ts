import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { isJsonObject } from '../../core/values/json.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { contact, NOON, newProjectId, project, put } from '../contracts/store/records.ts'
import { storeContract } from '../contracts/store/store.ts'
import { emptier } from '../support/empty-file.ts'
import { freshFile } from '../support/fresh-sqlite.ts'
import { storeSubject } from '../support/store-subject.ts'

const KIT = { log: silentLog, clock: systemClock }

describe('the SQLite store', () => {
  storeContract(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mailwright-store-'))
    const file = freshFile(join(folder, 'test.db'))
    const open = () => sqlite({ file }).open(KIT)
    return storeSubject(
      open,
      async () => emptier(file),
      () => rm(folder, { recursive: true }),
    )
  })

  it('keeps what it is given in memory too, where everything is read by the one connection', async () => {
    const { store, close } = await sqlite({ file: ':memory:' }).open(KIT)
    const acme = project()
    await store.projects.save(acme)
    const ada = contact(acme.id)
    await put(store, acme.id, { contacts: [ada] })
    expect(await store.contacts.find(acme.id, ada.id)).toEqual(ada)
    expect(await store.contacts.count(acme.id, {})).toBe(1)
    await close?.()
  })

  it('counts the values of contacts as it stores them, also those of a program that are not JSON', async () => {
    const { store, close } = await sqlite({ file: ':memory:' }).open(KIT)
    const projectId = newProjectId()
    const data: unknown = { since: NOON, never: new Date(Number.NaN), gone: undefined, call: () => 1, seen: new Map() }
    if (!isJsonObject(data)) throw new Error('it is no object')
    const made = contact(projectId, { data })
    await store.contacts.save([made])
    const counted = async () => {
      const { fields } = await store.contactFields.list(projectId)
      return Object.fromEntries(fields.map(({ key, kinds }) => [key, kinds]))
    }
    expect(await counted()).toEqual({ since: { date: 1 }, never: { null: 1 }, seen: { object: 1 } })
    await store.contacts.remove(projectId, made.id, NOON)
    await store.contacts.save([contact(projectId, { data: { since: '2025-06-01' } })])
    expect(await counted()).toEqual({ since: { date: 1 } })
    await close?.()
  })
})
