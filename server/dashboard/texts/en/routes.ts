/** Words about the way of mail through the transports. */
export const routes = {
  title: 'Way of the mail',
  show: 'Show why',
  hide: 'Hide',
  ways: {
    own: "Through the project's own mail servers.",
    installation: 'Through the mail servers of the installation.',
    folder: 'Into a folder of this server.',
    nowhere: 'Nowhere yet: it waits for a mail server.',
    simulator: 'To the simulator. It never leaves this server.',
    sandbox: 'Into the sandbox: it is caught, and nobody gets it.',
  } as Readonly<Record<string, string>>,
  wayNow: 'Now it would go',
  tried: 'Tried so far',
  triedNone: 'Nothing yet',
  hidden: 'The rules of routing are shown to the person who runs the server.',
  classes: { transactional: 'Transactional', workflow: 'Workflow', campaign: 'Campaign' } as Readonly<
    Record<string, string>
  >,
  class: 'Class',
  rule: (number: number) => `Rule ${number}`,
  decides: (rule: string, fits: readonly string[]) =>
    fits.length === 0 ? `${rule} decides: it is for all mail.` : `${rule} decides: ${fits.join(', ')}.`,
  fits: (key: string, value: string) => `${key} is ${value}`,
  noneFits: 'No rule fits: the transports are tried in their usual order.',
  tries: (transports: readonly string[]) => `It tries ${transports.join(', then ')}.`,
  shares: (shares: string) => `Shares: ${shares}.`,
  share: (name: string, percent: number) => `${name} ${percent} %`,
  takenBy: (receiver: string) => `The mail of its recipient's domain is taken by ${receiver}.`,
  fitsNot: (rule: string, key: string, value: string | undefined, wanted: string) =>
    value === undefined
      ? `${rule} does not fit: ${key} is not known or absent; it wants ${wanted}.`
      : `${rule} does not fit: ${key} is ${value}; it wants ${wanted}.`,
  oneOf: (wanted: readonly string[], more: number) => `${wanted.join(' or ')}${more > 0 ? ` or ${more} more` : ''}`,
  any: 'any value',
  more: (n: number) => `${n} rules before these do not fit either.`,
  keys: {
    class: 'class',
    project: 'project',
    senderDomain: 'sender domain',
    recipientDomain: 'recipient domain',
    receiver: 'receiver',
    template: 'template',
    tag: 'tag',
    header: 'header field',
  } as Readonly<Record<string, string>>,
}
