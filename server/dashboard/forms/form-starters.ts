import { translationsIn } from '../../../core/mail/languages/translations-in.ts'
import { EMPTY, type FormValues } from './form-values.ts'

/** The beginnings of a form. */
export const FORM_STARTERS = ['newsletter', 'waitingList', 'contact'] as const
export type FormStarter = (typeof FORM_STARTERS)[number]

/** The texts of one form, without that of the consent. */
type Texts = readonly [title: string, intro: string, button: string]

interface Words {
  readonly firstName: string
  readonly message: string
  /** The consent; that of a contact form is also for the answer. */
  readonly consent: Readonly<Record<FormStarter, (sender: string) => string>>
  readonly texts: Readonly<Record<FormStarter, Texts>>
}

/** A form with its texts in this language, that of its readers where the project has one. */
export function formStarter(
  kind: FormStarter,
  { name, locale }: { readonly name: string; readonly locale?: string | null | undefined },
): FormValues {
  const { language } = translationsIn(locale)
  const words = WORDS[language] ?? ENGLISH
  const [title, intro, button] = words.texts[kind]
  const field = { row: 0, type: 'text', required: false, options: '', value: '' } as const
  const message = { ...field, row: 1, key: 'message', label: words.message, required: true }
  return {
    ...EMPTY,
    name: title,
    title,
    intro,
    button,
    consent: words.consent[kind](name),
    fields: [{ ...field, key: 'firstName', label: words.firstName }, ...(kind === 'contact' ? [message] : [])],
  }
}

const ENGLISH: Words = {
  firstName: 'First name',
  message: 'Your message',
  consent: {
    newsletter: (sender) => `${sender} may send me its newsletter by email. I can unsubscribe at any time.`,
    waitingList: (sender) =>
      `${sender} may email me when it is my turn, and with news until then. I can unsubscribe at any time.`,
    contact: (sender) =>
      `${sender} may answer me by email, and send me news from time to time. I can unsubscribe at any time.`,
  },
  texts: {
    newsletter: ['Our newsletter', 'What is new, straight to your inbox.', 'Subscribe'],
    waitingList: ['Join the waiting list', 'We will write to you as soon as there is a place.', 'Join'],
    contact: ['Write to us', 'Leave your address and your question, and we will answer by email.', 'Send'],
  },
}

