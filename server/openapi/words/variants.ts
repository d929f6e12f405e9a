/** The schemas of variants of campaigns and their tests; they belong to those of campaigns. */
export const VARIANT_SCHEMAS: Readonly<Record<string, string>> = {
  CampaignVariant:
    'Another variant of a campaign: what it has instead. What is absent is as in the campaign; null is nothing.',
  VariantTest: 'How the variants of a campaign are tested.',
  TestProgress: 'How far the test of a campaign is. Present once it was sent.',
  VariantResults: 'How the variants of a campaign compare.',
  VariantResult: 'The figures of a variant in the test.',
  TestPartResult: 'The figures of those who are not in the test.',
}

/** Their fields. */
export const VARIANT_FIELDS: Readonly<Record<string, string>> = {
  variants:
    'Its other variants, at most 4. The campaign itself is variant A; these are B to E, in their order. Each has only the fields in which it differs. null or an empty list removes them.',
  'CampaignVariant.variant': 'Its name, by its place.',
  'CampaignVariant.subject': 'Another subject.',
  'CampaignVariant.preheader': 'Another preheader; null for none.',
  'CampaignVariant.layoutId': 'Another layout around the body; null for none.',
  'CampaignVariant.body': 'Another HTML.',
  'CampaignVariant.source': 'The other HTML as it was written in another format.',
  'CampaignVariant.design': 'What a visual editor made the other HTML from.',
  'CampaignVariant.from': 'Another sender. Its domain must be verified for the project.',
  'CampaignVariant.fromName': "Another display name of the sender; null for the project's.",
  'variants.variant': 'Its name, B to E. It follows from the place in the list, so it may be left out.',
  'variants.subject': 'Another subject, at most 998 characters.',
  'variants.preheader': 'Another preheader, at most 255 characters; null for none.',
  'variants.layoutId': 'Another layout around the body; null for none.',
  'variants.body': 'Another HTML.',
  'variants.source': 'The other HTML, written in another format.',
  'variants.design': 'What a visual editor made the other HTML from, as JSON of at most 500 KB.',
  'variants.from': 'Another sender: an address or `Ada <ada@example.com>`. Its domain must be verified.',
  'variants.fromName': "Another display name of the sender, at most 255 characters; null for the project's.",
  test: 'How its variants are tested. Variants without it are tested with all defaults. null removes it; without variants it needs `holdOut`.',
  share:
    'The percentage of recipients who take part in the test; the variants share them evenly. By default 20. With 100 everyone gets one of the variants, and there is no winner.',
  holdOut:
    'How many percent of the audience get nothing, so that others can be compared with them: 0 to 50, by default 0.',
  metric:
    'What the variants are compared by: people who opened (`opens`) or clicked (`clicks`, by default), or to whom an `event` happened.',
  event: 'The name of one of your events, for the metric `event`. It counts from when the campaign began.',
  hours:
    'How many hours the variants are compared: 1 to 336, by default 4. They begin once the mails of the test are queued.',
  winner:
    'Whether the figures choose the winner when the time is over (`automatic`, by default) or a person does (`manual`).',
  whenUnclear:
    'What happens when the figures are inconclusive: the campaign waits for a person (`wait`, the default), or the `best` so far wins.',
  testing: 'How far the test is. Present once the campaign was sent.',
  phase:
    '`testing`: the mails of the test are being queued; `waiting`: the rest of the audience waits for the winner; `rest`: it gets the winner.',
  endsAt: 'When the time of the comparison is over. null before it began.',
  unclear: 'Whether the time is over and the figures are inconclusive, so that a person has to choose.',
  whole:
    'Whether the audience was too small for the share, so that everyone gets one of the variants and there is no winner.',
  'TestProgress.winner': 'The variant that won; null until then.',
  chosenBy:
    'What chose it: a `person`, the `figures`, or `best-so-far`, which the figures alone would not have chosen.',
  chosenAt: 'When it was chosen.',
  'VariantResults.phase': 'How far the test is; null before the campaign is sent.',
  'VariantResults.metric': 'What they are compared by.',
  'VariantResults.event': 'The name of the event they are compared by; null for another metric.',
  'VariantResults.winner': 'The variant that won; null until then.',
  best: 'The variant with the highest rate so far. null while there is none, or when several have it.',
  isClear:
    'Whether the best is better than each of the others by more than chance explains: every `pValue` is at most 0.05.',
  'VariantResults.variants': 'The variants in the test, A first.',
  rest: 'Those who got the winner after the test; null before.',
  heldOut: 'Those who get nothing; null when there are none.',
  variant: 'The part of the test: a variant, the `rest` after it, or those `held-out`.',
  recipients: 'How many contacts belong to it.',
  humanOpened: 'Mails that a person opened.',
  humanClicked: 'Mails of which a person followed a link.',
  'VariantResult.subject': 'Its subject.',
  'VariantResult.from': "Its sender's address.",
  'TestPartResult.skipped': 'Contacts that were left out after all.',
  'VariantResult.skipped': 'Contacts that were left out after all.',
  met: 'How many met what the variants are compared by. Contacts who may only be counted anonymously are left out.',
  rate: 'Met of sent, in percent; of those who get nothing, of all.',
  low: 'The least the true rate is, in percent, with a confidence of 95 % (Wilson).',
  high: 'The most the true rate is, in percent, with a confidence of 95 %.',
  pValue:
    'How probable such a difference from the best is by chance alone, 0 to 1: by the two-proportion test, corrected for all pairs of variants (Holm). Of those who get nothing, the distance from all others. null when there is too little to tell.',
  'chooseWinner.variant': 'The variant that everyone who is not in the test gets.',
  'previewCampaign.variant': 'The variant that is shown; by default the campaign itself.',
  'testCampaign.contactId':
    'The contact whose fields fill it in; by default the contact with that address, if there is one. The links in it are those of the address.',
  'testCampaign.variant': 'The variant that is sent; by default the campaign itself.',
  'listRecipients.variant': 'Only mails of this part of the test: a variant, the `rest` after it, or those `held-out`.',
  'listRecipients.metric': '`true`: only mails to people who met what the variants are compared by.',
  'Recipient.variant': 'The part of the test it belongs to, when the campaign has one.',
}
