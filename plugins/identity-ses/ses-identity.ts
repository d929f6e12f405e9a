import { randomBytes } from 'node:crypto'
import type { DkimAttributes, GetEmailIdentityResponse, SESv2Client } from '@aws-sdk/client-sesv2'
import { EngineError } from '../../core/errors.ts'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { Log } from '../../core/ports/log.ts'
import type {
  Finding,
  IdentityProof,
  IdentityRecord,
  PublicProof,
  SenderIdentity,
} from '../../core/ports/sender-identity.ts'
import { advised } from '../../core/values/advice.ts'
import type { SesSdk } from '../kit/ses/client.ts'
import { type SesTrouble, troubleOf } from '../kit/ses/trouble.ts'
import { judgeRecord } from './judge-records.ts'
import { sesAdvice } from './ses-advice.ts'
import { readProof, type SesProof, USUAL_ZONE, writtenProof } from './ses-proof.ts'

/** Milliseconds before Amazon is asked again about a domain it has seen: it answers about once a second. */
const SEEN_MS = 60 * 60_000
const MOST_SEEN = 10_000
const EASY_DKIM = 'AWS_SES'
const KEY_LENGTH = 'RSA_2048_BIT'

/** Domains as identities of an Amazon SES account, signed there with Amazon's keys (Easy DKIM). */
export class SesIdentity implements SenderIdentity {
  readonly rotatesItself = true
  readonly #sdk: SesSdk
  readonly #client: SESv2Client
  readonly #log: Log
  /** Until when a domain counts as seen, on the monotonic clock. */
  readonly #seen = new Map<string, number>()

  constructor(sdk: SesSdk, client: SESv2Client, log: Log) {
    this.#sdk = sdk
    this.#client = client
    this.#log = log
  }

  /**
   * Adds the domain to the Amazon account if it is not there. Throws EngineError `SERVICE_UNAVAILABLE` when Amazon
   * cannot be asked, `CONFLICT` when the account signs the domain's mail with its own keys, `VALIDATION_ERROR` for a
   * domain that Amazon refuses.
   */
  async make(domain: string, taken: readonly string[]): Promise<IdentityProof> {
    const dkim = await this.#known(domain)
    const { Tokens: tokens = [], SigningHostedZone: zone = USUAL_ZONE } = dkim
    if (tokens.length === 0 || (dkim.SigningAttributesOrigin ?? EASY_DKIM) === 'EXTERNAL') {
      throw new EngineError('CONFLICT', `Amazon SES signs the mail of ${domain} with a key of the operator's.`, {
        suggestion: 'The operator of this server may list it under trustedDomains, or remove it at Amazon.',
      })
    }
    let selector: string
    do selector = `ses-${randomBytes(4).toString('hex')}`
    while (taken.includes(selector))
    const ownership = randomBytes(16).toString('hex')
    return { selector, publicData: writtenProof({ ownership, zone: zone.toLowerCase(), tokens }) }
  }

  records(domain: string, proof: PublicProof): readonly IdentityRecord[] {
    const read = readProof(proof)
    const name = `_mailwright.${domain}`
    if (read === undefined) return [{ type: 'TXT', name, value: proof.selector, purpose: 'ownership' }]
    const { ownership, zone, tokens } = read
    const owned: IdentityRecord = { type: 'TXT', name, value: `mailwright=${ownership}`, purpose: 'ownership' }
    const keys = tokens.map((token): IdentityRecord => {
      return {
        type: 'CNAME',
        name: `${token.toLowerCase()}._domainkey.${domain}`,
        value: `${token.toLowerCase()}.${zone}`,
      }
    })
    return [...keys, owned]
  }

  async check(domain: string, proof: PublicProof, dns: DnsResolver): Promise<readonly Finding[]> {
    const read = readProof(proof)
    const records = this.records(domain, proof)
    if (read === undefined) return records.map(() => OF_ANOTHER)
    const findings = await Promise.all(records.map((record) => judgeRecord(domain, record, dns)))
    const areKeysThere = records.every(({ type }, i) => type !== 'CNAME' || findings[i]?.state === 'found')
    if (!areKeysThere) {
      this.#seen.delete(domain)
      return findings
    }
    const verdict = await this.#verdict(domain, read)
    return verdict === undefined ? findings : findings.map((each, i) => (records[i]?.type === 'CNAME' ? verdict : each))
  }

