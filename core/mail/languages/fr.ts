import type { Translations } from './translations.ts'

/** French. */
export const FR: Translations = {
  language: 'fr',
  footer: {
    reason: (sender) =>
      `Vous recevez cet e-mail parce que votre adresse est abonnée aux e-mails envoyés par ${sender}.`,
    unsubscribe: 'Se désabonner',
  },
  unsubscribe: {
    title: 'Désabonnement',
    sentence: ({ email, sender }) =>
      `Souhaitez-vous ne plus recevoir d’e-mails envoyés par ${sender} à l’adresse ${email}\u00a0?`,
    button: 'Se désabonner',
  },
  unsubscribed: {
    title: 'Désabonnement confirmé',
    sentence: ({ email, sender }) => `${sender} n’enverra plus d’e-mails à l’adresse ${email}.`,
    button: 'Se réabonner',
  },
  subscribe: {
    title: 'Abonnement',
    sentence: ({ email, sender }) =>
      `Souhaitez-vous recevoir les e-mails envoyés par ${sender} à l’adresse ${email}\u00a0?`,
    button: 'S’abonner',
  },
  subscribed: {
    title: 'Abonnement confirmé',
    sentence: ({ email, sender }) => `Vous recevrez les e-mails envoyés par ${sender} à l’adresse ${email}.`,
    button: 'Se désabonner',
  },
  manage: {
    title: 'Préférences d’e-mail',
    whenSubscribed: ({ email, sender }) => `L’adresse ${email} est abonnée aux e-mails envoyés par ${sender}.`,
    whenUnsubscribed: ({ email, sender }) => `L’adresse ${email} n’est pas abonnée aux e-mails envoyés par ${sender}.`,
    tracking: {
      title: 'Ouvertures et clics',
      sentence: (sender) =>
        `Autorisez-vous ${sender} à savoir si vous ouvrez ses e-mails et sur quels liens vous cliquez\u00a0?`,
      full: 'Oui, mes ouvertures et mes clics',
      anonymous: 'Seulement pour les compter, sans mon nom',
      none: 'Non',
      button: 'Enregistrer',
      saved: 'Votre choix est enregistré.',
    },
  },
  quote: {
    wrote: ({ at, name }) => `Le ${at}, ${name} a écrit :`,
    forwarded: 'Message transféré',
  },
  forwarding: {
    subject: (address) => `Recevoir les e-mails de ${address} ?`,
    request: ({ address, sender, email }) =>
      `${sender} souhaite transférer les e-mails de ${address} à ${email}. Veuillez confirmer que vous le souhaitez.`,
    button: 'Me les transférer',
    ignore: 'Si vous n’attendez pas cet e-mail, ignorez-le. Rien ne sera alors transféré.',
    page: ({ address, email }) =>
      `Veuillez confirmer que les e-mails de ${address} doivent être transférés à ${email}.`,
    done: {
      title: 'Confirmé',
      sentence: ({ address, email }) => `Les e-mails de ${address} sont désormais transférés à ${email}.`,
    },
  },
  topics: {
    between: '\u00a0», «\u00a0',
    ask: ({ topic, email, sender }) =>
      `Souhaitez-vous ne plus recevoir «\u00a0${topic}\u00a0» de ${sender} à l’adresse ${email}\u00a0?`,
    left: ({ topic, email, sender }) => `${sender} n’enverra plus «\u00a0${topic}\u00a0» à l’adresse ${email}.`,
    joined: ({ topic, email, sender }) => `${email} recevra «\u00a0${topic}\u00a0» de ${sender}.`,
    choice: 'Que souhaitez-vous recevoir\u00a0?',
    everything: 'Se désabonner de tout',
  },
  pause: {
    title: 'Faire une pause',
    sentence: (sender) => `Pendant ce temps, ${sender} ne vous envoie ni lettre d’information ni offre.`,
    days: (days) => `${days} jours`,
    until: (day) => `Aucun e-mail jusqu’au ${day}.`,
    end: 'Terminer la pause',
  },
  often: {
    title: 'À quelle fréquence',
    sentence: (sender) =>
      `${sender} ne vous envoie pas de lettres d’information ni d’offres plus souvent que vous ne le choisissez ici.`,
    every: 'Tous les e-mails',
    week: 'Au plus un e-mail par semaine',
    month: 'Au plus un e-mail par mois',
    days: (days) => (days === 1 ? 'Au plus un e-mail par jour' : `Au plus un e-mail tous les ${days} jours`),
  },
  gone: {
    title: 'Vous ne recevrez plus d’e-mails',
    sentence: (sender) => `${sender} a supprimé votre adresse et ne vous envoie plus d’e-mails.`,
  },
  mailGone: {
    title: 'Cet e-mail n’est plus consultable ici',
    sentence: (sender) => `Le texte de cet e-mail de ${sender} n’est plus conservé.`,
  },
  archive: {
    title: (sender) => `E-mails de ${sender}`,
    all: 'Tous les e-mails',
    empty: 'Rien n’est encore publié.',
    older: 'E-mails plus anciens',
    newer: 'E-mails plus récents',
  },
  invalid: {
    title: 'Ce lien n’est pas valide',
    sentence:
      'Vérifiez que vous avez copié le lien de l’e-mail en entier, ou utilisez le lien d’un e-mail plus récent.',
  },
  trouble: {
    title: 'Une erreur est survenue',
    sentence: 'L’opération n’a pas abouti. Veuillez réessayer dans quelques minutes.',
    refused: 'Cela n’est pas possible ainsi. Veuillez rouvrir le lien reçu par e-mail.',
  },
  form: {
    email: 'Adresse e-mail',
    button: 'S’inscrire',
    optional: 'facultatif',
    choose: 'Veuillez choisir',
    check: 'Veuillez vérifier :',
    thanks: 'Merci !',
    confirm:
      'Si cette adresse n’est pas encore inscrite, nous lui avons envoyé un e-mail. Veuillez confirmer par le lien qu’il contient.',
    closed: {
      title: 'Ce formulaire est fermé',
      sentence: 'Les inscriptions ne sont pas possibles ici pour le moment.',
    },
  },
  confirmation: {
    subject: (sender) => `Confirmez votre abonnement – ${sender}`,
    request: ({ email, sender }) =>
      `Quelqu’un, vous sans doute, a demandé à recevoir les e-mails envoyés par ${sender} à l’adresse ${email}. Merci de confirmer que vous le souhaitez.`,
    button: 'Confirmer l’abonnement',
    page: ({ email, sender }) => `Merci de confirmer que ${email} doit recevoir les e-mails envoyés par ${sender}.`,
    topicPage: ({ topic, email, sender }) =>
      `Merci de confirmer que ${email} doit recevoir «\u00a0${topic}\u00a0» de la part de ${sender}.`,
    done: 'Abonnement confirmé',
    back: (site) => `Retour à ${site}`,
    ignore: 'Si cette demande ne vient pas de vous, ignorez cet e-mail\u00a0: aucun abonnement ne sera créé.',
    chosen: (topic) => `Choix\u00a0: ${topic}.`,
    topics: {
      subject: (sender) => `Confirmez ce que ${sender} peut vous envoyer`,
      request: ({ topic, email, sender }) =>
        `Quelqu’un, vous sans doute, a demandé à recevoir «\u00a0${topic}\u00a0» de ${sender} à l’adresse ${email}. Merci de confirmer que vous le souhaitez.`,
      ignore: 'Si cette demande ne vient pas de vous, ignorez cet e-mail\u00a0: rien ne changera.',
    },
  },
  leave: {
    title: 'Désabonnement',
    sentence: (sender) =>
      `Saisissez votre adresse\u00a0: un e-mail avec le lien pour vous désabonner de ${sender} lui sera envoyé.`,
    button: 'Envoyer le lien',
    sent: 'Consultez votre boîte de réception',
    done: (sender) =>
      `Si cette adresse reçoit des e-mails de ${sender}, un e-mail avec le lien lui parviendra dans quelques minutes. Un seul e-mail de ce type est envoyé par jour.`,
    mail: {
      subject: (sender) => `Désabonnement – ${sender}`,
      request: ({ email, sender }) =>
        `Quelqu’un, vous sans doute, a demandé le lien pour désabonner ${email} des e-mails de ${sender}.`,
      ignore: 'Si cette demande ne vient pas de vous, ignorez cet e-mail\u00a0: rien ne changera.',
    },
  },
}
