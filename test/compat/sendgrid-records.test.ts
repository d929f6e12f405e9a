import client from '@sendgrid/client'
import sgMail from '@sendgrid/mail'
import { simpleParser } from 'mailparser'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { toLiquid } from '../../server/compat/sendgrid/handlebars.ts'
import { SECRET } from '../support/app.ts'
import { type CompatServer, compatServer } from '../support/compat.ts'
import { QUICK } from '../support/matrix.ts'

describe(`templates and groups by SendGrid's own packages on ${QUICK.name}`, () => {
  let server: CompatServer

  const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) => {
    const [{ statusCode }, read] = await client.request({ method, url: `/v3${url}`, ...(body ? { body } : {}) })
    return { status: statusCode, body: read }
  }
  const refused = async (...asked: Parameters<typeof ask>) => {
    const error: unknown = await ask(...asked).catch((cause: unknown) => cause)
    const { code, response } = error as { code: number; response: { body: { errors: { message: string }[] } } }
    return [code, response.body.errors[0]?.message] as const
  }

  beforeAll(async () => {
    // its clients warn of keys that do not begin as those of SendGrid
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    server = await compatServer(QUICK)
    sgMail.setClient(client)
    sgMail.setApiKey(SECRET)
    client.setDefaultRequest('baseUrl', `${server.url}/compat/sendgrid`)
  })
  afterAll(() => {
    vi.restoreAllMocks()
    return server.close()
  })

  it('sends by a dynamic template, in the version that is active', async () => {
    const made = await ask('POST', '/templates', { name: 'Order', generation: 'dynamic' })
    expect(made).toMatchObject({ status: 201, body: { generation: 'dynamic', versions: [] } })
    const { id } = made.body
    expect(id).toMatch(/^d-[0-9a-f]{32}$/)
    const to = [{ to: [{ email: 'a@example.org' }] }]
    const early = { from: { email: 'hello@example.com' }, template_id: id, personalizations: to }
    expect(await refused('POST', '/mail/send', early)).toEqual([400, expect.stringContaining('template_id')])
    expect(await refused('POST', `/templates/${id}/versions`, { subject: 'x' })).toEqual([
      400,
      expect.stringContaining('html_content'),
    ])
    const version = {
      name: 'First',
      subject: 'Order {{number}}',
      html_content:
        '<ul>{{#each lines}}<li>{{title}} for {{../who}}</li>{{/each}}</ul>{{#if paid}}Paid{{else}}Open{{/if}}',
      active: 1,
    }
    expect(await ask('POST', `/templates/${id}/versions`, version)).toMatchObject({
      status: 201,
      body: { id: 'active', template_id: id, active: 1, subject: 'Order {{ number }}' },
    })
    await sgMail.send({
      to: 'ada@example.org',
      from: 'hello@example.com',
      templateId: id,
      dynamicTemplateData: { number: 7, who: 'Ada', lines: [{ title: 'A lamp' }, { title: 'A chair' }], paid: '' },
    })
    const [mail] = await server.sink.waitFor(1)
    const { subject, html } = await simpleParser(mail!.raw)
    expect(subject).toBe('Order 7')
    expect(html).toContain('<li>A lamp for Ada</li><li>A chair for Ada</li>')
    expect(html).toContain('Open')

    const draft = await ask('POST', `/templates/${id}/versions`, { subject: 'New {{number}}', active: 0 })
    expect(draft.body).toMatchObject({ id: 'draft', active: 0, subject: 'New {{ number }}' })
    expect((await ask('GET', `/templates/${id}`)).body.versions).toHaveLength(2)
    await ask('PATCH', `/templates/${id}/versions/draft`, { html_content: '<p>{{{raw}}}</p>' })
    expect((await ask('GET', `/templates/${id}/versions/active`)).body.html_content).toContain('<ul>')
    expect((await ask('POST', `/templates/${id}/versions/draft/activate`)).body).toMatchObject({
      id: 'active',
      subject: 'New {{ number }}',
      html_content: '<p>{{ raw | raw }}</p>',
    })
    expect(await refused('GET', `/templates/${id}/versions/draft`)).toEqual([404, expect.any(String)])
    expect(await refused('DELETE', `/templates/${id}/versions/active`)).toEqual([409, expect.any(String)])
    await ask('PATCH', `/templates/${id}`, { name: 'Renamed' })
    const copy = await ask('POST', `/templates/${id}`, { name: 'Copy' })
    expect(copy.body).toMatchObject({ name: 'Copy', versions: [{ subject: 'New {{ number }}' }] })
    const listed = await ask('GET', '/templates?generations=dynamic&page_size=1')
    expect(listed.body).toMatchObject({ result: [{ id: copy.body.id }], _metadata: { count: 2 } })
    const { pathname, search } = new URL(listed.body._metadata.next)
    const next = await fetch(server.url + pathname + search, { headers: { authorization: `Bearer ${SECRET}` } })
    expect(await next.json()).toMatchObject({ result: [{ id, name: 'Renamed' }] })
    expect(await ask('DELETE', `/templates/${id}`)).toMatchObject({ status: 204 })
  })

  it('keeps unsubscribe groups as topics', async () => {
    const { body: group } = await ask('POST', '/asm/groups', { name: 'Offers', description: 'Now and then' })
    expect(group).toMatchObject({ id: expect.any(Number), name: 'Offers', is_default: false, unsubscribes: 0 })
    const { body: other } = await ask('POST', '/asm/groups', { name: 'News', description: '' })
    const path = `/asm/groups/${group.id}`
    const emails = ['left@example.org', 'gone@example.org']
    expect(await ask('POST', `${path}/suppressions`, { recipient_emails: emails })).toMatchObject({
      status: 201,
      body: { recipient_emails: emails },
    })
    expect((await ask('GET', `${path}/suppressions`)).body.sort()).toEqual([...emails].sort())
    expect((await ask('GET', `/asm/groups/${other.id}/suppressions`)).body).toEqual([])
    const search = { recipient_emails: ['left@example.org', 'new@example.org'] }
    expect((await ask('POST', `${path}/suppressions/search`, search)).body).toEqual(['left@example.org'])
    const { body: of } = await ask('GET', '/asm/suppressions/left@example.org')
    expect(of.suppressions).toContainEqual(expect.objectContaining({ id: group.id, suppressed: true }))
    expect(of.suppressions).toContainEqual(expect.objectContaining({ id: other.id, suppressed: false }))
    await ask('DELETE', `${path}/suppressions/left@example.org`)
    expect((await ask('GET', `${path}/suppressions`)).body).toEqual(['gone@example.org'])
    await ask('PATCH', path, { name: 'Deals' })
    expect((await ask('GET', `/asm/groups?id=${group.id}`)).body).toMatchObject([{ name: 'Deals' }])
    expect(await refused('GET', '/asm/groups/7')).toEqual([404, expect.any(String)])

    // a mail of the group leads to it
    const topics: { id: string; name: string }[] = (await server.test.ask('GET', '/topics')).body.data
    const topicId = topics.find(({ name }) => name === 'Deals')?.id
    const json = { name: 'Deal', slug: 'd-deal', subject: 'Deal', body: '<p>10 %</p>', type: 'MARKETING', topicId }
    expect(await server.test.ask('POST', '/templates', { json })).toMatchObject({ status: 201 })
    await server.test.ask('POST', '/contacts', { json: { email: 'new@example.org', subscribed: true } })
    const mail = { to: 'new@example.org', from: 'hello@example.com', templateId: 'd-deal', subject: 'Deal' }
    await sgMail.send({ ...mail, asm: { groupId: group.id } })
    await sgMail.send({ ...mail, asm: { groupId: 7 } })
    await expect(sgMail.send({ ...mail, asm: { groupId: other.id } })).rejects.toMatchObject({ code: 400 })
    await ask('DELETE', `/asm/groups/${other.id}`)
  })
})

