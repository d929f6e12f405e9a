import type { EngineValues } from '../settings/engine-values.ts'
import { canonicalDomain, domainOf, isDomain } from '../values/email-address.ts'

/** How every host of the simulator begins, so that no setting can make it swallow the mail of a real provider. */
const BEGINNING = 'simulator.'

/** The host that the simulator has everywhere: names below `localhost` never lead to another machine (RFC 6761). */
const SIMULATOR = `${BEGINNING}localhost`

/** The settings that name the hosts. */
export type SimulatorSettings = Pick<EngineValues, 'publicUrl' | 'delivery'>

/**
 * The hosts whose mail never leaves this server: `simulator.localhost`, and `simulator.` before the host of the public
 * address, unless the settings name another host or none.
 */
export function simulatorHosts({ publicUrl, delivery }: SimulatorSettings): readonly string[] {
  const { simulatorHost } = delivery
  if (simulatorHost === null) return [SIMULATOR]
  const own = simulatorHost ?? `${BEGINNING}${URL.parse(publicUrl ?? '')?.hostname ?? ''}`
  const host = canonicalDomain(own)
  return isDomain(host) && host !== SIMULATOR ? [SIMULATOR, host] : [SIMULATOR]
}

/** Whether mail to this stored address goes to the simulator, and nowhere else. */
export function isSimulated(address: string, settings: SimulatorSettings): boolean {
  const host = domainOf(address)
  return host.startsWith(BEGINNING) && simulatorHosts(settings).includes(host)
}

/** Why a mail fails that would go to both. */
export const MIXED = 'It is for addresses of the simulator and for others: send one mail to each of them.'

/** Whether of these addresses, which one mail goes to, some are the simulator's and some are not. */
export function isMixed(addresses: readonly string[], settings: SimulatorSettings): boolean {
  return new Set(addresses.map((address) => isSimulated(address, settings))).size > 1
}
