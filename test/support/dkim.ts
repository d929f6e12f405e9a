import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { dkimVerify } from 'mailauth'
import type { Kit } from '../../core/kit.ts'
import { DomainKeys } from '../../core/mail/dkim/domain-keys.ts'
import { Sealing } from '../../core/mail/dkim/sealing.ts'
import { noteKey } from './every-mail.ts'

/** A key in the settings' form. */
export interface TestKey {
  readonly domain: string
  readonly selector: string
  readonly privateKey: string
}

/** Makes a key in PEM form. Mail signed with it that a sink receives must verify. */
export function dkimKey(domain: string, selector: string, type: 'rsa' | 'ed25519' = 'rsa', bits = 2048): TestKey {
  const encoding = { type: 'pkcs8', format: 'pem' } as const
  const { privateKey } =
    type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: bits }) : generateKeyPairSync('ed25519')
  const key = { domain, selector, privateKey: privateKey.export(encoding).toString() }
  noteKey(nameOf(key), recordOf(key))
  return key
}

/** Signs with the keys of the settings, where no project has added a domain. */
export function signingWith(kit: Kit): DomainKeys {
  return new DomainKeys({ domains: { named: async () => [] } } as never, new Sealing('', async () => ''), kit)
}

/** Lets independent software (mailauth, in strict mode) judge every signature of a message, in their order. */
export async function verify(message: Uint8Array | string, keys: readonly TestKey[]) {
  const records = new Map(keys.map((key) => [nameOf(key), recordOf(key)]))
  const { results } = await dkimVerify(Buffer.from(message), {
    strict: true,
    resolver: async (name, type) => {
      const record = records.get(name)
      if (record && type === 'TXT') return [[record]]
      throw Object.assign(new Error('no such record'), { code: 'ENOTFOUND' })
    },
  })
  return results
}

/** The short form of `verify`: the results, for instance `['pass']`; `['none']` without a signature. */
export async function verdicts(message: Uint8Array | string, keys: readonly TestKey[]): Promise<readonly string[]> {
  return (await verify(message, keys)).map(({ status }) => status.result)
}

function nameOf({ selector, domain }: TestKey): string {
  return `${selector}._domainkey.${domain}`
}

/** The TXT record that publishes a key (RFC 6376, section 3.6.1; RFC 8463, section 4.2). */
export function recordOf({ privateKey }: TestKey): string {
  const key = createPublicKey(privateKey)
  if (key.asymmetricKeyType === 'rsa') {
    return `v=DKIM1; k=rsa; p=${key.export({ type: 'spki', format: 'der' }).toString('base64')}`
  }
  return `v=DKIM1; k=ed25519; p=${Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`
}
