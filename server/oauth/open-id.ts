import * as client from 'openid-client'
import type { ProviderLogin, ProviderState } from '../../core/accounts/provider-logins.ts'
import { codeRequest, insecurely } from './code-request.ts'
import type { OAuthProvider } from './oauth-provider.ts'

/** Logins with a provider of OpenID Connect, whose addresses and keys are found by its issuer (Discovery 1.0). */
export class OpenId implements OAuthProvider {
  readonly #settings: Settings
  #config: Promise<client.Configuration> | undefined

  constructor(settings: Settings) {
    this.#settings = settings
  }

  async start(state: ProviderState, redirectUri: string): Promise<URL> {
    return codeRequest(await this.#found(), state, { redirectUri, scope: 'openid email profile', withNonce: true })
  }

  async finish({ state, nonce, verifier }: ProviderState, address: URL): Promise<ProviderLogin> {
    const config = await this.#found()
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
    const tokens = await client.authorizationCodeGrant(config, address, checks)
    const claims = tokens.claims()
    if (claims === undefined) throw new Error('the provider answered no ID token')
    const said = claims.email === undefined ? await this.#ask(config, tokens.access_token, claims.sub) : claims
    return {
      provider: this.#settings.name,
      subject: claims.sub,
      email: typeof said.email === 'string' ? said.email : undefined,
      emailVerified: said.email_verified === true,
      name: typeof said.name === 'string' ? said.name : undefined,
    }
  }

  /** Providers may give the address only here (OpenID Connect Core 1.0, section 5.4). */
  async #ask(config: client.Configuration, token: string, subject: string): Promise<Record<string, unknown>> {
    if (config.serverMetadata().userinfo_endpoint === undefined) return {}
    return client.fetchUserInfo(config, token, subject)
  }

  /** Asked anew after a failure. */
  #found(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings
    const execute = [...insecurely(issuer)]
    this.#config ??= client
      .discovery(new URL(issuer), clientId, clientSecret, undefined, { execute })
      .catch((error) => {
        this.#config = undefined
        throw error
      })
    return this.#config
  }
}

interface Settings {
  /** Its name in identities: ids are those of one issuer. */
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}