const WORDS: Readonly<Record<string, Words>> = {
  en: ENGLISH,
  de: {
    firstName: 'Vorname',
    message: 'Ihre Nachricht',
    consent: {
      newsletter: (sender) => `${sender} darf mir den Newsletter per E-Mail senden. Ich kann mich jederzeit abmelden.`,
      waitingList: (sender) =>
        `${sender} darf mir schreiben, sobald ich an der Reihe bin, und bis dahin mit Neuigkeiten. Ich kann mich jederzeit abmelden.`,
      contact: (sender) =>
        `${sender} darf mir per E-Mail antworten und mir gelegentlich Neuigkeiten senden. Ich kann mich jederzeit abmelden.`,
    },
    texts: {
      newsletter: ['Unser Newsletter', 'Neuigkeiten direkt in Ihr Postfach.', 'Anmelden'],
      waitingList: ['Auf die Warteliste', 'Wir schreiben Ihnen, sobald ein Platz frei ist.', 'Eintragen'],
      contact: ['Schreiben Sie uns', 'Nennen Sie uns Ihre Adresse und Ihre Frage, wir antworten per E-Mail.', 'Senden'],
    },
  },
  es: {
    firstName: 'Nombre',
    message: 'Su mensaje',
    consent: {
      newsletter: (sender) =>
        `${sender} puede enviarme su boletín por correo electrónico. Puedo darme de baja en cualquier momento.`,
      waitingList: (sender) =>
        `${sender} puede escribirme cuando llegue mi turno y, hasta entonces, con novedades. Puedo darme de baja en cualquier momento.`,
      contact: (sender) =>
        `${sender} puede responderme por correo electrónico y enviarme novedades de vez en cuando. Puedo darme de baja en cualquier momento.`,
    },
    texts: {
      newsletter: ['Nuestro boletín', 'Las novedades, directamente en su correo.', 'Suscribirse'],
      waitingList: ['Lista de espera', 'Le escribiremos en cuanto haya una plaza.', 'Apuntarse'],
      contact: ['Escríbanos', 'Déjenos su dirección y su pregunta y le responderemos por correo.', 'Enviar'],
    },
  },
  fr: {
    firstName: 'Prénom',
    message: 'Votre message',
    consent: {
      newsletter: (sender) => `${sender} peut m’envoyer sa newsletter par e-mail. Je peux me désabonner à tout moment.`,
      waitingList: (sender) =>
        `${sender} peut m’écrire quand mon tour viendra et, d’ici là, m’envoyer des nouvelles. Je peux me désabonner à tout moment.`,
      contact: (sender) =>
        `${sender} peut me répondre par e-mail et m’envoyer des nouvelles de temps en temps. Je peux me désabonner à tout moment.`,
    },
    texts: {
      newsletter: ['Notre newsletter', 'Nos nouvelles, directement dans votre boîte.', 'S’abonner'],
      waitingList: ['Liste d’attente', 'Nous vous écrirons dès qu’une place se libère.', 'S’inscrire'],
      contact: [
        'Écrivez-nous',
        'Laissez-nous votre adresse et votre question, nous vous répondrons par e-mail.',
        'Envoyer',
      ],
    },
  },
  it: {
    firstName: 'Nome',
    message: 'Il tuo messaggio',
    consent: {
      newsletter: (sender) =>
        `${sender} può inviarmi la sua newsletter via email. Posso annullare l’iscrizione in qualsiasi momento.`,
      waitingList: (sender) =>
        `${sender} può scrivermi quando sarà il mio turno e, nel frattempo, inviarmi novità. Posso annullare l’iscrizione in qualsiasi momento.`,
      contact: (sender) =>
        `${sender} può rispondermi via email e inviarmi novità di tanto in tanto. Posso annullare l’iscrizione in qualsiasi momento.`,
    },
    texts: {
      newsletter: ['La nostra newsletter', 'Le novità, direttamente nella tua casella.', 'Iscriviti'],
      waitingList: ['Lista d’attesa', 'Ti scriveremo appena si libera un posto.', 'Iscriviti'],
      contact: ['Scrivici', 'Lasciaci il tuo indirizzo e la tua domanda: ti rispondiamo via email.', 'Invia'],
    },
  },
  ja: {
    firstName: 'お名前',
    message: 'お問い合わせ内容',
    consent: {
      newsletter: (sender) => `${sender}からのメールマガジンを受け取ることに同意します。いつでも配信を停止できます。`,
      waitingList: (sender) =>
        `順番が来たときのご連絡と、それまでのお知らせを${sender}からメールで受け取ることに同意します。いつでも配信を停止できます。`,
      contact: (sender) =>
        `${sender}からメールで回答と、ときどきお知らせを受け取ることに同意します。いつでも配信を停止できます。`,
    },
    texts: {
      newsletter: ['メールマガジン', '最新情報をメールでお届けします。', '登録する'],
      waitingList: ['順番待ちリスト', '空きが出しだいご連絡します。', '登録する'],
      contact: ['お問い合わせ', 'メールアドレスとご質問をお送りください。メールでお答えします。', '送信する'],
    },
  },
  nl: {
    firstName: 'Voornaam',
    message: 'Je bericht',
    consent: {
      newsletter: (sender) => `${sender} mag mij de nieuwsbrief per e-mail sturen. Ik kan me altijd afmelden.`,
      waitingList: (sender) =>
        `${sender} mag mij mailen zodra ik aan de beurt ben, en tot die tijd met nieuws. Ik kan me altijd afmelden.`,
      contact: (sender) =>
        `${sender} mag mij per e-mail antwoorden en mij af en toe nieuws sturen. Ik kan me altijd afmelden.`,
    },
    texts: {
      newsletter: ['Onze nieuwsbrief', 'Nieuws, direct in je inbox.', 'Aanmelden'],
      waitingList: ['Op de wachtlijst', 'We mailen je zodra er plek is.', 'Aanmelden'],
      contact: ['Schrijf ons', 'Laat je adres en je vraag achter, dan antwoorden we per e-mail.', 'Versturen'],
    },
  },
  pl: {
    firstName: 'Imię',
    message: 'Wiadomość',
    consent: {
      newsletter: (sender) =>
        `Zgadzam się otrzymywać newsletter od nadawcy „${sender}” e-mailem. Mogę zrezygnować w każdej chwili.`,
      waitingList: (sender) =>
        `Zgadzam się, aby „${sender}” napisał do mnie e-mailem, gdy przyjdzie moja kolej, a do tego czasu przesyłał nowości. Mogę zrezygnować w każdej chwili.`,
      contact: (sender) =>
        `Zgadzam się, aby „${sender}” odpowiedział mi e-mailem i od czasu do czasu przesyłał nowości. Mogę zrezygnować w każdej chwili.`,
    },
    texts: {
      newsletter: ['Nasz newsletter', 'Nowości prosto do Twojej skrzynki.', 'Zapisz się'],
      waitingList: ['Lista oczekujących', 'Napiszemy, gdy tylko zwolni się miejsce.', 'Zapisz się'],
      contact: ['Napisz do nas', 'Zostaw swój adres i pytanie, a odpowiemy e-mailem.', 'Wyślij'],
    },
  },
  pt: {
    firstName: 'Nome',
    message: 'A sua mensagem',
    consent: {
      newsletter: (sender) =>
        `${sender} pode enviar-me a sua newsletter por e-mail. Posso cancelar a inscrição a qualquer momento.`,
      waitingList: (sender) =>
        `${sender} pode escrever-me quando chegar a minha vez e, até lá, com novidades. Posso cancelar a inscrição a qualquer momento.`,
      contact: (sender) =>
        `${sender} pode responder-me por e-mail e enviar-me novidades de vez em quando. Posso cancelar a inscrição a qualquer momento.`,
    },
    texts: {
      newsletter: ['A nossa newsletter', 'As novidades, diretamente na sua caixa de correio.', 'Inscrever-se'],
      waitingList: ['Lista de espera', 'Escrevemos-lhe assim que houver um lugar.', 'Inscrever-se'],
      contact: ['Escreva-nos', 'Deixe o seu endereço e a sua pergunta, e respondemos por e-mail.', 'Enviar'],
    },
  },
  zh: {
    firstName: '名字',
    message: '留言',
    consent: {
      newsletter: (sender) => `我同意“${sender}”通过电子邮件向我发送资讯。我可以随时退订。`,
      waitingList: (sender) => `我同意“${sender}”在轮到我时以及此前有新消息时给我发送邮件。我可以随时退订。`,
      contact: (sender) => `我同意“${sender}”通过邮件回复我，并不时向我发送新消息。我可以随时退订。`,
    },
    texts: {
      newsletter: ['订阅资讯', '最新消息，直达您的邮箱。', '订阅'],
      waitingList: ['加入候补名单', '一有名额，我们就会给您写信。', '加入'],
      contact: ['联系我们', '请留下您的邮箱和问题，我们会通过邮件回复您。', '发送'],
    },
  },
}
