import type { Translations } from './translations.ts'

/** Japanese. */
export const JA: Translations = {
  language: 'ja',
  footer: {
    reason: (sender) => `このメールは、${sender}からのメールの配信にご登録いただいている方にお送りしています。`,
    unsubscribe: '配信を停止する',
  },
  unsubscribe: {
    title: '配信停止',
    sentence: ({ email, sender }) => `${sender}から${email}へのメールの配信を停止しますか？`,
    button: '配信を停止する',
  },
  unsubscribed: {
    title: '配信を停止しました',
    sentence: ({ email, sender }) => `今後、${sender}から${email}へメールは配信されません。`,
    button: 'もう一度登録する',
  },
  subscribe: {
    title: '配信登録',
    sentence: ({ email, sender }) => `${sender}からのメールを${email}で受け取りますか？`,
    button: '登録する',
  },
  subscribed: {
    title: '登録が完了しました',
    sentence: ({ email, sender }) => `${sender}からのメールを${email}にお届けします。`,
    button: '配信を停止する',
  },
  manage: {
    title: 'メール配信の設定',
    whenSubscribed: ({ email, sender }) => `${email}は、${sender}からのメールの配信に登録されています。`,
    whenUnsubscribed: ({ email, sender }) => `${email}は、${sender}からのメールの配信に登録されていません。`,
    tracking: {
      title: '開封とクリック',
      sentence: (sender) => `メールの開封やリンクのクリックを${sender}が確認することを許可しますか？`,
      full: 'はい、開封とクリックの確認を許可します',
      anonymous: '名前を記録せず、件数のみ許可します',
      none: 'いいえ',
      button: '保存する',
      saved: '設定を保存しました。',
    },
  },
  quote: {
    wrote: ({ at, name }) => `${at}、${name} のメッセージ:`,
    forwarded: '転送されたメッセージ',
  },
  forwarding: {
    subject: (address) => `${address} 宛てのメールを受け取りますか`,
    request: ({ address, sender, email }) =>
      `${sender} は ${address} 宛てのメールを ${email} に転送しようとしています。受け取りを希望される場合は、確認してください。`,
    button: '転送を受け取る',
    ignore: 'お心当たりがない場合は、このメールを無視してください。その場合、何も転送されません。',
    page: ({ address, email }) => `${address} 宛てのメールを ${email} に転送することを確認してください。`,
    done: {
      title: '確認しました',
      sentence: ({ address, email }) => `今後、${address} 宛てのメールは ${email} に転送されます。`,
    },
  },
  topics: {
    between: '」、「',
    ask: ({ topic, email, sender }) => `${sender}から${email}への「${topic}」の配信を停止しますか？`,
    left: ({ topic, email, sender }) => `今後、${sender}から${email}へ「${topic}」は配信されません。`,
    joined: ({ topic, email, sender }) => `${email}へ${sender}の「${topic}」が配信されます。`,
    choice: '受け取るメール',
    everything: 'すべての配信を停止する',
  },
  pause: {
    title: 'しばらく休む',
    sentence: (sender) => `その間、${sender}からニュースレターやお知らせは届きません。`,
    days: (days) => `${days}日間`,
    until: (day) => `${day}までメールは届きません。`,
    end: '休みを終える',
  },
  often: {
    title: '受信の頻度',
    sentence: (sender) => `${sender}からのニュースレターやお知らせは、ここで選んだ頻度を超えて届くことはありません。`,
    every: 'すべてのメール',
    week: '多くても週に1通',
    month: '多くても月に1通',
    days: (days) => (days === 1 ? '多くても1日に1通' : `多くても${days}日に1通`),
  },
  gone: {
    title: '今後メールは配信されません',
    sentence: (sender) => `${sender}はお客様のメールアドレスを削除しました。今後メールが配信されることはありません。`,
  },
  mailGone: {
    title: 'このメールはここでは表示できなくなりました',
    sentence: (sender) => `${sender} からのこのメールの本文は保存期間が終了しました。`,
  },
  archive: {
    title: (sender) => `${sender} からのメール`,
    all: 'すべてのメール',
    empty: '公開されているメールはまだありません。',
    older: '以前のメール',
    newer: '新しいメール',
  },
  invalid: {
    title: 'このリンクは無効です',
    sentence:
      'メールに記載されたリンク全体がコピーされているかご確認ください。または、より新しいメールのリンクをご利用ください。',
  },
  trouble: {
    title: 'エラーが発生しました',
    sentence: '処理を完了できませんでした。数分後にもう一度お試しください。',
    refused: 'この方法では処理できません。メールのリンクをもう一度開いてください。',
  },
  form: {
    email: 'メールアドレス',
    button: '登録する',
    optional: '任意',
    choose: '選択してください',
    check: 'ご確認ください:',
    thanks: 'ありがとうございます',
    confirm:
      'このアドレスがまだ登録されていない場合は、確認メールをお送りしました。メール内のリンクから登録を確認してください。',
    closed: { title: 'このフォームは現在受け付けていません', sentence: '現在、こちらからは登録できません。' },
  },
  confirmation: {
    subject: (sender) => `【${sender}】配信登録のご確認`,
    request: ({ email, sender }) =>
      `${email}宛てに${sender}からのメールの配信登録のお申し込みがありました。配信をご希望の場合は、下のボタンを押して登録を完了してください。`,
    button: '登録を完了する',
    page: ({ email, sender }) => `${email}で${sender}からのメールを受け取ることをご確認ください。`,
    topicPage: ({ topic, email, sender }) => `${email}で${sender}からの「${topic}」を受け取ることをご確認ください。`,
    done: '登録が完了しました',
    back: (site) => `${site}に戻る`,
    ignore: 'お心当たりのない場合は、このメールを破棄してください。登録は行われません。',
    chosen: (topic) => `選択された配信：${topic}`,
    topics: {
      subject: (sender) => `【${sender}】配信内容のご確認`,
      request: ({ topic, email, sender }) =>
        `${email}宛てに${sender}の「${topic}」の配信のお申し込みがありました。配信をご希望の場合は、下のボタンを押してください。`,
      ignore: 'お心当たりのない場合は、このメールを破棄してください。何も変更されません。',
    },
  },
  leave: {
    title: '配信停止',
    sentence: (sender) => `アドレスを入力してください。${sender}からの配信を停止するリンクをメールでお送りします。`,
    button: 'リンクを送る',
    sent: '受信トレイをご確認ください',
    done: (sender) =>
      `このアドレスに${sender}からのメールが配信されている場合、数分以内にリンクを記載したメールが届きます。このメールをお送りするのは1日に1通までです。`,
    mail: {
      subject: (sender) => `【${sender}】配信停止のご案内`,
      request: ({ email, sender }) => `${sender}から${email}へのメールの配信を停止するリンクのお申し込みがありました。`,
      ignore: 'お心当たりのない場合は、このメールを破棄してください。何も変更されません。',
    },
  },
}
