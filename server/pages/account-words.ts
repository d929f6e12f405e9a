import { knownLanguage } from '../../core/accounts/letters.ts'
import { quotedName } from '../../core/values/quoted-name.ts'

/** An invitation as its page shows it. */
export interface Invited {
  readonly email: string
  readonly project: string
  readonly inviter?: string
}

/** The words of the pages about accounts, in one language. */
export interface AccountWords {
  readonly language: string
  readonly fields: Readonly<Record<'password' | 'name' | 'email' | 'code', string>>
  readonly setUp: { readonly title: string; readonly sentence: string; readonly button: string }
  readonly welcome: {
    readonly title: string
    sentence(email: string): string
    /** The projects that the first user owns: at most ten names, and how many more there are. */
    owns(names: readonly string[], more: number): string
  }
  readonly isSetUp: { readonly title: string; readonly sentence: string }
  readonly verify: {
    readonly title: string
    sentence(email: string): string
    readonly button: string
    readonly thanks: string
    readonly done: string
  }
  readonly reset: {
    readonly title: string
    sentence(email: string): string
    readonly button: string
    readonly done: string
    readonly doneSentence: string
  }
  readonly invite: {
    readonly title: string
    sentence(invited: Invited): string
    readonly hint: string
    readonly button: string
    readonly welcome: string
    readonly done: string
  }
  readonly code: { readonly title: string; readonly sentence: string; readonly button: string; readonly wrong: string }
  readonly loggedIn: { readonly title: string; readonly sentence: string }
  readonly notLoggedIn: string
  readonly tooLate: string
  readonly dead: { readonly title: string; readonly sentence: string }
  readonly client: { readonly title: string; readonly sentence: string; readonly noDashboard: string }
  readonly logIn: string
  readonly goOn: string
  readonly back: string
  /** The reason why a form was refused: the fields that were wrong, or the one message of the whole, in the server's words. */
  problem(fields: readonly { readonly field: string; readonly message: string }[], message: string): string
}

const en: AccountWords = {
  language: 'en',
  fields: {
    password: 'Password, at least 8 characters',
    name: 'Your name',
    email: 'E-mail address, to log in with',
    code: 'Code',
  },
  setUp: {
    title: 'Welcome to Mailwright',
    sentence: 'This server has no user yet. Make the first account, which will own its projects.',
    button: 'Set up this server',
  },
  welcome: {
    title: 'This server is set up',
    sentence: (email) => `You are logged in as ${email}.`,
    owns: (names, more) =>
      `You own ${names.map((name) => `“${name}”`).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`,
  },
  isSetUp: {
    title: 'This server is set up',
    sentence: 'It has a user already. Log in, or ask to be invited to a project.',
  },
  verify: {
    title: 'Confirm your address',
    sentence: (email) => `Is ${email} your address, and did you sign up here?`,
    button: 'Confirm the address',
    thanks: 'Thank you',
    done: 'Your address is confirmed.',
  },
  reset: {
    title: 'Set a new password',
    sentence: (email) => `For the account of ${email}.`,
    button: 'Set the password',
    done: 'Your password is set',
    doneSentence: 'Log in with your new password. All earlier sessions have ended.',
  },
  invite: {
    title: 'Join a project',
    sentence: ({ email, project, inviter }) =>
      `${email} is invited${inviter === undefined ? '' : ` by ${inviter}`} to a project called ${quotedName(project)}.`,
    hint: 'If you have an account, log in instead: the invitation waits there.',
    button: 'Accept the invitation',
    welcome: 'Welcome',
    done: 'You are a member now.',
  },
  code: {
    title: 'One more step',
    sentence: 'Type a code of your authenticator, or a recovery code.',
    button: 'Log in',
    wrong: 'The code is wrong, or was used before.',
  },
  loggedIn: { title: 'You are logged in', sentence: 'You can close this page.' },
  notLoggedIn: 'You are not logged in',
  tooLate: 'This login is too old. Log in again.',
  dead: { title: 'This link does not work', sentence: 'It was used, has expired, or was cut off. Ask for a new one.' },
  client: {
    title: 'This program cannot be connected',
    sentence: 'It sent you here with a request that is wrong.',
    noDashboard: 'This server has no dashboard, where you could allow it. Give the program a key.',
  },
  logIn: 'Log in',
  goOn: 'Go to the dashboard',
  back: 'Back',
  problem: (fields, message) =>
    fields.length === 0 ? message : fields.map(({ field, message: why }) => `${field} ${why}`).join(', '),
}

