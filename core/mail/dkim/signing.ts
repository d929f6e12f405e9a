import { inject, injectable } from '../../di.ts'
import { Kit } from '../../kit.ts'
import { domainOf } from '../../values/email-address.ts'
import { KeyRing } from './key-ring.ts'
import { type Signer, signMessage } from './sign-message.ts'
import type { SigningKeys } from './signing-keys.ts'

/** Signs messages for their sender's domain (DKIM) with the keys of the settings and of the store. */
@injectable()
export class Signing implements Signer {
  constructor(
    @inject(KeyRing) private readonly keys: SigningKeys,
    @inject(Kit) private readonly kit: Pick<Kit, 'now'>,
  ) {}

  /** See `Signer`. Throws EngineError `SERVICE_UNAVAILABLE` when a key cannot be decrypted just now. */
  async sign(...[message, from, { projectId, bodyHash } = {}]: Parameters<Signer['sign']>) {
    const keys = await this.keys.keysFor(domainOf(from), projectId)
    return signMessage(message, keys, { at: this.kit.now(), bodyHash })
  }
}
