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
  /** The provider's page where the password for SMTP is made. */
  readonly keyPage?: string
  /** The hook of ours that reads its reports. */
  readonly hook?: 'mailgun' | 'postmark' | 'sendgrid' | 'ses'
}

const starttls = (provider: string, host: string, more: Partial<Preset> = {}): Preset =>
  Object.assign({ provider, host, port: 587, secure: false }, more)
const tls = (provider: string, host: string, more: Partial<Preset> = {}): Preset =>
  Object.assign({ provider, host, port: 465, secure: true }, more)

const POSTMARK = {
  user: 'password',
  keyPage: 'https://account.postmarkapp.com/servers',
  headers: { 'X-PM-Metadata-mailwright': '{id}', 'X-PM-KeepID': 'true' },
  hook: 'postmark',
} as const
const SENDGRID = {
  user: 'apikey',
  keyPage: 'https://app.sendgrid.com/settings/api_keys',
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
  brevo: starttls('Brevo', 'smtp-relay.brevo.com', { keyPage: 'https://app.brevo.com/settings/keys/smtp' }),
  'elastic-email': tls('Elastic Email', 'smtp.elasticemail.com'),
  fastmail: tls('Fastmail', 'smtp.fastmail.com', { keyPage: 'https://app.fastmail.com/settings/security' }),
  gmail: starttls('Gmail', 'smtp.gmail.com', { keyPage: 'https://myaccount.google.com/apppasswords' }),
  'google-workspace': starttls('Google Workspace (SMTP relay service)', 'smtp-relay.gmail.com', { needsLogin: false }),
  icloud: starttls('iCloud Mail', 'smtp.mail.me.com', { keyPage: 'https://account.apple.com/account/manage' }),
  ionos: tls('IONOS', 'smtp.ionos.de'),
  'mailbox-org': tls('mailbox.org', 'smtp.mailbox.org'),
  mailersend: starttls('MailerSend', 'smtp.mailersend.net', { keyPage: 'https://app.mailersend.com/domains' }),
  mailgun: starttls('Mailgun (US)', 'smtp.mailgun.org', {
    hook: 'mailgun',
    keyPage: 'https://app.mailgun.com/mg/sending/domains',
  }),
  'mailgun-eu': starttls('Mailgun (EU)', 'smtp.eu.mailgun.org', {
    hook: 'mailgun',
    keyPage: 'https://app.eu.mailgun.com/mg/sending/domains',
  }),
  mailjet: starttls('Mailjet', 'in-v3.mailjet.com', { keyPage: 'https://app.mailjet.com/account/apikeys' }),
  mailtrap: starttls('Mailtrap (transactional)', 'live.smtp.mailtrap.io', { user: 'api' }),
  'mailtrap-bulk': starttls('Mailtrap (bulk)', 'bulk.smtp.mailtrap.io', { user: 'api' }),
  microsoft365: starttls('Microsoft 365 and Outlook.com', 'smtp.office365.com', MICROSOFT),
  ovh: tls('OVHcloud (MX Plan)', 'ssl0.ovh.net'),
  postmark: starttls('Postmark (transactional)', 'smtp.postmarkapp.com', POSTMARK),
  'postmark-broadcasts': starttls('Postmark (broadcasts)', 'smtp-broadcasts.postmarkapp.com', POSTMARK),
  resend: tls('Resend', 'smtp.resend.com', { user: 'resend', keyPage: 'https://resend.com/api-keys' }),
  scaleway: tls('Scaleway Transactional Email', 'smtp.tem.scw.cloud', {
    keyPage: 'https://console.scaleway.com/iam/api-keys',
  }),
  sendgrid: starttls('SendGrid', 'smtp.sendgrid.net', SENDGRID),
  smtp2go: starttls('SMTP2GO', 'mail.smtp2go.com', { keyPage: 'https://app.smtp2go.com/sending/smtp_users/' }),
  sparkpost: starttls('SparkPost (US)', 'smtp.sparkpostmail.com', {
    ...SPARKPOST,
    keyPage: 'https://app.sparkpost.com/account/api-keys',
  }),
  'sparkpost-eu': starttls('SparkPost (EU)', 'smtp.eu.sparkpostmail.com', {
    ...SPARKPOST,
    keyPage: 'https://app.eu.sparkpost.com/account/api-keys',
  }),
  strato: tls('STRATO', 'smtp.strato.de'),
  yahoo: tls('Yahoo Mail', 'smtp.mail.yahoo.com', { keyPage: 'https://login.yahoo.com/account/security' }),
  zoho: tls('Zoho Mail (personal)', 'smtp.zoho.com'),
  'zoho-pro': tls('Zoho Mail (organizations)', 'smtppro.zoho.com'),
} as const satisfies Readonly<Record<string, Preset>>

/** The name of a preset; Amazon SES has one for each of its regions, such as `ses-eu-central-1`. */
export type PresetName = keyof typeof PRESETS | `ses-${string}`

/** The regions of Amazon SES that have SMTP; others of this form are taken as well. */
const SES_REGIONS = [
  ...['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2', 'ca-central-1', 'sa-east-1'],
  ...['eu-central-1', 'eu-central-2', 'eu-west-1', 'eu-west-2', 'eu-west-3', 'eu-north-1', 'eu-south-1'],
  ...['ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2'],
  ...['af-south-1', 'il-central-1', 'me-south-1'],
]

/** All presets by name, in the order in which people choose them: the regions of Amazon SES come last. */
export function allPresets(): readonly (readonly [name: string, preset: Preset])[] {
  const regions = SES_REGIONS.flatMap((region) => {
    const preset = presetOf(`ses-${region}`)
    return preset ? [[`ses-${region}`, { ...preset, provider: `${preset.provider} (${region})` }] as const] : []
  })
  return [...Object.entries<Preset>(PRESETS).toSorted(([, a], [, b]) => compareNames(a, b)), ...regions]
}

function compareNames({ provider: a }: Preset, { provider: b }: Preset): number {
  return a < b ? -1 : 1
}

/** Amazon's own id replaces our Message-ID, so its reports find the mail by this tag. */
const SES_HEADERS = { 'X-SES-MESSAGE-TAGS': 'mailwright-email={id}' }

/** The preset of this name; undefined when there is none. */
export function presetOf(name: string): Preset | undefined {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name as keyof typeof PRESETS]
  const region = /^ses-([a-z]{2}(?:-[a-z]+)+-\d+)$/.exec(name)?.[1]
  if (region === undefined) return undefined
  return starttls('Amazon SES', `email-smtp.${region}.amazonaws.com`, {
    headers: SES_HEADERS,
    hook: 'ses',
    keyPage: `https://${region}.console.aws.amazon.com/ses/home?region=${region}#/smtp`,
  })
}