it.each([
  ['Hi {{name}}, {{{html}}}', 'Hi {{ name }}, {{ html | raw }}'],
  ['{{! a note }}{{#unless a.b}}x{{/unless}}', '{% unless a.b and a.b != blank %}x{% endunless %}'],
  ['{{#equals a "b"}}1{{else}}2{{/equals}}', '{% if a == "b" %}1{% else %}2{% endif %}'],
  ['{{#if a}}1{{else if b}}2{{/if}}', '{% if a and a != blank %}1{% elsif b and b != blank %}2{% endif %}'],
  [
    '{{#each xs}}{{@index}} {{this.a}} {{@root.b}}{{#each ys}}{{this}} {{../c}}{{/each}}{{/each}}',
    '{% for item1 in xs %}{{ forloop.index0 }} {{ item1.a }} {{ b }}{% for item2 in item1.ys %}{{ item2 }} {{ item1.c }}{% endfor %}{% endfor %}',
  ],
  ['{{insert name "default=there"}} {{length xs}}', '{{ name | default: "there" }} {{ xs | size }}'],
  ['{{ name | upcase }}', '{{ name | upcase }}'],
])('writes %s in Liquid', (theirs, ours) => {
  expect(toLiquid(theirs, 'html_content')).toBe(ours)
})

it.each([
  '{{formatDate at "YYYY"}}',
  '{{#if a}}',
  '{{/if}}',
  '{{#each a}}{{/if}}',
  '{{else}}',
  '{{a b c}}',
  '{{#with a}}{{/with}}',
  '{{#constructor a b}}{{/constructor}}',
])('refuses %s', (text) => {
  expect(() => toLiquid(text, 'html_content')).toThrow('html_content')
})
