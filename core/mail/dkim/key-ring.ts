import { inject, injectable } from '../../di.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { ConfiguredKeys } from './configured-keys.ts'
import type { SigningKey, SigningKeys } from './signing-keys.ts'
import { namesFrom, StoredKeys } from './stored-keys.ts'

/** All keys: those of the settings, and those of the domains that projects have added. */
@injectable()
export class KeyRing implements SigningKeys {
  constructor(
    @inject(ConfiguredKeys) private readonly configured: ConfiguredKeys,
    @inject(StoredKeys) private readonly stored: Pick<StoredKeys, 'of'>,
  ) {}

  async keysFor(domain: string, projectId?: ProjectId): Promise<readonly SigningKey[]> {
    const stored = await this.stored.of(domain)
    for (const name of namesFrom(domain)) {
      const found = stored.get(name)
      // a parent domain's owner may be another project, with no part in this mail
      const own = found !== undefined && (name === domain || found.row.projectId === projectId) ? await found.keys : []
      const keys = [...this.configured.of(name), ...own]
      if (keys.length > 0) return keys
    }
    return []
  }
}
