import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A person at GitHub. */
export interface GitHubAccount {
  readonly id: number
  readonly name: string | null
  readonly emails: readonly { readonly email: string; readonly primary: boolean; readonly verified: boolean }[]
}

/**
 * The part of a GitHub Enterprise Server that logins need, after GitHub's documentation: codes that work once and need
 * the verifier of their challenge, and an API that wants a User-Agent.
 */
export async function startFakeGitHub(clientSecret: string) {
  let account: GitHubAccount | undefined
  const codes = new Map<string, { readonly challenge: string; readonly redirectUri: string }>()
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.pathname === '/login/oauth/authorize') {
      const { searchParams: asked } = url
      const code = `code${codes.size}`
      const redirectUri = asked.get('redirect_uri') ?? ''
      codes.set(code, { challenge: asked.get('code_challenge') ?? '', redirectUri })
      const back = new URLSearchParams({ code, state: asked.get('state') ?? '' })
      return response.writeHead(302, { location: `${redirectUri}?${back}` }).end()
    }
    if (url.pathname === '/login/oauth/access_token') {
      let text = ''
      for await (const chunk of request) text += chunk
      const form = new URLSearchParams(text)
      const known = codes.get(form.get('code') ?? '')
      codes.delete(form.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      const isRight =
        known?.challenge === challenge &&
        known.redirectUri === form.get('redirect_uri') &&
        form.get('client_secret') === clientSecret
      // GitHub refuses with 200
      if (!isRight) return answer(200, { error: 'bad_verification_code' })
      return answer(200, { access_token: 'gho_token', scope: 'read:user,user:email', token_type: 'bearer' })
    }
    if (request.headers.authorization !== 'Bearer gho_token' || !request.headers['user-agent']) return answer(401, {})
    if (url.pathname === '/api/v3/user') return answer(200, { id: account?.id, name: account?.name, login: 'ada' })
    if (url.pathname === '/api/v3/user/emails') return answer(200, account?.emails)
    return answer(404, {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Who logs in there from now on. */
    is: (next: GitHubAccount) => {
      account = next
    },
    close: () => void server.close(),
  }
}
