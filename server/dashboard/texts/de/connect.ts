import type { Texts } from '../types.ts'

export const connect: Texts['connect'] = {
  title: 'Ein Programm in Postfächer lassen?',
  unverified: 'nicht geprüft',
  sentence: (host) => `Es bekommt Ihre Antwort bei ${host}. Seinen Namen hat es sich selbst gegeben.`,
  warning:
    'Erlauben Sie es nur, wenn Sie es gerade selbst verbunden haben. Es kann dann Mails lesen und schreiben, so weit Sie es hier sagen.',
  broken: 'Diese Adresse ist unvollständig oder zu alt. Beginnen Sie im Programm noch einmal.',
  noProject: 'Sie sind in keinem Projekt, also gibt es kein Postfach, das Sie einem Programm öffnen könnten.',
  ofHost:
    'Sie melden sich über eine andere Anwendung an, daher könnte nicht mit Ihnen enden, was Sie hier erlauben. Lassen Sie sich einen Schlüssel geben.',
  project: 'Projekt',
  inProject: (name) => `Projekt: ${name}`,
  noInboxes: 'In diesem Projekt sehen Sie kein Postfach.',
  rights: 'Es darf',
  allow: 'Erlauben',
  refuse: 'Ablehnen',
  later:
    'Sie können das jederzeit unter Einstellungen, Programme beenden. Von selbst endet es, wenn Sie das Projekt verlassen.',
  hint: 'Programme, die von einer Seite dieses Dashboards in Postfächer gelassen wurden. Die Adresse für sie ist /mcp.',
  program: 'Programm',
  by: 'Erlaubt von',
  end: 'Beenden',
  endTitle: (name) => `Beenden, was „${name}“ darf?`,
  endHint: 'Es kann nichts mehr lesen oder schreiben. Was es gesendet hat, bleibt.',
  ended: 'Das Programm ist draußen.',
  none: 'Kein Programm ist eingelassen',
  noneHint: 'Geben Sie einem Programm die Adresse dieses Servers mit /mcp am Ende. Es fragt Sie dann hier.',
}
