import type { contacts as english } from '../en/contacts.ts'
import { type Rewordings, reworded } from '../reworded.ts'
import type { Widened } from '../types.ts'

export const contacts: Widened<typeof english> = {
  awaited: {
    since: (at) => `Wartet auf Bestätigung seit ${at}`,
    mail: 'Bestätigungsmail',
    send: 'Bestätigungsmail noch einmal senden',
    sent: 'Noch einmal gesendet.',
    again: {
      now: 'Werbung geht an diese Adresse erst, wenn die Person über den Link in der Mail bestätigt.',
      later: 'Die Mail kann einen Tag nach der letzten noch einmal gesendet werden.',
      no: 'Sie wird nicht noch einmal gesendet: Drei blieben ohne Antwort, oder die Adresse ist gesperrt.',
    },
  },
  title: 'Kontakte',
  one: 'Kontakt',
  address: 'Adresse',
  find: 'Adresse suchen',
  new: 'Neuer Kontakt',
  import: 'Importieren',
  export: 'Exportieren',
  empty: 'Noch keine Kontakte',
  emptyHint:
    'Importieren Sie eine Liste oder fügen Sie einen Kontakt von Hand hinzu. Sendet Ihr Programm Mails oder Ereignisse, entstehen Kontakte von selbst.',
  subscribed: 'Angemeldet',
  any: 'Alle',
  onlySubscribed: 'Angemeldet',
  onlyUnsubscribed: 'Nicht angemeldet',
  moreFilters: 'Regeln',
  filtered: 'Regeln aktiv',
  subscribe: 'Anmelden',
  unsubscribe: 'Abmelden',
  delete: 'Löschen',
  addToSegment: 'Zu Segment hinzufügen',
  deleteTitle: (n) => `${n} endgültig löschen?`,
  unsubscribeTitle: (n, shown) => (n === 1 ? '1 Kontakt abmelden?' : `${shown} Kontakte abmelden?`),
  unsubscribeAllHint:
    'Sie erhalten dann keine Marketing-Mails mehr. Das lässt sich nicht in einem Schritt rückgängig machen: Wer sich inzwischen selbst abmeldet, darf nicht zurückgeholt werden.',
  deleteHint:
    'Daten, Ereignisse und Segmentzugehörigkeiten werden entfernt. Die Zahlen der Kampagnen bleiben, ohne Adresse.',
  deleted: 'Gelöscht.',
  added: (email) => `${email} ist jetzt ein Kontakt.`,
  changed: 'Gespeichert.',
  selected: (n) => `${n} ausgewählt`,
  running: 'Läuft',
  bulkDone: (done, failed) => `${done} erledigt, ${failed} fehlgeschlagen.`,
  bulkKept: (n, shown) =>
    n === 1
      ? '1 Kontakt hat sich abgemeldet, ist unzustellbar oder hat sich beschwert und bleibt abgemeldet.'
      : `${shown} Kontakte haben sich abgemeldet, sind unzustellbar oder haben sich beschwert und bleiben abgemeldet.`,
  removeFromSegment: 'Aus Segment entfernen',
  byRules: 'Segmente nach Regeln bestimmen selbst, wer dazugehört:',
  addedTo: (name, added, { already, missing }) =>
    [
      `„${name}“: ${added} hinzugefügt`,
      ...(already === undefined ? [] : [`${already} schon dabei`]),
      ...(missing === undefined ? [] : [`${missing} nicht mehr vorhanden`]),
    ]
      .join(', ')
      .concat('.'),
  removedFrom: (name, n) => `„${name}“: ${n} entfernt.`,
  everyDays: 'Höchstens eine Marketing-Mail in so vielen Tagen',
  everyDaysHint: 'Von 1 bis 366, leer für jede Mail. Kontakte wählen es auf ihrer Seite.',
  consent: 'Einwilligung ins Tracking',
  consents: { full: 'Öffnen und Klicks erfasst', anonymous: 'Nur anonym gezählt', none: 'Nichts erfasst' },
  fields: 'Felder',
  field: 'Feld',
  value: 'Wert',
  addField: 'Feld hinzufügen',
  fieldName: 'Name des Felds',
  removeField: (name) => `${name} entfernen`,
  noFields: 'Noch keine Felder.',
  json: 'Listen und Objekte werden als JSON geschrieben.',
  timeline: 'Verlauf',
  noTimeline: 'Noch nichts passiert.',
  mails: 'Mails',
  noMails: 'Noch keine Mails.',
  segments: 'Segmente',
  noSegments: 'In keinem Segment.',
  unchecked: (names) => `Nicht geprüft werden konnten: ${names}.`,
  noWorkflows: 'Bisher in keinem Workflow.',
  atStep: (step) => `bei „${step}“,`,
  erase: 'Endgültig löschen',
  leftBy: {
    api: 'Von jemandem aus dem Projekt oder einem Programm abgemeldet.',
    link: 'Hat sich selbst abgemeldet.',
    form: 'Über ein Formular abgemeldet.',
    import: 'Durch eine importierte Datei abgemeldet.',
    bulk: 'Zusammen mit anderen abgemeldet.',
    workflow: 'Durch einen Workflow abgemeldet.',
    bounce: 'Abgemeldet, weil eine Mail unzustellbar war.',
    complaint: 'Abgemeldet, weil eine Mail als Spam gemeldet wurde.',
  },
  unsubscribeHint: 'Abgemeldete Kontakte erhalten keine Marketing-Mails. Transaktionsmails kommen weiterhin an.',
  merge: 'Zusammenführen',
  mergeTitle: (email) => `Anderen Kontakt mit ${email} zusammenführen`,
  mergeHint: (email) =>
    `${email} behält Adresse und eigene Daten und bekommt die Geschichte des anderen Kontakts. Von beiden zählt die strengere Einwilligung. Den anderen Kontakt gibt es danach nicht mehr; das lässt sich nicht rückgängig machen.`,
  mergeFrom: 'Der andere Kontakt',
  mergeNow: 'Zusammenführen',
  merged: 'Aus zwei Kontakten ist einer geworden.',
  importTitle: 'Kontakte importieren',
  importHint:
    'Eine CSV-Datei bis 5 MB mit einer Spalte für die Adressen. Bekannte Adressen werden aktualisiert, neue hinzugefügt.',
  drop: 'CSV-Datei hier ablegen oder auswählen',
  choose: 'Datei auswählen',
  another: 'Andere Datei',
  columns: 'Spalten der Datei',
  column: 'Spalte',
  becomes: 'Wird zu',
  becomesWhat: (column) => `Wozu ${column} wird`,
  type: 'Art',
  typeOf: (column) => `Art von ${column}`,
  types: {
    string: 'Text',
    number: 'Zahl',
    boolean: 'Ja oder nein',
    date: 'Datum',
    array: 'Liste',
    object: 'Objekt',
    mixed: 'Gemischt',
  },
  forms: {
    string: 'Text',
    number: 'Zahl',
    'number:point': 'Zahl (1,234.50)',
    'number:comma': 'Zahl (1.234,50)',
    boolean: 'Ja oder nein',
    date: 'Datum',
    'date:ymd': 'Datum (2026-12-31)',
    'date:dmy': 'Datum, Tag zuerst (31/12/2026)',
    'date:mdy': 'Datum, Monat zuerst (12/31/2026)',
  },
  asks: {
    number: (cells) => `Sind das Zahlen, und welches Zeichen trennt die Nachkommastellen? ${cells}`,
    date: (cells) => `Sind das Daten, und was steht zuerst, Tag oder Monat? ${cells}`,
  },
  cellOfRow: (cell, row) => `${cell} (Zeile ${row})`,
  stayText: 'Als Text lassen',
  noRows: 'Die Datei enthält nur die Namen der Spalten und keine Zeile darunter; es gibt nichts zu importieren.',
  addressMissing: 'hat keine Adresse',
  nobodySubscribed: 'Durch diese Datei wird niemand angemeldet.',
  subscribedBy: (n, shown, columns) =>
    n === 1
      ? `1 Person wird angemeldet, wie es in der Datei steht (${columns}).`
      : `${shown} Personen werden angemeldet, wie es in der Datei steht (${columns}).`,
  allSubscribed: (n, shown) =>
    `${n === 1 ? '1 Person wird' : `${shown} Personen werden`} angemeldet, und keine Spalte sagt, dass sie zugestimmt haben. Importieren Sie nur Menschen, die Ihre Mails haben wollen, oder wählen Sie „subscribed“ unter „Wird zu“ bei der Spalte, die es sagt.`,
  newTopic: 'Neues Thema',
  newTopicHint: 'Kontakte sehen es auf der Seite, auf der sie wählen, was sie bekommen.',
  fileKept: (name) =>
    `${name} bleibt mit Ihrer Auswahl einen Tag lang in diesem Browser. Kommen Sie zurück, um weiterzumachen.`,
  goesOn: (name) => `Sie hatten ${name} gewählt. Es geht weiter, wo Sie aufgehört haben.`,
  note: 'Gut zu wissen',
  rows: (n) => (n === '1' ? '1 Zeile' : `${n} Zeilen`),
  cannotImport: 'So lässt sich die Datei nicht importieren',
  columnNote: (note) =>
    note
      .split('; ')
      .map((part) => reworded(part, NOTES))
      .join('; '),
  renameTo: (key) => `Als ${key} speichern`,
  theFile: { file: 'Die Datei', columns: 'Die Wahl der Spalten' },
  noAddress: 'Keine Spalte der Datei wurde als E-Mail-Adresse erkannt.',
  chooseAddress: 'Wählen Sie unter „Wird zu“ bei der Spalte mit den Adressen „email“.',
  outlook: 'Was geschehen wird',
  willCreate: (n, shown) => (n === 1 ? '1 Kontakt kommt hinzu.' : `${shown} Kontakte kommen hinzu.`),
  willUpdate: (n, shown) =>
    n === 1 ? '1 bekannter Kontakt wird aktualisiert.' : `${shown} bekannte Kontakte werden aktualisiert.`,
  willRefuse: (n, shown) => (n === 1 ? '1 Zeile wird abgelehnt.' : `${shown} Zeilen werden abgelehnt.`),
  willUnsubscribe: (n, shown) =>
    n === 1 ? '1 Kontakt wird nicht angemeldet sein.' : `${shown} Kontakte werden nicht angemeldet sein.`,
  willKeep: (n, shown) =>
    n === 1
      ? '1 abgemeldeter Kontakt bleibt abgemeldet, was auch in der Datei steht.'
      : `${shown} abgemeldete Kontakte bleiben abgemeldet, was auch in der Datei steht.`,
  willResubscribe: (n, shown) =>
    n === 1
      ? '1 abgemeldeter Kontakt wird wieder angemeldet.'
      : `${shown} abgemeldete Kontakte werden wieder angemeldet.`,
  encoding: 'Zeichensatz der Datei',
  encodingHint:
    'Stimmen Buchstaben in den Namen oben nicht? Wählen Sie den Zeichensatz, in dem die Datei gespeichert wurde.',
  encodings: {
    'windows-1252': 'Westeuropäisch (Windows-1252)',
    'windows-1250': 'Mitteleuropäisch: Polnisch, Tschechisch, Ungarisch … (Windows-1250)',
    'iso-8859-2': 'Mitteleuropäisch (ISO 8859-2)',
    'windows-1254': 'Türkisch (Windows-1254)',
    'windows-1257': 'Baltisch (Windows-1257)',
    'windows-1251': 'Kyrillisch (Windows-1251)',
    'windows-1253': 'Griechisch (Windows-1253)',
    'utf-8': 'Alle Sprachen (UTF-8)',
  },
  resubscribe: (n, shown) =>
    n === 1 ? 'Den abgemeldeten Kontakt wieder anmelden' : `Die ${shown} abgemeldeten Kontakte wieder anmelden`,
  resubscribeHint:
    'Sie haben sich hier abgemeldet oder beschwert, waren unzustellbar oder haben ein Thema abbestellt. Nur, wenn sie seitdem darum gebeten haben.',
  wouldFail: 'Zeilen, die abgelehnt werden',
  firstContacts: 'Die ersten Kontakte, wie sie sein werden',
  isNew: 'Neu',
  unchanged: 'Unverändert',
  rowsDone: (n) => (n === '1' ? '1 Zeile erledigt' : `${n} Zeilen erledigt`),
  onlyFirst: (n) => `Nur die ersten ${n} abgelehnten Zeilen sind aufgeführt.`,
  missingTopics: (n, shown) =>
    n === 1
      ? 'Die Datei nennt ein Thema, das es noch nicht gibt'
      : `Die Datei nennt ${shown} Themen, die es noch nicht gibt`,
  makeTopics: (n, shown) => (n === 1 ? 'Dieses Thema anlegen' : `Diese ${shown} Themen anlegen`),
  startImport: 'Importieren',
  importing: 'Wird importiert …',
  importDone: 'Importiert',
  keptUnsubscribed: (n, shown) =>
    n === 1 ? '1 abgemeldeter Kontakt blieb abgemeldet.' : `${shown} abgemeldete Kontakte blieben abgemeldet.`,
  resubscribed: (n, shown) =>
    n === 1
      ? '1 abgemeldeter Kontakt wurde wieder angemeldet.'
      : `${shown} abgemeldete Kontakte wurden wieder angemeldet.`,
  importFailed: 'Der Import ist fehlgeschlagen',
  created: (n) => `${n} neu`,
  updated: (n) => `${n} aktualisiert`,
  failed: (n) => `${n} abgelehnt`,
  failedRows: 'Abgelehnte Zeilen',
  row: 'Zeile',
  reason: 'Grund',
  downloadFailed: (n) => (n === '1' ? 'Abgelehnte Zeile herunterladen' : `${n} abgelehnte Zeilen herunterladen`),
  writeToThem: (n, text) => (n === 1 ? 'Diesem Kontakt schreiben' : `Diesen ${text} Kontakten schreiben`),
  see: 'Kontakte ansehen',
}

