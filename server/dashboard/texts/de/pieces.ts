import type { pieces as english } from '../en/pieces.ts'
import type { Widened } from '../types.ts'

export const pieces: Widened<typeof english> = {
  snippets: {
    title: 'Snippets',
    hint: 'Stücke, die in vielen Mails stehen: eine Adresse, eine Signatur, ein Knopf. Ändern Sie es hier, und jede Mail, die danach verschickt wird, hat es.',
    new: 'Neues Snippet',
    make: 'Snippet erstellen',
    find: 'Snippet suchen',
    empty: 'Noch kein Snippet',
    emptyHint:
      'Schreiben Sie einmal, was viele Mails haben, etwa die Fußzeile, und setzen Sie es überall als Block ein.',
    sample: '',
    saved: 'Snippet gespeichert. Mails, die ab jetzt verschickt werden, haben es.',
    deleteTitle: (name) => `Snippet „${name}“ löschen?`,
    usedHint:
      'Es lässt sich löschen, sobald nichts es verwendet, was noch verschickt werden kann. Ein anderer Name lässt sich überall mit ändern.',
  },
  layouts: {
    title: 'Layouts',
    hint: 'Rahmen um Mails: Kopf, Fuß und Farben, gleich für viele Vorlagen und Kampagnen.',
    new: 'Neues Layout',
    make: 'Layout erstellen',
    find: 'Layout suchen',
    empty: 'Noch kein Layout',
    emptyHint: 'Ein Layout ist ein Rahmen mit einer Stelle für die Mail selbst. Vorlagen und Kampagnen wählen es.',
    sample: '<h1>Die Mail selbst</h1><p>Hier steht, was eine Vorlage oder eine Kampagne sagt.</p>',
    saved: 'Layout gespeichert. Mails, die ab jetzt verschickt werden, haben es.',
    deleteTitle: (name) => `Layout „${name}“ löschen?`,
    usedHint: 'Es lässt sich löschen, sobald nichts es verwendet, was noch verschickt werden kann.',
  },
  key: 'Kurzname im Code',
  keyHint: (name) => `Im Code: {% render '${name}' %}`,
  touches: (what) => `Mails nach dem Speichern haben die Änderung. Verwendet in: ${what}.`,
  layout: 'Layout',
  layoutHint: 'Der Rahmen um die Mail. Die Vorschau zeigt beides.',
  noLayout: 'Keines',
}
