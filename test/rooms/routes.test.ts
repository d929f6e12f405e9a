import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../config/index.ts'
import { Route } from '../../core/delivery/route.ts'
import { receiverAt } from '../../core/delivery/routing/receivers.ts'
import { partOf, Routing } from '../../core/delivery/routing/routing.ts'
import { RuleRamps } from '../../core/delivery/routing/rule-ramps.ts'
import { type Facts, orderOf, RuleBook, reaching } from '../../core/delivery/routing/rules.ts'
import type { EngineError } from '../../core/errors.ts'
import { RouteRules } from '../../core/settings/route-settings.ts'
import { idSource } from '../../core/values/id.ts'
import { parse } from '../../core/values/parse.ts'
import { asProjectId } from '../../core/values/project-id.ts'
import { kitOf } from '../support/kit.ts'
import { testStore } from '../support/store.ts'

const TEMPLATE = '01a20946-e313-7000-9fdb-53b7c6c39f98'

/** The values of a mail, as a test writes them. */
function mail(values: Readonly<Record<string, string>>, receiver?: string): Facts {
  return (dimension) => {
    if (dimension === 'receiver') return receiver === undefined ? undefined : [receiver]
    const value = values[dimension]
    return value === undefined ? [] : reaching(dimension, value)
  }
}

function bookOf(rules: readonly object[]): RuleBook {
  return new RuleBook(parse(RouteRules, rules))
}

function decides(rules: readonly object[], values: Readonly<Record<string, string>>, receiver?: string) {
  const found = bookOf(rules).find(mail(values, receiver))
  return found === 'ask' ? 'ask' : found?.at
}

describe('the first rule that fits decides', () => {
  const rules = [
    { when: { class: 'campaign', senderDomain: 'news.example.com' }, to: 'a' },
    { when: { recipientDomain: ['*.example.org', 'example.net'] }, to: 'a' },
    { when: { tag: { stream: 'receipts' } }, to: 'a' },
    { when: { tag: { stream: '*' }, class: ['workflow', 'campaign'] }, to: 'a' },
    { when: { header: { 'X-Pool': 'bulk' } }, to: 'a' },
    { when: { template: TEMPLATE }, to: 'a' },
    { when: { project: 'Shop' }, to: 'a' },
    { when: { receiver: ['google', 'microsoft'], class: 'campaign' }, to: 'a' },
    { when: { class: 'campaign' }, to: 'a' },
  ]
  const to = { recipientDomain: 'a.test', senderDomain: 'b.test' }
  it.each([
    ['both of its conditions', { class: 'campaign', senderDomain: 'news.example.com' }, 0],
    ['one of two alone', { class: 'workflow', senderDomain: 'news.example.com' }, undefined],
    ['a domain below', { class: 'workflow', recipientDomain: 'deep.mail.example.org' }, 1],
    [
      'the domain itself, where those below it are meant',
      { class: 'workflow', recipientDomain: 'example.org' },
      undefined,
    ],
    ['one of several domains', { class: 'workflow', recipientDomain: 'example.net' }, 1],
    ['a tag', { class: 'transactional', 'tag stream': 'receipts' }, 2],
    ['any value of a tag', { class: 'campaign', 'tag stream': 'x' }, 3],
    ['another value of a tag', { class: 'transactional', 'tag stream': 'x' }, undefined],
    ['a header field', { class: 'workflow', 'header x-pool': 'bulk' }, 4],
    ['a template', { class: 'workflow', template: TEMPLATE }, 5],
    ['a project by its name', { class: 'workflow', project: 'Shop' }, 6],
    [
      'an earlier rule before the rarer value of a later one',
      { class: 'campaign', project: 'Shop', 'tag stream': 'receipts' },
      2,
    ],
  ])('%s', (_title, values, at) => {
    expect(decides(rules, { ...to, ...values }, 'none')).toBe(at)
  })

  it('takes no list for a value that is written like it', () => {
    const alike = [
      { when: { recipientDomain: ['a.example', 'b.example'] }, to: 'a' },
      { when: { tag: { stream: '["a.example","b.example"]' } }, to: 'a' },
    ]
    expect(decides(alike, { 'tag stream': '["a.example","b.example"]' })).toBe(1)
    expect(decides(alike, { 'tag stream': 'a.example' })).toBeUndefined()
  })

  it('asks for the receiver only where nothing before decides', () => {
    expect(decides(rules, { ...to, class: 'campaign' })).toBe('ask')
    expect(decides(rules, { ...to, class: 'campaign' }, 'google')).toBe(7)
    expect(decides(rules, { ...to, class: 'campaign' }, 'none')).toBe(8)
    expect(decides(rules, { ...to, class: 'transactional' })).toBeUndefined()
    expect(decides(rules, { ...to, class: 'campaign', project: 'Shop' })).toBe(6)
  })

  it('is found as quickly among ten thousand, and is the one that a look at each in turn finds', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({
      when: {
        ...(i % 3 === 0 ? {} : { senderDomain: `s${i % 1000}.example` }),
        ...(i % 3 === 1 ? {} : { recipientDomain: `${i % 7 === 0 ? '*.' : ''}r${i}.example` }),
        ...(i % 5 === 0 ? { class: 'campaign' } : {}),
        ...(i % 3 === 1 ? { tag: { n: String(i) } } : {}),
      },
      to: 'a',
    }))
    const book = bookOf(many)
    for (let i = 0; i < 10_000; i += 77) {
      const facts = mail({
        class: i % 2 === 0 ? 'campaign' : 'workflow',
        senderDomain: `s${i % 1000}.example`,
        recipientDomain: `${i % 14 === 0 ? 'x.' : ''}r${i}.example`,
        'tag n': String(i),
      })
      const slowly = book.rules.find(({ conditions }) =>
        [...conditions].every(([dimension, values]) => facts(dimension)?.some((value) => values.has(value))),
      )
      expect(book.find(facts)).toBe(slowly)
    }
    const facts = mail({ class: 'campaign', senderDomain: 's1.example', recipientDomain: 'gmail.com' })
    let looks = 0
    book.find((dimension) => {
      looks++
      return facts(dimension)
    })
    // one for each dimension, and a few for the rules that are compared; a look at each in turn takes ten thousand
    expect(looks).toBeLessThan(100)
  })
})

