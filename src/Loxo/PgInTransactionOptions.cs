using System.Data;

namespace Loxo;

/// <summary>How <see cref="PgDataSource.InTransaction"/> and its other forms run their work.</summary>
public sealed record class PgInTransactionOptions
{
    private readonly int _attempts = 1;
    private readonly TimeSpan _firstDelay = TimeSpan.FromMilliseconds(10);
    private readonly TimeSpan _longestDelay = TimeSpan.FromSeconds(1);

    /// <summary>The isolation level. The default is Unspecified: the server's default, mostly READ COMMITTED.</summary>
    public IsolationLevel IsolationLevel { get; init; } = IsolationLevel.Unspecified;

    /// <summary>READ ONLY, DEFERRABLE. The default is neither.</summary>
    public PgTransactionOptions Options { get; init; }

    /// <summary>
    /// The number of attempts in total, while the work fails with a serialization failure (40001) or a deadlock (40P01). The default is 1:
    /// no retry.
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
    /// The longest pause before the second attempt; the limit doubles with each further attempt. Each pause is a random part of its limit,
    /// so that transactions that have collided do not collide again. The default is 10 milliseconds; zero means no pause.
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

    /// <summary>The limit of all pauses, whatever the number of attempts. The default is 1 second; zero means no pause.</summary>
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
