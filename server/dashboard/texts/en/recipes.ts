/** The mails of both welcomes. */
const WELCOME = {
  first: {
    subject: 'Welcome',
    words: ['Good to have you. [Say in one or two sentences what happens next.]'],
    button: 'Begin',
  },
  second: {
    subject: 'Your first steps',
    words: ['Most people begin with this: [the first step, in one sentence].', '[Say what they have when it is done.]'],
    button: 'Take the first step',
  },
  third: {
    subject: 'How is it going?',
    words: [
      'Is anything holding you up? Just reply to this mail; we read everything.',
      '[Name one thing that helps many.]',
    ],
    button: '',
  },
}

/**
 * The names of the workflows to begin with, and of the mails in them: drafts whose words in brackets are to be written.
 */
export const recipes = {
  choose: 'Begin with',
  blank: 'An empty workflow',
  blankHint: 'Only its start. You draw the steps yourself.',
  mailsHint: (n: number) =>
    `${n} drafts of mails are made as templates. Replace the text in [brackets] and the links to example.com, then turn the workflow on.`,
  series: {
    name: 'Welcome series of three mails',
    hint: 'A welcome at once, the first steps after two days, and a question four days later, to whoever subscribes.',
    steps: {
      first: 'Welcome',
      wait: 'Two days',
      second: 'First steps',
      wait2: 'Four days',
      third: 'How is it going?',
    },
    mails: WELCOME,
  },
  welcome: {
    name: 'Welcome to whoever is added',
    hint: 'The same three mails, also to contacts that you import or a program adds: at once to subscribers, to others once they confirm.',
    steps: {
      agreed: 'Subscribed already?',
      agrees: 'Confirms within 30 days?',
      end: 'Never confirmed',
      first: 'Welcome',
      wait: 'Two days',
      second: 'First steps',
      wait2: 'Four days',
      third: 'How is it going?',
    },
    mails: WELCOME,
  },
  confirmation: {
    name: 'Double opt-in follow-up',
    hint: 'Thanks everyone who sends the form and confirms, and reminds the others once, after a day.',
    steps: {
      wait: 'Confirms within a day?',
      remind: 'Remind',
      wait2: 'Confirms within three days?',
      thanks: 'Thanks',
      end: 'Not confirmed',
    },
    mails: {
      remind: {
        subject: 'Please confirm your subscription',
        words: ['You asked for our mails. One click is left before they arrive. If it was not you, ignore this mail.'],
        button: 'Yes, send them',
      },
      thanks: {
        subject: 'You are on the list',
        words: ['Thank you for confirming. [Say what comes, and how often.]'],
        button: 'Read the last issue',
      },
    },
  },
  trial: {
    name: 'Trial ending',
    hint: 'Writes three days before the date on which a trial ends, and on that day. Whoever reaches the goal of the workflow gets no more.',
    steps: {
      ending: 'Three days left',
      wait: 'Until the last day',
      ended: 'The trial has ended',
    },
    mails: {
      ending: {
        subject: 'Three days left of your trial',
        words: ['Your trial ends in three days. [Say what is kept, and what is lost.]'],
        button: 'Choose a plan',
      },
      ended: {
        subject: 'Your trial has ended',
        words: [
          'Your trial ended today. Your data is kept for [so many] days.',
          'If something was missing, just reply to this mail.',
        ],
        button: 'Go on with a plan',
      },
    },
  },
  birthday: {
    name: 'Birthday',
    hint: 'A mail each year in the morning of the birthday.',
    steps: { first: 'Happy birthday' },
    mails: {
      first: {
        subject: 'Happy birthday',
        words: ['All the best on your birthday! [Say what your present is, or leave it at that.]'],
        button: '',
      },
    },
  },
  winBack: {
    name: 'Win-back',
    hint: 'Two mails to people who went quiet; those who click are marked as back, the others as quiet. Starts when someone enters a segment of yours.',
    steps: {
      first: 'We have not seen you',
      wait: 'Clicks within a week?',
      second: 'A last question',
      wait2: 'Clicks within two weeks?',
      back: 'Mark as back',
      quiet: 'Mark as quiet',
    },
    mails: {
      first: {
        subject: 'It has been a while',
        words: ['We have not seen you for some time. Here is what is new: [one or two things].'],
        button: 'Have a look',
      },
      second: {
        subject: 'Shall we keep writing?',
        words: ['We do not want to be a burden. If you want to keep hearing from us, one click is enough.'],
        button: 'Yes, keep writing',
      },
    },
  },
  cart: {
    name: 'Abandoned cart',
    hint: 'Reminds of a full cart after three hours and once more a day later, until the order is there. Your program sends the events cart_filled and order_placed.',
    steps: {
      wait: 'Orders within three hours?',
      first: 'Your cart is waiting',
      wait2: 'Orders within a day?',
      second: 'Anything unclear?',
      ordered: 'Ordered',
    },
    mails: {
      first: {
        subject: 'Your cart is waiting',
        words: ['You left something in your cart. It is still there.'],
        button: 'Back to the cart',
      },
      second: {
        subject: 'Is anything unclear?',
        words: [
          'Your cart is kept for [so many] days. [Answer the question that is asked most: delivery, returns, payment.]',
        ],
        button: 'Complete the order',
      },
    },
  },
  feedback: {
    name: 'Feedback after a purchase',
    hint: 'Asks for feedback ten days after the date of an order, reminds once a week later, and thanks those who click.',
    steps: {
      ask: 'Ask for feedback',
      wait: 'Clicks within a week?',
      remind: 'Remind',
      wait2: 'Clicks within a week more?',
      thanks: 'Thanks',
    },
    mails: {
      ask: {
        subject: 'How do you like it?',
        words: ['You have had your order for some days now. How is it? It takes one minute.'],
        button: 'Give feedback',
      },
      remind: {
        subject: 'One minute for us?',
        words: [
          'Your opinion would help others to choose. If you have no time, ignore this mail: we will not ask again.',
        ],
        button: 'Give feedback',
      },
      thanks: {
        subject: 'Thank you for your feedback',
        words: ['Thank you, we have read it. [Say what you do with it.]'],
        button: '',
      },
    },
  },
}
