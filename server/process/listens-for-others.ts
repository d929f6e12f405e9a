import { isThisMachine } from '../../core/mail/links/public-address.ts'

/** Whether other machines reach what listens on this host. */
export function listensForOthers(host: string): boolean {
  const isAnywhere = /^(?:0\.0\.0\.0|::)$/.test(host)
  return isAnywhere || !isThisMachine(`http://${host.includes(':') ? `[${host}]` : host}`)
}
