import type { EngineSettings } from '../core/start/check-settings.ts'

/** Engine settings in which any socket may be left out. */
export type GivenSettings = Partial<EngineSettings>

/**
 * Fills the sockets left out with plugins that need only a disk: SQLite in `./data/mailwright.db`, mail written to
 * `./data/outbox`, a queue and cron in this process, files in `./data/uploads`, the system's resolver, webhooks by
 * HTTP, and DKIM keys for domains. Warnings and errors go to the standard error output. Paths start at the process's
 * working directory. A plugin is loaded only when it is used, and nothing is opened.
 */
export async function withDefaults(given: GivenSettings): Promise<EngineSettings> {
  return {
    ...given,
    log:
      given.log ??
      (await import('../plugins/log-console/index.ts')).consoleLog({
        level: 'warn',
        format: 'pretty',
        stream: process.stderr,
      }),
    store: given.store ?? (await import('../plugins/store-sqlite/index.ts')).sqlite({ file: './data/mailwright.db' }),
    queue: given.queue ?? (await import('../plugins/queue-in-process/index.ts')).inProcess(),
    scheduler: given.scheduler ?? (await import('../plugins/scheduler-cron/index.ts')).cron(),
    blobs: given.blobs ?? (await import('../plugins/blobs-disk/index.ts')).disk({ directory: './data/uploads' }),
    dns: given.dns ?? (await import('../plugins/dns-node/index.ts')).nodeDns(),
    webhookSender: given.webhookSender ?? (await import('../plugins/webhooks-http/index.ts')).webhooksHttp(),
    identity: given.identity ?? (await import('../plugins/identity-dkim/index.ts')).dkimIdentity(),
    compat: given.compat ?? (await allCompat()),
    transports: given.transports ?? [
      (await import('../plugins/mail-outbox/index.ts')).outbox({ directory: './data/outbox' }),
    ],
  }
}

/** The APIs of all services that come with the package. */
async function allCompat(): Promise<NonNullable<EngineSettings['compat']>> {
  const { resendApi } = await import('../server/compat/resend/resend-api.ts')
  const { postmarkApi } = await import('../server/compat/postmark/postmark-api.ts')
  const { sendgridApi } = await import('../server/compat/sendgrid/sendgrid-api.ts')
  const { mailgunApi } = await import('../server/compat/mailgun/mailgun-api.ts')
  return [resendApi(), postmarkApi(), sendgridApi(), mailgunApi()]
}
