import { prefixed, type Words } from './words.ts'

const STEPS = [
  'SendEmail',
  'Delay',
  'WaitForEvent',
  'WaitUntil',
  'Condition',
  'Switch',
  'Split',
  'Webhook',
  'UpdateContact',
  'Exit',
]
const NEW_STEP = {
  name: 'The name of the step, at most 255 characters. By default its type.',
  branch: 'The branch of the step before that leads here.',
}
const DRAWN_STEP = {
  key: 'What the transitions call the step, at most 64 characters; it is not stored. `trigger` is the key of the entry.',
  name: 'The name of the step, at most 255 characters. By default its type.',
}
const TRIGGER = {
  eventName: 'Of EVENT: the event that starts it.',
  formId:
    'Of `form.submitted` and `contact.subscribed`: only those by this form, by its id. The form cannot be deleted meanwhile.',
  topicId:
    'Of `contact.subscribed` and `contact.unsubscribed`: only what is about this topic, which a request names by its id or its slug.',
  campaignId:
    'Of `email.open`, `email.click`, `email.replied` and the other events of mails: only those about mails of this campaign.',
  wholeSubscription:
    'Of `contact.subscribed` and `contact.unsubscribed`: true for only what is about the subscription as a whole, and not about a topic.',
  field: 'Of DATE: the field with the date, such as `data.trialEnds`, `data.born` or `createdAt`.',
  offset: 'Of DATE: how long before or after the date; without it, on the day itself. At most 365 days.',
  'offset.amount': 'How many, in `unit`: a whole number, at least 1.',
  'offset.unit': 'The unit. Days and weeks are those of the calendar, so the time of day stays.',
  'offset.direction': 'Whether it starts before the date or after it.',
  yearly:
    'Of DATE: true for every year, as for birthdays; `allowReentry` is then true unless the request says otherwise.',
  at: 'Of DATE: the time of day, such as `09:00`, which is the default.',
  timezone: 'Of DATE: the time zone of contacts that have none. By default that of the project.',
  timezoneField: "Of DATE: the field with the contact's time zone. By default `timezone`.",
}
const VERSION_OF_WORKFLOW = {
  version:
    'The version of the workflow that the change is for, as `If-Match` may say it, too; 409 `VERSION_CONFLICT` when it is not the current one any more. The `ETag` of the answer is the version since then.',
}

const STEP = {
  id: 'The id of the step.',
  name: 'The name of the step.',
  config: 'What it does, as it was written.',
}

const OF_GRAPH = [
  'changeStep',
  'deleteStep',
  'addTransition',
  'changeTransition',
  'deleteTransition',
  ...STEPS.map((name) => `New${name}Step`),
]

