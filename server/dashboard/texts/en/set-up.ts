export const setUp = {
  title: 'First steps',
  hint: 'From an empty project to your first mail. You can skip any step and come back later.',
  steps: { project: 'Project', domain: 'Sender', transport: 'Delivery', mail: 'First mail' },
  next: 'Save and continue',
  skip: 'Skip',
  skipped: 'Skipped',
  domainWaits: (domain: string) =>
    `${domain} is not verified yet: mail from it is refused until its records are found. This page does not need to wait for it.`,
  testServer: 'Send a test mail through the mail server instead',
  finish: 'Finish',
  nameHint: 'Your team sees it here. Recipients see it as the sender of mail without a sender name.',
  goOn: 'Publish the records below where your domain is managed: at the company where you bought it, or at your web host. This page keeps checking. You can set the sender and go on to the other steps meanwhile; mail from this domain goes out once it is verified.',
  senderLater:
    'Verified means that receivers can check that the mail is yours: it carries your signature and is hardly taken for spam. You can choose an address of the domain now; it is used as soon as the domain is verified.',
  transports: 'How mail leaves this server',
  askOperator: 'The person who runs this server decides which mail server or service sends your mail.',
  outbox:
    'Nothing is sent yet: this server writes mail to files in its outbox folder. Set a mail server to send for real.',
  mailHint: 'Send a mail to yourself to see that everything works.',
  from: 'From',
  to: 'To',
  send: 'Send',
  subject: (project: string) => `A first mail from ${project}`,
  words: 'It works: this mail was sent by your own server.',
  by: (transport: string) => `via ${transport}`,
  seeMail: 'See what each server said',
}
