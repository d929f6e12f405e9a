/**
 * Services that forward mail from an address to a mailbox they do not show, by the domains they give out. No package keeps
 * such a list. The sources are the services' own pages and applications, and such addresses in public use; a company's own
 * domain, at which its people have mailboxes, is left out:
 *
 * - SimpleLogin: the domains its application offers (simplelogin.io, github.com/simple-login/app)
 * - Proton Pass: proton.me/support/pass-hide-my-email-aliases
 * - addy.io: addy.io/help (a name below these domains for each user)
 * - Firefox Relay: relay.firefox.com/faq
 * - DuckDuckGo Email Protection: duckduckgo.com/email
 * - Apple, Sign in with Apple: support.apple.com/102548. Aliases of iCloud+ end in icloud.com and look like mailboxes
 * - 33Mail: 33mail.com, erine.email, Burner Mail: burnermail.io, forwardemail.net, Cloaked: cloaked.com,
 *   IronVest (Blur, Abine): ironvest.com, StartMail: startmail.com/features
 */
const SERVICES: Readonly<Record<string, readonly string[]>> = {
  SimpleLogin: [
    ...['simplelogin.com', 'simplelogin.co', 'simplelogin.fr', 'simplelogin.io', 'slmail.me', 'slmails.com'],
    ...['aleeas.com', 'silomails.com', 'dralias.com', '8alias.com', '8shield.net'],
  ],
  'Proton Pass': ['passmail.net', 'passmail.com', 'passinbox.com', 'passfwd.com'],
  'addy.io': ['anonaddy.com', 'anonaddy.me', 'addy.io', 'addy.biz', 'addymail.com', '4wrd.cc', 'mailer.me'],
  'Firefox Relay': ['mozmail.com', 'relay.firefox.com'],
  'DuckDuckGo Email Protection': ['duck.com'],
  'Sign in with Apple': ['privaterelay.appleid.com'],
  '33Mail': ['33mail.com'],
  'erine.email': ['erine.email'],
  'Burner Mail': ['burnermail.io'],
  'Forward Email': ['fe.bar', 'hideaddress.net'],
  Cloaked: ['cloaked.id', 'myclkd.email'],
  IronVest: ['opayq.com'],
  StartMail: ['use.startmail.com'],
}

/** The service that gives out addresses of a domain. */
export const ALIAS_SERVICES: ReadonlyMap<string, string> = new Map(
  Object.entries(SERVICES).flatMap(([service, domains]) => domains.map((domain) => [domain, service] as const)),
)
