import type { Texts } from '../types.ts'

const TABS: Readonly<Record<string, string>> = {
  primary: 'Tab „Allgemein“',
  promotions: 'Tab „Werbung“',
  social: 'Tab „Soziale Netzwerke“',
  updates: 'Tab „Benachrichtigungen“',
  forums: 'Tab „Foren“',
}

/** Die Worte der Seed-Liste. */
export const seeds: Texts['seeds'] = {
  title: 'Wo die Mail landet',
  hint: 'Eigene Adressen, zum Beispiel bei Gmail, Outlook oder GMX. Bevor die Leser eine Kampagne bekommen, kann sie an diese Adressen gehen: Ihre Postfächer werden gelesen, und die Prüfung der Kampagne zeigt, ob die Mail im Posteingang oder im Spam liegt. Dort wird nichts verändert.',
  add: 'Postfach hinzufügen',
  address: 'Adresse',
  host: 'IMAP-Server',
  user: 'Benutzer',
  userHint: 'Leer lassen, wenn es die Adresse ist.',
  password: 'Passwort',
  passwordHint:
    'Die meisten Anbieter verlangen ein App-Passwort. Es wird verschlüsselt gespeichert und nie wieder gezeigt.',
  none: 'Keine Postfächer',
  noneHint: 'Eigene Postfächer bei Anbietern zeigen, ob Mails im Posteingang oder im Spam landen.',
  remove: 'Entfernen',
  removeTitle: (address) => `${address} entfernen?`,
  removeHint: 'Auch das Passwort wird entfernt.',
  removed: 'Das Postfach ist entfernt.',
  testHint:
    'Sendet diese Mail ohne Kennzeichen an eigene Postfächer bei Anbietern und sucht sie dort. Sie zählt in keiner Statistik.',
  start: 'An die Postfächer senden',
  started: 'Die Mail ist unterwegs. Jede Minute wird in den Postfächern nachgesehen.',
  lastTest: 'Letzter Test',
  lastTestOf: (variant) => `Letzter Test, von Variante ${variant}`,
  mailbox: 'Postfach',
  landed: 'Gelandet in',
  folder: 'Ordner',
  arrived: 'Angekommen',
  missing: (minutes) => (minutes === 1 ? 'Nach einer Minute nicht da' : `Nach ${minutes} Minuten nicht da`),
  outcomes: {
    waiting: 'Noch nicht da',
    inbox: 'Posteingang',
    tab: 'Tab des Posteingangs',
    spam: 'Spam',
    other: 'Anderer Ordner',
    missing: 'Nicht da',
    unreadable: 'Postfach nicht lesbar',
    unsent: 'Nicht gesendet',
  },
  tab: (name) => TABS[name] ?? name,
}
