import { USER_LANGUAGES, type UserLanguage } from '../ports/store/users.ts'
import type { ReportAlert } from '../reports/report-alerts.ts'

/** The words of one mail: its texts may have placeholders for its values. */
export interface LetterWords {
  /** The subject line. */
  readonly subject: string
  /** Why the mail came, and what its button does. */
  readonly request: string
  /** The text of the button. */
  readonly button: string
  /** For readers who did not ask for it, or wonder why they get it. */
  readonly ignore: string
}

/** The words of the mails about accounts, in one language. */
export interface AccountLetters {
  /** The language. */
  readonly language: UserLanguage
  /** Asks to confirm an address. */
  readonly verify: LetterWords
  /** Lets a person set a new password. */
  readonly reset: LetterWords
  /** Invites to a project: `inviter` and `project`. */
  readonly invite: LetterWords
  /** The draft of a key waits: `author`, `inbox` and `project`. */
  readonly waiting: LetterWords
  /** To owners: a webhook of the `project` was paused, the `endpoint` for a `reason`. */
  readonly paused: LetterWords
  /** To owners: the `form` of the `project` is attacked. */
  readonly attacked: LetterWords
  /** To owners: mails of the `project` are held back. */
  readonly held: LetterWords
  /** To owners: reports on a `domain` of the `project` bring `news`. */
  readonly reported: LetterWords
  /**
   * To those who run the server: the ramp of a `rule` to a `transport` went back, since of `sent` mails `refused` were, more than `backAt` %.
   */
  readonly wentBack: LetterWords
  /** News in the reports on a domain, as a sentence. */
  alert(news: ReportAlert): string
  /** Why a webhook was paused: by its receiver. */
  readonly gone: string
  /** Why a webhook was paused: since nothing arrives. */
  failingSince(moment: string): string
  /** A key that invites, as the subject of a sentence. */
  readonly program: string
  /** A person who invites, and whose address may belong to another one. */
  unconfirmed(email: string): string
  /** A name in the quotation marks of the language, from one in English ones. */
  quoted(name: string): string
}

const EN: AccountLetters = {
  language: 'en',
  verify: {
    subject: 'Confirm your e-mail address',
    request: 'Someone, probably you, signed up with this address. Confirm that it is yours.',
    button: 'Confirm the address',
    ignore: 'If you did not sign up, ignore this mail. The address cannot be confirmed without you.',
  },
  reset: {
    subject: 'Set a new password',
    request: 'Someone, probably you, asked for a new password for your account. The link works for an hour.',
    button: 'Set a new password',
    ignore: 'If you did not ask for it, ignore this mail: your password will not change.',
  },
  invite: {
    subject: 'You are invited to a project',
    request: '{{ inviter }} has invited you to a project called {{ project }}. The link works for seven days.',
    button: 'Accept the invitation',
    ignore: 'If you do not know this person, ignore this mail. Nothing happens without you.',
  },
  waiting: {
    subject: 'A mail waits for your approval',
    request:
      '{{ author }} has written a mail in the inbox {{ inbox }} of the project {{ project }}. It is sent when a member approves it. The dashboard shows it beside its conversation, with the other mails that wait.',
    button: 'Look at what waits',
    ignore: 'You get this mail because you may approve mail of this inbox, at most once an hour for each inbox.',
  },
  paused: {
    subject: 'A webhook was paused',
    request:
      'The webhook of the project {{ project }} to {{ endpoint }} was paused: {{ reason }} Events are not sent to it until it is switched on again, and are not sent later.',
    button: 'Open the dashboard',
    ignore: 'You get this mail because you own the project, at most once a day for each webhook.',
  },
  attacked: {
    subject: 'A form is attacked',
    request:
      'Programs send the form {{ form }} of the project {{ project }} very often. What is over the limits is refused, and no address is mailed more than once a day. Look at what was taken, and switch the form off if you can do without it.',
    button: 'Open the dashboard',
    ignore: 'You get this mail because you own the project, at most once a day for each form.',
  },
  held: {
    subject: 'Confirmation mails are held back',
    request:
      'The project {{ project }} was asked for more mails than this server allows within an hour or a day: mails that confirm a sign-up, or by which people leave. The others were not sent. What forms took is kept, and whoever sends one again later is mailed. It may be an attack. If they are people, the operator can raise strangers.mailsPerHour and strangers.mailsPerDay.',
    button: 'Open the dashboard',
    ignore: 'You get this mail because you own the project, at most once a day.',
  },
  reported: {
    subject: 'Mail receivers report trouble with your domain',
    request:
      'Reports of mail receivers on {{ domain }}, a domain of the project {{ project }}, bring news. {{ news }} The dashboard shows who sends in its name, and what to do.',
    button: 'Look at the reports',
    ignore: 'You get this mail because you own the project, at most once a week for each kind of news on a domain.',
  },
  wentBack: {
    subject: 'The ramp of a routing rule went back',
    request:
      'The transport {{ transport }} refused too much of the mail that the rule {{ rule }} moves to it step by step: {{ refused }} of {{ sent }} mails of a day, with bounces that came later; {{ backAt }} % are allowed. All mail of the rule goes as without the ramp again. What was refused is in the list of mails. Once the cause is fixed, start the ramp again on the page with the rules of routing.',
    button: 'Open the rules of routing',
    ignore: 'You get this mail because you run this server, once for each ramp that goes back.',
  },
  alert(news) {
    if (news.kind === 'tls')
      return `Of ${news.sessions} connections to its mail servers, ${news.failed} were not encrypted as they should be.`
    if (news.kind === 'passRate')
      return `Of its own mail of the last week ${news.now} % pass DMARC; in the 30 days before it was ${news.before} %.`
    // strangers choose their names, which may be links or other words
    const who = news.isKnown ? news.name : `A server that is not known (${news.address})`
    return `${who} is new among those who send in its name: ${news.failed} of its ${news.messages} messages fail DMARC.`
  },
  gone: 'The receiver answered 410 Gone.',
  failingSince: (moment) => `Every delivery has failed since ${moment}.`,
  program: 'A program',
  unconfirmed: (email) => `Someone who signed up as ${email}, without confirming that address,`,
  quoted: (name) => name,
}

