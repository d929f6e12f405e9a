import * as client from 'openid-client'
import type { ProviderState } from '../../core/accounts/provider-logins.ts'

/** The address of a provider's login page: a code, bound to this browser by state and PKCE (RFC 7636). */
export async function codeRequest(
  config: client.Configuration,
  { state, nonce, verifier }: ProviderState,
  { redirectUri, scope, withNonce = false }: { redirectUri: string; scope: string; withNonce?: boolean },
): Promise<URL> {
  return client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    state,
    ...(withNonce ? { nonce } : {}),
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
}

/** The option that lets a provider on this machine be asked without TLS; nothing for any other. */
export function insecurely(url: string): readonly ((config: client.Configuration) => void)[] {
  const { protocol, hostname } = new URL(url)
  const isHere = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
  return protocol === 'http:' && isHere ? [client.allowInsecureRequests] : []
}
