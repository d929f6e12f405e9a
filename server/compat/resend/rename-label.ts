import { EngineError, invalidField } from '../../../core/errors.ts'
import type { OurApi } from '../../../core/ports/foreign-api.ts'
import { definedOnly } from '../../../core/values/defined-only.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'

type Inbox = Answer<'getInbox'>
type Label = Inbox['labels'][number]

/** The most threads whose label is renamed in a request. */
const MOST_THREADS = 1000

/**
 * Puts another label in place of one: on the inbox, in its rules, and on its threads, which have labels by their names. Both
 * are there until the last thread has the new one. Throws EngineError `CONFLICT` when the inbox has a label of that name.
 */
export async function renameLabel(inbox: Inbox, label: Label, renamed: Label, ours: OurApi): Promise<void> {
  const api = typedApi(ours)
  const { id, labels, rules = [] } = inbox
  if (labels.some(({ name }) => name === renamed.name)) {
    throw new EngineError('CONFLICT', `The inbox has a label “${renamed.name}” already.`)
  }
  const inPlace = (names: readonly string[]) => names.map((name) => (name === label.name ? renamed.name : name))
  const threads = await threadsWith(id, label.name, ours)
  const both = labels.flatMap((each) => (each === label ? [label, renamed] : [each]))
  const { version } = await api.call('changeInbox', {
    path: { id },
    body: {
      labels: both,
      rules: rules.map((rule) => (rule.labels ? { ...rule, labels: inPlace(rule.labels) } : rule)),
      version: inbox.version,
    },
  })
  for (const thread of threads) {
    await api.call('changeThread', { path: { id: thread.id }, body: { labels: inPlace(thread.labels) } })
  }
  const left = both.filter((each) => each !== label)
  await api.call('changeInbox', { path: { id }, body: { labels: left, version } })
}

/** Throws EngineError `VALIDATION_ERROR` for more than can be renamed at once. */
async function threadsWith(id: string, label: string, ours: OurApi) {
  const found: Answer<'listThreads'>['data'] = []
  // `all` leaves out what is unwanted and thrown away, which may come back
  for (const folder of ['all', 'spam', 'trash']) {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = definedOnly({ folder, label, limit: '100', cursor })
      const page: Answer<'listThreads'> = await typedApi(ours).call('listThreads', { path: { id }, query })
      found.push(...page.data)
      cursor = page.cursor
      if (found.length > MOST_THREADS) throw tooMany()
    }
  }
  return found
}

function tooMany(): EngineError {
  return invalidField('name', 'custom', `cannot change while more than ${MOST_THREADS} threads have the label`)
}
