/** Hints on a provider's login, by the beginning of its preset's name. */
const APP_PASSWORD =
  'Use an app password, not the one you sign in with. It is made in the security settings of your account.'
const HINTS: Readonly<Record<string, string>> = {
  ses: 'Use the SMTP credentials of Amazon SES, which are not the access keys of your account.',
  brevo: 'The user is the login that Brevo shows under “SMTP & API”, the password an SMTP key from there.',
  elastic: 'Use the SMTP credentials from the settings of Elastic Email.',
  fastmail: APP_PASSWORD,
  gmail: `${APP_PASSWORD} Gmail needs two-step verification for that.`,
  google: 'The SMTP relay service must be turned on in the admin console of Google Workspace.',
  icloud: APP_PASSWORD,
  ionos: 'Use the address and the password of the mailbox. IONOS accepts only senders at the domain of the mailbox.',
  mailbox: 'Use the address and the password of the mailbox; with two-factor authentication, an app password.',
  mailersend: 'Use the SMTP user and password of your domain at MailerSend.',
  mailgun: 'Use the SMTP credentials of your sending domain at Mailgun.',
  mailjet: 'The user is your API key, the password your secret key.',
  mailtrap: 'The password is an API token of your sending domain.',
  microsoft:
    'The mailbox must be allowed to sign in by SMTP (“Authenticated SMTP”), which many organizations turn off.',
  ovh: 'Use the address and the password of the mailbox.',
  postmark: 'The password is the API token of your server at Postmark.',
  resend: 'The password is an API key.',
  scaleway: 'The user is the id of your project, the password a secret key.',
  sendgrid: 'The password is an API key that may send mail.',
  smtp2go: 'Use an SMTP user, which is made under “Sending”.',
  sparkpost: 'The password is an API key that may “Send via SMTP”.',
  strato: 'Use the address and the password of the mailbox.',
  yahoo: APP_PASSWORD,
  zoho: `${APP_PASSWORD} Accounts in Europe, India and other regions have other hosts: see “More settings”.`,
}

