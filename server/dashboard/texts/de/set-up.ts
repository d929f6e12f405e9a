import type { setUp as english } from '../en/set-up.ts'
import type { Widened } from '../types.ts'

export const setUp: Widened<typeof english> = {
  title: 'Erste Schritte',
  hint: 'Vom leeren Projekt zur ersten Mail. Jeden Schritt können Sie überspringen und später nachholen.',
  steps: { project: 'Projekt', domain: 'Absender', transport: 'Versand', mail: 'Erste Mail' },
  next: 'Speichern und weiter',
  skip: 'Überspringen',
  finish: 'Fertig',
  nameHint: 'Ihr Team sieht ihn hier. Empfänger sehen ihn als Absender von Mails, die keinen nennen.',
  goOn: 'Veröffentlichen Sie die Einträge unten dort, wo Ihre Domain verwaltet wird: bei der Firma, bei der Sie sie gekauft haben, oder bei Ihrem Webhoster. Hier wird weiter geprüft. Bis sie gefunden sind, werden Mails von dieser Domain abgelehnt; überspringen Sie den Schritt solange und probieren Sie die anderen.',
  senderLater:
    'Sobald die Domain bestätigt ist, kann eine ihrer Adressen der Absender sein: Ihre Mail trägt dann ihre Signatur, und Empfänger vertrauen ihr. Bis dahin gehen nur Adressen, denen dieser Server vertraut.',
  transports: 'Wie Mails diesen Server verlassen',
  askOperator: 'Wer diesen Server betreibt, bestimmt, über welchen Mailserver oder Dienst Ihre Mails versendet werden.',
  outbox:
    'Noch wird nichts versendet: Dieser Server schreibt Mails als Dateien in seinen Ordner outbox. Richten Sie zum Versenden einen Mailserver ein.',
  mailHint: 'Schicken Sie sich selbst eine Mail, um zu sehen, ob alles funktioniert.',
  from: 'Von',
  to: 'An',
  send: 'Senden',
  subject: (project) => `Eine erste Mail von ${project}`,
  words: 'Es funktioniert: Diese Mail hat Ihr eigener Server versendet.',
  by: (transport) => `über ${transport}`,
  seeMail: 'Was die Server dazu gesagt haben',
}
