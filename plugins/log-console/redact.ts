/** The longest text that is logged, in characters: what is searched for below takes time with each of them. */
const LONGEST = 16_000

/**
 * Secrets that give access to something, by their form, since they may stand anywhere in a message, a stack or a
 * server's reply.
 */
const SECRETS = new RegExp(
  [
    // keys of the API, secrets of webhooks
    String.raw`(?<=\b(?:sk|pk|whsec)_)[\w+/=-]{8,}`,
    // credentials of HTTP (RFC 9110, section 11.4), and tokens of OpenID Connect
    String.raw`(?<=\b(?:Bearer|Basic) {1,4})[\w.~+/=-]{6,}`,
    String.raw`\beyJ[\w-]{8,2000}\.[\w-]{1,4000}\.[\w-]*`,
    // the password in a URL, as of a database or a proxy
    String.raw`(?<=:\/\/[^\s/@:]{0,100}:)[^\s/@]{1,200}(?=@)`,
    // links of mails and the session
    String.raw`(?<=\/(?:unsubscribe|subscribe|manage|view|t\/[oc]|attachments|verify-email|reset-password|accept-invite)\/)[\w.%~-]{8,}`,
    String.raw`(?<=\bmailwright_session=)[^\s;"]+`,
  ].join('|'),
  'gi',
)

/** Each of those has one of these; most texts, such as ids, have none, and are not searched. */
const SUSPICIOUS = /[_/:=]|eyJ|bearer|basic/i

/** The text before the @ of an address (RFC 5321, section 4.1.2), also of one in a path. */
const LOCAL_PART = /(?:"[^"\n]{1,64}"|[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64})(?=(?:@|%40)[\p{L}\p{N}[])/giu

const HIDDEN = '[redacted]'

/** Fields whose values are never logged, at any depth. */
const SECRET_NAMES =
  /^(?:(?:set-)?cookie|authorization|pass(?:word|phrase)?|token|(?:client|access|refresh)?_?(?:secret|token)|(?:secret|private|api)_?key)$/i

/** Takes out of a text what must not be logged. */
export type Redact = (text: string) => string

/** Hides keys, tokens and passwords; addresses of people too, up to their domain, unless they may be logged. */
export function redaction({ addresses }: { readonly addresses: boolean }): Redact {
  return (given) => {
    const text = given.length > LONGEST ? `${given.slice(0, LONGEST)} [${given.length - LONGEST} more]` : given
    const open = SUSPICIOUS.test(text) ? text.replace(SECRETS, HIDDEN) : text
    return addresses || !/@|%40/.test(open) ? open : open.replace(LOCAL_PART, HIDDEN)
  }
}

/** A value's text instead of it when its name says that it is a secret. */
export function hidden(name: string): string | undefined {
  return SECRET_NAMES.test(name) ? HIDDEN : undefined
}
