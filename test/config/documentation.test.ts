import { readdir, readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { BUILTINS } from '../../config/builtins.ts'
import { VARIABLES } from '../../config/from-env.ts'
import { ConfigValues } from '../../config/schema.ts'
import { knownKeys } from '../../config/unknown-keys.ts'
import { AssistantOpenAiOptions } from '../../plugins/assistant-openai/options.ts'
import { DiskOptions } from '../../plugins/blobs-disk/index.ts'
import { S3Options } from '../../plugins/blobs-s3/options.ts'
import { NodeDnsOptions } from '../../plugins/dns-node/index.ts'
import { MailgunHookOptions } from '../../plugins/hook-mailgun/index.ts'
import { PostmarkHookOptions } from '../../plugins/hook-postmark/options.ts'
import { SendGridHookOptions } from '../../plugins/hook-sendgrid/index.ts'
import { SesHookOptions } from '../../plugins/hook-ses/index.ts'
import { SignedHookOptions } from '../../plugins/hook-signed/index.ts'
import { SupabaseHookOptions } from '../../plugins/hook-supabase/index.ts'
import { InboundImapOptions } from '../../plugins/inbound-imap/options.ts'
import { InboundSmtpOptions } from '../../plugins/inbound-smtp/options.ts'
import { DirectOptions } from '../../plugins/mail-direct/options.ts'
import { HttpMailOptions } from '../../plugins/mail-http/options.ts'
import { OutboxOptions } from '../../plugins/mail-outbox/index.ts'
import { SesOptions } from '../../plugins/mail-ses/options.ts'
import { SmtpOptions } from '../../plugins/mail-smtp/index.ts'
import { PostgresQueueOptions } from '../../plugins/queue-postgres/index.ts'
import { RedisQueueOptions } from '../../plugins/queue-redis/index.ts'
import { PostgresSchedulerOptions } from '../../plugins/scheduler-postgres/index.ts'
import { PostgresOptions } from '../../plugins/store-postgres/index.ts'
import { SqliteOptions } from '../../plugins/store-sqlite/index.ts'
import { SubmissionSmtpOptions } from '../../plugins/submission-smtp/options.ts'
import { WebhooksHttpOptions } from '../../plugins/webhooks-http/index.ts'

/** These need no row of their own: what is inside of them has one. */
const SECTIONS = [
  'server',
  'limits',
  'operator',
  'metrics',
  'log',
  'delivery',
  'tracking',
  'feedback',
  'campaigns',
  'webhooks',
  'strangers',
  'domains',
  'uploads',
  'reputation',
  'reputation.bounceRate',
  'reputation.complaintRate',
  'retention',
  'egress',
  'accounts',
  'accounts.oauth',
  'accounts.oauth.github',
  'accounts.oauth.google',
  'accounts.oauth.oidc',
]

it('every key of a config has a row in the documentation, and every row a key', async () => {
  const documented = [...(await rowsOf('Keys')).keys()]
  const known = knownKeys().filter((key) => !SECTIONS.includes(key))
  expect(documented.sort()).toEqual(known.sort())
})

it('every default stands in the row of its key', async () => {
  const rows = await rowsOf('Keys')
  const defaults = leaves(v.parse(ConfigValues, {}), rows)
  expect(defaults.map(([key]) => key)).toContain('delivery.retryDelays')
  for (const [key, value] of defaults) expect(rows.get(key)).toContain(`\`${JSON.stringify(value)}\``)
})

it('every variable has a row, and stands in the row of the key it fills', async () => {
  const [keys, variables] = [await rowsOf('Keys'), await rowsOf('Variables')]
  expect([...variables.keys()].sort()).toEqual(Object.keys(VARIABLES).sort())
  for (const [variable, key] of Object.entries(VARIABLES)) {
    // the first project is no key of a file
    if (key.startsWith('firstProject.')) continue
    expect(variables.get(variable)).toContain(`\`${key}\``)
    expect(keys.get(key)).toContain(`\`${variable}\``)
  }
})

it('the bounds of every number stand in the row of its key', async () => {
  const rows = await rowsOf('Keys')
  const bounds = boundsIn(ConfigValues, '')
  expect(bounds.map(([key]) => key)).toContain('delivery.sendTimeout')
  for (const [key, bound] of bounds) if (rows.has(key)) expect(plain(rows.get(key))).toContain(`${bound}`)
})

/** By the plugin as its rows name it. The rows of a submission speak for it with those of an inbound listener. */
const OPTIONS: Readonly<Record<string, object>> = {
  ...{
    '`sqlite`': SqliteOptions,
    '`postgres` as `store`': PostgresOptions,
    '`smtp`': SmtpOptions,
    '`ses`': SesOptions,
    '`direct`': DirectOptions,
  },
  ...{ '`s3`': S3Options, '`outbox`': OutboxOptions, '`disk`': DiskOptions, '`node`': NodeDnsOptions },
  ...{ '`postgres` as `queue`': PostgresQueueOptions, '`postgres` as `scheduler`': PostgresSchedulerOptions },
  '`redis`': RedisQueueOptions,
  ...{ '`smtp-server`': InboundSmtpOptions, '`smtp-server` as `submission`': SubmissionSmtpOptions },
  ...{ '`imap`': InboundImapOptions, '`ses` as a hook': SesHookOptions, '`postmark`': PostmarkHookOptions },
  ...{ '`sendgrid`': SendGridHookOptions, '`mailgun`': MailgunHookOptions, '`signed` as a hook': SignedHookOptions },
  '`openai`': AssistantOpenAiOptions,
  '`supabase`': SupabaseHookOptions,
  ...{ '`http`': WebhooksHttpOptions, '`http` as a transport': HttpMailOptions },
}

it('every plugin that comes with the package has a row with its name in a file and its import, and every row a plugin', async () => {
  const table = await sectionOf('In code')
  const rows = [
    ...table.matchAll(/^\| `(\w+)` \| (.*?) \| `import \{ (\w+) \} from 'mailwright\/((?:plugins\/)?[\w-]+)'` \|$/gm),
  ]
  const made = rows.map(([, key = '', use = '', exported = '', folder = '']) => ({ key, use, exported, folder }))
  const folders = (await readdir(new URL('../../plugins', import.meta.url))).filter((name) => name !== 'kit')
  const ofPlugins = made.filter(({ folder }) => folder !== 'compat').map(({ folder }) => folder.replace('plugins/', ''))
  expect(ofPlugins.sort()).toEqual(folders.sort())
  const keys: Record<string, string> = { transport: 'transports', hook: 'hooks', webhooks: 'webhookSender' }
  for (const [port, names] of Object.entries(BUILTINS)) {
    for (const [use, load] of Object.entries(names)) {
      // another name of disk
      if (use === 'file') continue
      const row = made.find((each) => each.key === (keys[port] ?? port) && each.use === `\`${use}\``)
      expect(row, `${port} ${use}`).toBeDefined()
      const module: Record<string, unknown> = await (row?.folder === 'compat'
        ? import('../../server/compat/index.ts')
        : import(`../../plugins/${row?.folder.replace('plugins/', '')}/index.ts`))
      expect(module[row?.exported ?? ''], `${port} ${use}`).toBe(await load())
    }
  }
})

it('the page for authors of plugins names only files that the package has', async () => {
  const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
  const { files }: { files: readonly string[] } = JSON.parse(await read('package.json'))
  const named = [
    ...(await read('docs/plugins.md')).matchAll(/`((?:core|plugins|server|config|test|examples)\/[^`\s]*)`/g),
  ]
  expect(named.length).toBeGreaterThan(3)
  expect(named.flatMap(([, path = '']) => (files.includes(path.split('/')[0] ?? '') ? [] : [path]))).toEqual([])
})

// catches an option whose default or bound was changed in the code alone, and a row for one that is gone
it('every option of a built-in plugin has a row with its default and its bounds, and every row an option', async () => {
  const http = await readFile(new URL('../../docs/mail-http.md', import.meta.url), 'utf8')
  const rows = new Map([
    ...optionRows(await sectionOf('Options of the built-in plugins')),
    ...optionRows(
      (http.split(/^## /m).find((part) => part.startsWith('Options\n')) ?? '').replaceAll(/^\|/gm, '| |'),
      '`http` as a transport',
    ),
  ])
  const known = Object.entries(OPTIONS).flatMap(([plugin, schema]) =>
    Object.entries((schema as Schema).entries ?? {}).map(([option, of]) => ({ key: `${plugin} ${option}`, of })),
  )
  expect([...rows.keys()].filter((key) => !known.some((each) => each.key === key))).toEqual([
    ...['`ses` as `identity` region', '`ses` as `identity` credentials', '`ses` as `identity` endpoint'],
    ...['`ses` as `identity` timeouts', '`http` url', '`http` body'],
  ])
  for (const { key, of } of known) {
    const row = rows.get(key)
    expect(row, key).toBeDefined()
    const { standing, bounds } = read(of)
    if (row?.includes('as for `inbound`')) continue
    for (const bound of bounds) expect(plain(row), key).toContain(`${bound}`)
    if (standing !== undefined && typeof standing !== 'object')
      expect(row, key).toContain(`\`${JSON.stringify(standing)}\``)
  }
})

