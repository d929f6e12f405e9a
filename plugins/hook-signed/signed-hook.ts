import type { HookAnswer, HookRequest, HttpHook } from '../../core/ports/http-hook.ts'
import { readJsonText } from '../../core/values/json-text.ts'
import { readEach } from '../kit/hooks/read-each.ts'
import type { StandardProof } from '../kit/hooks/standard-webhooks.ts'
import { readReport } from './read-report.ts'

/** Receives reports signed as in Standard Webhooks 1.0.0. */
export class SignedHook implements HttpHook {
  readonly #proof: StandardProof

  constructor(proof: StandardProof) {
    this.#proof = proof
  }

  async receive(request: HookRequest): Promise<HookAnswer> {
    const id = this.#proof.of(request)
    if (typeof id !== 'string') return id
    const given = readJsonText(request.body)
    const list: readonly unknown[] = Array.isArray(given) ? given : [given]
    const about = { id, now: request.receivedAt, isList: Array.isArray(given) }
    const reports = await readEach(list, (each, place) => readReport(each, { ...about, place }))
    return { outcome: 'taken', reports }
  }
}
