import { domainToASCII } from 'node:url'
import { inject, injectable } from '../../di.ts'
import { Kit } from '../../kit.ts'
import { findingKey } from '../../ports/sender-identity.ts'
import type { SenderDomain } from '../../ports/store/domains.ts'
import { domainOf } from '../../values/email-address.ts'
import { StoredKeys } from '../dkim/stored-keys.ts'

/** Finds the hosts where senders receive their bounces. */
@injectable()
export class BounceHosts {
  constructor(
    @inject(StoredKeys) private readonly stored: StoredKeys,
    @inject(Kit) private readonly kit: Pick<Kit, 'settings'>,
  ) {}

  /**
   * The bounce host of this sender (an address): a name below the sender's domain, so that SPF passes aligned with it
   * (DMARC, RFC 9989). Undefined until its CNAME is seen. Throws when the store cannot be read.
   */
  async of(sender: string): Promise<string | undefined> {
    if (this.kit.settings.domains.returnPathHost === undefined) return undefined
    const domain = domainOf(sender)
    const found = (await this.stored.of(domain)).get(domain)
    return found && bounceHostOf(found.row)
  }
}

/** The host, if the domain's last check has seen its CNAME. */
export function bounceHostOf({ domain, status, findings }: SenderDomain): string | undefined {
  const name = `bounces.${domainToASCII(domain)}`
  const isSeen = findings[findingKey({ type: 'CNAME', name, value: '' })]?.state === 'found'
  return status === 'VERIFIED' && isSeen ? name : undefined
}
