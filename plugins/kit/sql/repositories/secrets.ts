import type { SecretRepository } from '../../../../core/ports/store/secrets.ts'
import type { Access } from '../engine/access.ts'

/** The engine's own secrets. */
export class SqlSecrets implements SecretRepository {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  keep(name: string, made: string, at: Date): Promise<string> {
    const { dialect } = this.#access
    const insert = `insert into "engine_secrets" ("name", "value", "created_at") values (?, ?, ?) on conflict do nothing`
    return this.#access.write(async (session) => {
      await session.run(insert, [name, made, dialect.encode('date')(at)])
      const [row] = await session.all('select "value" from "engine_secrets" where "name" = ?', [name])
      return String(row?.value)
    })
  }
}
