import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { silentLog, systemClock } from '../../config/library.ts'
import type { HookAnswer, HookRequest } from '../../core/ports/http-hook.ts'
import { supabaseHook } from '../../plugins/hook-supabase/index.ts'
import { testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const KIT = { log: silentLog, clock: systemClock }
const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const SECRET = `v1,${KEY}`
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const NOW = new Date('2026-03-14T15:09:26Z')
const URL_OF_SUPABASE = 'https://abcdefgh.supabase.co'
const OPTIONS = { secret: SECRET, url: URL_OF_SUPABASE }

/** A request as Supabase's documentation shows it, of this kind. */
function bodyOf(action: string, more: { user?: object; data?: object } = {}) {
  return {
    user: { id: '8484b834', email: 'ada@example.org', user_metadata: { name: 'Ada' }, ...more.user },
    email_data: {
      token: '305805',
      token_hash: '7d5b7b1964cf5d388340a7f04f1dbb5eeb6c7b52ef8270e1737a58d0',
      redirect_to: 'http://localhost:3000/?a=b&c="d',
      email_action_type: action,
      site_url: 'http://localhost:9999',
      token_new: '',
      token_hash_new: '',
      ...more.data,
    },
  }
}

/** Signed by the published library. */
function signed(body: unknown, { moment = NOW, secret = KEY, id = 'msg_1' } = {}): HookRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    method: 'POST',
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(moment.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, moment, text),
    },
    query: new URLSearchParams(),
    body: Buffer.from(text),
    receivedAt: NOW,
  }
}

async function ask(request: HookRequest, options: Parameters<typeof supabaseHook>[0] = OPTIONS): Promise<HookAnswer> {
  return (await supabaseHook(options).open(KIT)).hook.receive(request, new AbortController().signal)
}

async function mailsOf(body: unknown, options?: Parameters<typeof supabaseHook>[0]) {
  const answer = await ask(signed(body), options)
  expect(answer).toMatchObject({ outcome: 'taken', reports: [] })
  return (answer.outcome === 'taken' && answer.mails) || []
}

describe('the hook of Supabase Auth', () => {
  it('asks for a mail with a link and a code', async () => {
    const [made, ...more] = await mailsOf(bodyOf('signup'), {
      ...OPTIONS,
      from: 'Acme <hello@example.com>',
      project: 'Acme',
    })
    expect(more).toEqual([])
    expect(made).toMatchObject({
      project: 'Acme',
      key: 'msg_1 0',
      mail: {
        to: 'ada@example.org',
        from: 'Acme <hello@example.com>',
        subject: 'Confirm your address',
        tracking: false,
      },
    })
    const body = String(made?.mail.body)
    expect(body).toContain('<strong>305805</strong>')
    const [, link = ''] = /href="([^"]+)"/.exec(body) ?? []
    const { origin, pathname, searchParams } = new URL(link.replaceAll('&amp;', '&'))
    expect(origin + pathname).toBe(`${URL_OF_SUPABASE}/auth/v1/verify`)
    expect(Object.fromEntries(searchParams)).toEqual({
      token: '7d5b7b1964cf5d388340a7f04f1dbb5eeb6c7b52ef8270e1737a58d0',
      type: 'signup',
      redirect_to: 'http://localhost:3000/?a=b&c="d',
    })
  })

  it.each([
    'signup',
    'invite',
    'magiclink',
    'recovery',
    'email',
    'email_change',
    'reauthentication',
  ])('has a text for %s', async (action) => {
    const [made] = await mailsOf(bodyOf(action))
    expect(made?.mail.subject).toMatch(/\w/)
    expect(String(made?.mail.body).includes('href')).toBe(action !== 'reauthentication')
  })

  it('confirms a new address at both, each with its own code and hash', async () => {
    const change = { user: { new_email: 'new@example.org' }, data: { token_new: '999', token_hash_new: 'hash-new' } }
    const mails = await mailsOf(bodyOf('email_change', change))
    expect(mails.map(({ mail, key }) => [mail.to, key])).toEqual([
      ['ada@example.org', 'msg_1 0'],
      ['new@example.org', 'msg_1 1'],
    ])
    expect(String(mails[0]?.mail.body)).toMatch(/token=hash-new&amp;.*305805/)
    expect(String(mails[1]?.mail.body)).toMatch(/token=7d5b7b.*999/)
    const one = await mailsOf(bodyOf('email_change', { user: { new_email: 'new@example.org' } }))
    expect(one.map(({ mail }) => mail.to)).toEqual(['new@example.org'])
  })

  it('fills in a template instead, with values that the contact does not keep', async () => {
    const [made] = await mailsOf(bodyOf('invite'), { ...OPTIONS, templates: { invite: 'invitation' } })
    expect(made?.mail).toMatchObject({
      template: 'invitation',
      data: {
        token: { value: '305805', persistent: false },
        link: { value: expect.stringContaining('/auth/v1/verify?'), persistent: false },
        user: { value: { name: 'Ada' }, persistent: false },
      },
    })
    expect(made?.mail).not.toHaveProperty('body')
  })

  it.each<[string, HookRequest, number]>([
    ['no signature', { ...signed(bodyOf('signup')), headers: {} }, 401],
    ['a signature by another secret', signed(bodyOf('signup'), { secret: OTHER }), 401],
    ['another body', { ...signed(bodyOf('signup')), body: Buffer.from(JSON.stringify(bodyOf('recovery'))) }, 401],
    ['an old time', signed(bodyOf('signup'), { moment: new Date(NOW.getTime() - 301_000) }), 401],
    ['no kind', signed({ user: { email: 'a@b.example' } }), 400],
    ['no address', signed(bodyOf('signup', { user: { email: '' } })), 400],
    ['a kind without a text', signed(bodyOf('constructor')), 400],
  ])('refuses a request with %s', async (_, request, status) => {
    expect(await ask(request)).toMatchObject({ outcome: 'refused', status })
  })

  it('takes either secret while it is changed', async () => {
    const options = { ...OPTIONS, secret: [`v1,${OTHER}`, SECRET] }
    expect(await mailsOf(bodyOf('signup'), options)).toHaveLength(1)
  })
})

