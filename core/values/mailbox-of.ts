/** The names of one provider, whose mailboxes are the same under each. */
const SAME_PROVIDER: ReadonlyMap<string, string> = new Map(
  [
    ['gmail.com', 'googlemail.com'],
    ['icloud.com', 'me.com', 'mac.com'],
    ['proton.me', 'protonmail.com', 'pm.me', 'protonmail.ch'],
    ['yandex.ru', 'ya.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'yandex.ua', 'narod.ru'],
  ].flatMap(([first = '', ...others]) => [first, ...others].map((name) => [name, first] as const)),
)

/** Signs that the provider ignores in a local part, beside what follows a plus. */
const UNREAD: ReadonlyMap<string, RegExp> = new Map([
  ['gmail.com', /\./g],
  ['proton.me', /[._-]/g],
  ['yandex.ru', /[.-]/g],
])

/** Providers whose users add a note after a hyphen. */
const HYPHENS = /^yahoo\.[a-z.]+$|^ymail\.com$|^rocketmail\.com$/

/** Users have `anything@name.fastmail.com` beside `name@fastmail.com`. */
const SUBDOMAINS = /^([^.]+)\.(fastmail\.(?:com|fm))$/

/**
 * The mailbox of an address (of `EmailAddress`), as far as its provider is known: several addresses lead to one. What
 * follows a plus is a note of its owner nearly everywhere (RFC 5233). For counting alone; mail goes to the address.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const [domain, local] = [email.slice(at + 1), email.slice(0, at)]
  const [, owner, provider] = SUBDOMAINS.exec(domain) ?? []
  if (owner !== undefined && provider !== undefined) return `${owner}@${provider}`
  const name = SAME_PROVIDER.get(domain) ?? domain
  const note = HYPHENS.test(name) ? /[+-].*$/s : /\+.*$/s
  const bare = local.replace(note, '').replace(UNREAD.get(name) ?? '', '')
  // an address such as `+x@example.com` has nothing else to be known by
  return `${bare === '' ? local : bare}@${name}`
}
