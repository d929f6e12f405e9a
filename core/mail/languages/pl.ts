import type { Translations } from './translations.ts'

/** Polish. The sender's name is in quotes after a noun, so that it needs no case ending. */
export const PL: Translations = {
  language: 'pl',
  footer: {
    reason: (sender) => `Otrzymujesz tę wiadomość, ponieważ subskrybujesz wiadomości od nadawcy „${sender}”.`,
    unsubscribe: 'Zrezygnuj z subskrypcji',
  },
  unsubscribe: {
    title: 'Rezygnacja z subskrypcji',
    sentence: ({ email, sender }) =>
      `Czy chcesz przestać otrzymywać wiadomości od nadawcy „${sender}” na adres ${email}?`,
    button: 'Zrezygnuj z subskrypcji',
  },
  unsubscribed: {
    title: 'Subskrypcja anulowana',
    sentence: ({ email, sender }) => `Nadawca „${sender}” nie będzie już wysyłać wiadomości na adres ${email}.`,
    button: 'Subskrybuj ponownie',
  },
  subscribe: {
    title: 'Subskrypcja',
    sentence: ({ email, sender }) => `Czy chcesz otrzymywać wiadomości od nadawcy „${sender}” na adres ${email}?`,
    button: 'Subskrybuj',
  },
  subscribed: {
    title: 'Subskrypcja potwierdzona',
    sentence: ({ email, sender }) => `Wiadomości od nadawcy „${sender}” będą wysyłane na adres ${email}.`,
    button: 'Zrezygnuj z subskrypcji',
  },
  manage: {
    title: 'Ustawienia wiadomości',
    whenSubscribed: ({ email, sender }) => `Adres ${email} subskrybuje wiadomości od nadawcy „${sender}”.`,
    whenUnsubscribed: ({ email, sender }) => `Adres ${email} nie subskrybuje wiadomości od nadawcy „${sender}”.`,
    tracking: {
      title: 'Otwarcia i kliknięcia',
      sentence: (sender) => `Czy nadawca „${sender}” może widzieć, czy otwierasz wiadomości i które linki klikasz?`,
      full: 'Tak, moje otwarcia i kliknięcia',
      anonymous: 'Tylko zliczane, bez moich danych',
      none: 'Nie',
      button: 'Zapisz',
      saved: 'Wybór został zapisany.',
    },
  },
  quote: {
    wrote: ({ at, name }) => `${at} ${name} pisze:`,
    forwarded: 'Przekazana wiadomość',
  },
  forwarding: {
    subject: (address) => `Otrzymywać pocztę z ${address}?`,
    request: ({ address, sender, email }) =>
      `${sender} chce przekazywać pocztę z ${address} na ${email}. Prosimy o potwierdzenie.`,
    button: 'Przekazuj do mnie',
    ignore: 'Jeśli się tego nie spodziewasz, zignoruj tę wiadomość. Wtedy nic nie będzie przekazywane.',
    page: ({ address, email }) => `Prosimy potwierdzić, że poczta z ${address} ma być przekazywana na ${email}.`,
    done: {
      title: 'Potwierdzono',
      sentence: ({ address, email }) => `Od teraz poczta z ${address} jest przekazywana na ${email}.`,
    },
  },
  topics: {
    between: '”, „',
    ask: ({ topic, email, sender }) =>
      `Czy chcesz przestać otrzymywać „${topic}” od nadawcy „${sender}” na adres ${email}?`,
    left: ({ topic, email, sender }) => `Nadawca „${sender}” nie będzie już wysyłać „${topic}” na adres ${email}.`,
    joined: ({ topic, email, sender }) => `Na adres ${email} będzie przychodzić „${topic}” od nadawcy „${sender}”.`,
    choice: 'Co chcesz otrzymywać?',
    everything: 'Zrezygnuj ze wszystkiego',
  },
  pause: {
    title: 'Zrób przerwę',
    sentence: (sender) => `W tym czasie „${sender}” nie wysyła newsletterów ani ofert.`,
    days: (days) => `${days} dni`,
    until: (day) => `Żadnych wiadomości do ${day}.`,
    end: 'Zakończ przerwę',
  },
  often: {
    title: 'Jak często',
    sentence: (sender) => `„${sender}” nie będzie wysyłać newsletterów i ofert częściej, niż wybierzesz tutaj.`,
    every: 'Każda wiadomość',
    week: 'Najwyżej jedna wiadomość na tydzień',
    month: 'Najwyżej jedna wiadomość na miesiąc',
    days: (days) => (days === 1 ? 'Najwyżej jedna wiadomość dziennie' : `Najwyżej jedna wiadomość na ${days} dni`),
  },
  gone: {
    title: 'Nie będziesz już otrzymywać wiadomości',
    sentence: (sender) => `Nadawca „${sender}” usunął ten adres i nie wysyła już na niego wiadomości.`,
  },
  mailGone: {
    title: 'Tej wiadomości nie można już tutaj przeczytać',
    sentence: (sender) => `Treść tej wiadomości od ${sender} nie jest już przechowywana.`,
  },
  archive: {
    title: (sender) => `Wiadomości od ${sender}`,
    all: 'Wszystkie wiadomości',
    empty: 'Nic jeszcze nie opublikowano.',
    older: 'Starsze wiadomości',
    newer: 'Nowsze wiadomości',
  },
  invalid: {
    title: 'Ten link jest nieprawidłowy',
    sentence: 'Sprawdź, czy link z wiadomości został skopiowany w całości, albo użyj linku z nowszej wiadomości.',
  },
  trouble: {
    title: 'Coś poszło nie tak',
    sentence: 'Nie udało się tego zrobić. Prosimy spróbować ponownie za kilka minut.',
    refused: 'W ten sposób się nie uda. Prosimy ponownie otworzyć link z wiadomości.',
  },
  form: {
    email: 'Adres e-mail',
    button: 'Zapisz się',
    optional: 'opcjonalnie',
    choose: 'Wybierz',
    check: 'Sprawdź:',
    thanks: 'Dziękujemy!',
    confirm:
      'Jeśli ten adres nie jest jeszcze zapisany, wysłaliśmy na niego wiadomość. Potwierdź zapis linkiem w tej wiadomości.',
    closed: { title: 'Ten formularz jest zamknięty', sentence: 'Obecnie nie można się tu zapisać.' },
  },
  confirmation: {
    subject: (sender) => `Potwierdź subskrypcję – ${sender}`,
    request: ({ email, sender }) =>
      `Ktoś, mamy nadzieję, że Ty, poprosił o wysyłanie wiadomości od nadawcy „${sender}” na adres ${email}. Potwierdź, że chcesz je otrzymywać.`,
    button: 'Potwierdź subskrypcję',
    page: ({ email, sender }) => `Potwierdź, że wiadomości od nadawcy „${sender}” mają przychodzić na adres ${email}.`,
    topicPage: ({ topic, email, sender }) =>
      `Potwierdź, że „${topic}” od nadawcy „${sender}” ma przychodzić na adres ${email}.`,
    done: 'Subskrypcja potwierdzona',
    back: (site) => `Wróć na ${site}`,
    ignore: 'Jeśli to nie Ty, zignoruj tę wiadomość. Subskrypcja nie zostanie włączona.',
    chosen: (topic) => `Wybrano: ${topic}.`,
    topics: {
      subject: (sender) => `Potwierdź, co może przysyłać „${sender}”`,
      request: ({ topic, email, sender }) =>
        `Ktoś, mamy nadzieję, że Ty, poprosił o wysyłanie „${topic}” od nadawcy „${sender}” na adres ${email}. Potwierdź, że tego chcesz.`,
      ignore: 'Jeśli to nie Ty, zignoruj tę wiadomość. Nic się nie zmieni.',
    },
  },
  leave: {
    title: 'Rezygnacja z subskrypcji',
    sentence: (sender) =>
      `Podaj swój adres, a wyślemy na niego wiadomość z linkiem do rezygnacji z wiadomości od nadawcy „${sender}”.`,
    button: 'Wyślij link',
    sent: 'Sprawdź swoją skrzynkę',
    done: (sender) =>
      `Jeśli na ten adres przychodzą wiadomości od nadawcy „${sender}”, w ciągu kilku minut nadejdzie wiadomość z linkiem. Wysyłamy najwyżej jedną taką wiadomość dziennie.`,
    mail: {
      subject: (sender) => `Rezygnacja z subskrypcji – ${sender}`,
      request: ({ email, sender }) =>
        `Ktoś, mamy nadzieję, że Ty, poprosił o link do rezygnacji z wysyłania wiadomości od nadawcy „${sender}” na adres ${email}.`,
      ignore: 'Jeśli to nie Ty, zignoruj tę wiadomość. Nic się nie zmieni.',
    },
  },
}
