/** How to reach a well-known relay, as its documentation says. Everything is sent over TLS alone. */
export interface Preset {
  /** Its name in messages and in the documentation. */
  readonly provider: string
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS. */
  readonly secure: boolean
  /** The user that every customer logs in as; `password`: the same text as the password. */
  readonly user?: string | 'password'
  /** False for a relay that can also know its customers by their address. */
  readonly needsLogin?: false
  readonly maxConnections?: number
  readonly maxMessagesPerConnection?: number
  /** Header fields by which the provider's reports name our mail. */
  readonly headers?: Readonly<Record<string, string>>
  /** The hook of ours that reads its reports. */
  readonly hook?: 'mailgun' | 'postmark' | 'sendgrid' | 'ses'
}

const starttls = (provider: string, host: string, more: Partial<Preset> = {}): Preset =>
  Object.assign({ provider, host, port: 587, secure: false }, more)
const tls = (provider: string, host: string, more: Partial<Preset> = {}): Preset =>
  Object.assign({ provider, host, port: 465, secure: true }, more)

const POSTMARK = {
  user: 'password',
  headers: { 'X-PM-Metadata-mailwright': '{id}', 'X-PM-KeepID': 'true' },
  hook: 'postmark',
} as const
const SENDGRID = {
  user: 'apikey',
  maxMessagesPerConnection: 5_000,
  headers: { 'X-SMTPAPI': '{"unique_args":{"mailwright":"{id}"}}' },
  hook: 'sendgrid',
} as const
/** 100 messages for each connection are its recommendation. */
const SPARKPOST = { user: 'SMTP_Injection', maxMessagesPerConnection: 100 } as const
/** More connections than three are refused with 432 4.3.2. */
const MICROSOFT = { maxConnections: 3 } as const

/** The relays that have one address for all. Amazon SES has one for each region: `ses-<region>`. */
export const PRESETS = {
  brevo: starttls('Brevo', 'smtp-relay.brevo.com'),
  'elastic-email': tls('Elastic Email', 'smtp.elasticemail.com'),
  fastmail: tls('Fastmail', 'smtp.fastmail.com'),
  gmail: starttls('Gmail', 'smtp.gmail.com'),
  'google-workspace': starttls('Google Workspace (SMTP relay service)', 'smtp-relay.gmail.com', { needsLogin: false }),
  icloud: starttls('iCloud Mail', 'smtp.mail.me.com'),
  mailersend: starttls('MailerSend', 'smtp.mailersend.net'),
  mailgun: starttls('Mailgun (US)', 'smtp.mailgun.org', { hook: 'mailgun' }),
  'mailgun-eu': starttls('Mailgun (EU)', 'smtp.eu.mailgun.org', { hook: 'mailgun' }),
  mailjet: starttls('Mailjet', 'in-v3.mailjet.com'),
  mailtrap: starttls('Mailtrap (transactional)', 'live.smtp.mailtrap.io', { user: 'api' }),
  'mailtrap-bulk': starttls('Mailtrap (bulk)', 'bulk.smtp.mailtrap.io', { user: 'api' }),
  microsoft365: starttls('Microsoft 365 and Outlook.com', 'smtp.office365.com', MICROSOFT),
  ovh: tls('OVHcloud (MX Plan)', 'ssl0.ovh.net'),
  postmark: starttls('Postmark (transactional)', 'smtp.postmarkapp.com', POSTMARK),
  'postmark-broadcasts': starttls('Postmark (broadcasts)', 'smtp-broadcasts.postmarkapp.com', POSTMARK),
  resend: tls('Resend', 'smtp.resend.com', { user: 'resend' }),
  scaleway: tls('Scaleway Transactional Email', 'smtp.tem.scw.cloud'),
  sendgrid: starttls('SendGrid', 'smtp.sendgrid.net', SENDGRID),
  smtp2go: starttls('SMTP2GO', 'mail.smtp2go.com'),
  sparkpost: starttls('SparkPost (US)', 'smtp.sparkpostmail.com', SPARKPOST),
  'sparkpost-eu': starttls('SparkPost (EU)', 'smtp.eu.sparkpostmail.com', SPARKPOST),
  yahoo: tls('Yahoo Mail', 'smtp.mail.yahoo.com'),
  zoho: tls('Zoho Mail (personal)', 'smtp.zoho.com'),
  'zoho-pro': tls('Zoho Mail (organizations)', 'smtppro.zoho.com'),
} as const satisfies Readonly<Record<string, Preset>>

/** The name of a preset; Amazon SES has one for each of its regions, such as `ses-eu-central-1`. */
export type PresetName = keyof typeof PRESETS | `ses-${string}`

/** Amazon's own id replaces our Message-ID, so its reports find the mail by this tag. */
const SES_HEADERS = { 'X-SES-MESSAGE-TAGS': 'mailwright-email={id}' }

/** The preset of this name; undefined when there is none. */
export function presetOf(name: string): Preset | undefined {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name as keyof typeof PRESETS]
  const region = /^ses-([a-z]{2}(?:-[a-z]+)+-\d+)$/.exec(name)?.[1]
  if (region === undefined) return undefined
  return starttls('Amazon SES', `email-smtp.${region}.amazonaws.com`, { headers: SES_HEADERS, hook: 'ses' })
}
