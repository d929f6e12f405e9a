import { expect, it } from 'vitest'
import type { Counted, CountedFact } from '../../../core/ports/store/reputation.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, claimMails, email, NOON, newProjectId, project, put, result } from './records.ts'

const DAY = 86_400

/** The promises of a store about figures of domains, and about notices. */
export function storeReputationContract(fresh: () => Promise<Store>) {
  const mine = newProjectId()
  const counted = (recipientDomain: string, facts: readonly CountedFact[], change: Partial<Counted> = {}): Counted => ({
    ...{ projectId: mine, at: NOON, sendingDomain: 'acme.example', recipientDomain, facts },
    ...change,
  })
  const figures = { sent: 0, delivered: 0, deferred: 0, bounced: 0, complained: 0 }

  it('adds up what calls at the same time count, by either domain, each project for itself', async () => {
    const { reputation } = await fresh()
    const calls = Array.from({ length: 20 }, (_, i) => [
      counted('gmail.example', ['sent', 'delivered']),
      counted(`d${i % 3}.example`, ['sent', 'bounced']),
      counted('gmail.example', ['deferred'], { sendingDomain: 'other.example' }),
    ])
    await Promise.all(calls.map((each) => reputation.add(each)))
    await reputation.add([counted('gmail.example', ['sent'], { projectId: newProjectId() }), counted('', [])])
    expect(await reputation.figures(mine, 'recipientDomain', NOON, 2)).toEqual([
      { domain: 'gmail.example', ...figures, sent: 20, delivered: 20, deferred: 20 },
      { domain: 'd0.example', ...figures, sent: 7, bounced: 7 },
    ])
    const acme = { ...figures, sent: 40, delivered: 20, bounced: 20 }
    expect(await reputation.figures(mine, 'sendingDomain', NOON, 9)).toEqual([
      { domain: 'acme.example', ...acme },
      { domain: 'other.example', ...figures, deferred: 20 },
    ])
    expect(await reputation.sender(mine, 'acme.example', NOON)).toEqual(acme)
    expect(await reputation.sender(mine, 'none.example', NOON)).toEqual(figures)
    expect(await reputation.senders(NOON, 40)).toEqual([{ projectId: mine, domain: 'acme.example', ...acme }])
    expect(await reputation.senders(NOON, 41)).toEqual([])
  })

  it('counts by days, and forgets those that are past', async () => {
    const { reputation } = await fresh()
    for (const days of [0, 1, 2]) await reputation.add([counted('a.example', ['sent'], { at: at(days * DAY) })])
    const sent = async (since: Date) => (await reputation.figures(mine, 'recipientDomain', since, 9))[0]?.sent
    expect(await sent(NOON)).toBe(3)
    await reputation.add([
      counted('b.example', ['sent', 'delivered'], { at: at(DAY) }),
      counted('c.example', ['sent'], { at: at(2 * DAY) }),
    ])
    const between = (from: string, since = NOON) => reputation.between(mine, from, ['a.example', 'b.example'], since)
    const [today, next, after] = [0, 1, 2].map((days) =>
      at(days * DAY)
        .toISOString()
        .slice(0, 10),
    )
    expect(await between('acme.example')).toEqual([
      { day: today, ...figures, sent: 1 },
      { day: next, ...figures, sent: 2, delivered: 1 },
      { day: after, ...figures, sent: 1 },
    ])
    expect(await between('acme.example', at(DAY))).toHaveLength(2)
    expect(await between('none.example')).toEqual([])
    expect(await sent(at(DAY))).toBe(2)
    expect(await reputation.forget(at(DAY), 1)).toBe(1)
    expect(await reputation.forget(at(DAY), 9)).toBe(1)
    expect(await reputation.forget(at(DAY), 9)).toBe(0)
    expect(await sent(NOON)).toBe(2)
  })

  it('keeps the newest refusal of each code between two domains', async () => {
    const { reputation } = await fresh()
    const told = (to: string, code: string, text: string, seconds: number) =>
      counted(to, [], { at: at(seconds), refusal: { code, text } })
    await reputation.add([
      told('a.example', '5.7.26', 'old', 0),
      told('b.example', '5.1.1', 'b', 5),
      told('', '5.7.1', 'x', 9),
    ])
    await reputation.add([
      told('a.example', '5.7.26', 'new', 2),
      told('a.example', '5.1.1', 'none', 1),
      told('a.example', '', 'bare', 0),
    ])
    const of = (domains: readonly string[], each: number, since = NOON) =>
      reputation.refusals(mine, 'recipientDomain', domains, since, each)
    expect(await of(['a.example', 'c.example'], 2)).toEqual([
      { domain: 'a.example', at: at(2), code: '5.7.26', text: 'new' },
      { domain: 'a.example', at: at(1), code: '5.1.1', text: 'none' },
    ])
    expect(await of(['a.example', 'b.example'], 9, at(2))).toHaveLength(2)
    const [newest, ...others] = await reputation.refusals(mine, 'sendingDomain', ['acme.example'], NOON, 9)
    expect(newest).toEqual({ domain: 'acme.example', at: at(9), code: '5.7.1', text: 'x' })
    expect(others).toHaveLength(4)
    expect(await reputation.refusals(newProjectId(), 'sendingDomain', ['acme.example'], NOON, 9)).toEqual([])
    expect(await reputation.forget(at(5), 100)).toBe(3)
    expect(await of(['a.example', 'b.example'], 9)).toEqual([
      { domain: 'b.example', at: at(5), code: '5.1.1', text: 'b' },
    ])
  })

  it('counts with a result that is written, and with no other', async () => {
    const store = await fresh()
    const made = project()
    await store.projects.save(made)
    const mail = email(made.id)
    await put(store, made.id, { emails: [mail] })
    await claimMails(store, [mail], NOON, { token: 'w', until: at(300) })
    const refusal = { code: '5.1.1', text: 'none' }
    const one = counted('a.example', ['sent', 'bounced'], { projectId: made.id, refusal })
    const written = result(mail, 'w', { status: 'BOUNCED', counted: one })
    await store.emails.record([written, written])
    await store.emails.record([{ ...written, token: 'lost' }])
    expect(await store.reputation.sender(made.id, 'acme.example', NOON)).toEqual({ ...figures, sent: 1, bounced: 1 })
    expect(await store.reputation.refusals(made.id, 'recipientDomain', ['a.example'], NOON, 9)).toHaveLength(1)
  })

  it('lets one of many tell operators of a kind of trouble, and again after the pause', async () => {
    const { notices } = await fresh()
    const ask = (kind: string, seconds: number) => notices.first(mine, kind, at(seconds), DAY * 1000)
    const first = await Promise.all(Array.from({ length: 8 }, () => ask('a', 0)))
    expect(first.filter(Boolean)).toHaveLength(1)
    expect([await ask('b', 1), await ask('a', DAY - 1), await ask('a', DAY), await ask('a', DAY + 1)]).toEqual([
      true,
      false,
      true,
      false,
    ])
    const other = newProjectId()
    expect(await notices.first(other, 'a', NOON, 1)).toBe(true)
    const since = async (seconds: number) => (await notices.since('a', at(seconds))).map(({ projectId }) => projectId)
    expect([await since(0), await since(1), await since(DAY), await since(DAY + 1)]).toEqual([
      expect.arrayContaining([mine, other]),
      [mine],
      [mine],
      [],
    ])
  })
}
