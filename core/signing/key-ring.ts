import { inject, injectable } from '../di.ts'
import { ConfiguredKeys } from './configured-keys.ts'
import type { SigningKey, SigningKeys } from './signing-keys.ts'
import { namesFrom, StoredKeys } from './stored-keys.ts'

/** All keys there are: those of the settings, and those of the domains that projects have added. */
@injectable()
export class KeyRing implements SigningKeys {
  constructor(
    @inject(ConfiguredKeys) private readonly configured: ConfiguredKeys,
    @inject(StoredKeys) private readonly stored: StoredKeys,
  ) {}

  async keysFor(domain: string): Promise<readonly SigningKey[]> {
    const stored = await this.stored.of(domain)
    for (const name of namesFrom(domain)) {
      const keys = [...this.configured.of(name), ...(stored.get(name) ?? [])]
      if (keys.length > 0) return keys
    }
    return []
  }
}
