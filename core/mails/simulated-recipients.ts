import { invalidField } from '../errors.ts'
import { isMixed, type SimulatorSettings } from '../mail/simulator-address.ts'
import type { TogetherRequest } from './send-request.ts'

type Recipients = readonly { readonly email: string }[]

/**
 * The same request. Copies go out with their mail: to the simulator all of it, or none. Throws EngineError
 * `VALIDATION_ERROR` for a mail to both.
 */
export function ofOneWorld(request: TogetherRequest, settings: SimulatorSettings): TogetherRequest {
  const { to, cc, bcc } = request
  const copies: Recipients = [...(cc ?? []), ...(bcc ?? [])]
  const addresses = [...to, ...copies].map(({ email }) => email)
  if (copies.length === 0 || !isMixed(addresses, settings)) return request
  const field = cc?.some(({ isTo }) => isTo) ? 'to' : cc?.length ? 'cc' : 'bcc'
  const message = 'puts addresses of the simulator and others into one mail: send one mail to each of them'
  throw invalidField(field, 'custom', message)
}
