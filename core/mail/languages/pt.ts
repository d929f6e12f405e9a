import type { Translations } from './translations.ts'

/** Portuguese, in words common to Brazil and Portugal. */
export const PT: Translations = {
  language: 'pt',
  footer: {
    reason: (sender) =>
      `Este e-mail foi enviado porque o seu endereço está inscrito para receber e-mails de ${sender}.`,
    unsubscribe: 'Cancelar a inscrição',
  },
  unsubscribe: {
    title: 'Cancelar a inscrição',
    sentence: ({ email, sender }) => `Deseja deixar de receber e-mails de ${sender} em ${email}?`,
    button: 'Cancelar a inscrição',
  },
  unsubscribed: {
    title: 'Inscrição cancelada',
    sentence: ({ email, sender }) => `${sender} não enviará mais e-mails para ${email}.`,
    button: 'Inscrever-se novamente',
  },
  subscribe: {
    title: 'Inscrição',
    sentence: ({ email, sender }) => `Deseja receber e-mails de ${sender} em ${email}?`,
    button: 'Inscrever-se',
  },
  subscribed: {
    title: 'Inscrição confirmada',
    sentence: ({ email, sender }) => `Os e-mails de ${sender} serão enviados para ${email}.`,
    button: 'Cancelar a inscrição',
  },
  manage: {
    title: 'Preferências de e-mail',
    whenSubscribed: ({ email, sender }) => `O endereço ${email} está inscrito para receber e-mails de ${sender}.`,
    whenUnsubscribed: ({ email, sender }) => `O endereço ${email} não está inscrito para receber e-mails de ${sender}.`,
    tracking: {
      title: 'Aberturas e cliques',
      sentence: (sender) => `Permite que ${sender} veja se os e-mails são abertos e em quais links se clica?`,
      full: 'Sim, o que abro e em que clico',
      anonymous: 'Apenas para contar, sem o meu nome',
      none: 'Não',
      button: 'Guardar',
      saved: 'A sua escolha foi guardada.',
    },
  },
  quote: {
    wrote: ({ at, name }) => `Em ${at}, ${name} escreveu:`,
    forwarded: 'Mensagem encaminhada',
  },
  forwarding: {
    subject: (address) => `Receber o correio de ${address}?`,
    request: ({ address, sender, email }) =>
      `${sender} quer encaminhar o correio de ${address} para ${email}. Confirme que o deseja.`,
    button: 'Encaminhar para mim',
    ignore: 'Se não está à espera disto, ignore este e-mail. Nesse caso, nada será encaminhado.',
    page: ({ address, email }) => `Confirme que o correio de ${address} deve ser encaminhado para ${email}.`,
    done: {
      title: 'Confirmado',
      sentence: ({ address, email }) => `A partir de agora, o correio de ${address} é encaminhado para ${email}.`,
    },
  },
  topics: {
    between: '», «',
    ask: ({ topic, email, sender }) => `Deseja deixar de receber «${topic}» de ${sender} em ${email}?`,
    left: ({ topic, email, sender }) => `${sender} não enviará mais «${topic}» para ${email}.`,
    joined: ({ topic, email, sender }) => `${email} receberá «${topic}» de ${sender}.`,
    choice: 'O que deseja receber?',
    everything: 'Cancelar todas as inscrições',
  },
  pause: {
    title: 'Fazer uma pausa',
    sentence: (sender) => `Durante esse tempo, ${sender} não lhe envia newsletters nem ofertas.`,
    days: (days) => `${days} dias`,
    until: (day) => `Nenhum e-mail até ${day}.`,
    end: 'Terminar a pausa',
  },
  often: {
    title: 'Com que frequência',
    sentence: (sender) => `${sender} não lhe envia newsletters nem ofertas com mais frequência do que escolher aqui.`,
    every: 'Todos os e-mails',
    week: 'No máximo um e-mail por semana',
    month: 'No máximo um e-mail por mês',
    days: (days) => (days === 1 ? 'No máximo um e-mail por dia' : `No máximo um e-mail a cada ${days} dias`),
  },
  gone: {
    title: 'Você não receberá mais e-mails',
    sentence: (sender) => `${sender} excluiu seu endereço e não envia mais e-mails para ele.`,
  },
  mailGone: {
    title: 'Já não é possível ler este e-mail aqui',
    sentence: (sender) => `O texto deste e-mail de ${sender} já não é guardado.`,
  },
  archive: {
    title: (sender) => `E-mails de ${sender}`,
    all: 'Todos os e-mails',
    empty: 'Ainda não há nada publicado.',
    older: 'E-mails mais antigos',
    newer: 'E-mails mais recentes',
  },
  invalid: {
    title: 'Este link não é válido',
    sentence: 'Verifique se copiou o link completo do e-mail ou utilize o link de um e-mail mais recente.',
  },
  trouble: {
    title: 'Ocorreu um erro',
    sentence: 'Não foi possível concluir a operação. Tente novamente dentro de alguns minutos.',
    refused: 'Não é possível desta forma. Abra novamente o link do e-mail.',
  },
  form: {
    email: 'Endereço de e-mail',
    button: 'Subscrever',
    optional: 'opcional',
    choose: 'Escolha',
    check: 'Verifique:',
    thanks: 'Obrigado!',
    confirm:
      'Se este endereço ainda não estiver subscrito, enviámos-lhe um e-mail. Confirme através da ligação nesse e-mail.',
    closed: { title: 'Este formulário está fechado', sentence: 'De momento não é possível subscrever aqui.' },
  },
  confirmation: {
    subject: (sender) => `Confirme a sua inscrição – ${sender}`,
    request: ({ email, sender }) =>
      `Alguém, esperamos que tenha sido você, pediu para receber e-mails de ${sender} em ${email}. Por favor, confirme que deseja recebê-los.`,
    button: 'Confirmar a inscrição',
    page: ({ email, sender }) => `Confirme que ${email} deve receber e-mails de ${sender}.`,
    topicPage: ({ topic, email, sender }) => `Confirme que ${email} deve receber «${topic}» de ${sender}.`,
    done: 'Inscrição confirmada',
    back: (site) => `Voltar a ${site}`,
    ignore: 'Se não fez este pedido, ignore este e-mail. A inscrição não será feita.',
    chosen: (topic) => `Escolhido: ${topic}.`,
    topics: {
      subject: (sender) => `Confirme o que ${sender} lhe pode enviar`,
      request: ({ topic, email, sender }) =>
        `Alguém, esperamos que tenha sido você, pediu para receber «${topic}» de ${sender} em ${email}. Por favor, confirme que o deseja.`,
      ignore: 'Se não fez este pedido, ignore este e-mail. Nada mudará.',
    },
  },
  leave: {
    title: 'Cancelar a inscrição',
    sentence: (sender) =>
      `Escreva o seu endereço e receberá um e-mail com a ligação para cancelar a inscrição em ${sender}.`,
    button: 'Enviar a ligação',
    sent: 'Veja a sua caixa de entrada',
    done: (sender) =>
      `Se este endereço receber e-mails de ${sender}, dentro de minutos chegará um e-mail com a ligação. É enviado no máximo um e-mail destes por dia.`,
    mail: {
      subject: (sender) => `Cancelar a inscrição – ${sender}`,
      request: ({ email, sender }) =>
        `Alguém, esperamos que tenha sido você, pediu a ligação para cancelar a inscrição de ${email} nos e-mails de ${sender}.`,
      ignore: 'Se não fez este pedido, ignore este e-mail. Nada mudará.',
    },
  },
}
