import type { Translations } from './translations.ts'

/** Italian. */
export const IT: Translations = {
  language: 'it',
  footer: {
    reason: (sender) => `Ricevi questa email perché hai un’iscrizione attiva alle email di ${sender}.`,
    unsubscribe: 'Annulla l’iscrizione',
  },
  unsubscribe: {
    title: 'Annulla l’iscrizione',
    sentence: ({ email, sender }) => `Vuoi smettere di ricevere le email di ${sender} all’indirizzo ${email}?`,
    button: 'Annulla l’iscrizione',
  },
  unsubscribed: {
    title: 'Iscrizione annullata',
    sentence: ({ email, sender }) => `${sender} non invierà più email all’indirizzo ${email}.`,
    button: 'Iscriviti di nuovo',
  },
  subscribe: {
    title: 'Iscrizione',
    sentence: ({ email, sender }) => `Vuoi ricevere le email di ${sender} all’indirizzo ${email}?`,
    button: 'Iscriviti',
  },
  subscribed: {
    title: 'Iscrizione confermata',
    sentence: ({ email, sender }) => `Riceverai le email di ${sender} all’indirizzo ${email}.`,
    button: 'Annulla l’iscrizione',
  },
  manage: {
    title: 'Preferenze email',
    whenSubscribed: ({ email, sender }) => `L’indirizzo ${email} è iscritto alle email di ${sender}.`,
    whenUnsubscribed: ({ email, sender }) => `L’indirizzo ${email} non è iscritto alle email di ${sender}.`,
    tracking: {
      title: 'Aperture e clic',
      sentence: (sender) => `${sender} può vedere se apri le email e su quali link fai clic?`,
      full: 'Sì, ciò che apro e dove faccio clic',
      anonymous: 'Solo per contarli, senza il mio nome',
      none: 'No',
      button: 'Salva',
      saved: 'La tua scelta è stata salvata.',
    },
  },
  quote: {
    wrote: ({ at, name }) => `Il ${at}, ${name} ha scritto:`,
    forwarded: 'Messaggio inoltrato',
  },
  forwarding: {
    subject: (address) => `Ricevere la posta di ${address}?`,
    request: ({ address, sender, email }) =>
      `${sender} vuole inoltrare la posta di ${address} a ${email}. Conferma di volerla ricevere.`,
    button: 'Inoltrala a me',
    ignore: 'Se non te lo aspetti, ignora questa e-mail. Allora non verrà inoltrato nulla.',
    page: ({ address, email }) => `Conferma che la posta di ${address} venga inoltrata a ${email}.`,
    done: {
      title: 'Confermato',
      sentence: ({ address, email }) => `D’ora in poi la posta di ${address} viene inoltrata a ${email}.`,
    },
  },
  topics: {
    between: '», «',
    ask: ({ topic, email, sender }) => `Vuoi smettere di ricevere «${topic}» da ${sender} all’indirizzo ${email}?`,
    left: ({ topic, email, sender }) => `${sender} non invierà più «${topic}» all’indirizzo ${email}.`,
    joined: ({ topic, email, sender }) => `${email} riceverà «${topic}» da ${sender}.`,
    choice: 'Che cosa vuoi ricevere?',
    everything: 'Annulla tutte le iscrizioni',
  },
  pause: {
    title: 'Fai una pausa',
    sentence: (sender) => `Nel frattempo ${sender} non ti invia newsletter né offerte.`,
    days: (days) => `${days} giorni`,
    until: (day) => `Nessuna email fino al ${day}.`,
    end: 'Termina la pausa',
  },
  often: {
    title: 'Con quale frequenza',
    sentence: (sender) => `${sender} non ti invia newsletter e offerte più spesso di quanto scegli qui.`,
    every: 'Tutte le email',
    week: 'Al massimo un’email alla settimana',
    month: 'Al massimo un’email al mese',
    days: (days) => (days === 1 ? 'Al massimo un’email al giorno' : `Al massimo un’email ogni ${days} giorni`),
  },
  gone: {
    title: 'Non riceverai più email',
    sentence: (sender) => `${sender} ha eliminato il tuo indirizzo e non ti invia più email.`,
  },
  mailGone: {
    title: 'Questa e-mail non è più leggibile qui',
    sentence: (sender) => `Il testo di questa e-mail di ${sender} non è più conservato.`,
  },
  archive: {
    title: (sender) => `E-mail di ${sender}`,
    all: 'Tutte le e-mail',
    empty: 'Non è ancora stato pubblicato nulla.',
    older: 'E-mail precedenti',
    newer: 'E-mail più recenti',
  },
  invalid: {
    title: 'Questo link non è valido',
    sentence: 'Controlla di aver copiato per intero il link dall’email oppure usa quello di un’email più recente.',
  },
  trouble: {
    title: 'Qualcosa è andato storto',
    sentence: 'L’operazione non è riuscita. Riprova tra qualche minuto.',
    refused: 'Così non è possibile. Apri di nuovo il link nell’e-mail.',
  },
  form: {
    email: 'Indirizzo e-mail',
    button: 'Iscriviti',
    optional: 'facoltativo',
    choose: 'Scegli',
    check: 'Controlla:',
    thanks: 'Grazie!',
    confirm:
      'Se questo indirizzo non è ancora iscritto, gli abbiamo inviato un’e-mail. Conferma l’iscrizione con il link che contiene.',
    closed: { title: 'Questo modulo è chiuso', sentence: 'Al momento non è possibile iscriversi qui.' },
  },
  confirmation: {
    subject: (sender) => `Conferma la tua iscrizione a ${sender}`,
    request: ({ email, sender }) =>
      `Qualcuno, speriamo tu, ha chiesto di ricevere le email di ${sender} all’indirizzo ${email}. Conferma che desideri riceverle.`,
    button: 'Conferma l’iscrizione',
    page: ({ email, sender }) => `Conferma che ${email} deve ricevere le email di ${sender}.`,
    topicPage: ({ topic, email, sender }) => `Conferma che ${email} deve ricevere «${topic}» da ${sender}.`,
    done: 'Iscrizione confermata',
    back: (site) => `Torna a ${site}`,
    ignore: 'Se non hai fatto tu questa richiesta, ignora questa email: l’iscrizione non verrà attivata.',
    chosen: (topic) => `Scelto: ${topic}.`,
    topics: {
      subject: (sender) => `Conferma che cosa può inviarti ${sender}`,
      request: ({ topic, email, sender }) =>
        `Qualcuno, speriamo tu, ha chiesto di ricevere «${topic}» da ${sender} all’indirizzo ${email}. Conferma che lo desideri.`,
      ignore: 'Se non hai fatto tu questa richiesta, ignora questa email: non cambierà nulla.',
    },
  },
  leave: {
    title: 'Annulla l’iscrizione',
    sentence: (sender) =>
      `Inserisci il tuo indirizzo: riceverai un’email con il link per annullare l’iscrizione a ${sender}.`,
    button: 'Invia il link',
    sent: 'Controlla la tua casella',
    done: (sender) =>
      `Se questo indirizzo riceve email da ${sender}, tra pochi minuti arriverà un’email con il link. Se ne invia al massimo una al giorno.`,
    mail: {
      subject: (sender) => `Annulla l’iscrizione a ${sender}`,
      request: ({ email, sender }) =>
        `Qualcuno, speriamo tu, ha chiesto il link per annullare l’iscrizione di ${email} alle email di ${sender}.`,
      ignore: 'Se non hai fatto tu questa richiesta, ignora questa email: non cambierà nulla.',
    },
  },
}
