import { createHash, randomBytes } from 'node:crypto'
import { auth, type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { listen } from '../../server/http/http-server.ts'
import { createApp } from '../../server/index.ts'
import { type AccountWorld, accountWorld, type Browser, ORIGIN } from '../support/accounts.ts'
import { PROJECT, SECRET } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'

const BACK = 'http://127.0.0.1:53682/callback'
const CLIENT = { client_name: 'Claude <b>of Ada</b>', redirect_uris: [BACK] }
const GRANTS = `/projects/${PROJECT}/grants`

describe.each([STRICT])('clients by OAuth, on $name', ({ store }) => {
  let world: AccountWorld
  let owner: Browser
  let member: Browser
  let inboxId: string
  let hidden: string

  beforeAll(async () => {
    world = await accountWorld({ store }, {}, { pagesPerMinutePerIp: 100_000 })
    owner = await world.signup({ secretKey: SECRET })
    member = await world.signup()
    await world.open('POST', await world.linkTo(member.email, 'verify-email'))
    await join()
    inboxId = (await world.ask('POST', '/inboxes', { json: { name: 'Help', address: 'help@example.com' } })).body.id
    const own = { name: 'Boss', address: 'boss@example.com', memberIds: [owner.id] }
    hidden = (await world.ask('POST', '/inboxes', { json: own })).body.id
  })

  async function join() {
    const json = { email: member.email, role: 'EDITOR' }
    expect((await owner.ask('POST', `/projects/${PROJECT}/members`, { json })).status).toBe(201)
    const link = await until(async () => (await member.ask('GET', '/users/@me/invitations')).body[0])
    expect((await member.ask('POST', `/users/@me/invitations/${link.id}/accept`, {})).status).toBeLessThan(300)
  }
  const until = async <T>(find: () => Promise<T | undefined>): Promise<T> => (await find()) ?? until(find)
  const fetchOf = async (url: string | URL, init?: RequestInit) => world.app.fetch(new Request(url, init))
  const form = async (path: string, fields: Record<string, string> | string) => {
    const raw = typeof fields === 'string' ? fields : String(new URLSearchParams(fields))
    return world.ask('POST', path, {
      key: null,
      raw,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  }
  const registered = async (more: object = {}) => {
    const answer = await world.open('POST', '/oauth/register', { ...CLIENT, ...more })
    expect(answer.status, answer.text).toBe(201)
    return answer.body.client_id as string
  }
  const verifier = randomBytes(32).toString('base64url')
  const asking = (clientId: string, more: Record<string, string> = {}) =>
    new URLSearchParams({
      client_id: clientId,
      redirect_uri: BACK,
      response_type: 'code',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 'x y&z',
      ...more,
    })
  /** The request that the page of the dashboard gets, by the address that it is sent to. */
  const requestOf = async (query: URLSearchParams) => {
    const { status, headers, text } = await world.open('GET', `/oauth/authorize?${query}`)
    expect(status, text).toBe(302)
    const to = new URL(headers.get('location') ?? '', `${ORIGIN}/oauth/authorize`)
    expect([to.origin, to.pathname]).toEqual([ORIGIN, '/app/connect'])
    return to.searchParams.get('request') ?? ''
  }
  const allowing = (request: string, more: object = {}) => ({
    json: { request, allowed: true, inboxIds: [inboxId], rights: ['read', 'draft'], ...more },
  })
  const codeFor = async (clientId: string, by = owner) => {
    const request = await requestOf(asking(clientId))
    const answer = await by.ask('POST', GRANTS, allowing(request))
    expect(answer.status, answer.text).toBe(201)
    return new URL(answer.body.redirectTo).searchParams.get('code') ?? ''
  }
  const redeem = (clientId: string, code: string, more: Record<string, string> = {}) =>
    form('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: BACK,
      code_verifier: verifier,
      ...more,
    })
  const refresh = (clientId: string, token: string, more: Record<string, string> = {}) =>
    form('/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...more })
  const tokensFor = async (by = owner) => {
    const clientId = await registered()
    const { status, text, body } = await redeem(clientId, await codeFor(clientId, by))
    expect(status, text).toBe(200)
    return { clientId, access: body.access_token as string, refreshing: body.refresh_token as string, body }
  }
  const worksAt = async (key: string) => {
    const json = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const { status, body } = await world.ask('POST', '/mcp', { key, json })
    return status === 200 ? body.result.tools.map(({ name }: { name: string }) => name) : status
  }

  const call = async (key: string, name: string, given: object) => {
    const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
    return (await world.ask('POST', '/mcp', { key, json })).body.result
  }

  it("the official SDK's client finds its way, is let in by a member, works, refreshes, and ends", async () => {
    const kept: Record<string, unknown> = {}
    let sentTo: URL | undefined
    const provider: OAuthClientProvider = {
      redirectUrl: BACK,
      clientMetadata: { ...CLIENT, grant_types: ['authorization_code', 'refresh_token'] },
      state: () => 'the state',
      clientInformation: () => kept.client as never,
      saveClientInformation: (client) => {
        kept.client = client
      },
      tokens: () => kept.tokens as never,
      saveTokens: (tokens) => {
        kept.tokens = tokens
      },
      redirectToAuthorization: (url) => {
        sentTo = url
      },
      saveCodeVerifier: (text) => {
        kept.verifier = text
      },
      codeVerifier: () => kept.verifier as string,
      invalidateCredentials: () => {
        kept.tokens = undefined
      },
    }
    const url = new URL(`${ORIGIN}/mcp?only=inboxes,threads,drafts`)
    const transport = () => new StreamableHTTPClientTransport(url, { authProvider: provider, fetch: fetchOf })
    const first = transport()
    await expect(new Client({ name: 'test', version: '1' }).connect(first)).rejects.toThrow(UnauthorizedError)
    expect(sentTo?.searchParams.get('resource')).toBe(`${ORIGIN}/mcp`)
    const request = await requestOf(sentTo!.searchParams)
    const { body } = await owner.ask('POST', GRANTS, allowing(request))
    const back = new URL(body.redirectTo)
    expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([BACK, 'the state'])
    expect(back.searchParams.get('iss')).toBe(ORIGIN)
    await first.finishAuth(back.searchParams.get('code')!)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport())
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['listInboxes', 'createDraft']))
    expect(names).not.toContain('decideGrant')
    const { content } = await client.callTool({ name: 'listInboxes', arguments: {} })
    const [{ text }] = content as readonly [{ readonly text: string }]
    expect(JSON.parse(text).data.map(({ id }: { id: string }) => id)).toEqual([inboxId])
    // an hour later the client gets the next token by itself
    const earlier = (kept.tokens as { access_token: string }).access_token
    world.pass(3_700)
    expect((await client.listTools()).tools.length).toBe(names.length)
    expect((kept.tokens as { access_token: string }).access_token).not.toBe(earlier)
    expect(await worksAt(earlier)).toBe(401)
    // the person sees it, the log names it, and it ends when the person says so
    const [grant] = (await owner.ask('GET', GRANTS)).body
    expect(grant).toMatchObject({ name: CLIENT.client_name, client: { host: '127.0.0.1:53682', by: owner.email } })
    const { data } = (await owner.ask('GET', '/audit?action=decideGrant', { headers: { 'x-project-id': PROJECT } }))
      .body
    expect(data[0]).toMatchObject({ createdId: grant.id, actor: { name: owner.email } })
    expect((await owner.ask('DELETE', `${GRANTS}/${grant.id}`)).status).toBe(204)
    await expect(client.listTools()).rejects.toThrow()
    expect(await auth(provider, { serverUrl: url, fetchFn: fetchOf })).toBe('REDIRECT')
    await client.close()
  })

  it('says where to ask, and that a token which was sent is not valid', async () => {
    const { headers } = await world.open('POST', '/mcp', {})
    const metadata = `${ORIGIN}/.well-known/oauth-protected-resource/mcp`
    expect(headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadata}"`)
    const wrong = await world.ask('POST', '/mcp', { key: 'mcp_wrong', json: {} })
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"')
    for (const path of ['', '/mcp']) {
      const { body } = await world.open('GET', `/.well-known/oauth-protected-resource${path}`)
      expect(body).toMatchObject({ resource: `${ORIGIN}/mcp`, authorization_servers: [ORIGIN] })
    }
    const { body } = await world.open('GET', '/.well-known/oauth-authorization-server')
    expect(body).toMatchObject({ issuer: ORIGIN, code_challenge_methods_supported: ['S256'] })
    expect(body.authorization_response_iss_parameter_supported).toBe(true)
    // other endpoints ask for a key, as before
    expect((await world.open('GET', '/inboxes')).headers.get('www-authenticate')).toBe('Bearer')
  })

  it.each([
    ['no address', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['six', { redirect_uris: Array(6).fill(BACK) }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)//https://x.example/'] }, 'invalid_redirect_uri'],
    ['data', { redirect_uris: ['data:text/html,x'] }, 'invalid_redirect_uri'],
    ['http elsewhere', { redirect_uris: ['http://evil.example/'] }, 'invalid_redirect_uri'],
    ['http on a name like loopback', { redirect_uris: ['http://127.0.0.1.evil.example/'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: ['https://x.example/#a'] }, 'invalid_redirect_uri'],
    ['a password', { redirect_uris: ['https://good.example@evil.example/'] }, 'invalid_redirect_uri'],
    ['a backslash', { redirect_uris: ['https:\\\\x.example/'] }, 'invalid_redirect_uri'],
    ['a long address', { redirect_uris: [`https://x.example/${'a'.repeat(490)}`] }, 'invalid_redirect_uri'],
    ['another program of the system', { redirect_uris: ['ms-msdt:/id'] }, 'invalid_redirect_uri'],
    ['a long name', { client_name: 'a'.repeat(101) }, 'invalid_client_metadata'],
    ['two lines', { client_name: 'a\nb' }, 'invalid_client_metadata'],
    ['a number', { client_name: 1 }, 'invalid_client_metadata'],
  ])('registers no client with %s', async (_what, more, error) => {
    const answer = await world.open('POST', '/oauth/register', { ...CLIENT, ...more })
    expect([answer.status, answer.body.error]).toEqual([400, error])
  })

  it('registers what programs send, and refuses bodies that are none', async () => {
    const uris = ['https://x.example/cb', 'com.example.app:/cb', 'cursor://anysphere.cursor/cb', 'http://[::1]/cb']
    const { body } = await world.open('POST', '/oauth/register', {
      client_name: 'a'.repeat(100),
      redirect_uris: [...uris, `https://x.example/${'a'.repeat(482)}`],
      token_endpoint_auth_method: 'client_secret_post',
      logo_uri: 'http://evil.example/',
    })
    expect(body).toMatchObject({ token_endpoint_auth_method: 'none', client_name: 'a'.repeat(100) })
    expect(body.logo_uri).toBeUndefined()
    const { status } = await world.open('GET', `/oauth/authorize?${asking(body.client_id, { redirect_uri: uris[1]! })}`)
    expect(status).toBe(302)
    for (const raw of ['', '[]', '{', 'null', '"x"', JSON.stringify({ ...CLIENT, x: 'a'.repeat(17_000) })]) {
      const answer = await world.ask('POST', '/oauth/register', { key: null, raw })
      expect([400, 413], raw.slice(0, 20)).toContain(answer.status)
      expect(answer.body.error).toMatch(/^invalid_/)
    }
  })

  it('counts registrations and requests for tokens by the address of the client', async () => {
    const app = createApp(world.engine, { pagesPerMinutePerIp: 2 })
    const server = await listen(app, { host: '127.0.0.1', port: 0 }, world.engine.log)
    const headers = { 'content-type': 'application/json' }
    const register = () =>
      fetch(`${server.url}/oauth/register`, { method: 'POST', headers, body: JSON.stringify(CLIENT) })
    expect([(await register()).status, (await register()).status, (await register()).status]).toEqual([201, 201, 429])
    const token = await fetch(`${server.url}/oauth/token`, { method: 'POST', headers, body: '{}' })
    expect([token.status, Number(token.headers.get('retry-after')) > 0]).toEqual([429, true])
    await server.close(0)
  })

  it('a request that is wrong leads nowhere, not even back to the client', async () => {
    const clientId = await registered()
    const wrong: readonly (readonly [string, Record<string, string>])[] = [
      ['a client that was made up', { client_id: `${clientId.split('.')[0]}.${'a'.repeat(43)}` }],
      ['another address', { redirect_uri: 'https://evil.example/' }],
      ['more behind the address', { redirect_uri: `${BACK}/x` }],
      ['another host of this machine', { redirect_uri: BACK.replace('127.0.0.1', 'localhost') }],
      ['a token at once', { response_type: 'token' }],
      ['a plain challenge', { code_challenge_method: 'plain' }],
      ['a short challenge', { code_challenge: 'abc' }],
      ['another server', { resource: 'https://other.example/mcp' }],
      ['more than there is', { scope: 'read full' }],
      ['a long state', { state: 'a'.repeat(1_001) }],
    ]
    for (const [what, more] of wrong) {
      const answer = await world.open('GET', `/oauth/authorize?${asking(clientId, more)}`)
      expect([answer.status, answer.headers.get('location')], what).toEqual([400, null])
      expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    }
    const twice = await world.open('GET', `/oauth/authorize?${asking(clientId)}&scope=read&scope=send`)
    expect(twice.status).toBe(400)
    const missing = asking(clientId)
    missing.delete('code_challenge')
    expect((await world.open('GET', `/oauth/authorize?${missing}`)).status).toBe(400)
    const german = await world.open('GET', '/oauth/authorize', undefined, { 'accept-language': 'de' })
    expect(german.text).toContain('kann nicht verbunden werden')
    // a port of its own on the person's machine, as long as its state is, and no scope at all
    const fine = { redirect_uri: BACK.replace('53682', '1'), state: 'a'.repeat(1_000) }
    expect((await world.open('GET', `/oauth/authorize?${asking(clientId, fine)}`)).status).toBe(302)
  })

  it('only a member decides, from a page of this server, about inboxes and rights that both have', async () => {
    const clientId = await registered()
    const request = await requestOf(asking(clientId, { scope: 'read draft' }))
    const outcome = async (by: Browser, more: object, headers = {}) => {
      const asked = allowing(request, more)
      return (await by.ask('POST', GRANTS, { ...asked, headers })).status
    }
    const stranger = await world.signup()
    expect(await outcome(stranger, {})).toBe(404)
    expect((await world.ask('POST', GRANTS, allowing(request))).status).toBe(403)
    expect(await outcome(owner, {}, { origin: 'https://evil.example' })).toBe(403)
    expect(await outcome(member, { inboxIds: [hidden] })).toBe(404)
    expect(await outcome(owner, { rights: ['send'] })).toBe(422)
    for (const more of [
      { inboxIds: [] },
      { inboxIds: undefined },
      { inboxIds: ['x'] },
      { rights: [] },
      { rights: undefined },
      { rights: ['full'] },
      { approval: 'no' },
      { request: 'x.y' },
      { request: clientId },
      { request: `${request}a` },
      { allowed: 'yes' },
    ]) {
      expect(await outcome(owner, more), JSON.stringify(more)).toBe(422)
    }
    const refused = await owner.ask('POST', GRANTS, { json: { request, allowed: false } })
    const back = new URL(refused.body.redirectTo)
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: 'access_denied', state: 'x y&z', iss: ORIGIN })
    world.pass(601)
    expect(await outcome(owner, {})).toBe(422)
    expect((await owner.ask('GET', GRANTS)).body).toEqual([])
  })

  it('a code works once, for its own client, address and verifier, within a minute', async () => {
    const clientId = await registered()
    const other = await registered({ client_name: 'Other' })
    const code = await codeFor(clientId)
    const wrong: readonly (readonly [Record<string, string>, string])[] = [
      [{ code_verifier: 'a'.repeat(43) }, 'invalid_grant'],
      [{ code_verifier: '' }, 'invalid_grant'],
      [{ client_id: other }, 'invalid_grant'],
      [{ client_id: 'x' }, 'invalid_client'],
      [{ redirect_uri: BACK.replace('53682', '2') }, 'invalid_grant'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ grant_type: 'refresh_token', refresh_token: code }, 'invalid_grant'],
      [{ code: `${code}x` }, 'invalid_grant'],
      [{ code: clientId }, 'invalid_grant'],
    ]
    for (const [more, error] of wrong) {
      const { status, body } = await redeem(clientId, code, more)
      expect([status, body.error], JSON.stringify(more)).toEqual([error === 'invalid_client' ? 401 : 400, error])
    }
    expect((await form('/oauth/token', `grant_type=authorization_code&code=a&code=b`)).body.error).toBe(
      'invalid_request',
    )
    expect((await form('/oauth/token', 'x'.repeat(17_000))).status).toBe(413)
    expect((await world.open('POST', '/oauth/token', {})).body.error).toBe('invalid_request')
    const { body } = await redeem(clientId, code)
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'read draft' })
    expect(await worksAt(body.access_token)).toContain('listInboxes')
    // the second may be the thief, or the first was
    expect((await redeem(clientId, code)).body.error).toBe('invalid_grant')
    expect(await worksAt(body.access_token)).toBe(401)
    expect((await refresh(clientId, body.refresh_token)).body.error).toBe('invalid_grant')
    const late = await codeFor(clientId)
    world.pass(61)
    expect((await redeem(clientId, late)).body.error).toBe('invalid_grant')
  })

  it('of two at the same time with one code or refresh token one gets tokens, and none keeps them', async () => {
    const clientId = await registered()
    const code = await codeFor(clientId)
    const both = await Promise.all([redeem(clientId, code), redeem(clientId, code)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])
    const { access_token: access, refresh_token: token } = both.find(({ status }) => status === 200)!.body
    expect(await worksAt(access)).toBe(401)
    expect((await refresh(clientId, token)).status).toBe(400)
  })

  it('a refresh token works once, and its second use ends the grant', async () => {
    const { clientId, access, refreshing } = await tokensFor()
    expect((await refresh(clientId, refreshing, { scope: 'send' })).body.error).toBe('invalid_scope')
    expect((await refresh(await registered({ client_name: 'Thief' }), refreshing)).body.error).toBe('invalid_grant')
    const fewer = (await refresh(clientId, refreshing, { scope: 'read offline_access' })).body
    expect(fewer.scope).toBe('read')
    const draft = { id: inboxId, body: { subject: 'x' } }
    expect(await call(fewer.access_token, 'createDraft', draft)).toMatchObject({ isError: true })
    expect(await call(fewer.access_token, 'getInbox', { id: inboxId })).not.toHaveProperty('isError')
    expect(await worksAt(access)).toBe(401)
    // the next one has all that was granted again
    const next = (await refresh(clientId, fewer.refresh_token, { scope: 'offline_access' })).body
    expect(next.scope).toBe('read draft')
    expect(await call(next.access_token, 'createDraft', draft)).not.toHaveProperty('isError')
    expect((await refresh(clientId, refreshing)).body.error).toBe('invalid_grant')
    expect(await worksAt(next.access_token)).toBe(401)
    expect((await refresh(clientId, next.refresh_token)).status).toBe(400)
    // one that does not come back within thirty days is gone, and no longer listed
    const left = await tokensFor()
    expect((await owner.ask('GET', GRANTS)).body.length).toBeGreaterThan(0)
    world.pass(31 * 86_400)
    owner = world.browserOf(
      await world.open('POST', '/auth/login', { email: owner.email, password: 'correct horse battery' }),
    )
    member = world.browserOf(
      await world.open('POST', '/auth/login', { email: member.email, password: 'correct horse battery' }),
    )
    expect((await refresh(left.clientId, left.refreshing)).body.error).toBe('invalid_grant')
    expect((await owner.ask('GET', GRANTS)).body).toEqual([])
  })

  it('a token opens /mcp alone, as far as the member said, and stops with the others', async () => {
    const { access } = await tokensFor()
    for (const path of ['/inboxes', '/keys/@me', '/contacts', `/projects/${PROJECT}/keys`]) {
      expect((await world.ask('GET', path, { key: access })).status, path).toBe(401)
    }
    // also where it was known a moment ago
    expect(await worksAt(access)).toContain('createDraft')
    expect((await world.ask('GET', '/inboxes', { key: access })).status).toBe(401)
    const names = await worksAt(access)
    for (const name of ['sendMail', 'listContacts', 'approveDraft', 'decideGrant', 'createApiKey']) {
      expect(names).not.toContain(name)
    }
    const mail = { id: inboxId, body: { to: ['a@b.example'], subject: 'x', body: 'x' } }
    const { id } = JSON.parse((await call(access, 'createDraft', mail)).content[0].text)
    expect(await call(access, 'sendDraft', { id })).toMatchObject({ isError: true })
    expect(await call(access, 'getInbox', { id: hidden })).toMatchObject({ isError: true })
    await owner.ask('PATCH', `/projects/${PROJECT}/keys`, { json: { stopped: true } })
    expect(await call(access, 'createDraft', { id: inboxId, body: { subject: 'y' } })).toMatchObject({ isError: true })
    await owner.ask('PATCH', `/projects/${PROJECT}/keys`, { json: { stopped: false } })
  })

  it('a client ends by itself (RFC 7009), and no other client ends it', async () => {
    const { clientId, access, refreshing } = await tokensFor()
    const thief = await registered({ client_name: 'Thief' })
    expect((await form('/oauth/revoke', { client_id: thief, token: access })).status).toBe(200)
    expect((await form('/oauth/revoke', { client_id: clientId, token: 'x' })).status).toBe(200)
    expect((await form('/oauth/revoke', { client_id: 'x', token: access })).status).toBe(401)
    expect(await worksAt(access)).toContain('listInboxes')
    expect((await form('/oauth/revoke', { client_id: clientId, token: access })).status).toBe(200)
    expect(await worksAt(access)).toBe(401)
    expect((await refresh(clientId, refreshing)).status).toBe(400)
    const again = await tokensFor()
    await form('/oauth/revoke', { client_id: again.clientId, token: again.refreshing })
    expect(await worksAt(again.access)).toBe(401)
  })

  it('what a member allowed ends with all sessions: with a password, a reset, a second factor or by signing out everywhere', async () => {
    const password = 'correct horse battery'
    const login = async (text: string) =>
      world.browserOf(await world.open('POST', '/auth/login', { email: owner.email, password: text }))
    const ended = async ({ clientId, access, refreshing }: Awaited<ReturnType<typeof tokensFor>>) => {
      expect(await worksAt(access)).toBe(401)
      expect((await refresh(clientId, refreshing)).body.error).toBe('invalid_grant')
      expect((await owner.ask('GET', GRANTS)).body).toEqual([])
    }
    const [first, others] = [await tokensFor(), await tokensFor(member)]
    expect(await worksAt(first.access)).toContain('listInboxes')
    await owner.ask('PATCH', '/users/@me', { json: { name: 'Ada' } })
    expect(await worksAt(first.access)).toContain('listInboxes')
    const json = { currentPassword: password, password: 'another password' }
    expect((await owner.ask('PATCH', '/users/@me', { json })).status).toBe(200)
    owner = await login('another password')
    expect(await worksAt(first.access)).toBe(401)
    expect(await worksAt(others.access)).toContain('listInboxes')
    expect((await owner.ask('GET', GRANTS)).body.map(({ client }: { client: { by: string } }) => client.by)).toEqual([
      member.email,
    ])
    await form('/oauth/revoke', { client_id: others.clientId, token: others.access })
    const second = await tokensFor()
    await world.open('POST', '/auth/request-password-reset', { email: owner.email })
    const token = (await world.linkTo(owner.email, 'reset-password')).split('/').at(-1)
    expect((await world.open('POST', '/auth/reset-password', { token, password })).status).toBe(200)
    owner = await login(password)
    await ended(second)
    const third = await tokensFor()
    expect((await owner.ask('POST', '/auth/logout-everywhere')).status).toBeLessThan(300)
    owner = await login(password)
    await ended(third)
    // as the operator does on the command line
    const fourth = await tokensFor()
    await world.engine.accounts.make({ email: owner.email, password }, 'known')
    owner = await login(password)
    await ended(fourth)
  })

  it('what a member allowed ends with the inbox, the role or the membership', async () => {
    const seen = async (access: string) =>
      JSON.parse((await call(access, 'listInboxes', {})).content[0].text).data.length
    const first = await tokensFor(member)
    expect(await seen(first.access)).toBe(1)
    // members see their own, who manages keys all
    expect((await member.ask('GET', GRANTS)).body).toHaveLength(1)
    const before = (await owner.ask('GET', GRANTS)).body.length
    const own = await tokensFor(owner)
    expect((await member.ask('GET', GRANTS)).body).toHaveLength(1)
    expect((await owner.ask('GET', GRANTS)).body).toHaveLength(before + 1)
    const [newest] = (await owner.ask('GET', GRANTS)).body
    expect((await member.ask('DELETE', `${GRANTS}/${newest.id}`)).status).toBe(404)
    await world.ask('PATCH', `/inboxes/${inboxId}`, { json: { memberIds: [owner.id] } })
    expect(await seen(first.access)).toBe(0)
    await world.ask('PATCH', `/inboxes/${inboxId}`, { json: { memberIds: null } })
    const role = (json: object) => owner.ask('PATCH', `/projects/${PROJECT}/members/${member.id}`, { json })
    await role({ role: 'ADMIN' })
    expect(Array.isArray(await worksAt(first.access))).toBe(true)
    await role({ role: 'MEMBER' })
    expect(await worksAt(first.access)).toBe(401)
    await role({ role: 'ADMIN' })
    expect(await worksAt(first.access)).toBe(401)
    const second = await tokensFor(member)
    expect((await owner.ask('DELETE', `/projects/${PROJECT}/members/${member.id}`)).status).toBe(204)
    expect(await worksAt(second.access)).toBe(401)
    await join()
    expect((await refresh(second.clientId, second.refreshing)).body.error).toBe('invalid_grant')
    expect(await worksAt(own.access)).toContain('listInboxes')
  })
})