  async #known(domain: string): Promise<DkimAttributes> {
    const { CreateEmailIdentityCommand } = this.#sdk
    try {
      const attributes = { NextSigningKeyLength: KEY_LENGTH } as const
      const command = new CreateEmailIdentityCommand({ EmailIdentity: domain, DkimSigningAttributes: attributes })
      return (await this.#client.send(command)).DkimAttributes ?? {}
    } catch (error) {
      const trouble = troubleOf(error)
      if (trouble.kind !== 'answered' || trouble.name !== 'AlreadyExistsException') throw this.#refusal(domain, trouble)
    }
    try {
      return (await this.#ask(domain)).DkimAttributes ?? {}
    } catch (error) {
      throw this.#refusal(domain, troubleOf(error))
    }
  }

  #ask(domain: string): Promise<GetEmailIdentityResponse> {
    return this.#client.send(new this.#sdk.GetEmailIdentityCommand({ EmailIdentity: domain }))
  }

  /** Amazon's verdict once the records are published. Undefined when it has seen them, too. */
  async #verdict(domain: string, proof: SesProof): Promise<Finding | undefined> {
    if ((this.#seen.get(domain) ?? 0) > performance.now()) return undefined
    try {
      const { DkimAttributes: dkim = {}, VerifiedForSendingStatus: isVerified } = await this.#ask(domain)
      const finding = judged(dkim, isVerified === true, proof)
      if (dkim.Status === 'FAILED') await this.#askAgain(domain)
      if (finding === undefined) this.#note(domain)
      return finding
    } catch (error) {
      const trouble = troubleOf(error)
      if (trouble.kind === 'answered' && trouble.name === 'NotFoundException') return GONE
      return { state: 'unknown', ...advised(sesAdvice('ses_unasked', { reason: trouble.reason })) }
    }
  }

  /** Amazon looks for 72 hours and then stops. Setting the kind of signature starts it again. */
  async #askAgain(domain: string): Promise<void> {
    const command = new this.#sdk.PutEmailIdentityDkimSigningAttributesCommand({
      EmailIdentity: domain,
      SigningAttributesOrigin: EASY_DKIM,
      SigningAttributes: { NextSigningKeyLength: KEY_LENGTH },
    })
    await this.#client.send(command)
  }

  #note(domain: string): void {
    if (this.#seen.size >= MOST_SEEN) this.#seen.clear()
    this.#seen.set(domain, performance.now() + SEEN_MS)
  }

  #refusal(domain: string, trouble: SesTrouble): EngineError {
    const { reason } = trouble
    if (trouble.kind === 'answered' && trouble.name === 'BadRequestException') {
      const fields = [
        { field: 'domain', code: 'invalid_string', message: `is refused by Amazon SES: ${reason}` },
      ] as const
      return new EngineError('VALIDATION_ERROR', `domain: ${fields[0].message}`, { fields })
    }
    const details = trouble.kind === 'answered' ? { name: trouble.name, status: trouble.status } : {}
    this.#log.warn('a domain could not be made known to Amazon SES', { domain, reason, ...details })
    const isOurs = trouble.kind === 'answered' && (trouble.status === 401 || trouble.status === 403)
    return new EngineError('SERVICE_UNAVAILABLE', `Amazon SES could not be asked about ${domain}: ${reason}`, {
      retryAfter: 30,
      isTold: true,
      ...(isOurs
        ? { suggestion: 'The operator of this server must see to its keys at Amazon and what they may do.' }
        : {}),
    })
  }
}

const OF_ANOTHER: Finding = { state: 'wrong', ...advised(sesAdvice('ses_of_another')) }
const GONE: Finding = { state: 'wrong', ...advised(sesAdvice('ses_gone')) }

/** The meaning of the state at Amazon once the records are in the DNS. */
function judged(dkim: DkimAttributes, isVerified: boolean, { tokens }: SesProof): Finding | undefined {
  const wanted = dkim.Tokens ?? []
  if (wanted.length !== tokens.length || wanted.some((token) => !tokens.includes(token))) {
    return { state: 'wrong', ...advised(sesAdvice('ses_other_records')) }
  }
  if (dkim.SigningEnabled === false) {
    return { state: 'wrong', ...advised(sesAdvice('ses_switched_off')) }
  }
  if (dkim.Status === 'SUCCESS' && isVerified) return undefined
  return { state: 'missing', ...advised(sesAdvice(dkim.Status === 'FAILED' ? 'ses_asked_again' : 'ses_not_seen')) }
}
