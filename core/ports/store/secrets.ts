/** Stores the secrets that the engine generates, so that every process and every later start uses the same. */
export interface SecretRepository {
  /** The secret of this name: the stored one, or `made`, which is then stored. Of concurrent calls one wins. */
  keep(name: string, made: string, at: Date): Promise<string>
}