/** Without the commas in its numbers. */
const plain = (row = '') => row.replaceAll(/(?<=\d),(?=\d{3})/g, '')

/** The rows of a table of options by plugin and option; a row without a plugin belongs to that of the row before. */
function optionRows(section: string, first = ''): [key: string, row: string][] {
  let plugin = first
  return section.split('\n').flatMap((row): [string, string][] => {
    const [, of = '', options = ''] = row.split('|').map((cell) => cell.trim())
    if (of.startsWith('`')) plugin = of
    return [...options.matchAll(/`(\w+)`/g)].map(([, option]) => [`${plugin} ${option}`, row])
  })
}

/** The part of a schema of Valibot that is looked at. */
interface Schema {
  readonly type: string
  readonly entries?: Readonly<Record<string, Schema>>
  readonly wrapped?: Schema
  readonly pipe?: readonly Schema[]
  readonly default?: unknown
  readonly requirement?: unknown
}

/** The default of a value, and the bounds of a number. */
function read({ wrapped, pipe = [], default: given, type, requirement }: Schema): {
  standing: unknown
  bounds: number[]
} {
  const inside = wrapped === undefined ? undefined : read(wrapped)
  const own = /^m(?:in|ax)_value$/.test(type) && typeof requirement === 'number' ? [requirement] : []
  const piped = pipe.filter((step) => step.pipe !== pipe).flatMap((step) => read(step).bounds)
  return { standing: given ?? inside?.standing, bounds: [...own, ...piped, ...(inside?.bounds ?? [])] }
}

