import { X509Certificate } from 'node:crypto'
import type { Sentence } from '../values/advice.ts'
import { bimiAdvice } from './bimi-advice.ts'

/** A file of certificates has the logo itself in the first, and the authorities above it. */
export const MAX_CERTIFICATE_BYTES = 128 * 1024
const MAX_CERTIFICATES = 10
/** The use of a key for brand indicators (draft-chuang-bimi-certificate, section 4). */
const FOR_MARKS = '1.3.6.1.5.5.7.3.31'
/** The extension with the logo (RFC 3709), by the bytes of its identifier 1.3.6.1.5.5.7.1.12. */
const LOGOTYPE = Buffer.from('06082b0601050507010c', 'hex')
const MAX_NAMES = 5

/**
 * The first problem of a certificate for a logo (VMC or CMC) as the file at `a=` has it: undefined when it is valid now, made for
 * one of these names, has the logo, may be used for it, and brings the certificate of its issuer. Whether receivers trust that one
 * is not judged: each of them has a list of its own.
 */
export function certificateProblem(pem: string, names: readonly string[], now: Date): Sentence | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]{1,180000}-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) return bimiAdvice('bimi_certificate_none')
  if (blocks.length > MAX_CERTIFICATES) return bimiAdvice('bimi_certificate_many', { count: blocks.length })
  const read: X509Certificate[] = []
  for (const [at, block] of blocks.entries()) {
    try {
      read.push(new X509Certificate(block))
    } catch {
      return bimiAdvice('bimi_certificate_broken', { number: at + 1 })
    }
  }
  const [own, ...above] = read
  if (own === undefined) return bimiAdvice('bimi_certificate_none')
  return ownProblem(own, names, now) ?? chainProblem(own, above, now)
}

function ownProblem(own: X509Certificate, names: readonly string[], now: Date): Sentence | undefined {
  if (new Date(own.validTo) < now) return bimiAdvice('bimi_certificate_expired', { day: dayOf(own.validTo) })
  if (new Date(own.validFrom) > now) return bimiAdvice('bimi_certificate_early', { day: dayOf(own.validFrom) })
  const named = (own.subjectAltName ?? '')
    .split(', ')
    .flatMap((each) => /^DNS:(.+)$/.exec(each)?.[1]?.toLowerCase() ?? [])
  if (!named.some((name) => names.includes(name))) {
    const shown = named.slice(0, MAX_NAMES).join(', ').slice(0, 300).toWellFormed()
    const [domain = ''] = names
    return shown === ''
      ? bimiAdvice('bimi_certificate_nameless', { domain })
      : bimiAdvice('bimi_certificate_names', { names: shown, domain })
  }
  if (!(own.keyUsage ?? []).includes(FOR_MARKS)) return bimiAdvice('bimi_certificate_use')
  return own.raw.includes(LOGOTYPE) ? undefined : bimiAdvice('bimi_certificate_logo')
}

/** Each is signed by the next, up to the last, whose issuer the receivers have themselves. */
function chainProblem(own: X509Certificate, above: readonly X509Certificate[], now: Date): Sentence | undefined {
  if (above.length === 0) return bimiAdvice('bimi_certificate_alone')
  let signed = own
  for (const issuer of above) {
    if (!signed.checkIssued(issuer) || !signed.verify(issuer.publicKey)) return bimiAdvice('bimi_certificate_chain')
    if (new Date(issuer.validTo) < now)
      return bimiAdvice('bimi_certificate_issuer_expired', { day: dayOf(issuer.validTo) })
    signed = issuer
  }
  return undefined
}

function dayOf(text: string): string {
  return new Date(text).toISOString().slice(0, 10)
}
