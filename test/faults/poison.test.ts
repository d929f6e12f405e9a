import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../support/fresh-database.ts'
import { MAIN, type ServerProcess, startServerProcess } from '../support/server-process.ts'

/*
 * Work with which the process ends, of every kind that has no row of its own, beside healthy work of the same kind, in real
 * processes under a supervisor: the store kills the process when it is asked for what is poisoned.
 */

const SECRET = `sk_${'c'.repeat(48)}`
const at = (path: string) => new URL(path, `file://${MAIN}`).href

const PLUGIN = (module: string, name: string) => `
  import { definePlugin } from ${JSON.stringify(at('../config/library.js'))}
  import { ${name} } from ${JSON.stringify(at(`../plugins/${module}/index.js`))}
  const POISONED = {
    memberships: ['leaving', 'entering'], campaignMails: ['audiencePage'], webhookDeliveries: ['add'],
  }
  const around = (target, change) =>
    new Proxy(target, {
      get(_, key) {
        const value = Reflect.get(target, key)
        return change(key, typeof value === 'function' ? value.bind(target) : value)
      },
    })
  const repositories = (store) =>
    around(store, (key, value) => {
      if (key === 'transaction') return (work) => value((tx) => work(repositories(tx)))
      const names = POISONED[key]
      // else segments are due after five minutes
      if (key === 'segments')
        return around(value, (name, method) => {
          const soon = () => new Date(Date.now() - 3000)
          if (name === 'due') return (_before, limit) => method(soon(), limit)
          if (name === 'begin') return (ids, _before, now) => method(ids, soon(), now)
          return method
        })
      if (names === undefined) return value
      return around(value, (name, method) => {
        if (!names.includes(name)) return method
        return (...given) => {
          // the request that starts a campaign reads more contacts at once than its first page
          const isPoison = JSON.stringify(given).includes('poison') && !(given[2]?.limit > 25)
          if (isPoison) process.kill(process.pid, 'SIGKILL')
          return method(...given)
        }
      })
    })
  export default definePlugin({
    name: 'store-poisoned',
    provides: ['store'],
    async open(options, kit) {
      const { store, ...rest } = await ${name}(options).open(kit)
      return { ...rest, store: repositories(store) }
    },
  })`

const STORES = [
  ['SQLite', 'store-sqlite', 'sqlite', async () => ({ file: 'data.db' })],
  ['PostgreSQL', 'store-postgres', 'postgres', async () => ({ url: await freshDatabase() })],
] as const

it.each(STORES)(
  'on %s, what ends its process is given up with its reason, and healthy work beside it is done',
  {
    timeout: 240_000,
  },
  async (_name, module, plugin, options) => {
    const folder = mkdtempSync(join(tmpdir(), 'mailwright-poison-'))
    writeFileSync(join(folder, 'poison.mjs'), PLUGIN(module, plugin))
    const config = {
      projects: [{ name: 'Poison', secretKey: SECRET, trustedDomains: ['acme.example'] }],
      store: { use: './poison.mjs', options: await options() },
      log: { format: 'json' },
    }
    const OPERATOR_KEY = 'operator-of-the-poison'
    let server: ServerProcess
    let isOver = false
    const deaths: unknown[] = []
    const live = async () => {
      server = await startServerProcess(folder, config, [], { env: { OPERATOR_KEY } })
      server.child.once('exit', (code, signal) => {
        if (isOver) return
        deaths.push(signal ?? code)
        // as a supervisor does
        void pause(100)
          .then(live)
          .catch(() => {})
      })
    }
    await live()
    onTestFinished(async () => {
      isOver = true
      await server.kill()
      rmSync(folder, { recursive: true, force: true })
    })
    // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
    const ask = async (method: string, path: string, body?: object, key = SECRET): Promise<any> => {
      for (let time = 0; ; time++) {
        try {
          const headers = {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            'idempotency-key': `${method} ${path} ${JSON.stringify(body)}`,
          }
          const sent = body === undefined ? {} : { body: JSON.stringify(body) }
          const response = await fetch(`${server.url}${path}`, { method, headers, ...sent })
          const text = await response.text()
          if (response.status < 500) return text === '' ? undefined : JSON.parse(text)
        } catch {}
        if (time > 300) throw new Error(`no answer to ${method} ${path}`)
        await pause(100)
      }
    }
    const filter = (value: string) => ({
      operator: 'AND',
      conditions: [{ field: 'data.x', operator: 'notEquals', value }],
    })
    await ask('POST', '/contacts', { email: 'ada@example.org', data: { x: 'y' } })
    await ask('POST', '/webhooks', { url: 'https://hooks.example.com/', events: ['asked'] })
    const segments: string[] = []
    const campaigns: string[] = []
    for (const value of ['poison', 'fine']) {
      const named = { name: value, filters: filter(value) }
      segments.push((await ask('POST', '/segments', { ...named, trackMembership: true })).id)
      const letter = { subject: 'Hi', body: '<p>Hi</p>', from: 'hi@acme.example', audienceType: 'FILTERED' }
      const { data } = await ask('POST', '/campaigns', { ...letter, name: value, audienceCondition: filter(value) })
      campaigns.push(data.id)
    }
    for (const id of campaigns) await ask('POST', `/campaigns/${id}/send`, {})
    for (const value of ['poison', 'fine'])
      await ask('POST', '/v1/track', { email: 'ada@example.org', event: 'asked', data: { value } })
    const states = async () => {
      const [ill, well] = await Promise.all(campaigns.map((id) => ask('GET', `/campaigns/${id}`)))
      const [bad, good] = await Promise.all(segments.map((id) => ask('GET', `/segments/${id}`)))
      const { givenUp } = await ask('GET', '/operator', undefined, OPERATOR_KEY)
      return { ill, well, bad, good, givenUp }
    }
    const reason = expect.stringContaining('It was begun 3 times')
    await expect.poll(states, { timeout: 200_000, interval: 500 }).toMatchObject({
      ill: { status: 'PAUSED', statusReason: reason },
      well: { status: 'SENT' },
      bad: { problem: reason },
      good: { memberCount: 1, computedAt: expect.any(String) },
      givenUp: [{ kind: 'event', reason }],
    })
    expect(deaths.every((signal) => signal === 'SIGKILL')).toBe(true)
    expect(deaths.length).toBeLessThanOrEqual(9)
  },
)
