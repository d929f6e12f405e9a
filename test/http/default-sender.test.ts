import { describe, expect, it } from 'vitest'
import { expectEnvelope, MAIL, SECRET, testApp } from '../support/app.ts'
import { QUICK, STORES } from '../support/matrix.ts'

const { from: _from, ...MAIL_WITHOUT } = MAIL
const PROJECT = { name: 'Acme', secretKey: SECRET, trustedDomains: ['example.com'] }
const FROM = 'Acme Shop <shop@example.com>'

for (const store of STORES) {
  describe(`the sender of a project on ${store.name}`, () => {
    it('counts where neither the request nor a template names one', async () => {
      const { ask, engine } = await testApp(store, {}, { projects: [{ ...PROJECT, from: FROM }] })
      const sent = async (json: object) => {
        const { status, body } = await ask('POST', '/v1/send', { json: { ...MAIL_WITHOUT, ...json } })
        expect(status).toBe(200)
        const { from, fromName } = (await ask('GET', `/emails/${body.data.emails[0].email}`)).body
        return [from, fromName]
      }
      expect(await sent({})).toEqual(['shop@example.com', 'Acme Shop'])
      expect(await sent({ name: 'Ada' })).toEqual(['shop@example.com', 'Ada'])
      expect(await sent({ from: 'other@example.com' })).toEqual(['other@example.com', 'Acme'])
      expect(await sent({ from: 'shop@example.com', name: 'Ada' })).toEqual(['shop@example.com', 'Ada'])
      const words = { name: 'T', subject: 'S', body: 'B', type: 'TRANSACTIONAL' }
      const bare = (await ask('POST', '/templates', { json: words })).body.id
      expect(await sent({ template: bare })).toEqual(['shop@example.com', 'Acme Shop'])
      const own = (await ask('POST', '/templates', { json: { ...words, from: 'own@example.com' } })).body.id
      expect(await sent({ template: own })).toEqual(['own@example.com', 'Acme'])

      const campaign = await ask('POST', '/campaigns', { json: { ...words, type: undefined, audienceType: 'ALL' } })
      expect(campaign.body.data).toMatchObject({ from: 'shop@example.com' })
      const workflow = (await ask('POST', '/workflows', { json: { name: 'W', eventName: 'seen' } })).body.id
      const step = { type: 'SEND_EMAIL', templateId: bare }
      await ask('POST', `/workflows/${workflow}/steps`, { json: step })
      expect((await ask('PATCH', `/workflows/${workflow}`, { json: { enabled: true } })).status).toBe(200)

      await engine.projects.applySettings([{ name: 'Acme', trustedDomains: ['example.com'] }])
      expect((await engine.projects.list())[0]?.from).toEqual({ email: 'shop@example.com', name: 'Acme Shop' })
      await engine.projects.applySettings([{ name: 'Acme', from: null }])
      expectEnvelope(await ask('POST', '/v1/send', { json: MAIL_WITHOUT }), 422, 'VALIDATION_ERROR', {
        from: 'required',
      })
    })
  })
}

it('a sender of a project must be on one of its domains, and be one address', async () => {
  const store = QUICK
  const start = (from: string) => testApp(store, {}, { projects: [{ ...PROJECT, from }] })
  await expect(start('a@elsewhere.example')).rejects.toThrow(/projects\[0\]\.from: must be an address of one of/)
  await expect(start('a@example.com, b@example.com')).rejects.toThrow(/projects\[0\]\.from: must be an e-mail address/)
})