/** The bounds of all numbers in a schema, by their paths. */
function boundsIn(schema: object, path: string): [key: string, bound: number][] {
  const { entries, wrapped, pipe } = schema as Schema
  const inner = entries ?? pipe?.[0]?.entries
  if (inner !== undefined)
    return Object.entries(inner).flatMap(([key, each]) => boundsIn(each, path === '' ? key : `${path}.${key}`))
  if (wrapped !== undefined && read(wrapped).bounds.length === 0) return boundsIn(wrapped, path)
  return read(schema as Schema).bounds.map((bound) => [path, bound])
}

/** The rows of a section's tables, by the code in their first column. */
async function rowsOf(title: string): Promise<Map<string, string>> {
  const lines = (await sectionOf(title)).split('\n').filter((line) => line.startsWith('| `'))
  return new Map(lines.map((line) => [/`([^`]+)`/.exec(line)?.[1] ?? '', line]))
}

async function sectionOf(title: string): Promise<string> {
  const text = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
  return text.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? ''
}

/** The values of a section, or of a key whose row speaks for all that is in it. */
function leaves(values: object, rows: ReadonlyMap<string, string>, path = ''): [key: string, value: unknown][] {
  return Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    const field = path === '' ? key : `${path}.${key}`
    const inside = typeof value === 'object' && !Array.isArray(value) ? leaves(value, rows, field) : undefined
    return inside?.every(([key]) => rows.has(key)) ? inside : [[field, value]]
  })
}
