import type { suppressions as english } from '../en/suppressions.ts'
import type { Widened } from '../types.ts'

export const suppressions: Widened<typeof english> = {
  title: 'Sperrliste',
  hint: 'Diese Adressen erhalten keine Mails, gleich welcher Art: Sie sind dauerhaft unzustellbar, haben sich beschwert oder wurden von Hand eingetragen.',
  add: 'Adresse sperren',
  added: (email) => `${email} erhält keine Mails mehr.`,
  email: 'Adresse',
  reason: 'Grund',
  detail: 'Details',
  detailHint: 'Der Anlass, für alle, die später hier nachsehen.',
  import: 'Importieren',
  importHint:
    'Eine CSV-Datei mit einer Spalte für Adressen, bis 5 MB. Die Listen von SendGrid, Mailgun, Amazon SES und anderen passen, wie sie sind.',
  importReason: 'Für Zeilen, die keinen nennen.',
  drop: 'CSV-Datei hierher ziehen',
  choose: 'Datei wählen',
  imported: (made, known, refused) =>
    [
      `${made} hinzugefügt`,
      ...(known === '0' ? [] : [`${known} schon bekannt`]),
      ...(refused === '0' ? [] : [`${refused} abgelehnt`]),
    ]
      .join(', ')
      .concat('.'),
  row: (n) => `Zeile ${n}`,
  since: 'Seit',
  until: 'Bis',
  forGood: 'Dauerhaft',
  empty: 'Keine Adresse gesperrt',
  emptyHint: 'Adressen kommen von selbst hierher, wenn sie dauerhaft unzustellbar sind oder Mails als Spam melden.',
  removeTitle: (email) => `${email} von der Sperrliste nehmen?`,
  removeHint:
    'Mails an diese Adresse wurden abgelehnt oder als Spam gemeldet. Ein neuer Versand dorthin kann der Zustellung aller Ihrer Mails schaden.',
  removed: (email) => `${email} kann wieder Mails erhalten.`,
}
