import { inject, injectable } from '../di.ts'
import { LinkSettings } from '../mail/links/links.ts'
import { SignedAddresses } from '../mail/links/signed-addresses.ts'

/** The addresses that domain tests are sent to: each names its test and accepts its mail only. */
@injectable()
export class TestAddresses extends SignedAddresses {
  constructor(@inject(LinkSettings) { secret }: LinkSettings) {
    super(secret, 'test', 'test address')
  }
}
