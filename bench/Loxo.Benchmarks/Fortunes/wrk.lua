-- wrk calls done at its end. It prints one line for the benchmark; times are in microseconds.
function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format("figures %d %d %d %d %d %d\n", summary.requests, summary.duration,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout,
        latency:percentile(50), latency:percentile(99), latency:percentile(99.9)))
end
