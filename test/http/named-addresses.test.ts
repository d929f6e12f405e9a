import { simpleParser } from 'mailparser'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MAIL, SECRET, testApp } from '../support/app.ts'
import { toSink } from '../support/engine.ts'
import { ANY } from '../support/matrix.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'

const PROJECTS = [{ name: 'Test', secretKey: SECRET, trustedDomains: ['example.com'] }]

describe('addresses with a name in the same text', () => {
  // catches a name that is lost between the request and the wire, and one that is written so that it means another address
  it('are taken wherever a mail has an address, and reach the wire', async () => {
    const sink = await startSmtpSink()
    onTestFinished(() => sink.close())
    const { engine, ask } = await testApp(ANY, {}, { projects: PROJECTS, transports: [toSink(sink)] })
    await engine.start()
    const json = {
      ...MAIL,
      to: ['Ada Lovelace <ADA@example.org>'],
      from: '"Shop, Inc." <hello@example.com>',
      reply: 'Hélène "H" O\\Brien <help@example.org>',
      cc: 'Grace <grace@example.org>',
    }
    const answer = await ask('POST', '/v1/send', { json })
    expect(answer.body.data.emails[0].contact.email).toBe('ada@example.org')
    const [mail] = await sink.waitFor(1)
    const { to, cc, from, replyTo } = await simpleParser(mail!.raw)
    const one = (found: typeof to) => [found].flat()[0]?.value[0]
    expect(one(to)).toEqual({ name: 'Ada Lovelace', address: 'ada@example.org' })
    expect(one(cc)).toEqual({ name: 'Grace', address: 'grace@example.org' })
    expect(from?.value).toEqual([{ name: 'Shop, Inc.', address: 'hello@example.com' }])
    expect(replyTo?.value).toEqual([{ name: 'Hélène H O\\Brien', address: 'help@example.org' }])
    expect(mail!.to.toSorted()).toEqual(['ada@example.org', 'grace@example.org'])
  })

  // catches a second address that is lost, one whose name splits at its comma, and a name that is not filled in
  it('of several who get the replies reach the wire, and are written back as they are answered', async () => {
    const sink = await startSmtpSink()
    onTestFinished(() => sink.close())
    const { engine, ask } = await testApp(ANY, {}, { projects: PROJECTS, transports: [toSink(sink)] })
    await engine.start()
    const text = '"{{ name }}, us" <help@example.org>, sales@example.org'
    const words = { name: 'N', subject: 'S', body: 'B', from: 'ada@example.com' }
    const { body: template } = await ask('POST', '/templates', {
      json: { ...words, type: 'TRANSACTIONAL', replyTo: ['"{{ name }}, us" <HELP@example.org>', 'sales@example.org'] },
    })
    expect(template.replyTo).toBe(text)
    const again = await ask('PATCH', `/templates/${template.id}`, { json: { replyTo: template.replyTo } })
    expect(again.body).toMatchObject({ replyTo: text, version: template.version })
    const json = { to: 'ada@example.org', template: template.id, data: { name: 'Grace' } }
    const sent = await ask('POST', '/v1/send', { json })
    const [mail] = await sink.waitFor(1)
    expect((await simpleParser(mail!.raw)).replyTo?.value).toEqual([
      { name: 'Grace, us', address: 'help@example.org' },
      { name: '', address: 'sales@example.org' },
    ])
    const read = await ask('GET', `/emails/${sent.body.data.emails[0].email}`)
    expect(read.body.replyTo).toBe(text)
    for (const [replyTo, message] of [
      ['a@example.org, x', 'must be an e-mail address such as ada@example.com'],
      [Array(21).fill('a@example.org').join(), 'must have at most 20 addresses'],
    ] as const) {
      const refused = await ask('POST', '/templates', { json: { ...words, type: 'TRANSACTIONAL', replyTo } })
      expect(refused.body.error.errors).toMatchObject([{ field: 'replyTo', message }])
    }
  })

  it('split into address and name on templates, campaigns and steps', async () => {
    const { ask } = await testApp(ANY, {}, { projects: PROJECTS })
    const from = 'Ada <Ada@Example.com>'
    const split = { from: 'ada@example.com', fromName: 'Ada', replyTo: '"Help, us" <help@example.org>' }
    const replyTo = '"Help, us" <HELP@example.org>'
    const words = { name: 'N', subject: 'S', body: 'B', from, replyTo }
    const template = await ask('POST', '/templates', { json: { ...words, type: 'TRANSACTIONAL' } })
    expect(template.body).toMatchObject(split)
    const changed = await ask('PATCH', `/templates/${template.body.id}`, { json: { from: 'Bob <ada@example.com>' } })
    expect(changed.body).toMatchObject({ ...split, fromName: 'Bob' })
    const named = await ask('PATCH', `/templates/${template.body.id}`, { json: { from, fromName: 'Cy' } })
    expect(named.body).toMatchObject({ ...split, fromName: 'Cy' })
    const campaign = await ask('POST', '/campaigns', { json: { ...words, audienceType: 'ALL' } })
    expect(campaign.body.data).toMatchObject(split)
    const workflow = await ask('POST', '/workflows', { json: { name: 'W', eventName: 'seen' } })
    const config = { subject: 'S', body: 'B', from, replyTo }
    const step = await ask('POST', `/workflows/${workflow.body.id}/steps`, { json: { type: 'SEND_EMAIL', config } })
    expect(step.body.config).toMatchObject({ from: { email: 'ada@example.com', name: 'Ada' }, replyTo: split.replyTo })
    const elsewhere = await ask('POST', '/templates', {
      json: { ...words, type: 'TRANSACTIONAL', from: 'hello@example.com <a@evil.example>' },
    })
    expect(elsewhere.status).toBe(403)
  })

  // catches an address with braces that is kept and never delivered, and a refusal that does not say why
  it('have no placeholders, although their names may', async () => {
    const { ask } = await testApp(ANY, {}, { projects: PROJECTS })
    const template = { name: 'T', subject: 'S', body: 'B', type: 'TRANSACTIONAL' }
    const workflow = await ask('POST', '/workflows', { json: { name: 'W', eventName: 'seen' } })
    const steps = `/workflows/${workflow.body.id}/steps`
    const step = (replyTo: string) => ({ type: 'SEND_EMAIL', config: { subject: 'S', body: 'B', replyTo } })
    for (const [path, json, field] of [
      ['/v1/send', { ...MAIL, reply: '{{ email }}' }, 'reply'],
      ['/v1/send', { ...MAIL, reply: '{{name}}@example.org' }, 'reply'],
      ['/templates', { ...template, replyTo: 'Ada <{{ email }}>' }, 'replyTo'],
      [steps, step('{{ email }}'), 'config.replyTo'],
    ] as const) {
      const message = 'must be an e-mail address such as ada@example.com, and not a placeholder'
      const { status, body } = await ask('POST', path, { json })
      expect({ status, errors: body.error.errors }).toMatchObject({ status: 422, errors: [{ field, message }] })
    }
    const replyTo = '{{ team }} <help@example.org>'
    expect((await ask('POST', steps, { json: step(replyTo) })).body.config).toMatchObject({ replyTo })
  })
})
