import type { PortName } from '../core/plugin/types.ts'

/** Loads a plugin's module and answers the function that makes the plugin from its options. */
type Loader = () => Promise<unknown>

/** The plugins that come with the package, by their names in a config. */
export const BUILTINS: { readonly [Port in PortName]: Readonly<Record<string, Loader>> } = {
  store: {
    sqlite: async () => (await import('../plugins/store-sqlite/index.ts')).sqlite,
    postgres: async () => (await import('../plugins/store-postgres/index.ts')).postgres,
  },
  queue: {
    'in-process': async () => (await import('../plugins/queue-in-process/index.ts')).inProcess,
    postgres: async () => (await import('../plugins/queue-postgres/index.ts')).postgresQueue,
    redis: async () => (await import('../plugins/queue-redis/index.ts')).redisQueue,
  },
  scheduler: {
    'node-cron': async () => (await import('../plugins/scheduler-cron/index.ts')).cron,
    postgres: async () => (await import('../plugins/scheduler-postgres/index.ts')).postgresScheduler,
  },
  transport: {
    smtp: async () => (await import('../plugins/mail-smtp/index.ts')).smtp,
    ses: async () => (await import('../plugins/mail-ses/index.ts')).ses,
    http: async () => (await import('../plugins/mail-http/index.ts')).httpMail,
    direct: async () => (await import('../plugins/mail-direct/index.ts')).direct,
    outbox: async () => (await import('../plugins/mail-outbox/index.ts')).outbox,
  },
  blobs: { disk, file: disk, s3: async () => (await import('../plugins/blobs-s3/index.ts')).s3 },
  dns: { node: async () => (await import('../plugins/dns-node/index.ts')).nodeDns },
  identity: {
    dkim: async () => (await import('../plugins/identity-dkim/index.ts')).dkimIdentity,
    ses: async () => (await import('../plugins/identity-ses/index.ts')).sesIdentity,
  },
  inbound: {
    'smtp-server': async () => (await import('../plugins/inbound-smtp/index.ts')).smtpServer,
    imap: async () => (await import('../plugins/inbound-imap/index.ts')).imap,
  },
  hook: {
    signed: async () => (await import('../plugins/hook-signed/index.ts')).signedHook,
    supabase: async () => (await import('../plugins/hook-supabase/index.ts')).supabaseHook,
    postmark: async () => (await import('../plugins/hook-postmark/index.ts')).postmarkHook,
    sendgrid: async () => (await import('../plugins/hook-sendgrid/index.ts')).sendgridHook,
    ses: async () => (await import('../plugins/hook-ses/index.ts')).sesHook,
    mailgun: async () => (await import('../plugins/hook-mailgun/index.ts')).mailgunHook,
  },
  compat: {
    resend: async () => (await import('../server/compat/resend/resend-api.ts')).resendApi,
    postmark: async () => (await import('../server/compat/postmark/postmark-api.ts')).postmarkApi,
    sendgrid: async () => (await import('../server/compat/sendgrid/sendgrid-api.ts')).sendgridApi,
    mailgun: async () => (await import('../server/compat/mailgun/mailgun-api.ts')).mailgunApi,
  },
  submission: {
    'smtp-server': async () => (await import('../plugins/submission-smtp/index.ts')).submissionServer,
  },
  assistant: { openai: async () => (await import('../plugins/assistant-openai/index.ts')).openAiAssistant },
  webhooks: { http: async () => (await import('../plugins/webhooks-http/index.ts')).webhooksHttp },
}

async function disk(): Promise<unknown> {
  return (await import('../plugins/blobs-disk/index.ts')).disk
}