/** The server's refusals of forms, in German. */
const GERMAN_FIELDS: Readonly<Record<string, string>> = {
  password: 'Das Passwort braucht 8 bis 200 Zeichen.',
  name: 'Der Name darf höchstens 200 Zeichen haben.',
  email: 'Das ist keine E-Mail-Adresse.',
}
const GERMAN_MESSAGES: Readonly<Record<string, string>> = {
  'There is an account with this e-mail address.':
    'Zu dieser Adresse gibt es schon ein Konto. Melden Sie sich an, oder lassen Sie sich ein neues Passwort schicken.',
  'There is an account with this address.':
    'Zu dieser Adresse gibt es schon ein Konto. Melden Sie sich an: Die Einladung wartet dort.',
  'This server already has a user, so its set-up link no longer works.':
    'Dieser Server hat schon ein Konto, der Link zum Einrichten gilt nicht mehr.',
  'The provider did not log you in.': 'Der Anbieter hat Sie nicht angemeldet. Melden Sie sich noch einmal an.',
  'The provider could not be reached, or did not confirm who you are.':
    'Der Anbieter war nicht zu erreichen oder hat nicht bestätigt, wer Sie sind. Melden Sie sich noch einmal an.',
}

const de: AccountWords = {
  language: 'de',
  fields: {
    password: 'Passwort, mindestens 8 Zeichen',
    name: 'Ihr Name',
    email: 'E-Mail-Adresse, mit der Sie sich anmelden',
    code: 'Code',
  },
  setUp: {
    title: 'Willkommen bei Mailwright',
    sentence: 'Dieser Server hat noch kein Konto. Legen Sie das erste an: Ihm gehören seine Projekte.',
    button: 'Diesen Server einrichten',
  },
  welcome: {
    title: 'Dieser Server ist eingerichtet',
    sentence: (email) => `Sie sind als ${email} angemeldet.`,
    owns: (names, more) =>
      `${names.length > 1 ? 'Ihnen gehören' : 'Ihnen gehört'} ${names.map((name) => `„${name}“`).join(', ')}${more > 0 ? ` und ${more} weitere` : ''}.`,
  },
  isSetUp: {
    title: 'Dieser Server ist eingerichtet',
    sentence: 'Er hat schon ein Konto. Melden Sie sich an, oder lassen Sie sich in ein Projekt einladen.',
  },
  verify: {
    title: 'Adresse bestätigen',
    sentence: (email) => `Ist ${email} Ihre Adresse, und haben Sie sich hier registriert?`,
    button: 'Adresse bestätigen',
    thanks: 'Danke',
    done: 'Ihre Adresse ist bestätigt.',
  },
  reset: {
    title: 'Neues Passwort setzen',
    sentence: (email) => `Für das Konto von ${email}.`,
    button: 'Passwort setzen',
    done: 'Ihr Passwort ist gesetzt',
    doneSentence: 'Melden Sie sich mit dem neuen Passwort an. Alle früheren Sitzungen sind beendet.',
  },
  invite: {
    title: 'Einem Projekt beitreten',
    sentence: ({ email, project, inviter }) =>
      `${email} ist${inviter === undefined ? '' : ` von ${inviter}`} in ein Projekt namens ${quotedName(project).replace(/^“|”$/g, (mark) => (mark === '“' ? '„' : '“'))} eingeladen.`,
    hint: 'Wenn Sie ein Konto haben, melden Sie sich stattdessen an: Die Einladung wartet dort.',
    button: 'Einladung annehmen',
    welcome: 'Willkommen',
    done: 'Sie sind jetzt Mitglied.',
  },
  code: {
    title: 'Noch ein Schritt',
    sentence: 'Geben Sie einen Code Ihrer Authenticator-App oder einen Wiederherstellungscode ein.',
    button: 'Anmelden',
    wrong: 'Der Code ist falsch oder wurde schon benutzt.',
  },
  loggedIn: { title: 'Sie sind angemeldet', sentence: 'Sie können diese Seite schließen.' },
  notLoggedIn: 'Sie sind nicht angemeldet',
  tooLate: 'Diese Anmeldung ist zu alt. Melden Sie sich noch einmal an.',
  dead: {
    title: 'Dieser Link gilt nicht',
    sentence: 'Er wurde schon benutzt, ist abgelaufen oder unvollständig. Lassen Sie sich einen neuen schicken.',
  },
  client: {
    title: 'Dieses Programm kann nicht verbunden werden',
    sentence: 'Es hat Sie mit einer falschen Anfrage hierher geschickt.',
    noDashboard:
      'Dieser Server hat kein Dashboard, in dem Sie es erlauben könnten. Geben Sie dem Programm einen Schlüssel.',
  },
  logIn: 'Anmelden',
  goOn: 'Zum Dashboard',
  back: 'Zurück',
  problem: (fields, message) =>
    fields.length > 0
      ? fields.map(({ field, message: why }) => GERMAN_FIELDS[field] ?? `${field}: „${why}“`).join(' ')
      : (GERMAN_MESSAGES[message] ?? `Das geht nicht: „${message}“`),
}

/** The words in the first of these languages that there is, else in English. */
export function accountWords(languages: readonly string[]): AccountWords {
  return knownLanguage(...languages) === 'de' ? de : en
}
