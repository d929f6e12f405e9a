import type { Engine } from '../../core/engine.ts'
import { type OAuthProvider, PROVIDERS, type ProviderName } from './oauth-provider.ts'

const GOOGLE = 'https://accounts.google.com'

/** The providers that are configured. The library that talks with them is loaded when one is first used. */
export class OAuthProviders {
  readonly #settings: Engine['accounts']['settings']['oauth']
  readonly #isPublic: boolean
  readonly #made = new Map<ProviderName, Promise<OAuthProvider>>()

  constructor({ accounts, publicUrl }: Pick<Engine, 'accounts' | 'publicUrl'>) {
    this.#settings = accounts.settings.oauth
    // providers send people back to this address
    this.#isPublic = publicUrl !== undefined
  }

  /** Whether people can log in with each. */
  get available(): Readonly<Record<ProviderName, boolean>> {
    const { github, google, oidc } = this.#settings
    const isThere = (settings: object | undefined) => this.#isPublic && settings !== undefined
    return { github: isThere(github), google: isThere(google), oidc: isThere(oidc) }
  }

  /** The provider of this name; undefined when there is none. */
  find(name: string): Promise<OAuthProvider> | undefined {
    const known = PROVIDERS.find((provider) => provider === name)
    if (known === undefined || !this.available[known]) return undefined
    const made = this.#made.get(known) ?? this.#make(known)
    this.#made.set(known, made)
    return made
  }

  async #make(name: ProviderName): Promise<OAuthProvider> {
    const { github, google, oidc } = this.#settings
    if (name === 'github' && github) return new (await import('./github.ts')).GitHub(github)
    const { OpenId } = await import('./open-id.ts')
    if (name === 'google' && google) return new OpenId({ name, issuer: GOOGLE, ...google })
    if (oidc) return new OpenId({ name: `oidc ${oidc.issuer}`, ...oidc })
    throw new Error(`${name} is not configured`)
  }
}
