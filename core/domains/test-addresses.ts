import { inject, injectable } from '../di.ts'
import { LinkSettings } from '../mail/links/links.ts'
import { SignedAddresses } from '../mail/links/signed-addresses.ts'

/** Why a test cannot come back, and what to do about it. */
export interface NoHost {
  readonly message: string
  readonly advice: string
}

/** The addresses that domain tests are sent to: each names its test and accepts its mail only. */
@injectable()
export class TestAddresses extends SignedAddresses {
  #look = async (): Promise<NoHost | undefined> => undefined

  constructor(@inject(LinkSettings) { secret }: LinkSettings) {
    super(secret, 'test', 'test address')
  }

  /** From now on this looks for the host that mail is received at. */
  lookBy(look: () => Promise<NoHost | undefined>): void {
    this.#look = look
  }

  /** Looks at once; answers why no host was found, undefined when one was, or mail is received nowhere. */
  look(): Promise<NoHost | undefined> {
    return this.#look()
  }
}
