import type { checks as english } from '../en/checks.ts'
import type { Widened } from '../types.ts'

export const checks: Widened<typeof english> = {
  button: 'Prüfen',
  title: 'Prüfung der Mail',
  again: 'Noch einmal prüfen',
  asking: 'Es wird geprüft, ob sich die Links öffnen lassen …',
  allWell: 'Alles in Ordnung.',
  error: 'Vor dem Senden beheben',
  warning: 'Besser beheben',
  hint: 'Gut zu wissen',
  fix: {
    subject: 'Betreff ändern',
    preheader: 'Vorschauzeile ändern',
    body: 'Mail ändern',
    project: 'Zu den Einstellungen',
  },
  sampleLeft: (sample) =>
    `In der Mail steht noch das Beispiel „${sample}“. Setzen Sie Ihren eigenen Text oder Link ein.`,
  figures: (kb, links, images) => `HTML: ${kb} KB · Links: ${links} · Bilder: ${images}`,
  errorsLeft: (n) => (n === 1 ? 'In der Mail ist noch ein Fehler.' : `In der Mail sind noch ${n} Fehler.`),
  scheduleTitle: 'Trotzdem planen?',
}
