import { createHook, executionAsyncId } from 'node:async_hooks'
import { createRequire } from 'node:module'
import { beforeAll, expect, it } from 'vitest'
import { type SinkWorld, sharedWithSink } from '../support/engine.ts'
import { until } from '../support/until.ts'

/*
 * How many functions of ours stand between a room's call of its store and the first statement about rows, on SQLite: a
 * reader who looks for the SQL of a call goes through all of them. Functions that wait for a promise or a turn of the
 * event loop count, too. The limits only go down; raising one needs its reason here.
 */
const MOST = 8
const MORE: Readonly<Record<string, number>> = {
  // many requests share its transaction: they are collected, and their contacts are read together
  'write-batch.ts commit': 10,
}

let make: () => SinkWorld
beforeAll(async () => {
  make = await sharedWithSink()
})

it('stand no more functions between a call of the store and its first statement than did', async () => {
  const { engine, project } = make()
  const statements = await statementsOf(async () => {
    const { contact } = await engine.contacts.upsert(project, { email: 'ada@example.org', subscribed: true })
    await engine.contacts.get(project, contact.id)
    const mail = { from: 'hello@example.com', to: 'ada@example.org', subject: 'Hi', body: 'Hi' }
    const { answer } = await engine.sending.send(project, mail)
    const id = answer.emails[0]?.email ?? ''
    await until(
      'the mail is sent',
      async () => (await engine.mails.get(project, id)).email.status === 'DELIVERED' || undefined,
    )
  })
  const first = new Map<string, readonly string[]>()
  for (const frames of statements) {
    const call = frames.at(-1)?.split('/').at(-1) ?? ''
    if (!first.has(call)) first.set(call, frames)
  }
  const calls = [
    'contacts.ts find',
    'write-batch.ts commit',
    'emails.ts claimDue',
    'emails.ts contents',
    'emails.ts record',
  ]
  expect([...first.keys()]).toEqual(expect.arrayContaining(calls))
  const longer = [...first].filter(([call, frames]) => frames.length > (MORE[call] ?? MOST))
  expect(longer).toEqual([])
})

/**
 * For each statement about rows that runs meanwhile, the functions between it and the code of core that asked, the
 * innermost first.
 */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = []
  const begun = new Map<number, { readonly frames: readonly string[]; readonly by: number }>()
  const hook = createHook({
    init: (id) => void begun.set(id, { frames: framesNow(), by: executionAsyncId() }),
  })
  const note = (sql: string) => {
    if (!/\b(?:from|into|update) ["`]/.test(sql)) return
    const frames = [...framesNow()]
    let room = frames.findIndex(isOfRoom)
    for (let id = executionAsyncId(); room < 0 && begun.has(id); ) {
      const { frames: before, by } = begun.get(id)!
      frames.push(...before)
      room = frames.findIndex(isOfRoom)
      id = by
    }
    if (room >= 0) found.push([...new Set(frames.slice(0, room))])
  }
  const { prototype, all, run } = driver()
  prototype.all = function (...given) {
    note(this.source)
    return all.apply(this, given)
  }
  prototype.run = function (...given) {
    note(this.source)
    return run.apply(this, given)
  }
  hook.enable()
  try {
    await work()
  } finally {
    hook.disable()
    Object.assign(prototype, { all, run })
  }
  return found
}

function isOfRoom(frame: string): boolean {
  return frame.startsWith('core/') && !frame.startsWith('core/values/')
}

type Run = (this: { readonly source: string }, ...given: unknown[]) => unknown

/** The methods that all prepared statements of SQLite's driver have. */
function driver(): { readonly prototype: { all: Run; run: Run }; readonly all: Run; readonly run: Run } {
  const Driver = createRequire(import.meta.resolve('@mikro-orm/sqlite'))('better-sqlite3')
  const prototype = Object.getPrototypeOf(new Driver(':memory:').prepare('select 1'))
  return { prototype, all: prototype.all, run: prototype.run }
}

/** The functions of ours that are being called, by file and name. */
function framesNow(): readonly string[] {
  const { stackTraceLimit, prepareStackTrace } = Error
  Error.stackTraceLimit = 200
  let sites: readonly NodeJS.CallSite[] = []
  Error.prepareStackTrace = (_error, given) => {
    sites = given
  }
  void new Error('here').stack
  Object.assign(Error, { stackTraceLimit, prepareStackTrace })
  return sites.flatMap((site) => {
    const [, file] = /\/((?:core|plugins)\/[^?]*)$/.exec(site.getFileName() ?? '') ?? []
    const name = site.getFunctionName() ?? site.getMethodName() ?? `:${site.getLineNumber()}`
    // what waits is found by what it waits with: of functions that have returned a promise, V8 knows nothing any more
    return file === undefined || file.includes('node_modules/') || site.isAsync() ? [] : [`${file} ${name}`]
  })
}
