import type { routes as english } from '../en/routes.ts'
import type { Widened } from '../types.ts'

export const routes: Widened<typeof english> = {
  title: 'Weg der Mail',
  show: 'Begründung zeigen',
  hide: 'Ausblenden',
  ways: {
    own: 'Über die eigenen Mailserver des Projekts.',
    installation: 'Über die Mailserver der Installation.',
    folder: 'In einen Ordner dieses Servers.',
    nowhere: 'Noch nirgendwohin: Sie wartet auf einen Mailserver.',
    simulator: 'An den Simulator. Sie verlässt diesen Server nie.',
    sandbox: 'In die Sandbox: Sie wird abgefangen, niemand bekommt sie.',
  },
  wayNow: 'Jetzt ginge sie',
  tried: 'Bisher versucht',
  triedNone: 'Noch nichts',
  hidden: 'Die Regeln für den Weg sieht nur, wer den Server betreibt.',
  classes: { transactional: 'Einzelne Mail', workflow: 'Workflow', campaign: 'Kampagne' },
  class: 'Art',
  rule: (number) => `Regel ${number}`,
  decides: (rule, fits) =>
    fits.length === 0 ? `${rule} entscheidet: Sie gilt für alle Mails.` : `${rule} entscheidet: ${fits.join(', ')}.`,
  fits: (key, value) => `${key} ist ${value}`,
  noneFits: 'Keine Regel passt: Die Transporte werden in ihrer üblichen Reihenfolge versucht.',
  tries: (transports) => `Versucht wird ${transports.join(', dann ')}.`,
  shares: (shares) => `Anteile: ${shares}.`,
  share: (name, percent) => `${name} ${String(percent).replace('.', ',')} %`,
  takenBy: (receiver) => `Die Mails an die Domain des Empfängers nimmt ${receiver} an.`,
  fitsNot: (rule, key, value, wanted) =>
    value === undefined
      ? `${rule} passt nicht: ${key} fehlt oder ist nicht bekannt, verlangt wird ${wanted}.`
      : `${rule} passt nicht: ${key} ist ${value}, verlangt wird ${wanted}.`,
  oneOf: (wanted, more) => `${wanted.join(' oder ')}${more > 0 ? ` oder ${more} weitere` : ''}`,
  any: 'irgendein Wert',
  more: (n) => `${n} Regeln davor passen auch nicht.`,
  keys: {
    class: 'Art',
    project: 'Projekt',
    senderDomain: 'Domain des Absenders',
    recipientDomain: 'Domain des Empfängers',
    receiver: 'Anbieter des Empfängers',
    template: 'Vorlage',
    tag: 'Tag',
    header: 'Kopfzeile',
  },
}
