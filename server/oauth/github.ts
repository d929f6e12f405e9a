import * as client from 'openid-client'
import * as v from 'valibot'
import type { ProviderLogin, ProviderState } from '../../core/accounts/provider-logins.ts'
import { codeRequest, insecurely } from './code-request.ts'
import type { OAuthProvider } from './oauth-provider.ts'

const GITHUB = 'https://github.com'

const Account = v.object({ id: v.number(), name: v.nullish(v.string()) })
const Emails = v.array(v.object({ email: v.string(), primary: v.boolean(), verified: v.boolean() }))

/** Logins with GitHub, which speaks plain OAuth 2, and identifies users by its own API. */
export class GitHub implements OAuthProvider {
  readonly #config: client.Configuration
  readonly #api: string
  readonly #name: string

  constructor({ clientId, clientSecret, url = GITHUB }: Settings) {
    const server = {
      issuer: url,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    }
    this.#config = new client.Configuration(server, clientId, clientSecret)
    for (const allow of insecurely(url)) allow(this.#config)
    this.#api = url === GITHUB ? 'https://api.github.com' : `${url}/api/v3`
    // ids are those of one GitHub
    this.#name = url === GITHUB ? 'github' : `github ${url}`
  }

  start(state: ProviderState, redirectUri: string): Promise<URL> {
    return codeRequest(this.#config, state, { redirectUri, scope: 'read:user user:email' })
  }

  async finish({ state, verifier }: ProviderState, address: URL): Promise<ProviderLogin> {
    const checks = { expectedState: state, pkceCodeVerifier: verifier }
    const { access_token: token } = await client.authorizationCodeGrant(this.#config, address, checks)
    const account = v.parse(Account, await this.#get(token, '/user'))
    const emails = v.parse(Emails, await this.#get(token, '/user/emails'))
    const chosen = emails.find(({ primary, verified }) => primary && verified)
    const { id, name } = account
    const about = { provider: this.#name, subject: String(id), emailVerified: chosen !== undefined }
    return { ...about, email: chosen?.email, name: name ?? undefined }
  }

  async #get(token: string, path: string): Promise<unknown> {
    const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'Mailwright' })
    const url = new URL(`${this.#api}${path}`)
    const answer = await client.fetchProtectedResource(this.#config, token, url, 'GET', undefined, headers)
    if (!answer.ok) throw new Error(`GitHub answered ${answer.status} to ${path}`)
    return answer.json()
  }
}

interface Settings {
  readonly clientId: string
  readonly clientSecret: string
  readonly url?: string | undefined
}
