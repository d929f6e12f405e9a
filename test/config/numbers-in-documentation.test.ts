import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DATA_LIMITS } from '../../core/contacts/data-limits.ts'
import { ROUTES } from '../../server/app.ts'
import { MEGABYTE } from '../../server/http/body.ts'
import { ADDRESS_LIMITS } from '../../server/http/rate-limit.ts'

const [KB, MB, HOUR, DAY] = [1024, 1024 * 1024, 3_600_000, 86_400_000]

/**
 * The words of a page, with {} for the number; where the number is in the code, and how much of it is one on the page.
 */
type Fact = readonly [page: string, says: string, source: string, name: string, per?: number]

const FACTS: readonly Fact[] = [
  ['templates', 'A project has at most {} snippets', 'core/templates/snippet.ts', 'MAX_SNIPPETS'],
  ['templates', 'Snippets can be nested {} deep', 'core/templates/expand-snippets.ts', 'MAX_DEPTH'],
  ['templates', 'A body renders at most {} of them', 'core/templates/expand-snippets.ts', 'MAX_RENDERS'],
  ['templates', 'has at most {} MB with them', 'core/templates/expand-snippets.ts', 'MAX_WHOLE', MB],
  ['templates', 'a subject may have {} KB', 'core/mail/render/printed.ts', 'MAX_SUBJECT', KB],
  ['templates', 'The last {} versions', 'core/templates/versions.ts', 'KEPT_VERSIONS'],
  ['topics', 'A project has at most {} topics', 'core/subscriptions/topic.ts', 'MAX_TOPICS'],
  ['series', 'A project can have {} series', 'core/ports/store/series.ts', 'MAX_SERIES'],
  [
    'series',
    'the new items in the order of the feed, at most {};',
    'core/campaigns/series/issue-series.ts',
    'MAX_PER_ISSUE',
  ],
  ['series', 'its first {} items', 'core/campaigns/series/read-feed.ts', 'MAX_ITEMS'],
  ['workflows', 'A workflow has at most {} steps', 'core/workflows/workflow-request.ts', 'MAX_STEPS'],
  ['workflows', '199 steps and {} transitions', 'core/workflows/workflow-request.ts', 'MAX_TRANSITIONS'],
  ['workflows', 'There may be {} cases', 'core/workflows/steps/switch.ts', 'MAX_CASES'],
  ['workflows', 'with {} values each', 'core/workflows/steps/switch.ts', 'MAX_VALUES'],
  ['workflows', 'There are 2 to {} branches', 'core/workflows/steps/split.ts', 'MAX_BRANCHES'],
  ['workflows', '`headers` | up to {} header fields', 'core/workflows/steps/webhook.ts', 'MAX_HEADERS'],
  ['workflows', '1 to 30, by default {}', 'core/workflows/steps/webhook.ts', 'TIMEOUT'],
  ['workflows', '(hours, 1 to {})', 'core/workflows/steps/send-email.ts', 'MAX_HOURS'],
  ['workflows', 'or weeks, {} days at most', 'core/workflows/contact-dates.ts', 'MAX_OFFSET_DAYS'],
  ['workflows', 'waits, at most {} days (five years)', 'core/workflows/steps/wait-until.ts', 'MAX_AHEAD_DAYS'],
  ['workflows', 'the whole delay is at most {} days', 'core/workflows/steps/step-definition.ts', 'MAX_WAIT', 86_400],
  ['filters', 'up to {} levels', 'core/filters/subject.ts', 'MAX_NESTING'],
  ['filters', 'levels and {} conditions', 'core/filters/read-filter.ts', 'MAX_CONDITIONS'],
  ['filters', 'with the segments it asks for, {}.', 'core/filters/filters.ts', 'MAX_EXPANDED'],
  ['filters', '`in` takes up to {} values', 'core/filters/read-condition.ts', 'MAX_VALUES'],
  ['filters', 'A text has at most {} characters', 'core/filters/read-condition.ts', 'MAX_TEXT'],
  ['mails', 'at most {} days ahead', 'core/mails/send-request.ts', 'MAX_AHEAD_MS', DAY],
  ['mails', '1 to {} bodies of', 'core/mails/send-batch.ts', 'MAX_MESSAGES'],
  ['mails', 'with at most {} recipients in total', 'core/mails/send-batch.ts', 'MAX_RECIPIENTS'],
  ['mails', 'Base64; {} files', 'core/mails/attachment-input.ts', 'MAX_ATTACHMENTS'],
  ['mails', 'files, {} MB in total', 'core/mails/attachment-input.ts', 'MAX_ATTACHMENT_BYTES', MB],
  ['mails', 'for at most about {} seconds', 'core/mails/mails.ts', 'SEARCH_MS', 1000],
  ['webhooks', 'the endpoints; up to {} |', 'core/webhooks/webhooks.ts', 'MAX_ENDPOINTS'],
  ['contacts', 'of at most {} MB and 500 columns', 'core/contacts/contact-jobs.ts', 'IMPORT_BYTES', MB],
  ['contacts', 'the imports of the last {} days', 'core/contacts/contact-jobs.ts', 'REMEMBERED_MS', DAY],
  ['contacts', 'reason of the first {} refused rows', 'core/contacts/import-contacts.ts', 'MAX_ERRORS_LISTED'],
  ['contacts', 'the first {} of them (`keptCount`', 'core/contacts/refused-rows.ts', 'MAX_REFUSED_KEPT'],
  ['contacts', 'the first {} contacts, how many', 'core/contacts/preview-import.ts', 'MAX_ROWS_SHOWN'],
  ['contacts', 'or more than {} digits', 'core/contacts/csv-cells.ts', 'MAX_DIGITS'],
  ['idempotency', 'The same key again, within {} hours', 'core/projects/idempotency.ts', 'REMEMBERED_MS', HOUR],
  [
    'ab-tests',
    'of the audience that gets nothing, at most {} |',
    'core/campaigns/variants/variant-request.ts',
    'MAX_HOLD_OUT',
  ],
  ['ab-tests', 'the variants are compared, 1 to {} |', 'core/campaigns/variants/variant-request.ts', 'MAX_HOURS'],
  ['configuration', '| Connections at the same time | {},', 'server/http/connections.ts', 'MAX_PER_ADDRESS'],
  ['deliverability', 'computed over the last {} days', 'core/feedback/verdict.ts', 'RATED_DAYS'],
]

