import { errorCode } from '../../core/values/error-code.ts'
/** Ends an exchange without a response. `forbidden` means that trying again is useless; `message` is the reason. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  readonly outcome: 'forbidden' | 'failed'
  /** That of a response whose body did not come whole. */
  readonly status: number | undefined

  constructor(outcome: 'forbidden' | 'failed', reason: string, status?: number) {
    super(reason)
    this.outcome = outcome
    this.status = status
  }
}

/** A connection's failure, in one line. */
export function failure(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error
  const code = String(errorCode(error) ?? '')
  const message = error instanceof Error ? error.message : String(error)
  const line = message.split('\n')[0]?.slice(0, 300) ?? ''
  return new NoAnswer('failed', line.includes(code) ? line : `${line} (${code})`)
}
