import type { Figure } from './figure.ts'

/** The pairs of figures that are compared: `what` and `with` begin the names of two figures of one run. */
const COMPARED: readonly {
  readonly what: string
  readonly with: string
  readonly name: string
  readonly aim?: string
}[] = [
  {
    what: 'campaign to N, SQLite',
    with: "reference: nodemailer pooled sendMail, a campaign's mail",
    name: 'campaign / nodemailer',
    aim: 'at least 4.5',
  },
  {
    what: 'campaign to N, SQLite',
    with: "reference: BullMQ on Redis and nodemailer, a campaign's mail",
    name: 'campaign / BullMQ and nodemailer',
    aim: 'at least 6',
  },
  {
    what: 'campaign to N, PostgreSQL',
    with: "reference: nodemailer pooled sendMail, a campaign's mail",
    name: 'campaign on PostgreSQL / nodemailer',
  },
  {
    what: 'campaign to N, signed, SQLite',
    with: "reference: nodemailer pooled sendMail, a campaign's mail, signed",
    name: 'signed campaign / nodemailer, signed',
    aim: 'at least 3.3',
  },
  {
    what: 'campaign to N, SQLite',
    with: 'reference: smtp-source',
    name: 'campaign / smtp-source',
    aim: 'at least 0.5',
  },
  {
    what: 'campaign to N, PostgreSQL',
    with: 'campaign to N, SQLite',
    name: 'campaign, PostgreSQL / SQLite',
    aim: 'at least 0.7',
  },
  {
    what: 'drained through SMTP, PostgreSQL, two workers, a core each',
    with: 'drained through SMTP, PostgreSQL, one worker pinned to a core',
    name: 'two workers / one, a core each',
    aim: 'at least 1.6',
  },
  {
    what: 'campaign to N, SQLite: CPU of the server for each mail',
    with: "reference: nodemailer pooled sendMail, a campaign's mail: CPU for each mail",
    name: 'processor per mail, engine / nodemailer',
    aim: 'at most 0.18',
  },
  ...[
    { how: '10 rules of routing', aim: 'at most 1.03' },
    { how: '10,000 rules of routing', aim: 'at most 1.1' },
    { how: 'with a quota', aim: 'at most 1.1' },
  ].map(({ how, aim }) => ({
    what: `campaign to N, ${how}, SQLite: CPU of the server for each mail`,
    with: 'campaign to N, SQLite: CPU of the server for each mail',
    name: `processor per mail, ${how} / without`,
    aim,
  })),
  {
    what: 'durable accepts of /v1/send, SQLite FULL',
    with: 'durable accepts of /v1/send, the bare path',
    name: 'accepts / bare path',
    aim: 'at least 0.75',
  },
  {
    what: 'durable accepts of /v1/send, PostgreSQL',
    with: 'durable accepts of /v1/send, SQLite FULL',
    name: 'accepts, PostgreSQL / SQLite',
    aim: 'at least 0.6',
  },
  ...['Resend', 'SendGrid', 'Mailgun'].map((service) => ({
    what: `processor time of accepts of a plain mail, as ${service} takes it`,
    with: 'processor time of accepts of a plain mail, /v1/send',
    name: `processor time of a mail as ${service} takes it / of /v1/send`,
    aim: 'at most 1.15',
  })),
  {
    what: '/v1/send beside a campaign to N, 95th percentile',
    with: '/v1/send alone, 95th percentile',
    name: '95th percentile of /v1/send to the sink, beside a campaign / alone',
    aim: 'at most 2.5',
  },
]

/** The comparisons whose two figures were both measured. Figures of other machines are not comparable, ratios are. */
export function ratios(figures: readonly Figure[]): readonly Figure[] {
  const named = new Map<string, number>()
  // the first of a kind counts: a campaign to a million is no other kind
  for (const { what, value } of figures.toReversed()) named.set(what.replace(/ to \d[\d,]*\d/, ' to N'), value)
  return [...ofPairs(named), ...ofSigning(named)]
}

/** The processor time that signing adds to a mail, compared with that of the signature alone. */
function ofSigning(named: ReadonlyMap<string, number>): readonly Figure[] {
  const [signed, unsigned] = ['signed, SQLite', 'SQLite'].map((how) =>
    named.get(`campaign to N, ${how}: CPU of the server for each mail`),
  )
  const signature = named.get('RSA-2048 signature')
  if (signed === undefined || unsigned === undefined || signature === undefined) return []
  const what = 'processor per mail that signing adds / one RSA signature'
  return [{ what, value: (signed - unsigned) / signature, unit: 'times', note: 'aim: at most 1.15' }]
}

function ofPairs(named: ReadonlyMap<string, number>): readonly Figure[] {
  return COMPARED.flatMap(({ what, with: other, name, aim }) => {
    const [value, reference] = [named.get(what), named.get(other)]
    if (value === undefined || reference === undefined) return []
    return [
      { what: name, value: value / reference, unit: 'times', ...(aim === undefined ? {} : { note: `aim: ${aim}` }) },
    ]
  })
}
