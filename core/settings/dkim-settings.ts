import { domainToASCII } from 'node:url'
import * as v from 'valibot'
import { canonicalDomain, isDomain } from '../values/email-address.ts'
import { pemText, privateKeyProblem } from '../values/private-key.ts'

/** Labels joined by dots (RFC 6376, section 3.1). */
const SELECTOR = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i
/** The longest DNS name, without the dot at its end (RFC 1035, section 2.3.4). */
const MAX_NAME_LENGTH = 253

/** One DKIM key in the settings. */
export const DkimKey = v.object({
  /** Signs mail from addresses of this domain, and of those below it that have no key. */
  domain: v.pipe(
    v.string(),
    v.trim(),
    v.toLowerCase(),
    v.transform(canonicalDomain),
    v.check(isDomain, 'must be a domain name such as example.com'),
  ),
  /** The public key is published at `<selector>._domainkey.<domain>`. */
  selector: v.pipe(
    v.string(),
    v.trim(),
    v.regex(SELECTOR, 'must be a DNS name such as mail or 2026.mail: letters, digits and hyphens'),
  ),
  /** An RSA or Ed25519 key in PEM form, not encrypted. */
  privateKey: v.pipe(
    v.string(),
    v.transform(pemText),
    v.rawCheck(({ dataset, addIssue }) => {
      const problem = dataset.typed ? privateKeyProblem(dataset.value) : undefined
      if (problem !== undefined) addIssue({ message: problem })
    }),
  ),
})
export type DkimKey = v.InferOutput<typeof DkimKey>

/** All DKIM keys of the settings: one key per name, and every name fits into the DNS. */
export const DkimKeys = v.pipe(
  v.array(DkimKey),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const names = dataset.value.map(recordName)
    for (const [i, key] of dataset.value.entries()) {
      const name = names[i] ?? ''
      let message: string | undefined
      if (names.indexOf(name) !== i) message = `is taken already: ${key.selector} of ${key.domain}`
      else if (name.length > MAX_NAME_LENGTH) message = `is too long: ${name.length} characters with the domain`
      if (message === undefined) continue
      const path = [
        { type: 'array', origin: 'value', input: dataset.value, key: i, value: key },
        { type: 'object', origin: 'value', input: { ...key }, key: 'selector', value: key.selector },
      ] as const
      addIssue({ message, path: [path[0], path[1]] })
    }
  }),
)

/** The name of the public key's record; host names are compared without case. */
function recordName({ selector, domain }: DkimKey): string {
  return `${selector}._domainkey.${domainToASCII(domain)}`.toLowerCase()
}