describe('a number of the documentation is that of the code', () => {
  for (const [page, says, source, name, per = 1] of FACTS) {
    it(`${page}: ${says}`, () => expectSaid(page, says, constantIn(source, name) / per))
  }

  it.each([
    ['contacts', 'Limits: {} keys', DATA_LIMITS.keys],
    ['contacts', '{} characters in a key', DATA_LIMITS.keyLength],
    ['contacts', '{} KB as JSON for a contact', DATA_LIMITS.contactBytes / KB],
    ['contacts', '{} KB in one call', DATA_LIMITS.callBytes / KB],
    ['workflows', 'The `context` has at most {} KB', DATA_LIMITS.eventBytes / KB],
    ['configuration', '| {} different ones;', DATA_LIMITS.publicKeys],
    ['configuration', 'public keys of one project | {} a minute', ADDRESS_LIMITS.trackPerMinutePerIp],
    ['configuration', 'pictures and links | {} a minute', ADDRESS_LIMITS.pagesPerMinutePerIp],
    ['configuration', 'or to unknown paths | {} a minute', ADDRESS_LIMITS.failuresPerMinutePerIp],
    ['configuration', 'to [hooks](hooks.md) | {} a minute', ADDRESS_LIMITS.hookFailuresPerMinutePerIp],
  ])('%s: %s', expectSaid)
})

it('configuration: the limit of every kind of body stands in both tables', () => {
  const limits = ROUTES.flatMap((route) => ('bodyLimit' in route ? [route.bodyLimit] : []))
  const rows = readFileSync('docs/configuration.md', 'utf8').match(/^\| (A body|Body of a request) \|.*$/gm) ?? []
  expect(rows).toHaveLength(2)
  const numbers = new Set(limits.filter((limit) => typeof limit === 'number').map((limit) => `${limit / MEGABYTE} MB`))
  expect(numbers.size).toBeGreaterThan(3)
  for (const row of rows) expect([...numbers].filter((number) => !row.includes(number))).toEqual([])
})

function expectSaid(page: string, says: string, value: number): void {
  const text = readFileSync(`docs/${page}.md`, 'utf8').replace(/\s+/g, ' ')
  expect(text).toContain(says.replace('{}', value.toLocaleString('en-US')))
}

/** The value of `const NAME = 5 * 1024`, which need not be exported. */
function constantIn(source: string, name: string): number {
  const text = readFileSync(source, 'utf8')
  const [, written = ''] = new RegExp(`^(?:export )?const ${name} = ([\\d_.* ]+)$`, 'm').exec(text) ?? []
  expect(written, `${name} of ${source}`).not.toBe('')
  return written.split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1)
}