/** Workflows, their steps and executions. */
export const workflowWords: Words = {
  schemas: {
    Workflow: 'A workflow with its steps and transitions.',
    ListedWorkflow: 'A workflow without its steps and transitions.',
    Step: 'A step of a workflow. What its config has depends on its type.',
    TriggerStep: 'The entry of a workflow.',
    TriggerConfig: 'What starts a workflow: an event, of which some may be chosen, or a date of the contact.',
    SendEmailStep: 'A step that sends a mail.',
    DelayStep: 'A step that waits.',
    WaitForEventStep: 'A step that waits for an event.',
    WaitUntilStep: 'A step that waits until a date, or until a weekday and a time of day.',
    ConditionStep: 'A step with the branches `yes` and `no`.',
    SwitchStep: 'A step with a branch for each of several values.',
    SplitStep: 'A step that sends a percentage of contacts down each branch.',
    WebhookStep: 'A step that makes an HTTP request.',
    UpdateContactStep: 'A step that changes contacts.',
    ExitStep: 'A step that ends the workflow.',
    Transition: 'The way from one step to the next.',
    Execution: 'A contact on its way through a workflow.',
    ContactExecution: 'A way of a contact through a workflow, in the list of the contact.',
    StepRun: 'What a step did for the contact.',
    TriedStep: 'What a step would say for a contact now.',
    CancelledExecutions: 'How many executions were cancelled.',
    WorkflowStats: 'How many contacts are where in a workflow.',
    WorkflowFields: 'What a CONDITION step can ask about.',
    NewSendEmailStep: 'A step that sends the contact, or a fixed address, a mail.',
    NewDelayStep: 'A step that waits for some time.',
    NewWaitForEventStep: 'A step that waits for an event of the contact.',
    NewWaitUntilStep: 'A step that waits until a date of the contact, or until a weekday and a time of day.',
    NewConditionStep: 'A step that continues with `yes` or `no`.',
    NewSwitchStep: 'A step that continues with the branch of a value.',
    NewSplitStep: 'A step that continues with a branch for a percentage of contacts.',
    NewWebhookStep: 'A step that makes a signed HTTP request and waits for its answer.',
    NewUpdateContactStep: 'A step that changes the contact.',
    NewExitStep: 'A step that ends the workflow for the contact.',
    DrawnSendEmailStep: 'A step of a new workflow that sends a mail.',
    DrawnDelayStep: 'A step of a new workflow that waits for some time.',
    DrawnWaitForEventStep: 'A step of a new workflow that waits for an event of the contact.',
    DrawnWaitUntilStep: 'A step of a new workflow that waits until a date, or until a weekday and a time of day.',
    DrawnConditionStep: 'A step of a new workflow that continues with `yes` or `no`.',
    DrawnSwitchStep: 'A step of a new workflow that continues with the branch of a value.',
    DrawnSplitStep: 'A step of a new workflow that continues with a branch for a percentage of contacts.',
    DrawnWebhookStep: 'A step of a new workflow that makes a signed HTTP request.',
    DrawnUpdateContactStep: 'A step of a new workflow that changes the contact.',
    DrawnExitStep: 'A step of a new workflow that ends it for the contact.',
    DrawnTransition: 'A way between two steps of a new workflow, by their keys.',
    SendEmailConfig: 'The config of a SEND_EMAIL step: a template, or a subject and a body.',
    DelayConfig: 'The config of a DELAY step. It waits 365 days at most.',
    WaitForEventConfig: 'The config of a WAIT_FOR_EVENT step.',
    WaitUntilConfig: 'The config of a WAIT_UNTIL step: a field with a date, or a time of day and weekdays.',
    ConditionConfig:
      'The config of a CONDITION step: a filter or a single condition, which may also be under `filter`.',
    SwitchConfig: 'The config of a SWITCH step: a field, and a branch for some of its values.',
    SplitConfig: 'The config of a SPLIT step: 2 to 10 branches, which come to 100 percent.',
    WebhookConfig: 'The config of a WEBHOOK step.',
    UpdateContactConfig: 'The config of an UPDATE_CONTACT step.',
    ExitConfig: 'The config of an EXIT step.',
  },
  fields: {
    id: 'The id of the workflow.',
    name: 'The name in lists, at most 255 characters.',
    description: 'A note for the team, at most 10,000 characters. In a request, null removes it.',
    enabled:
      'Whether it starts for contacts. A new workflow is not enabled; executions that have begun go on when it is disabled.',
    triggerType:
      '`EVENT`: an event starts it; `DATE`: a date of the contact does; `MANUAL`: only `POST /workflows/{id}/executions` does.',
    'createWorkflow.triggerType':
      '`DATE`: a date of the contact starts it, as `triggerConfig` says. Without it, and with any other, it begins as `EVENT`.',
    triggerConfig: 'What starts it. In a change it replaces the earlier one.',
    ...prefixed('triggerConfig', TRIGGER),
    ...prefixed('TriggerConfig', TRIGGER),
    eventName: 'The event that starts it. In a change, null removes it. It may be in `triggerConfig` instead.',
    allowReentry: 'Whether a contact may run it more than once, one run at a time. By default `false`.',
    goal: 'What ends it early, on whatever step the contact is: the execution is EXITED with the reason `goal`.',
    'goal.eventName': 'The event that is the goal, done after the execution began.',
    steps: 'Its steps. The first is the TRIGGER, which every workflow has.',
    transitions: 'The ways between its steps.',
    'createWorkflow.steps':
      'Its steps besides the entry, up to 199, in the order in which they are answered. With them the workflow is created whole or not at all.',
    'createWorkflow.transitions': 'The ways between the keys of its steps, up to 1,000.',
    'DrawnTransition.from': 'The key of the step it leaves; `trigger` is the entry.',
    'DrawnTransition.to': 'The key of the step it leads to.',
    // lists
    limit: 'Another name of `pageSize`.',
    'listWorkflows.cursor':
      'The `cursor` of the page before, instead of `page`: it skips and repeats nothing while workflows are added.',
    'listExecutions.cursor':
      'The `cursor` of the page before, instead of `page`: it skips and repeats nothing while executions are added.',
    workflows:
      'The workflows of this page. The same list is under `data`, as in every other list: a client needs only one of the two.',
    executions:
      'The executions of this page. The same list is under `data`, as in every other list: a client needs only one of the two.',
    'listWorkflows.answer.data': 'The workflows of this page, as in every other list.',
    'listExecutions.answer.data': 'The executions of this page, as in every other list.',
    'listExecutions.status': 'Only executions with this status.',
    'listExecutions.standingOn': 'Only executions that are on this step now, by its id.',
    'listExecutions.stepId': 'Only executions that came through this step, with what its run came to as `stepStatus`.',
    'listExecutions.stepStatus':
      'What the run of `stepId` came to: `COMPLETED`, `FAILED`, `SKIPPED`, `CANCELLED`, or `RUNNING` and `WAITING` while it lasts.',
    'listExecutions.goalReached': '`true`: only executions that the goal of the workflow ended.',
    goalReached: 'How many of the exited ones the goal ended.',
    // steps
    type: 'The type of the step.',
    'changeStep.type': 'The type may be given, but not changed.',
    position: 'Its place in the editor.',
    x: 'How far from the left, from -1,000,000 to 1,000,000. The unit is that of the editor.',
    y: 'How far from the top, from -1,000,000 to 1,000,000.',
    config: 'What it does, by its type.',
    'changeStep.config': 'What it does, by its type. It replaces the earlier config.',
    'changeStep.name': 'The name of the step, at most 255 characters.',
    templateId:
      'The template that a SEND_EMAIL step sends. It may be in the config instead. A request may name it by its slug; the step keeps its id.',
    afterStepId: 'The step it follows. A transition from there is made with it.',
    onTransitionId:
      'The transition to put the step on, instead of `afterStepId`: it leads to the step from now on, and the step to where it led. With `branch`, one that stands for all branches does so on this one alone.',
    nextBranch:
      'With `onTransitionId`, the branch of the new step that leads on. Required where it has branches that one transition cannot stand for.',
    autoConnect:
      '`false`: without `afterStepId` the step is connected to nothing. By default it follows the only open end of the workflow, if there is just one.',
    splice:
      '`true`: what led to the step leads to its successor from now on. Of a step with branches, `branch` says which successor. By default `false`.',
    'deleteStep.branch':
      'With `splice=true`, the branch whose successor replaces the step. Required if the step has branches.',
    ...Object.assign({}, ...STEPS.map((name) => prefixed(`New${name}Step`, NEW_STEP))),
    ...Object.assign({}, ...STEPS.map((name) => prefixed(`Drawn${name}Step`, DRAWN_STEP))),
    ...Object.assign({}, ...OF_GRAPH.map((name) => prefixed(name, VERSION_OF_WORKFLOW))),
    ...Object.assign({}, ...['Trigger', ...STEPS].map((name) => prefixed(`${name}Step`, STEP))),
    'SendEmailConfig.templateId': 'The template to send.',
    'SendEmailConfig.subject': "The subject, with placeholders, instead of the template's.",
    'SendEmailConfig.body': "The HTML, with placeholders, instead of the template's.",
    'SendEmailConfig.from': "The sender, instead of the template's or the project's.",
    'SendEmailConfig.fromName': "The sender's display name, when `from` is a bare address.",
    'SendEmailConfig.replyTo': 'Where replies go; several addresses stand between commas or in a list.',
    recipient: 'Who gets it. By default the contact.',
    'recipient.type': '`CONTACT` (the default), or `CUSTOM` for `customEmail`.',
    'recipient.customEmail': 'Another address, with placeholders. Required with `CUSTOM`.',
    'DelayConfig.amount': 'How long, in `unit`; more than 0.',
    'DelayConfig.unit': 'The unit of the delay.',
    'SendEmailConfig.unlessMailedWithin':
      'Not to those whom a campaign or a workflow has mailed within so many hours, 1 to 8,760: the run is SKIPPED with the reason `mailed-recently`.',
    'SendEmailConfig.headers':
      'Further header fields by name, up to 100, each at most 998 characters on one line. Fields that the service sets are refused.',
    'SendEmailConfig.transport':
      'The mail server that it goes by, before all rules of routing: one of `mayName` of the project. No other is tried. By default it goes its usual way.',
    'SendEmailConfig.mostPerHour':
      'At most so many mails to one recipient within an hour, 1 to 1,000; mails of campaigns and other workflows count. What is more is SKIPPED with the reason `too-many-answers`. By default 3 in a workflow that `email.received` or `email.replied` starts, else without a limit.',
    'WaitForEventConfig.eventName': 'The event to wait for.',
    'WaitForEventConfig.timeout':
      'For how long, in seconds, 365 days at most; then the branch `timeout` is taken. By default for ever.',
    'WaitUntilConfig.field':
      'The field with the date, named as in filters: `data.trialEnds`, `createdAt`; also `event.*` and `context.*`. A date without a time is a day of the contact.',
    'WaitUntilConfig.offset': 'How long before or after the date. By default none.',
    'offset.amount': 'How long, in `unit`: a whole number, up to 365 days.',
    'offset.unit': 'The unit. Days and weeks keep the time of day when clocks change.',
    'offset.direction': 'Whether it is before the date or after it.',
    'WaitUntilConfig.yearly':
      "`true`: the date's next return, as for birthdays. 29 February is the 28th in other years.",
    'WaitUntilConfig.at':
      'The time of day, `00:00` to `23:59`, in the time zone of the contact. Required without `field`; with it the time of the date by default.',
    'WaitUntilConfig.weekdays': 'Without `field`: the days on which it goes on. By default all.',
    'WaitUntilConfig.timezone':
      'The time zone of contacts that have none, by its IANA name such as `Europe/Berlin`. By default `UTC`.',
    'WaitUntilConfig.timezoneField': "The field with the contact's time zone. By default `data.timezone`.",
    'ConditionConfig.filter': 'The filter or condition. Fields may also be `contact.*`, `event.*` and `context.*`.',
    'SwitchConfig.field':
      'The field whose value decides, named as in filters: `data.plan`, `subscribed`; also `event.*` and `context.*`.',
    'SwitchConfig.cases':
      'The cases, up to 20. The first that has the value counts; all others take the branch `else`.',
    'cases.branch': 'The name of the branch, at most 40 characters. It cannot be `else`.',
    'cases.values': 'The values that lead here, up to 20, compared as `equals` of a filter does.',
    'SplitConfig.branches': 'The branches, 2 to 10, which come to 100 percent.',
    'branches.branch': 'The name of the branch, at most 40 characters.',
    'branches.percent': 'How many of a hundred contacts take it, with two decimals at most.',
    'WebhookConfig.url': 'The URL of the request, http or https, with placeholders.',
    'WebhookConfig.method': 'The method of the request. By default `POST`.',
    'WebhookConfig.headers': 'Header fields by name, with placeholders, up to 50.',
    'WebhookConfig.body':
      'The body, sent as JSON, with placeholders in its texts. Without it the contact, the workflow, the execution and the event are sent.',
    'WebhookConfig.timeoutSeconds': 'How long one try may take: 1 to 30 seconds, by default 10.',
    'WebhookConfig.onFailure':
      'When all tries have failed: `fail` (the default) ends the execution, `continue` goes on.',
    'UpdateContactConfig.data':
      'Fields to store with the contact, with placeholders in their texts; null deletes a key.',
    'UpdateContactConfig.subscribed': 'Whether the contact is subscribed from now on.',
    'ExitConfig.reason': 'Why it ends here, for the record; at most 1,000 characters.',
    // tried
    'testStep.contactId': 'The contact to try it with, by its id.',
    'testStep.email': 'The contact, by its address, instead of `contactId`.',
    'testStep.context': 'What the step would find as `context.*`.',
    'testStep.event': 'What the step would find as `event.*`.',
    'TriedStep.branch': 'The branch it takes. null for a mail.',
    'TriedStep.until': 'Until when it waits before. null when it continues at once.',
    'TriedStep.skipped': 'Whether its mail would not be sent. `output.reason` says why.',
    'TriedStep.output': 'What its run would have as output.',
    // transitions
    'Transition.id': 'The id of the transition.',
    fromStepId: 'The step it leaves.',
    toStepId: 'The step it leads to.',
    branch:
      'The branch it is taken on: `yes` and `no` of a CONDITION, `event` and `timeout` of a WAIT_FOR_EVENT, `reached` and `missing` of a WAIT_UNTIL, the branches in the config of a SWITCH or SPLIT.',
    'Transition.condition': 'The branch once more.',
    'addTransition.condition': 'The branch, in another place.',
    'changeTransition.toStepId': 'The step it leads to from now on.',
    'changeTransition.branch':
      'The branch it is taken on from now on. One that stood for all branches leaves the others where they lead.',
    'changeTransition.condition': 'The branch, in another place.',
    'condition.branch': 'The branch it is taken on.',
    priority: 'For clients: it is answered as it was given, and decides nothing.',
    // executions
    'Execution.id': 'The id of the execution.',
    workflowId: 'The workflow it runs.',
    contactId: 'The contact that runs it.',
    status: 'RUNNING, WAITING, or how it ended: COMPLETED, EXITED, FAILED, CANCELLED.',
    currentStepId: 'The step the contact is on. null once it has ended.',
    exitReason: 'Why it ended early: the reason of an EXIT step, `goal`, or `contact-removed`. null unless it did.',
    error: 'Why it FAILED. null unless it did.',
    context: 'Values its steps can use as `context.*`.',
    startedAt: 'When it began.',
    completedAt: 'When it ended. null until then.',
    'Execution.steps': 'What each step did, in the order it happened.',
    'StepRun.stepId': 'The step.',
    'StepRun.status': 'RUNNING, WAITING, or how it ended: COMPLETED, SKIPPED, FAILED, CANCELLED.',
    output: 'What came of it, such as the id of the mail. null until there is something.',
    cancelled: 'How many were cancelled.',
    'ContactExecution.id': 'The id of the execution.',
    workflowName: 'The name of the workflow.',
    step: 'The step the contact is on, or where it ended. null when that step was deleted.',
    'ContactExecution.step.id': 'The id of the step.',
    'ContactExecution.step.name': 'The name of the step.',
    'step.since': 'Since when the contact is on it. null until the step has begun, and once the execution has ended.',
    // figures
    'WorkflowStats.executions': 'All executions, by status.',
    'WorkflowStats.steps': 'The runs of each step, by status.',
    running: 'How many are under way.',
    waiting: 'How many wait: for a time, an event or an answer.',
    completed: 'How many were completed.',
    failed: 'How many failed.',
    exited: 'How many were ended early, by an EXIT step, the goal or with the contact.',
    total: 'How many there are in all.',
    'listWorkflows.answer.total': 'How many workflows there are.',
    'listExecutions.answer.total': 'How many executions there are.',
    skipped: 'How many were skipped, such as a marketing mail to a contact who is not subscribed.',
    active: 'How many contacts are on the step now.',
    stepId: 'The id of the step.',
    // fields
    fields: 'The names of the fields.',
    typedFields: 'The same fields, with their types.',
    'typedFields.field': 'The name of the field.',
    'typedFields.type': 'The type of its values.',
    'typedFields.category': '`contact`: a field of the contact; `event`: of the event that started the workflow.',
    count: 'How many fields there are.',
    'listWorkflowFields.eventName': 'Of the fields of events, only those of this event.',
  },
}
