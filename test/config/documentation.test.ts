import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { VARIABLES } from '../../config/from-env.ts'
import { ConfigValues } from '../../config/schema.ts'
import { knownKeys } from '../../config/unknown-keys.ts'
import { S3Options } from '../../plugins/blobs-s3/options.ts'
import { MailgunHookOptions } from '../../plugins/hook-mailgun/index.ts'
import { PostmarkHookOptions } from '../../plugins/hook-postmark/options.ts'
import { SendGridHookOptions } from '../../plugins/hook-sendgrid/index.ts'
import { SesHookOptions } from '../../plugins/hook-ses/index.ts'
import { SignedHookOptions } from '../../plugins/hook-signed/index.ts'
import { InboundImapOptions } from '../../plugins/inbound-imap/options.ts'
import { InboundSmtpOptions } from '../../plugins/inbound-smtp/options.ts'
import { OutboxOptions } from '../../plugins/mail-outbox/index.ts'
import { SesOptions } from '../../plugins/mail-ses/options.ts'
import { SmtpOptions } from '../../plugins/mail-smtp/index.ts'
import { PostgresOptions } from '../../plugins/store-postgres/index.ts'
import { SubmissionSmtpOptions } from '../../plugins/submission-smtp/options.ts'

/** These need no row of their own: what is inside of them has one. */
const SECTIONS = [
  'firstProject',
  'firstProject',
  'server',
  'limits',
  'operator',
  'metrics',
  'log',
  'auth',
  'delivery',
  'tracking',
  'feedback',
  'campaigns',
  'webhooks',
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
    expect(variables.get(variable)).toContain(`\`${key}\``)
    expect(keys.get(key)).toContain(`\`${variable}\``)
  }
})

it('every option of the transports, S3, the hooks and the PostgreSQL store has a row', async () => {
  const section = await sectionOf('Options of the built-in plugins')
  const hooks = [SesHookOptions, SignedHookOptions, PostmarkHookOptions, SendGridHookOptions, MailgunHookOptions]
  const receivers = [InboundSmtpOptions, SubmissionSmtpOptions, InboundImapOptions]
  const schemas = [SmtpOptions, SesOptions, S3Options, OutboxOptions, PostgresOptions, ...receivers, ...hooks]
  const named = section
    .split('\n')
    .flatMap((line) => /^\|[^|]*\|([^|]*)\|/.exec(line)?.[1]?.match(/(?<=`)\w+(?=`)/g) ?? [])
  expect(named).toEqual(expect.arrayContaining(schemas.flatMap(({ entries }) => Object.keys(entries))))
})

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
