import { setTimeout as pause } from 'node:timers/promises'
import type { AudienceClient } from './audience-client.ts'
import { isNearTenth, isOfTenth, TENTH } from './audience-data.ts'
import type { Figure } from './figure.ts'

const ROUNDS = 3
const IN_FLIGHT = 20
const POLL_MS = 50

interface Computed {
  readonly added: number
  readonly removed: number
  readonly total: number
}

/**
 * A tracked segment of every 10th contact: computed for the first time, again after one in a hundred of its members
 * changed, and in full with nothing changed. Aim: time in proportion to the change.
 */
export async function measureSegment(client: AudienceClient, ids: readonly string[]): Promise<readonly Figure[]> {
  const { id } = await client.json<{ id: string }>('POST', '/segments', {
    name: 'Every tenth',
    filters: TENTH,
    trackMembership: true,
  })
  const compute = () => client.watch(() => computed(client, id))
  const first = await compute()
  const members = ids.filter((_, i) => isOfTenth(i))
  const others = ids.filter((_, i) => isNearTenth(i))
  if (first.answer.total !== members.length) throw new Error(`${first.answer.total} are members, not ${members.length}`)

  const half = Math.max(1, Math.round(members.length / 200))
  const changes: (typeof first)[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await setVisits(client, spread(members, half, round), 0)
    await setVisits(client, spread(others, half, round), 999)
    const again = await compute()
    const { added, removed } = again.answer
    if (added !== half || removed !== half) throw new Error(`${added} entered and ${removed} left, not ${half} each`)
    changes.push(again)
  }
  const changed = changes.toSorted((a, b) => a.ms - b.ms)[Math.floor(ROUNDS / 2)]

  // another filter with the same members, so that everyone must be checked
  const [plan, visits] = TENTH.conditions
  const filters = { ...TENTH, conditions: [plan, { ...visits, operator: 'greaterThan', value: 499 }] }
  await client.json('PATCH', `/segments/${id}`, { filters })
  const whole = await compute()
  const said = ({ answer }: typeof first) =>
    `${answer.added.toLocaleString('en')} entered, ${answer.removed.toLocaleString('en')} left`
  return [
    { what: 'segment: first compute', value: first.ms, unit: 'ms', note: said(first) },
    {
      what: 'segment: compute after 1 % changed',
      value: changed?.ms ?? Number.NaN,
      unit: 'ms',
      note: `${half} entered, ${half} left`,
    },
    { what: 'segment: compute after its filter changed', value: whole.ms, unit: 'ms', note: said(whole) },
    {
      what: 'longest wait for /health/live during computes',
      value: Math.max(first.longestWait, whole.longestWait),
      unit: 'ms',
    },
    { what: 'RSS growth over computes', value: Math.max(first.grownBy, whole.grownBy), unit: 'MB' },
  ]
}

/** Repeats the request until the result is complete: a long computation continues after a 202. */
async function computed(client: AudienceClient, id: string): Promise<Computed> {
  const moved = { added: 0, removed: 0 }
  for (;;) {
    const response = await client.ask('POST', `/segments/${id}/compute`)
    const { added, removed, total } = (await response.json()) as Computed
    // when it ended between two calls, the next one finds nothing left to move
    moved.added = Math.max(moved.added, added)
    moved.removed = Math.max(moved.removed, removed)
    if (response.status === 200) return { ...moved, total }
    await pause(POLL_MS)
  }
}

/** `count` of these ids, spread over the list; others in each round. */
function spread(ids: readonly string[], count: number, round: number): readonly string[] {
  const step = Math.floor(ids.length / count)
  return ids.filter((_, i) => i % step === round).slice(0, count)
}

async function setVisits(client: AudienceClient, ids: readonly string[], visits: number): Promise<void> {
  const waiting = ids.values()
  const work = async () => {
    for (const id of waiting) await client.json('PATCH', `/contacts/${id}`, { data: { visits } })
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, work))
}
