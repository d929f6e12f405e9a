import { definePlugin } from '../../core/plugin/plugin.ts'
import type { MailTransport, Refused } from '../../core/ports/mail-transport.ts'
import { isLoopback } from '../kit/net/loopback.ts'
import type { NotConnected } from '../kit/smtp-client/connect-problem.ts'
import type { Keeping } from '../kit/smtp-client/connection.ts'
import type { Hop } from '../kit/smtp-client/hop.ts'
import { SmtpPool } from '../kit/smtp-client/pool.ts'
import { GivenSmtpOptions, type SmtpOptions } from './options.ts'
import { refuseHttp } from './speaks-http.ts'

export { SmtpOptions } from './options.ts'
export type { PresetName } from './presets.ts'

/**
 * Hands mail to an SMTP server (RFC 5321): a relay, a provider's submission port or your own MTA. Connections are
 * opened when there is mail, kept and reused. `smtp({ host: 'smtp.example.com', auth: { user, pass } })`, or `smtp({
 * preset: 'brevo', auth: { user, pass } })`.
 */
export const smtp = definePlugin({
  name: 'mail-smtp',
  provides: ['transport'],
  options: GivenSmtpOptions,
  inThread: { module: import.meta.url, export: 'smtp' },
  describe: (options) => {
    const { host, port } = hopOf(options)
    return `${host}:${port}`
  },
  reach: (options) => refuseHttp(hopOf(options)),
  open(options, { log }) {
    const pool = new SmtpPool(hopOf(options), keepingOf(options), options.maxConnections, log)
    const transport: MailTransport = {
      concurrency: options.maxConnections,
      reach: isLoopback(options.host) ? 'machine' : 'anybody',
      async send(mail, signal) {
        const result = await pool.send(mail.envelope, withFields(options.headers, mail.id, await mail.raw()), signal)
        if ('trouble' in result) return withoutTrouble(result)
        return options.reportsDelivery && result.outcome === 'accepted' ? { ...result, deliveryPending: true } : result
      },
      check: async () => void (await pool.check()),
      close: () => pool.close(),
    }
    return { transport }
  },
})

/** The refusal as the port has it: `check` says the trouble. */
function withoutTrouble({ trouble: _trouble, ...refused }: NotConnected): Refused {
  return refused
}

/** Adds the fields in front, where they do not break the mail's signatures. */
function withFields(fields: SmtpOptions['headers'], id: string, raw: Uint8Array): Uint8Array {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value.replaceAll('{id}', id)}\r\n`)
  return lines.length === 0 ? raw : Buffer.concat([Buffer.from(lines.join('')), raw])
}

function hopOf({ host, port, secure, requireTls, publicOr, name, auth, tls, timeouts }: SmtpOptions): Hop {
  return {
    host,
    port: port ?? (secure ? 465 : 587),
    secure,
    requireTls: requireTls ?? (auth !== undefined && !isLoopback(host)),
    ...(publicOr === undefined ? {} : { publicOr }),
    ...(name === undefined ? {} : { name }),
    ...(auth === undefined ? {} : { auth }),
    ...(tls === undefined ? {} : { tls: given(tls) }),
    connectTimeout: timeouts.connect * 1000,
  }
}

function keepingOf({ pipelining, timeouts, idleSeconds, maxMessagesPerConnection }: SmtpOptions): Keeping {
  return {
    pipelining,
    commandTimeout: timeouts.command * 1000,
    dataTimeout: timeouts.data * 1000,
    idleTimeout: idleSeconds * 1000,
    ...(maxMessagesPerConnection === undefined ? {} : { maxMessages: maxMessagesPerConnection }),
  }
}

/** Only the options that were given, since an undefined one would override a default of `tls.connect`. */
function given(tls: NonNullable<SmtpOptions['tls']>): NonNullable<Hop['tls']> {
  const { rejectUnauthorized, servername, ca, minVersion } = tls
  return {
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(servername === undefined ? {} : { servername }),
    ...(ca === undefined ? {} : { ca }),
    ...(minVersion === undefined ? {} : { minVersion }),
  }
}
