import { EngineError } from '../../../core/errors.ts'
import type { OurApi } from '../../../core/ports/foreign-api.ts'
import { typedApi } from './typed-api.ts'

/** As many addresses are looked up at once. */
const AT_ONCE = 100

/** Which of these addresses get no mail. A key that may only send does not see it: then none. */
export async function suppressedAmong(ours: OurApi, addresses: readonly string[]): Promise<ReadonlySet<string>> {
  // a comma may stand within a quoted part
  const asked = [...new Set(addresses)].filter((address) => !address.includes(','))
  const found = new Set<string>()
  for (let start = 0; start < asked.length; start += AT_ONCE) {
    const email = asked.slice(start, start + AT_ONCE).join(',')
    const query = { email, limit: String(AT_ONCE) }
    const page = await typedApi(ours).call('listSuppressions', { query }).catch(noneWhenForbidden)
    for (const each of page.data) found.add(each.email)
  }
  return found
}

function noneWhenForbidden(error: unknown): { readonly data: readonly { readonly email: string }[] } {
  if (EngineError.is(error) && error.code === 'FORBIDDEN') return { data: [] }
  throw error
}
