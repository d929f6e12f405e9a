import type { Texts } from '../types.ts'
import { type InGerman, saidInGerman } from './said-in-german.ts'

/** Warum ein anderer Server nicht erreicht wurde. Worte von Programmen und von anderen Servern werden zitiert. */
export const reasons: Texts['reasons'] = (reason) => {
  const known = saidInGerman(reason, REASONS)
  return known === reason ? `„${reason}“` : known
}

const REASONS: InGerman = [
  ['there is no address of (.+)', 'zu $1 gibt es keine Adresse'],
  ['could not resolve (.+)', 'die Adresse von $1 war nicht herauszufinden'],
  ['it leads on to no address', 'die Weiterleitung führt zu keiner Adresse'],
  ['was given up', 'es wurde abgebrochen'],
  ['took longer than (\\d+) ms', 'es hat länger als $1 ms gedauert'],
  ['no answer within .*', 'es kam rechtzeitig keine Antwort'],
  ['the header (.+) cannot be sent', 'die Kopfzeile $1 lässt sich nicht senden'],
  ['a redirect leads from https to http', 'eine Weiterleitung führt von https zu http'],
  ['the address is not a URL', 'die Adresse ist keine URL'],
  ['only http and https are allowed, not (.+)', 'nur http und https sind erlaubt, nicht $1'],
  [
    'the address must not contain a user name or a password',
    'die Adresse darf weder Benutzernamen noch Passwort enthalten',
  ],
  ['redirects more than (\\d+) times', 'mehr als $1 Weiterleitungen'],
  ['the connection was closed', 'die Verbindung wurde geschlossen'],
  ['the connection leads to an address that may not be reached', 'diese Adresse darf nicht erreicht werden'],
  ['(.+) is at an address that may not be reached .*', '$1 hat eine Adresse, die nicht erreicht werden darf'],
  ['could not connect: (.+)', 'keine Verbindung („$1“)'],
  ['TLS: (.+)', 'die verschlüsselte Verbindung kam nicht zustande („$1“)'],
  ['the answer with status (\\d+) was not complete: (.+)', 'die Antwort mit Status $1 kam nicht ganz an („$2“)'],
]
