import { domainToASCII } from 'node:url'
import { inject, injectable } from '../../di.ts'
import { findingKey } from '../../ports/sender-identity.ts'
import type { SenderDomain } from '../../ports/store/domains.ts'
import { type EngineValues, Values } from '../../settings/engine-values.ts'
import { domainOf } from '../../values/email-address.ts'
import { StoredKeys } from '../dkim/stored-keys.ts'

/** Knows the hosts at which senders have their bounces come in. */
@injectable()
export class BounceHosts {
  constructor(
    @inject(StoredKeys) private readonly stored: StoredKeys,
    @inject(Values) private readonly values: EngineValues,
  ) {}

  /**
   * The host of this sender (an address): a name below the sender's domain, so that SPF speaks for it (DMARC, RFC 9989:
   * alignment). Undefined as long as its CNAME is not seen. Throws when the store cannot be read.
   */
  async of(sender: string): Promise<string | undefined> {
    if (this.values.domains.returnPathHost === undefined) return undefined
    const domain = domainOf(sender)
    const found = (await this.stored.of(domain)).get(domain)
    return found && bounceHostOf(found.row)
  }
}

/** As the last check of the domain saw it. */
export function bounceHostOf({ domain, status, findings }: SenderDomain): string | undefined {
  const name = `bounces.${domainToASCII(domain)}`
  const isSeen = findings[findingKey({ type: 'CNAME', name, value: '' })]?.state === 'found'
  return status === 'VERIFIED' && isSeen ? name : undefined
}
