import { beforeAll, describe, expect, it } from 'vitest'
import { MAIL, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'
import { until } from '../support/until.ts'

// The results of each condition have their contract on both stores; this is how it is asked for.
describe(`the search of mails, on ${STRICT.name}`, () => {
  let test: TestApp
  const ids: Record<string, string> = {}
  const list = async (query: Record<string, string>) => {
    const { status, body } = await test.ask('GET', `/emails?${new URLSearchParams(query)}`)
    expect({ status, error: body.error }).toEqual({ status: 200 })
    return body
  }
  const names = ({ data }: { data: readonly { id: string }[] }) =>
    data.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id)).toSorted()
  const found = async (query: Record<string, string>) => {
    const body = await list(query)
    expect([body.total, body.hasMore]).toEqual([body.data.length, false])
    return names(body)
  }
  const search = (text: string) => found({ search: text })

  beforeAll(async () => {
    test = await testApp(STRICT)
    const mails = {
      ada: { to: 'ada@one.example', subject: 'Your order "A-17"', tags: { kind: 'order', 'plan.id': '7' } },
      bob: { to: 'bob@two.example', subject: 'Welcome', from: 'news@example.com', scheduledFor: later() },
      eve: { to: 'eve.ada@two.example', subject: 'Your order is late: 100%' },
    }
    for (const [name, mail] of Object.entries(mails)) {
      const { body } = await test.ask('POST', '/v1/send', { json: { ...MAIL, ...mail } })
      ids[name] = body.data.emails[0].email
    }
    await test.engine.start()
    await until('two are delivered', async () => (await list({ status: 'DELIVERED' })).total === 2)
  })

  it('joins words by AND: of address or subject, with prefixes, in quotes', async () => {
    expect(await search('ada')).toEqual(['ada', 'eve'])
    expect(await search('YOUR order')).toEqual(['ada', 'eve'])
    expect(await search('"your order"')).toEqual(['ada', 'eve'])
    expect(await search('"order your"')).toEqual([])
    expect(await search('to:ada@one.example')).toEqual(['ada'])
    expect(await search('TO:Ada@One.Example')).toEqual(['ada'])
    expect(await search('to:ada')).toEqual(['ada', 'eve'])
    expect(await search('to:ada subject:late')).toEqual(['eve'])
    expect(await search('subject:"is late"')).toEqual(['eve'])
    expect(await search('from:news')).toEqual(['bob'])
    expect(await search('domain:two.example')).toEqual(['bob', 'eve'])
    expect(await search('domain:@two.example -')).toEqual([])
    expect(await search('status:queued')).toEqual(['bob'])
    expect(await search('status:queued status:delivered')).toEqual([])
    expect(await search('tag:kind')).toEqual(['ada'])
    expect(await search('tag:plan.id=7 tag:kind=order')).toEqual(['ada'])
    expect(await search('tag:kind=orders')).toEqual([])
    expect(await search(`msgid:<${ids.eve}@example.com>`)).toEqual(['eve'])
    expect(await search(`msgid:${ids.eve}`)).toEqual(['eve'])
    expect(await search(`msgid:other@example.com`)).toEqual([])
    expect(await search('%')).toEqual(['eve'])
    expect(await search('_')).toEqual([])
  })

  it('finds by day, in whatever time zone', async () => {
    const { createdAt } = (await test.ask('GET', `/emails/${ids.ada}`)).body
    const days = [-1, 0, 1].map((more) =>
      new Date(Date.parse(createdAt) + more * 86_400_000).toISOString().slice(0, 10),
    )
    const [before = '', day = '', after = ''] = days
    expect(await search(`after:${day} before:${after}`)).toEqual(['ada', 'bob', 'eve'])
    expect(await search(`after:${after}`)).toEqual([])
    expect(await search(`before:${day}`)).toEqual([])
    expect(await search(`after:${createdAt} to:ada@one.example`)).toEqual(['ada'])
    expect(await search(`before:${createdAt} to:ada@one.example`)).toEqual([])
    // of the three days around, the mails were sent on one, wherever one is
    for (const timezone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const each = await Promise.all([before, day, after].map((one) => found({ day: one, timezone })))
      expect(each.flat().toSorted()).toEqual(['ada', 'eve'])
    }
    expect(await found({ day, opened: 'true' })).toEqual([])
    expect(await found({ day, delivered: 'true', domain: 'two.example' })).toEqual(['eve'])
  })

  it('goes together with the other filters and pages like them', async () => {
    const { contactId } = (await test.ask('GET', `/emails/${ids.eve}`)).body
    expect(await found({ contactId, search: 'order' })).toEqual(['eve'])
    expect(await found({ contactId: 'nobody', search: 'order' })).toEqual([])
    expect(await found({ status: 'QUEUED', search: 'status:sent' })).toEqual([])
    expect(await found({ search: ' ' })).toEqual(['ada', 'bob', 'eve'])
    for (const what of ['opened', 'clicked', 'bounced', 'complained'])
      expect(await found({ [what]: 'true' })).toEqual([])
    expect(await found({ reason: 'full', bounced: 'true' })).toEqual([])
    expect(await found({ link: 'https://a.example/' })).toEqual([])
    const first = await list({ search: 'order', limit: '1' })
    expect(first).toMatchObject({ total: 2, hasMore: true })
    const second = await list({ search: 'order', limit: '1', cursor: first.cursor })
    expect(second).toMatchObject({ total: 0, hasMore: false, cursor: null })
    expect([...names(first), ...names(second)].toSorted()).toEqual(['ada', 'eve'])
  })

  it.each([
    ['re:late', /does not know re: .*to:, from:, subject:/],
    ['status:lost', /QUEUED, SENDING/],
    ['after:yesterday', /after after:/],
    ['before:2026-02-30', /after before:/],
    ['"open', /quote that is not closed/],
    ['a"b', /quote/],
    ['to:', /needs text after to:/],
    ['to:""', /needs text after to:/],
    ['tag:=x', /needs a name/],
    ['a '.repeat(21), /at most 20 words/],
    ['x'.repeat(501), /at most 500 characters/],
  ])('refuses %s and says what to write', async (text, words) => {
    const { status, body } = await test.ask('GET', `/emails?${new URLSearchParams({ search: text })}`)
    expect([status, body.error.errors[0].field]).toEqual([422, 'search'])
    expect(body.error.errors[0].message).toMatch(words)
  })

  it.each([
    ['opened', 'yes'],
    ['bounced', '0'],
    ['day', '2026-13-01'],
    ['timezone', 'Mars/Olympus'],
    ['domain', ''],
    ['link', 'x'.repeat(2001)],
  ])('refuses %s=%s', async (name, value) => {
    const { status, body } = await test.ask('GET', `/emails?${new URLSearchParams({ [name]: value })}`)
    expect([status, body.error.errors]).toEqual([422, [expect.objectContaining({ field: name })]])
  })

  it('takes text of any kind without a fault', async () => {
    for (const text of [
      "' or 1=1 --",
      '\u{1f642} ä',
      '\\',
      '"\\"',
      "to:o'neil",
      'tag:$."x"=1',
      'tag:a\\b',
      'msgid:<>',
      '(((',
    ])
      expect([200, 422]).toContain((await test.ask('GET', `/emails?${new URLSearchParams({ search: text })}`)).status)
    expect((await test.ask('GET', '/emails?search=%00')).status).toBe(422)
    expect((await test.ask('GET', '/emails?search=tag:a%00=b')).status).toBe(422)
  })
})

function later(): string {
  return new Date(Date.now() + 3_600_000).toISOString()
}
