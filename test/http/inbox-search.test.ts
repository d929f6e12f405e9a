import { createTransport } from 'nodemailer'
import { beforeAll, describe, expect, it } from 'vitest'
import { excerptOf } from '../../core/inboxes/excerpt.ts'
import { termsOf, wordsOf } from '../../core/inboxes/search-query.ts'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { isSwapped, STRICT } from '../support/matrix.ts'
import { smtpListener } from '../support/smtp-listener.ts'
import { until } from '../support/until.ts'

describe.each([STRICT])('search in inboxes, on $name', ({ store }) => {
  let test: TestApp
  let listener: SmtpListener
  let one: string
  let two: string

  const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, json?: object, key?: string) => {
    const asked = { ...(json === undefined ? {} : { json }), ...(key === undefined ? {} : { key }) }
    const { status, text, body } = await test.ask(method, path, asked)
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300)
    return body
  }
  const come = (mail: object) =>
    createTransport({ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true }).sendMail({
      from: 'Zoë Ångström <zoe@friend.example>',
      ...mail,
    })
  const search = async (q: string, more = '', key?: string): Promise<readonly string[]> => {
    const { data } = await ask('GET', `/threads?q=${encodeURIComponent(q)}${more}`, undefined, key)
    return data.map(({ subject }: { subject: string }) => subject)
  }

  beforeAll(async () => {
    const plugin = smtpListener((made) => {
      listener = made
    })
    test = await testApp({ store }, {}, { inbound: [plugin] })
    await test.engine.start()
    one = (await ask('POST', '/inboxes', { name: 'One', address: 'one@example.com' })).id
    two = (await ask('POST', '/inboxes', { name: 'Two', address: 'two@example.com' })).id
    const files = [{ filename: 'Quittung-4711.pdf', content: 'x' }]
    await come({
      to: 'one@example.com',
      subject: 'Invoice for March',
      text: 'The garden chairs, please.',
      attachments: files,
    })
    await come({ to: 'one@example.com', subject: 'Garden chairs', text: 'An invoice would be nice. Straße 7' })
    await come({ to: 'two@example.com', from: 'bob@other.example', subject: 'Garden tools', text: 'Spades and rakes' })
    const draft = { to: ['carol@else.example'], subject: 'Offer', body: '<p>Twelve <b>wheelbarrows</b></p>' }
    const { id } = await ask('POST', `/inboxes/${two}/drafts`, draft)
    await ask('POST', `/drafts/${id}/send`)
    await until('all can be found', async () => {
      const found = [await search('garden'), await search('wheelbarrows')]
      return found[0]!.length === 3 && found[1]!.length === 1
    })
  })

  it('finds subject, people, text and names of files, the best first, over all inboxes or in one', async () => {
    expect(await search('invoice')).toEqual(['Invoice for March', 'Garden chairs'])
    expect((await search('GARDEN')).toSorted()).toEqual(['Garden chairs', 'Garden tools', 'Invoice for March'])
    expect((await search('garden')).at(-1)).toBe('Invoice for March')
    expect(await search('garden', `&inboxId=${two}`)).toEqual(['Garden tools'])
    expect(await search('angstrom')).toHaveLength(2)
    expect(await search('bob@other.example')).toEqual(['Garden tools'])
    expect(await search('4711')).toEqual(['Invoice for March'])
    expect(await search('strasse')).toEqual([])
    expect(await search('straße')).toEqual(['Garden chairs'])
    expect(await search('carol@else.example twelve')).toEqual(['Offer'])
    expect(await search('"garden chairs"')).toEqual(['Garden chairs', 'Invoice for March'])
    expect(await search('"chairs garden"')).toEqual([])
    expect(await search('invoice rakes')).toEqual([])
    expect(await search('whee')).toEqual(['Offer'])
    expect(await search('whee* twelve')).toEqual(['Offer'])
    // in the middle, a word is whole
    expect(await search('whee twelve')).toEqual([])
    expect(await search('garden', '&folder=trash')).toEqual([])
    expect(await search('garden', '&limit=1')).toHaveLength(1)
  })

  it('shows the words in their sentence as they were written, of mail in both directions', async () => {
    const text = 'Hello.\n\nThe <b>Gärten</b> of the king\nare & stay closed.'
    await come({ to: 'one@example.com', from: 'f@gone.example', subject: 'Visit', text })
    const mail = { to: ['g@gone.example'], subject: 'Answer', body: '<p>The garten &amp; the kings</p>' }
    const draft = await ask('POST', `/inboxes/${one}/drafts`, mail)
    await ask('POST', `/drafts/${draft.id}/send`)
    const found = async (q: string): Promise<readonly { readonly excerpt: object; readonly subject: string }[]> =>
      (await ask('GET', `/threads?q=${encodeURIComponent(q)}`)).data
    const both = await until('both are found', async () => {
      const data = await found('gart*')
      return data.length === 2 ? data : undefined
    })
    const shown = new Map(both.map(({ subject, excerpt }) => [subject, excerpt]))
    expect(shown.get('Visit')).toEqual([
      { text: 'Hello. The <b>', found: false },
      { text: 'Gärten', found: true },
      { text: '</b> of the king are & stay closed.', found: false },
    ])
    expect(shown.get('Answer')).toEqual([
      { text: 'The ', found: false },
      { text: 'garten', found: true },
      { text: ' & the kings', found: false },
    ])
    // in the subject, which is shown anyway
    expect((await found('offer'))[0]?.excerpt).toBeNull()
  })

  it('finds for a key what is in its inboxes, and nothing else', async () => {
    const { projectId } = await ask('GET', '/keys/@me')
    const grant = { inboxIds: [two], rights: ['read'] }
    const { key } = await ask('POST', `/projects/${projectId}/keys`, {
      ...{ name: 'agent', kind: 'secret', scopes: ['inbox'], inbox: grant },
    })
    expect(await search('garden', '', key)).toEqual(['Garden tools'])
    const other = await test.ask('GET', `/threads?q=garden&inboxId=${one}`, { key })
    expect([other.status, other.body.error.code]).toEqual([404, 'INBOX_NOT_FOUND'])
    // the words that tell inboxes apart find nothing
    expect(await search(`i${one.replaceAll('-', '')}`)).toEqual([])
    expect(await search(`p${projectId.replaceAll('-', '')}`, '', key)).toEqual([])
  })

  it.each([
    '"',
    '""',
    '"""garden',
    "'",
    "garden' OR '1'='1",
    'garden OR tools',
    'NOT garden',
    'NEAR(garden tools, 5)',
    '*',
    '* *',
    'g*',
    '(garden',
    'garden)',
    'subject:garden',
    '{scope}:garden',
    'scope : garden',
    '-garden',
    '^garden',
    'a & b | !c',
    'a <-> b',
    ':*',
    "'garden':*",
    '\\',
    '\u0000',
    '%',
    '_',
    '🦊',
    'ﷺ'.repeat(100),
    '"'.repeat(500),
    '* '.repeat(250),
    'a '.repeat(249),
    'x'.repeat(500),
    '()'.repeat(250),
    '日本語',
    '\u202e\u200b',
  ])('answers the odd query %j with 200 or 422, at once', async (q) => {
    const begun = performance.now()
    const { status } = await test.ask('GET', `/threads?q=${encodeURIComponent(q)}`)
    expect([200, 422]).toContain(status)
    expect(performance.now() - begun).toBeLessThan(2_000)
  })

  it('refuses a query of 10,000 characters, or without any', async () => {
    for (const q of ['x'.repeat(10_000), '*'.repeat(501), '', ' ']) {
      const { status, body } = await test.ask('GET', `/threads?q=${encodeURIComponent(q)}`)
      expect([status, body.error.errors[0].field]).toEqual([422, 'q'])
    }
    expect((await test.ask('GET', '/threads')).body.error.errors[0]).toMatchObject({ field: 'q', code: 'required' })
    expect((await test.ask('GET', '/threads?q=x&folder=nowhere')).status).toBe(422)
    expect((await test.ask('GET', '/threads?q=x&inboxId=nowhere')).status).toBe(404)
  })

  it('finds no more what was erased, or whose inbox was deleted', async () => {
    const gone = await ask('POST', '/inboxes', { name: 'Gone', address: 'gone@example.com' })
    await come({ to: 'gone@example.com', from: 'eve@gone.example', subject: 'Pomegranate', text: 'My secretword' })
    await come({ to: 'gone@example.com', from: 'dan@gone.example', subject: 'Apricots', text: 'Plain' })
    await until(
      'both are found',
      async () => (await search('secretword')).length + (await search('apricots')).length === 2,
    )
    const [contact] = (await ask('GET', '/contacts?search=eve@gone.example')).data
    await ask('DELETE', `/contacts/${contact.id}`)
    await until('it is erased', async () => (await search('secretword')).length === 0)
    expect(await search('pomegranate')).toEqual([])
    expect(await search('eve@gone.example')).toEqual([])
    // and is not put there again
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(await search('secretword')).toEqual([])
    await ask('DELETE', `/inboxes/${gone.id}`)
    expect(await search('apricots')).toEqual([])
  })
})

