export const setUp = {
  title: 'First steps',
  hint: 'From an empty project to your first mail. You can skip any step and come back later.',
  steps: { project: 'Project', domain: 'Sender', transport: 'Delivery', mail: 'First mail' },
  next: 'Save and continue',
  skip: 'Skip',
  finish: 'Finish',
  nameHint: 'Your team sees it here. Recipients see it as the sender of mail without a sender name.',
  goOn: 'Publish the records below where your domain is managed: at the company where you bought it, or at your web host. This page keeps checking. Until they are found, mail from this domain is refused; skip this step meanwhile, and try the others.',
  senderLater:
    'Once the domain is verified, an address of it can be the sender: your mail then carries its signature, and receivers trust it. Until then, only addresses that this server trusts are taken.',
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
