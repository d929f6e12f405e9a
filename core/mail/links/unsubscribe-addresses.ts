import { inject, injectable } from '../../di.ts'
import { LinkSettings } from './links.ts'
import { SignedAddresses } from './signed-addresses.ts'

/**
 * The addresses for unsubscribing by mail: each is signed and names the mail whose recipient unsubscribes. Any message
 * to it unsubscribes, whatever its content and sender.
 */
@injectable()
export class UnsubscribeAddresses extends SignedAddresses {
  constructor(@inject(LinkSettings) { secret }: LinkSettings) {
    super(secret, 'unsubscribe', 'unsubscribe address')
  }
}
