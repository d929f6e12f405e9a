import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { definePlugin } from '../../core/plugin/plugin.ts'
import type { OutgoingMail } from '../../core/ports/mail-transport.ts'
import { MAIL, testApp } from '../support/app.ts'
import { ANY } from '../support/matrix.ts'
import { until } from '../support/until.ts'

describe('a server whose links lead to itself alone, sending to the world', () => {
  it('says so at start, refuses marketing mail with the reason, and sends the rest', async () => {
    const sent: OutgoingMail[] = []
    const world = definePlugin({
      name: 'mail-world',
      provides: ['transport'],
      options: v.object({}),
      open: () => ({
        transport: {
          concurrency: 1,
          async send(mail) {
            sent.push(mail)
            return { outcome: 'accepted' }
          },
        },
      }),
    })
    const { ask, engine, lines } = await testApp(ANY, {}, { publicUrl: 'http://0.0.0.0:3000', transports: [world()] })
    await engine.start()
    expect(lines.find(({ level }) => level === 'warn')?.message).toContain('PUBLIC_URL')

    const template = { name: 'News', type: 'MARKETING', subject: 'News', body: '<p>News</p>' }
    const { body: made } = await ask('POST', '/templates', { json: template })
    await ask('POST', '/contacts', { json: { email: MAIL.to } })
    const { subject: _, body: __, ...rest } = MAIL
    const marketing = await ask('POST', '/v1/send', { json: { ...rest, template: made.id } })
    expect(marketing).toMatchObject({ status: 409, body: { message: expect.stringContaining('PUBLIC_URL') } })

    const draft = { name: 'News', subject: 'News', body: '<p>News</p>', from: MAIL.from, audienceType: 'ALL' }
    const { body: campaign } = await ask('POST', '/campaigns', { json: draft })
    for (const json of [{}, { scheduledFor: new Date(Date.now() + 3_600_000).toISOString() }]) {
      const refused = await ask('POST', `/campaigns/${campaign.data.id}/send`, { json })
      expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining('PUBLIC_URL') } })
    }
    expect((await ask('GET', `/campaigns/${campaign.data.id}`)).body.status).toBe('DRAFT')

    expect((await ask('POST', '/v1/send', { json: MAIL })).status).toBe(200)
    await until('the transactional mail is sent', () => sent.length === 1)
  })
})