export const mailServers = {
  title: 'Mail servers',
  hint: 'Mail goes through the first that takes it, and through the next while one is away. Changes count at once.',
  provider: 'Provider',
  providerHint: 'Who sends your mail: an e-mail service, or the mailbox that you have.',
  choose: 'Choose a provider',
  noneFound: 'Not in the list: choose “Another mail server”.',
  other: 'Another mail server (SMTP)',
  direct: 'Without a provider: this machine hands mail to the receivers itself',
  directHint:
    'This machine must reach port 25 of other servers, which many hosters open only when asked. The reverse record (PTR) of its address must name it, and the SPF and DKIM records of your sender domains must allow it to send. Begin with little mail: receivers trust a new address only slowly.',
  directMore:
    'More about it, such as how bounces come back: “Sending without a provider” in the documentation (docs/direct.md).',
  machine: 'Name of this machine',
  machineHint: 'Its full name in the DNS, which leads to the address that mail comes from.',
  directAs: (host: string) => `Without a provider, as ${host}`,
  hintOf: (preset: string) => HINTS[preset.split('-')[0] ?? ''] ?? '',
  keyPage: (provider: string) => `Where to find it at ${provider}`,
  host: 'Server',
  port: 'Port',
  security: 'Encryption',
  securities: { starttls: 'STARTTLS', tls: 'TLS from the start', none: 'None if need be' },
  user: 'User',
  userHint: 'Often your e-mail address.',
  password: 'Password or key',
  passwordHint: 'It is stored encrypted and never shown again.',
  passwordStored: 'One is stored. Leave this empty to keep it.',
  more: 'More settings',
  name: 'Name',
  nameHint: 'What lists and records call it. Leave empty for the name of the provider.',
  directNameHint: 'What lists and records call it. Leave empty for the name of this machine.',
  test: 'Try it before you save',
  testConnection: 'Test the connection',
  testTo: 'Test mail to',
  testFrom: 'From',
  sendTest: 'Send a test mail',
  works: 'The server can be reached and takes the login.',
  directWorks: 'Mail servers of large receivers answer, and the name of this machine leads to an address.',
  worksWithoutLogin:
    'The server can be reached. No user was given, so no login was tried: most servers take mail only from those who log in.',
  sent: (to: string) => `The server took the test mail to ${to}. Look into your inbox, and into the spam folder.`,
  failed: 'The server cannot be used like this.',
  mailRefused: 'The login works, but the server refused the mail. Often it does not allow this sender.',
  directRefused: 'The server of the recipient did not take the mail.',
  said: (reason: string) => `In detail: ${reason}`,
  troubles: {
    'host-unknown': 'There is no server of this name. Is it spelled right?',
    dns: 'The name of the server could not be looked up: the name server does not answer.',
    forbidden: 'This address is in a private network. Only the person who runs this server may use it.',
    'port-refused': 'Nothing answers at this port. Is the port right? Usual ones are 587 and 465.',
    unreachable: 'The server cannot be reached from here.',
    'no-answer': 'The server does not answer. A firewall may be in the way; some hosters block outgoing mail.',
    'no-greeting': 'The server says nothing. If the port is 465, choose “TLS from the start”.',
    http: 'A web server answers at this port, not a mail server. Usual ports are 587 and 465.',
    'not-tls': 'This port does not begin with TLS: choose STARTTLS.',
    'closed-before-tls':
      'The server closed the connection instead of beginning with TLS. It may want STARTTLS at this port: choose that.',
    'no-starttls':
      'The server offers no encryption (STARTTLS). Choose “TLS from the start” with port 465, or “None if need be” on a line that you trust.',
    'wants-tls': 'The server wants an encrypted connection: choose STARTTLS.',
    'certificate-name': 'The certificate of the server is for another name: use the name that the provider gives.',
    'certificate-expired': 'The certificate of the server has expired. Its operator has to renew it.',
    certificate: 'The certificate of the server is not trusted.',
    tls: 'The encryption could not be agreed on.',
    login: 'The server refused the user or the password.',
    'no-login': 'The server offers no login here. Leave user and password empty, or choose an encryption.',
    'turned-away': 'The server does not want to talk to this one.',
    closed: 'The server closed the connection.',
  },
  /** Where they are others without a provider. */
  directTroubles: {
    'host-unknown':
      'The name of this machine leads nowhere: it has no address record (A) in the DNS. Is it spelled right?',
    dns: 'Names could not be looked up: the name server of this machine does not answer, or not rightly.',
    'no-answer':
      'No mail server answers at port 25. Many hosters block it until you ask them to open it. Otherwise send through a provider.',
    'turned-away': 'A large receiver does not want to talk to this machine. Its address may be on a block list.',
  },
  /** Results of a test that may keep mail from arriving. */
  directWarnings: {
    'leads-elsewhere':
      'The name leads to another address than the one that receivers see. Correct its address record (A), or type another name.',
    'no-reverse':
      'The reverse record (PTR) of the address does not name this machine, so many receivers refuse its mail. Your hoster sets that record.',
  },
  save: 'Test and save',
  outrun: 'You changed something during the test, so its result no longer counts, and nothing was saved. Test again.',
  saveAnyway: 'Save all the same',
  outbox:
    'No mail server yet: mail is written to a folder of this server, and nobody gets it. Add one to send for real.',
  setBy: (place: string) =>
    `How mail leaves this server is set where it is started (${place}), and that wins. Mail servers that you add here are used once it is removed there.`,
  setByCode: 'The app around this server decides how mail leaves it.',
  code: 'the app around it',
  /** Which way the mail of the project goes. */
  ways: {
    installation:
      'This project has no mail server of its own in use: its mail goes through those of this installation.',
    folder:
      'No mail server is set: mail of this project is written to a folder of this server, and nobody gets it. Add one to send for real.',
    nowhere: 'This project has no mail server: its mail waits until there is one.',
  },
  forbidden: 'The operator of this server does not let projects have mail servers of their own.',
  removeOwnHint:
    'Its password is deleted, too. Without another one, mail goes through those of this installation, or waits where there are none.',
  ownHint:
    'They take the mail of this project, and of no other, before those of this installation. Mail goes through the first that takes it, and through the next while one is away.',
  addAnother: 'Add another mail server',
  sealed: 'Passwords are stored encrypted with the secret of this server (SECRET).',
  sealedBeside:
    'Passwords are stored encrypted. As this server was given no secret of its own (SECRET), the key is kept in the same database.',
  use: (name: string) => `Send through ${name}`,
  up: (name: string) => `Use ${name} earlier`,
  edit: (name: string) => `Change ${name}`,
  remove: (name: string) => `Delete ${name}`,
  removeTitle: (name: string) => `Delete ${name}?`,
  removeHint: 'Its password is deleted, too. Without any mail server, mail is written to a folder and reaches nobody.',
  removed: 'Deleted.',
  changed: 'Changed. It counts at once.',
  address: 'Public address',
  addressHint:
    'Where readers reach this server: links to unsubscribe, pictures and counted clicks lead there. Leave empty for the address it listens at.',
  addressNow: (url: string) => `Links lead to ${url} now.`,
  addressLost: 'Only this machine can open that address. Newsletters are refused until readers can unsubscribe there.',
  addressSetBy: (url: string, place: string) =>
    `Links lead to ${url}. That is set where the server is started (${place}).`,
}
