import { inject, injectable } from '../../di.ts'
import { LinkSettings } from './links.ts'
import { SignedAddresses } from './signed-addresses.ts'

/**
 * The addresses that mail is sent to by who wants to leave: each names the mail whose recipient leaves, and is signed. A
 * message to one is all it takes, whatever is in it and whoever sends it.
 */
@injectable()
export class UnsubscribeAddresses extends SignedAddresses {
  constructor(@inject(LinkSettings) { secret }: LinkSettings) {
    super(secret, 'unsubscribe', 'unsubscribe address')
  }
}