describe('the name of a project', () => {
  it('is asked for again when the store was away, so that no mail goes the way of mail without it', async () => {
    const names = ['away', 'Shop'].values()
    const nameOf = async () => {
      const { value } = names.next()
      if (value === 'away') throw new Error('the store is away')
      return value
    }
    const rest = new Route()
    const { store, clock, close } = await testStore()
    onTestFinished(close)
    const ramps = new RuleRamps(
      store,
      kitOf(() => clock.now()),
    )
    const sources = { nameOf, receiverOf: async () => undefined }
    const routing = new Routing(
      parse(RouteRules, [{ when: { project: 'Shop' }, to: 'a' }]),
      rest,
      () => undefined,
      sources,
      ramps,
    )
    const newId = idSource(() => Date.now())
    const projectId = asProjectId(newId())!
    const mail = {
      id: newId(),
      projectId,
      to: 'ada@example.org',
      sourceType: 'TRANSACTIONAL',
      lane: 'transactional',
      createdAt: new Date(),
    } as const
    await expect(routing.of({ ...mail, tags: {} }, undefined)).rejects.toThrow('the store is away')
    expect(await routing.of({ ...mail, tags: {} }, undefined)).not.toBe(rest)
  })
})

describe('shares', () => {
  it('are kept by the ids of mails, and a mail goes the same way each time', () => {
    const [rule] = bookOf([{ to: { a: 90, b: 9.5, c: 0.5 }, fallback: 'd' }]).rules
    const newId = idSource(() => Date.now())
    const firsts = Map.groupBy(Array.from({ length: 20_000 }, newId), (id) => orderOf(rule!, partOf(id))[0])
    const share = (name: string) => (firsts.get(name)?.length ?? 0) / 200
    expect(share('a')).toBeGreaterThan(88.5)
    expect(share('a')).toBeLessThan(91.5)
    expect(share('b')).toBeGreaterThan(8)
    expect(share('b')).toBeLessThan(11)
    expect(share('c')).toBeGreaterThan(0.2)
    expect(share('c')).toBeLessThan(1)
    const id = newId()
    expect(orderOf(rule!, partOf(id))).toEqual(orderOf(rule!, partOf(id)))
  })

  it('are followed by the others of the rule, and then by its fallbacks', () => {
    const [rule] = bookOf([{ to: { a: 1, b: 1, c: 2 }, fallback: ['d', 'e'] }]).rules
    expect(orderOf(rule!, 0)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(orderOf(rule!, 0.3)).toEqual(['b', 'a', 'c', 'd', 'e'])
    expect(orderOf(rule!, 0.999)).toEqual(['c', 'a', 'b', 'd', 'e'])
  })
})

it('domains are at a receiver by their mail exchangers', () => {
  expect(receiverAt(['aspmx.l.google.com', 'alt1.aspmx.l.google.com'])).toBe('google')
  expect(receiverAt(['example-com.mail.protection.outlook.com'])).toBe('microsoft')
  expect(receiverAt(['MX00.EMIG.GMX.NET.'])).toBe('gmx')
  expect(receiverAt(['mail.notgoogle.com', 'mx.example.org'])).toBeUndefined()
  expect(receiverAt([''])).toBeUndefined()
})

describe('rules that are wrong are refused at the start', () => {
  const transports = ['main', 'bulk', 'relay'].map((name) => ({
    name,
    use: 'outbox',
    options: { directory: `/tmp/${name}` },
  }))
  const problemsOf = async (routes: readonly unknown[], mayName: object = {}) => {
    const loaded = loadConfig({ document: { transports, delivery: { routes, mayName } }, env: {} })
    const error = await loaded.then(
      () => undefined,
      (error: EngineError) => error,
    )
    return Object.fromEntries((error?.fields ?? []).map(({ field, message }) => [field, message]))
  }

  it('so are those who may name what is not there, and projects that are named by what their members may change', async () => {
    const id = '019a2f6e-7c1b-7d20-9a53-0c5f7be8a410'
    expect(await problemsOf([], { main: true, bulk: [id], relay: [] })).toEqual({})
    const both = 'must be true for all projects, or a list of their ids'
    expect(await problemsOf([], { bluk: true })).toEqual({
      'delivery.mayName.bluk': 'is not the name of a transport: bluk (did you mean bulk?)',
    })
    expect(await problemsOf([], { main: false, bulk: [id, 'Shop'] })).toEqual({
      'delivery.mayName.main': both,
      'delivery.mayName.bulk[1]': 'must be the id of a project: its members may change its name',
    })
  })

  it('each of ten faults in one file has its place, and what to do', async () => {
    const problems = await problemsOf([
      { name: 'news', when: { class: 'campain' }, to: 'bulk' },
      { when: { senderDomain: 'not a domain' }, to: 'main' },
      { when: { recipientdomain: 'gmail.com' }, to: 'main' },
      { when: { tag: { stream: 'a' } }, to: { main: 9, bulk: 0 } },
      { when: { receiver: 'gmail' }, to: 'main' },
      { when: { recipientDomain: [] }, to: 'main' },
      { when: { template: 'welcome' }, to: 'main' },
      { when: { header: {} }, to: 'main' },
      { when: { project: 'Shop' } },
      { when: { class: 'workflow' }, to: 'main', fallback: [] },
    ])
    expect(problems).toEqual({
      'delivery.routes[0].when.class': 'must be transactional, workflow, campaign, or a list of them',
      'delivery.routes[1].when.senderDomain': 'must be a domain such as example.com, or *.example.com for all below it',
      'delivery.routes[2].when.recipientdomain': 'is not a known key (did you mean recipientDomain?)',
      'delivery.routes[3].to.bulk':
        'must be more than 0, at most a million; a transport without a share is left out, or stands under fallback',
      'delivery.routes[4].when.receiver': expect.stringMatching(
        /^must be one of google, microsoft, .*, or a list of them$/,
      ),
      'delivery.routes[5].when.recipientDomain':
        'is an empty list, which no mail fits: add a value, or leave the key out',
      'delivery.routes[6].when.template': 'must be the id of a template',
      'delivery.routes[7].when.header': 'is empty: write it as { "X-Stream": "receipts" }, or leave the key out',
      'delivery.routes[8].to': 'is required',
      'delivery.routes[9].fallback': 'is an empty list: name a transport, or leave the key out',
    })
  })

  it('and so has each that only shows between rules and transports', async () => {
    const problems = await problemsOf([
      { name: 'news', when: { class: 'campaign' }, to: 'bulk', fallback: ['main', 'bulk'] },
      { when: { class: 'campaign', senderDomain: 'example.com' }, to: 'main' },
      { name: 'news', when: { header: { 'X-Pool': 'a', 'x-pool': 'b' } }, to: 'relai' },
      { when: { recipientDomain: '*.example.org' }, to: { relay: 1, nowhere: 1 } },
      { when: { recipientDomain: ['a.example.org', '*.b.example.org'] }, to: 'main' },
      { when: { class: ['transactional', 'workflow'] }, to: 'main' },
      { when: { tag: { stream: 'a' } }, to: 'main', whenFull: 'fallback' },
    ])
    expect(problems).toEqual({
      'delivery.routes[0].fallback[1]':
        'goes round in a circle: mail that bulk refused would come back to it, which delivery.routes[0].to names already. Name each transport of a rule once',
      'delivery.routes[1]':
        'can never decide: delivery.routes[0] (news) before it takes all mail that fits it. Move it up, or remove it',
      'delivery.routes[2].name': 'is the name of delivery.routes[0], too',
      'delivery.routes[2].when.header.x-pool': 'is there twice: upper and lower case make no difference',
      'delivery.routes[2].to': 'is not the name of a transport: relai (did you mean relay?)',
      'delivery.routes[3].to.nowhere': 'is not the name of a transport: nowhere (there are main, bulk, relay)',
      'delivery.routes[4]':
        'can never decide: delivery.routes[3] before it takes all mail that fits it. Move it up, or remove it',
      'delivery.routes[6].whenFull': 'needs a fallback: name the transports to go to, or write wait',
      'delivery.routes[6]':
        'can never decide: delivery.routes[0] (news), delivery.routes[5] before it take all mail that fits it. Move it up, or remove it',
    })
  })

  it('all of them in one look, also where some rules are not well formed', async () => {
    const problems = await problemsOf([
      { name: 'news', when: { class: 'campain' }, to: 'bluk', whenFull: 'fallback' },
      { name: 'a', when: { class: 'campaign' }, to: 'main' },
      { name: 'b', when: { class: 'campaign', tag: { a: 'b' } }, to: 'main' },
      { name: 'a', when: { class: 'workflow' }, to: 'main', fallback: 'main' },
      { name: 'c', when: { template: 'x' }, to: { main: 1, nowhere: 0 } },
      'main',
    ])
    expect(Object.keys(problems).toSorted()).toEqual([
      'delivery.routes[0].to',
      'delivery.routes[0].when.class',
      'delivery.routes[0].whenFull',
      'delivery.routes[2]',
      'delivery.routes[3].fallback[0]',
      'delivery.routes[3].name',
      'delivery.routes[4].to.nowhere',
      'delivery.routes[4].when.template',
      'delivery.routes[5]',
    ])
  })

  it('and so has each fault of a ramp', async () => {
    const rule = { name: 'a', when: { class: 'campaign' }, to: 'main' }
    const ramp = { to: 'bulk', from: '2026-12-01' }
    const of = async (given: object, more: object = {}) => problemsOf([{ ...rule, ...more, ramp: given }])
    expect(await of(ramp)).toEqual({})
    expect(await of({ ...ramp, from: '2026-12-01T14:30:00Z', start: 0.1, add: 0, backAt: 0 })).toEqual({})
    const day = 'must be a day such as 2026-12-01, or a moment such as 2026-12-01T14:30:00Z'
    for (const from of ['1.12.2026', '2026-13-01', '2026-02-30', '2026-12-01T14:30:00', 'today'])
      expect(await of({ ...ramp, from }), from).toEqual({ 'delivery.routes[0].ramp.from': day })
    expect(await of({ to: 'bulk' })).toEqual({ 'delivery.routes[0].ramp.from': 'is required' })
    expect(await of({ ...ramp, start: 0, add: 101, backAt: -1, until: 50 })).toEqual({
      'delivery.routes[0].ramp.start': 'must be a number from 0.1 to 100: the percentage of the first day',
      'delivery.routes[0].ramp.add': 'must be a number from 0 to 100: the percentage points more each day',
      'delivery.routes[0].ramp.backAt':
        'must be a number from 0 to 100: the percentage of refusals above which it goes back',
      'delivery.routes[0].ramp.until': 'is not a known key (there are to, from, start, add, backAt)',
    })
    expect(await of({ ...ramp, to: 'bulck' })).toEqual({
      'delivery.routes[0].ramp.to': 'is not the name of a transport: bulck (did you mean bulk?)',
    })
    expect(await of({ ...ramp, to: 'main' }, { name: undefined, fallback: 'relay' })).toEqual({
      'delivery.routes[0].ramp.to': expect.stringContaining('goes round in a circle'),
      'delivery.routes[0].name': 'is needed beside ramp: what was refused is counted under it',
    })
  })

  it('a rule for all mail hides every one behind it, and needs none', async () => {
    expect(await problemsOf([{ to: 'bulk' }, { when: { class: 'campaign' }, to: 'main' }])).toEqual({
      'delivery.routes[1]': expect.stringContaining('delivery.routes[0] before it takes all'),
    })
    expect(await problemsOf([{ when: { class: 'campaign' }, to: 'main' }, { to: 'bulk' }])).toEqual({})
  })

  it('and rules without transports of their own, which may change in the dashboard', async () => {
    const document = { delivery: { routes: [{ to: 'outbox' }] } }
    await expect(loadConfig({ document, env: {} })).rejects.toMatchObject({
      fields: [{ field: 'delivery.routes', message: expect.stringContaining('give them under transports') }],
    })
  })
})