const DE: AccountLetters = {
  language: 'de',
  verify: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    request:
      'Mit dieser Adresse wurde ein Konto angelegt, wahrscheinlich von Ihnen. Bestätigen Sie, dass es Ihre Adresse ist.',
    button: 'Adresse bestätigen',
    ignore:
      'Wenn Sie kein Konto angelegt haben, ignorieren Sie diese Mail. Ohne Sie lässt sich die Adresse nicht bestätigen.',
  },
  reset: {
    subject: 'Setzen Sie ein neues Passwort',
    request:
      'Für Ihr Konto wurde ein neues Passwort angefordert, wahrscheinlich von Ihnen. Der Link gilt eine Stunde lang.',
    button: 'Neues Passwort setzen',
    ignore: 'Wenn Sie keines angefordert haben, ignorieren Sie diese Mail: Ihr Passwort bleibt, wie es ist.',
  },
  invite: {
    subject: 'Sie sind in ein Projekt eingeladen',
    request: '{{ inviter }} hat Sie in ein Projekt namens {{ project }} eingeladen. Der Link gilt sieben Tage lang.',
    button: 'Einladung annehmen',
    ignore: 'Wenn Sie diese Person nicht kennen, ignorieren Sie diese Mail. Ohne Sie geschieht nichts.',
  },
  waiting: {
    subject: 'Eine Mail wartet auf Ihre Freigabe',
    request:
      '{{ author }} hat im Postfach {{ inbox }} des Projekts {{ project }} eine Mail geschrieben. Sie geht hinaus, sobald ein Mitglied sie freigibt. Das Dashboard zeigt sie neben ihrer Unterhaltung, mit den anderen Mails, die warten.',
    button: 'Ansehen, was wartet',
    ignore:
      'Sie bekommen diese Mail, weil Sie Mails dieses Postfachs freigeben dürfen, höchstens einmal in der Stunde für jedes Postfach.',
  },
  paused: {
    subject: 'Ein Webhook wurde angehalten',
    request:
      'Der Webhook des Projekts {{ project }} an {{ endpoint }} wurde angehalten: {{ reason }} Ereignisse gehen erst wieder dorthin, wenn er eingeschaltet ist. Nachgeholt werden sie nicht.',
    button: 'Dashboard öffnen',
    ignore: 'Sie bekommen diese Mail, weil Ihnen das Projekt gehört, höchstens einmal am Tag für jeden Webhook.',
  },
  attacked: {
    subject: 'Ein Formular wird angegriffen',
    request:
      'Programme senden das Formular {{ form }} des Projekts {{ project }} sehr oft ab. Was über die Grenzen geht, wird abgelehnt, und keine Adresse bekommt mehr als eine Mail am Tag. Sehen Sie sich an, was angenommen wurde, und schalten Sie das Formular ab, wenn Sie es nicht brauchen.',
    button: 'Dashboard öffnen',
    ignore: 'Sie bekommen diese Mail, weil Ihnen das Projekt gehört, höchstens einmal am Tag für jedes Formular.',
  },
  held: {
    subject: 'Bestätigungsmails werden zurückgehalten',
    request:
      'Vom Projekt {{ project }} wurden mehr Mails verlangt, als dieser Server in einer Stunde oder an einem Tag erlaubt: Mails, die eine Anmeldung bestätigen oder mit denen man sich abmeldet. Die übrigen wurden nicht gesendet. Was Formulare angenommen haben, bleibt, und wer später noch einmal eines absendet, bekommt eine Mail. Es kann ein Angriff sein. Wenn es Menschen sind, kann der Betreiber strangers.mailsPerHour und strangers.mailsPerDay erhöhen.',
    button: 'Dashboard öffnen',
    ignore: 'Sie bekommen diese Mail, weil Ihnen das Projekt gehört, höchstens einmal am Tag.',
  },
  reported: {
    subject: 'Empfänger melden Auffälliges zu Ihrer Domain',
    request:
      'In den Berichten der Empfänger über {{ domain }}, eine Domain des Projekts {{ project }}, steht etwas Neues. {{ news }} Das Dashboard zeigt, wer in ihrem Namen sendet und was zu tun ist.',
    button: 'Berichte ansehen',
    ignore:
      'Sie bekommen diese Mail, weil Ihnen das Projekt gehört, höchstens einmal in der Woche für jede Art von Meldung über eine Domain.',
  },
  wentBack: {
    subject: 'Eine schrittweise Umstellung wurde zurückgenommen',
    request:
      'Der Transport {{ transport }} hat von den Mails, die die Regel {{ rule }} schrittweise auf ihn umstellt, zu viele abgelehnt: {{ refused }} von {{ sent }} Mails eines Tages, spätere Bounces mitgezählt; erlaubt sind {{ backAt }} %. Alle Mails der Regel gehen wieder ihren üblichen Weg. Was abgelehnt wurde, steht in der Liste der Mails. Wenn die Ursache behoben ist, beginnen Sie die Umstellung bei den Regeln für den Weg der Mails neu.',
    button: 'Regeln öffnen',
    ignore:
      'Sie bekommen diese Mail, weil Sie diesen Server betreiben, einmal für jede Umstellung, die zurückgenommen wird.',
  },
  alert(news) {
    if (news.kind === 'tls')
      return `Von ${news.sessions} Verbindungen zu ihren Mailservern waren ${news.failed} nicht so verschlüsselt, wie sie sollten.`
    if (news.kind === 'passRate')
      return `Von den eigenen Mails der letzten Woche bestehen ${germanPercent(news.now)} % die DMARC-Prüfung; in den 30 Tagen davor waren es ${germanPercent(news.before)} %.`
    const who = news.isKnown ? news.name : `Ein unbekannter Server (${news.address})`
    return `${who} sendet neu in ihrem Namen: ${news.failed} von ${news.messages} Nachrichten bestehen die DMARC-Prüfung nicht.`
  },
  gone: 'Der Empfänger hat mit 410 (Gone) geantwortet.',
  failingSince: (moment) => `Seit ${moment} ist jede Zustellung gescheitert.`,
  program: 'Ein Programm',
  unconfirmed: (email) => `Eine Person, die sich als ${email} registriert und diese Adresse nicht bestätigt hat,`,
  quoted: (name) => name.replace(/^“|”$/g, (mark) => (mark === '“' ? '„' : '“')),
}

function germanPercent(share: number): string {
  return String(share).replace('.', ',')
}

const LETTERS: Readonly<Record<UserLanguage, AccountLetters>> = { en: EN, de: DE }

/** The first of these language tags in which there are words about accounts; undefined when there are for none. */
export function knownLanguage(...wishes: readonly (string | undefined)[]): UserLanguage | undefined {
  for (const wish of wishes) {
    const tag = wish?.trim().toLowerCase().split(/[-_]/, 1)[0]
    const known = USER_LANGUAGES.find((each) => each === tag)
    if (known !== undefined) return known
  }
  return undefined
}

/** The words in the first of these languages that there is, else in English. */
export function lettersIn(...wishes: readonly (string | undefined)[]): AccountLetters {
  return LETTERS[knownLanguage(...wishes) ?? 'en']
}

/** The language of a new account, by what the browser asks for. */
export function languageOf(languages: readonly string[] = []): { readonly language?: UserLanguage } {
  const language = knownLanguage(...languages)
  return language === undefined ? {} : { language }
}
