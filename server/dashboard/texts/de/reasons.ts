import { type Rewordings, reworded } from '../reworded.ts'
import type { Texts } from '../types.ts'

/** Warum etwas nicht ging: Worte des Servers auf Deutsch; Worte von Programmen und von anderen Servern werden zitiert. */
export const reasons: Texts['reasons'] = (reason) => inGerman(reason) ?? `„${reason}“`

/** So endet die Meldung eines Vorgangs, der zum Teil getan ist. */
const STAYS = ' What was done stays done.'

function inGerman(reason: string): string | undefined {
  if (reason.endsWith(STAYS)) {
    const why = inGerman(reason.slice(0, -STAYS.length))
    return why && `${why} Was getan ist, bleibt.`
  }
  const known = reworded(reason, REASONS)
  if (known !== reason) return known
  // der Name eines Schrittes oder eines Versandwegs steht davor
  const [, name = '', rest = ''] = /^([^:]{1,100}): (.+)$/s.exec(reason) ?? []
  const said = rest === '' ? undefined : inGerman(rest)
  return said && `${name}: ${said}`
}

const REASONS: Rewordings = [
  // Zahlen von Anbietern
  [
    'Amazon SES does not tell this server its quota: allow ses:GetAccount',
    'Amazon SES nennt diesem Server sein Kontingent nicht: ses:GetAccount muss erlaubt sein',
  ],
  ['Amazon SES cannot be asked: (.+)', 'Amazon SES ist nicht zu erreichen: $1'],
  ['Amazon SES refuses this server: (.+)', 'Amazon SES weist diesen Server ab: $1'],
  ['The provider has not answered yet\\.', 'Der Anbieter hat noch nicht geantwortet.'],
  // Verbindungen
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
  ['the request has failed', 'die Anfrage ist gescheitert'],
  // Kampagnen
  [
    'It could not be sent at its scheduled time, which is long past\\.',
    'Zur geplanten Zeit ging es nicht, und die ist lange vorbei.',
  ],
  ['None of its mails could be sent\\.', 'Keine ihrer Mails ließ sich senden.'],
  ['(\\d+) of its (\\d+) mails could not be sent\\.', '$1 von $2 Mails ließen sich nicht senden.'],
  [
    '(\\d+) of its first (\\d+) answers are the same refusal: (.+)',
    '$1 der ersten $2 Antworten sind dieselbe Ablehnung: „$3“',
  ],
  [
    'Marketing mail from (\\S+) is stopped: .*',
    'Marketing-Mails von $1 sind angehalten: zu viele Rückläufer oder Beschwerden.',
  ],
  ['The domain (\\S+) is not verified for this project\\.', 'Die Domain $1 ist für dieses Projekt nicht bestätigt.'],
  [
    'The domain (\\S+) is not verified for this project\\. The issue waits until it is\\.',
    'Die Domain $1 ist für dieses Projekt nicht bestätigt. Solange wartet die Ausgabe.',
  ],
  ['No contact in the audience of "(.+)" can be mailed: .*', 'Keiner der Empfänger von „$1“ kann eine Mail bekommen.'],
  // wiederkehrende Kampagnen
  ['The project is disabled\\.', 'Das Projekt ist abgeschaltet.'],
  [
    'The campaign that it is made from was deleted\\. Choose another one\\.',
    'Die Kampagne, aus der sie entsteht, wurde gelöscht. Wählen Sie eine andere.',
  ],
  [
    'The feed cannot be read: its server answers with status (\\d+)\\.',
    'Der Feed ist nicht zu lesen: Sein Server antwortet mit Status $1.',
  ],
  [
    'The feed cannot be read: it is no RSS and no Atom feed\\.',
    'Der Feed ist nicht zu lesen: Er ist weder RSS noch Atom.',
  ],
  ['The feed cannot be read: (.+)\\.', 'Der Feed ist nicht zu lesen („$1“).'],
  // Vorgänge
  ['The file of this import is gone\\.', 'Die Datei dieses Imports ist nicht mehr da.'],
  [
    'Something went wrong here; the error has been logged\\.',
    'Hier ist etwas schiefgegangen; der Fehler steht im Protokoll.',
  ],
  [
    'It was begun (\\d+) times, and each time the process ended or stood still before it was done; it is not tried again\\.',
    'Es wurde $1-mal begonnen, und jedes Mal endete oder stockte der Prozess, bevor es fertig war; noch einmal wird es nicht versucht.',
  ],
  ['The filter cannot be used any more: (.+)', 'Der Filter lässt sich nicht mehr benutzen („$1“).'],
  [
    'The file cannot be read; nothing was imported\\. Row (\\d+): (.+)\\.',
    'Die Datei lässt sich nicht lesen; nichts wurde importiert. Zeile $1: „$2“.',
  ],
  ['The file (.+)\\.', 'Mit der Datei stimmt etwas nicht („$1“).'],
  [
    'Some bytes are no text in this encoding and are stored as \ufffd: (.+)\\.',
    'Einige Bytes sind in dieser Kodierung kein Text und werden zu \ufffd: $1.',
  ],
  // Abläufe
  ['an unexpected error', 'ein unerwarteter Fehler'],
  ['the step it stood on was removed', 'der Schritt, an dem er stand, wurde entfernt'],
  ['The config of this (\\S+) step cannot be read\\.', 'Die Einstellungen dieses Schritts lassen sich nicht lesen.'],
  // Mails
  ['its other recipients are caught', 'die übrigen Empfänger wurden im Testpostfach aufgefangen'],
  ['Too many tries ended without a result\\.', 'Zu viele Versuche endeten ohne Ergebnis.'],
  ['The content of this mail is gone\\.', 'Der Inhalt dieser Mail ist nicht mehr da.'],
  ['The mail could not be made: (.+)', 'Die Mail ließ sich nicht erzeugen („$1“).'],
  ['given up before it was handed over', 'vor der Übergabe abgebrochen'],
  ['the mail server was replaced meanwhile', 'der Mailserver wurde inzwischen ersetzt'],
  [
    'The answer of the transport cannot be read\\. .*',
    'Die Antwort des Mailservers ist nicht zu verstehen. Vielleicht ging die Mail hinaus, deshalb wird sie nicht von selbst noch einmal gesendet.',
  ],
]