describe.each([QUICK])('mails that hooks ask for, on $name', (store) => {
  it('are sent once for a request, by the project that the hook names, and refused like those of the API', async () => {
    const hooks = [
      { name: 'login', plugin: supabaseHook({ ...OPTIONS, project: 'Test', from: 'Acme <hello@example.com>' }) },
      { name: 'nowhere', plugin: supabaseHook({ ...OPTIONS, project: 'Nobody', from: 'hello@example.com' }) },
      { name: 'foreign', plugin: supabaseHook({ ...OPTIONS, project: 'Test', from: 'hello@elsewhere.example' }) },
    ]
    const test = await testApp(store, {}, { hooks })
    const call = (name: string, id: string, body: unknown = bodyOf('magiclink')) => {
      const { headers, body: raw } = signed(body, { moment: new Date(), id })
      return test.ask('POST', `/hooks/${name}`, { key: null, raw: new Uint8Array(raw), headers })
    }
    const first = await call('login', 'msg_1')
    expect([first.status, first.body]).toEqual([200, { success: true, data: { reports: 0, changed: 0 } }])
    expect((await call('login', 'msg_1')).status).toBe(200)
    const { data } = (await test.ask('GET', '/emails')).body
    expect(data).toMatchObject([{ to: 'ada@example.org', subject: 'Log in', tags: { supabase: 'magiclink' } }])
    expect((await call('login', 'msg_2')).status).toBe(200)
    expect((await test.ask('GET', '/emails')).body.data).toHaveLength(2)
    expect((await call('foreign', 'msg_3')).status).toBe(403)
    expect((await call('nowhere', 'msg_4')).status).toBe(503)
    expect((await call('login', 'msg_5', bodyOf('magiclink', { user: { email: 'nonsense' } }))).status).toBe(422)
    const unsigned = await test.ask('POST', '/hooks/login', { key: null, json: bodyOf('magiclink') })
    expect(unsigned.status).toBe(401)
    expect((await test.ask('GET', '/emails')).body.data).toHaveLength(2)
    await test.engine.stop()
  })
})
