import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MikroORM } from '@mikro-orm/sqlite'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import type { SqliteClient } from '../../plugins/store-sqlite/sqlite-client.ts'
import { contact, newProjectId, project, put, template } from '../contracts/store/records.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { freshFile } from '../support/fresh-sqlite.ts'

/** Another program, such as a backup, that has the file of the SQLite store locked. */
describe.each(['immediate', 'exclusive'])('a lock of another program, %s', (kind) => {
  let store: Store
  let other: SqliteClient
  const projectId = newProjectId()

  beforeEach(async () => {
    const file = freshFile(join(freshFolder(), 'mail.db'))
    const opened = await sqlite({ file }).open({ log: silentLog, clock: systemClock })
    onTestFinished(async () => opened.close?.())
    store = opened.store
    await store.contacts.save([contact(projectId)])
    const orm = new MikroORM({ dbName: file, entities: [], discovery: { warnWhenNoEntities: false } })
    onTestFinished(() => orm.close(true))
    other = await orm.em.getDriver().getConnection().getNativeClient()
  })

  it('delays what is written for as long, and nothing else', async () => {
    const gaps = watchLoop()
    other.exec(`begin ${kind}`)
    const done: string[] = []
    const writes = Object.entries({
      orm: () => store.templates.insert(template(projectId)),
      writeBatch: () => put(store, projectId, { contacts: [contact(projectId)] }),
      transaction: () => store.transaction((tx) => tx.contacts.save([contact(projectId)])),
      write: () => store.contacts.save([contact(projectId)]),
    }).map(([name, write]) => write().then(() => done.push(name)))
    await pause(50)
    expect(await store.contacts.count(projectId, {})).toBe(1)
    expect(await store.templates.count(projectId, {})).toBe(0)
    expect(await store.contacts.count(projectId, { search: 'example' })).toBe(1)
    await pause(500)
    expect(done).toEqual([])
    other.exec('rollback')
    await Promise.all(writes)
    expect(await store.contacts.count(projectId, {})).toBe(4)
    // SQLite's own waiting would keep the loop for five seconds, the rollback above included
    expect(gaps.worst()).toBeLessThan(2000)
  })

  it('that lasts is told after five seconds, and at once to those who come later', async () => {
    other.exec(`begin ${kind}`)
    const unavailable = { code: 'SERVICE_UNAVAILABLE', retryAfter: 5 }
    const begun = performance.now()
    const first = expect(store.projects.save(project())).rejects.toMatchObject(unavailable)
    await pause(1000)
    await expect(put(store, projectId, { contacts: [contact(projectId)] })).rejects.toMatchObject(unavailable)
    await first
    expect(performance.now() - begun).toBeGreaterThan(4900)
    expect(performance.now() - begun).toBeLessThan(9000)
    const again = performance.now()
    await expect(store.check()).rejects.toMatchObject(unavailable)
    expect(performance.now() - again).toBeLessThan(2500)
    other.exec('rollback')
    await store.check()
    await store.projects.save(project())
  })
})

/** Measures how long the event loop is kept, until the test ends. */
function watchLoop() {
  let [last, worst] = [performance.now(), 0]
  const look = () => {
    const now = performance.now()
    worst = Math.max(worst, now - last)
    last = now
  }
  const timer = setInterval(look, 10)
  onTestFinished(() => clearInterval(timer))
  return {
    worst: () => {
      look()
      return worst
    },
  }
}
