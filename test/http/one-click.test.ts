import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { contactToken, LINK_SETTINGS } from '../support/contact-links.ts'
import { QUICK } from '../support/matrix.ts'

const BOUNDARY = 'AaB03x'
const MULTIPART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${BOUNDARY}--\r\n`

/** The bodies that mail clients post: the two forms of RFC 8058, section 3.2, and those seen besides. */
const POSTS: readonly [what: string, type: string | undefined, body: string | undefined][] = [
  ['urlencoded', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
  ['urlencoded with a charset', 'Application/X-WWW-Form-Urlencoded; charset=UTF-8', 'List-Unsubscribe=One-Click'],
  ['multipart', `multipart/form-data; boundary=${BOUNDARY}`, MULTIPART],
  ['a quoted boundary', `multipart/form-data; boundary="${BOUNDARY}"`, MULTIPART],
  ['nothing at all', undefined, undefined],
  ['an empty form', 'application/x-www-form-urlencoded', ''],
  ['plain text', 'text/plain', 'List-Unsubscribe=One-Click'],
  ['JSON', 'application/json', '{"List-Unsubscribe":"One-Click"}'],
  ['a broken multipart', 'multipart/form-data', MULTIPART],
  ['no type', '', 'List-Unsubscribe=One-Click'],
]

for (const store of [QUICK]) {
  describe(`one-click unsubscribing on ${store.name}`, () => {
    let test: TestApp
    let projectId: string
    let count = 0
    const person = async (subscribed = true) => {
      const { body } = await test.ask('POST', '/contacts', { json: { email: `c${++count}@example.org`, subscribed } })
      return { id: body.id as string, token: contactToken(projectId, body.id) }
    }
    const post = (path: string, type: string | undefined, raw: string | undefined) =>
      test.ask('POST', path, {
        key: null,
        ...(raw === undefined ? {} : { raw }),
        headers: { origin: 'https://mail.elsewhere.example', ...(type === undefined ? {} : { 'content-type': type }) },
      })
    const isSubscribed = async (id: string) => (await test.ask('GET', `/contacts/${id}`)).body.subscribed

    beforeAll(async () => {
      test = await testApp(store, {}, LINK_SETTINGS)
      projectId = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!.id
    })

    it.each(
      POSTS,
    )('takes %s: 200 at once, no redirect, no cookie, and one event however often', async (_, type, body) => {
      const { id, token } = await person()
      for (let times = 0; times < 3; times++) {
        const answer = await post(`/unsubscribe/${token}`, type, body)
        expect(answer.status).toBe(200)
        expect(answer.headers.get('location')).toBeNull()
        expect(answer.headers.get('set-cookie')).toBeNull()
      }
      expect(await isSubscribed(id)).toBe(false)
      const { body: told } = await test.ask('GET', `/events/contact/${id}`)
      expect(told.events.map(({ name }: { name: string }) => name)).toEqual(['contact.unsubscribed'])
    })

    it.each(['subscribe', 'manage'])('never subscribes anybody, at /%s neither', async (path) => {
      const { id, token } = await person(false)
      await post(`/${path}/${token}`, 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click')
      expect(await isSubscribed(id)).toBe(false)
    })

    it('makes one event of many posts at the same time', async () => {
      const { id, token } = await person()
      const posts = Array.from({ length: 8 }, () => post(`/unsubscribe/${token}`, undefined, undefined))
      expect((await Promise.all(posts)).map(({ status }) => status)).toEqual(Array(8).fill(200))
      expect((await test.ask('GET', `/events/contact/${id}`)).body.events).toHaveLength(1)
    })
  })
}
