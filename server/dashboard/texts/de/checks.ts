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
    server: 'Zum Server',
    domain: 'Zu den Domains',
    audience: 'Zu den Empfängern',
  },
  samplesLeft: (samples) =>
    samples.length === 1
      ? `In der Mail steht noch das Beispiel „${samples[0]}“. Setzen Sie Ihren eigenen Text oder Link ein.`
      : `In der Mail stehen noch Beispiele: ${samples.map((sample) => `„${sample}“`).join(', ')}. Setzen Sie Ihre eigenen Texte und Links ein.`,
  figures: (kb, links, images) => `HTML: ${kb} KB · Links: ${links} · Bilder: ${images}`,
  inMail: (name, message) => `„${name}“: ${message}`,
  before: 'Sehen Sie sich das zuerst an:',
  andMore: (n) => (n === 1 ? 'Und noch ein Befund.' : `Und ${n} weitere Befunde.`),
  sendAllTheSame: 'Trotzdem senden',
  scheduleAllTheSame: 'Trotzdem planen',
  turnOnAllTheSame: 'Trotzdem einschalten',
  scheduleTitle: 'Trotzdem planen?',
}
