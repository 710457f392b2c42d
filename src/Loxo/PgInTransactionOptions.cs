using System.Data;

namespace Loxo;

/// <summary>How <see cref="PgDataSource.InTransaction"/> and its other forms run their work.</summary>
public sealed record PgInTransactionOptions
{
    private readonly int _attempts = 1;
    private readonly TimeSpan _firstDelay = TimeSpan.FromMilliseconds(10);
    private readonly TimeSpan _longestDelay = TimeSpan.FromSeconds(1);

    /// <summary>The isolation level. The default is Unspecified: the server's default, mostly READ COMMITTED.</summary>
    public IsolationLevel IsolationLevel { get; init; } = IsolationLevel.Unspecified;

    /// <summary>READ ONLY, DEFERRABLE. The default is neither.</summary>
    public PgTransactionOptions Options { get; init; }

    /// <summary>
    /// How often the work is tried in all, while it fails with a serialization failure (40001) or a deadlock (40P01). The default is 1: it is
    /// not repeated.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is less than 1.</exception>
    public int Attempts
    {
        get => _attempts;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            _attempts = value;
        }
    }

    /// <summary>
    /// The longest pause before the second attempt; each further one may last twice as long. Each lasts a random part of that, so that those
    /// who have met do not meet again. The default is 10 milliseconds; zero means no pause.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public TimeSpan FirstDelay
    {
        get => _firstDelay;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            _firstDelay = value;
        }
    }

    /// <summary>What no pause is longer than, whatever the number of attempts. The default is 1 second; zero means no pause.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative, or more than an hour.</exception>
    public TimeSpan LongestDelay
    {
        get => _longestDelay;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromHours(1));
            _longestDelay = value;
        }
    }
}
