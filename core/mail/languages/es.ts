import type { Translations } from './translations.ts'

/** Spanish. */
export const ES: Translations = {
  language: 'es',
  footer: {
    reason: (sender) => `Recibe este correo porque su dirección está suscrita a los correos de ${sender}.`,
    unsubscribe: 'Cancelar la suscripción',
  },
  unsubscribe: {
    title: 'Cancelar la suscripción',
    sentence: ({ email, sender }) => `¿Quiere dejar de recibir correos de ${sender} en ${email}?`,
    button: 'Cancelar la suscripción',
  },
  unsubscribed: {
    title: 'Suscripción cancelada',
    sentence: ({ email, sender }) => `${sender} ya no enviará más correos a ${email}.`,
    button: 'Volver a suscribirse',
  },
  subscribe: {
    title: 'Suscribirse',
    sentence: ({ email, sender }) => `¿Quiere recibir correos de ${sender} en ${email}?`,
    button: 'Suscribirse',
  },
  subscribed: {
    title: 'Suscripción confirmada',
    sentence: ({ email, sender }) => `Recibirá los correos de ${sender} en ${email}.`,
    button: 'Cancelar la suscripción',
  },
  manage: {
    title: 'Preferencias de correo',
    whenSubscribed: ({ email, sender }) => `La dirección ${email} está suscrita a los correos de ${sender}.`,
    whenUnsubscribed: ({ email, sender }) => `La dirección ${email} no está suscrita a los correos de ${sender}.`,
    tracking: {
      title: 'Aperturas y clics',
      sentence: (sender) => `¿Permite que ${sender} vea si abre los correos y en qué enlaces hace clic?`,
      full: 'Sí, lo que abro y en qué hago clic',
      anonymous: 'Solo para contarlos, sin mi nombre',
      none: 'No',
      button: 'Guardar',
      saved: 'Su elección se ha guardado.',
    },
  },
  quote: {
    wrote: ({ at, name }) => `El ${at}, ${name} escribió:`,
    forwarded: 'Mensaje reenviado',
  },
  forwarding: {
    subject: (address) => `¿Recibir el correo de ${address}?`,
    request: ({ address, sender, email }) =>
      `${sender} quiere reenviar el correo de ${address} a ${email}. Confirme que lo desea.`,
    button: 'Reenviármelo',
    ignore: 'Si no lo espera, ignore este mensaje. Entonces no se reenviará nada.',
    page: ({ address, email }) => `Confirme que el correo de ${address} se reenvíe a ${email}.`,
    done: {
      title: 'Confirmado',
      sentence: ({ address, email }) => `A partir de ahora, el correo de ${address} se reenvía a ${email}.`,
    },
  },
  topics: {
    between: '», «',
    ask: ({ topic, email, sender }) => `¿Quiere dejar de recibir «${topic}» de ${sender} en ${email}?`,
    left: ({ topic, email, sender }) => `${sender} ya no enviará «${topic}» a ${email}.`,
    joined: ({ topic, email, sender }) => `${email} recibirá «${topic}» de ${sender}.`,
    choice: '¿Qué desea recibir?',
    everything: 'Cancelar todas las suscripciones',
  },
  pause: {
    title: 'Hacer una pausa',
    sentence: (sender) => `Durante ese tiempo, ${sender} no le enviará boletines ni ofertas.`,
    days: (days) => `${days} días`,
    until: (day) => `Ningún correo hasta el ${day}.`,
    end: 'Terminar la pausa',
  },
  often: {
    title: 'Con qué frecuencia',
    sentence: (sender) => `${sender} no le enviará boletines ni ofertas más a menudo de lo que elija aquí.`,
    every: 'Todos los correos',
    week: 'Como máximo un correo por semana',
    month: 'Como máximo un correo al mes',
    days: (days) => (days === 1 ? 'Como máximo un correo al día' : `Como máximo un correo cada ${days} días`),
  },
  gone: {
    title: 'Ya no recibirá más correos',
    sentence: (sender) => `${sender} ha eliminado su dirección y ya no le envía correos.`,
  },
  mailGone: {
    title: 'Este correo ya no se puede leer aquí',
    sentence: (sender) => `El texto de este correo de ${sender} ya no se conserva.`,
  },
  archive: {
    title: (sender) => `Correos de ${sender}`,
    all: 'Todos los correos',
    empty: 'Todavía no hay nada publicado.',
    older: 'Correos anteriores',
    newer: 'Correos más recientes',
  },
  invalid: {
    title: 'Este enlace no es válido',
    sentence: 'Compruebe que ha copiado el enlace completo del correo o utilice el de un correo más reciente.',
  },
  trouble: {
    title: 'Algo ha fallado',
    sentence: 'No se ha podido completar la operación. Vuelva a intentarlo dentro de unos minutos.',
    refused: 'Así no es posible. Vuelva a abrir el enlace del correo electrónico.',
  },
  form: {
    email: 'Correo electrónico',
    button: 'Suscribirme',
    optional: 'opcional',
    choose: 'Elija una opción',
    check: 'Por favor, revise:',
    thanks: '¡Gracias!',
    confirm:
      'Si esta dirección aún no está suscrita, le hemos enviado un correo. Confirme la suscripción con el enlace que contiene.',
    closed: { title: 'Este formulario está cerrado', sentence: 'De momento no es posible suscribirse aquí.' },
  },
  confirmation: {
    subject: (sender) => `Confirme su suscripción a ${sender}`,
    request: ({ email, sender }) =>
      `Alguien, esperamos que usted, ha pedido recibir correos de ${sender} en ${email}. Confirme que desea recibirlos.`,
    button: 'Confirmar la suscripción',
    page: ({ email, sender }) => `Confirme que ${email} debe recibir correos de ${sender}.`,
    topicPage: ({ topic, email, sender }) => `Confirme que ${email} debe recibir «${topic}» de ${sender}.`,
    done: 'Suscripción confirmada',
    back: (site) => `Volver a ${site}`,
    ignore: 'Si no ha sido usted, ignore este correo. No se realizará la suscripción.',
    chosen: (topic) => `Elegido: ${topic}.`,
    topics: {
      subject: (sender) => `Confirme lo que ${sender} puede enviarle`,
      request: ({ topic, email, sender }) =>
        `Alguien, esperamos que usted, ha pedido recibir «${topic}» de ${sender} en ${email}. Confirme que lo desea.`,
      ignore: 'Si no ha sido usted, ignore este correo. No cambiará nada.',
    },
  },
  leave: {
    title: 'Cancelar la suscripción',
    sentence: (sender) =>
      `Escriba su dirección y recibirá un correo con el enlace para cancelar la suscripción a ${sender}.`,
    button: 'Enviar el enlace',
    sent: 'Mire su bandeja de entrada',
    done: (sender) =>
      `Si esta dirección recibe correos de ${sender}, en unos minutos le llegará un correo con el enlace. Se envía como máximo un correo así al día.`,
    mail: {
      subject: (sender) => `Cancelar la suscripción a ${sender}`,
      request: ({ email, sender }) =>
        `Alguien, esperamos que usted, ha pedido el enlace para dar de baja ${email} de los correos de ${sender}.`,
      ignore: 'Si no ha sido usted, ignore este correo. No cambiará nada.',
    },
  },
}
