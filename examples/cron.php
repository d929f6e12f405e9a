<?php
// A job of cron that mails a report. PHP 8 with its curl extension, nothing else.
$today = date('Y-m-d');
$to = getenv('REPORT_TO') ?: 'team@example.com';
$curl = curl_init(getenv('MAILWRIGHT_URL') . '/v1/send');
curl_setopt_array($curl, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT => 30,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ' . getenv('MAILWRIGHT_KEY'),
        'Content-Type: application/json',
        // a job that runs twice on one day sends once
        "Idempotency-Key: report-$today-$to",
    ],
    CURLOPT_POSTFIELDS => json_encode([
        'to' => $to,
        'from' => 'Reports <hello@example.com>',
        'subject' => "Report of $today",
        'text' => stream_get_contents(STDIN) ?: 'Nothing to report.',
        'placeholders' => false,
    ]),
]);
$answer = curl_exec($curl);
$status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
if ($answer === false || $status >= 300) {
    fwrite(STDERR, $answer === false ? curl_error($curl) . "\n" : "$status: $answer\n");
    exit(1);
}
echo json_decode($answer, true)['data']['emails'][0]['email'], "\n";
