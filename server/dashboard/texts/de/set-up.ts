import type { setUp as english } from '../en/set-up.ts'
import type { Widened } from '../types.ts'

export const setUp: Widened<typeof english> = {
  title: 'Erste Schritte',
  hint: 'Vom leeren Projekt zur ersten Mail. Jeden Schritt können Sie überspringen und später nachholen.',
  steps: { project: 'Projekt', domain: 'Absender', transport: 'Versand', mail: 'Erste Mail' },
  next: 'Speichern und weiter',
  skip: 'Überspringen',
  skipped: 'Übersprungen',
  domainWaits: (domain) =>
    `${domain} ist noch nicht bestätigt. Bis die Einträge gefunden sind, lehnt das Projekt Mails von dort ab.`,
  testedInstead: 'Eine Testmail geht trotzdem: ohne Ihre Signatur, geradewegs über Ihren Mailserver.',
  testServer: 'Stattdessen eine Testmail über den Mailserver senden',
  sendTest: 'Testmail senden',
  finish: 'Fertig',
  nameHint: 'Ihr Team sieht ihn hier. Empfänger sehen ihn als Absender von Mails, die keinen nennen.',
  goOn: 'Veröffentlichen Sie die Einträge unten dort, wo die Domain verwaltet wird: bei der Firma, bei der Sie sie gekauft haben, oder bei Ihrem Webhoster. Diese Seite prüft laufend. Machen Sie inzwischen mit den anderen Schritten weiter, auch Entwürfe können Sie schon schreiben: Mails von dieser Domain gehen hinaus, sobald sie bestätigt ist. Dann trägt jede Ihre Signatur, und Empfänger halten sie kaum für Spam.',
  senderHint:
    'Von welcher Adresse sollen Ihre Mails kommen? Sie muss zu einer Domain gehören, die Ihnen gehört, etwa hallo@ihre-firma.de.',
  freeMail: (domain) =>
    `Unter ${domain} können Sie nicht beweisen, dass eine Mail von Ihnen ist. Nehmen Sie eine Adresse Ihrer eigenen Domain.`,
  transports: 'Wie Mails diesen Server verlassen',
  askOperator: 'Wer diesen Server betreibt, bestimmt, über welchen Mailserver oder Dienst Ihre Mails versendet werden.',
  ownServers: 'Mails dieses Projekts gehen durch eigene Mailserver.',
  toOwnServers: 'Mailserver dieses Projekts',
  outbox:
    'Noch wird nichts versendet: Dieser Server schreibt Mails als Dateien in seinen Ordner outbox. Richten Sie zum Versenden einen Mailserver ein.',
  mailHint: 'Schicken Sie sich selbst eine Mail, um zu sehen, ob alles funktioniert.',
  from: 'Von',
  to: 'An',
  useAsSender: (email) => `Auch Kampagnen von ${email} senden`,
  senderSet: (email) => `Kampagnen beginnen mit ${email} als Absender.`,
  send: 'Senden',
  subject: (project) => `Eine erste Mail von ${project}`,
  words: 'Es funktioniert: Diese Mail hat Ihr eigener Server versendet.',
  by: (transport) => `über ${transport}`,
  seeMail: 'Was die Server dazu gesagt haben',
}
