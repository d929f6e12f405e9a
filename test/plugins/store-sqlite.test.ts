import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { contact, project, put } from '../contracts/store/records.ts'
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
})
