import type { Texts } from '../types.ts'

/** A/B-Tests von Kampagnen. */
export const variants: Texts['variants'] = {
  title: 'A/B-Test',
  variant: (name) => `Variante ${name}`,
  others: 'Der Rest',
  heldOut: 'Bekommen nichts',
  rest: (name) => `Der Rest, der ${name} bekommt`,
  recipients: 'Empfänger',
  met: { opens: 'Von Menschen geöffnet', clicks: 'Von Menschen geklickt', event: (name) => `Ereignis ${name}` },
  rate: 'Rate',
  rateOf: (rate, low, high) => `${rate} (${low} bis ${high})`,
  rateHint:
    'In Klammern: zwischen welchen Werten die wahre Rate mit einer Sicherheit von 95 % liegt. Kontakte, die nur anonym gezählt werden dürfen, sind in keiner Variante.',
  compared: 'Ziel des Tests erreicht',
  part: 'Teil des Tests',
  verdict: {
    nothing:
      'Noch nicht zu sagen: Es ist noch nichts geschehen, was verglichen wird, oder mehrere Varianten haben dieselbe Rate.',
    unclear: (best) => `Noch nicht zu sagen: ${best} hat bisher die höchste Rate, aber das kann gut Zufall sein.`,
    clear: (best) => `${best} ist eindeutig besser: Mit Zufall allein ist ein solcher Abstand kaum zu erklären.`,
    alone: 'Diese Kampagne wird mit denen verglichen, die nichts bekommen.',
    made: 'Wer die Mail bekam und wer nichts bekam, unterscheidet sich eindeutig: Mit Zufall allein ist das kaum zu erklären.',
    notMade: 'Noch nicht zu sagen, ob die Mail selbst etwas bewirkt hat.',
    needsEvent: 'Ob die Mail selbst etwas bewirkt hat, zeigt nur ein Ereignis.',
  },
  state: {
    testing: 'Die Mails des Tests sind unterwegs. Der Vergleich beginnt, wenn alle in der Warteschlange sind.',
    untilFigures: (time) =>
      `Der Rest der Zielgruppe wartet bis ${time}. Dann wählen die Zahlen die bessere Variante, und der Rest bekommt sie.`,
    untilPerson: (time) =>
      `Der Rest der Zielgruppe wartet, bis Sie eine Variante wählen. Die geplante Zeit des Vergleichs endet am ${time}.`,
    timeIsOver: (time) =>
      `Der Rest der Zielgruppe wartet, bis Sie eine Variante wählen. Die geplante Zeit des Vergleichs endete am ${time}.`,
    unclear:
      'Die Zeit ist um, und die Zahlen zeigen nicht, welche Variante besser ist. Der Rest wartet auf Ihre Entscheidung.',
    paused: 'Die Kampagne ist angehalten. Wird sie fortgesetzt, beginnt die Zeit des Vergleichs von vorn.',
    cancelled: 'Die Kampagne wurde abgebrochen, bevor eine Variante gewählt war. Der Rest bekommt nichts.',
    everybody: 'Jeder in der Zielgruppe bekommt eine der Varianten. Kein Rest wartet auf einen Gewinner.',
    person: (name) => `${name} wurde von einem Menschen gewählt. Der Rest bekommt sie.`,
    figures: (name) => `${name} wurde von den Zahlen gewählt. Der Rest bekommt sie.`,
    'best-so-far': (name) =>
      `${name} hatte die höchste Rate, als die Zeit um war, obwohl die Zahlen es nicht sicher zeigten. Der Rest bekommt sie.`,
  },
  choose: 'Diese an den Rest senden',
  chooseName: (name) => `Diese an den Rest senden: ${name}`,
  chooseTitle: (name) => `Variante ${name} an den Rest senden?`,
  chooseHint: 'Alle, die nicht im Test sind, bekommen sie. Bereits gesendete Mails lassen sich nicht zurückholen.',
  chooseEarly: 'Der Vergleich ist noch nicht zu Ende: Was früh nach einem Unterschied aussieht, ist oft Zufall.',
  chooseUnsure: 'Die Zahlen zeigen noch nicht, welche Variante besser ist.',
  chosen: (name) => `Variante ${name} geht an den Rest.`,
  winner: 'Gewinner',
  best: 'Vorn',
}