it.skipIf(isSwapped)('cuts a text where most of the words stand together, at a sentence or a word, quickly', () => {
  const cut = (text: string, query: string) =>
    excerptOf(text, termsOf(query))
      ?.map(({ text: words, found }) => (found ? `[${words}]` : words))
      .join('')
  expect(cut('The blue one.', 'blue ')).toBe('The [blue] one.')
  expect(cut('The blue one.', 'green ')).toBeUndefined()
  expect(cut('', 'blue')).toBeUndefined()
  expect(cut('Blue. blueish BLÜE blue-ish', '"blue"')).toBe('[Blue]. blueish [BLÜE] [blue]-ish')
  expect(cut('a two b one two three', '"one two"')).toBe('a two b [one two] three')
  const filler = 'So many words are here. '.repeat(20)
  const far = `A key. ${filler}The key opens the garden. ${filler}`
  const near = cut(far, 'key garden')
  expect(near).toMatch(/^…The \[key\] opens the \[garden\]\. So many .*\w…$/)
  expect(near?.length).toBeLessThan(215)
  const begun = performance.now()
  for (const sign of ['a ', 'a', '\u0301', ' ', '. ', '日本'])
    excerptOf(sign.repeat(100_000), termsOf('a "a a a a a a" a*'))
  expect(performance.now() - begun).toBeLessThan(1_000)
})

it.skipIf(isSwapped)('reads words and terms of a query as people write them', () => {
  expect(wordsOf('Zoë’s Café, No. 7 – ﬁne')).toEqual(['zoe', 's', 'cafe', 'no', '7', 'fine'])
  expect(wordsOf(`${'x'.repeat(61)} y`)).toEqual(['y'])
  expect(wordsOf('a '.repeat(100_000))).toHaveLength(4_000)
  expect(termsOf('one "two three" fo* a@b.example')).toEqual([
    { words: ['one'], isBeginning: false },
    { words: ['two', 'three'], isBeginning: false },
    { words: ['fo'], isBeginning: true },
    { words: ['a', 'b', 'example'], isBeginning: true },
  ])
  expect(termsOf('"open end')).toEqual([{ words: ['open', 'end'], isBeginning: false }])
  expect(termsOf('a b c d e f g h i j k l m n').flatMap(({ words }) => words)).toHaveLength(12)
  const begun = performance.now()
  for (const sign of ['"', '*', ' ', '(', 'a"', '\u0301']) termsOf(sign.repeat(100_000))
  expect(performance.now() - begun).toBeLessThan(1_000)
})
