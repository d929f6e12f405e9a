import { plainName } from '../../../core/contacts/csv-names.ts'

/* The placeholders of other services in the texts of templates, written as ours. Those that are not known stay, since they are seen then. */

/** The names of fields here, by their plain names there. */
type Keys = Readonly<Record<string, string>>

/** The merge tags of Mailchimp that mean something here. */
const OURS: Readonly<Record<string, string>> = {
  FNAME: '{{ firstName }}',
  LNAME: '{{ lastName }}',
  EMAIL: '{{ email }}',
  UNSUB: '{{ unsubscribeUrl }}',
  UPDATE_PROFILE: '{{ manageUrl }}',
  ARCHIVE: '{{ viewUrl }}',
  'ELSE:': '{% else %}',
  'END:IF': '{% endif %}',
}

/** Those that say what is here anyway: the preheader, and the postal address in the footer. */
const DROPPED = /^(?:MC_PREVIEW_TEXT|LIST:|HTML:|REWARDS|ABUSE_EMAIL|IF:MC_PREVIEW_TEXT)/

/** A text with the merge tags of Mailchimp as placeholders. */
export function fromMailchimp(text: string): string {
  return text.replace(/\*\|([A-Z0-9_:]{1,80})\|\*/g, (tag, name: string) => {
    const ours = OURS[name]
    if (ours !== undefined) return ours
    if (DROPPED.test(name)) return ''
    const condition = /^IF:([A-Z0-9_]+)$/.exec(name)?.[1]
    if (condition !== undefined) return `{% if ${keyOf(condition)} %}`
    return /^[A-Z][A-Z0-9_]*$/.test(name) ? `{{ ${keyOf(name)} }}` : tag
  })
}

function keyOf(name: string): string {
  return name === 'FNAME' ? 'firstName' : name === 'LNAME' ? 'lastName' : name === 'EMAIL' ? 'email' : name
}

const BREVO_LINKS: Readonly<Record<string, string>> = {
  unsubscribe: 'unsubscribeUrl',
  mirror: 'viewUrl',
  update_profile: 'manageUrl',
}

/** A text with the variables of Brevo as placeholders: `{{ contact.FIRSTNAME }}`, `{{ unsubscribe }}`. Its filters stay. */
export function fromBrevo(text: string, keys: Keys): string {
  return text
    .replace(/(\{\{ {0,9}|\{% {0,9}if {1,9})contact\.(\w{1,80})/g, (_, before: string, name: string) => {
      return before + fieldOf(name, keys)
    })
    .replace(/\{\{ {0,9}(unsubscribe|mirror|update_profile) {0,9}\}\}/g, (tag, name: string) =>
      linkOf(BREVO_LINKS[name], tag),
    )
}

/** A text with the variables of Keila as placeholders: `{{ contact.data.city }}`, `{{ unsubscribe_link }}`. */
export function fromKeila(text: string, keys: Keys): string {
  return text
    .replace(
      /(\{\{ {0,9}|\{% {0,9}if {1,9})contact\.(data\.)?(\w{1,80})/g,
      (_, before: string, isData, name: string) => {
        return before + (isData === undefined ? fieldOf(name, keys) : name)
      },
    )
    .replace(/\{\{ {0,9}unsubscribe_link {0,9}\}\}/g, '{{ unsubscribeUrl }}')
}

const MAILERLITE_LINKS: Readonly<Record<string, string>> = {
  unsubscribe: 'unsubscribeUrl',
  url: 'viewUrl',
  preferences: 'manageUrl',
}

/** A text with the variables of MailerLite as placeholders: `{$name|default('friend')}`, `{$unsubscribe}`. */
export function fromMailerlite(text: string, keys: Keys): string {
  const TAG = /\{\$(\w{1,80})(?: {0,9}\| {0,9}default\((?:'([^'"{}]{0,200})'|"([^'"{}]{0,200})")\))? {0,9}\}/g
  return text.replace(TAG, (_, name: string, single?: string, double?: string) => {
    return placeOf(
      (Object.hasOwn(MAILERLITE_LINKS, name) && MAILERLITE_LINKS[name]) || fieldOf(name, keys),
      single ?? double,
    )
  })
}

const SENDY_LINKS: Readonly<Record<string, string>> = { unsubscribe: 'unsubscribeUrl', webversion: 'viewUrl' }

/** A text with the tags of Sendy as placeholders: `[Name,fallback=friend]`, `[Email]`, `<unsubscribe>leave</unsubscribe>`. */
export function fromSendy(text: string, keys: Keys): string {
  return text
    .replace(
      /<(unsubscribe|webversion)>([^<]{0,500})<\/(?:unsubscribe|webversion)>/g,
      (_, name: string, words: string) => {
        return `<a href="{{ ${SENDY_LINKS[name]} }}">${words}</a>`
      },
    )
    .replace(/\[(unsubscribe|webversion)\]/g, (tag, name: string) => linkOf(SENDY_LINKS[name], tag))
    .replace(/\[Email\]/g, '{{ email }}')
    .replace(/\[([^[\],"{}<>]{1,80}),fallback=([^[\]"{}<>]{0,200})\]/g, (_, name: string, other: string) => {
      return placeOf(fieldOf(name, keys), other)
    })
}

/** A field of the contact as placeholders name it. */
function fieldOf(name: string, keys: Keys): string {
  const plain = plainName(name)
  const key = plain === 'email' ? 'email' : Object.hasOwn(keys, plain) ? keys[plain] : name
  return key !== undefined && /^[A-Za-z_]\w*$/.test(key) ? key : `data["${name}"]`
}

function placeOf(name: string, other: string | undefined): string {
  return other ? `{{ ${name} | default: "${other}" }}` : `{{ ${name} }}`
}

function linkOf(ours: string | undefined, tag: string): string {
  return ours === undefined ? tag : `{{ ${ours} }}`
}
