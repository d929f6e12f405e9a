/** Why a question got no answer. The codes are those of Node's own resolver. */
export class DnsFailure extends Error {
  override readonly name = 'DnsFailure'
  readonly code: string

  constructor(code: string, question: string) {
    super(`${question}: ${code}`)
    this.code = code
  }
}
