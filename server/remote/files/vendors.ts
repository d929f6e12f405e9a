import { fromBrevo, fromKeila, fromMailchimp, fromMailerlite, fromSendy } from './merge-tags.ts'

/** The state of a person at another service. */
export type Standing = 'subscribed' | 'unsubscribed' | 'unconfirmed' | 'bounced' | 'complained' | 'deleted'

/** How the files of another service are read. Names of columns and words are in plain letters, as `plainName` makes them. */
export interface Vendor {
  readonly name: string
  /** Columns that hold the address. */
  readonly email: readonly string[]
  /** Columns that say the state in a word, and the words they have. */
  readonly status: readonly string[]
  readonly words: Readonly<Record<string, Standing>>
  /** Columns that say yes of those who get no mail, and the state that this is. */
  readonly blocked?: readonly string[]
  /** Columns with which a file says the state of all in it. */
  readonly marks?: Readonly<Record<string, Standing>>
  /** Beginnings of file names that say so. */
  readonly files?: readonly (readonly [start: string, standing: Standing])[]
  /** Columns that list groups. */
  readonly groups: readonly string[]
  /** The kind of a group here, and its name where the file has a number alone. */
  readonly groupsAre: 'topics' | 'segments'
  readonly groupName?: (text: string) => string
  /** A column that lists tags, which become a list of the contact's data. */
  readonly tags?: string
  /** A column with the data as JSON. */
  readonly json?: string
  /** Columns that are known here by other names. */
  readonly keys: Readonly<Record<string, string>>
  /** Writes its placeholders in the text of a template as ours. */
  readonly ours: (text: string, keys: Vendor['keys']) => string
  /** Columns that say nothing about a person, or only in that service. */
  readonly ignored: readonly string[]
  /** The advice when a file does not say who is subscribed. */
  readonly advice: string
}

const NAMES = { firstname: 'firstName', lastname: 'lastName', fname: 'firstName', lname: 'lastName', name: 'name' }

const mailchimp: Vendor = {
  name: 'Mailchimp',
  email: ['emailaddress', 'email'],
  status: [],
  words: {},
  marks: { cleantime: 'bounced', unsubtime: 'unsubscribed', optintime: 'subscribed', confirmtime: 'subscribed' },
  files: [
    ['subscribed', 'subscribed'],
    ['unsubscribed', 'unsubscribed'],
    ['nonsubscribed', 'unsubscribed'],
    ['cleaned', 'bounced'],
  ],
  groups: [],
  groupsAre: 'topics',
  tags: 'tags',
  keys: { ...NAMES, cc: 'country', timezone: 'timezone', phonenumber: 'phone', birthday: 'birthday' },
  ours: fromMailchimp,
  ignored: ['memberrating', 'latitude', 'longitude', 'gmtoff', 'dstoff', 'lastchanged', 'leid', 'euid', 'notes'],
  advice: 'name it as Mailchimp does (subscribed_…, unsubscribed_…, cleaned_…), or give --status',
}

const brevo: Vendor = {
  name: 'Brevo',
  email: ['email'],
  status: ['emailmarketing', 'emailmarketingstatus', 'emailstatus', 'status'],
  words: {
    subscribed: 'subscribed',
    active: 'subscribed',
    optin: 'subscribed',
    unsubscribed: 'unsubscribed',
    blocklisted: 'unsubscribed',
    blacklisted: 'unsubscribed',
    optout: 'unsubscribed',
    hardbounce: 'bounced',
    hardbounced: 'bounced',
    bounced: 'bounced',
    complaint: 'complained',
    spam: 'complained',
    neversubscribed: 'unsubscribed',
    unconfirmed: 'unconfirmed',
  },
  blocked: [
    'emailblacklisted',
    'emailblacklist',
    'emailblocklisted',
    'emailblocklist',
    'blacklisted',
    'blocklisted',
    'blacklistedemail',
    'blocklistedemail',
  ],
  groups: ['lists', 'listids', 'listid', 'list', 'listnames'],
  groupsAre: 'segments',
  groupName: (text) => (/^\d+$/.test(text) ? `Brevo list ${text}` : text),
  keys: { ...NAMES, prenom: 'firstName', nom: 'lastName', vorname: 'firstName', nachname: 'lastName', sms: 'phone' },
  ours: fromBrevo,
  ignored: [
    'contactid',
    'id',
    'smsblacklisted',
    'smsblocklisted',
    'smsblacklist',
    'smsmarketing',
    'modifiedtime',
    'whatsapp',
    'whatsappblocklisted',
    'landlinenumber',
    'extid',
  ],
  advice:
    'export it with the status of the subscription (EMAIL_BLACKLISTED, or the “email marketing” status), or give --status',
}

const sendy: Vendor = {
  name: 'Sendy',
  email: ['email', 'emailaddress'],
  status: ['status'],
  words: {
    subscribed: 'subscribed',
    active: 'subscribed',
    unsubscribed: 'unsubscribed',
    unconfirmed: 'unconfirmed',
    bounced: 'bounced',
    hardbounced: 'bounced',
    softbounced: 'subscribed',
    complaint: 'complained',
    complained: 'complained',
    markedasspam: 'complained',
    spam: 'complained',
  },
  groups: ['list', 'lists'],
  groupsAre: 'segments',
  keys: NAMES,
  ours: fromSendy,
  ignored: ['lastactivity', 'id', 'notes'],
  advice: 'Sendy exports each state by itself: give --status',
}

const keila: Vendor = {
  name: 'Keila',
  email: ['email'],
  status: ['status'],
  words: { active: 'subscribed', unsubscribed: 'unsubscribed', unreachable: 'bounced' },
  groups: [],
  groupsAre: 'segments',
  json: 'data',
  keys: { ...NAMES, externalid: 'externalId' },
  ours: fromKeila,
  ignored: ['id', 'insertedat', 'updatedat', 'doubleoptinat'],
  advice: 'export it with the column Status, or give --status',
}

const mailerlite: Vendor = {
  name: 'MailerLite',
  email: ['email', 'subscriber', 'emailaddress'],
  status: ['status', 'type', 'state'],
  words: {
    active: 'subscribed',
    subscribed: 'subscribed',
    unsubscribed: 'unsubscribed',
    unconfirmed: 'unconfirmed',
    bounced: 'bounced',
    junk: 'complained',
    spam: 'complained',
    spamcomplaint: 'complained',
    deleted: 'deleted',
  },
  groups: ['groups', 'group'],
  groupsAre: 'segments',
  keys: { ...NAMES, zip: 'zip', zipcode: 'zip' },
  ours: fromMailerlite,
  ignored: ['id', 'sent', 'opens', 'clicks', 'opensrate', 'clicksrate', 'openrate', 'clickrate', 'updatedat', 'ctor'],
  advice: 'export it with the column Status, or give --status: MailerLite exports what is shown',
}

/** The services whose files are read, by the word of the command line. */
export const VENDORS = { mailchimp, brevo, sendy, keila, mailerlite } as const
export type VendorName = keyof typeof VENDORS
