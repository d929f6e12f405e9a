import type { MailTransport } from '../../ports/mail-transport.ts'

/** Why links in mails do not work. */
export interface LinkProblem {
  readonly message: string
  /** True when marketing mail must wait until it is fixed: people could not unsubscribe. */
  readonly blocksMarketing: boolean
}

/** Why links to this address do not work for those that transports with this `reach` serve; undefined when they work. */
export function linkProblem(
  publicUrl: string | undefined,
  reaches: readonly MailTransport['reach'][],
): LinkProblem | undefined {
  const reach = reaches.map((each) => each ?? 'anybody')
  if (publicUrl === undefined || reach.every((each) => each === 'nobody') || !isThisMachine(publicUrl)) return undefined
  const message =
    `The links in mails lead to ${publicUrl}, which only this machine can open: ` +
    'set PUBLIC_URL (server.publicUrl) to the address at which the world reaches this server.'
  return { message, blocksMarketing: reach.includes('anybody') }
}

/** True when only this machine can reach the address: loopback, or the unspecified address. */
export function isThisMachine(publicUrl: string): boolean {
  const host = URL.parse(publicUrl)?.hostname.replace(/^\[|\]$|\.$/g, '') ?? ''
  return /^(?:(?:.+\.)?localhost|127\.[\d.]+|0\.0\.0\.0|::1?|::ffff:7f[\da-f]{2}:[\da-f]{1,4})$/i.test(host)
}
