import Mailgun from 'mailgun.js'
import { Models, ServerClient } from 'postmark'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRET } from '../support/app.ts'
import { type CompatServer, compatServer } from '../support/compat.ts'
import { STRICT } from '../support/matrix.ts'

/* Templates, bounces, events and domains, looked up by the packages of Postmark and Mailgun. */

for (const store of [STRICT]) {
  describe(`looking up by other services' packages on ${store.name}`, () => {
    let server: CompatServer
    let postmark: ServerClient
    let mg: ReturnType<Mailgun['client']>

    beforeAll(async () => {
      server = await compatServer(store)
      const requestHost = `${server.url.replace('http://', '')}/compat/postmark`
      postmark = new ServerClient(SECRET, { requestHost, useHttps: false })
      mg = new Mailgun(FormData).client({ username: 'api', key: SECRET, url: `${server.url}/compat/mailgun` })
    })
    afterAll(() => server.close())

    it('keeps templates of Postmark, and checks texts', async () => {
      const texts = { Subject: 'Hi {{ name }}', HtmlBody: '<p>{{ name }}</p>' }
      const { TemplateId } = await postmark.createTemplate({ Name: 'Welcome', Alias: 'welcome', ...texts })
      expect(await postmark.getTemplate('welcome')).toMatchObject({ TemplateId, Name: 'Welcome', ...texts })
      await postmark.editTemplate('welcome', { Subject: 'Hello {{ name }}' })
      expect((await postmark.getTemplates({ count: 1 })).Templates).toMatchObject([{ TemplateId, Alias: 'welcome' }])
      const mail = { From: 'hello@example.com', To: 'tom@example.org', TemplateAlias: 'welcome' }
      await postmark.sendEmailWithTemplate({ ...mail, TemplateModel: { name: 'Tom' } })
      await server.sink.waitFor(1)
      expect(String(server.sink.messages[0]?.raw)).toContain('Subject: Hello Tom')
      const sound = await postmark.validateTemplate({ ...texts, TestRenderModel: { name: 'Ada' } })
      expect(sound).toMatchObject({
        AllContentIsValid: true,
        Subject: { RenderedContent: 'Hi Ada' },
        HtmlBody: { RenderedContent: expect.stringContaining('<p>Ada</p>') },
      })
      expect(await postmark.validateTemplate({ ...texts, Subject: '{% if %' })).toMatchObject({
        AllContentIsValid: false,
        Subject: { ContentIsValid: false, ValidationErrors: [{ Message: expect.any(String) }] },
        HtmlBody: { ContentIsValid: true },
      })
      const layout = { Name: 'L', Subject: 'x', HtmlBody: 'y', TemplateType: Models.TemplateTypes.Layout }
      await expect(postmark.createTemplate(layout)).rejects.toMatchObject({ statusCode: 422 })
      await expect(postmark.createTemplate({ Name: 'L', Subject: 'x' })).rejects.toMatchObject({
        message: expect.stringContaining("'HtmlBody'"),
      })
      await postmark.deleteTemplate(TemplateId)
      await expect(postmark.getTemplate('welcome')).rejects.toMatchObject({ code: 1101 })
    })

    it('finds bounces of Postmark, and gives their addresses mail again', async () => {
      const mail = { From: 'hello@example.com', To: 'gone@example.org', Subject: 'Hi', TextBody: 'x', Tag: 'b' }
      const { MessageID } = await postmark.sendEmail(mail)
      await expect.poll(async () => (await postmark.getBounces()).TotalCount, { timeout: 20_000 }).toBe(1)
      const bounce = { Email: 'gone@example.org', MessageID, Type: 'HardBounce', Tag: 'b', Inactive: true }
      const filter = { emailFilter: 'gone@example.org', tag: 'b', count: 5 }
      const { Bounces } = await postmark.getBounces(filter)
      expect(Bounces).toMatchObject([{ ...bounce, Details: expect.stringContaining('No such user') }])
      expect((await postmark.getBounces({ tag: 'other' })).Bounces).toEqual([])
      expect(await postmark.getDeliveryStatistics()).toMatchObject({
        InactiveMails: 1,
        Bounces: [{ Count: 1 }, { Count: 1 }],
      })
      expect(await postmark.getBounce(Bounces[0]!.ID)).toMatchObject(bounce)
      const activated = await postmark.activateBounce(Bounces[0]!.ID)
      expect(activated).toMatchObject({ Message: 'OK', Bounce: { ...bounce, Inactive: false } })
      expect(await postmark.getDeliveryStatistics()).toMatchObject({ InactiveMails: 0 })
      await expect(postmark.getBounces({ count: 501 })).rejects.toMatchObject({ statusCode: 422 })
      await expect(postmark.getBounce(7)).rejects.toMatchObject({ statusCode: 422, code: 1001 })
    })

    it('answers events of Mailgun, page by page until an empty one', async () => {
      for (const to of ['one@example.org', 'two@example.org']) {
        await mg.messages.create('example.com', { from: 'hello@example.com', to, subject: 'Hi', text: 'x' })
      }
      const recipientsOf = ({ items }: Awaited<ReturnType<typeof mg.events.get>>) =>
        items.map(({ event, recipient }) => `${event} ${recipient}`)
      const asked = { event: 'delivered', begin: '1000000000', limit: 1 }
      await expect
        .poll(async () => recipientsOf(await mg.events.get('example.com', { ...asked, limit: 2 })).sort(), {
          timeout: 20_000,
        })
        .toEqual(['delivered one@example.org', 'delivered two@example.org'])
      const seen: string[] = []
      let page = await mg.events.get('example.com', asked)
      for (; page.items.length > 0; page = await mg.events.get('example.com', { page: page.pages.next.page })) {
        seen.push(...recipientsOf(page))
        expect(seen.length).toBeLessThan(9)
      }
      expect(seen.sort()).toEqual([
        'delivered one@example.org',
        'delivered tom@example.org',
        'delivered two@example.org',
      ])
      const polled: string[] = []
      let last = await mg.events.get('example.com', { ...asked, ascending: 'yes' })
      for (; last.items.length > 0; last = await mg.events.get('example.com', { page: last.pages.next.page })) {
        polled.push(...recipientsOf(last))
        expect(polled.length).toBeLessThan(9)
      }
      expect([...polled].sort()).toEqual(seen)
      // what happens later is on the page that was empty
      await mg.messages.create('example.com', {
        from: 'hello@example.com',
        to: 'new@example.org',
        subject: 'Hi',
        text: 'x',
      })
      await expect
        .poll(async () => recipientsOf(await mg.events.get('example.com', { page: last.pages.next.page })), {
          timeout: 20_000,
        })
        .toEqual(['delivered new@example.org'])
      const failed = await mg.events.get('example.com', { event: 'failed', severity: 'permanent' })
      expect(failed.items).toMatchObject([{ recipient: 'gone@example.org', severity: 'permanent' }])
      expect((await mg.events.get('example.com', { recipient: 'none@example.org' })).items).toEqual([])
      for (const wrong of [{ event: 'stored' }, { begin: 'soon' }, { subject: 'Hi' }, { page: 'x' }]) {
        await expect(mg.events.get('example.com', wrong)).rejects.toMatchObject({ status: 'page' in wrong ? 404 : 400 })
      }
    })

    it('keeps domains and templates of Mailgun', async () => {
      const made = await mg.domains.create({ name: 'mail.example.net' })
      expect(made).toMatchObject({ name: 'mail.example.net', state: 'unverified' })
      expect(made.sending_dns_records?.map((each) => each.record_type)).toContain('TXT')
      expect((await mg.domains.list()).map(({ name }) => name)).toContain('mail.example.net')
      expect(await mg.domains.get('mail.example.net')).toMatchObject({ state: 'unverified' })
      expect(await mg.domains.verify('mail.example.net')).toMatchObject({ state: 'unverified' })
      await mg.domains.destroy('mail.example.net')
      await expect(mg.domains.get('mail.example.net')).rejects.toMatchObject({ status: 404 })

      const { domainTemplates } = mg.domains
      const template = { name: 'order', description: 'Of orders', template: '<p>{{n}} pieces</p>' }
      await domainTemplates.create('example.com', {
        ...template,
        headers: JSON.stringify({ Subject: 'Order {{n}}' }) as never,
      })
      expect(await domainTemplates.get('example.com', 'order', Object({ active: 'yes' }))).toMatchObject({
        name: 'order',
        version: { template: '<p>{{n}} pieces</p>', active: true },
      })
      const mail = { from: 'hello@example.com', to: 'ida@example.org', template: 'order' }
      await mg.messages.create('example.com', { ...mail, 't:variables': JSON.stringify({ n: 3 }) })
      await expect
        .poll(() => server.sink.messages.some(({ raw }) => String(raw).includes('Subject: Order 3')))
        .toBe(true)
      await domainTemplates.update('example.com', 'order', { description: 'New' })
      expect((await domainTemplates.list('example.com')).items).toMatchObject([{ name: 'order', description: 'New' }])
      await domainTemplates.destroy('example.com', 'order')
      await expect(domainTemplates.get('example.com', 'order')).rejects.toMatchObject({ status: 404 })
      const wrong = { ...template, headers: '[]' as never }
      await expect(domainTemplates.create('example.com', wrong)).rejects.toMatchObject({ status: 400 })
    })
  })
}
