import type { recipes as english } from '../en/recipes.ts'
import type { Widened } from '../types.ts'

const WELCOME = {
  first: {
    subject: 'Willkommen',
    words: ['schön, dass Sie da sind. [In ein, zwei Sätzen: Wie geht es jetzt weiter?]'],
    button: 'Loslegen',
  },
  second: {
    subject: 'Ihre ersten Schritte',
    words: ['die meisten fangen so an: [der erste Schritt in einem Satz].', '[Was ist damit erreicht?]'],
    button: 'Zum ersten Schritt',
  },
  third: {
    subject: 'Wie läuft es?',
    words: [
      'kommen Sie irgendwo nicht weiter? Antworten Sie einfach auf diese Mail, wir lesen jede Antwort.',
      '[Ein Tipp, der vielen hilft.]',
    ],
    button: '',
  },
}

export const recipes: Widened<typeof english> = {
  choose: 'Beginnen mit',
  blank: 'Leerer Workflow',
  blankHint: 'Nur der Start. Die Schritte zeichnen Sie selbst.',
  mailsHint: (n) =>
    `${n} Mail-Entwürfe werden als Vorlagen angelegt. Ersetzen Sie alles, was in [Klammern] steht, und die Links auf example.com. Dann schalten Sie den Workflow ein.`,
  series: {
    name: 'Willkommensserie mit drei Mails',
    hint: 'Eine Begrüßung sofort, nach zwei Tagen die ersten Schritte und vier Tage später eine Frage, an alle, die sich anmelden.',
    steps: {
      first: 'Willkommen',
      wait: 'Zwei Tage',
      second: 'Erste Schritte',
      wait2: 'Vier Tage',
      third: 'Wie läuft es?',
    },
    mails: WELCOME,
  },
  welcome: {
    name: 'Willkommen für alle, die dazukommen',
    hint: 'Dieselben drei Mails, auch an Kontakte, die Sie importieren oder ein Programm anlegt: sofort, wenn sie angemeldet sind, sonst sobald sie bestätigen.',
    steps: {
      agreed: 'Schon angemeldet?',
      agrees: 'Bestätigt in 30 Tagen?',
      end: 'Nie bestätigt',
      first: 'Willkommen',
      wait: 'Zwei Tage',
      second: 'Erste Schritte',
      wait2: 'Vier Tage',
      third: 'Wie läuft es?',
    },
    mails: WELCOME,
  },
  confirmation: {
    name: 'Double-Opt-in mit Erinnerung',
    hint: 'Dankt allen, die das Formular abschicken und bestätigen, und erinnert die anderen nach einem Tag ein einziges Mal.',
    steps: {
      wait: 'Innerhalb eines Tages bestätigt?',
      remind: 'Erinnern',
      wait2: 'Innerhalb von drei Tagen bestätigt?',
      thanks: 'Dank',
      end: 'Nicht bestätigt',
    },
    mails: {
      remind: {
        subject: 'Bitte bestätigen Sie Ihre Anmeldung',
        words: [
          'Sie möchten unsere Mails bekommen. Jetzt fehlt nur noch ein Klick. Waren Sie das nicht, ignorieren Sie diese Mail einfach.',
        ],
        button: 'Ja, Anmeldung bestätigen',
      },
      thanks: {
        subject: 'Ihre Anmeldung ist bestätigt',
        words: ['vielen Dank für die Bestätigung. [Was schicken Sie, und wie oft?]'],
        button: 'Die letzte Ausgabe lesen',
      },
    },
  },
  trial: {
    name: 'Ende der Testphase',
    hint: 'Schreibt drei Tage vor dem Datum, an dem eine Testphase endet, und an diesem Tag. Wer das Ziel des Workflows erreicht, bekommt nichts mehr.',
    steps: {
      ending: 'Noch drei Tage',
      wait: 'Bis zum letzten Tag',
      ended: 'Die Testphase ist vorbei',
    },
    mails: {
      ending: {
        subject: 'Ihre Testphase endet in drei Tagen',
        words: ['in drei Tagen läuft Ihre Testphase ab. [Was bleibt danach erhalten, was fällt weg?]'],
        button: 'Tarif wählen',
      },
      ended: {
        subject: 'Ihre Testphase ist vorbei',
        words: [
          'heute ist Ihre Testphase abgelaufen. Ihre Daten bewahren wir noch [Anzahl] Tage auf.',
          'Hat Ihnen etwas gefehlt? Antworten Sie einfach auf diese Mail.',
        ],
        button: 'Jetzt Tarif wählen',
      },
    },
  },
  birthday: {
    name: 'Geburtstag',
    hint: 'Jedes Jahr am Morgen des Geburtstags eine Mail.',
    steps: { first: 'Alles Gute' },
    mails: {
      first: {
        subject: 'Alles Gute zum Geburtstag',
        words: ['herzlichen Glückwunsch zum Geburtstag! [Was ist Ihr Geschenk? Sonst genügt auch der Glückwunsch.]'],
        button: '',
      },
    },
  },
  winBack: {
    name: 'Kunden zurückgewinnen',
    hint: 'Zwei Mails an Menschen, die sich lange nicht gerührt haben. Wer klickt, wird als „zurück“ vermerkt, alle anderen als „still“. Startet, wenn jemand in eines Ihrer Segmente kommt.',
    steps: {
      first: 'Lange nichts gehört',
      wait: 'Klick innerhalb einer Woche?',
      second: 'Eine letzte Frage',
      wait2: 'Klick innerhalb von zwei Wochen?',
      back: 'Als zurück vermerken',
      quiet: 'Als still vermerken',
    },
    mails: {
      first: {
        subject: 'Lange nichts gehört',
        words: ['wir haben lange nichts voneinander gehört. Das ist seitdem neu: [ein, zwei Dinge].'],
        button: 'Jetzt ansehen',
      },
      second: {
        subject: 'Sollen wir Ihnen weiterhin schreiben?',
        words: ['wir möchten Ihnen nicht zur Last fallen. Wenn Sie weiterhin von uns hören möchten, genügt ein Klick.'],
        button: 'Ja, weiterhin gern',
      },
    },
  },
  cart: {
    name: 'Verlassener Warenkorb',
    hint: 'Erinnert nach drei Stunden an einen gefüllten Warenkorb und einen Tag später noch einmal, es sei denn, die Bestellung ist da. Ihr Programm meldet die Ereignisse cart_filled und order_placed.',
    steps: {
      wait: 'Innerhalb von drei Stunden bestellt?',
      first: 'Ihr Warenkorb wartet',
      wait2: 'Innerhalb eines Tages bestellt?',
      second: 'Ist noch etwas unklar?',
      ordered: 'Bestellt',
    },
    mails: {
      first: {
        subject: 'Ihr Warenkorb wartet',
        words: ['in Ihrem Warenkorb liegt noch etwas. Wir haben es für Sie aufgehoben.'],
        button: 'Zum Warenkorb',
      },
      second: {
        subject: 'Ist noch etwas unklar?',
        words: [
          'wir heben Ihren Warenkorb [Anzahl] Tage für Sie auf. [Die häufigste Frage und ihre Antwort: Lieferung, Rückgabe, Bezahlung.]',
        ],
        button: 'Bestellung abschließen',
      },
    },
  },
  feedback: {
    name: 'Feedback nach dem Kauf',
    hint: 'Bittet zehn Tage nach dem Datum einer Bestellung um Feedback, erinnert eine Woche später einmal und bedankt sich bei allen, die klicken.',
    steps: {
      ask: 'Um Feedback bitten',
      wait: 'Klick innerhalb einer Woche?',
      remind: 'Erinnern',
      wait2: 'Klick in einer weiteren Woche?',
      thanks: 'Dank',
    },
    mails: {
      ask: {
        subject: 'Wie zufrieden sind Sie?',
        words: [
          'Ihre Bestellung ist nun seit einigen Tagen bei Ihnen. Sind Sie zufrieden? Eine Antwort dauert nur eine Minute.',
        ],
        button: 'Feedback geben',
      },
      remind: {
        subject: 'Eine Minute für uns?',
        words: [
          'Ihre Meinung hilft anderen bei der Entscheidung. Wenn Sie keine Zeit haben, ignorieren Sie diese Mail einfach. Wir fragen kein weiteres Mal.',
        ],
        button: 'Feedback geben',
      },
      thanks: {
        subject: 'Danke für Ihr Feedback',
        words: ['vielen Dank, wir haben Ihre Antwort gelesen. [Was machen Sie daraus?]'],
        button: '',
      },
    },
  },
}
