/** Stores the secrets that the engine generates, so that every process and every later start uses the same ones. */
export interface SecretRepository {
  /** The secret of this name. If there is none, `made` is stored and answered. Of concurrent calls one wins. */
  keep(name: string, made: string, at: Date): Promise<string>
}
