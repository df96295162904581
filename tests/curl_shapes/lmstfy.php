<?php
// lmstfy.php API TOKEN: one curl handle for everything, as lmstfy's PHP client has it. What was set for one request stays set.
[, $api, $token] = $argv;
$handle = curl_init();
curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 60, CURLOPT_HTTPHEADER => ["X-Token:$token"]]);

function ask(string $method, string $path, ?string $body = null): array
{
    global $handle, $api;
    curl_setopt($handle, CURLOPT_CUSTOMREQUEST, $method);
    curl_setopt($handle, CURLOPT_URL, "$api/api/shop/$path");
    if ($body !== null) {
        curl_setopt($handle, CURLOPT_POSTFIELDS, $body);
    }
    $text = curl_exec($handle);
    if ($text === false) {
        fwrite(STDERR, "$method $path: " . curl_error($handle) . "\n");
        exit(1);
    }
    return [curl_getinfo($handle, CURLINFO_RESPONSE_CODE), json_decode($text, true)];
}

function expect(bool $holds, string $what): void
{
    if (!$holds) {
        fwrite(STDERR, "$what\n");
        exit(1);
    }
}

$connections = 0;
foreach ([100, 2000, 1048576] as $length) {
    $data = random_bytes($length);
    [$status, $published] = ask('PUT', 'php?' . http_build_query(['ttl' => 60, 'delay' => 0, 'tries' => 3]), $data);
    expect($status === 201 && $published['msg'] === 'published', "a publication of $length bytes: $status");
    // From here on each request has that body.
    [$status, $job] = ask('GET', 'php?' . http_build_query(['ttr' => 30, 'timeout' => 2]));
    expect($status === 200, "consume: $status");
    expect($job['job_id'] === $published['job_id'], 'another job came than was published');
    expect(base64_decode($job['data'], true) === $data, 'the data is not what was published');
    expect($job['remain_tries'] === 2 && $job['ttl'] > 0, 'tries or ttl are not what they were published with');
    [$status, $seen] = ask('GET', 'php/job/' . $job['job_id']);
    expect($status === 200 && $seen['job_id'] === $job['job_id'], "a look at the job: $status");
    [$status] = ask('DELETE', 'php/job/' . $job['job_id']);
    expect($status === 204, "an acknowledgement: $status");
    [$status] = ask('GET', 'php/job/' . $job['job_id']);
    expect($status === 404, "a look at a job that is gone: $status");
    [$status, $none] = ask('GET', 'php,other?Array');
    expect($status === 404 && $none['msg'] === 'no job available', "consume of two empty queues: $status");
    $connections += curl_getinfo($handle, CURLINFO_NUM_CONNECTS);
}
expect($connections === 0, 'the last request of a round took a connection of its own');
