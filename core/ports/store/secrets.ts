/** Keeps the secrets the engine makes for itself, so that every process and every later start has the same. */
export interface SecretRepository {
  /** The secret of this name: the stored one, or `made`, which is then stored. Of several at the same time one wins. */
  keep(name: string, made: string, at: Date): Promise<string>
}
