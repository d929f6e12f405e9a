import type { Translations } from './translations.ts'

/** Dutch. */
export const NL: Translations = {
  language: 'nl',
  footer: {
    reason: (sender) => `Je ontvangt deze e-mail omdat je bent aangemeld voor e-mails van ${sender}.`,
    unsubscribe: 'Afmelden',
  },
  unsubscribe: {
    title: 'Afmelden',
    sentence: ({ email, sender }) => `Wil je op ${email} geen e-mails van ${sender} meer ontvangen?`,
    button: 'Afmelden',
  },
  unsubscribed: {
    title: 'Je bent afgemeld',
    sentence: ({ email, sender }) => `${sender} stuurt geen e-mails meer naar ${email}.`,
    button: 'Opnieuw aanmelden',
  },
  subscribe: {
    title: 'Aanmelden',
    sentence: ({ email, sender }) => `Wil je op ${email} e-mails van ${sender} ontvangen?`,
    button: 'Aanmelden',
  },
  subscribed: {
    title: 'Je bent aangemeld',
    sentence: ({ email, sender }) => `Je ontvangt op ${email} e-mails van ${sender}.`,
    button: 'Afmelden',
  },
  manage: {
    title: 'E-mailvoorkeuren',
    whenSubscribed: ({ email, sender }) => `${email} is aangemeld voor e-mails van ${sender}.`,
    whenUnsubscribed: ({ email, sender }) => `${email} is niet aangemeld voor e-mails van ${sender}.`,
    tracking: {
      title: 'Openen en klikken',
      sentence: (sender) => `Mag ${sender} zien of je e-mails opent en op welke links je klikt?`,
      full: 'Ja, wat ik open en waarop ik klik',
      anonymous: 'Alleen geteld, zonder mijn naam',
      none: 'Nee',
      button: 'Opslaan',
      saved: 'Je keuze is opgeslagen.',
    },
  },
  quote: {
    wrote: ({ at, name }) => `Op ${at} schreef ${name}:`,
    forwarded: 'Doorgestuurd bericht',
  },
  forwarding: {
    subject: (address) => `E-mail van ${address} ontvangen?`,
    request: ({ address, sender, email }) =>
      `${sender} wil e-mail van ${address} doorsturen naar ${email}. Bevestig dat u dat wilt.`,
    button: 'Naar mij doorsturen',
    ignore: 'Verwacht u dit niet, negeer deze e-mail dan. Er wordt dan niets doorgestuurd.',
    page: ({ address, email }) => `Bevestig dat e-mail van ${address} wordt doorgestuurd naar ${email}.`,
    done: {
      title: 'Bevestigd',
      sentence: ({ address, email }) => `E-mail van ${address} wordt vanaf nu doorgestuurd naar ${email}.`,
    },
  },
  topics: {
    between: '’, ‘',
    ask: ({ topic, email, sender }) => `Wil je op ${email} geen ‘${topic}’ van ${sender} meer ontvangen?`,
    left: ({ topic, email, sender }) => `${sender} stuurt geen ‘${topic}’ meer naar ${email}.`,
    joined: ({ topic, email, sender }) => `${email} ontvangt ‘${topic}’ van ${sender}.`,
    choice: 'Wat wil je ontvangen?',
    everything: 'Voor alles afmelden',
  },
  pause: {
    title: 'Even pauze',
    sentence: (sender) => `${sender} stuurt je in die tijd geen nieuwsbrieven of aanbiedingen.`,
    days: (days) => `${days} dagen`,
    until: (day) => `Geen e-mails tot ${day}.`,
    end: 'Pauze beëindigen',
  },
  often: {
    title: 'Hoe vaak',
    sentence: (sender) => `${sender} stuurt je nieuwsbrieven en aanbiedingen niet vaker dan je hier kiest.`,
    every: 'Elke e-mail',
    week: 'Hoogstens één e-mail per week',
    month: 'Hoogstens één e-mail per maand',
    days: (days) => (days === 1 ? 'Hoogstens één e-mail per dag' : `Hoogstens één e-mail per ${days} dagen`),
  },
  gone: {
    title: 'Je ontvangt geen e-mails meer',
    sentence: (sender) => `${sender} heeft je adres verwijderd en stuurt je geen e-mails meer.`,
  },
  mailGone: {
    title: 'Deze e-mail is hier niet meer te lezen',
    sentence: (sender) => `De tekst van deze e-mail van ${sender} wordt niet meer bewaard.`,
  },
  archive: {
    title: (sender) => `E-mails van ${sender}`,
    all: 'Alle e-mails',
    empty: 'Er is nog niets gepubliceerd.',
    older: 'Oudere e-mails',
    newer: 'Nieuwere e-mails',
  },
  invalid: {
    title: 'Deze link is niet geldig',
    sentence:
      'Controleer of je de hele link uit de e-mail hebt gekopieerd, of gebruik de link uit een nieuwere e-mail.',
  },
  trouble: {
    title: 'Er is iets misgegaan',
    sentence: 'Dit is niet gelukt. Probeer het over een paar minuten opnieuw.',
    refused: 'Zo gaat het niet. Open de link in de e-mail opnieuw.',
  },
  form: {
    email: 'E-mailadres',
    button: 'Aanmelden',
    optional: 'optioneel',
    choose: 'Maak een keuze',
    check: 'Controleer:',
    thanks: 'Bedankt!',
    confirm:
      'Als dit adres nog niet is aangemeld, hebben we er een e-mail naartoe gestuurd. Bevestig de aanmelding via de link daarin.',
    closed: { title: 'Dit formulier is gesloten', sentence: 'Aanmelden is hier op dit moment niet mogelijk.' },
  },
  confirmation: {
    subject: (sender) => `Bevestig je aanmelding bij ${sender}`,
    request: ({ email, sender }) =>
      `Iemand, hopelijk jijzelf, wil op ${email} e-mails van ${sender} ontvangen. Bevestig dat je dat wilt.`,
    button: 'Aanmelding bevestigen',
    page: ({ email, sender }) => `Bevestig dat ${email} e-mails van ${sender} mag ontvangen.`,
    topicPage: ({ topic, email, sender }) => `Bevestig dat ${email} ‘${topic}’ van ${sender} mag ontvangen.`,
    done: 'Aanmelding bevestigd',
    back: (site) => `Terug naar ${site}`,
    ignore: 'Was jij dit niet? Dan kun je deze e-mail negeren. Je wordt dan niet aangemeld.',
    chosen: (topic) => `Gekozen: ${topic}.`,
    topics: {
      subject: (sender) => `Bevestig wat ${sender} je mag sturen`,
      request: ({ topic, email, sender }) =>
        `Iemand, hopelijk jijzelf, wil op ${email} ‘${topic}’ van ${sender} ontvangen. Bevestig dat je dat wilt.`,
      ignore: 'Was jij dit niet? Dan kun je deze e-mail negeren. Er verandert dan niets.',
    },
  },
  leave: {
    title: 'Afmelden',
    sentence: (sender) => `Vul je adres in. Je krijgt een e-mail met de link waarmee je je bij ${sender} afmeldt.`,
    button: 'Link sturen',
    sent: 'Kijk in je inbox',
    done: (sender) =>
      `Als dit adres e-mails van ${sender} ontvangt, komt er binnen enkele minuten een e-mail met de link aan. Er wordt hoogstens één zo’n e-mail per dag verstuurd.`,
    mail: {
      subject: (sender) => `Afmelden bij ${sender}`,
      request: ({ email, sender }) =>
        `Iemand, hopelijk jijzelf, heeft de link gevraagd waarmee ${email} zich afmeldt voor e-mails van ${sender}.`,
      ignore: 'Was jij dit niet? Dan kun je deze e-mail negeren. Er verandert dan niets.',
    },
  },
}