const NOTES: Rewordings = [
  ['printed by (.*)', 'in Mails $1'],
  ['mails usually print this as (.*): columns=.*', 'in Mails heißt das meist $1'],
  ['no topic has this slug, so it chooses none \\(there are (.*)\\)', 'wählt kein Thema: Die Kurznamen sind $1'],
  ['"(.*)" is stored as (.*)', '„$1“ wird zu $2'],
  [
    'texts, because of "(.*)" in row (\\d+), which is no date',
    'Texte, wegen „$1“ in Zeile $2: Mit der Art „Datum“ wird nur abgelehnt, was kein Datum ist',
  ],
  ['texts, because of "(.*)" in row (\\d+), which .*', 'Texte, wegen „$1“ in Zeile $2'],
  [
    'new contacts of these rows are not subscribed, since the meaning of these words is not known: (.*)',
    'neue Kontakte dieser Zeilen werden nicht angemeldet, denn diese Wörter sind nicht bekannt: $1',
  ],
  [
    'if the column is not about subscriptions, .*',
    'sagt die Spalte nicht, wer Mails bekommen darf, wählen Sie das hier',
  ],
  ['says which topics a contact chose', 'sagt, welche Themen ein Kontakt gewählt hat'],
  ['has the words that a contact agreed to', 'enthält die Worte, denen ein Kontakt zugestimmt hat'],
  ['not imported', 'wird nicht übernommen'],
  ['left out, as columns says', 'ausgelassen, wie gewählt'],
  [
    'left out: says why an earlier import refused the row',
    'ausgelassen: sagt, warum ein früherer Import die Zeile abgelehnt hat',
  ],
  ['left out: this name has another meaning in templates', 'ausgelassen: Der Name bedeutet in Vorlagen etwas anderes'],
  ['the addresses are taken from here and not from (.*)', 'die Adressen kommen von hier und nicht aus $1'],
  ['columns=.*', 'wählen Sie bei einer anderen Spalte „email“, um sie zu nehmen'],
  [
    'says who is subscribed: .*',
    'sagt, wer angemeldet ist: Wer abgemeldet, unzustellbar oder unbestätigt ist, ist es nicht',
  ],
  [
    'contacts of rows with a word such as (".*") \\(row (\\d+)\\) are not subscribed',
    'Kontakte von Zeilen mit einem Wort wie $1 (Zeile $2) werden nicht angemeldet',
  ],
  [
    'new contacts of rows with no in it are not subscribed',
    'neue Kontakte von Zeilen, in denen hier Nein steht, werden nicht angemeldet',
  ],
  ['only words that clearly mean leaving count, .*', 'nur Wörter, die sicher eine Abmeldung bedeuten, zählen'],
  [
    'texts, because it holds numbers as well as true and false',
    'Texte, da sowohl Zahlen als auch true und false darin stehen',
  ],
]
