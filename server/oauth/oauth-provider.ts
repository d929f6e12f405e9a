import type { ProviderLogin, ProviderState } from '../../core/accounts/provider-logins.ts'

/** The providers people may log in with. */
export const PROVIDERS = ['github', 'google', 'oidc'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** The talk with a provider of logins. */
export interface OAuthProvider {
  /** Where the browser is sent. Throws when the provider cannot be asked. */
  start(state: ProviderState, redirectUri: string): Promise<URL>
  /** Who came back; `address` is the one the browser came back to. Throws when the provider does not confirm it. */
  finish(state: ProviderState, address: URL): Promise<ProviderLogin>
}
