/** A/B tests of campaigns. */
export const variants = {
  title: 'A/B test',
  variant: (name: string) => `Variant ${name}`,
  others: 'The rest',
  heldOut: 'Get nothing',
  rest: (name: string) => `The rest, who get ${name}`,
  recipients: 'Recipients',
  met: { opens: 'Opened by people', clicks: 'Clicked by people', event: (name: string) => `Event ${name}` },
  rate: 'Rate',
  rateOf: (rate: string, low: string, high: string) => `${rate} (${low} to ${high})`,
  rateHint:
    'In brackets: between which values the true rate lies, with a confidence of 95%. Contacts who may only be counted anonymously are in no variant.',
  compared: 'Met the goal of the test',
  part: 'Part of the test',
  verdict: {
    nothing: 'Not enough to tell: nothing to compare has happened yet, or several variants have the same rate.',
    unclear: (best: string) => `Not enough to tell: ${best} has the highest rate so far, but that may well be chance.`,
    clear: (best: string) => `${best} is clearly better: chance alone hardly explains such a distance.`,
    alone: 'This campaign is compared with those who get nothing.',
    made: 'Those who got the mail and those who got nothing clearly differ: chance alone hardly explains it.',
    notMade: 'Not enough to tell whether the mail itself made a difference.',
    needsEvent: 'Whether the mail itself made a difference can only be told by an event.',
  },
  state: {
    testing: 'The mails of the test are on their way. The comparison begins when all of them are queued.',
    untilFigures: (time: string) =>
      `The rest of the audience waits until ${time}. Then the figures choose the better variant, and the rest gets it.`,
    untilPerson: (time: string) =>
      `The rest of the audience waits for you to choose a variant. The planned time of the comparison ends on ${time}.`,
    timeIsOver: (time: string) =>
      `The rest of the audience waits for you to choose a variant. The planned time of the comparison ended on ${time}.`,
    unclear: 'The time is over, and the figures cannot tell which variant is better. The rest waits for your choice.',
    paused: 'The campaign is paused. When it is resumed, the time of the comparison begins again.',
    cancelled: 'The campaign was cancelled before a variant was chosen. The rest gets nothing.',
    everybody: 'Everybody in the audience gets one of the variants. No rest waits for a winner.',
    person: (name: string) => `${name} was chosen by a person. The rest gets it.`,
    figures: (name: string) => `${name} was chosen by the figures. The rest gets it.`,
    'best-so-far': (name: string) =>
      `${name} had the highest rate when the time was over, although the figures could not tell for sure. The rest gets it.`,
  },
  choose: 'Send this one to the rest',
  chooseName: (name: string) => `Send this one to the rest: ${name}`,
  chooseTitle: (name: string) => `Send variant ${name} to the rest?`,
  chooseHint: 'Everybody who is not in the test gets it. Mail already sent cannot be taken back.',
  chooseEarly: 'The comparison is not over yet: a difference that is seen early is often chance.',
  chooseUnsure: 'The figures cannot tell yet which variant is better.',
  chosen: (name: string) => `Variant ${name} goes to the rest.`,
  winner: 'Winner',
  best: 'Ahead',
}
