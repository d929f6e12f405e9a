import type { segments as english } from '../en/segments.ts'
import type { Widened } from '../types.ts'

export const segments: Widened<typeof english> = {
  title: 'Segmente',
  new: 'Neues Segment',
  empty: 'Noch kein Segment',
  emptyHint: 'Ein Segment ist ein Teil Ihrer Kontakte: nach Regeln, immer aktuell, oder von Hand zusammengestellt.',
  name: 'Name',
  description: 'Notizen',
  kind: 'Zusammensetzung',
  byRules: 'Nach Regeln',
  byHand: 'Von Hand',
  members: 'Mitglieder',
  rules: 'Regeln',
  tracked: 'Eintritte und Austritte melden',
  trackedHint: 'Löst jedes Mal ein Ereignis aus, das einen Workflow starten kann.',
  notCounted: 'Das lässt sich nicht zählen, solange eine der Regeln nicht stimmt.',
  count: (n) => (n === '1' ? '1 Mitglied' : `${n} Mitglieder`),
  countNow: 'Jetzt zählen',
  saved: 'Segment gespeichert.',
  made: (name) => `„${name}“ ist angelegt.`,
  delete: 'Löschen',
  deleteTitle: (name) => `Segment „${name}“ löschen?`,
  problem: 'Die Mitglieder werden nicht mehr aktualisiert. Ändern Sie die Regeln, um es noch einmal zu versuchen.',
  meaningChanged:
    'Regeln dieses Segments bedeuten etwas anderes als beim Speichern: „in den letzten“ findet keine künftigen Daten mehr, und ein leerer Text oder eine leere Liste gilt als kein Wert. Sehen Sie die Regeln durch und speichern Sie sie; dann verschwindet dieser Hinweis.',
  deleteHint: 'Die Kontakte bleiben erhalten.',
  deleted: 'Gelöscht.',
  addMembers: 'Mitglieder hinzufügen',
  addresses: 'Adressen, eine pro Zeile',
  createMissing: 'Unbekannte Adressen als Kontakte anlegen',
  added: (added, { already, missing }) =>
    [
      `${added} hinzugefügt`,
      ...(already === undefined ? [] : [`${already} schon dabei`]),
      ...(missing === undefined ? [] : [`${missing} nicht gefunden`]),
    ]
      .join(', ')
      .concat('.'),
  remove: 'Entfernen',
  removed: (n) => `${n} aus dem Segment entfernt.`,
  noMembers: 'Keine Mitglieder',
  changes: 'Eintritte und Austritte',
  entered: 'Eingetreten',
  left: 'Ausgetreten',
  when: 'Wann',
  noneEntered: 'Niemand ist eingetreten, seit Eintritte gemeldet werden.',
  noneLeft: 'Niemand ist ausgetreten, seit Austritte gemeldet werden.',
  address: 'Adresse',
}
