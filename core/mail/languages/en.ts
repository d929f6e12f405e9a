import type { Translations } from './translations.ts'

/** English. */
export const EN: Translations = {
  language: 'en',
  footer: {
    reason: (sender) => `You are receiving this email because you are subscribed to emails from ${sender}.`,
    unsubscribe: 'Unsubscribe',
  },
  unsubscribe: {
    title: 'Unsubscribe',
    sentence: ({ email, sender }) => `Do you want to stop receiving emails from ${sender} at ${email}?`,
    button: 'Unsubscribe',
  },
  unsubscribed: {
    title: 'You are unsubscribed',
    sentence: ({ email, sender }) => `${sender} will no longer send emails to ${email}.`,
    button: 'Subscribe again',
  },
  subscribe: {
    title: 'Subscribe',
    sentence: ({ email, sender }) => `Do you want to receive emails from ${sender} at ${email}?`,
    button: 'Subscribe',
  },
  subscribed: {
    title: 'You are subscribed',
    sentence: ({ email, sender }) => `${email} will receive emails from ${sender}.`,
    button: 'Unsubscribe',
  },
  manage: {
    title: 'Email preferences',
    whenSubscribed: ({ email, sender }) => `${email} is subscribed to emails from ${sender}.`,
    whenUnsubscribed: ({ email, sender }) => `${email} is not subscribed to emails from ${sender}.`,
    tracking: {
      title: 'Opens and clicks',
      sentence: (sender) => `May ${sender} see whether you open emails and which links you click?`,
      full: 'Yes, what I open and click',
      anonymous: 'Only counted, without my name',
      none: 'No',
      button: 'Save',
      saved: 'Your choice has been saved.',
    },
  },
  quote: {
    wrote: ({ at, name }) => `On ${at}, ${name} wrote:`,
    forwarded: 'Forwarded message',
  },
  forwarding: {
    subject: (address) => `Get the mail of ${address}?`,
    request: ({ address, sender, email }) =>
      `${sender} wants to forward the mail of ${address} to ${email}. Please confirm that you want it.`,
    button: 'Forward it to me',
    ignore: 'If you do not expect this, ignore this mail. Then nothing is forwarded.',
    page: ({ address, email }) => `Please confirm that the mail of ${address} is forwarded to ${email}.`,
    done: {
      title: 'Confirmed',
      sentence: ({ address, email }) => `The mail of ${address} is forwarded to ${email} from now on.`,
    },
  },
  topics: {
    between: '”, “',
    ask: ({ topic, email, sender }) => `Do you want to stop receiving “${topic}” from ${sender} at ${email}?`,
    left: ({ topic, email, sender }) => `${sender} will no longer send “${topic}” to ${email}.`,
    joined: ({ topic, email, sender }) => `${email} will receive “${topic}” from ${sender}.`,
    choice: 'What would you like to receive?',
    everything: 'Unsubscribe from everything',
  },
  pause: {
    title: 'Take a break',
    sentence: (sender) => `${sender} sends you no newsletters or offers meanwhile.`,
    days: (days) => `${days} days`,
    until: (day) => `No emails until ${day}.`,
    end: 'End the break',
  },
  often: {
    title: 'How often',
    sentence: (sender) => `${sender} sends you newsletters and offers no more often than you choose here.`,
    every: 'Every email',
    week: 'At most one email a week',
    month: 'At most one email a month',
    days: (days) => (days === 1 ? 'At most one email a day' : `At most one email every ${days} days`),
  },
  gone: {
    title: 'You will get no more emails',
    sentence: (sender) => `${sender} has deleted your address and no longer sends emails to it.`,
  },
  mailGone: {
    title: 'This mail can no longer be read here',
    sentence: (sender) => `The text of this mail from ${sender} is no longer kept.`,
  },
  archive: {
    title: (sender) => `Emails from ${sender}`,
    all: 'All emails',
    empty: 'Nothing has been published yet.',
    older: 'Older emails',
    newer: 'Newer emails',
  },
  invalid: {
    title: 'This link is not valid',
    sentence: 'Please check that you copied the whole link from the email, or use the link in a more recent one.',
  },
  trouble: {
    title: 'Something went wrong',
    sentence: 'This did not work just now. Please try again in a few minutes.',
    refused: 'This cannot be done this way. Please open the link in the email again.',
  },
  form: {
    email: 'Email address',
    button: 'Sign up',
    optional: 'optional',
    choose: 'Please choose',
    check: 'Please check:',
    thanks: 'Thank you!',
    confirm:
      'If this address is not subscribed yet, we have sent a mail to it. Please confirm by the link in that mail.',
    closed: { title: 'This form is closed', sentence: 'It is not possible to sign up here at the moment.' },
  },
  confirmation: {
    subject: (sender) => `Please confirm your subscription to ${sender}`,
    request: ({ email, sender }) =>
      `Someone, hopefully you, asked to receive emails from ${sender} at ${email}. Please confirm that you want them.`,
    button: 'Confirm subscription',
    page: ({ email, sender }) => `Please confirm that ${email} should receive emails from ${sender}.`,
    topicPage: ({ topic, email, sender }) => `Please confirm that ${email} should receive “${topic}” from ${sender}.`,
    done: 'Subscription confirmed',
    back: (site) => `Back to ${site}`,
    ignore: 'If this was not you, just ignore this email. You will not be subscribed.',
    chosen: (topic) => `Chosen: ${topic}.`,
    topics: {
      subject: (sender) => `Please confirm what ${sender} may send you`,
      request: ({ topic, email, sender }) =>
        `Someone, hopefully you, asked to receive “${topic}” from ${sender} at ${email}. Please confirm that you want that.`,
      ignore: 'If this was not you, just ignore this email. Nothing will change.',
    },
  },
  leave: {
    title: 'Unsubscribe',
    sentence: (sender) =>
      `Enter your address, and a mail with the link by which you unsubscribe from ${sender} is sent to it.`,
    button: 'Send the link',
    sent: 'Look into your inbox',
    done: (sender) =>
      `If this address receives emails from ${sender}, a mail with the link is in its inbox within minutes. At most one such mail is sent a day.`,
    mail: {
      subject: (sender) => `Unsubscribe from ${sender}`,
      request: ({ email, sender }) =>
        `Someone, hopefully you, asked for the link by which ${email} unsubscribes from emails from ${sender}.`,
      ignore: 'If this was not you, just ignore this email. Nothing will change.',
    },
  },
}
