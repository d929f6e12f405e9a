import type { recipes as english } from '../en/recipes.ts'
import type { Widened } from '../types.ts'

export const recipes: Widened<typeof english> = {
  choose: 'Beginnen mit',
  blank: 'Leerer Workflow',
  blankHint: 'Nur der Start. Die Schritte zeichnen Sie selbst.',
  mailsHint: (n) =>
    `${n} Entwürfe von Mails werden als Vorlagen angelegt. Ersetzen Sie, was in [Klammern] steht, und die Links auf example.com; dann schalten Sie den Workflow ein.`,
  greeting: 'Hallo ',
  there: 'zusammen',
  regards: 'Mit freundlichen Grüßen',
  yourName: '[Ihr Name]',
  why: 'Sie erhalten diese Mail, weil Sie sich dafür angemeldet haben.',
  leave: 'Abmelden',
  welcome: {
    name: 'Willkommensserie',
    hint: 'Drei Mails in der ersten Woche nach der Anmeldung: Begrüßung, erste Schritte und eine Frage. Startet bei Ihrem Ereignis signed_up.',
    steps: {
      first: 'Willkommen',
      wait: 'Zwei Tage',
      second: 'Erste Schritte',
      wait2: 'Vier Tage',
      third: 'Wie läuft es?',
    },
    mails: {
      first: {
        subject: 'Willkommen',
        words: ['schön, dass Sie da sind. [In ein, zwei Sätzen: was als Nächstes geschieht.]'],
        button: 'Loslegen',
      },
      second: {
        subject: 'Ihre ersten Schritte',
        words: ['die meisten beginnen so: [der erste Schritt in einem Satz].', '[Was danach erreicht ist.]'],
        button: 'Den ersten Schritt gehen',
      },
      third: {
        subject: 'Wie läuft es?',
        words: [
          'hält Sie etwas auf? Antworten Sie einfach auf diese Mail, wir lesen alles.',
          '[Etwas, das vielen hilft.]',
        ],
        button: '',
      },
    },
  },
  confirmation: {
    name: 'Nachfassen bei Double-Opt-in',
    hint: 'Dankt allen, die ihr Abonnement bestätigen, und erinnert die anderen nach einem Tag einmal. Startet bei Ihrem Ereignis subscription_requested.',
    steps: {
      wait: 'Bestätigt binnen eines Tages?',
      remind: 'Erinnern',
      wait2: 'Bestätigt binnen drei Tagen?',
      thanks: 'Danken',
      end: 'Nicht bestätigt',
    },
    mails: {
      remind: {
        subject: 'Bitte bestätigen Sie Ihre Anmeldung',
        words: [
          'Sie möchten unsere Mails bekommen. Dafür fehlt noch ein Klick. Waren Sie es nicht, lassen Sie diese Mail einfach liegen.',
        ],
        button: 'Ja, bitte senden',
      },
      thanks: {
        subject: 'Sie stehen auf der Liste',
        words: ['danke für die Bestätigung. [Was kommt, und wie oft.]'],
        button: 'Die letzte Ausgabe lesen',
      },
    },
  },
  trial: {
    name: 'Ende der Testphase',
    hint: 'Schreibt drei Tage vor dem Ende von zwei Wochen Testphase und am letzten Tag, aber nicht, wenn vorher gekauft wird. Startet bei Ihrem Ereignis trial_started.',
    steps: {
      wait: 'Kauft binnen elf Tagen?',
      ending: 'Noch drei Tage',
      wait2: 'Kauft binnen drei Tagen?',
      ended: 'Die Testphase ist vorbei',
      bought: 'Gekauft',
    },
    mails: {
      ending: {
        subject: 'Noch drei Tage Testphase',
        words: ['Ihre Testphase endet in drei Tagen. [Was dann bleibt, und was wegfällt.]'],
        button: 'Tarif wählen',
      },
      ended: {
        subject: 'Ihre Testphase ist vorbei',
        words: [
          'Ihre Testphase endete heute. Ihre Daten bewahren wir [so viele] Tage auf.',
          'Hat etwas gefehlt? Antworten Sie einfach auf diese Mail.',
        ],
        button: 'Mit einem Tarif weitermachen',
      },
    },
  },
  winBack: {
    name: 'Rückgewinnung',
    hint: 'Zwei Mails an Menschen, von denen man nichts mehr hört; wer klickt, wird als zurück vermerkt, sonst als still. Startet, wenn jemand in das verfolgte Segment „Inactive“ kommt.',
    steps: {
      first: 'Lange nichts gehört',
      wait: 'Klickt binnen einer Woche?',
      second: 'Eine letzte Frage',
      wait2: 'Klickt binnen zwei Wochen?',
      back: 'Als zurück vermerken',
      quiet: 'Als still vermerken',
    },
    mails: {
      first: {
        subject: 'Lange nichts voneinander gehört',
        words: ['wir haben länger nichts von Ihnen gehört. Seitdem neu: [ein, zwei Dinge].'],
        button: 'Ansehen',
      },
      second: {
        subject: 'Sollen wir weiter schreiben?',
        words: ['wir möchten nicht lästig sein. Wenn Sie weiter von uns hören wollen, genügt ein Klick.'],
        button: 'Ja, gerne weiter',
      },
    },
  },
  cart: {
    name: 'Verlassener Warenkorb',
    hint: 'Erinnert nach drei Stunden an einen vollen Warenkorb und einen Tag später noch einmal, bis bestellt ist. Startet bei Ihrem Ereignis cart_filled; order_placed beendet ihn.',
    steps: {
      wait: 'Bestellt binnen drei Stunden?',
      first: 'Ihr Warenkorb wartet',
      wait2: 'Bestellt binnen eines Tages?',
      second: 'Ist etwas unklar?',
      ordered: 'Bestellt',
    },
    mails: {
      first: {
        subject: 'Ihr Warenkorb wartet',
        words: ['in Ihrem Warenkorb liegt noch etwas. Es ist weiter für Sie da.'],
        button: 'Zum Warenkorb',
      },
      second: {
        subject: 'Ist etwas unklar?',
        words: [
          'Ihr Warenkorb bleibt [so viele] Tage erhalten. [Die häufigste Frage beantworten: Lieferung, Rückgabe, Bezahlung.]',
        ],
        button: 'Bestellung abschließen',
      },
    },
  },
  feedback: {
    name: 'Feedback nach dem Kauf',
    hint: 'Bittet zehn Tage nach einer Bestellung um Feedback, erinnert eine Woche später einmal und dankt für jede Antwort. Startet bei order_placed; feedback_given ist Ihr Ereignis.',
    steps: {
      wait: 'Zehn Tage',
      ask: 'Um Feedback bitten',
      wait2: 'Antwortet binnen einer Woche?',
      remind: 'Erinnern',
      wait3: 'Antwortet binnen einer weiteren Woche?',
      thanks: 'Danken',
    },
    mails: {
      ask: {
        subject: 'Wie gefällt es Ihnen?',
        words: ['Sie haben Ihre Bestellung nun seit einigen Tagen. Wie ist sie? Es dauert eine Minute.'],
        button: 'Feedback geben',
      },
      remind: {
        subject: 'Eine Minute für uns?',
        words: [
          'Ihre Meinung hilft anderen bei der Wahl. Wenn Sie keine Zeit haben, lassen Sie diese Mail liegen: Wir fragen nur dieses eine Mal noch.',
        ],
        button: 'Feedback geben',
      },
      thanks: {
        subject: 'Danke für Ihr Feedback',
        words: ['danke, wir haben es gelesen. [Was Sie damit machen.]'],
        button: '',
      },
    },
  },
}
