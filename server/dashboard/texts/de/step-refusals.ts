import type { Rewordings } from '../reworded.ts'

/** The API's problems with rules, with steps of workflows and with what starts them. */
export const stepRefusals: Rewordings = [
  ['must come to 100 percent, not (.+)', 'Zusammen müssen es 100 Prozent sein, nicht $1.'],
  ['is the name of another branch: .*', 'So heißt schon ein anderer Zweig.'],
  ['is a value of the branch (.+) already', 'Dieser Wert führt schon zum Zweig „$1“.'],
  ['cannot be (.+), which all others take', 'Kann nicht „$1“ heißen: So heißt der Zweig für alle anderen.'],
  [
    'must be letters and digits, with spaces, .*',
    'Darf nur Buchstaben und Ziffern enthalten, dazwischen auch Leerzeichen, Punkte, Binde- und Unterstriche.',
  ],
  [
    'must keep the branch "(.+)": .*',
    'Am Zweig „$1“ hängt noch ein Schritt. Lösen Sie die Verbindung, bevor Sie den Zweig entfernen.',
  ],
  ['has no value to compare: .*', 'Dieses Feld hat keinen Wert zum Vergleichen. Nehmen Sie „Bedingung prüfen“.'],
  [
    'is not a field that contacts can be filtered by',
    'Dieses Feld gibt es nicht. Felder Ihrer Kontakte beginnen mit data., zum Beispiel data.plan.',
  ],
  ['is not a field with a date', 'Das ist kein Feld mit einem Datum.'],
  [
    'must be a field of contacts: .*',
    'Muss ein Feld des Kontakts sein: Vor dem Start gibt es weder Ereignis noch Kontext.',
  ],
  [
    'the segment (\\S+) does not track its members.*',
    'Noch wird nicht beobachtet, wer in das Segment „$1“ kommt und es verlässt.',
  ],
  ['the segment (\\S+) does not exist.*', 'Das Segment „$1“ gibt es nicht mehr.'],
  [
    'must not have more than (\\d+) conditions, .*',
    'Darf höchstens $1 Bedingungen enthalten, die der genannten Segmente mitgezählt.',
  ],
  ['must be at most (\\d+) in a workflow', 'Ein Workflow darf höchstens $1 Schritte haben.'],
  [
    'makes the steps of the workflow have more than (\\d+) MB .*',
    'Alle Schritte zusammen wären größer als $1 MB: Legen Sie lange Mails als Vorlagen an.',
  ],
  ['is not a name a header field can have', 'Das ist kein Name einer Kopfzeile.'],
  ['is a header field that is set for every request', 'Diese Kopfzeile hat jede Anfrage schon.'],
  [
    'must not contain a user name or a password: .*',
    'Darf weder Benutzernamen noch Passwort enthalten: Dafür gibt es die Kopfzeile authorization.',
  ],
  ['must come to an http or https URL', 'Muss eine Adresse ergeben, die mit https:// beginnt.'],
  ['must be an? (?:string|object)', 'Hat nicht die richtige Form.'],
  ['must not have \\. or \\.\\. in its path', 'Darf im Pfad weder . noch .. enthalten.'],
]
