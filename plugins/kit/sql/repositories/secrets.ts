import type { SecretRepository } from '../../../../core/ports/store/secrets.ts'
import { Repository } from '../engine/repository.ts'
import { Rows } from '../engine/rows.ts'

/** The engine's own secrets. */
export class SqlSecrets extends Repository implements SecretRepository {
  keep(name: string, made: string, at: Date): Promise<string> {
    return this.access.write(async (session) => {
      const secrets = new Rows(session, this.tables.secrets)
      await secrets.add({ name, value: made, createdAt: at })
      return (await secrets.one({ name }))?.value ?? made
    })
  }
}
