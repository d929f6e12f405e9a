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
    `${domain} ist noch nicht bestätigt: Mails von dort werden abgelehnt, bis die Einträge gefunden sind. Diese Seite muss darauf nicht warten.`,
  testServer: 'Stattdessen eine Testmail über den Mailserver senden',
  finish: 'Fertig',
  nameHint: 'Ihr Team sieht ihn hier. Empfänger sehen ihn als Absender von Mails, die keinen nennen.',
  goOn: 'Veröffentlichen Sie die Einträge unten dort, wo die Domain verwaltet wird: bei der Firma, bei der Sie sie gekauft haben, oder bei Ihrem Webhoster. Diese Seite prüft laufend. Sie können inzwischen den Absender festlegen und mit den anderen Schritten weitermachen; Mails von dieser Domain gehen hinaus, sobald sie bestätigt ist.',
  senderLater:
    'Bestätigt heißt: Empfänger können prüfen, dass die Mail von Ihnen ist. Sie trägt Ihre Signatur und gilt kaum als Spam. Sie können schon jetzt eine Adresse der Domain wählen; sie gilt, sobald die Domain bestätigt ist.',
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
