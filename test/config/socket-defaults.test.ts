import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { completeForPostgres, completeForSes } from '../../config/socket-defaults.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { configFolder, loadJson, problemsOf } from './config-folder.ts'

const URL = 'postgres://mail:s3cret@db.example.com/mail'

describe('a config with the PostgreSQL store', () => {
  it('gets the queue and the scheduler on the same database, from one variable', async () => {
    const { engine } = await loadConfig({ env: { DATABASE_URL: URL }, cwd: await configFolder() })
    expect([engine.store, engine.queue, engine.scheduler].map(({ name }) => name)).toEqual([
      'store-postgres',
      'queue-postgres',
      'scheduler-postgres',
    ])
  })

  it('keeps what it says itself', async () => {
    const store = { use: 'postgres', options: { url: URL } }
    const { engine } = await loadJson({ store, queue: 'in-process', scheduler: 'node-cron' })
    expect([engine.queue, engine.scheduler].map(({ name }) => name)).toEqual(['queue-in-process', 'scheduler-cron'])
  })

  it('is told a wrong url once', async () => {
    const problems = await problemsOf(
      loadJson({ store: { use: 'postgres', options: { url: 'mysql://mail:s3cret@db' } } }),
    )
    expect(problems).toEqual([expect.stringMatching(/^store\.options\.url: must be a URL/)])
  })

  it('passes on how the database is reached, and a schema of its own as names of their own', () => {
    const filled = (options: JsonObject) => {
      const { queue, scheduler } = completeForPostgres({ store: { use: 'postgres', options } }).config
      return [queue, scheduler]
    }
    expect(filled({ url: URL, ssl: true, maxConnections: 3 })).toEqual([
      { use: 'postgres', options: { url: URL, ssl: true } },
      { use: 'postgres', options: { url: URL, ssl: true } },
    ])
    expect(filled({ url: URL, schema: 'acme' })).toEqual([
      { use: 'postgres', options: { url: URL, schema: 'acme_queue' } },
      { use: 'postgres', options: { url: URL, name: 'acme' } },
    ])
  })

  it('has the same TLS for all three when a variable says it', async () => {
    const store = { use: 'postgres', options: { url: URL, ssl: '${TLS}' } }
    const { engine } = await loadJson({ store }, { TLS: 'true' })
    expect([engine.store, engine.queue, engine.scheduler].map((plugin) => plugin.problems())).toEqual([[], [], []])
  })

  it.each([{ store: 'sqlite' }, { store: { use: './postgres' } }, {}])('leaves any other as it is: %j', (config) => {
    expect(completeForPostgres(config)).toEqual({ config, filled: [] })
  })
})

describe('a config whose mail goes through Amazon SES alone', () => {
  const options = { region: 'eu-central-1', endpoint: 'https://vpce.example.com', configurationSet: 'events' }

  it('proves domains there, with the same account', async () => {
    const { identity } = completeForSes({ transports: [{ name: 'main', use: 'ses', options }] }).config
    expect(identity).toEqual({ use: 'ses', options: { region: options.region, endpoint: options.endpoint } })
    const { engine } = await loadConfig({ env: { SES_REGION: 'eu-central-1' }, cwd: await configFolder() })
    expect(engine.identity.name).toBe('identity-ses')
  })

  it('is told a wrong option once', async () => {
    const problems = await problemsOf(loadJson({ transports: [{ use: 'ses', options: { region: 'x' } }] }))
    expect(problems).toEqual(['transports[0].options.region: must be a region such as eu-central-1'])
  })

  it.each([
    { transports: [{ use: 'ses', options }], identity: 'dkim' },
    { transports: [{ use: 'ses', options }, { use: 'smtp' }] },
    { transports: ['outbox'] },
    { transports: [] },
    { transports: 'ses' },
    { transports: [null] },
  ])('leaves any other as it is: %j', (config) => {
    expect(completeForSes(config)).toEqual({ config, filled: [] })
  })
})
